//! Calls: of the module's functions and methods, of the number types' functions, of the table's methods.

use proc_macro2::Span;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{ExprCall, ExprMethodCall, ExprPath, Token};

use super::path::{ends, number_item};
use super::unify::Var;
use super::{Hint, Infer, typed};
use crate::messages::suggestion;
use crate::methods::Method;
use crate::model::{BinaryOp, Expr, ExprKind, Float, Int, Pattern, Stmt, Ty};
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
            return if self.locals[id].ty == Ty::Error {
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
            return self.refuse(
                name,
                format!(
                    "`{name}` is not a function of this module{hint}: the macro sees nothing else, so move it here"
                ),
            );
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

    fn arguments(&mut self, written: &Arguments, types: &[Ty], span: Span) -> Vec<Expr> {
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
            let types = function.arguments(ty, || Ty::Error);
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
        if from == Ty::Error || (&from == ty) {
            return Expr { span: call.span(), ..inner };
        }
        if is_lossless(&from, ty) {
            return typed(ExprKind::Cast(Box::new(inner)), ty.clone(), call.span());
        }
        let (from, ty) = (self.show(&from), self.show(ty));
        self.disagree(call.span(), format!("`{ty}::from` does not take `{from}`: write `as {ty}`"))
    }

    pub(super) fn method_call(&mut self, call: &ExprMethodCall, hint: &Hint) -> Expr {
        if let syn::Expr::Range(range) = peel(&call.receiver) {
            return self.range_method(range, call);
        }
        if let Some(turbofish) = &call.turbofish {
            return self.disagree(turbofish.span(), "methods of a program take no type arguments");
        }
        if let Some(read) = self.input_call(call) {
            return read;
        }
        let receiver = self.operand(&call.receiver, &Hint::None);
        if let Some(own) = self.own_method(&receiver, call) {
            return own;
        }
        if let Some(inlined) = self.closure_method(receiver.clone(), call, hint) {
            return inlined;
        }
        let arguments: Vec<&syn::Expr> = call.args.iter().collect();
        self.method(&call.method.to_string(), receiver, &arguments, &call.method, call.span())
    }

    /// A method of a type of the module, or of the program itself.
    fn own_method(&mut self, receiver: &Expr, call: &ExprMethodCall) -> Option<Expr> {
        let ty = self.deep(&receiver.ty).behind().clone();
        let index = self.names.function(Some(&ty), &call.method.to_string())?;
        let prototype = &self.names.functions[index];
        if !prototype.takes_self {
            let message =
                format!("`{}` has no `self`: call it as `{}::{0}(..)`", call.method, self.names.show(&ty));
            return Some(self.disagree(call.method.span(), message));
        }
        let inputs = prototype.inputs.clone();
        let receiver = match &inputs[0] {
            Ty::Ref(mutable, _) => {
                let place = if *mutable { self.place(&call.receiver) } else { receiver.clone() };
                let place = self.behind(place);
                let (lent, span) = (Ty::Ref(*mutable, Box::new(ty)), place.span);
                typed(ExprKind::Borrow(*mutable, Box::new(place)), lent, span)
            }
            _ => self.behind(receiver.clone()),
        };
        let mut arguments = vec![receiver];
        arguments.extend(self.arguments(&call.args, &inputs[1..], call.span()));
        Some(typed(ExprKind::Call(index, arguments), self.names.functions[index].output.clone(), call.span()))
    }

    /// A method of the table.
    pub(super) fn method(
        &mut self,
        name: &str,
        receiver: Expr,
        arguments: &[&syn::Expr],
        blame: &dyn quote::ToTokens,
        span: Span,
    ) -> Expr {
        let receiver = self.behind(receiver);
        let ty = self.deep(&receiver.ty);
        if let (Ty::Array(_, length), "len", []) = (&ty, name, arguments) {
            return typed(ExprKind::Int(u128::from(*length), false), Ty::Int(Int::Usize), span);
        }
        let Some(method) = Method::find(name, &ty) else { return self.no_method(name, &ty, blame) };
        let types = method.arguments(&ty, || self.fresh(Var::Any));
        if arguments.len() != types.len() {
            let message = format!("`{name}` takes {} arguments, found {}", types.len(), arguments.len());
            return self.disagree(span, message);
        }
        let mut operands = vec![receiver];
        for (argument, wanted) in arguments.iter().zip(&types) {
            operands.push(self.check(argument, wanted));
        }
        let output = method.output(&ty, &types);
        typed(ExprKind::Method(method, operands, None, blame.span()), output, span)
    }

    fn no_method(&mut self, name: &str, ty: &Ty, blame: &dyn quote::ToTokens) -> Expr {
        let message = match ty {
            Ty::Error => return super::error(),
            Ty::Var(_) => {
                let message = format!("the type of this value is not known yet, and `{name}` needs it");
                return self.disagree(blame.span(), message);
            }
            Ty::Params if super::PROGRAM_FUNCTIONS.contains(&name) => format!(
                "`{name}` is for the engines to call: write what it shares with this function as a helper, and call \
                 that from both"
            ),
            Ty::Params => {
                format!(
                    "the program has no method `{name}`: write it in an `impl` of its struct, or as a free function"
                )
            }
            Ty::Array(..) if matches!(name, "iter" | "iter_mut" | "into_iter") => {
                "an edge program walks over an array by `for`: there are no iterators to be summed, mapped or kept".into()
            }
            _ if name == "into" => "write the type that it becomes, as in `u64::from(x)`".into(),
            _ if name == "clone" => "all values of an edge program are `Copy`: use the value itself".into(),
            _ => {
                let (shown, similar) = (self.show(ty), Method::similar(name, ty).join("`, `"));
                if !Method::any(ty) {
                    format!("`{shown}` has no method `{name}` in the language of edge programs")
                } else if similar.is_empty() {
                    format!(
                        "`{name}` is not a method of `{shown}` that a program can use: docs/methods.md lists them"
                    )
                } else {
                    format!(
                        "`{name}` is not a method of `{shown}` that a program can use: is `{similar}` meant?"
                    )
                }
            }
        };
        // rustc knows no such method either, unless it is one of those that the language leaves out: all of slices, say.
        let elsewhere =
            matches!(ty, Ty::Params | Ty::Edge | Ty::Vertex(_) | Ty::Array(..)) || LEFT_OUT.contains(&name);
        if elsewhere { self.refuse(blame, message) } else { self.disagree(blame.span(), message) }
    }

    /// `(first..end).contains(&value)`: the value is looked at twice, so it gets a name.
    pub(super) fn contains(
        &mut self,
        first: &syn::Expr,
        end: &syn::Expr,
        closed: bool,
        value: &syn::Expr,
        call: &ExprMethodCall,
    ) -> Expr {
        let span = call.span();
        let first = self.operand(first, &Hint::None);
        let ty = first.ty.clone();
        let end = self.check(end, &ty);
        let value = self.operand(value, &Hint::Expect(Ty::Ref(false, Box::new(ty.clone()))));
        let value = self.behind(value);
        self.coerce(&value, &ty, span);
        let ids = ["first", "end", "contained"].map(|name| self.hidden(name, ty.clone()));
        let statements = ids
            .into_iter()
            .zip([first, end, value])
            .map(|(id, value)| Stmt::Let(Pattern::Bind(id, None), value));
        let local = |id: usize| Box::new(typed(ExprKind::Local(id), ty.clone(), span));
        let compare = |left, op, right| {
            let kind = ExprKind::Binary(op, local(left), local(right), None);
            Box::new(typed(kind, Ty::Bool, span))
        };
        let below = if closed { BinaryOp::Le } else { BinaryOp::Lt };
        let [first, end, value] = ids;
        let both = ExprKind::Logic(true, compare(first, BinaryOp::Le, value), compare(value, below, end));
        let mut block = Self::value_block(typed(both, Ty::Bool, span));
        block.statements = statements.collect();
        typed(ExprKind::Block(block), Ty::Bool, span)
    }
}

/// Methods of Rust's numbers, arrays and options that the language does not have.
const LEFT_OUT: [&str; 48] = [
    "as_deref",
    "as_mut",
    "as_ref",
    "as_slice",
    "borrow",
    "borrow_mut",
    "chunks",
    "clone",
    "cmp",
    "each_mut",
    "each_ref",
    "eq",
    "fill",
    "first",
    "ge",
    "get",
    "get_mut",
    "get_or_insert",
    "get_or_insert_with",
    "gt",
    "hash",
    "insert",
    "inspect",
    "into",
    "iter",
    "iter_mut",
    "last",
    "le",
    "lt",
    "map_while",
    "ne",
    "ok_or",
    "ok_or_else",
    "partial_cmp",
    "reverse",
    "sort",
    "sort_unstable",
    "swap",
    "to_be_bytes",
    "to_le_bytes",
    "to_ne_bytes",
    "to_owned",
    "to_string",
    "total_cmp",
    "try_into",
    "unwrap_unchecked",
    "windows",
    "write",
];

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
        _ => ExprKind::Int(0, false),
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
