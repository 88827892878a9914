//! The last check of a program: compares its signatures with the programming model, checks the layout of its data, and
//! rejects recursion. If nothing was rejected, it builds the final model.

use std::convert::Infallible;

use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use syn::{Type, parse_quote};

use crate::messages::Errors;
use crate::methods::Method;
use crate::model::inferred::{Block, Bodies, Field, Function, Ty};
use crate::model::views::InputRead;
use crate::model::{
    self, Access, Ampersand, BinaryOp, Checked, Combine, Computes, DataType, Elements, ExprKind, Float,
    Inferred, Int, Interface, Limits, LogicOp, Mutability, Numbered, Polling, Program, Reads, Refused,
    Senders, Sign, Site, UnaryOp, Unknown, held, layout, offsets, structs_in, visit_block,
};
use crate::names::{Names, agrees, typed_inputs};
use crate::parse::Source;

/// Checks a program, given its inferred bodies and the errors found in them. Returns `None` if even the program's
/// interface is unknown.
pub(crate) fn check(
    source: &Source,
    names: Names,
    bodies: Option<Bodies>,
    in_bodies: Errors,
    errors: &mut Errors,
) -> Option<Checked> {
    let signatures = Signatures { source, names: &names };
    signatures.check(errors);
    signatures.present(errors);
    layouts(source, &names, errors);
    let bodies = bodies?;
    // Errors in declarations come before errors in bodies, which may follow from them.
    errors.append(in_bodies);
    no_recursion(&bodies.functions, errors);
    let interface = interface(source, names)?;
    Some(match (errors.ill_typed(), bodies.settle()) {
        (None, Some(bodies)) => Checked::Program(Box::new(Program { interface, bodies })),
        (message, _) => {
            let message = message.unwrap_or_else(|| "the type of an expression is not known".to_owned());
            Checked::IllTyped(Box::new(interface), message)
        }
    })
}

/// Returns the interface of the program, if its types are known and can be laid out.
fn interface(source: &Source, names: Names) -> Option<Interface> {
    if !parameters_have_sizes(&names) {
        return None;
    }
    let weight = source.weight.clone().unwrap_or_else(|| parse_quote!(()));
    let aggregate = source.aggregate.clone();
    let aggregate = aggregate.unwrap_or_else(|| parse_quote!(::wolfpath::program::NoAggregate));
    let data = |written: Type, ty: Ty| Some(DataType { written, ty: ty.settle()? });
    Some(Interface {
        name: source.name.clone(),
        value: data(source.value.clone(), names.value)?,
        message: data(source.message.clone(), names.message)?,
        weight: data(weight, names.weight)?,
        aggregate: data(aggregate, names.aggregate)?,
        folds: names.folds,
        folds_before: names.folds_before,
        combine: names.combine,
        senders: names.senders,
        neighbours: names.neighbours,
        accumulates: names.accumulates,
        computes: names.computes,
        starts: names.starts,
        params: names.params.settle()?,
        structs: names.structs.settle()?,
        enums: names.enums,
        shared: source.shared,
    })
}

/// Comparison of a program's functions with their required signatures.
struct Signatures<'a> {
    source: &'a Source,
    names: &'a Names,
}

/// The types that a function of the program may have.
struct Wanted {
    /// For each parameter, the types that it may have.
    inputs: Vec<Vec<Ty>>,
    outputs: Vec<Ty>,
}

