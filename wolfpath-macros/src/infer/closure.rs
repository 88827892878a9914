//! Methods of `Option` and `bool` that take a closure. Each call is converted to a `match` or an `if`, since the device
//! has no closures. This module also handles `expect`, and the methods that change the option.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{ExprClosure, ExprMethodCall, Pat, ReturnType, parse_quote};

use super::pattern::Binding;
use super::types::Var;
use super::{Hint, Infer, typed};
use crate::messages::not_taken;
use crate::model::inferred::{Arm, Block, Condition, Expr, ExprKind, Pattern, Stmt, Ty};
use crate::model::{Access, Numbered};
use crate::parse::peel;

impl Infer<'_, '_> {
    /// Returns the converted call, if it calls one of these methods.
    pub(super) fn closure_method(
        &mut self,
        receiver: Expr,
        call: &ExprMethodCall,
        hint: &Hint,
    ) -> Option<Expr> {
        let arguments: Vec<&syn::Expr> = call.args.iter().collect();
        let name = call.method.to_string();
        let span = call.span();
        if name == "then" && *self.deep(&receiver.ty).behind() == Ty::Bool {
            let [body] = arguments.as_slice() else { return None };
            return Some(self.then(receiver, body, span));
        }
        let Ty::Option(of) = self.deep(&receiver.ty).behind().clone() else { return None };
        let receiver = self.behind(receiver);
        let option = OptionValue { value: receiver, of: *of, span };
        Some(match (name.as_str(), arguments.as_slice()) {
            ("map", [body]) => self.map(option, body, hint),
            ("and_then", [body]) => self.and_then(option, body, hint),
            ("is_some_and", [body]) => self.tested(option, body, ExprKind::Bool(false)),
            ("is_none_or", [body]) => self.tested(option, body, ExprKind::Bool(true)),
            ("filter", [body]) => self.filter(option, body),
            ("unwrap_or_else", [body]) => self.unwrap_or_else(option, body),
            ("or_else", [body]) => self.or_else(option, body),
            ("map_or", [otherwise, body]) => self.map_or(option, otherwise, body, hint),
            ("map_or_else", [otherwise, body]) => self.map_or_else(option, otherwise, body, hint),
            ("expect", [text]) => self.expect(option, text),
            ("take", []) => self.replace(call, option, None),
            ("replace", [value]) => self.replace(call, option, Some(value)),
            ("copied" | "cloned", []) => match option.of.clone() {
                Ty::Ref(_, of) => self.copied(option, *of),
                _ => return None,
            },
            _ => return None,
        })
    }

