//! Emits the functions of a combiner that combines field by field: the type in which messages are accumulated, and how a
//! message becomes one, how two are joined, and how the combined message is read from one. If the program accumulates, also
//! emits a visit to the numbers of a message.

use super::text::{self, Text};
use super::{struct_name, type_name, user};
use crate::model::{Combine, Program, Sign, Ty};

/// Declares the function of the runtime that combines two numbers, because the slot precedes it.
pub(super) fn declaration(text: &mut Text, program: &Program) {
    if program.interface.combine.is_by_field(&program.interface.message.ty) {
        text.line("namespace wp { template <int KIND, typename T> WP_FN T combine_numbers(T a, T b); }");
    }
}

/// Writes the accumulator and its functions, if the program's messages are combined field by field.
pub(super) fn combiner(text: &mut Text, program: &Program) {
    let (ty, combine) = (&program.interface.message.ty, &program.interface.combine);
    if !combine.is_by_field(ty) {
        return;
    }
    let accumulator = accumulator(text, ty, combine, program, &mut 0);
    text.line(format!("typedef {accumulator} Accumulator;"));
    text.blank();
    let walk = Walk { program };
    text.open("WP_FN Accumulator accumulated(const Message& message) {");
    text.line("Accumulator all;");
    walk.each(text, ty, combine, &["all".into(), "message".into()], &|paths, ty, combine| {
        let cast = if is_added_float(ty, combine) { "(wp::f64)" } else { "" };
        format!("{} = {cast}{};", paths[0], paths[1])
    });
    text.line("return all;");
    text.close("}");
    text.open("WP_FN void join(Accumulator& all, const Accumulator& more) {");
    walk.each(text, ty, combine, &["all".into(), "more".into()], &|paths, ty, combine| {
        join(paths, ty, combine)
    });
    text.close("}");
    text.open("WP_FN Message combined(const Accumulator& all) {");
    text.line("Message message;");
    walk.each(text, ty, combine, &["message".into(), "all".into()], &|paths, ty, combine| {
        let cast =
            if is_added_float(ty, combine) { format!("({})", type_name(ty, program)) } else { String::new() };
        format!("{} = {cast}{};", paths[0], paths[1])
    });
    text.line("return message;");
    text.close("}");
    if combine.has_identity() {
        text.open("WP_FN Message neutral() {");
        text.line("Message message;");
        walk.each(text, ty, combine, &["message".into()], &|paths, ty, combine| {
            format!("{} = {};", paths[0], neutral(ty, combine))
        });
        text.line("return message;");
        text.close("}");
    }
    if program.interface.accumulates {
        text.line("template <typename M, typename Visit>");
        text.open("WP_FN void each_number(M& message, Visit visit) {");
        text.line("wp::u32 number = 0;");
        walk.each(text, ty, combine, &["message".into()], &|paths, _, _| {
            format!("visit(number++, {});", paths[0])
        });
        text.close("}");
    }
    text.blank();
}

fn is_added_float(ty: &Ty, combine: &Combine) -> bool {
    *combine == Combine::Sum && ty.is_float()
}

/// Returns the name of the accumulator's type, after declaring the structs in it.
fn accumulator(text: &mut Text, ty: &Ty, combine: &Combine, program: &Program, declared: &mut u32) -> String {
    match ty {
        _ if is_added_float(ty, combine) => "wp::f64".into(),
        _ if combine.is_leaf(ty) => type_name(ty, program),
        Ty::Array(of, length) => {
            format!("wp::Array<{}, {length}>", accumulator(text, of, combine, program, declared))
        }
        Ty::Struct(index) => {
            let item = &program.interface.structs[*index];
            let fields: Vec<String> = combine
                .of_fields(item)
                .map(|(field, part)| {
                    let ty = accumulator(text, &field.ty, part, program, declared);
                    format!("{ty} {};", user(&field.name))
                })
                .collect();
            *declared += 1;
            let name = format!("Accumulator{declared}");
            text.open(format!("struct {name} {{  // of {}", struct_name(item)));
            fields.into_iter().for_each(|field| text.line(field));
            text.close("};");
            name
        }
        _ => type_name(ty, program),
    }
}

/// A walk over the fields that are combined.
struct Walk<'a> {
    program: &'a Program,
}

impl Walk<'_> {
    /// Writes one statement for each field, with loops over arrays. `paths` are the expressions of the values that are
    /// walked over together.
    fn each(
        &self,
        text: &mut Text,
        ty: &Ty,
        combine: &Combine,
        paths: &[String],
        statement: &dyn Fn(&[String], &Ty, &Combine) -> String,
    ) {
        self.within(text, ty, combine, paths, statement, 0);
    }

    fn within(
        &self,
        text: &mut Text,
        ty: &Ty,
        combine: &Combine,
        paths: &[String],
        statement: &dyn Fn(&[String], &Ty, &Combine) -> String,
        depth: usize,
    ) {
        let into = |part: &str| -> Vec<String> { paths.iter().map(|path| format!("{path}{part}")).collect() };
        match ty {
            _ if combine.is_leaf(ty) => {
                let statement = statement(paths, ty, combine);
                if !statement.is_empty() {
                    text.line(statement);
                }
            }
            Ty::Array(of, length) => {
                let at = format!("i{depth}");
                text.open(format!("for (wp::u32 {at} = 0; {at} < {length}u; ++{at}) {{"));
                self.within(text, of, combine, &into(&format!(".at[{at}]")), statement, depth + 1);
                text.close("}");
            }
            Ty::Struct(index) => {
                for (field, part) in combine.of_fields(&self.program.interface.structs[*index]) {
                    let paths = into(&format!(".{}", user(&field.name)));
                    self.within(text, &field.ty, part, &paths, statement, depth);
                }
            }
            _ => {}
        }
    }
}

/// Returns the statement that combines `paths[1]` into `paths[0]`.
fn join(paths: &[String], ty: &Ty, combine: &Combine) -> String {
    let (all, more) = (&paths[0], &paths[1]);
    match combine {
        // Floats are f64 here.
        Combine::Sum if ty.is_float() => format!("{all} = {all} + {more};"),
        // Keeps the first one.
        Combine::Any => String::new(),
        _ => format!("{all} = wp::combine_numbers<WP_{}>({all}, {more});", combine.marker().to_uppercase()),
    }
}

/// Returns the neutral number of a combiner.
fn neutral(ty: &Ty, combine: &Combine) -> String {
    match (combine, ty) {
        (Combine::And, Ty::Bool) => "true".into(),
        (_, Ty::Bool) => "false".into(),
        (Combine::And, Ty::Int(int)) if int.is_signed() => text::int(1, Sign::Minus, ty),
        (Combine::And, Ty::Int(int)) => text::int(u128::MAX >> (128 - int.bits()), Sign::Plus, ty),
        (_, Ty::Float(_)) => text::float("0", ty),
        _ => text::int(0, Sign::Plus, ty),
    }
}
