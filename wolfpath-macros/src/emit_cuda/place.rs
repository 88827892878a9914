//! Emits places (expressions that can be assigned to or borrowed) as CUDA C: fields, parts and elements. Also emits
//! temporaries for values that are not places.

use proc_macro2::Ident;

use super::body::Body;
use super::{plain, user};
use crate::model::views::COUNTS;
use crate::model::{Expr, ExprKind, Sign, Ty};

impl Body<'_> {
    pub(super) fn field(&mut self, base: &Expr, name: &Ident) -> String {
        let text = self.value(base);
        field_of(text, &base.ty, name)
    }

    /// Returns the text of an array element. Its indices are evaluated from left to right. If the root is a place, it
    /// is read after all indices and is never copied.
    pub(super) fn index(&mut self, expr: &Expr) -> String {
        let (root, steps) = steps_to(expr);
        let operands = index_operands(root, &steps);
        let checks: Vec<Option<(u64, u32)>> = operands.iter().map(|(_, check)| *check).collect();
        let operands: Vec<&Expr> = operands.into_iter().map(|(operand, _)| operand).collect();
        let mut values = self.checked_values(&operands, &checks).into_iter();
        let mut text = if root.is_place() { self.value(root) } else { values.next().unwrap_or_default() };
        for step in steps {
            text = match &step.kind {
                ExprKind::Field(base, name) => field_of(text, &base.ty, name),
                ExprKind::Part(_, part) => format!("{}._{part}", Self::operand(text)),
                ExprKind::Index(base, at, _) => {
                    let value = values.next().unwrap_or_default();
                    let at = known_below(at, length(base)).map_or(value, |known| known.to_string());
                    format!("{}.at[{at}]", Self::operand(text))
                }
                _ => text,
            };
        }
        text
    }

    /// Returns a name for a value whose parts are read separately.
    pub(super) fn kept(&mut self, expr: &Expr, value: String) -> String {
        if expr.is_place() {
            return Self::operand(value);
        }
        let (name, declared) = (self.temporary(), self.kept_type(&expr.ty));
        self.text.line(format!("{declared} {name} = {value};"));
        name
    }

    /// Returns the type of a temporary for a value. A reference stays a reference.
    pub(super) fn kept_type(&self, ty: &Ty) -> String {
        let name = self.type_name(ty);
        if matches!(ty, Ty::Ref(..)) { name } else { format!("const {name}") }
    }
}

/// Returns the root expression of a place, and the accesses (fields, parts, elements) that lead from the root to the
/// place.
fn steps_to(expr: &Expr) -> (&Expr, Vec<&Expr>) {
    let (mut root, mut steps) = (expr, Vec::new());
    while let ExprKind::Field(base, _)
    | ExprKind::Part(base, _)
    | ExprKind::Index(base, ..)
    | ExprKind::Borrow(_, base)
    | ExprKind::Deref(base) = &root.kind
    {
        steps.push(root);
        root = base;
    }
    steps.reverse();
    (root, steps)
}

/// Returns a field of a value, given the value's text.
pub(super) fn field_of(text: String, base: &Ty, name: &Ident) -> String {
    let ours = matches!(base.behind(), Ty::Edge | Ty::Vertex(..));
    if ours && COUNTS.iter().any(|count| name == count.name) {
        return format!("wp::{name}({text})");
    }
    let name = if ours { plain(name) } else { user(name) };
    format!("{}.{name}", Body::operand(text))
}

fn length(array: &Expr) -> u64 {
    match array.ty.behind() {
        Ty::Array(_, length) => *length,
        _ => 0,
    }
}

/// Returns the index if it is a literal below the length, and therefore needs no check.
fn known_below(at: &Expr, length: u64) -> Option<u128> {
    match at.kind {
        ExprKind::Int(known, Sign::Plus) if known < u128::from(length) => Some(known),
        _ => None,
    }
}

/// Returns the operands of an element's place, from left to right: the root, unless it is a place, and the indices.
pub(super) fn operands_of_place(expr: &Expr) -> Vec<&Expr> {
    let (root, steps) = steps_to(expr);
    index_operands(root, &steps).into_iter().map(|(operand, _)| operand).collect()
}

/// Returns the same operands as [`operands_of_place`], each index that must be checked with the array's length and the
/// fault site.
fn index_operands<'e>(root: &'e Expr, steps: &[&'e Expr]) -> Vec<(&'e Expr, Option<(u64, u32)>)> {
    let begin = (!root.is_place()).then_some((root, None));
    let indices = steps.iter().filter_map(|step| match &step.kind {
        ExprKind::Index(base, at, site) => {
            let (length, at) = (length(base), &**at);
            let check = known_below(at, length).is_none().then_some((length, *site));
            Some((at, check))
        }
        _ => None,
    });
    begin.into_iter().chain(indices).collect()
}
