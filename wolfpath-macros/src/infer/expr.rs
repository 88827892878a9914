//! Expressions without control flow: literals, operators, casts, fields, struct values, assignment.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{BinOp, ExprBinary, ExprCast, ExprField, ExprLit, ExprStruct, ExprUnary, Lit, Member, UnOp};

use super::{Hint, Infer, Var};
use crate::messages::not_taken;
use crate::model::{BinaryOp, Expr, ExprKind, Float, Int, Ty, UnaryOp};

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
            syn::Expr::Struct(value) => self.struct_value(value),
            syn::Expr::Call(call) => self.call(call, hint),
            syn::Expr::MethodCall(call) => self.method_call(call),
            syn::Expr::If(branch) => self.if_expr(branch, hint),
            syn::Expr::Match(choice) => self.match_expr(choice, hint),
            syn::Expr::Block(block) if block.label.is_none() => self.block_expr(&block.block, hint),
            syn::Expr::Return(ret) => self.return_expr(ret),
            syn::Expr::Assign(assign) => self.assign(assign),
            syn::Expr::Tuple(tuple) if tuple.elems.is_empty() => typed(ExprKind::Unit, Ty::Unit, expr.span()),
            other => self.outside(other),
        }
    }

    /// What the language does not have, and what to write instead.
    fn outside(&mut self, expr: &syn::Expr) -> Expr {
        use syn::Expr as E;
        let message = match expr {
            E::While(_) | E::ForLoop(_) | E::Loop(_) | E::Break(_) | E::Continue(_) => not_taken(
                "loops",
                "this version has none; write the steps out, or let the graph's steps repeat them",
            ),
            E::Macro(_) => not_taken("macros", "write out what it would expand to"),
            E::Tuple(_) => not_taken("tuples", "declare a struct in the module"),
            E::Reference(_) => not_taken("references", "all its values are `Copy`, so use the value"),
            E::Index(_) | E::Array(_) | E::Repeat(_) => {
                not_taken("arrays", "name each value, or use fields of a struct")
            }
            E::Closure(_) => not_taken("closures", "write a function of the module"),
            E::Try(_) => not_taken("`?`", "write `match` or `if let Some(..)`"),
            E::Unsafe(_) => not_taken("`unsafe`", "nothing in the language needs it"),
            E::Let(_) => not_taken("`let` inside a condition", "nest a second `if let`"),
            E::Range(_) => not_taken("ranges", "compare with both ends"),
            E::Block(_) => not_taken("labelled blocks", "use `if` and `else`"),
            _ => not_taken("this expression", "see the language in the documentation of `edge_program`"),
        };
        self.refuse(&expr, message)
    }

    fn literal(&mut self, literal: &ExprLit, hint: &Hint) -> Expr {
        let span = literal.span();
        match &literal.lit {
            Lit::Bool(value) => typed(ExprKind::Bool(value.value), Ty::Bool, span),
            Lit::Int(int) => self.int_literal(int, hint),
            Lit::Float(float) => {
                let ty = self.float_type(float.suffix(), hint);
                typed(ExprKind::Float(float.base10_digits().to_owned()), ty, span)
            }
            other => {
                self.refuse(&other, not_taken("text or bytes", "a program computes with numbers and `bool`"))
            }
        }
    }

    fn int_literal(&mut self, int: &syn::LitInt, hint: &Hint) -> Expr {
        let digits = int.base10_digits().to_owned();
        if matches!(int.suffix(), "f32" | "f64") {
            let ty = self.float_type(int.suffix(), hint);
            return typed(ExprKind::Float(digits), ty, int.span());
        }
        // In a pattern the sign is a part of the literal.
        let negative = digits.starts_with('-');
        let Ok(magnitude) = digits.trim_start_matches('-').parse::<u128>() else {
            return self.refuse(&int, "this number is too large for any type");
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
        typed(ExprKind::Int(magnitude, negative), ty, int.span())
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
            _ => return self.refuse(&unary, not_taken("`*`", "there are no references; use the value")),
        };
        let operand = self.expr(&unary.expr, hint);
        let ty = operand.ty.clone();
        if let (UnaryOp::Neg, ExprKind::Int(magnitude, false)) = (op, &operand.kind) {
            return typed(ExprKind::Int(*magnitude, true), ty, unary.span());
        }
        typed(ExprKind::Unary(op, Box::new(operand), None), ty, unary.span())
    }

    fn binary(&mut self, binary: &ExprBinary) -> Expr {
        let span = binary.span();
        if let BinOp::And(_) | BinOp::Or(_) = binary.op {
            let left = Box::new(self.check(&binary.left, &Ty::Bool));
            let right = Box::new(self.check(&binary.right, &Ty::Bool));
            return typed(ExprKind::Logic(matches!(binary.op, BinOp::And(_)), left, right), Ty::Bool, span);
        }
        let Some((op, assigns)) = operator(&binary.op) else {
            return self.refuse(&binary.op, "this operator is not part of the language of edge programs");
        };
        if assigns {
            return self.assign_op(op, binary);
        }
        let left = self.expr(&binary.left, &Hint::None);
        let right = self.operand(op, &left.ty, binary);
        let ty = if op.is_comparison() { Ty::Bool } else { left.ty.clone() };
        typed(ExprKind::Binary(op, Box::new(left), Box::new(right), None), ty, span)
    }

    /// The right side of an operator: of the left side's type, except for shifts.
    fn operand(&mut self, op: BinaryOp, left: &Ty, binary: &ExprBinary) -> Expr {
        if op.is_shift() { self.expr(&binary.right, &Hint::None) } else { self.check(&binary.right, left) }
    }

    fn assign_op(&mut self, op: BinaryOp, binary: &ExprBinary) -> Expr {
        let place = self.place(&binary.left);
        let right = self.operand(op, &place.ty.clone(), binary);
        typed(ExprKind::AssignOp(op, Box::new(place), Box::new(right), None), Ty::Unit, binary.span())
    }

    pub(super) fn assign(&mut self, assign: &syn::ExprAssign) -> Expr {
        let place = self.place(&assign.left);
        let value = self.check(&assign.right, &place.ty.clone());
        typed(ExprKind::Assign(Box::new(place), Box::new(value)), Ty::Unit, assign.span())
    }

    /// What can be assigned to: a local, or a field of one.
    fn place(&mut self, expr: &syn::Expr) -> Expr {
        let place = self.expr(expr, &Hint::None);
        let mut root = &place;
        while let ExprKind::Field(base, _) = &root.kind {
            root = base;
        }
        match root.kind {
            ExprKind::Local(_) | ExprKind::Error => place,
            _ => self.refuse(&expr, "only a local `let mut` and its fields can be assigned to"),
        }
    }

    fn cast(&mut self, cast: &ExprCast) -> Expr {
        let target = self.resolve_type(&cast.ty);
        if !matches!(target, Ty::Int(_) | Ty::Float(_) | Ty::Error) {
            return self.refuse(&cast.ty, "`as` makes numbers: cast to an integer or a float");
        }
        let inner = self.expr(&cast.expr, &Hint::Castable(target.clone()));
        typed(ExprKind::Cast(Box::new(inner)), target, cast.span())
    }

    fn field(&mut self, field: &ExprField) -> Expr {
        let base = self.expr(&field.base, &Hint::None);
        let ty = self.shallow(&base.ty);
        let Member::Named(name) = &field.member else {
            return self.refuse(&field.member, not_taken("tuples", "declare a struct in the module"));
        };
        if ty == Ty::Error {
            return typed(ExprKind::Error, Ty::Error, field.span());
        }
        let Some(of) = self.names.field_type(&ty, &name.to_string()) else {
            let known = self.names.field_names(&ty).join(", ");
            let message = if known.is_empty() {
                format!("`{}` has no fields", self.show(&ty))
            } else {
                format!("`{}` has no field `{name}`: it has {known}", self.show(&ty))
            };
            return self.refuse(name, message);
        };
        match ty {
            Ty::Edge => self.reads.edge.push(name.to_string()),
            Ty::Vertex(_) => self.reads.vertex.push(name.to_string()),
            _ => {}
        }
        typed(ExprKind::Field(Box::new(base), name.clone()), of, field.span())
    }

    fn struct_value(&mut self, value: &ExprStruct) -> Expr {
        let found =
            value.path.get_ident().and_then(|name| self.names.structs.iter().position(|s| s.name == *name));
        let Some(index) = found else {
            return self
                .refuse(&value.path, "this is not a struct of data declared in the module of the program");
        };
        if let Some(rest) = &value.rest {
            return self.refuse(&rest, not_taken("`..` in a struct value", "write every field"));
        }
        let mut fields = Vec::new();
        for written in &value.fields {
            let Member::Named(name) = &written.member else { continue };
            let Some(ty) = self.names.field_type(&Ty::Struct(index), &name.to_string()) else {
                self.errors.on(name, format!("`{}` has no field `{name}`", self.names.structs[index].name));
                continue;
            };
            fields.push((name.clone(), self.check(&written.expr, &ty)));
        }
        self.missing_fields(index, &fields, value);
        typed(ExprKind::Struct(index, fields), Ty::Struct(index), value.span())
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
            self.errors
                .on(&value.path, format!("missing {} in a value of `{}`", missing.join(", "), item.name));
        }
    }
}

/// A node of the model.
pub(super) fn typed(kind: ExprKind, ty: Ty, span: Span) -> Expr {
    Expr { kind, ty, span }
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
