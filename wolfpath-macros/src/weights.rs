//! Weights that are a struct: each field is read from the column of its name.

use syn::Type;
use syn::ext::IdentExt;

use crate::messages::Errors;
use crate::model::{Struct, Ty};

/// A struct as the weight; an error where a field is not a number or a `bool`.
pub(crate) fn of_struct(index: usize, item: &Struct, written: &Type, errors: &mut Errors) -> Ty {
    if item.fields.is_empty() {
        errors.on(
            written,
            format!(
                "`{}` has no fields: a weight is `()` for none, a number, or a struct of numbers",
                item.name
            ),
        );
        return Ty::Error;
    }
    let before = errors.len();
    for field in &item.fields {
        let is_number = matches!(field.ty, Ty::Bool | Ty::Int(_) | Ty::Float(_)) && field.ty.is_datum();
        if !is_number && field.ty != Ty::Error {
            errors.on(
                &field.name,
                format!(
                    "`{}` is read from the column of its name, which holds a number an edge: make it u32, i32, u64, i64, \
                     f32, f64 or bool",
                    field.name.unraw()
                ),
            );
        }
    }
    if errors.len() == before { Ty::Struct(index) } else { Ty::Error }
}