impl Signatures<'_> {
    fn check(&self, errors: &mut Errors) {
        let names = self.names;
        for method in &self.source.methods {
            let name = method.signature.ident.to_string();
            let (Some(prototype), Some(wanted)) = (names.method(&name), self.wanted(&name)) else { continue };
            let (inputs, output) = (&prototype.inputs, &prototype.output);
            if inputs.len() != wanted.inputs.len() {
                let list: Vec<String> = wanted.inputs.iter().map(|types| choices(types, names)).collect();
                let message = format!("wrong parameters: `{name}` takes `&self`, then {}", list.join(", "));
                errors.on(&method.signature.inputs, message);
                continue;
            }
            for ((input, ty), types) in typed_inputs(&method.signature).zip(inputs).zip(&wanted.inputs) {
                let is_optional = types.len() == 1 && matches!(types[0], Ty::Option(_));
                let note = match names.computes {
                    Computes::All if name == "apply" && is_optional => {
                        ": every vertex sends and the combiner has no neutral message, so there may be no message"
                    }
                    Computes::Awake if name == "apply" && is_optional => {
                        ": vertices that have not halted compute without a message, and the combiner has no neutral one"
                    }
                    _ => "",
                };
                expect(&input.ty, ty, types, note, names, errors);
            }
            let note = match output {
                Ty::Option(of) if name == "apply" && agrees(of, &names.value) => {
                    ": a vertex that computes has a value. To keep the old one, return `v.value`; `sends` decides whether it \
                     is sent"
                }
                _ => "",
            };
            expect(&method.signature.output, output, &wanted.outputs, note, names, errors);
        }
    }

    fn wanted(&self, name: &str) -> Option<Wanted> {
        let names = self.names;
        let (value, message) = (names.value.clone(), names.message.clone());
        let with = |inputs: Vec<Ty>, outputs: Vec<Ty>| {
            Some(Wanted { inputs: inputs.into_iter().map(|ty| vec![ty]).collect(), outputs })
        };
        let vertex = |value: Ty| Ty::Vertex(Box::new(value), Box::new(Ty::Unit));
        match name {
            "start" => with(vec![vertex(Ty::Unit)], vec![value.clone(), Ty::option(value)]),
            "edge" => with(vec![Ty::Edge], vec![message.clone(), Ty::option(message)]),
            "combine" => with(vec![message.clone(), message.clone()], vec![message]),
            "changed" => with(vec![value.clone(), value], vec![Ty::Bool]),
            "sends" | "halts" => with(vec![vertex(value)], vec![Ty::Bool]),
            "priority" => with(vec![vertex(value)], vec![Ty::Int(Int::U64)]),
            "aggregate" | "finished" if names.aggregate == Ty::Unit => None,
            "finished" => {
                let fold = || names.aggregate.clone();
                with(vec![fold(), fold(), Ty::Int(Int::U64)], vec![Ty::Bool])
            }
            "aggregate" if names.folds_before => {
                with(vec![names.with_before(vertex(value))], vec![names.aggregate.clone()])
            }
            "aggregate" => with(vec![vertex(value)], vec![names.aggregate.clone()]),
            "apply" => {
                let incoming = names.computes.incoming(&names.combine, &message);
                with(vec![vertex(names.starts.before(&value)), incoming], vec![value])
            }
            _ => None,
        }
    }

    /// Rejects a program that lacks a required function, or has a function that is never used.
    fn present(&self, errors: &mut Errors) {
        let Signatures { source, names } = *self;
        let has = |name: &str| names.method(name).is_some();
        if !has("edge") && !source.misspelt {
            errors.on(
                &source.name,
                "missing `fn edge(&self, e: Edge<..>)`, which returns the message along one edge",
            );
        }
        if source.params.is_some() && !has("start") && !source.misspelt {
            errors.on(
                &source.name,
                "missing `fn start(&self, v: Vertex)`, which returns the first value of a vertex",
            );
        }
        if !has("apply") && !agrees(&names.value, &names.message) {
            let (value, message) = (names.show(&names.value), names.show(&names.message));
            let advice = if names.accumulates {
                "the value of a vertex of an accumulating program is the sum of the messages that it received"
            } else if names.is_function {
                "return the type that the function takes, or use the module form with `fn apply` to compute \
                 values from messages"
            } else {
                "write `fn apply` to compute values from messages"
            };
            errors
                .on(&source.message, format!("messages are `{message}`, but values are `{value}`: {advice}"));
        }
        self.contradictions(errors);
        let aggregates = names.aggregate != Ty::Unit;
        if names.aggregate == Ty::REFUSED {
            return;
        }
        if aggregates && !has("aggregate") {
            errors.on(&source.aggregate, "`type Aggregate` requires `fn aggregate(&self, v: Vertex<..>)`");
        }
        if !aggregates && has("aggregate") {
            errors.on(&source.name, "`fn aggregate` requires `type Aggregate = Sum<..>;`, or another fold");
        }
        if !aggregates && has("finished") {
            errors.on(
                &source.name,
                "`fn finished` compares two folds, so it requires `type Aggregate = Sum<..>;`, or another fold, and \
                 `fn aggregate`",
            );
        }
    }
}

