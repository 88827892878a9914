//! The functions of the program itself: under the slot's names where the user's have the slot's shape, and otherwise
//! under a name of ours, with a short function that adapts them.

use super::body;
use super::text::Text;
use super::{Head, function_name, head, type_name};
use crate::model::views::{VERTEX, ViewType};
use crate::model::{Combine, Function, Program, Sign, Starts, Ty};

/// Writes them all.
pub(super) fn methods(text: &mut Text, program: &Program) {
    let methods = &program.bodies.methods;
    if let Some(start) = &methods.start {
        let adapts = program.starts == Starts::Every;
        method(text, start, adapts, program);
        if adapts {
            adapter(
                text,
                "wp::Option<Value> start(const Params& self, const wp::Vertex<wp::Unit, Aggregate>& v, wp::Context& cx)",
                &["return wp::Some<Value>(user_start(self, v, cx));"],
            );
        }
    }
    edge(text, program);
    if let Some(combine) = &methods.combine {
        method(text, combine, false, program);
    }
    if let Some(apply) = &methods.apply {
        self::apply(text, apply, program);
    }
    for function in [&methods.changed, &methods.aggregate].into_iter().flatten() {
        method(text, function, false, program);
    }
}

/// The user's `edge`, or the call of the function of the function form; always an option.
fn edge(text: &mut Text, program: &Program) {
    let edge = &program.bodies.methods.edge;
    let adapts = program.always_sends();
    let call = match (program.starts, program.bodies.functions.first()) {
        (Starts::Sources, Some(function)) => {
            let arguments = if function.parameters == 2 { "e.value, e.weight" } else { "e.value" };
            format!("{}({arguments}, cx)", function_name(function, program))
        }
        _ => {
            method(text, edge, adapts, program);
            "user_edge(self, e, cx)".to_owned()
        }
    };
    if adapts || program.starts == Starts::Sources {
        let result =
            if adapts { format!("return wp::Some<Message>({call});") } else { format!("return {call};") };
        adapter(
            text,
            "wp::Option<Message> edge(const Params& self, const wp::Edge<Value, Weight>& e, wp::Context& cx)",
            &[&result],
        );
    }
}

/// The user's function, under the slot's name or one of ours.
fn method(text: &mut Text, function: &Function, adapts: bool, program: &Program) {
    let name = if adapts { format!("user_{}", function.name) } else { function.name.to_string() };
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

/// `apply` takes a value and a message where the user's does; the engines always have them then.
fn apply(text: &mut Text, apply: &Function, program: &Program) {
    let takes = |index: usize| apply.locals.get(index).map(|local| &local.ty);
    let plain_value = !matches!(takes(0), Some(Ty::Vertex(value)) if matches!(**value, Ty::Option(_)));
    let plain_message = !matches!(takes(1), Some(Ty::Option(_)));
    method(text, apply, plain_value || plain_message, program);
    if !(plain_value || plain_message) {
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

/// The message that changes nothing, of a combiner that has one.
fn identity(program: &Program) -> Option<String> {
    let ty = &program.interface.message.ty;
    let all_ones = match ty {
        Ty::Int(int) => (1u128 << (int.bits() - 1)) - 1 + (1u128 << (int.bits() - 1)),
        _ => 0,
    };
    match (program.interface.combine, ty) {
        (Combine::Or, Ty::Bool) => Some("false".into()),
        (Combine::And, Ty::Bool) => Some("true".into()),
        (Combine::And, Ty::Int(int)) if int.is_signed() => Some(super::literal::int(1, Sign::Minus, ty)),
        (Combine::And, _) => Some(super::literal::int(all_ones, Sign::Plus, ty)),
        (Combine::Sum, Ty::Float(_)) => Some(super::literal::float("0", ty)),
        (Combine::Sum | Combine::Or, _) => Some(super::literal::int(0, Sign::Plus, ty)),
        _ => None,
    }
}
