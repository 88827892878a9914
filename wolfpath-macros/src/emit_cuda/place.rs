//! Places as CUDA C: fields, parts and elements, and the temporaries that hold what is not one.

use proc_macro2::Ident;

use super::body::Body;
use super::{plain, user};
use crate::model::{Expr, ExprKind, Ty};

impl Body<'_> {
    pub(super) fn field(&mut self, base: &Expr, name: &Ident) -> String {
        let text = self.value(base);
        field_of(text, &base.ty, name)
    }

    /// An element. The indices on the way to it are worked out from left to right; the place where they begin is not
    /// read before all of them are, and never copied.
    pub(super) fn index(&mut self, expr: &Expr) -> String {
        let (root, steps) = steps_to(expr);
        let indices = steps.iter().filter_map(|step| match &step.kind {
            ExprKind::Index(_, at, _) => Some(&**at),
            _ => None,
        });
        let (mut text, indices) = if root.is_place() {
            let indices = self.values(&indices.collect::<Vec<_>>());
            (self.value(root), indices)
        } else {
            let operands: Vec<&Expr> = std::iter::once(root).chain(indices).collect();
            let mut values = self.values(&operands);
            (values.remove(0), values)
        };
        let mut indices = indices.iter();
        for step in steps {
            text = match &step.kind {
                ExprKind::Field(base, name) => field_of(text, &base.ty, name),
                ExprKind::Part(_, part) => format!("{}._{part}", Self::operand(text)),
                ExprKind::Index(base, at, site) => {
                    let at = indexed(base, at, indices.next().map_or("", String::as_str), *site);
                    format!("{}.at[{at}]", Self::operand(text))
                }
                _ => text,
            };
        }
        text
    }

    /// A name for a value whose parts are read one by one.
    pub(super) fn kept(&mut self, expr: &Expr, value: Option<String>) -> Option<String> {
        let value = value?;
        if expr.is_place() {
            return Some(Self::operand(value));
        }
        let (name, declared) = (self.temporary(), self.kept_type(&expr.ty));
        self.text.line(format!("{declared} {name} = {value};"));
        Some(name)
    }

    /// The type of a temporary that holds a value; a reference is held as one.
    pub(super) fn kept_type(&self, ty: &Ty) -> String {
        let name = self.type_name(ty);
        if matches!(ty, Ty::Ref(..)) { name } else { format!("const {name}") }
    }
}

/// The expression where the way to a place begins, and the steps from there on.
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

/// A field of what `base` became.
pub(super) fn field_of(text: String, base: &Ty, name: &Ident) -> String {
    let ours = matches!(base.behind(), Ty::Edge | Ty::Vertex(_));
    let name = if ours { plain(name) } else { user(name) };
    format!("{}.{name}", Body::operand(text))
}

/// What stands in the brackets, for the index of this text. A number below the length needs no look at it.
fn indexed(base: &Expr, at: &Expr, text: &str, site: Option<u32>) -> String {
    let length = match base.ty.behind() {
        Ty::Array(_, length) => *length,
        _ => 0,
    };
    match at.kind {
        ExprKind::Int(known, false) if known < u128::from(length) => known.to_string(),
        _ => format!("rust::index({text}, {length}, cx, {})", site.unwrap_or_default()),
    }
}
