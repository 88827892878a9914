//! Infers the type of every expression of a body, as Rust does within one function. Literals start as type variables.
//! They are unified with the types that they are used with, and default to `i32` or `f64` if nothing else determines
//! them. As in Rust, the text is read from top to bottom, and the type of a method's receiver must be known when the
//! call is reached.

mod call;
mod closure;
mod compound;
mod control;
mod expr;
mod inputs;
mod loops;
mod method;
mod numbers;
mod panics;
mod pattern;
mod types;

use proc_macro2::{Ident, Span};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Pat, Type};

use crate::messages::{Errors, mismatch};
use crate::model::inferred::{Bodies, Const, Expr, ExprKind, Function, Local, Methods, Stmt, Ty};
use crate::model::{Access, Mutability, Reads, Refused, Site};
use crate::names::{NamedConst, Names, Prototype, check_ascii, typed_inputs};
use crate::parse::{Callable, Source};
use loops::Enclosing;
use pattern::Binding;
use types::Var;

/// Expectation about the type of an expression, known before the expression is read.
#[derive(Clone)]
enum Hint {
    None,
    Expect(Ty),
    /// The expression is cast to this type, which a literal adopts if it can.
    Castable(Ty),
}

/// Reads all bodies. Returns `None` if the program's data types are unknown or if it has no `edge`.
pub(crate) fn bodies(source: &Source, names: &Names, errors: &mut Errors) -> Option<Bodies> {
    if !names.interface_is_known {
        return None;
    }
    names.method("edge")?;
    let mut reads = Reads::default();
    if source.folds_before {
        reads.noted.insert("vertex_before");
    }
    let mut findings = Findings { names, errors, sites: Vec::new(), reads };
    let consts = source.consts.iter().zip(&names.consts);
    let consts = consts.map(|(item, named)| findings.constant(named, &item.value)).collect();
    let functions = source.functions.iter().zip(&names.functions);
    let functions = functions.map(|(function, types)| findings.function(function, types)).collect();
    let mut method = |name: &str| -> Option<Function> {
        let callable = source.methods.iter().find(|method| method.signature.ident == name)?;
        Some(findings.method(callable, names.method(name)?))
    };
    let start = method("start");
    let methods = Methods {
        start,
        edge: method("edge")?,
        combine: method("combine"),
        apply: method("apply"),
        changed: method("changed"),
        sends: method("sends"),
        halts: method("halts"),
        priority: method("priority"),
        aggregate: method("aggregate"),
        finished: method("finished"),
    };
    Some(Bodies { consts, functions, methods, sites: findings.sites, reads: findings.reads })
}

/// The results that are collected over all bodies.
struct Findings<'a> {
    names: &'a Names,
    errors: &'a mut Errors,
    sites: Vec<Site>,
    reads: Reads,
}

/// State of inference for one body.
struct Infer<'a, 'b> {
    names: &'a Names,
    errors: &'b mut Errors,
    sites: &'b mut Vec<Site>,
    reads: &'b mut Reads,
    function: String,
    /// The type that `Self` refers to.
    owner: Option<Ty>,
    output: Ty,
    locals: Vec<Local>,
    scopes: Vec<Vec<(String, usize)>>,
    vars: Vec<Var>,
    /// The enclosing loops and labelled blocks, with the innermost last.
    enclosing: Vec<Enclosing>,
    /// Number of loops and labelled blocks so far.
    labels: usize,
    /// Number of enclosing closures.
    closures: usize,
    /// The names that the first alternative of a pattern declared. They are stored while the other alternatives are
    /// read.
    alternative: Option<Vec<(String, usize)>>,
    polls: bool,
    /// Locals that were declared without a value, which may be assigned once.
    deferred: Vec<usize>,
}

impl<'a> Findings<'a> {
    fn body(&mut self, name: &Ident, owner: Option<Ty>, output: Ty) -> Infer<'a, '_> {
        Infer {
            names: self.names,
            errors: self.errors,
            sites: &mut self.sites,
            reads: &mut self.reads,
            function: name.to_string(),
            owner,
            output,
            locals: Vec::new(),
            scopes: vec![Vec::new()],
            vars: Vec::new(),
            enclosing: Vec::new(),
            labels: 0,
            closures: 0,
            alternative: None,
            polls: false,
            deferred: Vec::new(),
        }
    }

