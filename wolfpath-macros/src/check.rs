//! From pieces to a checked [`Program`]: the signatures against what the programming model asks for, the bodies
//! through inference, the combiner against the message's type, and no recursion.

mod layout;
mod signature;

use proc_macro2::Ident;
use syn::{Type, parse_quote};

use crate::infer::Findings;
use crate::messages::Errors;
use crate::model::{
    Access, Block, Combine, DataType, ExprKind, Function, Methods, Program, Reads, Starts, Ty, visit_block,
};
use crate::names::{NamedConst, Names, Prototype, check_ascii};
use crate::parse::{Callable, Constant, Source};
use layout::layouts;
use signature::Signatures;

/// The whole program, typed; [`Program::unsound`] when something about it was refused, `None` when so much was that not
/// even its outside is known.
pub(crate) fn check(source: &Source, errors: &mut Errors) -> Option<Program> {
    let before = errors.len();
    let mut names = Names::new(source, errors);
    let combine = combiner(source, &names, errors);
    // With data types that are not understood there is nothing to write beside the user's item.
    let outside_is_known = errors.len() == before;
    names.consts = source.consts.iter().map(|item| constant(item, &names, errors)).collect();
    names.functions = source.functions.iter().map(|function| prototype(function, &names, errors)).collect();
    let signatures = Signatures::new(source, &names, combine, errors);
    layouts(source, &names, errors);
    if !outside_is_known || !signatures.has_edge() {
        return None;
    }
    let mut program = bodies(source, &names, combine, &signatures, errors)?;
    no_recursion(&program.functions, errors);
    program.unsound = errors.unsound();
    Some(program)
}

fn constant(item: &Constant, names: &Names, errors: &mut Errors) -> NamedConst {
    check_ascii(&item.name, errors);
    let owner = item.owner.as_ref().and_then(|owner| names.own_type(owner));
    let ty = names.resolve(&item.ty, owner.as_ref(), errors);
    NamedConst { owner, name: item.name.clone(), ty }
}

fn prototype(function: &Callable, names: &Names, errors: &mut Errors) -> Prototype {
    let signature = &function.signature;
    check_ascii(&signature.ident, errors);
    let owner = function.owner.as_ref().and_then(|owner| owned(owner, names, errors));
    let mut inputs = Vec::new();
    if let Some(receiver) = signature.receiver() {
        inputs.extend(receives(receiver, owner.as_ref(), errors));
    }
    let takes_self = !inputs.is_empty();
    let written = crate::infer::typed_inputs(signature);
    inputs.extend(written.map(|input| names.resolve(&input.ty, owner.as_ref(), errors)));
    let output = match &signature.output {
        syn::ReturnType::Type(_, ty) => names.resolve(ty, owner.as_ref(), errors),
        syn::ReturnType::Default => Ty::Unit,
    };
    if let Ty::Ref(..) = output {
        errors.on(&signature.output, "a function of a program returns a value: leave out the `&`");
    }
    let changes = inputs.iter().any(|input| matches!(input, Ty::Ref(Access::Mutable, _)));
    if output == Ty::Unit && !changes {
        errors.on(
            &signature.ident,
            "this function returns nothing and changes nothing: write `-> ` and a type, or take a `&mut`",
        );
    }
    Prototype { owner, name: signature.ident.clone(), takes_self, inputs, output }
}

/// The type in whose `impl` a function or constant stands.
fn owned(owner: &Ident, names: &Names, errors: &mut Errors) -> Option<Ty> {
    let ty = names.own_type(owner);
    if ty.is_none() {
        errors.on(owner, "an `impl` in an edge program is of a struct or an enum of its module");
    }
    ty
}

/// The type of `self`.
fn receives(receiver: &syn::Receiver, owner: Option<&Ty>, errors: &mut Errors) -> Option<Ty> {
    let Some(owner) = owner else {
        errors.disagreement(
            receiver.self_token.span,
            "a free function has no `self`: pass the fields that it needs",
        );
        return None;
    };
    if receiver.colon_token.is_some() {
        errors.on(receiver, "write `self`, `&self` or `&mut self` here");
    }
    let by_reference = receiver.reference.is_some();
    match (by_reference, receiver.mutability.is_some(), owner) {
        (true, true, Ty::Params) => {
            errors.on(receiver, "the fields of a program are the same for every edge: write `&self`");
        }
        (false, _, Ty::Params) => errors.on(receiver, "a method of the program takes `&self`"),
        _ => {}
    }
    Some(match by_reference {
        true => Ty::Ref(Access::of(receiver.mutability.as_ref()), Box::new(owner.clone())),
        false => owner.clone(),
    })
}

