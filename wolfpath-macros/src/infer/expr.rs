//! Expressions without control flow: literals, operators, casts, tuples, arrays, struct values.

use syn::spanned::Spanned;
use syn::{BinOp, ExprBinary, ExprCast, ExprLit, ExprStruct, ExprUnary, Lit, Member, UnOp};

use super::unify::Var;
use super::{Hint, Infer, typed};
use crate::messages::{not_taken, suggestion};
use crate::model::inferred::{Expr, ExprKind, Ty};
use crate::model::{BinaryOp, Float, Int, LogicOp, Sign, UnaryOp};

impl Infer<'_, '_> {
    pub(super) fn expr(&mut self, expr: &syn::Expr, hint: &Hint) -> Expr {
        match expr {
            syn::Expr::Group(group) => self.expr(&group.expr, hint),
            syn::Expr::Paren(paren) => self.expr(&paren.expr, hint),
            syn::Expr::Lit(literal) => self.literal(literal, hint),
            syn::Expr::Path(path) => self.path(path, hint),
            syn::Expr::Unary(unary) => self.unary(unary, hint),
            syn::Expr::Binary(binary) => self.binary(binary),
            syn::Expr::Cast(cast) => self.cast(cast),
            syn::Expr::Field(field) => self.field(field),
            syn::Expr::Index(index) => self.index(index),
            syn::Expr::Reference(reference) => self.reference(reference, hint),
            syn::Expr::Struct(value) => self.struct_value(value),
            syn::Expr::Tuple(tuple) => self.tuple(tuple, hint),
            syn::Expr::Array(array) => self.array(array, hint),
            syn::Expr::Repeat(repeat) => self.repeat(repeat, hint),
            syn::Expr::Call(call) => self.call(call, hint),
            syn::Expr::MethodCall(call) => self.method_call(call, hint),
            syn::Expr::Macro(call) => self.macro_call(&call.mac),
            syn::Expr::If(branch) => self.if_expr(branch, hint),
            syn::Expr::Match(choice) => self.match_expr(choice, hint),
            syn::Expr::Block(block) => self.block_expr(block, hint),
            syn::Expr::While(turn) => self.while_loop(turn),
            syn::Expr::Loop(turn) => self.endless_loop(turn, hint),
            syn::Expr::ForLoop(turn) => self.for_loop(turn),
            syn::Expr::Break(leave) => self.break_expr(leave),
            syn::Expr::Continue(next) => self.continue_expr(next),
            syn::Expr::Return(ret) => self.return_expr(ret),
            syn::Expr::Try(option) => self.try_expr(option),
            syn::Expr::Assign(assign) => self.assign(assign),
            other => self.outside(other),
        }
    }

    /// What the language does not have, and what to write instead.
    fn outside(&mut self, expr: &syn::Expr) -> Expr {
        use syn::Expr as E;
        let message = match expr {
            E::Closure(_) => not_taken(
                "a closure here",
                "closures stand only in the parentheses of a method such as `map`; write a function of the module",
            ),
            E::Unsafe(_) => not_taken("`unsafe`", "nothing in the language needs it"),
            E::Let(_) => {
                not_taken("`let` here", "it stands in the condition of an `if` or a `while`, joined by `&&`")
            }
            E::Range(_) => {
                not_taken("a range here", "it stands in `for`, in `match`, or before `.contains(..)`")
            }
            E::Async(_) | E::Await(_) => not_taken("`async`", "a program runs at once, on every edge"),
            E::Const(_) => not_taken("`const` blocks", "declare a `const` in the module"),
            _ => not_taken("this expression", "see the language in the documentation of `edge_program`"),
        };
        self.refuse(&expr, message)
    }