    /// Returns the typed form of a free function, or of a method of a type of the module.
    fn function(&mut self, callable: &Callable, types: &Prototype) -> Function {
        let Prototype { owner, name, takes_self, inputs, output } = types;
        let mut infer = self.body(name, owner.clone(), output.clone());
        if let (true, Some(ty)) = (*takes_self, inputs.first()) {
            let written = callable.signature.receiver().and_then(|receiver| receiver.mutability.as_ref());
            infer.receiver(ty, Mutability::of(written));
        }
        let others = inputs.iter().skip(usize::from(*takes_self));
        let taken_apart: Vec<_> = typed_inputs(&callable.signature)
            .zip(others)
            .filter_map(|(input, ty)| infer.parameter(&input.pat, ty))
            .collect();
        let parameters = infer.locals.len();
        let taken_apart: Vec<Stmt> =
            taken_apart.into_iter().map(|(pattern, id)| infer.taken_apart(pattern, id)).collect();
        let mut body = infer.function_body(&callable.block);
        body.statements.splice(0..0, taken_apart);
        Function {
            owner: owner.clone(),
            name: name.clone(),
            parameters,
            output: output.clone(),
            polls: infer.polls,
            locals: infer.locals,
            body,
        }
    }

    /// Returns the typed form of a function of the program, whose `self` is the program.
    fn method(&mut self, callable: &Callable, types: &Prototype) -> Function {
        Function { owner: None, ..self.function(callable, types) }
    }

    /// Returns the typed form of a constant: a function without parameters.
    fn constant(&mut self, item: &NamedConst, value: &syn::Expr) -> Const {
        let mut infer = self.body(&item.name, item.owner.clone(), item.ty.clone());
        let value = infer.check(value, &item.ty);
        let body = infer.finished_body(value);
        let body = Function {
            owner: item.owner.clone(),
            name: item.name.clone(),
            parameters: 0,
            output: item.ty.clone(),
            polls: infer.polls,
            locals: infer.locals,
            body,
        };
        Const { owner: item.owner.clone(), name: item.name.clone(), body }
    }
}