/// The combiner, fitting the message's type.
fn combiner(source: &Source, names: &Names, errors: &mut Errors) -> Combine {
    let own = source.methods.iter().find(|method| method.signature.ident == "combine");
    let Some((combine, written)) = &source.combine else {
        if own.is_none() {
            errors.on(
                &source.name,
                "say how messages to one vertex become one: `type Combine = Min;` (Max, Sum, Or, And, Any), or \
                 `fn combine(&self, a, b)`",
            );
        }
        return Combine::Custom;
    };
    match own {
        Some(_) if *combine == Combine::Custom => {}
        Some(method) => errors.on(
            &method.signature.ident,
            format!(
                "messages are combined by `{combine}` already: leave out `type Combine` or this function"
            ),
        ),
        None if *combine == Combine::Custom => {
            errors.on(written, "`Custom` needs the program's own `fn combine(&self, a, b)`");
        }
        None => check_combiner(*combine, written, names, errors),
    }
    *combine
}

fn check_combiner(combine: Combine, written: &Type, names: &Names, errors: &mut Errors) {
    let message = &names.message;
    let (fits, takes) = match combine {
        Combine::Min | Combine::Max | Combine::Sum => (message.is_number(), "numbers"),
        Combine::Or | Combine::And => (matches!(message, Ty::Bool | Ty::Int(_)), "`bool` and integers"),
        Combine::Any | Combine::Custom => (true, "everything"),
    };
    if !fits && *message != Ty::Error {
        let shown = names.show(message);
        let way = if names.is_function {
            "a combiner of your own needs the module form"
        } else {
            "write `fn combine(&self, a, b)` instead"
        };
        errors.on(written, format!("`{combine}` combines {takes}, and messages are `{shown}`: {way}"));
    }
}

fn bodies(
    source: &Source,
    names: &Names,
    combine: Combine,
    signatures: &Signatures,
    errors: &mut Errors,
) -> Option<Program> {
    let (mut sites, mut reads) = (Vec::new(), Reads::default());
    let mut findings = Findings { names, errors, sites: &mut sites, reads: &mut reads };
    let consts: Vec<_> = source
        .consts
        .iter()
        .zip(&names.consts)
        .map(|(item, named)| findings.constant(named, &item.value))
        .collect();
    let functions: Vec<_> = source
        .functions
        .iter()
        .zip(&names.functions)
        .map(|(function, types)| findings.function(function, types))
        .collect();
    let mut method = |name: &str| -> Option<Function> {
        let callable = source.methods.iter().find(|method| method.signature.ident == name)?;
        let (inputs, output) = signatures.of(name)?;
        Some(findings.method(callable, inputs, output))
    };
    let start = method("start");
    let edge = method("edge");
    let methods = Methods {
        start,
        edge: edge?,
        combine: method("combine"),
        apply: method("apply"),
        changed: method("changed"),
        aggregate: method("aggregate"),
    };
    Some(Program {
        name: source.name.clone(),
        value: DataType { written: source.value.clone(), ty: names.value.clone() },
        message: DataType { written: source.message.clone(), ty: names.message.clone() },
        weight: DataType { written: source.weight.clone().unwrap_or_else(unit), ty: names.weight.clone() },
        aggregate: DataType {
            written: source
                .aggregate
                .clone()
                .unwrap_or_else(|| parse_quote!(::wolfpath::program::NoAggregate)),
            ty: names.aggregate.clone(),
        },
        combine,
        all_send: source.all_send,
        starts: signatures.starts(),
        params: names.params.clone(),
        structs: names.structs.clone(),
        enums: names.enums.clone(),
        consts,
        functions,
        methods,
        sites,
        reads,
        unsound: None,
    })
}

fn unit() -> Type {
    parse_quote!(())
}

/// Refuses functions that call themselves, through others or not: a device has no stack to spare.
fn no_recursion(functions: &[Function], errors: &mut Errors) {
    let calls: Vec<Vec<usize>> = functions.iter().map(|function| called(&function.body)).collect();
    for (index, function) in functions.iter().enumerate() {
        let mut seen = vec![false; functions.len()];
        let mut open = calls[index].clone();
        while let Some(next) = open.pop() {
            if !std::mem::replace(&mut seen[next], true) {
                open.extend(&calls[next]);
            }
        }
        if seen[index] {
            recursive(&function.name, errors);
        }
    }
}

fn recursive(name: &Ident, errors: &mut Errors) {
    errors.on(
        name,
        format!("`{name}` calls itself: a GPU has no stack to spare, so write it without recursion"),
    );
}

/// The functions that a block calls.
fn called(block: &Block) -> Vec<usize> {
    let mut found = Vec::new();
    visit_block(block, &mut |expr| {
        if let ExprKind::Call(index, _) = expr.kind {
            found.push(index);
        }
    });
    found
}

/// Whether the program starts from sources, everywhere, or where `start` says.
fn starts_of(source: &Source, names: &Names, output: Option<&Ty>) -> Starts {
    match output {
        None if source.params.is_none() => Starts::Sources,
        Some(Ty::Option(of)) if crate::names::agrees(of, &names.value) => Starts::Some,
        _ => Starts::Every,
    }
}
