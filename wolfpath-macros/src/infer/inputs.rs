//! Reading an input: `self.altitude.of(v)`, `self.closed.contains_target(e)`. An input is no value of the language: it
//! can be asked about a vertex or an end of an edge where it stands, and nothing else.

use syn::spanned::Spanned;
use syn::{ExprMethodCall, Member};

use super::{Hint, Infer, typed};
use crate::model::{Expr, ExprKind, Ty};
use crate::parse::peel;

/// A way to read an input.
struct Lookup {
    method: &'static str,
    /// Of a `VertexSet`; otherwise of a `PerVertex`.
    of_set: bool,
    /// At an end of an edge; otherwise at a vertex.
    at_edge: bool,
    /// What the engine must know of the edge or vertex.
    reads: &'static str,
}

const fn lookup(method: &'static str, of_set: bool, at_edge: bool, reads: &'static str) -> Lookup {
    Lookup { method, of_set, at_edge, reads }
}

static LOOKUPS: [Lookup; 6] = [
    lookup("of", false, false, "inputs"),
    lookup("source", false, true, "source_inputs"),
    lookup("target", false, true, "target_inputs"),
    lookup("contains", true, false, "inputs"),
    lookup("contains_source", true, true, "source_inputs"),
    lookup("contains_target", true, true, "target_inputs"),
];

/// What Rust has on inputs beside, for the host.
const OTHER_METHODS: [&str; 4] = ["get", "has", "ids", "clone"];

impl Infer<'_, '_> {
    /// The call, when it reads an input of the program.
    pub(super) fn input_call(&mut self, call: &ExprMethodCall) -> Option<Expr> {
        let (place, field, ty) = self.input_field(&call.receiver)?;
        let method = call.method.to_string();
        let of_set = ty == Ty::VertexSet;
        let ways = ways(&field, of_set);
        let Some(lookup) = LOOKUPS.iter().find(|lookup| lookup.of_set == of_set && lookup.method == method)
        else {
            let message = format!("`{method}` does not read an input in an edge program: {ways}");
            let rust_has_it = OTHER_METHODS.contains(&method.as_str());
            return Some(match rust_has_it {
                true => self.refuse(&call.method, message),
                false => self.disagree(call.method.span(), message),
            });
        };
        let [argument] = call.args.iter().collect::<Vec<_>>()[..] else {
            let message = format!("`{method}` takes one vertex or one edge: {ways}");
            return Some(self.disagree(call.method.span(), message));
        };
        let at = self.expr(argument, &Hint::None);
        match (self.deep(&at.ty), lookup.at_edge) {
            (Ty::Error, _) => {}
            (Ty::Edge, true) => self.reads.edge.push(lookup.reads.into()),
            (Ty::Vertex(_), false) => self.reads.vertex.push(lookup.reads.into()),
            (found, _) => {
                let wanted = if lookup.at_edge { "an edge" } else { "a vertex" };
                let message = format!("`{method}` takes {wanted}, found `{}`: {ways}", self.show(&found));
                return Some(self.disagree(argument.span(), message));
            }
        }
        self.reads.inputs.push(field.to_string());
        let output = match ty {
            Ty::PerVertex(of) => *of,
            _ => Ty::Bool,
        };
        Some(typed(ExprKind::Input(lookup.method, Box::new(place), Box::new(at)), output, call.span()))
    }

    /// `self.field`, its name and its type, when that is an input.
    fn input_field(&mut self, receiver: &syn::Expr) -> Option<(Expr, syn::Ident, Ty)> {
        let syn::Expr::Field(field) = peel(receiver) else { return None };
        let (syn::Expr::Path(base), Member::Named(name)) = (peel(&field.base), &field.member) else {
            return None;
        };
        let ty = self.names.field_type(&Ty::Params, &name.to_string())?;
        if !base.path.is_ident("self") || !is_input(&ty) {
            return None;
        }
        let this = self.expr(&field.base, &Hint::None);
        let this = self.behind(this);
        // In a method of a struct, `self` is that struct.
        let place = ExprKind::Field(Box::new(this.clone()), name.clone());
        (this.ty == Ty::Params).then(|| (typed(place, ty.clone(), field.span()), name.clone(), ty))
    }

    /// Refuses an input that stands by itself, as a value.
    pub(super) fn input_alone(&mut self, name: &syn::Ident, ty: &Ty) -> Option<Expr> {
        if !is_input(ty) {
            return None;
        }
        let ways = ways(name, *ty == Ty::VertexSet);
        Some(self.refuse(name, format!("`{name}` is an input, which is no value: {ways}")))
    }
}

fn is_input(ty: &Ty) -> bool {
    matches!(ty, Ty::PerVertex(_) | Ty::VertexSet)
}

/// How an input can be read.
fn ways(field: &syn::Ident, of_set: bool) -> String {
    let ways = LOOKUPS.iter().filter(|lookup| lookup.of_set == of_set).map(|lookup| {
        format!("`self.{field}.{}({})`", lookup.method, if lookup.at_edge { "e" } else { "v" })
    });
    format!("write {}", ways.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    /// The messages for a program with two inputs and this `start`. They stand here where rustc has its say too.
    fn refused(body: &str, message: &str) {
        let item = format!(
            "mod m {{ pub struct P {{ pub altitude: PerVertex<u32>, pub closed: VertexSet }} fn one(x: u32) -> u32 {{ x }}
             impl P {{ fn at(&self, v: Vertex) -> u32 {{ self.altitude.of(v) }} }}
             impl EdgeProgram for P {{ type Value = u32; type Message = u32; type Combine = Min;
             fn start(&self, v: Vertex) -> u32 {{ {body} }} fn edge(&self, e: Edge<u32>) -> u32 {{ e.value }} }} }}"
        );
        let arguments = syn::parse_str("").expect("no arguments");
        let expanded = crate::expand(arguments, syn::parse_str(&item).expect("the item parses"));
        let mut found = Vec::new();
        crate::tests::collect(expanded.clone(), &mut found);
        // What rustc is left to say makes the program unsound, and nothing else is said.
        let unsound = expanded.to_string().contains("was not understood");
        found.retain(|found| !found.contains("was not understood"));
        let fits = match message {
            "" => found.is_empty() && !unsound,
            "rustc" => found.is_empty() && unsound,
            _ => found.iter().any(|found| found.contains(message)),
        };
        assert!(fits, "{body}: {found:#?}");
    }

    #[test]
    fn inputs_are_read_where_they_stand() {
        refused("if self.closed.contains(v) { self.altitude.of(v) } else { self.at(v) }", "");
        refused(
            "let altitude = self.altitude; 0",
            "`altitude` is an input, which is no value: write `self.altitude.of(v)`",
        );
        refused(
            "one(self.closed)",
            "`closed` is an input, which is no value: write `self.closed.contains(v)`",
        );
        refused("let lent = &self.closed; 0", "`closed` is an input, which is no value");
        refused("self.altitude.get(v.id)", "`get` does not read an input in an edge program");
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
