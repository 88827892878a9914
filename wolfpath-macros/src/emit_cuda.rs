//! CUDA C: the text of the slot that `kernels/README.md` describes. Locals and fields of the user's end in an
//! underscore, functions in `_fn`, constants in `_const`, structs in `_struct`: no keyword, macro or name of ours does.

mod body;
mod control;
mod loops;
mod pattern;
mod place;
mod tables;
mod text;

use proc_macro2::Ident;

use crate::model::views::{VERTEX, ViewType};
use crate::model::{
    Access, Combine, Const, Enum, ExprKind, Field, Function, Local, Program, Sign, Starts, Struct, Ty,
    is_plain_data, structs_in, visit_block,
};
use text::Text;

/// Returns the whole slot.
pub(crate) fn slot(program: &Program) -> String {
    let mut text = Text::new(&program.interface.name.to_string());
    text.line(format!("// The program `{}`, made by #[edge_program].", program.interface.name));
    text.line("namespace program {");
    text.blank();
    for item in &program.interface.enums {
        enumeration(&mut text, item);
    }
    for index in declaration_order(&program.interface.structs) {
        structure(&mut text, &program.interface.structs[index], program);
    }
    types(&mut text, program);
    params(&mut text, program);
    asserts(&mut text, program);
    let (tables, consts): (Vec<&Const>, Vec<&Const>) =
        program.bodies.consts.iter().partition(|item| tables::is_table(item, program));
    tables.into_iter().for_each(|item| tables::table(&mut text, item, program));
    prototypes(&mut text, &consts, program);
    for constant in consts {
        let head = head(&constant_name(constant, program), &constant.body, Head::Plain, program);
        body::function(&mut text, &head, &constant.body, program);
    }
    for function in &program.bodies.functions {
        let head = head(&function_name(function, program), function, Head::Plain, program);
        body::function(&mut text, &head, function, program);
    }
    methods(&mut text, program);
    text.line("}  // namespace program");
    text.finish()
}

/// Returns a local or a field of the user's.
fn user(name: &Ident) -> String {
    format!("{}_", plain(name))
}

/// Functions, constants and structs live in namespaces of their own in Rust, so they get endings of their own here.
fn function_name(function: &Function, program: &Program) -> String {
    format!("{}{}_fn", owner(function.owner.as_ref(), program), plain(&function.name))
}

fn constant_name(constant: &Const, program: &Program) -> String {
    format!("{}{}_const", owner(constant.owner.as_ref(), program), plain(&constant.name))
}

/// Returns the type in front of what belongs to it.
fn owner(owner: Option<&Ty>, program: &Program) -> String {
    match owner {
        Some(Ty::Struct(index)) => format!("{}_", plain(&program.interface.structs[*index].name)),
        Some(Ty::Enum(index)) => format!("{}_", plain(&program.interface.enums[*index].name)),
        Some(_) => format!("{}_", plain(&program.interface.name)),
        None => String::new(),
    }
}

fn enum_name(item: &Enum) -> String {
    format!("{}_enum", plain(&item.name))
}

fn struct_name(item: &Struct) -> String {
    format!("{}_struct", plain(&item.name))
}

/// Returns the name without `r#`.
fn plain(name: &Ident) -> String {
    name.to_string().trim_start_matches("r#").to_owned()
}

/// Returns the type in CUDA C.
fn type_name(ty: &Ty, program: &Program) -> String {
    match ty {
        Ty::Bool => "bool".into(),
        Ty::Int(int) => match int.name() {
            "usize" => "wp::u64".into(),
            "isize" => "wp::i64".into(),
            name => format!("wp::{name}"),
        },
        Ty::Float(float) => format!("wp::{}", float.name()),
        Ty::Option(of) => format!("wp::Option<{}>", type_name(of, program)),
        Ty::Tuple(parts) => {
            let names: Vec<String> = parts.iter().map(|part| type_name(part, program)).collect();
            format!("wp::Tuple{}<{}>", parts.len(), names.join(", "))
        }
        Ty::Array(of, length) => format!("wp::Array<{}, {length}>", type_name(of, program)),
        Ty::Ref(access, of) => {
            let constant = if *access == Access::Mutable { "" } else { "const " };
            format!("{constant}{}&", type_name(of, program))
        }
        Ty::Struct(index) => struct_name(&program.interface.structs[*index]),
        Ty::Enum(index) => enum_name(&program.interface.enums[*index]),
        Ty::PerVertex(of) => format!("wp::PerVertex<{}>", type_name(of, program)),
        Ty::VertexSet => "wp::VertexSet".into(),
        Ty::Edge => "wp::Edge<Value, Weight>".into(),
        Ty::Vertex(value) => format!("wp::Vertex<{}, Aggregate>", type_name(value, program)),
        Ty::Params => "Params".into(),
        Ty::Unit | Ty::Never => "wp::Unit".into(),
        Ty::Unknown(never) => match *never {},
    }
}

