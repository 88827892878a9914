//! Infers tuples, arrays, structs, references, assignments, and places (expressions that can be assigned to or
//! borrowed).

use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{ExprIndex, ExprReference, ExprStruct, ExprUnary, Member};

use super::types::Var;
use super::{Hint, Infer, typed};
use crate::messages::suggestion;
use crate::model::inferred::{Expr, ExprKind, Ty};
use crate::model::{Access, Int, Mutability, Numbered};

impl Infer<'_, '_> {
    pub(super) fn tuple(&mut self, tuple: &syn::ExprTuple, hint: &Hint) -> Expr {
        let span = tuple.span();
        match tuple.elems.len() {
            0 => return typed(ExprKind::Unit, Ty::Unit, span),
            2..=8 => {}
            _ => {
                return self.refuse(
                    &tuple,
                    "a tuple of an edge program must have two to eight parts: declare a struct instead",
                );
            }
        }
        let hints: Vec<Hint> = match self.hinted(hint) {
            Some(Ty::Tuple(parts)) => parts.into_iter().map(Hint::Expect).collect(),
            _ => Vec::new(),
        };
        let parts: Vec<Expr> = tuple
            .elems
            .iter()
            .enumerate()
            .map(|(index, part)| self.operand(part, hints.get(index).unwrap_or(&Hint::None)))
            .collect();
        let ty = Ty::Tuple(parts.iter().map(|part| part.ty.clone()).collect());
        typed(ExprKind::Tuple(parts), ty, span)
    }

    /// Returns the expected type of an array's elements, or a new type variable if no type is expected.
    fn element(&mut self, hint: &Hint) -> Ty {
        match self.hinted(hint) {
            Some(Ty::Array(of, _)) => *of,
            _ => self.fresh(Var::Any),
        }
    }

    pub(super) fn array(&mut self, array: &syn::ExprArray, hint: &Hint) -> Expr {
        if array.elems.is_empty() {
            return self.refuse(&array, "an array of an edge program must have at least one element");
        }
        let of = self.element(hint);
        let elements: Vec<Expr> = array.elems.iter().map(|element| self.check(element, &of)).collect();
        let ty = Ty::Array(Box::new(of), elements.len() as u64);
        typed(ExprKind::Array(elements), ty, array.span())
    }

    pub(super) fn repeat(&mut self, repeat: &syn::ExprRepeat, hint: &Hint) -> Expr {
        let of = self.element(hint);
        let value = self.check(&repeat.expr, &of);
        let Some(length) = self.names.length(&repeat.len, self.errors) else { return super::error() };
        typed(ExprKind::Repeat(Box::new(value)), Ty::Array(Box::new(of), length), repeat.span())
    }

    /// Returns the struct that a path names: a struct of the module, or `Self`.
    pub(super) fn struct_of(&self, path: &syn::Path) -> Option<usize> {
        let name = path.get_ident()?;
        let ty = if name == "Self" { self.owner.clone()? } else { self.names.own_type(name)? };
        match ty {
            Ty::Struct(index) => Some(index),
            _ => None,
        }
    }

    pub(super) fn struct_value(&mut self, value: &ExprStruct) -> Expr {
        let Some(index) = self.struct_of(&value.path) else {
            let names: Vec<String> = self.names.structs.iter().map(|item| item.name.to_string()).collect();
            let written = value.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
            let hint = suggestion(&written, names.iter().map(String::as_str));
            let message = format!("this is not a struct of data declared in the module of the program{hint}");
            return self.refuse(&value.path, message);
        };
        let mut fields = Vec::new();
        for written in &value.fields {
            let Member::Named(name) = &written.member else { continue };
            let Some(ty) = self.names.field_type(&Ty::Struct(index), &name.to_string()) else {
                let message = format!("`{}` has no field `{name}`", self.names.structs[index].name);
                self.errors.disagreement(name.span(), message);
                continue;
            };
            fields.push((name.clone(), self.check(&written.expr, &ty)));
        }
        let rest = value.rest.as_ref().map(|rest| Box::new(self.check(rest, &Ty::Struct(index))));
        if rest.is_none() {
            self.missing_fields(index, &fields, value);
        }
        typed(ExprKind::Struct(index, fields, rest), Ty::Struct(index), value.span())
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
            let message = format!("missing {} in a value of `{}`", missing.join(", "), item.name);
            self.errors.disagreement(value.path.span(), message);
        }
    }

    pub(super) fn index(&mut self, index: &ExprIndex) -> Expr {
        let base = self.operand(&index.expr, &Hint::None);
        let base = self.behind(base);
        let of = match self.shallow(&base.ty) {
            Ty::Array(of, _) => *of,
            Ty::REFUSED => return super::error(),
            other => {
                let message = format!("`{}` is not an array, so it cannot be indexed", self.show(&other));
                return self.disagree(index.expr.span(), message);
            }
        };
        if let syn::Expr::Range(range) = crate::parse::peel(&index.index) {
            return self.refuse(&range, "an edge program has no slices: read one element at a time");
        }
        let at = self.check(&index.index, &Ty::Int(Int::Usize));
        typed(ExprKind::Index(Box::new(base), Box::new(at), Numbered::NOT_YET), of, index.span())
    }

    /// Reads `&place` and `&mut place`.
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
        // A reference to a reference becomes a reference to the value.
        let of = self.behind(of);
        let ty = Ty::Ref(access, Box::new(of.ty.clone()));
        typed(ExprKind::Borrow(access, Box::new(of)), ty, reference.span())
    }

    /// Reads `*reference`.
    pub(super) fn deref(&mut self, unary: &ExprUnary) -> Expr {
        let reference = self.operand(&unary.expr, &Hint::None);
        match self.shallow(&reference.ty) {
            Ty::Ref(_, of) => typed(ExprKind::Deref(Box::new(reference)), *of, unary.span()),
            Ty::REFUSED => super::error(),
            other => {
                let message =
                    format!("`{}` is not a reference, so `*` cannot dereference it", self.show(&other));
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
                "an edge program assigns to one place at a time: destructure the value by `let` first",
            );
        }
        let place = self.place(&assign.left);
        if matches!(self.shallow(&place.ty), Ty::Ref(..)) {
            return self.refuse(
                &assign.left,
                "a reference cannot be changed to another place: write `*` to change the value that it refers to",
            );
        }
        let value = self.check(&assign.right, &place.ty.clone());
        typed(ExprKind::Assign(Box::new(place), Box::new(value)), Ty::Unit, assign.span())
    }

    /// Returns a place that can be assigned to or borrowed mutably: a local, the target of a `&mut`, or a part of
    /// these.
    pub(super) fn place(&mut self, expr: &syn::Expr) -> Expr {
        let place = self.operand(expr, &Hint::None);
        // If the place is behind a reference, the reference's mutability determines whether it can be changed.
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
                let assigned = local.mutability == Mutability::Mutable || self.deferred.contains(&id);
                let changes = lent.map_or(assigned, |lent| lent == Access::Mutable);
                if !changes {
                    let message = format!("`{}` cannot be changed: declare it by `let mut`", local.name);
                    self.errors.disagreement(expr.span(), message);
                }
                place
            }
            ExprKind::Refused(_) => place,
            ExprKind::Params => self.disagree(
                expr.span(),
                "the fields of a program cannot be changed, since all edges share them: copy the field into a \
                 `let mut`",
            ),
            _ => self.refuse(&expr.to_token_stream(), "only a local `let mut` and its parts can be changed"),
        }
    }
}
