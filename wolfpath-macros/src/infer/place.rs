//! Places: fields, parts, elements, references, and what is assigned to them.

use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{ExprField, ExprIndex, ExprReference, ExprUnary, Member};

use super::{Hint, Infer, typed};
use crate::messages::suggestion;
use crate::model::inferred::{Expr, ExprKind, Ty};
use crate::model::views::view;
use crate::model::{Access, Int, Numbered, Unknown};

impl Infer<'_, '_> {
    /// The value, also where a reference to it stands.
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
                let message = format!("`{}` has no numbered parts", self.show(&ty));
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

    /// Notes what is read of edges and vertices.
    pub(super) fn reads_field(&mut self, of: &Ty, name: &syn::Ident) {
        let field = view(of).iter().find(|field| name == field.name);
        self.reads.noted.extend(field.and_then(|field| field.noted));
    }

    fn no_field(&mut self, ty: &Ty, name: &syn::Ident) -> Expr {
        let known = self.names.field_names(ty);
        let hint = suggestion(&name.to_string(), known.iter().map(String::as_str));
        let message = match (ty, known.is_empty()) {
            (Ty::Unknown(Unknown::Variable(_)), _) => {
                return self.refuse(name, "the type of this value is not known yet: write `let name: type`");
            }
            (_, true) => format!("`{}` has no fields", self.show(ty)),
            _ => format!("`{}` has no field `{name}`{hint}: it has {}", self.show(ty), known.join(", ")),
        };
        self.disagree(name.span(), message)
    }

    pub(super) fn index(&mut self, index: &ExprIndex) -> Expr {
        let base = self.operand(&index.expr, &Hint::None);
        let base = self.behind(base);
        let of = match self.shallow(&base.ty) {
            Ty::Array(of, _) => *of,
            Ty::REFUSED => return super::error(),
            other => {
                let message = format!("`{}` is not an array, so it has no elements", self.show(&other));
                return self.disagree(index.expr.span(), message);
            }
        };
        if let syn::Expr::Range(range) = crate::parse::peel(&index.index) {
            return self.refuse(&range, "an edge program has no slices: read one element at a time");
        }
        let at = self.check(&index.index, &Ty::Int(Int::Usize));
        typed(ExprKind::Index(Box::new(base), Box::new(at), Numbered::NOT_YET), of, index.span())
    }

    /// `&place` and `&mut place`.
    pub(super) fn reference(&mut self, reference: &ExprReference, hint: &Hint) -> Expr {
        let access = Access::of(reference.mutability.as_ref());
        let hint = match self.hinted(hint) {
            Some(Ty::Ref(_, of)) => Hint::Expect(*of),
            _ => Hint::None,
        };
        let of = match access {
            Access::Mutable => self.place(&reference.expr),
            Access::Shared => self.operand(&reference.expr, &hint),
        };
        // A reference to a reference serves as one to the value.
        let of = self.behind(of);
        let ty = Ty::Ref(access, Box::new(of.ty.clone()));
        typed(ExprKind::Borrow(access, Box::new(of)), ty, reference.span())
    }

    /// `*reference`
    pub(super) fn deref(&mut self, unary: &ExprUnary) -> Expr {
        let reference = self.operand(&unary.expr, &Hint::None);
        match self.shallow(&reference.ty) {
            Ty::Ref(_, of) => typed(ExprKind::Deref(Box::new(reference)), *of, unary.span()),
            Ty::REFUSED => super::error(),
            other => {
                let message =
                    format!("`{}` is not a reference, so `*` finds nothing behind it", self.show(&other));
                self.disagree(unary.span(), message)
            }
        }
    }

    pub(super) fn assign(&mut self, assign: &syn::ExprAssign) -> Expr {
        if let syn::Expr::Infer(_) = &*assign.left {
            let value = self.operand(&assign.right, &Hint::None);
            let block = self.statement_block(value, assign.span());
            return typed(ExprKind::Block(block), Ty::Unit, assign.span());
        }
        if let syn::Expr::Tuple(_) | syn::Expr::Array(_) | syn::Expr::Struct(_) = &*assign.left {
            return self.refuse(
                &assign.left,
                "an edge program assigns to one place at a time: take the value apart by `let` first",
            );
        }
        let place = self.place(&assign.left);
        if matches!(self.shallow(&place.ty), Ty::Ref(..)) {
            return self.refuse(
                &assign.left,
                "a reference stays with its place: write `*` to change what it refers to",
            );
        }
        let value = self.check(&assign.right, &place.ty.clone());
        typed(ExprKind::Assign(Box::new(place), Box::new(value)), Ty::Unit, assign.span())
    }

    /// What can be assigned to or lent for change: a local, what a `&mut` refers to, and parts of these.
    pub(super) fn place(&mut self, expr: &syn::Expr) -> Expr {
        let place = self.operand(expr, &Hint::None);
        // Through a reference, what counts is the reference.
        let mut lent = None;
        let mut root = &place;
        while let ExprKind::Field(base, _)
        | ExprKind::Part(base, _)
        | ExprKind::Index(base, ..)
        | ExprKind::Deref(base) = &root.kind
        {
            lent = lent.or(match (&root.kind, self.shallow(&base.ty)) {
                (ExprKind::Deref(_), Ty::Ref(access, _)) => Some(access),
                _ => None,
            });
            root = base;
        }
        match root.kind {
            ExprKind::Local(id) => {
                let local = &self.locals[id];
                if let Ty::Ref(access, _) = self.shallow(&local.ty) {
                    lent = lent.or(Some(access));
                }
                let changes =
                    lent.map_or(local.mutable || self.deferred.contains(&id), |lent| lent == Access::Mutable);
                if !changes {
                    let message = format!("`{}` cannot be changed: declare it by `let mut`", local.name);
                    self.errors.disagreement(expr.span(), message);
                }
                place
            }
            ExprKind::Refused(_) => place,
            ExprKind::Params => self.disagree(
                expr.span(),
                "the fields of a program are the same for every edge: copy what changes into a `let mut`",
            ),
            _ => self.refuse(&expr.to_token_stream(), "only a local `let mut` and its parts can be changed"),
        }
    }
}
