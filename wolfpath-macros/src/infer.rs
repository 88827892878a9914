//! Gives every expression of a body its type, as Rust does within one function: literals start as variables, are
//! unified with what they meet, and become `i32` or `f64` only when nothing said otherwise. Methods need a receiver
//! whose type is known when they are met, in the order of the text, as in Rust.

mod control;
mod expr;
mod finish;
mod path;

use proc_macro2::{Ident, Span};
use quote::ToTokens;
use syn::{Pat, Type};

use crate::messages::{Errors, mismatch, not_taken};
use crate::model::{Const, Expr, ExprKind, Function, Local, Reads, Site, Ty};
use crate::names::{Names, check_ascii};
use crate::parse::Callable;

/// What inference knows of a variable.
#[derive(Clone)]
enum Var {
    Any,
    Int,
    Float,
    Is(Ty),
}

/// What the surroundings say about an expression's type before it is read.
#[derive(Clone)]
enum Hint {
    None,
    Expect(Ty),
    /// The expression is cast to this type, which a literal takes over where it can.
    Castable(Ty),
}

/// What outlives one body.
pub(crate) struct Findings<'a> {
    pub(crate) names: &'a Names,
    pub(crate) errors: &'a mut Errors,
    pub(crate) sites: &'a mut Vec<Site>,
    pub(crate) reads: &'a mut Reads,
}

/// One body under inference.
struct Infer<'a, 'b> {
    names: &'a Names,
    errors: &'b mut Errors,
    sites: &'b mut Vec<Site>,
    reads: &'b mut Reads,
    function: String,
    output: Ty,
    locals: Vec<Local>,
    scopes: Vec<Vec<(String, usize)>>,
    vars: Vec<Var>,
}

impl<'a> Findings<'a> {
    fn body(&mut self, name: &Ident, output: Ty) -> Infer<'a, '_> {
        Infer {
            names: self.names,
            errors: self.errors,
            sites: self.sites,
            reads: self.reads,
            function: name.to_string(),
            output,
            locals: Vec::new(),
            scopes: vec![Vec::new()],
            vars: Vec::new(),
        }
    }

    /// The typed form of a function whose parameters (after `self`) and result have these types.
    pub(crate) fn function(&mut self, callable: &Callable, inputs: &[Ty], output: &Ty) -> Function {
        let name = &callable.signature.ident;
        let mut infer = self.body(name, output.clone());
        for (input, ty) in typed_inputs(&callable.signature).zip(inputs) {
            infer.parameter(&input.pat, ty);
        }
        let parameters = infer.locals.len();
        let body = infer.function_body(&callable.block);
        Function { name: name.clone(), parameters, output: output.clone(), locals: infer.locals, body }
    }

    /// The typed form of a constant: a function of nothing.
    pub(crate) fn constant(&mut self, name: &Ident, ty: &Ty, value: &syn::Expr) -> Const {
        let mut infer = self.body(name, ty.clone());
        let value = infer.check(value, ty);
        let body = infer.finished_body(value);
        let body =
            Function { name: name.clone(), parameters: 0, output: ty.clone(), locals: infer.locals, body };
        Const { name: name.clone(), body }
    }
}

/// The parameters but `self`.
pub(crate) fn typed_inputs(signature: &syn::Signature) -> impl Iterator<Item = &syn::PatType> {
    signature.inputs.iter().filter_map(|input| match input {
        syn::FnArg::Typed(input) => Some(input),
        syn::FnArg::Receiver(_) => None,
    })
}

impl Infer<'_, '_> {
    fn parameter(&mut self, pattern: &Pat, ty: &Ty) {
        match pattern {
            Pat::Ident(ident) if ident.by_ref.is_none() && ident.subpat.is_none() => {
                if ident.mutability.is_some() && matches!(ty, Ty::Edge | Ty::Vertex(_)) {
                    self.errors.on(
                        pattern,
                        "an edge or a vertex cannot be changed: copy what you need into a `let mut`",
                    );
                }
                self.declare(&ident.ident, ty.clone(), ident.mutability.is_some());
            }
            Pat::Wild(wild) => {
                let name = Ident::new("_", wild.underscore_token.span);
                self.locals.push(Local { name, ty: ty.clone(), mutable: false });
            }
            _ => {
                self.errors
                    .on(pattern, not_taken("patterns as parameters", "write a name, and read its fields"));
                self.locals.push(Local {
                    name: Ident::new("_", Span::call_site()),
                    ty: ty.clone(),
                    mutable: false,
                });
            }
        }
    }

