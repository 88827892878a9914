//! Names in expressions: locals, constants, calls of functions and of methods.

use syn::spanned::Spanned;
use syn::{ExprCall, ExprMethodCall, ExprPath, Path};

use super::expr::{U32, typed};
use super::{Hint, Infer, Var};
use crate::methods::Method;
use crate::model::{Expr, ExprKind, Float, Int, Ty};
use crate::names::primitive;
use crate::parse::{peel, peel_type};

/// Constants of the number types.
const NUMBER_CONSTS: [&str; 7] = ["MAX", "MIN", "EPSILON", "INFINITY", "NEG_INFINITY", "NAN", "MIN_POSITIVE"];

/// Constants of `f32::consts` and `f64::consts`, with more digits than either type holds.
const FLOAT_CONSTS: [(&str, &str); 6] = [
    ("PI", "3.14159265358979323846264338327950288"),
    ("TAU", "6.28318530717958647692528676655900577"),
    ("E", "2.71828182845904523536028747135266250"),
    ("LN_2", "0.693147180559945309417232121458176568"),
    ("LN_10", "2.30258509299404568401799145468436421"),
    ("SQRT_2", "1.41421356237309504880168872420969808"),
];

impl Infer<'_, '_> {
    pub(super) fn path(&mut self, path: &ExprPath, hint: &Hint) -> Expr {
        let span = path.span();
        if let Some(name) = path.path.get_ident().filter(|_| path.qself.is_none()) {
            let text = name.to_string();
            if let Some(id) = self.lookup(&text) {
                return typed(ExprKind::Local(id), self.locals[id].ty.clone(), span);
            }
            if text == "self" {
                return typed(ExprKind::Params, Ty::Params, span);
            }
            if let Some(index) = self.names.consts.iter().position(|(known, _)| known == name) {
                return typed(ExprKind::Const(index), self.names.consts[index].1.clone(), span);
            }
            if text == "None" {
                let of = match self.hinted(hint) {
                    Some(Ty::Option(of)) => *of,
                    _ => self.fresh(Var::Any),
                };
                return typed(ExprKind::None, Ty::option(of), span);
            }
            return self.refuse(
                &path,
                format!("`{text}` is not known to the program: it sees its parameters, its locals and the module's items"),
            );
        }
        self.number_const(path)
    }

    /// `u32::MAX`, `f64::consts::PI`.
    fn number_const(&mut self, path: &ExprPath) -> Expr {
        let Some((ty, name)) = number_item(path) else {
            return self
                .refuse(&path, "this constant is not known to the program: declare a `const` in its module");
        };
        let span = path.span();
        if let (Ty::Int(int), "BITS") = (&ty, name.as_str()) {
            return typed(ExprKind::Int(u128::from(int.bits()), false), U32, span);
        }
        let known = NUMBER_CONSTS.iter().find(|known| **known == name);
        if let Some(known) = known.filter(|known| ty.is_float() || matches!(**known, "MAX" | "MIN"))
            && ty.is_number()
        {
            return typed(ExprKind::NumberConst(known), ty, span);
        }
        let digits = FLOAT_CONSTS.iter().find(|(known, _)| *known == name).filter(|_| ty.is_float());
        match digits {
            Some((_, digits)) => typed(ExprKind::Float((*digits).to_owned()), ty, span),
            None => self.refuse(
                &path,
                format!("`{name}` is not a constant of `{}` that a program can use", self.show(&ty)),
            ),
        }
    }

    pub(super) fn call(&mut self, call: &ExprCall, hint: &Hint) -> Expr {
        let syn::Expr::Path(path) = peel(&call.func) else {
            return self.refuse(&call.func, "a program calls functions of its module by their names");
        };
        if let Some(name) = path.path.get_ident().filter(|_| path.qself.is_none()) {
            return if name == "Some" { self.some(call, hint) } else { self.function_call(name, call) };
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
            return self.refuse(&call, "`Some` holds one value");
        };
        let hint = match self.hinted(hint) {
            Some(Ty::Option(of)) => Hint::Expect(*of),
            _ => Hint::None,
        };
        let inner = self.expr(argument, &hint);
        let ty = Ty::option(inner.ty.clone());
        typed(ExprKind::Some(Box::new(inner)), ty, call.span())
    }

    fn function_call(&mut self, name: &syn::Ident, call: &ExprCall) -> Expr {
        let Some(index) = self.names.functions.iter().position(|known| known.name == *name) else {
            return self.refuse(
                name,
                format!(
                    "`{name}` is not a function of this module: the macro sees nothing else, so move it here"
                ),
            );
        };
        let prototype = &self.names.functions[index];
        let arguments = self.arguments(&call.args, &prototype.inputs, call);
        typed(ExprKind::Call(index, arguments), prototype.output.clone(), call.span())
    }

