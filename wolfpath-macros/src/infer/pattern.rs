//! Infers patterns and `match`.

use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{ExprMatch, Pat, PatIdent, Path};

use super::types::Var;
use super::{Hint, Infer, typed};
use crate::messages::{mismatch, not_taken};
use crate::model::inferred::{Arm, Expr, ExprKind, Pattern, Ty};
use crate::model::{Access, Ampersand, Limits, Mutability, Unknown};

/// The way in which the names of a pattern are bound.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Binding {
    Move,
    /// By reference, since the value is a reference.
    Ref(Access),
}

impl Infer<'_, '_> {
    pub(super) fn match_expr(&mut self, choice: &ExprMatch, hint: &Hint) -> Expr {
        let value = self.operand(&choice.expr, &Hint::None);
        if choice.arms.is_empty() {
            return self.refuse(&choice, "a `match` needs at least one arm");
        }
        let (mut ty, mut arms) = (Ty::Never, Vec::new());
        for arm in &choice.arms {
            let arm = self.scoped(|infer| {
                let pattern = infer.pattern(&arm.pat, &value.ty, Binding::Move);
                let guard = arm.guard.as_ref().map(|(_, guard)| infer.check(guard, &Ty::Bool));
                let body = infer.expr(&arm.body, hint);
                ty = infer.join(&ty, &body, super::tail_of(&arm.body).span());
                Arm { pattern, guard, body }
            });
            arms.push(arm);
        }
        typed(ExprKind::Match(Box::new(value), arms), ty, choice.span())
    }

    /// Returns the pattern for a value of this type. Its names are declared in the innermost scope.
    pub(super) fn pattern(&mut self, pattern: &Pat, ty: &Ty, binding: Binding) -> Pattern {
        let ty = self.shallow(ty);
        if let Ty::Ref(access, of) = &ty
            && self.looks_behind(pattern)
        {
            let through =
                if binding == Binding::Ref(Access::Shared) { binding } else { Binding::Ref(*access) };
            return Pattern::Behind(Ampersand::Implied, Box::new(self.pattern(pattern, of, through)));
        }
        if ty == Ty::REFUSED && !matches!(pattern, Pat::Ident(_)) {
            return self.no_pattern(pattern, &ty);
        }
        match pattern {
            Pat::Paren(paren) => self.pattern(&paren.pat, &ty, binding),
            Pat::Wild(_) => Pattern::Wild,
            Pat::Ident(name) => self.name_pattern(name, &ty, binding),
            Pat::Lit(literal) => Pattern::Equal(Box::new(self.check(&syn::Expr::Lit(literal.clone()), &ty))),
            Pat::Range(range) => self.range_pattern(range, &ty),
            Pat::Or(or) => self.alternatives(or, &ty, binding),
            Pat::Path(path) => self.path_pattern(&path.path, pattern, &ty),
            Pat::TupleStruct(some) => self.some_pattern(some, &ty, binding),
            Pat::Tuple(tuple) => self.tuple_pattern(tuple, &ty, binding),
            Pat::Slice(slice) => self.array_pattern(slice, &ty, binding),
            Pat::Struct(fields) => self.struct_pattern(fields, &ty, binding),
            Pat::Reference(reference) => match &ty {
                Ty::Ref(_, of) => Pattern::Behind(
                    Ampersand::Written,
                    Box::new(self.pattern(&reference.pat, of, Binding::Move)),
                ),
                _ => self.no_pattern(pattern, &ty),
            },
            Pat::Type(written) => {
                let wanted = self.resolve_type(&written.ty);
                if !self.unify(&ty, &wanted) {
                    let message = mismatch(&self.show(&wanted), &self.show(&ty));
                    self.errors.disagreement(written.span(), message);
                }
                self.pattern(&written.pat, &wanted, binding)
            }
            other => {
                self.refuse(
                    other,
                    "this pattern is not part of the language of edge programs: see the table in docs/programming.md",
                );
                Pattern::Wild
            }
        }
    }

    /// Returns `true` if a pattern for a reference applies to the value behind the reference. A name does not, unless
    /// it is `None` or a constant.
    fn looks_behind(&self, pattern: &Pat) -> bool {
        match pattern {
            Pat::Ident(name) => name.subpat.is_none() && self.is_value(&name.ident.to_string()),
            Pat::Wild(_) | Pat::Reference(_) | Pat::Paren(_) | Pat::Type(_) => false,
            _ => true,
        }
    }

    /// Returns `true` if a pattern compares the value with this name instead of binding it.
    fn is_value(&self, name: &str) -> bool {
        name == "None" || self.names.constant(None, name).is_some()
    }

    fn no_pattern(&mut self, pattern: &Pat, ty: &Ty) -> Pattern {
        if *ty != Ty::REFUSED {
            let message = format!("this pattern does not fit a value of type `{}`", self.show(ty));
            self.errors.disagreement(pattern.span(), message);
        }
        // Declares the pattern's names anyway, so that one mistake gives only one message.
        for name in names_of(pattern) {
            self.bind_name(&name.ident, Ty::REFUSED, Mutability::Fixed);
        }
        Pattern::Wild
    }