    /// Reads a closure: its pattern, if it has a parameter, and its body. A path to a function is treated as a closure
    /// that calls it.
    fn closure(&mut self, written: &syn::Expr, parameter: Option<&Ty>, hint: &Hint) -> (Pattern, Expr) {
        let called;
        let closure = match (peel(written), parameter) {
            (syn::Expr::Closure(closure), _) => closure,
            (syn::Expr::Path(path), Some(_)) => {
                called = parse_quote!(|value| #path(value));
                &called
            }
            (syn::Expr::Path(path), None) => {
                called = parse_quote!(|| #path());
                &called
            }
            (other, _) => {
                let refused = self.refuse(&other, "expected a closure here, as in `|x| x + 1`");
                return (Pattern::Wild, refused);
            }
        };
        let inputs: Vec<&Pat> = closure.inputs.iter().collect();
        if inputs.len() != usize::from(parameter.is_some()) {
            let message =
                format!("wrong number of closure parameters: expected {}", usize::from(parameter.is_some()));
            return (Pattern::Wild, self.disagree(closure.span(), message));
        }
        self.closures += 1;
        // A closure can neither break out of the loops around it nor continue them.
        let enclosing = std::mem::take(&mut self.enclosing);
        let pattern = match (inputs.first(), parameter) {
            (Some(pattern), Some(ty)) => self.pattern(pattern, ty, Binding::Move),
            _ => Pattern::Wild,
        };
        let hint = match &closure.output {
            ReturnType::Type(_, ty) => Hint::Expect(self.resolve_type(ty)),
            ReturnType::Default => hint.clone(),
        };
        let body = self.expr(&closure.body, &hint);
        self.enclosing = enclosing;
        self.closures -= 1;
        (pattern, body)
    }

    /// Builds `match option { Some(pattern) => some, None => none }`.
    fn choose(&self, option: OptionValue, pattern: Pattern, some: Expr, none: Expr) -> Expr {
        let ty = if some.ty == Ty::Never { none.ty.clone() } else { some.ty.clone() };
        let arms = vec![
            Arm { pattern: Pattern::Some(Box::new(pattern)), guard: None, body: some },
            Arm { pattern: Pattern::None, guard: None, body: none },
        ];
        typed(ExprKind::Match(Box::new(option.value), arms), ty, option.span)
    }

    /// Returns the type that a closure yields. Returns `None` if its body never yields a value and no type is written.
    fn yielded(&mut self, closure: &syn::Expr, body: &Expr) -> Option<Ty> {
        match (&body.ty, peel(closure)) {
            (Ty::Never, syn::Expr::Closure(ExprClosure { output: ReturnType::Type(_, ty), .. })) => {
                Some(self.resolve_type(ty))
            }
            (Ty::Never, _) => None,
            (ty, _) => Some(ty.clone()),
        }
    }

    /// Wraps a closure's value in `Some`, and returns the result with the corresponding `None`. A body that never
    /// yields a value is not wrapped.
    fn some_and_none(&mut self, closure: &syn::Expr, value: Expr, span: Span) -> (Expr, Expr) {
        let of = self.yielded(closure, &value);
        let ty = Ty::option(of.unwrap_or_else(|| self.fresh(Var::Any)));
        let some = match value.ty {
            Ty::Never => value,
            _ => typed(ExprKind::Some(Box::new(value)), ty.clone(), span),
        };
        (some, typed(ExprKind::None, ty, span))
    }

    fn inner_hint(&self, hint: &Hint) -> Hint {
        match self.hinted(hint) {
            Some(Ty::Option(of)) => Hint::Expect(*of),
            _ => Hint::None,
        }
    }

    fn map(&mut self, option: OptionValue, body: &syn::Expr, hint: &Hint) -> Expr {
        let hint = self.inner_hint(hint);
        self.scoped(|infer| {
            let (pattern, value) = infer.closure(body, Some(&option.of), &hint);
            let (some, none) = infer.some_and_none(body, value, option.span);
            infer.choose(option, pattern, some, none)
        })
    }

    fn and_then(&mut self, option: OptionValue, body: &syn::Expr, hint: &Hint) -> Expr {
        self.scoped(|infer| {
            let (pattern, body) = infer.closure(body, Some(&option.of), hint);
            let wanted = Ty::option(infer.fresh(Var::Any));
            infer.coerce(&body, &wanted, body.span);
            let none = typed(ExprKind::None, wanted, option.span);
            infer.choose(option, pattern, body, none)
        })
    }

    /// Reads `is_some_and` and `is_none_or`, which differ in their result for `None`.
    fn tested(&mut self, option: OptionValue, body: &syn::Expr, for_nothing: ExprKind) -> Expr {
        self.scoped(|infer| {
            let (pattern, body) = infer.closure(body, Some(&option.of), &Hint::Expect(Ty::Bool));
            infer.coerce(&body, &Ty::Bool, body.span);
            let none = typed(for_nothing, Ty::Bool, option.span);
            infer.choose(option, pattern, body, none)
        })
    }

    /// Reads `filter`, whose closure gets a reference to the option's content.
    fn filter(&mut self, option: OptionValue, body: &syn::Expr) -> Expr {
        let (span, of) = (option.span, option.of.clone());
        let held = self.hidden("held", of.clone());
        let lent = Ty::Ref(Access::Shared, Box::new(of.clone()));
        self.scoped(|infer| {
            let (pattern, test) = infer.closure(body, Some(&lent), &Hint::Expect(Ty::Bool));
            infer.coerce(&test, &Ty::Bool, test.span);
            let local = typed(ExprKind::Local(held), of.clone(), span);
            let borrow = typed(ExprKind::Borrow(Access::Shared, Box::new(local.clone())), lent, span);
            let ty = Ty::option(of);
            let keep = typed(ExprKind::Some(Box::new(local)), ty.clone(), span);
            let none = typed(ExprKind::None, ty.clone(), span);
            let kept = if test.ty == Ty::Never {
                test
            } else {
                let keep = Self::value_block(keep);
                let kept = ExprKind::If(vec![Condition::Is(test)], keep, Some(Box::new(none.clone())));
                typed(kept, ty, span)
            };
            let ty = kept.ty.clone();
            let statements = vec![Stmt::Let(pattern, borrow)];
            let block = Block { statements, tail: Some(Box::new(kept)), ty: ty.clone(), span };
            let some = typed(ExprKind::Block(block), ty, span);
            infer.choose(option, Pattern::Bind(held, None), some, none)
        })
    }

    /// Binds the option's content to a hidden local.
    fn held(&mut self, option: &OptionValue) -> (Pattern, Expr) {
        let id = self.hidden("held", option.of.clone());
        (Pattern::Bind(id, None), typed(ExprKind::Local(id), option.of.clone(), option.span))
    }

    fn unwrap_or_else(&mut self, option: OptionValue, body: &syn::Expr) -> Expr {
        let (pattern, held) = self.held(&option);
        self.scoped(|infer| {
            let (_, body) = infer.closure(body, None, &Hint::Expect(option.of.clone()));
            infer.coerce(&body, &option.of, body.span);
            infer.choose(option, pattern, held, body)
        })
    }

    fn or_else(&mut self, option: OptionValue, body: &syn::Expr) -> Expr {
        let (pattern, held) = self.held(&option);
        let ty = Ty::option(option.of.clone());
        self.scoped(|infer| {
            let (_, body) = infer.closure(body, None, &Hint::Expect(ty.clone()));
            infer.coerce(&body, &ty, body.span);
            let some = typed(ExprKind::Some(Box::new(held)), ty, option.span);
            infer.choose(option, pattern, some, body)
        })
    }

    /// Reads `map_or`. Rust always evaluates the default, after the option and before the closure.
    fn map_or(&mut self, option: OptionValue, otherwise: &syn::Expr, body: &syn::Expr, hint: &Hint) -> Expr {
        let span = option.span;
        let otherwise = self.operand(otherwise, hint);
        let result = otherwise.ty.clone();
        let (first, second) =
            (self.hidden("option", option.value.ty.clone()), self.hidden("otherwise", result.clone()));
        let local = |id: usize, ty: &Ty| typed(ExprKind::Local(id), ty.clone(), span);
        let kept = OptionValue { value: local(first, &option.value.ty), of: option.of.clone(), span };
        let chosen = self.scoped(|infer| {
            let (pattern, body) = infer.closure(body, Some(&option.of), &Hint::Expect(result.clone()));
            infer.coerce(&body, &result, body.span);
            infer.choose(kept, pattern, body, local(second, &result))
        });
        let statements = vec![
            Stmt::Let(Pattern::Bind(first, None), option.value),
            Stmt::Let(Pattern::Bind(second, None), otherwise),
        ];
        let block = Block { statements, tail: Some(Box::new(chosen)), ty: result.clone(), span };
        typed(ExprKind::Block(block), result, span)
    }

    fn map_or_else(
        &mut self,
        option: OptionValue,
        otherwise: &syn::Expr,
        body: &syn::Expr,
        hint: &Hint,
    ) -> Expr {
        let (_, none) = self.scoped(|infer| infer.closure(otherwise, None, hint));
        self.scoped(|infer| {
            let expected = infer.yielded(otherwise, &none);
            let hint = expected.clone().map_or_else(|| hint.clone(), Hint::Expect);
            let (pattern, body) = infer.closure(body, Some(&option.of), &hint);
            if let Some(expected) = expected {
                infer.coerce(&body, &expected, body.span);
            }
            infer.choose(option, pattern, body, none)
        })
    }

    fn expect(&mut self, option: OptionValue, text: &syn::Expr) -> Expr {
        let said = match peel(text) {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => text.value(),
            other => {
                return self.refuse(
                    &other,
                    not_taken("a text that is computed at run time", "write it as a literal in quotes"),
                );
            }
        };
        let (pattern, held) = self.held(&option);
        let fault = typed(ExprKind::Fault(said, Numbered::NOT_YET), Ty::Never, option.span);
        self.choose(option, pattern, held, fault)
    }

    /// Reads `option.take()` and `option.replace(value)`, which return the old content and store new content.
    fn replace(&mut self, call: &ExprMethodCall, option: OptionValue, value: Option<&&syn::Expr>) -> Expr {
        let (span, ty) = (option.span, Ty::option(option.of.clone()));
        let place = self.place(&call.receiver);
        let place = self.behind(place);
        let new = match value {
            Some(value) => {
                let value = self.check(value, &option.of);
                typed(ExprKind::Some(Box::new(value)), ty.clone(), span)
            }
            None => typed(ExprKind::None, ty.clone(), span),
        };
        let (before, after) = (self.hidden("before", ty.clone()), self.hidden("after", ty.clone()));
        let local = |id: usize| typed(ExprKind::Local(id), ty.clone(), span);
        let assign = typed(ExprKind::Assign(Box::new(place), Box::new(local(after))), Ty::Unit, span);
        let block = Block {
            statements: vec![
                Stmt::Let(Pattern::Bind(after, None), new),
                Stmt::Let(Pattern::Bind(before, None), option.value),
                Stmt::Expr(assign),
            ],
            tail: Some(Box::new(local(before))),
            ty: ty.clone(),
            span,
        };
        typed(ExprKind::Block(block), ty, span)
    }

    /// Converts an `Option<&T>` to an `Option<T>`.
    fn copied(&mut self, option: OptionValue, of: Ty) -> Expr {
        let (pattern, held) = self.held(&option);
        let (ty, span) = (Ty::option(of), option.span);
        let value = self.behind(held);
        let some = typed(ExprKind::Some(Box::new(value)), ty.clone(), span);
        self.choose(option, pattern, some, typed(ExprKind::None, ty, span))
    }

    /// Reads `condition.then(|| value)`.
    fn then(&mut self, condition: Expr, body: &syn::Expr, span: Span) -> Expr {
        let condition = self.behind(condition);
        let (_, value) = self.scoped(|infer| infer.closure(body, None, &Hint::None));
        let (some, none) = self.some_and_none(body, value, span);
        let ty = none.ty.clone();
        let kind =
            ExprKind::If(vec![Condition::Is(condition)], Self::value_block(some), Some(Box::new(none)));
        typed(kind, ty, span)
    }
}

/// An option, and the type of its content.
struct OptionValue {
    value: Expr,
    of: Ty,
    span: Span,
}