    fn arguments(
        &mut self,
        written: &syn::punctuated::Punctuated<syn::Expr, syn::Token![,]>,
        types: &[Ty],
        blame: &dyn quote::ToTokens,
    ) -> Vec<Expr> {
        if written.len() != types.len() {
            self.errors.on(blame, format!("expected {} arguments, found {}", types.len(), written.len()));
        }
        written.iter().zip(types).map(|(argument, ty)| self.check(argument, ty)).collect()
    }

    /// `f32::from_bits(b)`, `u64::from(x)`, `f32::max(a, b)`.
    fn number_call(&mut self, ty: &Ty, name: &str, call: &ExprCall) -> Expr {
        let written: Vec<&syn::Expr> = call.args.iter().collect();
        match (name, ty, written.as_slice()) {
            ("from_bits", Ty::Float(float), [bits]) => {
                let bits = self.check(bits, &Ty::Int(float.bits()));
                match Method::from_bits() {
                    Some(method) => {
                        typed(ExprKind::Method(method, vec![bits], None), ty.clone(), call.span())
                    }
                    None => self.refuse(&call, "`from_bits` is not known"),
                }
            }
            ("from", _, [value]) => self.lossless(ty, value, call),
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
        let inner = self.expr(value, &Hint::None);
        let from = self.shallow(&inner.ty);
        if from == Ty::Error || (&from == ty) {
            return Expr { span: call.span(), ..inner };
        }
        if is_lossless(&from, ty) {
            return typed(ExprKind::Cast(Box::new(inner)), ty.clone(), call.span());
        }
        let (from, ty) = (self.show(&from), self.show(ty));
        self.refuse(&call, format!("`{ty}::from` does not take `{from}`: write `as {ty}`"))
    }

    pub(super) fn method_call(&mut self, call: &ExprMethodCall) -> Expr {
        if let Some(turbofish) = &call.turbofish {
            return self.refuse(&turbofish, "methods of a program take no type arguments");
        }
        let receiver = self.expr(&call.receiver, &Hint::None);
        let arguments: Vec<&syn::Expr> = call.args.iter().collect();
        self.method(&call.method.to_string(), receiver, &arguments, &call.method, call.span())
    }

    fn method(
        &mut self,
        name: &str,
        receiver: Expr,
        arguments: &[&syn::Expr],
        blame: &dyn quote::ToTokens,
        span: proc_macro2::Span,
    ) -> Expr {
        let ty = self.deep(&receiver.ty);
        let Some(method) = Method::find(name, &ty) else { return self.no_method(name, &ty, blame) };
        let types = method.arguments(&ty);
        if arguments.len() != types.len() {
            return self.refuse(
                blame,
                format!("`{name}` takes {} arguments, found {}", types.len(), arguments.len()),
            );
        }
        let mut operands = vec![receiver];
        for (argument, wanted) in arguments.iter().zip(&types) {
            operands.push(self.check(argument, wanted));
        }
        typed(ExprKind::Method(method, operands, None), method.output(&ty), span)
    }

    fn no_method(&mut self, name: &str, ty: &Ty, blame: &dyn quote::ToTokens) -> Expr {
        let message = match ty {
            Ty::Error => return typed(ExprKind::Error, Ty::Error, proc_macro2::Span::call_site()),
            Ty::Var(id) if matches!(self.vars[*id], Var::Int | Var::Float) => format!(
                "the type of this number is not known yet, and `{name}` needs it: write it after the number, as in `2.0_f32`"
            ),
            Ty::Var(_) => format!(
                "the type of this value is not known yet, and `{name}` needs it: write `let name: type`"
            ),
            Ty::Params => format!(
                "a program's functions cannot call `self.{name}`: write a free function of the module"
            ),
            _ => {
                let known = Method::names(ty).join(" ");
                let shown = self.show(ty);
                if known.is_empty() {
                    format!("`{shown}` has no method `{name}` in the language of edge programs")
                } else {
                    format!("`{name}` is not a method of `{shown}` that a program can use: there are {known}")
                }
            }
        };
        self.refuse(blame, message)
    }
}

/// The number type and the name behind it, of `u32::MAX`, `<f32>::max`, `std::f32::consts::PI`.
fn number_item(path: &ExprPath) -> Option<(Ty, String)> {
    let name = path.path.segments.last()?.ident.to_string();
    if let Some(qself) = &path.qself {
        let syn::Type::Path(ty) = peel_type(&qself.ty) else { return None };
        return Some((type_name(&ty.path)?, name));
    }
    let segments: Vec<String> = path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    let names: Vec<&str> = segments.iter().map(String::as_str).collect();
    let ty = match names.as_slice() {
        [ty, _] | [ty, "consts", _] | ["std" | "core", ty, _] | ["std" | "core", ty, "consts", _] => {
            primitive(ty)?
        }
        _ => return None,
    };
    Some((ty, name))
}

fn type_name(path: &Path) -> Option<Ty> {
    primitive(&path.get_ident()?.to_string())
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