impl Signatures<'_> {
    /// Rejects functions that decide the same thing, or that can never decide anything.
    fn contradictions(&self, errors: &mut Errors) {
        let Signatures { source, names } = *self;
        let written = |name: &str| {
            let mut methods = source.methods.iter().map(|method| &method.signature.ident);
            methods.find(|ident| *ident == name)
        };
        if let Some(promise) = &source.accumulates {
            self.accumulates(promise, errors);
        }
        if let (Some(halts), Computes::All) = (written("halts"), names.computes) {
            errors.on(
                halts,
                "under `Senders::All` every vertex computes in every step, so none can halt: remove `halts`, or remove \
                 `SENDERS` and let `sends` decide who sends",
            );
        }
        if let (Some(priority), Computes::All) = (written("priority"), names.computes) {
            errors.on(
                priority,
                "under `Senders::All` no vertex waits to send, so there is nothing to order: remove `priority`, or \
                 remove `SENDERS`",
            );
        }
        if let (Some(priority), Computes::Awake) = (written("priority"), names.computes) {
            errors.on(
                priority,
                "with `priority`, a vertex computes only if it receives a message, so it cannot have `halts`: remove \
                 one of the two",
            );
        }
        if let (Combine::Fields(_), Ty::Struct(index)) = (&names.combine, &names.message)
            && *index < source.shared.0
        {
            errors.on(
                &source.message,
                "`Fields` cannot combine a struct that several programs share: declare a struct for messages in the \
                 module of the program",
            );
        }
        if let (true, Some(weight)) = (names.neighbours, &source.weight)
            && !agrees(&names.weight, &Ty::Unit)
        {
            errors.on(weight, NO_WEIGHTS);
        }
        if let (Some(changed), Some(_), Senders::Active) =
            (written("changed"), written("sends"), names.senders)
        {
            errors.on(
                changed,
                "`sends` decides who sends, so `changed` would never be called: remove one of the two (under \
                 `Senders::All` both have a meaning, and a step that changes nothing ends the run)",
            );
        }
    }
}

impl Signatures<'_> {
    /// Rejects what an accumulating program cannot have: its vertices take portions of sums at any time, so nothing of
    /// it happens in steps or at whole sums.
    fn accumulates(&self, promise: &Ident, errors: &mut Errors) {
        let Signatures { source, names } = *self;
        if names.combine != Combine::Sum {
            let message =
                format!("`{promise}` promises that messages may be added in portions, so it requires `Sum`");
            errors.on(promise, message);
        }
        if names.senders == Senders::All {
            let message = format!(
                "with `{promise}`, a vertex sends when it has received something, so not all send in every step: remove \
                 `SENDERS`"
            );
            errors.on(promise, message);
        }
        let never = ["apply", "changed", "sends", "halts", "priority", "aggregate", "finished"];
        for method in
            source.methods.iter().filter(|method| never.iter().any(|name| method.signature.ident == name))
        {
            let name = &method.signature.ident;
            let message = format!(
                "with `{promise}`, a vertex adds what it receives to its value and passes it on in portions, at any \
                 time, so `{name}` would never be called: remove it"
            );
            errors.on(name, message);
        }
    }
}

/// The message for a program along neighbours that reads weights.
pub(crate) const NO_WEIGHTS: &str = "`Along::Neighbours` has no weights, because several edges may lie between two \
    neighbours: remove the weight, or use `Along::Both`, which visits every edge";

fn expect(written: &dyn ToTokens, ty: &Ty, wanted: &[Ty], note: &str, names: &Names, errors: &mut Errors) {
    if wanted.iter().any(|wanted| agrees(ty, wanted)) {
        return;
    }
    errors.on(written, format!("expected {}, found `{}`{note}", choices(wanted, names), names.show(ty)));
}

fn choices(types: &[Ty], names: &Names) -> String {
    types.iter().map(|ty| format!("`{}`", names.show(ty))).collect::<Vec<_>>().join(" or ")
}

/// Checks the layout of the data types and of the structs in them.
pub(super) fn layouts(source: &Source, names: &Names, errors: &mut Errors) {
    for index in 0..names.structs.len() {
        if holds_itself(index, names) {
            // rustc also reports this error, but the macro must stop here, because it cannot lay out such a struct.
            errors
                .on(&names.structs[index].name, "a struct cannot contain itself: its size would be infinite");
            return;
        }
    }
    for Field { name, ty } in &names.params {
        if matches!(ty, Ty::PerVertex(of) if layout(of, &names.structs).0 == 0 && **of != Ty::REFUSED) {
            errors.on(name, "the values of this input have no bytes: add a field to their struct");
        }
    }
    let written = [Some(&source.value), Some(&source.message), source.weight.as_ref()];
    let types = [&names.value, &names.message, &names.weight];
    let mut seen: Vec<&Ty> = Vec::new();
    for (written, ty) in written.into_iter().zip(types) {
        if let Some(written) = written.filter(|_| !seen.contains(&ty)) {
            kept(written, ty, names, errors);
        }
        seen.push(ty);
    }
}