/// Structs, each after those that it holds.
fn declaration_order(structs: &[Struct]) -> Vec<usize> {
    fn visit(index: usize, structs: &[Struct], seen: &mut Vec<bool>, order: &mut Vec<usize>) {
        if std::mem::replace(&mut seen[index], true) {
            return;
        }
        for inner in structs[index].fields.iter().flat_map(|field| structs_in(&field.ty)) {
            visit(inner, structs, seen, order);
        }
        order.push(index);
    }
    let (mut seen, mut order) = (vec![false; structs.len()], Vec::new());
    for index in 0..structs.len() {
        visit(index, structs, &mut seen, &mut order);
    }
    order
}

/// Writes an enum, which is its number.
fn enumeration(text: &mut Text, item: &Enum) {
    let variants: Vec<String> =
        item.variants.iter().map(|(name, number)| format!("{name} = {number}")).collect();
    text.line(format!("typedef wp::u32 {};  // {}", enum_name(item), variants.join(", ")));
    text.blank();
}

fn structure(text: &mut Text, item: &Struct, program: &Program) {
    let name = struct_name(item);
    text.open(format!("struct {name} {{"));
    fields(text, &item.fields, program);
    text.close("};");
    text.blank();
    if is_kept(item, program) {
        sameness(text, item);
    }
    if compares_compounds(program) {
        comparisons(text, item);
    }
}

/// Returns `true` if the engines may keep values of a struct, and compare them.
fn is_kept(item: &Struct, program: &Program) -> bool {
    item.fields.iter().all(|field| is_plain_data(&field.ty, &program.interface.structs))
}

/// That no bit of two values differs.
fn sameness(text: &mut Text, item: &Struct) {
    let name = struct_name(item);
    let tests: Vec<String> =
        item.fields.iter().map(|field| format!("same(a.{0}, b.{0})", user(&field.name))).collect();
    let test = if tests.is_empty() { "true".into() } else { tests.join(" && ") };
    text.open(format!("WP_FN bool same({name} a, {name} b) {{"));
    text.line("using rust::same;");
    text.line(format!("return {test};"));
    text.close("}");
    text.blank();
}

/// Returns `true` if the program compares anything that is more than a number.
fn compares_compounds(program: &Program) -> bool {
    let mut found = false;
    for function in program.each_function() {
        visit_block(&function.body, &mut |expr| {
            if let ExprKind::Binary(op, left, ..) = &expr.kind {
                found |= op.is_comparison() && !(left.ty.is_number() || left.ty == Ty::Bool);
            }
        });
    }
    found
}

/// Writes what `derive(PartialEq)` and `derive(PartialOrd)` mean: field by field, in the order of declaration.
fn comparisons(text: &mut Text, item: &Struct) {
    let name = struct_name(item);
    let tests: Vec<String> =
        item.fields.iter().map(|field| format!("equal(a.{0}, b.{0})", user(&field.name))).collect();
    let test = if tests.is_empty() { "true".into() } else { tests.join(" && ") };
    text.open(format!("WP_FN bool equal(const {name}& a, const {name}& b) {{"));
    text.line("using rust::equal;");
    text.line(format!("return {test};"));
    text.close("}");
    text.open(format!("WP_FN int order(const {name}& a, const {name}& b) {{"));
    text.line("using rust::order;");
    text.line("int result = 0;");
    for field in &item.fields {
        text.line(format!("if (result == 0) result = order(a.{0}, b.{0});", user(&field.name)));
    }
    text.line("return result;");
    text.close("}");
    text.blank();
}

fn fields(text: &mut Text, fields: &[Field], program: &Program) {
    for field in fields {
        text.line(format!("{} {};", type_name(&field.ty, program), user(&field.name)));
    }
}

