//! Infers loops, labelled blocks, `break` and `continue`.

use syn::spanned::Spanned;
use syn::{Expr as SynExpr, ExprForLoop, ExprLoop, ExprMethodCall, ExprRange, ExprWhile, Label, Pat};

use super::pattern::Binding;
use super::types::Var;
use super::{Hint, Infer, typed};
use crate::messages::not_taken;
use crate::model::inferred::{Expr, ExprKind, LoopKind, Range, RangeAdapter, Ty};
use crate::model::{Access, Breakable, Elements, Int, Limits, Numbered, Polling, visit_block};
use crate::parse::peel;

/// Maximum number of iterations of a loop that need not check whether the run must stop. Such a loop must not contain
/// other loops.
const SHORT: u128 = 1024;

/// An enclosing loop or labelled block.
pub(super) struct Enclosing {
    label: Option<String>,
    id: usize,
    /// The type of the value that `break` gives; `()` for loops that can end by themselves.
    gives: Ty,
    left: bool,
    kind: Breakable,
}

impl Infer<'_, '_> {
    fn enter(&mut self, label: Option<&Label>, gives: Ty, kind: Breakable) -> usize {
        let id = self.labels;
        self.labels += 1;
        let label = label.map(|label| label.name.ident.to_string());
        self.enclosing.push(Enclosing { label, id, gives, left: false, kind });
        id
    }

    /// Removes the innermost loop or block. Returns `true` if a `break` leaves it.
    fn leave(&mut self) -> bool {
        self.enclosing.pop().is_some_and(|enclosing| enclosing.left)
    }

    /// Returns the type of the value that `break` gives. If the loop's value is cast, the cast does not determine this
    /// type, since it accepts any number.
    fn broken_to(&mut self, hint: &Hint) -> Ty {
        match hint {
            Hint::Expect(ty) => self.shallow(ty),
            _ => self.fresh(Var::Any),
        }
    }

    pub(super) fn endless_loop(&mut self, turn: &ExprLoop, hint: &Hint) -> Expr {
        let gives = self.broken_to(hint);
        let id = self.enter(turn.label.as_ref(), gives.clone(), Breakable::Loop);
        let body = self.block(&turn.body, &Hint::Expect(Ty::Unit));
        self.unit_body(&body);
        let ty = if self.leave() { gives } else { Ty::Never };
        self.polls = true;
        typed(ExprKind::Loop(id, LoopKind::Forever, body, Polling::EveryTurn), ty, turn.span())
    }

    pub(super) fn while_loop(&mut self, turn: &ExprWhile) -> Expr {
        let id = self.enter(turn.label.as_ref(), Ty::Unit, Breakable::Loop);
        let (conditions, body) = self.scoped(|infer| {
            let conditions = infer.conditions(&turn.cond);
            (conditions, infer.block(&turn.body, &Hint::Expect(Ty::Unit)))
        });
        self.unit_body(&body);
        self.leave();
        self.polls = true;
        typed(
            ExprKind::Loop(id, LoopKind::While(conditions), body, Polling::EveryTurn),
            Ty::Unit,
            turn.span(),
        )
    }

    pub(super) fn for_loop(&mut self, turn: &ExprForLoop) -> Expr {
        let (expr, numbering) = match counted(&turn.expr) {
            Some(expr) => (expr, Numbering::Enumerated),
            None => (&*turn.expr, Numbering::None),
        };
        let Some(Walk { source, of, polling }) = self.walk(expr) else { return super::error() };
        let id = self.enter(turn.label.as_ref(), Ty::Unit, Breakable::Loop);
        let (number, pattern, body) = self.scoped(|infer| {
            let (number, pattern) = infer.turn_pattern(&turn.pat, numbering);
            let number = number.map(|number| infer.pattern(number, &Ty::Int(Int::Usize), Binding::Move));
            let pattern = infer.pattern(pattern, &of, Binding::Move);
            (number, pattern, infer.block(&turn.body, &Hint::Expect(Ty::Unit)))
        });
        self.unit_body(&body);
        self.leave();
        // A nest of short loops may take a long time in total.
        let polling = if has_loop(&body) { Polling::EveryTurn } else { polling };
        self.polls |= polling == Polling::EveryTurn;
        let kind = match source {
            Iterated::Range(range) => LoopKind::Over(pattern, range),
            Iterated::Array(array, elements) => LoopKind::Each(number, pattern, array, elements),
        };
        typed(ExprKind::Loop(id, kind, body, polling), Ty::Unit, turn.span())
    }