fn holds_itself(index: usize, names: &Names) -> bool {
    held_by(vec![index], names)[index]
}

/// Returns one `bool` per struct of the module: `true` if a value of one of the structs in `open` contains that struct.
fn held_by(mut open: Vec<usize>, names: &Names) -> Vec<bool> {
    let mut held = vec![false; names.structs.len()];
    while let Some(next) = open.pop() {
        for inner in names.structs[next].fields.iter().flat_map(|field| structs_in(&field.ty)) {
            if !std::mem::replace(&mut held[inner], true) {
                open.push(inner);
            }
        }
    }
    held
}

/// Returns `true` if every parameter has a finite size, that is, if no parameter contains a struct that contains
/// itself.
fn parameters_have_sizes(names: &Names) -> bool {
    let structs: Vec<usize> = names.params.iter().flat_map(|field| structs_in(&field.ty)).collect();
    let held = held_by(structs.clone(), names);
    let mut all = (0..held.len()).filter(|index| held[*index] || structs.contains(index));
    all.all(|index| !holds_itself(index, names))
}

/// Returns `true` if a part of the type was already rejected.
fn is_refused(ty: &Ty, names: &Names) -> bool {
    match ty {
        Ty::Unknown(_) => true,
        Ty::Array(of, _) => is_refused(of, names),
        Ty::Struct(index) => names.structs[*index].fields.iter().any(|field| is_refused(&field.ty, names)),
        _ => false,
    }
}

fn kept(written: &Type, ty: &Ty, names: &Names, errors: &mut Errors) {
    if matches!(ty, Ty::Unit) || is_refused(ty, names) {
        return;
    }
    let (size, _) = layout(ty, &names.structs);
    if size == 0 {
        errors.on(
            written,
            "values of this type have no bytes, so there is nothing to store: add a field to its struct",
        );
    } else if let Some(message) = padding(ty, names) {
        errors.on(written, message);
    }
}

/// Returns a message with advice if a struct has padding bytes.
fn padding(ty: &Ty, names: &Names) -> Option<String> {
    let (size, _) = layout(ty, &names.structs);
    let missing = size - held(ty, &names.structs);
    if missing == 0 {
        return None;
    }
    let shown = names.show(ty);
    let advice = match ty {
        Ty::Struct(index) if fits_sorted(&names.structs[*index].fields, names) => {
            "put the fields with the largest types first"
        }
        _ => "widen a field, or add one, so that the sizes of the fields add up to a multiple of the largest",
    };
    Some(format!(
        "`{shown}` contains padding ({missing} of its {size} bytes), and the device compares all bytes: {advice}"
    ))
}

/// Returns `true` if the fields need no padding when they are sorted by decreasing alignment.
fn fits_sorted(fields: &[Field], names: &Names) -> bool {
    let mut sorted = fields.to_vec();
    sorted.sort_by_key(|field| std::cmp::Reverse(layout(&field.ty, &names.structs).1));
    let (_, size, _) = offsets(&sorted, &names.structs);
    size == sorted.iter().map(|field| held(&field.ty, &names.structs)).sum::<usize>()
}

/// Rejects functions that call themselves, directly or indirectly, because a device has little stack.
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
    errors.on(name, format!("`{name}` calls itself: a GPU has little stack, so write it without recursion"));
}

/// Returns the indices of the functions that a block calls.
fn called(block: &Block) -> Vec<usize> {
    let mut found = Vec::new();
    visit_block(block, &mut |expr| {
        if let ExprKind::Call(index, _) = expr.kind {
            found.push(index);
        }
    });
    found
}

/// A part of an inferred model. It has a final form unless a type in it is unknown or something in it was rejected.
trait Settle {
    type Final;

    /// Returns the final form, if any.
    fn settle(self) -> Option<Self::Final>;
}