    fn name_pattern(&mut self, name: &PatIdent, ty: &Ty, binding: Binding) -> Pattern {
        if let Some(by_ref) = &name.by_ref {
            self.refuse(
                by_ref,
                not_taken(
                    "`ref`",
                    "values are copied; pass the whole value by `&` if a helper needs a reference",
                ),
            );
        }
        let text = name.ident.to_string();
        if text == "None" && name.subpat.is_none() {
            return self.none_pattern(ty, &name.ident);
        }
        if let Some(index) = self.names.constant(None, &text).filter(|_| name.subpat.is_none()) {
            let constant = typed(ExprKind::Const(index), self.names.consts[index].ty.clone(), name.span());
            self.coerce(&constant, ty, name.span());
            return Pattern::Equal(Box::new(constant));
        }
        if text.starts_with(char::is_uppercase) {
            // rustc may interpret the name as a constant to compare with. The macro and rustc would then disagree.
            let message = self.no_constant(&text);
            self.refuse(&name.ident, message);
        }
        let bound = match binding {
            Binding::Move => ty.clone(),
            Binding::Ref(access) => Ty::Ref(access, Box::new(ty.clone())),
        };
        let id = self.bind_name(&name.ident, bound, Mutability::of(name.mutability.as_ref()));
        let inner = name.subpat.as_ref().map(|(_, inner)| Box::new(self.pattern(inner, ty, binding)));
        Pattern::Bind(id, inner)
    }

    /// Returns the message about a capitalised name in a pattern that is not a constant of the module.
    fn no_constant(&self, name: &str) -> String {
        let has = |item: &&crate::model::Enum| item.variants.iter().any(|(variant, _)| variant == name);
        match self.names.enums.iter().find(has) {
            Some(item) => {
                format!("write `{}::{name}`: the macro would take the name alone for a new local", item.name)
            }
            None => format!(
                "`{name}` is not a constant of this module: move the constant here, or write a local in lower case"
            ),
        }
    }

    /// Declares a name. In the later alternatives of a pattern, returns the local that the first alternative declared.
    fn bind_name(&mut self, name: &syn::Ident, ty: Ty, mutability: Mutability) -> usize {
        let text = name.to_string();
        let known =
            self.alternative.as_ref().and_then(|first| first.iter().find(|(known, _)| *known == text));
        match known {
            Some(&(_, id)) => {
                let first = self.locals[id].ty.clone();
                if !self.unify(&first, &ty) {
                    let message = mismatch(&self.show(&first), &self.show(&ty));
                    self.errors.disagreement(name.span(), message);
                }
                id
            }
            None => self.declare(name, ty, mutability),
        }
    }

    fn none_pattern(&mut self, ty: &Ty, blame: &dyn ToTokens) -> Pattern {
        let of = self.fresh(Var::Any);
        if !self.unify(ty, &Ty::option(of)) {
            let message = format!("`None` does not fit a value of type `{}`", self.show(ty));
            self.errors.disagreement(blame.span(), message);
        }
        Pattern::None
    }

    fn range_pattern(&mut self, range: &syn::PatRange, ty: &Ty) -> Pattern {
        let first = range.start.as_ref().map(|first| Box::new(self.check(first, ty)));
        let limits = Limits::of(&range.limits);
        let end = range.end.as_ref().map(|end| (Box::new(self.check(end, ty)), limits));
        Pattern::Range(first, end)
    }

    fn alternatives(&mut self, or: &syn::PatOr, ty: &Ty, binding: Binding) -> Pattern {
        let before = self.scopes.last().map_or(0, Vec::len);
        let outer = self.alternative.clone();
        let mut cases = Vec::new();
        for (index, case) in or.cases.iter().enumerate() {
            cases.push(self.pattern(case, ty, binding));
            if index == 0 {
                let new = self.scopes.last().map_or(&[][..], |scope| &scope[before..]);
                let known = outer.iter().flatten();
                self.alternative = Some(new.iter().chain(known).cloned().collect());
            }
        }
        self.alternative = outer;
        Pattern::Or(cases)
    }

    fn path_pattern(&mut self, path: &Path, pattern: &Pat, ty: &Ty) -> Pattern {
        if path.segments.last().is_some_and(|last| last.ident == "None") && path.segments.len() <= 2 {
            return self.none_pattern(ty, path);
        }
        let expr = syn::ExprPath { attrs: Vec::new(), qself: None, path: path.clone() };
        let value = self.path(&expr, &Hint::Expect(ty.clone()));
        self.coerce(&value, ty, pattern.span());
        match value.kind {
            ExprKind::Variant(index, variant) => Pattern::Variant(index, variant),
            ExprKind::Refused(_) => Pattern::Wild,
            _ => Pattern::Equal(Box::new(value)),
        }
    }

