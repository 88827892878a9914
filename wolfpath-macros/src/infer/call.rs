//! Calls of functions: the module's, and those of the number types.

use proc_macro2::Span;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{ExprCall, ExprPath, Token};

use super::path::{ends, number_item};
use super::{Hint, Infer, typed};
use crate::messages::suggestion;
use crate::methods::Method;
use crate::model::inferred::{Expr, ExprKind, Ty};
use crate::model::{Float, Int, Sign};
use crate::parse::peel;

type Arguments = Punctuated<syn::Expr, Token![,]>;

impl Infer<'_, '_> {
    pub(super) fn call(&mut self, call: &ExprCall, hint: &Hint) -> Expr {
        let syn::Expr::Path(path) = peel(&call.func) else {
            return self.refuse(&call.func, "a program calls functions of its module by their names");
        };
        if ends(&path.path, "Some")
            && (path.path.segments.len() == 1 || path.path.segments[0].ident == "Option")
        {
            return self.some(call, hint);
        }
        if let Some(name) = path.path.get_ident().filter(|_| path.qself.is_none()) {
            return self.free_call(name, call);
        }
        if let Some((owner, name)) = self.owner_of(path) {
            return self.associated_call(&owner, &name, call);
        }
        if let Some(name) = comparison(path) {
            let arguments: Vec<&syn::Expr> = call.args.iter().collect();
            let [receiver, rest @ ..] = arguments.as_slice() else {
                return self.disagree(call.span(), "this function takes two values");
            };
            let receiver = self.operand(receiver, hint);
            return self.method(name, receiver, rest, &call.func, call.span());
        }
        match number_item(path) {
            Some((ty, name)) => self.number_call(&ty, &name, call),
            None => self.refuse(
                &call.func,
                "the macro sees the functions of this module only: move this one into it",
            ),
        }
    }

    fn some(&mut self, call: &ExprCall, hint: &Hint) -> Expr {
        let [argument] = call.args.iter().collect::<Vec<_>>()[..] else {
            return self.disagree(call.span(), "`Some` holds one value");
        };
        let hint = match self.hinted(hint) {
            Some(Ty::Option(of)) => Hint::Expect(*of),
            _ => Hint::None,
        };
        let inner = self.operand(argument, &hint);
        let ty = Ty::option(inner.ty.clone());
        typed(ExprKind::Some(Box::new(inner)), ty, call.span())
    }

    fn free_call(&mut self, name: &syn::Ident, call: &ExprCall) -> Expr {
        let text = name.to_string();
        if let Some(id) = self.lookup(&text) {
            let message = format!("`{text}` is a value and cannot be called: write a function of the module");
            return if self.locals[id].ty == Ty::REFUSED {
                super::error()
            } else {
                self.disagree(name.span(), message)
            };
        }
        if matches!(text.as_str(), "Ok" | "Err") {
            return self.refuse(
                name,
                "an edge program says that there is nothing by `Option`: write `Some` or `None`",
            );
        }
        let Some(index) = self.names.function(None, &text) else {
            let known: Vec<String> =
                self.names.functions.iter().map(|known| known.name.to_string()).collect();
            let hint = suggestion(&text, known.iter().map(String::as_str));
            let message = if self.names.is_function {
                format!(
                    "`{name}` is not known to the program: the macro sees this function alone; the module form has room for others"
                )
            } else {
                format!(
                    "`{name}` is not a function of this module{hint}: the macro sees nothing else, so move it here"
                )
            };
            return self.refuse(name, message);
        };
        let inputs = self.names.functions[index].inputs.clone();
        let arguments = self.arguments(&call.args, &inputs, call.span());
        typed(ExprKind::Call(index, arguments), self.names.functions[index].output.clone(), call.span())
    }

    /// `Pair::new(1, 2)`, `Self::helper(self, x)`.
    fn associated_call(&mut self, owner: &Ty, name: &syn::Ident, call: &ExprCall) -> Expr {
        let Some(index) = self.names.function(Some(owner), &name.to_string()) else {
            let message = format!("`{}` has no function `{name}` in this module", self.names.show(owner));
            return self.refuse(name, message);
        };
        let inputs = self.names.functions[index].inputs.clone();
        let arguments = self.arguments(&call.args, &inputs, call.span());
        typed(ExprKind::Call(index, arguments), self.names.functions[index].output.clone(), call.span())
    }