impl Infer<'_, '_> {
    /// Declares `self` in a method of a type of the module. It becomes a parameter of the twin (the CPU engine's
    /// checked copy) and of the device's function, under a name to which the user's code cannot refer.
    fn receiver(&mut self, ty: &Ty, mutability: Mutability) {
        // `&mut self` allows changes to the value behind the reference, not to the reference itself.
        let mutability = if let Ty::Ref(..) = ty { Mutability::Fixed } else { mutability };
        let name = Ident::new("receiver", Span::mixed_site());
        self.locals.push(Local { name, ty: ty.clone(), mutability });
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(("self".to_owned(), 0));
        }
    }

    /// Declares a parameter. If it is a pattern, returns the pattern, and the hidden local that the pattern
    /// destructures.
    fn parameter<'p>(&mut self, pattern: &'p Pat, ty: &Ty) -> Option<(&'p Pat, usize)> {
        match pattern {
            Pat::Ident(ident) if ident.by_ref.is_none() && ident.subpat.is_none() => {
                if ident.mutability.is_some() && matches!(ty, Ty::Edge | Ty::Vertex(..)) {
                    self.errors.on(
                        pattern,
                        "an edge or a vertex cannot be changed: copy the fields that you change into a `let mut`",
                    );
                }
                self.declare(&ident.ident, ty.clone(), Mutability::of(ident.mutability.as_ref()));
                None
            }
            Pat::Wild(wild) => {
                self.hidden_at("_", ty.clone(), wild.underscore_token.span);
                None
            }
            other => {
                // A parameter list cannot contain the same name twice in Rust, so each hidden parameter gets its own
                // name.
                let name = format!("parameter{}", self.locals.len());
                Some((other, self.hidden(&name, ty.clone())))
            }
        }
    }

    /// Returns `let pattern = parameter;`.
    fn taken_apart(&mut self, pattern: &Pat, id: usize) -> Stmt {
        let (ty, span) = (self.locals[id].ty.clone(), pattern.span());
        let pattern = self.pattern(pattern, &ty, Binding::Move);
        Stmt::Let(pattern, typed(ExprKind::Local(id), ty, span))
    }

    fn declare(&mut self, name: &Ident, ty: Ty, mutability: Mutability) -> usize {
        check_ascii(name, self.errors);
        let id = self.locals.len();
        self.locals.push(Local { name: name.clone(), ty, mutability });
        if let Some(scope) = self.scopes.last_mut() {
            scope.push((name.to_string(), id));
        }
        id
    }

    /// Declares a local for the macro, to which the user's code cannot refer.
    fn hidden(&mut self, name: &str, ty: Ty) -> usize {
        self.hidden_at(name, ty, Span::mixed_site())
    }

    fn hidden_at(&mut self, name: &str, ty: Ty, span: Span) -> usize {
        self.locals.push(Local { name: Ident::new(name, span), ty, mutability: Mutability::Fixed });
        self.locals.len() - 1
    }

    fn lookup(&self, name: &str) -> Option<usize> {
        let visible = self.scopes.iter().rev().flat_map(|scope| scope.iter().rev());
        visible.into_iter().find(|(known, _)| known == name).map(|(_, id)| *id)
    }

    /// Calls `read` in a new scope.
    fn scoped<R>(&mut self, read: impl FnOnce(&mut Self) -> R) -> R {
        self.scopes.push(Vec::new());
        let result = read(self);
        self.scopes.pop();
        result
    }

    /// Infers an expression and requires it to have this type.
    fn check(&mut self, expr: &syn::Expr, ty: &Ty) -> Expr {
        let typed = self.expr(expr, &Hint::Expect(ty.clone()));
        if typed.ty == Ty::Never {
            return self.refuse(&expr, NEVER_A_PART);
        }
        self.coerce(&typed, ty, tail_of(expr).span());
        typed
    }

    /// Infers an expression of unknown type. Rejects an expression that never yields a value.
    fn operand(&mut self, expr: &syn::Expr, hint: &Hint) -> Expr {
        let typed = self.expr(expr, hint);
        if typed.ty == Ty::Never { self.refuse(&expr, NEVER_A_PART) } else { typed }
    }

    /// Records a disagreement unless the expression has this type or never yields a value.
    fn coerce(&mut self, typed: &Expr, ty: &Ty, at: Span) {
        if typed.ty == Ty::Never {
            return;
        }
        // `&mut T` coerces to `&T`.
        if let (Ty::Ref(Access::Mutable, found), Ty::Ref(Access::Shared, wanted)) =
            (self.shallow(&typed.ty), self.shallow(ty))
            && self.unify(&found, &wanted)
        {
            return;
        }
        // `self` is a reference to the program.
        if typed.ty == Ty::Params && self.shallow(ty) == Ty::Ref(Access::Shared, Box::new(Ty::Params)) {
            return;
        }
        if !self.unify(&typed.ty, ty) {
            let message = mismatch(&self.show(ty), &self.show(&typed.ty));
            self.errors.disagreement(at, message);
        }
    }

    /// Rejects a construct that Rust accepts but the language of edge programs does not.
    fn refuse(&mut self, tokens: &dyn ToTokens, message: impl std::fmt::Display) -> Expr {
        self.errors.on(tokens, message);
        error()
    }

    /// Records an error that rustc reports too.
    fn disagree(&mut self, at: Span, message: impl std::fmt::Display) -> Expr {
        self.errors.disagreement(at, message);
        error()
    }

    fn resolve_type(&mut self, written: &Type) -> Ty {
        self.names.resolve(written, self.owner.as_ref(), self.errors)
    }
}

const NEVER_A_PART: &str = "an edge program cannot use an expression that never yields a value (`return`, \
                            `break`, `panic!`) as a part of a value: make it a statement or a branch";

/// Returns the expression that replaces a rejected one.
fn error() -> Expr {
    Expr { kind: ExprKind::Refused(Refused), ty: Ty::REFUSED, span: Span::call_site() }
}

/// Returns a node of the model.
fn typed(kind: ExprKind, ty: Ty, span: Span) -> Expr {
    Expr { kind, ty, span }
}

/// Returns the expression at which to report that a block has the wrong type: its last expression.
fn tail_of(expr: &syn::Expr) -> &syn::Expr {
    match expr {
        syn::Expr::Block(block) => match block.block.stmts.last() {
            Some(syn::Stmt::Expr(tail, None)) => tail_of(tail),
            _ => expr,
        },
        syn::Expr::Group(group) => tail_of(&group.expr),
        _ => expr,
    }
}
