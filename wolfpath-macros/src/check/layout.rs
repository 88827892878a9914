//! That the data of a program can be kept: structs do not hold themselves, nothing is of no bytes, and no byte of a
//! struct is without meaning, since the device compares and moves whole words.

use syn::Type;

use crate::messages::Errors;
use crate::model::{Field, Ty, held, layout, offsets, structs_in};
use crate::names::Names;
use crate::parse::Source;

/// Looks at the four data types and the structs below them.
pub(super) fn layouts(source: &Source, names: &Names, errors: &mut Errors) {
    for index in 0..names.structs.len() {
        if holds_itself(index, names) {
            // rustc says so too, but the rest of the macro cannot go on.
            errors.on(&names.structs[index].name, "a struct cannot hold itself: it would have no end");
            return;
        }
    }
    for Field { name, ty } in &names.params {
        if matches!(ty, Ty::PerVertex(of) if layout(of, &names.structs).0 == 0 && **of != Ty::Error) {
            errors.on(name, "this input holds nothing: give the struct of its values a field");
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
    let mut open = vec![index];
    let mut seen = vec![false; names.structs.len()];
    while let Some(next) = open.pop() {
        for inner in names.structs[next].fields.iter().flat_map(|field| structs_in(&field.ty)) {
            if inner == index {
                return true;
            }
            if !std::mem::replace(&mut seen[inner], true) {
                open.push(inner);
            }
        }
    }
    false
}

/// Whether something about the type was refused already.
fn is_refused(ty: &Ty, names: &Names) -> bool {
    match ty {
        Ty::Error => true,
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
        errors.on(written, "this type holds nothing, so there is nothing to keep: give its struct a field");
    } else if let Some(message) = padding(ty, names) {
        errors.on(written, message);
    }
}

/// What to do about a struct that has bytes without meaning.
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
        _ => "widen a field, or add one, until the sizes fill up the largest of them",
    };
    Some(format!(
        "`{shown}` has {missing} bytes of padding in its {size}, which the device would compare: {advice}"
    ))
}

/// Whether the fields leave no gap when the largest stand first.
fn fits_sorted(fields: &[Field], names: &Names) -> bool {
    let mut sorted = fields.to_vec();
    sorted.sort_by_key(|field| std::cmp::Reverse(layout(&field.ty, &names.structs).1));
    let (_, size, _) = offsets(&sorted, &names.structs);
    size == sorted.iter().map(|field| held(&field.ty, &names.structs)).sum::<usize>()
}