    pub(super) fn arguments(&mut self, written: &Arguments, types: &[Ty], span: Span) -> Vec<Expr> {
        if written.len() != types.len() {
            let message = format!("expected {} arguments, found {}", types.len(), written.len());
            self.errors.disagreement(span, message);
        }
        let read = |(argument, ty)| {
            let value = self.check(argument, ty);
            self.of_one_place(value, argument, "a reference that is passed on")
        };
        written.iter().zip(types).map(read).collect()
    }

    /// `f32::from_bits(b)`, `u64::from(x)`, `f32::max(a, b)`.
    fn number_call(&mut self, ty: &Ty, name: &str, call: &ExprCall) -> Expr {
        if let Some(function) = Method::of_type(name, ty) {
            let types = function.arguments(ty, || Ty::REFUSED);
            let operands = self.arguments(&call.args, &types, call.span());
            return typed(
                ExprKind::Method(function, operands, None, call.func.span()),
                ty.clone(),
                call.span(),
            );
        }
        let written: Vec<&syn::Expr> = call.args.iter().collect();
        match (name, ty, written.as_slice()) {
            ("min_value", Ty::Int(_), []) => typed(ExprKind::NumberConst("MIN"), ty.clone(), call.span()),
            ("max_value", Ty::Int(_), []) => typed(ExprKind::NumberConst("MAX"), ty.clone(), call.span()),
            ("from", _, [value]) => self.lossless(ty, value, call),
            ("default", _, []) => zero(ty, call.span()),
            ("try_from", ..) => {
                let shown = self.show(ty);
                self.refuse(
                    &call.func,
                    format!("an edge program has no `Result`: compare with `{shown}::MAX`, then write `as {shown}`"),
                )
            }
            (_, _, [receiver, arguments @ ..]) => {
                let receiver = self.check(receiver, ty);
                self.method(name, receiver, arguments, &call.func, call.span())
            }
            _ => self.refuse(
                &call.func,
                format!("`{name}` is not a function of `{}` that a program can use", self.show(ty)),
            ),
        }
    }

    /// `T::from(x)`, where the standard library has it.
    fn lossless(&mut self, ty: &Ty, value: &syn::Expr, call: &ExprCall) -> Expr {
        let inner = self.operand(value, &Hint::None);
        let from = self.shallow(&inner.ty);
        if from == Ty::REFUSED || (&from == ty) {
            return Expr { span: call.span(), ..inner };
        }
        if is_lossless(&from, ty) {
            return typed(ExprKind::Cast(Box::new(inner)), ty.clone(), call.span());
        }
        let (from, ty) = (self.show(&from), self.show(ty));
        self.disagree(call.span(), format!("`{ty}::from` does not take `{from}`: write `as {ty}`"))
    }
}

/// `std::cmp::min` and `max`, which are methods by another name.
fn comparison(path: &ExprPath) -> Option<&'static str> {
    let names: Vec<String> = path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    match names.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["std" | "core", "cmp", "min"] | ["cmp", "min"] => Some("min"),
        ["std" | "core", "cmp", "max"] | ["cmp", "max"] => Some("max"),
        _ => None,
    }
}

/// The zero of a number type, or `false`.
fn zero(ty: &Ty, span: Span) -> Expr {
    let kind = match ty {
        Ty::Bool => ExprKind::Bool(false),
        Ty::Float(_) => ExprKind::Float("0".to_owned()),
        _ => ExprKind::Int(0, Sign::Plus),
    };
    typed(kind, ty.clone(), span)
}

/// Whether the standard library has `To: From<this>`.
fn is_lossless(from: &Ty, to: &Ty) -> bool {
    match (from, to) {
        (Ty::Bool, Ty::Int(_)) => true,
        (Ty::Float(Float::F32), Ty::Float(Float::F64)) => true,
        (Ty::Int(from), Ty::Float(float)) => {
            let digits = if *float == Float::F32 { 24 } else { 53 };
            !matches!(from, Int::Usize | Int::Isize) && from.bits() < digits
        }
        (Ty::Int(from), Ty::Int(to)) => match (from, to) {
            (Int::Usize | Int::Isize, _) => false,
            (from, Int::Usize) => matches!(from, Int::U8 | Int::U16),
            (from, Int::Isize) => matches!(from, Int::U8 | Int::I8 | Int::I16),
            (from, to) if from.is_signed() == to.is_signed() => from.bits() < to.bits(),
            (from, to) => !from.is_signed() && from.bits() < to.bits(),
        },
        _ => false,
    }
}
