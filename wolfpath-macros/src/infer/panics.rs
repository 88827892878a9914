//! The macros that a program may call: assertions, `panic!` and similar macros, and `matches!`.

use quote::ToTokens;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr as SynExpr, Lit, Macro, Pat, Token};

use super::pattern::Binding;
use super::{Hint, Infer, typed};
use crate::messages::not_taken;
use crate::model::inferred::{Arm, Block, Condition, Expr, ExprKind, Pattern, Ty};
use crate::model::{BinaryOp, Numbered, UnaryOp};

/// The builds of the user's crate in which an assertion is active.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Builds {
    All,
    Debug,
}

impl Builds {
    /// Returns the builds in which the macro of this name is active.
    fn of(name: &str) -> Builds {
        if name.starts_with("debug_") { Builds::Debug } else { Builds::All }
    }
}

impl Infer<'_, '_> {
    pub(super) fn macro_call(&mut self, call: &Macro) -> Expr {
        let name = call.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
        match name.as_str() {
            "panic" => self.panic(call, "explicit panic", ""),
            "unreachable" => {
                self.panic(call, "internal error: entered unreachable code", "internal error: entered unreachable code: ")
            }
            "todo" => self.panic(call, "not yet implemented", "not yet implemented: "),
            "unimplemented" => self.panic(call, "not implemented", "not implemented: "),
            "assert" | "debug_assert" => self.assert(call, Builds::of(&name)),
            "assert_eq" | "debug_assert_eq" => self.assert_pair(call, BinaryOp::Eq, Builds::of(&name)),
            "assert_ne" | "debug_assert_ne" => self.assert_pair(call, BinaryOp::Ne, Builds::of(&name)),
            "matches" => self.matches(call),
            _ => self.refuse(
                &call.path,
                not_taken(
                    &format!("`{name}!`"),
                    "the macros of the language are assert!, assert_eq!, assert_ne!, their debug_ forms, panic!, \
                     unreachable!, todo!, unimplemented! and matches!",
                ),
            ),
        }
    }

    /// Returns the arguments, separated by commas.
    fn macro_arguments(&mut self, call: &Macro) -> Option<Vec<SynExpr>> {
        match Punctuated::<SynExpr, Token![,]>::parse_terminated.parse2(call.tokens.clone()) {
            Ok(arguments) => Some(arguments.into_iter().collect()),
            Err(error) => {
                self.errors.disagreement(call.span(), error);
                None
            }
        }
    }

    /// Returns the message of a panic or an assertion. It must be a literal, since the device cannot format text.
    fn said(&mut self, arguments: &[SynExpr]) -> Option<String> {
        let [text, rest @ ..] = arguments else { return None };
        let SynExpr::Lit(literal) = text else { return self.no_text(text) };
        let Lit::Str(literal) = &literal.lit else { return self.no_text(text) };
        let format = literal.value();
        let plain = format.replace("{{", "").replace("}}", "");
        if plain.contains(['{', '}']) || !rest.is_empty() {
            self.refuse(
                literal,
                "a message must be a fixed text, because the device cannot format values: remove the values; \
                 the error names the line and the vertices",
            );
        }
        Some(format.replace("{{", "{").replace("}}", "}"))
    }

    fn no_text(&mut self, text: &SynExpr) -> Option<String> {
        self.refuse(&text, "expected a string literal");
        None
    }

    fn panic(&mut self, call: &Macro, otherwise: &str, before: &str) -> Expr {
        let Some(arguments) = self.macro_arguments(call) else { return super::error() };
        let message =
            self.said(&arguments).map_or_else(|| otherwise.to_owned(), |said| format!("{before}{said}"));
        typed(ExprKind::Fault(message, Numbered::NOT_YET), Ty::Never, call.span())
    }