    fn literal(&mut self, literal: &ExprLit, hint: &Hint) -> Expr {
        let span = literal.span();
        match &literal.lit {
            Lit::Bool(value) => typed(ExprKind::Bool(value.value), Ty::Bool, span),
            Lit::Int(int) => self.int_literal(int, hint),
            Lit::Byte(byte) => {
                typed(ExprKind::Int(u128::from(byte.value()), Sign::Plus), Ty::Int(Int::U8), span)
            }
            Lit::Float(float) => {
                let ty = self.float_type(float.suffix(), hint);
                typed(ExprKind::Float(float.base10_digits().to_owned()), ty, span)
            }
            other => self.refuse(&other, not_taken("text", "a program computes with numbers and `bool`")),
        }
    }

    fn int_literal(&mut self, int: &syn::LitInt, hint: &Hint) -> Expr {
        let digits = int.base10_digits().to_owned();
        if matches!(int.suffix(), "f32" | "f64") {
            let ty = self.float_type(int.suffix(), hint);
            return typed(ExprKind::Float(digits), ty, int.span());
        }
        // In a pattern the sign is a part of the literal.
        let sign = if digits.starts_with('-') { Sign::Minus } else { Sign::Plus };
        let Ok(magnitude) = digits.trim_start_matches('-').parse::<u128>() else {
            return self.disagree(int.span(), "this number is too large for any type");
        };
        let ty = match crate::names::primitive(int.suffix()) {
            Some(ty) => ty,
            None if !int.suffix().is_empty() => {
                return self.refuse(&int, "expected a number type of at most 64 bits");
            }
            None => match self.hinted(hint) {
                Some(ty @ Ty::Int(_)) => ty,
                _ => self.fresh(Var::Int),
            },
        };
        typed(ExprKind::Int(magnitude, sign), ty, int.span())
    }

    fn float_type(&mut self, suffix: &str, hint: &Hint) -> Ty {
        match suffix {
            "f32" => Ty::Float(Float::F32),
            "f64" => Ty::Float(Float::F64),
            _ => match self.hinted(hint) {
                Some(ty @ Ty::Float(_)) => ty,
                _ => self.fresh(Var::Float),
            },
        }
    }

    pub(super) fn hinted(&self, hint: &Hint) -> Option<Ty> {
        match hint {
            Hint::None => None,
            Hint::Expect(ty) | Hint::Castable(ty) => Some(self.shallow(ty)),
        }
    }

    fn unary(&mut self, unary: &ExprUnary, hint: &Hint) -> Expr {
        let op = match unary.op {
            UnOp::Neg(_) => UnaryOp::Neg,
            UnOp::Not(_) => UnaryOp::Not,
            UnOp::Deref(_) => return self.deref(unary),
            _ => return self.refuse(&unary, not_taken("this operator", "write it out")),
        };
        let operand = self.operand(&unary.expr, hint);
        let operand = self.behind(operand);
        let ty = operand.ty.clone();
        if let (UnaryOp::Neg, ExprKind::Int(magnitude, Sign::Plus)) = (op, &operand.kind) {
            return typed(ExprKind::Int(*magnitude, Sign::Minus), ty, unary.span());
        }
        typed(ExprKind::Unary(op, Box::new(operand), None), ty, unary.span())
    }

    fn binary(&mut self, binary: &ExprBinary) -> Expr {
        let span = binary.span();
        let logic = match binary.op {
            BinOp::And(_) => Some(LogicOp::And),
            BinOp::Or(_) => Some(LogicOp::Or),
            _ => None,
        };
        if let Some(logic) = logic {
            let left = Box::new(self.check(&binary.left, &Ty::Bool));
            let right = Box::new(self.check(&binary.right, &Ty::Bool));
            return typed(ExprKind::Logic(logic, left, right), Ty::Bool, span);
        }
        let Some((op, assigns)) = operator(&binary.op) else {
            return self.refuse(&binary.op, "this operator is not part of the language of edge programs");
        };
        if assigns {
            return self.assign_op(op, binary);
        }
        let left = self.operand(&binary.left, &Hint::None);
        let left = self.behind(left);
        let right = self.right(op, &left.ty, binary);
        let ty = if op.is_comparison() { Ty::Bool } else { left.ty.clone() };
        typed(ExprKind::Binary(op, Box::new(left), Box::new(right), None), ty, span)
    }

