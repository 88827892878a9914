//! Reads `type Combine = ..`.

use syn::punctuated::Punctuated;
use syn::{GenericArgument, PathArguments, Token, Type};

use super::{last_name, peel_type};
use crate::messages::Errors;
use crate::model::Combine;

/// Returns the combiner of `type Combine = ..`.
pub(super) fn written(ty: &Type, errors: &mut Errors) -> Option<Combine> {
    match name(ty).as_str() {
        "Fields" => fields(ty, errors),
        "MostFrequent" => Some(Combine::MostFrequent),
        marker => Combine::from_marker(marker).or_else(|| {
            errors.on(
                ty,
                "expected Min, Max, Sum, Or, And, Any, `Fields<(..)>` or `MostFrequent<..>`; for your own combiner omit \
                 `type Combine` and write `fn combine(&self, a, b)`",
            );
            None
        }),
    }
}

/// Returns the combiners in `Fields<(..)>`.
fn fields(ty: &Type, errors: &mut Errors) -> Option<Combine> {
    let Some(parts) = part_of_fields(ty) else {
        errors.on(
            ty,
            "`Fields` takes a tuple with one combiner for each field, such as `Fields<(Sum, Min)>`, or `Fields<(Sum,)>` \
             for one field",
        );
        return None;
    };
    let parts: Vec<Option<Combine>> = parts.iter().map(|part| field(part, errors)).collect();
    parts.into_iter().collect::<Option<_>>().map(Combine::Fields)
}

/// Returns the combiner of one field.
fn field(ty: &Type, errors: &mut Errors) -> Option<Combine> {
    let name = name(ty);
    let combine = match name.as_str() {
        "Fields" => return fields(ty, errors),
        "Custom" => None,
        marker => Combine::from_marker(marker),
    };
    if combine.is_none() {
        errors.on(
            ty,
            "expected Min, Max, Sum, Or, And, Any or `Fields<(..)>`: other combiners cannot combine one field of a struct",
        );
    }
    combine
}

fn name(ty: &Type) -> String {
    last_name(ty).map(ToString::to_string).unwrap_or_default()
}

/// Returns the elements of the tuple in `Fields<(..)>`.
pub(crate) fn part_of_fields(ty: &Type) -> Option<&Punctuated<Type, Token![,]>> {
    let Type::Path(path) = peel_type(ty) else { return None };
    let PathArguments::AngleBracketed(arguments) = &path.path.segments.last()?.arguments else { return None };
    match (arguments.args.first()?, arguments.args.len()) {
        (GenericArgument::Type(Type::Tuple(tuple)), 1) => Some(&tuple.elems),
        _ => None,
    }
}