    fn assert(&mut self, call: &Macro, builds: Builds) -> Expr {
        let Some(arguments) = self.macro_arguments(call) else { return super::error() };
        let Some((condition, rest)) = arguments.split_first() else {
            return self.disagree(call.span(), "an assertion needs a condition");
        };
        let text = crate::source::text(&condition.to_token_stream());
        let message = self.said(rest).unwrap_or_else(|| format!("assertion failed: {text}"));
        let condition = self.check(condition, &Ty::Bool);
        let span = condition.span;
        let fails = typed(ExprKind::Unary(UnaryOp::Not, Box::new(condition), None), Ty::Bool, span);
        self.fault_if(fails, message, builds, call)
    }

    /// Reads `assert_eq!(left, right)` and `assert_ne!(left, right)`: they fail unless `left op right`.
    fn assert_pair(&mut self, call: &Macro, op: BinaryOp, builds: Builds) -> Expr {
        let Some(arguments) = self.macro_arguments(call) else { return super::error() };
        let [left, right, rest @ ..] = arguments.as_slice() else {
            return self.disagree(call.span(), "this assertion takes two values");
        };
        let said = self.said(rest).map(|said| format!(": {said}")).unwrap_or_default();
        let message = format!("assertion `left {} right` failed{said}", op.symbol());
        let left = self.operand(left, &Hint::None);
        let left = self.behind(left);
        let right_value = self.operand(right, &Hint::Expect(left.ty.clone()));
        let right_value = self.behind(right_value);
        self.coerce(&right_value, &left.ty.clone(), right.span());
        let opposite = if op == BinaryOp::Eq { BinaryOp::Ne } else { BinaryOp::Eq };
        let fails = ExprKind::Binary(opposite, Box::new(left), Box::new(right_value), None);
        self.fault_if(typed(fails, Ty::Bool, call.span()), message, builds, call)
    }

    fn fault_if(&mut self, fails: Expr, message: String, builds: Builds, call: &Macro) -> Expr {
        let span = call.span();
        let fault = typed(ExprKind::Fault(message, Numbered::NOT_YET), Ty::Never, span);
        let then = self.statement_block(fault, span);
        let mut conditions = vec![Condition::Is(fails)];
        if builds == Builds::Debug {
            conditions.insert(0, Condition::Is(typed(ExprKind::Checked, Ty::Bool, span)));
        }
        typed(ExprKind::If(conditions, then, None), Ty::Unit, span)
    }

    /// Reads `matches!(value, pattern if guard)`.
    fn matches(&mut self, call: &Macro) -> Expr {
        let parse = |input: syn::parse::ParseStream<'_>| {
            let value: SynExpr = input.parse()?;
            input.parse::<Token![,]>()?;
            let pattern = Pat::parse_multi_with_leading_vert(input)?;
            let guard = if input.peek(Token![if]) {
                input.parse::<Token![if]>()?;
                Some(input.parse::<SynExpr>()?)
            } else {
                None
            };
            input.parse::<Option<Token![,]>>()?;
            Ok((value, pattern, guard))
        };
        let (value, pattern, guard) = match parse.parse2(call.tokens.clone()) {
            Ok(parts) => parts,
            Err(error) => return self.disagree(call.span(), error),
        };
        let span = call.span();
        let value = self.operand(&value, &Hint::None);
        let fits = self.scoped(|infer| {
            let pattern = infer.pattern(&pattern, &value.ty, Binding::Move);
            let guard = guard.as_ref().map(|guard| infer.check(guard, &Ty::Bool));
            Arm { pattern, guard, body: typed(ExprKind::Bool(true), Ty::Bool, span) }
        });
        let otherwise =
            Arm { pattern: Pattern::Wild, guard: None, body: typed(ExprKind::Bool(false), Ty::Bool, span) };
        typed(ExprKind::Match(Box::new(value), vec![fits, otherwise]), Ty::Bool, span)
    }

    /// Returns a block that yields this value.
    pub(super) fn value_block(value: Expr) -> Block {
        let (ty, span) = (value.ty.clone(), value.span);
        Block { statements: Vec::new(), tail: Some(Box::new(value)), ty, span }
    }
}