fn types(text: &mut Text, program: &Program) {
    let types = [
        ("Value", &program.interface.value),
        ("Message", &program.interface.message),
        ("Weight", &program.interface.weight),
        ("Aggregate", &program.interface.aggregate),
    ];
    for (name, data) in types {
        text.line(format!("typedef {} {name};", type_name(&data.ty, program)));
    }
    text.blank();
}

fn params(text: &mut Text, program: &Program) {
    text.open("struct Params {");
    if program.interface.params.is_empty() {
        text.line("wp::u8 unused;");
    }
    fields(text, &program.interface.params, program);
    text.close("};");
    text.blank();
}

/// That sizes agree with Rust's; what takes no bytes in Rust takes one in C++ and is left out.
fn asserts(text: &mut Text, program: &Program) {
    let types = [
        ("Value", "VALUE", program.interface.value.ty != Ty::Unit),
        ("Message", "MESSAGE", program.interface.message.ty != Ty::Unit),
        ("Weight", "WEIGHT", program.interface.weight.ty != Ty::Unit),
        ("Aggregate", "AGGREGATE", program.interface.aggregate.ty != Ty::Unit),
        ("Params", "PARAMS", !program.interface.params.is_empty()),
    ];
    for (name, size, _) in types.iter().filter(|(.., counts)| *counts) {
        text.line(format!(
            "static_assert(sizeof({name}) == WP_SIZE_{size}, \"{name} is laid out as in Rust\");"
        ));
    }
    text.blank();
}

/// Declares constants and helpers before any is defined: Rust's order is free.
fn prototypes(text: &mut Text, consts: &[&Const], program: &Program) {
    let consts = consts.iter().map(|constant| (constant_name(constant, program), &constant.body));
    let functions =
        program.bodies.functions.iter().map(|function| (function_name(function, program), function));
    let all: Vec<_> = consts.chain(functions).collect();
    for (name, function) in &all {
        text.line(format!("{};", head(name, function, Head::Plain, program)));
    }
    if !all.is_empty() {
        text.blank();
    }
}

/// Whether a function takes the program first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Head {
    Plain,
    OfProgram,
}

/// `WP_FN type name(parameters)`.
fn head(name: &str, function: &Function, kind: Head, program: &Program) -> String {
    let mut parameters: Vec<String> = Vec::new();
    if kind == Head::OfProgram {
        parameters.push("const Params& self".into());
    }
    let names = body::local_names(function);
    for (local, name) in function.locals[..function.parameters].iter().zip(&names) {
        parameters.push(parameter(local, name, program));
    }
    parameters.push("wp::Context& cx".into());
    let output =
        if function.output == Ty::Unit { "void".to_owned() } else { type_name(&function.output, program) };
    format!("WP_FN {output} {name}({})", parameters.join(", "))
}

fn parameter(local: &Local, name: &str, program: &Program) -> String {
    let ty = type_name(&local.ty, program);
    let ty = if matches!(local.ty, Ty::Edge | Ty::Vertex(_)) { format!("const {ty}&") } else { ty };
    if local.name == "_" { ty } else { format!("{ty} {name}") }
}

/// Writes the functions of the program itself: under the slot's names where the user's have the slot's shape, and
/// otherwise under a name of ours, with a short function that adapts them.
fn methods(text: &mut Text, program: &Program) {
    let methods = &program.bodies.methods;
    if let Some(start) = &methods.start {
        let shape = Shape::of_slot(program.interface.starts != Starts::Every);
        method(text, start, shape, program);
        if shape == Shape::Other {
            adapter(
                text,
                "wp::Option<Value> start(const Params& self, const wp::Vertex<wp::Unit, Aggregate>& v, wp::Context& cx)",
                &["return wp::Some<Value>(user_start(self, v, cx));"],
            );
        }
    }
    edge(text, program);
    if let Some(combine) = &methods.combine {
        method(text, combine, Shape::Slot, program);
    }
    if let Some(apply) = &methods.apply {
        apply_method(text, apply, program);
    }
    for function in [&methods.changed, &methods.aggregate].into_iter().flatten() {
        method(text, function, Shape::Slot, program);
    }
}

