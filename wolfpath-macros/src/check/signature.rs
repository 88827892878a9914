//! What the functions of a program take and return, against what the programming model asks for.

use quote::ToTokens;
use syn::{FnArg, Signature};

use super::starts_of;
use crate::infer::typed_inputs;
use crate::messages::Errors;
use crate::model::{Combine, Starts, Ty};
use crate::names::{Names, agrees};
use crate::parse::Source;

/// The types of each function of the program, once checked.
pub(super) struct Signatures {
    types: Vec<(String, Vec<Ty>, Ty)>,
    starts: Starts,
}

/// What a function must look like.
struct Wanted {
    /// For each parameter, the types that it may have.
    inputs: Vec<Vec<Ty>>,
    outputs: Vec<Ty>,
}

impl Signatures {
    pub(super) fn new(source: &Source, names: &Names, combine: Combine, errors: &mut Errors) -> Signatures {
        let mut types = Vec::new();
        for method in &source.methods {
            let signature = &method.signature;
            check_receiver(signature, errors);
            let inputs = typed_inputs(signature)
                .map(|input| names.resolve(&input.ty, Some(&Ty::Params), errors))
                .collect();
            let output = match &signature.output {
                syn::ReturnType::Type(_, ty) => names.resolve(ty, Some(&Ty::Params), errors),
                syn::ReturnType::Default => Ty::Unit,
            };
            types.push((signature.ident.to_string(), inputs, output));
        }
        let start = types.iter().find(|(name, ..)| name == "start").map(|(.., output)| output);
        let signatures = Signatures { starts: starts_of(source, names, start), types };
        signatures.check(source, names, combine, errors);
        signatures.present(source, names, errors);
        signatures
    }

    /// Whether there is an `edge`, without which there is no program.
    pub(super) fn has_edge(&self) -> bool {
        self.of("edge").is_some()
    }

    pub(super) fn starts(&self) -> Starts {
        self.starts
    }

    /// Parameters after `self`, and the result, of the function of this name.
    pub(super) fn of(&self, name: &str) -> Option<(&[Ty], &Ty)> {
        self.types
            .iter()
            .find(|(known, ..)| known == name)
            .map(|(_, inputs, output)| (inputs.as_slice(), output))
    }

    fn check(&self, source: &Source, names: &Names, combine: Combine, errors: &mut Errors) {
        for method in &source.methods {
            let name = method.signature.ident.to_string();
            let (Some((inputs, output)), Some(wanted)) =
                (self.of(&name), self.wanted(&name, source, names, combine))
            else {
                continue;
            };
            if inputs.len() != wanted.inputs.len() {
                let list: Vec<String> = wanted.inputs.iter().map(|types| choices(types, names)).collect();
                let message = format!("`{name}` takes `&self` and then: {}", list.join(", "));
                errors.on(&method.signature.inputs, message);
                continue;
            }
            for ((input, ty), types) in typed_inputs(&method.signature).zip(inputs).zip(&wanted.inputs) {
                let note = if name == "apply" && types.len() == 1 && matches!(types[0], Ty::Option(_)) {
                    ": every vertex sends and the combiner has no neutral message, so there may be none"
                } else {
                    ""
                };
                expect(&input.ty, ty, types, note, names, errors);
            }
            expect(&method.signature.output, output, &wanted.outputs, "", names, errors);
        }
    }

    fn wanted(&self, name: &str, source: &Source, names: &Names, combine: Combine) -> Option<Wanted> {
        let (value, message) = (names.value.clone(), names.message.clone());
        let with = |inputs: Vec<Ty>, outputs: Vec<Ty>| {
            Some(Wanted { inputs: inputs.into_iter().map(|ty| vec![ty]).collect(), outputs })
        };
        let vertex = |value: Ty| Ty::Vertex(Box::new(value));
        match name {
            "start" => with(vec![vertex(Ty::Unit)], vec![value.clone(), Ty::option(value)]),
            "edge" => with(vec![Ty::Edge], vec![message.clone(), Ty::option(message)]),
            "combine" => with(vec![message.clone(), message.clone()], vec![message]),
            "changed" => with(vec![value.clone(), value], vec![Ty::Bool]),
            "aggregate" if names.aggregate == Ty::Unit => None,
            "aggregate" => with(vec![vertex(value)], vec![names.aggregate.clone()]),
            "apply" => {
                let before =
                    if self.starts == Starts::Some { Ty::option(value.clone()) } else { value.clone() };
                let optional = source.all_send && !combine.has_identity();
                let incoming = if optional { Ty::option(message) } else { message };
                with(vec![vertex(before), incoming], vec![value])
            }
            _ => None,
        }
    }

    /// Whether all that must be there is, and nothing that has no use.
    fn present(&self, source: &Source, names: &Names, errors: &mut Errors) {
        let has = |name: &str| self.of(name).is_some();
        if !has("edge") && !source.misspelt {
            errors.on(
                &source.name,
                "a program needs `fn edge(&self, e: Edge<..>)`: what travels along one edge",
            );
        }
        if source.params.is_some() && !has("start") && !source.misspelt {
            errors.on(
                &source.name,
                "a program needs `fn start(&self, v: Vertex)`: the first value of a vertex",
            );
        }
        if !has("apply") && !agrees(&names.value, &names.message) {
            let (value, message) = (names.show(&names.value), names.show(&names.message));
            let way = if names.is_function {
                "return what the function takes, or use the module form, whose `fn apply` makes one of the other"
            } else {
                "write `fn apply` to make one of the other"
            };
            errors.on(&source.message, format!("messages are `{message}` and values `{value}`: {way}"));
        }
        let aggregates = names.aggregate != Ty::Unit;
        if names.aggregate == Ty::Error {
            return;
        }
        if aggregates && !has("aggregate") {
            errors.on(&source.aggregate, "`type Aggregate` needs `fn aggregate(&self, v: Vertex<..>)`");
        }
        if !aggregates && has("aggregate") {
            errors.on(&source.name, "`fn aggregate` needs `type Aggregate = Sum<..>;`, or another fold");
        }
    }
}

fn check_receiver(signature: &Signature, errors: &mut Errors) {
    match signature.inputs.first() {
        Some(FnArg::Receiver(receiver)) if receiver.reference.is_some() && receiver.mutability.is_none() => {}
        _ => {
            errors.on(&signature.ident, "this function takes `&self` first: it may read the program's fields")
        }
    }
}

fn expect(written: &dyn ToTokens, ty: &Ty, wanted: &[Ty], note: &str, names: &Names, errors: &mut Errors) {
    if wanted.iter().any(|wanted| agrees(ty, wanted)) {
        return;
    }
    errors.on(written, format!("expected {}, found `{}`{note}", choices(wanted, names), names.show(ty)));
}

fn choices(types: &[Ty], names: &Names) -> String {
    types.iter().map(|ty| format!("`{}`", names.show(ty))).collect::<Vec<_>>().join(" or ")
}