    /// Splits the pattern of a `for` into the pattern of the index (if `enumerate` is used) and the pattern of the
    /// element.
    fn turn_pattern<'p>(&mut self, pattern: &'p Pat, numbering: Numbering) -> (Option<&'p Pat>, &'p Pat) {
        match (numbering, pattern) {
            (Numbering::None, _) => (None, pattern),
            (Numbering::Enumerated, Pat::Tuple(pair)) if pair.elems.len() == 2 => {
                (Some(&pair.elems[0]), &pair.elems[1])
            }
            (Numbering::Enumerated, _) => {
                self.refuse(
                    &pattern,
                    "expected a pattern for the index and the element: write `(index, value)`",
                );
                (None, pattern)
            }
        }
    }

    fn unit_body(&mut self, body: &crate::model::inferred::Block) {
        if body.ty != Ty::Never && !self.unify(&body.ty, &Ty::Unit) {
            let message =
                format!("the body of a loop must not yield a value, found `{}`", self.show(&body.ty));
            self.errors.disagreement(body.span, message);
        }
    }

    /// Reads the range or array that a `for` iterates over.
    fn walk(&mut self, expr: &SynExpr) -> Option<Walk> {
        let mut adapters = Vec::new();
        let mut source = peel(expr);
        // Collects the method calls on a range. The last call is the outermost expression.
        while let SynExpr::MethodCall(call) = source {
            if matches!(peel(&call.receiver), SynExpr::Range(_) | SynExpr::MethodCall(_))
                && matches!(call.method.to_string().as_str(), "rev" | "step_by")
            {
                adapters.push(call);
                source = peel(&call.receiver);
            } else {
                break;
            }
        }
        match source {
            SynExpr::Range(range) => self.range(range, &adapters),
            _ if adapters.is_empty() => self.elements(source),
            other => {
                self.refuse(&other, "`for` can iterate only over a range of numbers or over an array");
                None
            }
        }
    }

    fn range(&mut self, range: &ExprRange, adapters: &[&ExprMethodCall]) -> Option<Walk> {
        let (Some(first), Some(end)) = (&range.start, &range.end) else {
            self.refuse(&range, "a range in an edge program must have both ends: write `0..n`");
            return None;
        };
        let polling = polling(self.names.turns(first, end));
        let first_value = self.operand(first, &Hint::None);
        let first_value = self.behind(first_value);
        let end_value = self.check(end, &first_value.ty.clone());
        let ty = first_value.ty.clone();
        let mut read = Vec::new();
        for call in adapters.iter().rev() {
            read.push(self.adapter(call)?);
        }
        let range = Range {
            first: first_value,
            end: end_value,
            limits: Limits::of(&range.limits),
            adapters: read,
            ty: ty.clone(),
        };
        Some(Walk { source: Iterated::Range(Box::new(range)), of: ty, polling })
    }

    fn adapter(&mut self, call: &ExprMethodCall) -> Option<RangeAdapter> {
        let arguments: Vec<&SynExpr> = call.args.iter().collect();
        match (call.method.to_string().as_str(), arguments.as_slice()) {
            ("rev", []) => Some(RangeAdapter::Rev),
            ("step_by", [width]) => Some(RangeAdapter::StepBy(
                Box::new(self.check(width, &Ty::Int(Int::Usize))),
                Numbered::NOT_YET,
            )),
            (name, _) => {
                self.disagree(call.method.span(), format!("wrong arguments of `{name}`"));
                None
            }
        }
    }

    /// Returns the elements of an array: `array`, `array.iter()`, `&array`, `array.iter_mut()`, `&mut array`.
    fn elements(&mut self, source: &SynExpr) -> Option<Walk> {
        let (array, written) = asked_for(source);
        let value = match written {
            Some(Elements::LentMutably) => self.place(array),
            _ => self.operand(array, &Hint::None),
        };
        // A loop over a reference yields references of the same kind.
        let elements = match (written, self.shallow(&value.ty)) {
            (Some(written), _) => written,
            (None, Ty::Ref(Access::Mutable, _)) => Elements::LentMutably,
            (None, Ty::Ref(Access::Shared, _)) => Elements::Lent,
            (None, _) => Elements::Copied,
        };
        let value = self.behind(value);
        let (of, length) = match self.shallow(&value.ty) {
            Ty::Array(of, length) => (of, length),
            Ty::REFUSED => return None,
            _ => {
                self.refuse(
                    &source,
                    "`for` can iterate only over a range of numbers (also `.rev()` and `.step_by(..)`) or over an \
                     array",
                );
                return None;
            }
        };
        let of = match elements {
            Elements::Copied => *of,
            Elements::Lent => Ty::Ref(Access::Shared, of),
            Elements::LentMutably => Ty::Ref(Access::Mutable, of),
        };
        let source = Iterated::Array(Box::new(value), elements);
        Some(Walk { source, of, polling: polling(Some(u128::from(length))) })
    }

    pub(super) fn labelled_block(&mut self, label: &Label, block: &syn::Block, hint: &Hint) -> Expr {
        let gives = self.broken_to(hint);
        let id = self.enter(Some(label), gives.clone(), Breakable::Block);
        let block = self.block(block, &Hint::Expect(gives.clone()));
        let left = self.leave();
        if block.ty != Ty::Never && !self.unify(&block.ty, &gives) {
            let message = crate::messages::mismatch(&self.show(&gives), &self.show(&block.ty));
            self.errors.disagreement(block.span, message);
        }
        let (ty, span) = (if left || block.ty != Ty::Never { gives } else { Ty::Never }, block.span);
        typed(ExprKind::Labelled(id, block), ty, span)
    }

    /// Returns the innermost enclosing loop or block that a `break` or `continue` refers to. With a label, it is one of
    /// the kinds in `meant`; without a label, it is a loop.
    fn target(&self, label: Option<&syn::Lifetime>, meant: &[Breakable]) -> Option<usize> {
        let meant = if label.is_some() { meant } else { &[Breakable::Loop] };
        self.enclosing.iter().rposition(|enclosing| {
            let named =
                label.is_none_or(|label| enclosing.label.as_deref() == Some(&label.ident.to_string()));
            named && meant.contains(&enclosing.kind)
        })
    }

    pub(super) fn break_expr(&mut self, leave: &syn::ExprBreak) -> Expr {
        let Some(target) = self.target(leave.label.as_ref(), &[Breakable::Loop, Breakable::Block]) else {
            return self.disagree(leave.span(), "there is no enclosing loop to break out of");
        };
        self.enclosing[target].left = true;
        let (id, gives) = (self.enclosing[target].id, self.enclosing[target].gives.clone());
        let value = match &leave.expr {
            Some(value) => Some(Box::new(self.check(value, &gives))),
            None => {
                let unit = typed(ExprKind::Unit, Ty::Unit, leave.span());
                self.coerce(&unit, &gives, leave.span());
                None
            }
        };
        typed(ExprKind::Break(id, value), Ty::Never, leave.span())
    }

    pub(super) fn continue_expr(&mut self, next: &syn::ExprContinue) -> Expr {
        match self.target(next.label.as_ref(), &[Breakable::Loop]) {
            Some(target) => typed(ExprKind::Continue(self.enclosing[target].id), Ty::Never, next.span()),
            None => self.disagree(next.span(), "there is no enclosing loop to continue"),
        }
    }

    /// Reads `(first..end).contains(&value)`. Other methods of ranges are allowed only in `for`.
    pub(super) fn range_method(&mut self, range: &ExprRange, call: &ExprMethodCall) -> Expr {
        let (Some(first), Some(end), "contains", Some(value)) =
            (&range.start, &range.end, call.method.to_string().as_str(), call.args.first())
        else {
            return self.refuse(
                &call.method,
                not_taken(
                    "this method of a range",
                    "a range is allowed only in `for`, or before `.contains(&value)`",
                ),
            );
        };
        self.contains(first, end, Limits::of(&range.limits), value, call)
    }
}