/// Implements `Settle` for structs field by field, and for enums variant by variant.
macro_rules! settle {
    (struct $($Type:ident { $($field:ident),+ })+) => {
        $(impl Settle for model::$Type<Inferred> {
            type Final = model::$Type;

            fn settle(self) -> Option<Self::Final> {
                Some(model::$Type { $($field: self.$field.settle()?),+ })
            }
        })+
    };
    (enum $($Type:ident { $($Variant:ident $(($($part:ident),+))?),+ $(,)? })+) => {
        $(impl Settle for model::$Type<Inferred> {
            type Final = model::$Type;

            fn settle(self) -> Option<Self::Final> {
                Some(match self {
                    $(model::$Type::$Variant $(($($part),+))? => {
                        model::$Type::$Variant $(($($part.settle()?),+))?
                    })+
                })
            }
        })+
    };
    (same $($Type:ty),+) => {
        $(impl Settle for $Type {
            type Final = $Type;

            fn settle(self) -> Option<$Type> {
                Some(self)
            }
        })+
    };
}

settle! { struct
    Struct { name, fields }
    Field { name, ty }
    Bodies { consts, functions, methods, sites, reads }
    Const { owner, name, body }
    Methods { start, edge, combine, apply, changed, sends, halts, priority, aggregate, finished }
    Function { owner, name, parameters, output, locals, body, polls }
    Local { name, ty, mutability }
    Block { statements, tail, ty, span }
    Arm { pattern, guard, body }
    Range { first, end, limits, adapters, ty }
    Expr { kind, ty, span }
}

settle! { enum
    Ty {
        Unit, Bool, Int(int), Float(float), Option(of), Tuple(parts), Array(of, length), Struct(index), Enum(index),
        Ref(access, of), PerVertex(of), VertexSet, Edge, Vertex(value, before), Params, Never, Unknown(unknown),
    }
    Stmt { Let(pattern, value), LetElse(pattern, value, otherwise), Declare(id), Expr(value) }
    Pattern {
        Wild, Bind(id, inner), Equal(value), Range(first, end), Some(inner), None, Tuple(parts), Array(parts),
        Struct(of, fields), Variant(index, variant), Or(parts), Behind(ampersand, inner),
    }
    Condition { Is(value), Let(pattern, value) }
    LoopKind { Forever, While(conditions), Over(pattern, range), Each(number, pattern, array, elements) }
    RangeAdapter { Rev, StepBy(width, site) }
    ExprKind {
        Unit, Bool(value), Int(magnitude, sign), Float(digits), NumberConst(name), Checked, Local(id), Params,
        Const(index), Variant(index, variant), Field(base, name), Input(read, input, at), Part(base, index),
        Index(base, at, site), Tuple(parts), Array(parts), Repeat(value), Unary(op, operand, site),
        Binary(op, left, right, site), Logic(op, left, right), Cast(inner), Call(index, arguments),
        Method(method, operands, site, name), Random(path, arguments), ValueAt(index, site), Struct(index, fields, rest), Some(inner),
        None, If(conditions, then, otherwise), Match(value, arms), Block(block), Labelled(id, block),
        Loop(id, kind, body, polling), Break(id, value), Continue(id), Return(value), Try(option),
        Fault(message, site), Borrow(access, place), Deref(reference), Assign(place, value),
        AssignOp(op, place, value, site), Refused(refused),
    }
}

settle! { same
    bool, u32, u64, u128, usize, String, &'static str, Ident, Span, TokenStream, &'static Method, &'static InputRead,
    Int, Float, Sign, Access, Ampersand, BinaryOp, Elements, Limits, LogicOp, Mutability, Polling, UnaryOp, Site, Reads
}

impl Settle for Unknown {
    type Final = Infallible;

    fn settle(self) -> Option<Infallible> {
        None
    }
}

impl Settle for Refused {
    type Final = Infallible;

    fn settle(self) -> Option<Infallible> {
        None
    }
}

impl Settle for Numbered {
    type Final = u32;

    fn settle(self) -> Option<u32> {
        self.0
    }
}

impl<T: Settle> Settle for Box<T> {
    type Final = Box<T::Final>;

    fn settle(self) -> Option<Self::Final> {
        (*self).settle().map(Box::new)
    }
}

impl<T: Settle> Settle for Option<T> {
    type Final = Option<T::Final>;

    fn settle(self) -> Option<Self::Final> {
        match self {
            Some(part) => part.settle().map(Some),
            None => Some(None),
        }
    }
}

impl<T: Settle> Settle for Vec<T> {
    type Final = Vec<T::Final>;

    fn settle(self) -> Option<Self::Final> {
        self.into_iter().map(Settle::settle).collect()
    }
}

impl<T: Settle, U: Settle> Settle for (T, U) {
    type Final = (T::Final, U::Final);

    fn settle(self) -> Option<Self::Final> {
        Some((self.0.settle()?, self.1.settle()?))
    }
}
