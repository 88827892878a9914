//! Infers calls of functions: functions of the module, `Some`, `random`, and functions of the number types.

use proc_macro2::Span;
use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{ExprCall, ExprPath, Token};

use super::expr::ends;
use super::numbers::number_item;
use super::{Hint, Infer, typed};
use crate::messages::suggestion;
use crate::model::Int;
use crate::model::inferred::{Expr, ExprKind, Ty};
use crate::parse::peel;

/// Name of the built-in function that returns random numbers.
const RANDOM: &str = "random";

type Arguments = Punctuated<syn::Expr, Token![,]>;

impl Infer<'_, '_> {
    pub(super) fn call(&mut self, call: &ExprCall, hint: &Hint) -> Expr {
        let syn::Expr::Path(path) = peel(&call.func) else {
            return self
                .refuse(&call.func, "an edge program can call only functions of its module, by their names");
        };
        if ends(&path.path, "Some")
            && (path.path.segments.len() == 1 || path.path.segments[0].ident == "Option")
        {
            return self.some(call, hint);
        }
        if let Some(name) = path.path.get_ident().filter(|_| path.qself.is_none()) {
            return self.free_call(name, call);
        }
        if names_random(path) {
            return self.random(path, call);
        }
        if let Some((owner, name)) = self.owner_of(path) {
            return self.associated_call(&owner, &name, call);
        }
        if let Some(name) = comparison(path) {
            let arguments: Vec<&syn::Expr> = call.args.iter().collect();
            let [receiver, rest @ ..] = arguments.as_slice() else {
                return self.disagree(call.span(), "this function takes two arguments");
            };
            let receiver = self.operand(receiver, hint);
            return self.method(name, receiver, rest, &call.func, call.span());
        }
        match number_item(path) {
            Some((ty, name)) => self.number_call(&ty, &name, call),
            None => self.refuse(
                &call.func,
                "this function is outside the module, where the macro cannot see it: move it into the module",
            ),
        }
    }

    fn some(&mut self, call: &ExprCall, hint: &Hint) -> Expr {
        let [argument] = call.args.iter().collect::<Vec<_>>()[..] else {
            return self.disagree(call.span(), "`Some` takes one argument");
        };
        let hint = match self.hinted(hint) {
            Some(Ty::Option(of)) => Hint::Expect(*of),
            _ => Hint::None,
        };
        let inner = self.operand(argument, &hint);
        let ty = Ty::option(inner.ty.clone());
        typed(ExprKind::Some(Box::new(inner)), ty, call.span())
    }

    /// Reads a call of `wolfpath::program::random`.
    fn random(&mut self, path: impl ToTokens, call: &ExprCall) -> Expr {
        const U64: Ty = Ty::Int(Int::U64);
        let arguments = self.arguments(&call.args, &[U64; 3], call.span());
        typed(ExprKind::Random(path.into_token_stream(), arguments), U64, call.span())
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
            return self.refuse(name, "an edge program has no `Result`: write `Some` or `None`");
        }
        let Some(index) = self.names.function(None, &text) else {
            if text == RANDOM {
                return self.random(name, call);
            }
            let mut known: Vec<String> =
                self.names.functions.iter().map(|known| known.name.to_string()).collect();
            known.push(RANDOM.into());
            let hint = suggestion(&text, known.iter().map(String::as_str));
            let message = if self.names.is_function {
                format!(
                    "`{name}` is not known to the program: the macro sees only this function; to call helpers, \
                     use the module form"
                )
            } else {
                format!(
                    "`{name}` is not a function of this module{hint}: the macro sees only this module, so move \
                     the function into it"
                )
            };
            return self.refuse(name, message);
        };
        let inputs = self.names.functions[index].inputs.clone();
        let arguments = self.arguments(&call.args, &inputs, call.span());
        typed(ExprKind::Call(index, arguments), self.names.functions[index].output.clone(), call.span())
    }

    /// Reads `Pair::new(1, 2)`, `Self::helper(self, x)`.
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
            let message =
                format!("wrong number of arguments: expected {}, found {}", types.len(), written.len());
            self.errors.disagreement(span, message);
        }
        let read = |(argument, ty)| {
            let value = self.check(argument, ty);
            self.of_one_place(value, argument, "a reference argument")
        };
        written.iter().zip(types).map(read).collect()
    }
}

/// Returns `true` if a path names `wolfpath::program::random` by its module.
fn names_random(path: &ExprPath) -> bool {
    let plain = path.qself.is_none() && path.path.segments.iter().all(|segment| segment.arguments.is_none());
    let names: Vec<String> = path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    plain && matches!(names.as_slice(), ["wolfpath", "program", RANDOM] | ["program", RANDOM])
}

/// Returns the method that corresponds to `std::cmp::min` or `std::cmp::max`.
fn comparison(path: &ExprPath) -> Option<&'static str> {
    let names: Vec<String> = path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    match names.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["std" | "core", "cmp", "min"] | ["cmp", "min"] => Some("min"),
        ["std" | "core", "cmp", "max"] | ["cmp", "max"] => Some("max"),
        _ => None,
    }
}
