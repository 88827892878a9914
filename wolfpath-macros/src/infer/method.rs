//! Infers calls of methods: methods of the module's types, and methods in the table of `methods`.

use proc_macro2::Span;
use syn::ExprMethodCall;
use syn::spanned::Spanned;

use super::types::Var;
use super::{Hint, Infer, typed};
use crate::methods::Method;
use crate::model::inferred::{Expr, ExprKind, Pattern, Stmt, Ty};
use crate::model::views::{COUNTS, VALUES_AT};
use crate::model::{Access, BinaryOp, Int, Limits, LogicOp, METHODS, Numbered, Sign, Unknown};
use crate::parse::peel;

impl Infer<'_, '_> {
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
        if let Some(count) = self.edge_count(&receiver, call) {
            return count;
        }
        if let Some(value) = self.value_at(&receiver, call) {
            return value;
        }
        if let Some(own) = self.own_method(&receiver, call) {
            return own;
        }
        if let Some(inlined) = self.closure_method(receiver.clone(), call, hint) {
            return inlined;
        }
        let arguments: Vec<&syn::Expr> = call.args.iter().collect();
        self.method(&call.method.to_string(), receiver, &arguments, &call.method, call.span())
    }

    /// Returns the typed call of a method of edges.
    fn edge_count(&mut self, receiver: &Expr, call: &ExprMethodCall) -> Option<Expr> {
        let count = COUNTS.iter().find(|count| call.method == count.name)?;
        if *self.deep(&receiver.ty).behind() != Ty::Edge {
            return None;
        }
        if !call.args.is_empty() {
            return Some(self.disagree(call.span(), format!("`{}` takes no arguments", count.name)));
        }
        if !self.names.neighbours {
            let message = format!(
                "`{}` counts distinct neighbours: add {}",
                count.name,
                if self.names.is_function {
                    "`along = neighbours` to the attribute"
                } else {
                    "`const ALONG: Along = Along::Neighbours;`"
                }
            );
            return Some(self.refuse(&call.method, message));
        }
        self.reads.noted.extend(count.noted);
        let edge = Box::new(self.behind(receiver.clone()));
        Some(typed(ExprKind::Field(edge, call.method.clone()), Ty::Int(Int::U64), call.span()))
    }

    /// Returns the typed call of `v.value_at(index)`. Only `apply` has such values at hand.
    fn value_at(&mut self, receiver: &Expr, call: &ExprMethodCall) -> Option<Expr> {
        if call.method != "value_at" || !matches!(self.deep(&receiver.ty).behind(), Ty::Vertex(..)) {
            return None;
        }
        let [index] = call.args.iter().collect::<Vec<_>>()[..] else {
            return Some(self.disagree(call.span(), "`value_at` takes one argument, the index of a vertex"));
        };
        let index = self.check(index, &Ty::Int(Int::U32));
        let in_apply = self.owner == Some(Ty::Params)
            && self.function == "apply"
            && self.names.function(Some(&Ty::Params), "apply").is_none();
        if !in_apply {
            let message = "`value_at` can only be called in `apply`: call it there, and pass on the value";
            return Some(self.refuse(&call.method, message));
        }
        if !self.behind(receiver.clone()).is_place() {
            return Some(self.refuse(&call.receiver, "call `value_at` on the vertex that `apply` takes"));
        }
        self.reads.noted.insert(VALUES_AT);
        let before = self.names.starts.before(&self.names.value);
        Some(typed(ExprKind::ValueAt(Box::new(index), Numbered::NOT_YET), before, call.span()))
    }

    /// Returns the typed call, if the method belongs to a type of the module or to the program itself.
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
            Ty::Ref(access, _) => {
                let place = match access {
                    Access::Mutable => self.place(&call.receiver),
                    Access::Shared => receiver.clone(),
                };
                let place = self.behind(place);
                let (lent, span) = (Ty::Ref(*access, Box::new(ty)), place.span);
                typed(ExprKind::Borrow(*access, Box::new(place)), lent, span)
            }
            _ => self.behind(receiver.clone()),
        };
        let mut arguments = vec![receiver];
        arguments.extend(self.arguments(&call.args, &inputs[1..], call.span()));
        Some(typed(ExprKind::Call(index, arguments), self.names.functions[index].output.clone(), call.span()))
    }

    /// Returns the typed call of a method in the table.
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
            return typed(ExprKind::Int(u128::from(*length), Sign::Plus), Ty::Int(Int::Usize), span);
        }
        let Some(method) = Method::find(name, &ty) else { return self.no_method(name, &ty, blame) };
        let types = method.arguments(&ty, || self.fresh(Var::Any));
        if arguments.len() != types.len() {
            let message = format!(
                "wrong number of arguments of `{name}`: expected {}, found {}",
                types.len(),
                arguments.len()
            );
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
            Ty::Unknown(Unknown::Refused) => return super::error(),
            Ty::Unknown(Unknown::Variable(_)) => {
                let message =
                    format!("the type of this value is not known yet, so `{name}` cannot be called on it");
                return self.disagree(blame.span(), message);
            }
            Ty::Params if METHODS.contains(&name) => format!(
                "only the engines can call `{name}`: move the code that both functions need into a helper, and call \
                 it from both"
            ),
            Ty::Params => {
                format!(
                    "the program has no method `{name}`: write it in an `impl` of its struct, or as a free function"
                )
            }
            Ty::Array(..) if matches!(name, "iter" | "iter_mut" | "into_iter") => {
                "an edge program has no iterators: loop over the array by `for`".into()
            }
            _ if name == "into" => "write the target type, as in `u64::from(x)`".into(),
            _ if name == "clone" => "all values of an edge program are `Copy`: use the value itself".into(),
            _ => {
                let (shown, similar) = (self.show(ty), Method::similar(name, ty).join("`, `"));
                if !Method::any(ty) {
                    format!("`{shown}` has no method `{name}` in the language of edge programs")
                } else if similar.is_empty() {
                    format!(
                        "`{name}` is not a method of `{shown}` in the language of edge programs: docs/methods.md \
                         lists the methods"
                    )
                } else {
                    format!(
                        "`{name}` is not a method of `{shown}` in the language of edge programs: did you mean \
                         `{similar}`?"
                    )
                }
            }
        };
        // rustc also rejects the method, unless it exists in Rust and is only missing in the language, like all methods
        // of slices.
        let elsewhere =
            matches!(ty, Ty::Params | Ty::Edge | Ty::Vertex(..) | Ty::Array(..)) || LEFT_OUT.contains(&name);
        if elsewhere { self.refuse(blame, message) } else { self.disagree(blame.span(), message) }
    }

    /// Converts `(first..end).contains(&value)` to two comparisons. Both comparisons use the value, so it is first
    /// bound to a name.
    pub(super) fn contains(
        &mut self,
        first: &syn::Expr,
        end: &syn::Expr,
        limits: Limits,
        value: &syn::Expr,
        call: &ExprMethodCall,
    ) -> Expr {
        let span = call.span();
        let first = self.operand(first, &Hint::None);
        let ty = first.ty.clone();
        let end = self.check(end, &ty);
        let value = self.operand(value, &Hint::Expect(Ty::Ref(Access::Shared, Box::new(ty.clone()))));
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
        let below = limits.comparison();
        let [first, end, value] = ids;
        let both =
            ExprKind::Logic(LogicOp::And, compare(first, BinaryOp::Le, value), compare(value, below, end));
        let mut block = Self::value_block(typed(both, Ty::Bool, span));
        block.statements = statements.collect();
        typed(ExprKind::Block(block), Ty::Bool, span)
    }
}

/// Methods of Rust's numbers, arrays and options that the language omits.
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
