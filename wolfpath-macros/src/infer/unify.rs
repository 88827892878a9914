//! Types that are not known yet, and how they become known.

use super::Infer;
use crate::model::inferred::Ty;
use crate::model::{Access, Unknown};

/// What inference knows of a variable.
#[derive(Clone)]
pub(super) enum Var {
    Any,
    Int,
    Float,
    Is(Ty),
}

impl Infer<'_, '_> {
    pub(super) fn fresh(&mut self, var: Var) -> Ty {
        self.vars.push(var);
        Ty::Unknown(Unknown::Variable(self.vars.len() - 1))
    }

    /// The type as far as it is known, outermost layer.
    pub(super) fn shallow(&self, ty: &Ty) -> Ty {
        let mut ty = ty.clone();
        while let Ty::Unknown(Unknown::Variable(id)) = ty {
            match &self.vars[id] {
                Var::Is(bound) => ty = bound.clone(),
                _ => break,
            }
        }
        ty
    }

    /// The type as far as it is known.
    pub(super) fn deep(&self, ty: &Ty) -> Ty {
        match self.shallow(ty) {
            Ty::Option(of) => Ty::option(self.deep(&of)),
            Ty::Tuple(parts) => Ty::Tuple(parts.iter().map(|part| self.deep(part)).collect()),
            Ty::Array(of, length) => Ty::Array(Box::new(self.deep(&of)), length),
            Ty::Ref(access, of) => Ty::Ref(access, Box::new(self.deep(&of))),
            other => other,
        }
    }

    pub(super) fn show(&self, ty: &Ty) -> String {
        let list = |parts: &[Ty]| parts.iter().map(|part| self.show(part)).collect::<Vec<_>>().join(", ");
        match self.shallow(ty) {
            Ty::Option(of) => format!("Option<{}>", self.show(&of)),
            Ty::Tuple(parts) => format!("({})", list(&parts)),
            Ty::Array(of, length) => format!("[{}; {length}]", self.show(&of)),
            Ty::Ref(Access::Mutable, of) => format!("&mut {}", self.show(&of)),
            Ty::Ref(Access::Shared, of) => format!("&{}", self.show(&of)),
            Ty::Unknown(Unknown::Variable(id)) => match &self.vars[id] {
                Var::Int => "{integer}".into(),
                Var::Float => "{float}".into(),
                _ => "_".into(),
            },
            known => self.names.show(&known),
        }
    }

    /// Makes two types equal, if they can be.
    pub(super) fn unify(&mut self, a: &Ty, b: &Ty) -> bool {
        match (self.shallow(a), self.shallow(b)) {
            (Ty::REFUSED, _) | (_, Ty::REFUSED) => true,
            (Ty::Unknown(Unknown::Variable(a)), Ty::Unknown(Unknown::Variable(b))) if a == b => true,
            (Ty::Unknown(Unknown::Variable(id)), other) | (other, Ty::Unknown(Unknown::Variable(id))) => {
                self.bind(id, other)
            }
            (Ty::Option(a), Ty::Option(b)) => self.unify(&a, &b),
            (Ty::Tuple(a), Ty::Tuple(b)) if a.len() == b.len() => {
                a.iter().zip(&b).all(|(a, b)| self.unify(a, b))
            }
            (Ty::Array(a, n), Ty::Array(b, m)) => n == m && self.unify(&a, &b),
            (Ty::Ref(m, a), Ty::Ref(n, b)) => m == n && self.unify(&a, &b),
            (a, b) => a == b,
        }
    }

    fn bind(&mut self, id: usize, to: Ty) -> bool {
        let fits = match (&self.vars[id], &to) {
            (Var::Any | Var::Is(_), _) | (Var::Int, Ty::Int(_)) | (Var::Float, Ty::Float(_)) => true,
            (Var::Int | Var::Float, Ty::Unknown(Unknown::Variable(other))) => {
                return self.bind_variables(id, *other);
            }
            _ => false,
        };
        if fits {
            self.vars[id] = Var::Is(to);
        }
        fits
    }

    /// Joins a literal's variable with another.
    fn bind_variables(&mut self, literal: usize, other: usize) -> bool {
        let fits = matches!(
            (&self.vars[literal], &self.vars[other]),
            (_, Var::Any) | (Var::Int, Var::Int) | (Var::Float, Var::Float)
        );
        if fits {
            self.vars[other] = Var::Is(Ty::Unknown(Unknown::Variable(literal)));
        }
        fits
    }
}
