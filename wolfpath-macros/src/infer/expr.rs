//! Infers expressions: literals, names, fields, operators, casts. Expressions of other kinds are passed on to the files
//! that handle them.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{ExprBinary, ExprCast, ExprField, ExprLit, ExprPath, ExprUnary, Lit, Member, Path, UnOp};

use super::types::Var;
use super::{Hint, Infer, typed};
use crate::check::NO_WEIGHTS;
use crate::messages::{not_taken, suggestion};
use crate::model::inferred::{Expr, ExprKind, Ty};
use crate::model::views::{AGGREGATE_STEP, COUNTS, view};
use crate::model::{BinaryOp, Float, Int, Operator, Sign, UnaryOp, Unknown};

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

    /// Rejects an expression that is not in the language, with a message that advises what to write instead.
    fn outside(&mut self, expr: &syn::Expr) -> Expr {
        use syn::Expr as E;
        let message = match expr {
            E::Closure(_) => not_taken(
                "a closure here",
                "closures are allowed only as arguments of methods such as `map`; write a function of the module",
            ),
            E::Unsafe(_) => not_taken("`unsafe`", "remove the keyword"),
            E::Let(_) => not_taken(
                "`let` here",
                "it is allowed only in the condition of an `if` or a `while`, joined by `&&`",
            ),
            E::Range(_) => not_taken(
                "a range here",
                "it is allowed only in `for`, in `match`, or before `.contains(..)`",
            ),
            E::Async(_) | E::Await(_) => not_taken("`async`", "a program runs synchronously, on every edge"),
            E::Const(_) => not_taken("`const` blocks", "declare a `const` in the module"),
            _ => not_taken("this expression", "see the table of the language in docs/programming.md"),
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
            other => self.refuse(&other, not_taken("text", "it computes with numbers and `bool`")),
        }
    }

    fn int_literal(&mut self, int: &syn::LitInt, hint: &Hint) -> Expr {
        let digits = int.base10_digits().to_owned();
        if matches!(int.suffix(), "f32" | "f64") {
            let ty = self.float_type(int.suffix(), hint);
            return typed(ExprKind::Float(digits), ty, int.span());
        }
        // In a pattern, the sign is part of the literal.
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
        let op = match Operator::of(&binary.op) {
            Some(Operator::Binary(op)) => op,
            Some(Operator::Assigning(op)) => return self.assign_op(op, binary),
            Some(Operator::Logic(op)) => {
                let left = Box::new(self.check(&binary.left, &Ty::Bool));
                let right = Box::new(self.check(&binary.right, &Ty::Bool));
                return typed(ExprKind::Logic(op, left, right), Ty::Bool, span);
            }
            None => {
                return self.refuse(&binary.op, "this operator is not part of the language of edge programs");
            }
        };
        let left = self.operand(&binary.left, &Hint::None);
        let left = self.behind(left);
        let right = self.right(op, &left.ty, binary);
        let ty = if op.is_comparison() { Ty::Bool } else { left.ty.clone() };
        typed(ExprKind::Binary(op, Box::new(left), Box::new(right), None), ty, span)
    }

    /// Returns the right operand of an operator. Except for shifts, it must have the left operand's type. A reference
    /// is dereferenced.
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
            return self.disagree(cast.ty.span(), "`as` can only cast to an integer or a float");
        }
        let inner = self.operand(&cast.expr, &Hint::Castable(target.clone()));
        typed(ExprKind::Cast(Box::new(inner)), target, cast.span())
    }

    pub(super) fn path(&mut self, path: &ExprPath, hint: &Hint) -> Expr {
        let span = path.span();
        if let Some(name) = path.path.get_ident().filter(|_| path.qself.is_none()) {
            let text = name.to_string();
            if let Some(id) = self.lookup(&text) {
                return typed(ExprKind::Local(id), self.locals[id].ty.clone(), span);
            }
            return match text.as_str() {
                "self" => typed(ExprKind::Params, Ty::Params, span),
                "None" => self.none(hint, span),
                _ => match self.names.constant(None, &text) {
                    Some(index) => typed(ExprKind::Const(index), self.names.consts[index].ty.clone(), span),
                    None => self.unknown_name(name),
                },
            };
        }
        if path.path.segments.len() == 2
            && path.path.segments[0].ident == "Option"
            && ends(&path.path, "None")
        {
            return self.none(hint, span);
        }
        match self.owner_of(path) {
            Some((owner, name)) => self.associated(&owner, &name, path),
            None => self.number_const(path),
        }
    }

    fn none(&mut self, hint: &Hint, span: Span) -> Expr {
        let of = match self.hinted(hint) {
            Some(Ty::Option(of)) => *of,
            _ => self.fresh(Var::Any),
        };
        typed(ExprKind::None, Ty::option(of), span)
    }

    fn unknown_name(&mut self, name: &syn::Ident) -> Expr {
        let text = name.to_string();
        let locals = self.scopes.iter().flatten().map(|(name, _)| name.clone());
        let consts = self.names.consts.iter().filter(|item| item.owner.is_none());
        let known: Vec<String> = locals.chain(consts.map(|item| item.name.to_string())).collect();
        let hint = suggestion(&text, known.iter().map(String::as_str));
        let is_function = self.names.function(None, &text).is_some();
        let message = if is_function {
            format!("`{text}` is a function: call it; an edge program has no function pointers")
        } else if self.names.is_function {
            format!(
                "`{text}` is not known to the program{hint}: it can use its parameters and its locals; to use \
                 constants, write the module form"
            )
        } else {
            format!(
                "`{text}` is not known to the program{hint}: it can use its parameters, its locals and the \
                 module's items"
            )
        };
        self.refuse(name, message)
    }

    /// Returns the type and the name of a path into a type of the module: `Pair::LIMIT`, `Self::new`, `State::Open`.
    pub(super) fn owner_of(&self, path: &ExprPath) -> Option<(Ty, syn::Ident)> {
        let segments = &path.path.segments;
        if path.qself.is_some() || segments.len() != 2 {
            return None;
        }
        let (owner, name) = (&segments[0].ident, segments[1].ident.clone());
        let owner = if owner == "Self" { self.owner.clone()? } else { self.names.own_type(owner)? };
        Some((owner, name))
    }

    /// Returns a variant of an enum, or a constant of a type of the module.
    fn associated(&mut self, owner: &Ty, name: &syn::Ident, path: &ExprPath) -> Expr {
        let span = path.span();
        if let Ty::Enum(index) = owner {
            let variant = self.names.enums[*index].variants.iter().position(|(known, _)| known == name);
            if let Some(variant) = variant {
                return typed(ExprKind::Variant(*index, variant), owner.clone(), span);
            }
        }
        if let Some(index) = self.names.constant(Some(owner), &name.to_string()) {
            return typed(ExprKind::Const(index), self.names.consts[index].ty.clone(), span);
        }
        let message =
            format!("`{}` has no constant or variant `{name}` in this module", self.names.show(owner));
        self.refuse(name, message)
    }

    /// Dereferences the expression until it is a value.
    pub(super) fn behind(&mut self, expr: Expr) -> Expr {
        match self.shallow(&expr.ty) {
            Ty::Ref(_, of) => {
                let span = expr.span;
                self.behind(typed(ExprKind::Deref(Box::new(expr)), *of, span))
            }
            _ => expr,
        }
    }

    pub(super) fn field(&mut self, field: &ExprField) -> Expr {
        let base = self.operand(&field.base, &Hint::None);
        let base = self.behind(base);
        let ty = self.shallow(&base.ty);
        let name = match (&field.member, &ty) {
            (_, Ty::Unknown(Unknown::Refused)) => return super::error(),
            (Member::Unnamed(index), Ty::Tuple(parts)) => {
                let index = index.index as usize;
                return match parts.get(index) {
                    Some(of) => typed(ExprKind::Part(Box::new(base), index), of.clone(), field.span()),
                    None => self.disagree(field.span(), "the tuple has fewer parts"),
                };
            }
            (Member::Unnamed(_), _) => {
                let message = format!("`{}` is not a tuple, so it has no numbered parts", self.show(&ty));
                return self.disagree(field.span(), message);
            }
            (Member::Named(name), _) => name,
        };
        let Some(of) = self.names.field_type(&ty, &name.to_string()) else { return self.no_field(&ty, name) };
        if let Some(refused) = self.input_alone(name, &of) {
            return refused;
        }
        self.reads_field(&ty, name);
        typed(ExprKind::Field(Box::new(base), name.clone()), of, field.span())
    }

    /// Records that a field of an edge or a vertex is read.
    pub(super) fn reads_field(&mut self, of: &Ty, name: &syn::Ident) {
        let field = view(of).iter().find(|field| name == field.name);
        self.reads.noted.extend(field.and_then(|field| field.noted));
        if self.names.neighbours && *of == Ty::Edge && name == "weight" && self.names.weight == Ty::Unit {
            self.refuse(name, NO_WEIGHTS);
        }
        if !self.names.both_ways && *of == Ty::Edge && name == "forward" {
            let message = format!(
                "`forward` tells the two directions of `Along::Both` apart, but messages of this program travel in one: \
                 add {}",
                if self.names.is_function {
                    "`along = both` to the attribute"
                } else {
                    "`const ALONG: Along = Along::Both;`"
                }
            );
            self.refuse(name, message);
        }
        if self.names.accumulates && *of == Ty::Edge && name == "step" {
            let message = "portions of an accumulating program are sent at any time, so they belong to no step: remove \
                           `step`, or the promise to accumulate";
            self.refuse(name, message);
        }
        if !self.names.neighbours && matches!(of, Ty::Vertex(..)) && name == "neighbours" {
            let message = "`neighbours` counts distinct neighbours: add `const ALONG: Along = Along::Neighbours;`, or \
                           read `out_degree` and `in_degree`, which count edges";
            self.refuse(name, message);
        }
        if let Ty::Vertex(_, before) = of {
            self.reads_of_folds(name, **before == Ty::Unit);
        }
    }

    /// Records that a fold depends on the step, and rejects `v.before` where it has no value (`is_elsewhere`).
    fn reads_of_folds(&mut self, name: &syn::Ident, is_elsewhere: bool) {
        let is_helper = self.names.functions.iter().any(|helper| helper.name == self.function.as_str());
        if (name == "step" || name == "level") && (self.function == "aggregate" || is_helper) {
            self.reads.noted.insert(AGGREGATE_STEP);
        }
        if name == "before" && is_elsewhere {
            let message = match self.function.as_str() {
                "apply" => {
                    "`v.before` can only be read in `aggregate`: in `apply`, `v.value` is the value before this step"
                }
                "changed" | "finished" => {
                    "`v.before` can only be read in `aggregate`: use the argument `before`"
                }
                _ if is_helper => {
                    "`v.before` can only be read in `aggregate` itself: pass `v.before` to this function as an argument \
                     of its own"
                }
                _ => {
                    "`v.before` can only be read in `aggregate`: to know the earlier value here, keep it in a field of \
                     the value"
                }
            };
            self.refuse(name, message);
        }
    }

    fn no_field(&mut self, ty: &Ty, name: &syn::Ident) -> Expr {
        if *ty == Ty::Edge && COUNTS.iter().any(|count| name == count.name) {
            return self.refuse(name, format!("`{name}` is a field for tests: write `{name}()`"));
        }
        let known = self.names.field_names(ty);
        let hint = suggestion(&name.to_string(), known.iter().map(String::as_str));
        let message = match (ty, known.is_empty()) {
            (Ty::Unknown(Unknown::Variable(_)), _) => {
                return self.refuse(name, "the type of this value is not known yet: write `let name: type`");
            }
            (_, true) => format!("`{}` has no fields", self.show(ty)),
            _ => format!(
                "`{}` has no field `{name}`{hint}: its fields are {}",
                self.show(ty),
                known.join(", ")
            ),
        };
        self.disagree(name.span(), message)
    }
}

/// Returns `true` if `name` is the path's last name.
pub(super) fn ends(path: &Path, name: &str) -> bool {
    path.segments.last().is_some_and(|last| last.ident == name)
}
