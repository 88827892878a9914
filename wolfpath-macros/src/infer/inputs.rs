//! Reads of inputs (fields with a value for every vertex): `self.altitude.of(v)`, `self.closed.contains_target(e)`. An
//! input is not a value of the language. It can only be read by one of its methods, for a vertex, or for the source or
//! target of an edge.

use syn::spanned::Spanned;
use syn::{ExprMethodCall, Member};

use super::{Hint, Infer, typed};
use crate::model::inferred::{Expr, ExprKind, Ty};
use crate::model::views::{INPUT_READS, InputKind};
use crate::parse::peel;

/// Methods of inputs that exist only on the host.
const OTHER_METHODS: [&str; 4] = ["get", "has", "ids", "clone"];

impl Infer<'_, '_> {
    /// Returns the expression that reads an input, if the call does so.
    pub(super) fn input_call(&mut self, call: &ExprMethodCall) -> Option<Expr> {
        let (place, field, ty) = self.input_field(&call.receiver)?;
        let method = call.method.to_string();
        let kind = InputKind::of(&ty)?;
        let advice = advice(&field, kind);
        let Some(read) = INPUT_READS.iter().find(|read| read.of == kind && read.method == method) else {
            let message = format!("`{method}` cannot be called on an input in an edge program: {advice}");
            let rust_has_it = OTHER_METHODS.contains(&method.as_str());
            return Some(match rust_has_it {
                true => self.refuse(&call.method, message),
                false => self.disagree(call.method.span(), message),
            });
        };
        let [argument] = call.args.iter().collect::<Vec<_>>()[..] else {
            let message = format!("`{method}` takes one vertex or one edge: {advice}");
            return Some(self.disagree(call.method.span(), message));
        };
        let at = self.expr(argument, &Hint::None);
        match (self.deep(&at.ty), read.at.is_of_edge()) {
            (Ty::REFUSED, _) => {}
            (Ty::Edge, true) | (Ty::Vertex(..), false) => {
                self.reads.noted.insert(read.at.noted());
            }
            (found, of_edge) => {
                let wanted = if of_edge { "an edge" } else { "a vertex" };
                let message = format!("`{method}` takes {wanted}, found `{}`: {advice}", self.show(&found));
                return Some(self.disagree(argument.span(), message));
            }
        }
        self.reads.inputs.push(field.to_string());
        let output = match ty {
            Ty::PerVertex(of) => *of,
            _ => Ty::Bool,
        };
        Some(typed(ExprKind::Input(read, Box::new(place), Box::new(at)), output, call.span()))
    }

    /// Returns `self.field`, its name and its type, if the field is an input.
    fn input_field(&mut self, receiver: &syn::Expr) -> Option<(Expr, syn::Ident, Ty)> {
        let syn::Expr::Field(field) = peel(receiver) else { return None };
        let (syn::Expr::Path(base), Member::Named(name)) = (peel(&field.base), &field.member) else {
            return None;
        };
        let ty = self.names.field_type(&Ty::Params, &name.to_string())?;
        if !base.path.is_ident("self") || InputKind::of(&ty).is_none() {
            return None;
        }
        let this = self.expr(&field.base, &Hint::None);
        let this = self.behind(this);
        // In a method of a struct, `self` is that struct.
        let place = ExprKind::Field(Box::new(this.clone()), name.clone());
        (this.ty == Ty::Params).then(|| (typed(place, ty.clone(), field.span()), name.clone(), ty))
    }

    /// Rejects an input that is used as a value.
    pub(super) fn input_alone(&mut self, name: &syn::Ident, ty: &Ty) -> Option<Expr> {
        let advice = advice(name, InputKind::of(ty)?);
        Some(self.refuse(name, format!("`{name}` is an input, not a value: {advice}")))
    }
}

/// Returns advice on how to read an input.
fn advice(field: &syn::Ident, kind: InputKind) -> String {
    let calls = INPUT_READS.iter().filter(|read| read.of == kind).map(|read| {
        format!("`self.{field}.{}({})`", read.method, if read.at.is_of_edge() { "e" } else { "v" })
    });
    format!("write {}", calls.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    /// Checks the messages for a program with two inputs and this `start`. These tests also cover errors that rustc
    /// reports.
    fn refused(body: &str, message: &str) {
        let item = format!(
            "mod m {{ pub struct P {{ pub altitude: PerVertex<u32>, pub closed: VertexSet }} fn one(x: u32) -> u32 {{ x }}
             impl P {{ fn at(&self, v: Vertex) -> u32 {{ self.altitude.of(v) }} }}
             impl EdgeProgram for P {{ type Value = u32; type Message = u32; type Combine = Min;
             fn start(&self, v: Vertex) -> u32 {{ {body} }} fn edge(&self, e: Edge<u32>) -> u32 {{ e.value }} }} }}"
        );
        let arguments = syn::parse_str("").expect("no arguments");
        let expanded = crate::expand(arguments, syn::parse_str(&item).expect("the item parses"), None);
        let mut found = Vec::new();
        crate::tests::collect(expanded.clone(), &mut found);
        // A disagreement is an error that rustc reports. It makes the program ill-typed, and the macro gives no other
        // message.
        let ill_typed = expanded.to_string().contains("was not understood");
        found.retain(|found| !found.contains("was not understood"));
        let fits = match message {
            "" => found.is_empty() && !ill_typed,
            "rustc" => found.is_empty() && ill_typed,
            _ => found.iter().any(|found| found.contains(message)),
        };
        assert!(fits, "{body}: {found:#?}");
    }

    #[test]
    fn inputs_are_read_where_they_stand() {
        refused("if self.closed.contains(v) { self.altitude.of(v) } else { self.at(v) }", "");
        refused(
            "let altitude = self.altitude; 0",
            "`altitude` is an input, not a value: write `self.altitude.of(v)`",
        );
        refused("one(self.closed)", "`closed` is an input, not a value: write `self.closed.contains(v)`");
        refused("let lent = &self.closed; 0", "`closed` is an input, not a value");
        refused("self.altitude.get(v.id)", "`get` cannot be called on an input in an edge program");
        for body in [
            "self.altitude.source(v)",
            "self.altitude.of(v.id)",
            "self.altitude.of()",
            "self.altitude.contains(v)",
            "self.closed.of(v)",
            "let wide: u64 = self.altitude.of(v); 0",
        ] {
            refused(body, "rustc");
        }
    }
}