    fn some_pattern(&mut self, some: &syn::PatTupleStruct, ty: &Ty, binding: Binding) -> Pattern {
        let is_some = some.path.segments.last().is_some_and(|last| last.ident == "Some");
        if !is_some || some.elems.len() != 1 {
            self.refuse(&some.path, "the only pattern of this form is `Some(..)`; structs have named fields");
            return self.no_pattern(&Pat::TupleStruct(some.clone()), &Ty::REFUSED);
        }
        let of = self.fresh(Var::Any);
        if !self.unify(ty, &Ty::option(of.clone())) {
            return self.no_pattern(&Pat::TupleStruct(some.clone()), ty);
        }
        Pattern::Some(Box::new(self.pattern(&some.elems[0], &of, binding)))
    }

    fn tuple_pattern(&mut self, tuple: &syn::PatTuple, ty: &Ty, binding: Binding) -> Pattern {
        let rest = tuple.elems.iter().position(|part| matches!(part, Pat::Rest(_)));
        if let (Ty::Unknown(Unknown::Variable(_)), None) = (ty, rest) {
            let parts = tuple.elems.iter().map(|_| self.fresh(Var::Any)).collect();
            self.unify(ty, &Ty::Tuple(parts));
        }
        let Ty::Tuple(parts) = self.shallow(ty) else {
            return self.no_pattern(&Pat::Tuple(tuple.clone()), ty);
        };
        match self.parts(tuple.elems.iter().collect(), &parts, binding) {
            Some(parts) => Pattern::Tuple(parts),
            None => self.no_pattern(&Pat::Tuple(tuple.clone()), ty),
        }
    }

    fn array_pattern(&mut self, slice: &syn::PatSlice, ty: &Ty, binding: Binding) -> Pattern {
        let Ty::Array(of, length) = ty else { return self.no_pattern(&Pat::Slice(slice.clone()), ty) };
        let parts = vec![(**of).clone(); usize::try_from(*length).unwrap_or(0)];
        match self.parts(slice.elems.iter().collect(), &parts, binding) {
            Some(parts) => Pattern::Array(parts),
            None => self.no_pattern(&Pat::Slice(slice.clone()), ty),
        }
    }

    /// Returns patterns for all parts. `..` is expanded to wildcards. Returns `None` if the number of parts is wrong.
    fn parts(&mut self, written: Vec<&Pat>, types: &[Ty], binding: Binding) -> Option<Vec<Pattern>> {
        let rest = written.iter().position(|part| matches!(part, Pat::Rest(_)));
        let given = written.len() - usize::from(rest.is_some());
        if given > types.len() || (rest.is_none() && given < types.len()) {
            return None;
        }
        let skipped = types.len() - given;
        let mut types = types.iter();
        let mut parts = Vec::new();
        for part in written {
            if matches!(part, Pat::Rest(_)) {
                parts.extend(types.by_ref().take(skipped).map(|_| Pattern::Wild));
            } else {
                parts.push(self.pattern(part, types.next()?, binding));
            }
        }
        Some(parts)
    }

    fn struct_pattern(&mut self, written: &syn::PatStruct, ty: &Ty, binding: Binding) -> Pattern {
        let Some(of) = self.taken_apart_as(&written.path, ty) else {
            self.refuse(
                &written.path,
                "this is not a struct of data declared in the module, nor `Edge` or `Vertex`",
            );
            return self.no_pattern(&Pat::Struct(written.clone()), &Ty::REFUSED);
        };
        if !self.unify(ty, &of) {
            return self.no_pattern(&Pat::Struct(written.clone()), ty);
        }
        let mut fields = Vec::new();
        for field in &written.fields {
            let syn::Member::Named(name) = &field.member else { continue };
            match self.names.field_type(&of, &name.to_string()) {
                Some(ty) => {
                    self.reads_field(&of, name);
                    fields.push((name.clone(), self.pattern(&field.pat, &ty, binding)));
                }
                None => {
                    let message = format!("`{}` has no field `{name}`", self.show(&of));
                    self.errors.disagreement(name.span(), message);
                    self.no_pattern(&field.pat, &Ty::REFUSED);
                }
            }
        }
        Pattern::Struct(of, fields)
    }

    /// Returns the type whose fields a struct pattern names, for a value of type `ty`.
    fn taken_apart_as(&self, path: &Path, ty: &Ty) -> Option<Ty> {
        match (ty, path.get_ident()?.to_string().as_str()) {
            (Ty::Edge, "Edge") | (Ty::Vertex(..), "Vertex") => Some(ty.clone()),
            _ => self.struct_of(path).map(Ty::Struct),
        }
    }
}

/// Returns the names that a pattern would declare.
fn names_of(pattern: &Pat) -> Vec<&PatIdent> {
    struct Names<'p>(Vec<&'p PatIdent>);
    impl<'p> syn::visit::Visit<'p> for Names<'p> {
        fn visit_pat_ident(&mut self, name: &'p PatIdent) {
            self.0.push(name);
        }
    }
    let mut names = Names(Vec::new());
    syn::visit::Visit::visit_pat(&mut names, pattern);
    names.0
}