/// Writes the user's `edge`, or the call of the function of the function form; always an option.
fn edge(text: &mut Text, program: &Program) {
    let edge = &program.bodies.methods.edge;
    let shape = Shape::of_slot(!program.always_sends());
    let call = match (program.interface.starts, program.bodies.functions.first()) {
        (Starts::Sources, Some(function)) => {
            let arguments = if function.parameters == 2 { "e.value, e.weight" } else { "e.value" };
            format!("{}({arguments}, cx)", function_name(function, program))
        }
        _ => {
            method(text, edge, shape, program);
            "user_edge(self, e, cx)".to_owned()
        }
    };
    if shape == Shape::Other || program.interface.starts == Starts::Sources {
        let result = match shape {
            Shape::Other => format!("return wp::Some<Message>({call});"),
            Shape::Slot => format!("return {call};"),
        };
        adapter(
            text,
            "wp::Option<Message> edge(const Params& self, const wp::Edge<Value, Weight>& e, wp::Context& cx)",
            &[&result],
        );
    }
}

/// The types of a user's function: those of the slot's function of the same name, or others.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Slot,
    Other,
}

impl Shape {
    fn of_slot(fits: bool) -> Shape {
        if fits { Shape::Slot } else { Shape::Other }
    }
}

/// Writes the user's function, under the slot's name if it has the slot's shape, and under one of ours otherwise.
fn method(text: &mut Text, function: &Function, shape: Shape, program: &Program) {
    let name = match shape {
        Shape::Slot => function.name.to_string(),
        Shape::Other => format!("user_{}", function.name),
    };
    body::function(text, &head(&name, function, Head::OfProgram, program), function, program);
}

fn adapter(text: &mut Text, head: &str, lines: &[&str]) {
    text.open(format!("WP_FN {head} {{"));
    for line in lines {
        text.line(*line);
    }
    text.close("}");
    text.blank();
}

/// Writes `apply`. The user's takes a plain value or message if the engines always have one.
fn apply_method(text: &mut Text, apply: &Function, program: &Program) {
    let plain_value = !matches!(program.interface.before(), Ty::Option(_));
    let plain_message = !matches!(program.interface.incoming(), Ty::Option(_));
    let shape = Shape::of_slot(!plain_value && !plain_message);
    method(text, apply, shape, program);
    if shape == Shape::Slot {
        return;
    }
    text.open(
        "WP_FN Value apply(const Params& self, const wp::Vertex<wp::Option<Value>, Aggregate>& v, \
         wp::Option<Message> incoming, wp::Context& cx) {",
    );
    if plain_value {
        let fields = VERTEX.iter().map(|field| match field.ty {
            ViewType::Value => "v.value.value".to_owned(),
            _ => format!("v.{}", field.name),
        });
        let fields: Vec<String> = fields.collect();
        let (first, rest) = fields.split_at(fields.len().div_ceil(2));
        text.line(format!("const wp::Vertex<Value, Aggregate> vertex = {{{},", first.join(", ")));
        text.line(format!("                                              {}}};", rest.join(", ")));
    }
    let message = match (plain_message, identity(program)) {
        (true, Some(identity)) => {
            let ty = type_name(&program.interface.message.ty, program);
            text.line(format!("const {ty} message = incoming.some ? incoming.value : {identity};"));
            "message"
        }
        (true, None) => "incoming.value",
        _ => "incoming",
    };
    let vertex = if plain_value { "vertex" } else { "v" };
    text.line(format!("return user_apply(self, {vertex}, {message}, cx);"));
    text.close("}");
    text.blank();
}

/// Returns the message that changes nothing, of a combiner that has one.
fn identity(program: &Program) -> Option<String> {
    let ty = &program.interface.message.ty;
    let all_ones = match ty {
        Ty::Int(int) => (1u128 << (int.bits() - 1)) - 1 + (1u128 << (int.bits() - 1)),
        _ => 0,
    };
    match (program.interface.combine, ty) {
        (Combine::Or, Ty::Bool) => Some("false".into()),
        (Combine::And, Ty::Bool) => Some("true".into()),
        (Combine::And, Ty::Int(int)) if int.is_signed() => Some(text::int(1, Sign::Minus, ty)),
        (Combine::And, _) => Some(text::int(all_ones, Sign::Plus, ty)),
        (Combine::Sum, Ty::Float(_)) => Some(text::float("0", ty)),
        (Combine::Sum | Combine::Or, _) => Some(text::int(0, Sign::Plus, ty)),
        _ => None,
    }
}