    /// The right side of an operator: of the left side's type, except for shifts. A reference stands for its value.
    pub(super) fn right(&mut self, op: BinaryOp, left: &Ty, binary: &ExprBinary) -> Expr {
        let hint = if op.is_shift() { Hint::None } else { Hint::Expect(left.clone()) };
        let right = self.operand(&binary.right, &hint);
        let right = self.behind(right);
        if !op.is_shift() {
            self.coerce(&right, left, super::tail_of(&binary.right).span());
        }
        right
    }

    fn assign_op(&mut self, op: BinaryOp, binary: &ExprBinary) -> Expr {
        let place = self.place(&binary.left);
        let right = self.right(op, &place.ty.clone(), binary);
        typed(ExprKind::AssignOp(op, Box::new(place), Box::new(right), None), Ty::Unit, binary.span())
    }

    fn cast(&mut self, cast: &ExprCast) -> Expr {
        let target = self.resolve_type(&cast.ty);
        if !matches!(target, Ty::Int(_) | Ty::Float(_) | Ty::REFUSED) {
            return self.disagree(cast.ty.span(), "`as` makes numbers: cast to an integer or a float");
        }
        let inner = self.operand(&cast.expr, &Hint::Castable(target.clone()));
        typed(ExprKind::Cast(Box::new(inner)), target, cast.span())
    }

    fn tuple(&mut self, tuple: &syn::ExprTuple, hint: &Hint) -> Expr {
        let span = tuple.span();
        match tuple.elems.len() {
            0 => return typed(ExprKind::Unit, Ty::Unit, span),
            2..=8 => {}
            _ => {
                return self
                    .refuse(&tuple, "a tuple of an edge program has two to eight parts: declare a struct");
            }
        }
        let hints: Vec<Hint> = match self.hinted(hint) {
            Some(Ty::Tuple(parts)) => parts.into_iter().map(Hint::Expect).collect(),
            _ => Vec::new(),
        };
        let parts: Vec<Expr> = tuple
            .elems
            .iter()
            .enumerate()
            .map(|(index, part)| self.operand(part, hints.get(index).unwrap_or(&Hint::None)))
            .collect();
        let ty = Ty::Tuple(parts.iter().map(|part| part.ty.clone()).collect());
        typed(ExprKind::Tuple(parts), ty, span)
    }

    /// The type of the elements, when the surroundings say.
    fn element(&mut self, hint: &Hint) -> Ty {
        match self.hinted(hint) {
            Some(Ty::Array(of, _)) => *of,
            _ => self.fresh(Var::Any),
        }
    }

    fn array(&mut self, array: &syn::ExprArray, hint: &Hint) -> Expr {
        if array.elems.is_empty() {
            return self.refuse(&array, "an array of an edge program has at least one element");
        }
        let of = self.element(hint);
        let elements: Vec<Expr> = array.elems.iter().map(|element| self.check(element, &of)).collect();
        let ty = Ty::Array(Box::new(of), elements.len() as u64);
        typed(ExprKind::Array(elements), ty, array.span())
    }

    fn repeat(&mut self, repeat: &syn::ExprRepeat, hint: &Hint) -> Expr {
        let of = self.element(hint);
        let value = self.check(&repeat.expr, &of);
        let Some(length) = self.names.length(&repeat.len, self.errors) else { return super::error() };
        typed(ExprKind::Repeat(Box::new(value)), Ty::Array(Box::new(of), length), repeat.span())
    }

    /// The struct that a path names: one of the module, or `Self`.
    pub(super) fn struct_of(&self, path: &syn::Path) -> Option<usize> {
        let name = path.get_ident()?;
        let ty = if name == "Self" { self.owner.clone()? } else { self.names.own_type(name)? };
        match ty {
            Ty::Struct(index) => Some(index),
            _ => None,
        }
    }