/// Returns the polling of a loop with this number of iterations and no inner loop.
fn polling(turns: Option<u128>) -> Polling {
    if turns.is_some_and(|turns| turns <= SHORT) { Polling::Never } else { Polling::EveryTurn }
}

fn has_loop(body: &crate::model::inferred::Block) -> bool {
    let mut found = false;
    visit_block(body, &mut |expr| found |= matches!(expr.kind, ExprKind::Loop(..)));
    found
}

/// Returns the receiver of `.enumerate()`, if the expression is such a call.
fn counted(expr: &SynExpr) -> Option<&SynExpr> {
    let SynExpr::MethodCall(call) = peel(expr) else { return None };
    let walks = matches!(peel(&call.receiver), SynExpr::MethodCall(inner)
        if matches!(inner.method.to_string().as_str(), "iter" | "iter_mut" | "into_iter"));
    (walks && call.method == "enumerate" && call.args.is_empty()).then_some(&*call.receiver)
}

/// Returns the array that a `for` iterates over, and the form of its elements if that form is written explicitly.
fn asked_for(source: &SynExpr) -> (&SynExpr, Option<Elements>) {
    match source {
        SynExpr::MethodCall(call) if call.args.is_empty() => match call.method.to_string().as_str() {
            "iter" => (&call.receiver, Some(Elements::Lent)),
            "iter_mut" => (&call.receiver, Some(Elements::LentMutably)),
            "into_iter" => (&call.receiver, None),
            _ => (source, None),
        },
        SynExpr::Reference(reference) if reference.mutability.is_some() => {
            (&reference.expr, Some(Elements::LentMutably))
        }
        SynExpr::Reference(reference) => (&reference.expr, Some(Elements::Lent)),
        _ => (source, None),
    }
}

/// The head of a `for`.
struct Walk {
    source: Iterated,
    /// The type of the elements.
    of: Ty,
    polling: Polling,
}

/// Indices in a `for`: written by `.enumerate()`, or absent.
#[derive(Clone, Copy)]
enum Numbering {
    None,
    Enumerated,
}

/// The sequence that a `for` iterates over.
enum Iterated {
    Range(Box<Range>),
    Array(Box<Expr>, Elements),
}
