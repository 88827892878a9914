//! From pieces to a checked [`Program`]: the signatures against what the programming model asks for, the bodies
//! through inference, the combiner against the message's type, and no recursion.

mod signature;

use proc_macro2::Ident;
use syn::{Type, parse_quote};

use crate::infer::Findings;
use crate::messages::Errors;
use crate::model::{
    Block, Combine, DataType, Expr, ExprKind, Function, Methods, Program, Reads, Starts, Stmt, Ty,
};
use crate::names::{Names, Prototype, check_ascii};
use crate::parse::{Callable, Source};
use signature::Signatures;

/// The whole program, typed; `None` when something about it was refused.
pub(crate) fn check(source: &Source, errors: &mut Errors) -> Option<Program> {
    let before = errors.len();
    let mut names = Names::new(source, errors);
    source.consts.iter().for_each(|item| check_ascii(&item.ident, errors));
    names.consts =
        source.consts.iter().map(|item| (item.ident.clone(), names.resolve(&item.ty, errors))).collect();
    names.functions = source.functions.iter().map(|function| prototype(function, &names, errors)).collect();
    let combine = combiner(source, &names, errors);
    let signatures = Signatures::new(source, &names, combine, errors);
    let program = bodies(source, &names, combine, &signatures, errors)?;
    no_recursion(&program.functions, errors);
    (errors.len() == before).then_some(program)
}

fn prototype(function: &Callable, names: &Names, errors: &mut Errors) -> Prototype {
    let signature = &function.signature;
    check_ascii(&signature.ident, errors);
    if let Some(receiver) = signature.receiver() {
        errors.on(receiver, "a free function has no `self`: pass the fields that it needs");
    }
    let inputs =
        crate::infer::typed_inputs(signature).map(|input| names.resolve(&input.ty, errors)).collect();
    let output = match &signature.output {
        syn::ReturnType::Type(_, ty) => names.resolve(ty, errors),
        syn::ReturnType::Default => Ty::Unit,
    };
    if output == Ty::Unit {
        errors.on(&signature.ident, "a function of a program computes a value: write `-> ` and its type");
    }
    Prototype { name: signature.ident.clone(), inputs, output }
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
        errors.on(
            written,
            format!("`{combine}` combines {takes}, and messages are `{shown}`: write `fn combine(&self, a, b)` instead"),
        );
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
        .map(|(item, (name, ty))| findings.constant(name, ty, &item.expr))
        .collect();
    let functions: Vec<_> = source
        .functions
        .iter()
        .zip(&names.functions)
        .map(|(function, types)| findings.function(function, &types.inputs, &types.output))
        .collect();
    let mut method = |name: &str| -> Option<Function> {
        let callable = source.methods.iter().find(|method| method.signature.ident == name)?;
        let (inputs, output) = signatures.of(name)?;
        Some(findings.function(callable, inputs, output))
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
        consts,
        functions,
        methods,
        sites,
        reads,
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

fn visit_block(block: &Block, see: &mut dyn FnMut(&Expr)) {
    for statement in &block.statements {
        match statement {
            Stmt::Let(_, value) | Stmt::Expr(value) => visit(value, see),
        }
    }
    if let Some(tail) = &block.tail {
        visit(tail, see);
    }
}

/// Sees every expression of a tree.
pub(crate) fn visit(expr: &Expr, see: &mut dyn FnMut(&Expr)) {
    see(expr);
    match &expr.kind {
        ExprKind::Unary(_, inner, _)
        | ExprKind::Cast(inner)
        | ExprKind::Field(inner, _)
        | ExprKind::Some(inner)
        | ExprKind::Return(inner) => visit(inner, see),
        ExprKind::Binary(_, left, right, _)
        | ExprKind::AssignOp(_, left, right, _)
        | ExprKind::Logic(_, left, right)
        | ExprKind::Assign(left, right) => {
            visit(left, see);
            visit(right, see);
        }
        ExprKind::Call(_, arguments) | ExprKind::Method(_, arguments, _) => {
            arguments.iter().for_each(|argument| visit(argument, see));
        }
        ExprKind::Struct(_, fields) => fields.iter().for_each(|(_, value)| visit(value, see)),
        ExprKind::If(first, then, otherwise) | ExprKind::IfSome(_, first, then, otherwise) => {
            visit(first, see);
            visit_block(then, see);
            if let Some(otherwise) = otherwise {
                visit(otherwise, see);
            }
        }
        ExprKind::Block(block) => visit_block(block, see),
        ExprKind::Unit
        | ExprKind::Bool(_)
        | ExprKind::Int(..)
        | ExprKind::Float(_)
        | ExprKind::NumberConst(_)
        | ExprKind::Local(_)
        | ExprKind::Params
        | ExprKind::Const(_)
        | ExprKind::None
        | ExprKind::Error => {}
    }
}

/// Whether the program starts from sources, everywhere, or where `start` says.
fn starts_of(source: &Source, names: &Names, output: Option<&Ty>) -> Starts {
    match output {
        None if source.params.is_none() => Starts::Sources,
        Some(Ty::Option(of)) if crate::names::agrees(of, &names.value) => Starts::Some,
        _ => Starts::Every,
    }
}