    fn struct_value(&mut self, value: &ExprStruct) -> Expr {
        let Some(index) = self.struct_of(&value.path) else {
            let names: Vec<String> = self.names.structs.iter().map(|item| item.name.to_string()).collect();
            let written = value.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
            let hint = suggestion(&written, names.iter().map(String::as_str));
            let message = format!("this is not a struct of data declared in the module of the program{hint}");
            return self.refuse(&value.path, message);
        };
        let mut fields = Vec::new();
        for written in &value.fields {
            let Member::Named(name) = &written.member else { continue };
            let Some(ty) = self.names.field_type(&Ty::Struct(index), &name.to_string()) else {
                let message = format!("`{}` has no field `{name}`", self.names.structs[index].name);
                self.errors.disagreement(name.span(), message);
                continue;
            };
            fields.push((name.clone(), self.check(&written.expr, &ty)));
        }
        let rest = value.rest.as_ref().map(|rest| Box::new(self.check(rest, &Ty::Struct(index))));
        if rest.is_none() {
            self.missing_fields(index, &fields, value);
        }
        typed(ExprKind::Struct(index, fields, rest), Ty::Struct(index), value.span())
    }

    fn missing_fields(&mut self, index: usize, fields: &[(syn::Ident, Expr)], value: &ExprStruct) {
        let item = &self.names.structs[index];
        let missing: Vec<String> = item
            .fields
            .iter()
            .filter(|field| fields.iter().all(|(name, _)| *name != field.name))
            .map(|field| format!("`{}`", field.name))
            .collect();
        if !missing.is_empty() {
            let message = format!("missing {} in a value of `{}`", missing.join(", "), item.name);
            self.errors.disagreement(value.path.span(), message);
        }
    }
}

/// The operator, and whether it assigns.
fn operator(op: &BinOp) -> Option<(BinaryOp, bool)> {
    Some(match op {
        BinOp::Add(_) => (BinaryOp::Add, false),
        BinOp::Sub(_) => (BinaryOp::Sub, false),
        BinOp::Mul(_) => (BinaryOp::Mul, false),
        BinOp::Div(_) => (BinaryOp::Div, false),
        BinOp::Rem(_) => (BinaryOp::Rem, false),
        BinOp::BitAnd(_) => (BinaryOp::BitAnd, false),
        BinOp::BitOr(_) => (BinaryOp::BitOr, false),
        BinOp::BitXor(_) => (BinaryOp::BitXor, false),
        BinOp::Shl(_) => (BinaryOp::Shl, false),
        BinOp::Shr(_) => (BinaryOp::Shr, false),
        BinOp::Eq(_) => (BinaryOp::Eq, false),
        BinOp::Ne(_) => (BinaryOp::Ne, false),
        BinOp::Lt(_) => (BinaryOp::Lt, false),
        BinOp::Le(_) => (BinaryOp::Le, false),
        BinOp::Gt(_) => (BinaryOp::Gt, false),
        BinOp::Ge(_) => (BinaryOp::Ge, false),
        BinOp::AddAssign(_) => (BinaryOp::Add, true),
        BinOp::SubAssign(_) => (BinaryOp::Sub, true),
        BinOp::MulAssign(_) => (BinaryOp::Mul, true),
        BinOp::DivAssign(_) => (BinaryOp::Div, true),
        BinOp::RemAssign(_) => (BinaryOp::Rem, true),
        BinOp::BitAndAssign(_) => (BinaryOp::BitAnd, true),
        BinOp::BitOrAssign(_) => (BinaryOp::BitOr, true),
        BinOp::BitXorAssign(_) => (BinaryOp::BitXor, true),
        BinOp::ShlAssign(_) => (BinaryOp::Shl, true),
        BinOp::ShrAssign(_) => (BinaryOp::Shr, true),
        _ => return None,
    })
}

/// The unsigned 32-bit type, which many methods take and give.
pub(super) const U32: Ty = Ty::Int(Int::U32);