    fn declare(&mut self, name: &Ident, ty: Ty, mutable: bool) -> usize {
        check_ascii(name, self.errors);
        let id = self.locals.len();
        self.locals.push(Local { name: name.clone(), ty, mutable });
        if let Some(scope) = self.scopes.last_mut() {
            scope.push((name.to_string(), id));
        }
        id
    }

    fn lookup(&self, name: &str) -> Option<usize> {
        let visible = self.scopes.iter().rev().flat_map(|scope| scope.iter().rev());
        visible.into_iter().find(|(known, _)| known == name).map(|(_, id)| *id)
    }

    fn fresh(&mut self, var: Var) -> Ty {
        self.vars.push(var);
        Ty::Var(self.vars.len() - 1)
    }

    /// The type as far as it is known, outermost layer.
    fn shallow(&self, ty: &Ty) -> Ty {
        let mut ty = ty.clone();
        while let Ty::Var(id) = ty {
            match &self.vars[id] {
                Var::Is(bound) => ty = bound.clone(),
                _ => break,
            }
        }
        ty
    }

    /// The type as far as it is known.
    fn deep(&self, ty: &Ty) -> Ty {
        match self.shallow(ty) {
            Ty::Option(of) => Ty::option(self.deep(&of)),
            Ty::Tuple(parts) => Ty::Tuple(parts.iter().map(|part| self.deep(part)).collect()),
            other => other,
        }
    }

    fn show(&self, ty: &Ty) -> String {
        match self.shallow(ty) {
            Ty::Option(of) => format!("Option<{}>", self.show(&of)),
            Ty::Var(id) => match &self.vars[id] {
                Var::Int => "{integer}".into(),
                Var::Float => "{float}".into(),
                _ => "_".into(),
            },
            known => self.names.show(&known),
        }
    }

    /// Makes two types equal, if they can be.
    fn unify(&mut self, a: &Ty, b: &Ty) -> bool {
        match (self.shallow(a), self.shallow(b)) {
            (Ty::Error, _) | (_, Ty::Error) => true,
            (Ty::Var(a), Ty::Var(b)) if a == b => true,
            (Ty::Var(id), other) | (other, Ty::Var(id)) => self.bind(id, other),
            (Ty::Option(a), Ty::Option(b)) => self.unify(&a, &b),
            (Ty::Tuple(a), Ty::Tuple(b)) if a.len() == b.len() => {
                a.iter().zip(&b).all(|(a, b)| self.unify(a, b))
            }
            (a, b) => a == b,
        }
    }

    fn bind(&mut self, id: usize, to: Ty) -> bool {
        let fits = match (&self.vars[id], &to) {
            (Var::Any | Var::Is(_), _) | (Var::Int, Ty::Int(_)) | (Var::Float, Ty::Float(_)) => true,
            (Var::Int | Var::Float, Ty::Var(other)) => return self.bind_variables(id, *other),
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
            self.vars[other] = Var::Is(Ty::Var(literal));
        }
        fits
    }

    /// The expression, which must have this type.
    fn check(&mut self, expr: &syn::Expr, ty: &Ty) -> Expr {
        let typed = self.expr(expr, &Hint::Expect(ty.clone()));
        if typed.ty == Ty::Never {
            return self.refuse(
                &expr,
                not_taken("`return` as a part of a value", "make it a statement or a branch"),
            );
        }
        self.coerce(&typed, ty, tail_of(expr));
        typed
    }

    /// Reports unless the expression has this type, or never yields a value.
    fn coerce(&mut self, typed: &Expr, ty: &Ty, blame: &dyn ToTokens) {
        if typed.ty == Ty::Never {
            return;
        }
        if !self.unify(&typed.ty, ty) {
            let message = mismatch(&self.show(ty), &self.show(&typed.ty));
            self.errors.on(blame, message);
        }
    }

    fn refuse(&mut self, tokens: &dyn ToTokens, message: impl std::fmt::Display) -> Expr {
        self.errors.on(tokens, message);
        Expr { kind: ExprKind::Error, ty: Ty::Error, span: Span::call_site() }
    }

    fn resolve_type(&mut self, written: &Type) -> Ty {
        self.names.resolve(written, self.errors)
    }
}

/// What to point at when a block has the wrong type: its last expression.
fn tail_of(expr: &syn::Expr) -> &dyn ToTokens {
    match expr {
        syn::Expr::Block(block) => match block.block.stmts.last() {
            Some(syn::Stmt::Expr(tail, None)) => tail_of(tail),
            _ => expr,
        },
        syn::Expr::Group(group) => tail_of(&group.expr),
        _ => expr,
    }
}
