//! Emits control flow in twins: as the user wrote it, except that numbers in patterns get type suffixes.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::Lifetime;

use super::body::{Body, keyword};
use super::turns;
use crate::model::{
    Ampersand, Arm, Block, Condition, Elements, Expr, ExprKind, Limits, LoopKind, Pattern, Polling, Range,
    RangeAdapter, Sign, Stmt, Ty,
};

impl Body<'_> {
    pub(super) fn block(&self, block: &Block) -> TokenStream {
        let statements = block.statements.iter().map(|statement| self.statement(statement));
        let tail = block.tail.as_ref().map(|tail| self.expr(tail));
        quote!({ #(#statements)* #tail })
    }

    fn statement(&self, statement: &Stmt) -> TokenStream {
        match statement {
            Stmt::Let(pattern, value) => {
                // With this `else`, the twin also compiles if the pattern is refutable. rustc therefore reports a
                // refutable pattern only in the user's text.
                let asks = can_fail(pattern) && !matches!(value.ty, Ty::Ref(..));
                let otherwise = asks.then(|| quote!(else { ::core::unreachable!() }));
                let (pattern, ty, value) =
                    (self.pattern(pattern), self.type_tokens(&value.ty), self.expr(value));
                let value = if asks { quote!((#value)) } else { value };
                quote!(let #pattern: #ty = #value #otherwise;)
            }
            Stmt::LetElse(pattern, value, otherwise) => {
                let (pattern, ty, value) =
                    (self.pattern(pattern), self.type_tokens(&value.ty), self.expr(value));
                let otherwise = self.block(otherwise);
                // Rust does not allow `}` before `else`.
                quote!(let #pattern: #ty = (#value) else #otherwise;)
            }
            Stmt::Declare(id) => {
                let local = &self.function.locals[*id];
                let (name, ty) = (&local.name, self.type_tokens(&local.ty));
                let mutable = keyword(local.mutability);
                quote!(let #mutable #name: #ty;)
            }
            Stmt::Expr(value) => {
                let value = self.expr(value);
                quote!(let _ = #value;)
            }
        }
    }

    pub(super) fn if_expr(
        &self,
        conditions: &[Condition],
        then: &Block,
        otherwise: Option<&Expr>,
    ) -> TokenStream {
        let (conditions, then) = (self.conditions(conditions), self.block(then));
        let otherwise = otherwise.map(|otherwise| {
            let otherwise = self.expr(otherwise);
            quote!(else { #otherwise })
        });
        quote!((if #conditions #then #otherwise))
    }

    pub(super) fn match_expr(&self, value: &Expr, arms: &[Arm]) -> TokenStream {
        let (value, arms) = (self.expr(value), arms.iter().map(|arm| self.arm(arm)));
        // This last arm makes every `match` exhaustive, so rustc reports missing arms only once, in the user's text.
        quote!((match #value { #(#arms)* _ => ::core::unreachable!() }))
    }

    pub(super) fn labelled(&self, id: usize, block: &Block) -> TokenStream {
        let (label, block) = (label(id), self.block(block));
        quote!((#label: #block))
    }

    pub(super) fn break_expr(&self, id: usize, value: Option<&Expr>) -> TokenStream {
        let (label, value) = (label(id), value.map(|value| self.expr(value)));
        quote!((break #label #value))
    }

    pub(super) fn return_expr(&self, value: &Expr) -> TokenStream {
        let value = self.expr(value);
        quote!(return ::core::result::Result::Ok(#value))
    }

    pub(super) fn try_expr(&self, option: &Expr) -> TokenStream {
        let (option, output) = (self.expr(option), self.type_tokens(&self.function.output));
        let some = Ident::new("some", Span::mixed_site());
        quote! {
            (match #option {
                ::core::option::Option::Some(#some) => #some,
                ::core::option::Option::None => return ::core::result::Result::Ok(<#output>::None),
            })
        }
    }

    fn conditions(&self, conditions: &[Condition]) -> TokenStream {
        let conditions = conditions.iter().map(|condition| match condition {
            Condition::Is(value) => {
                let value = self.expr(value);
                quote!((#value))
            }
            Condition::Let(pattern, value) => {
                let (pattern, value) = (self.pattern(pattern), self.expr(value));
                quote!(let #pattern = (#value))
            }
        });
        quote!(#(#conditions)&&*)
    }

    fn arm(&self, arm: &Arm) -> TokenStream {
        let (pattern, body) = (self.pattern(&arm.pattern), self.expr(&arm.body));
        let guard = arm.guard.as_ref().map(|guard| {
            let guard = self.expr(guard);
            quote!(if #guard)
        });
        quote!(#pattern #guard => { #body })
    }

    pub(super) fn turns(&self, id: usize, kind: &LoopKind, body: &Block, polling: Polling) -> TokenStream {
        let (label, body) = (label(id), self.block(body));
        let turns = turns();
        let poll = (polling == Polling::EveryTurn).then(|| quote!(::wolfpath::twin::go_on(&mut #turns)?;));
        let body = quote!({ #poll #body });
        match kind {
            LoopKind::Forever => quote!((#label: loop #body)),
            LoopKind::While(conditions) => {
                let conditions = self.conditions(conditions);
                quote!((#label: while #conditions #body))
            }
            LoopKind::Over(pattern, range) => {
                let (pattern, range) = (self.pattern(pattern), self.range(range));
                quote!((#label: for #pattern in #range #body))
            }
            LoopKind::Each(number, pattern, array, elements) => {
                let (pattern, array) = (self.pattern(pattern), self.expr(array));
                let lend = match elements {
                    Elements::Copied => None,
                    Elements::Lent => Some(quote!(&)),
                    Elements::LentMutably => Some(quote!(&mut)),
                };
                let Some(number) = number else {
                    return quote!((#label: for #pattern in #lend #array #body));
                };
                let number = self.pattern(number);
                let counted = quote! {
                    ::core::iter::Iterator::enumerate(::core::iter::IntoIterator::into_iter(#lend #array))
                };
                quote!((#label: for (#number, #pattern) in #counted #body))
            }
        }
    }

    fn range(&self, range: &Range) -> TokenStream {
        let (first, end) = (self.expr(&range.first), self.expr(&range.end));
        let plain = match range.limits {
            Limits::Closed => quote!((#first..=#end)),
            Limits::HalfOpen => quote!((#first..#end)),
        };
        range.adapters.iter().fold(plain, |range, adapter| match adapter {
            RangeAdapter::Rev => quote!(::core::iter::Iterator::rev(#range)),
            RangeAdapter::StepBy(width, site) => {
                let width = self.expr(width);
                quote!(::core::iter::Iterator::step_by(#range, ::wolfpath::twin::step(#width, #site)?))
            }
        })
    }

    pub(super) fn pattern(&self, pattern: &Pattern) -> TokenStream {
        match pattern {
            Pattern::Wild => quote!(_),
            Pattern::Bind(id, inner) => {
                let local = &self.function.locals[*id];
                let (name, mutable) = (&local.name, keyword(local.mutability));
                let inner = inner.as_ref().map(|inner| {
                    let inner = self.pattern(inner);
                    quote!(@ #inner)
                });
                quote!(#mutable #name #inner)
            }
            Pattern::Equal(value) => self.constant_pattern(value),
            Pattern::Range(first, end) => {
                let first = first.as_ref().map(|first| self.constant_pattern(first));
                let limits = match end {
                    Some((_, Limits::HalfOpen)) | None => quote!(..),
                    Some((_, Limits::Closed)) => quote!(..=),
                };
                let end = end.as_ref().map(|(end, _)| self.constant_pattern(end));
                quote!(#first #limits #end)
            }
            Pattern::Some(inner) => {
                let inner = self.pattern(inner);
                quote!(::core::option::Option::Some(#inner))
            }
            Pattern::None => quote!(::core::option::Option::None),
            Pattern::Tuple(parts) => {
                let parts = parts.iter().map(|part| self.pattern(part));
                quote!((#(#parts),*))
            }
            Pattern::Array(parts) => {
                let parts = parts.iter().map(|part| self.pattern(part));
                quote!([#(#parts),*])
            }
            Pattern::Struct(of, fields) => {
                let name = match of {
                    Ty::Edge => quote!(::wolfpath::program::Edge),
                    Ty::Vertex(..) => quote!(::wolfpath::program::Vertex),
                    other => self.type_tokens(other),
                };
                let fields = fields.iter().map(|(name, part)| {
                    let part = self.pattern(part);
                    quote!(#name: #part,)
                });
                quote!(#name { #(#fields)* .. })
            }
            Pattern::Variant(index, variant) => {
                let (ty, name) = (
                    self.type_tokens(&Ty::Enum(*index)),
                    &self.program.interface.enums[*index].variants[*variant].0,
                );
                quote!(#ty::#name)
            }
            Pattern::Or(parts) => {
                let parts = parts.iter().map(|part| self.pattern(part));
                quote!((#(#parts)|*))
            }
            Pattern::Behind(Ampersand::Written, inner) => {
                let inner = self.pattern(inner);
                quote!(&#inner)
            }
            Pattern::Behind(Ampersand::Implied, inner) => self.pattern(inner),
        }
    }

    /// Returns a constant in a pattern, where a negative number must not have parentheses.
    fn constant_pattern(&self, value: &Expr) -> TokenStream {
        match &value.kind {
            ExprKind::Int(magnitude, Sign::Minus) => {
                let number = Expr { kind: ExprKind::Int(*magnitude, Sign::Plus), ..value.clone() };
                let number = self.expr(&number);
                quote!(-#number)
            }
            ExprKind::Unary(crate::model::UnaryOp::Neg, inner, _) => {
                let inner = self.expr(inner);
                quote!(-#inner)
            }
            _ => self.expr(value),
        }
    }
}

/// Returns `true` if there may be values that the pattern does not match.
fn can_fail(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Wild | Pattern::Bind(_, None) => false,
        Pattern::Bind(_, Some(inner)) | Pattern::Behind(_, inner) => can_fail(inner),
        Pattern::Tuple(parts) | Pattern::Array(parts) | Pattern::Or(parts) => parts.iter().any(can_fail),
        Pattern::Struct(_, fields) => fields.iter().any(|(_, part)| can_fail(part)),
        Pattern::Equal(_) | Pattern::Range(..) | Pattern::Some(_) | Pattern::None | Pattern::Variant(..) => {
            true
        }
    }
}

pub(super) fn continue_expr(id: usize) -> TokenStream {
    let label = label(id);
    quote!((continue #label))
}

/// Returns the label of a loop or block.
fn label(id: usize) -> Lifetime {
    Lifetime::new(&format!("'turn_{id}"), Span::mixed_site())
}
