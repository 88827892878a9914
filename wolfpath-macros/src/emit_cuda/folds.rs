//! Emits the functions that combine several folds, part by part. A single fold needs none.

use super::text::Text;
use super::{type_name, user};
use crate::model::{Program, Ty};

/// Declares the functions of the runtime that fold numbers, because the slot precedes them.
pub(super) fn declaration(text: &mut Text, program: &Program) {
    if !program.interface.folds.is_empty() {
        text.line(
            "namespace wp { template <int KIND, typename T> WP_FN T combine_numbers(T a, T b); \
             template <int KIND, typename T> WP_FN T identity_number(); }",
        );
    }
}

/// Writes `folded`, which combines two results of `aggregate`, and `no_fold`, the fold of no values.
pub(super) fn several(text: &mut Text, program: &Program) {
    let folds = &program.interface.folds;
    if folds.is_empty() {
        return;
    }
    let parts: Vec<(String, &Ty)> = match &program.interface.aggregate.ty {
        Ty::Tuple(parts) => parts.iter().enumerate().map(|(at, ty)| (format!("_{at}"), ty)).collect(),
        Ty::Struct(index) => {
            let fields = program.interface.structs[*index].fields.iter();
            fields.map(|field| (user(&field.name), &field.ty)).collect()
        }
        _ => Vec::new(),
    };
    let kinds: Vec<String> =
        folds.iter().map(|fold| format!("WP_{}", fold.combine.marker().to_uppercase())).collect();
    text.open("WP_FN Aggregate folded(const Aggregate& a, const Aggregate& b) {");
    text.line("Aggregate both;");
    for ((part, _), kind) in parts.iter().zip(&kinds) {
        text.line(format!("both.{part} = wp::combine_numbers<{kind}>(a.{part}, b.{part});"));
    }
    text.line("return both;");
    text.close("}");
    text.open("WP_FN Aggregate no_fold() {");
    text.line("Aggregate none;");
    for ((part, ty), kind) in parts.iter().zip(&kinds) {
        text.line(format!("none.{part} = wp::identity_number<{kind}, {}>();", type_name(ty, program)));
    }
    text.line("return none;");
    text.close("}");
    text.blank();
}
