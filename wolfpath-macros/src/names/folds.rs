//! The folds of a program: one, a tuple of several, or a struct whose fields are folds.

use syn::{Fields, ItemStruct, PathArguments, Type};

use super::types::{arguments, last_segment};
use super::{Names, check_ascii};
use crate::messages::Errors;
use crate::model::inferred::{Field, Ty};
use crate::model::{Combine, Fold};
use crate::parse::{Source, peel_type};

/// Maximum number of folds in a tuple.
const IN_TUPLE: usize = 8;

/// Maximum number of folds in a struct. A block of threads on a device keeps 33 values of the struct in shared memory.
const IN_STRUCT: usize = 16;

/// Description of the types that `type Aggregate` accepts.
const EXPECTED: &str = "expected `NoAggregate`, or `Sum`, `Min`, `Max`, `Or` or `And` of a type, as in `Sum<f64>`; several \
                        folds are a tuple of these, or a struct of this module whose fields are these";

/// Description of the types that a part of several folds may have.
const ONE: &str = "write `Sum`, `Min`, `Max`, `Or` or `And` of a number or `bool`, as in `Sum<f64>`";

impl Names {
    /// Returns the struct of the module that `type Aggregate` names, if it names one.
    pub(super) fn struct_of_folds(&self, source: &Source) -> Option<usize> {
        let segment = last_segment(source.aggregate.as_ref()?)?;
        let is_plain = matches!(segment.arguments, PathArguments::None);
        self.structs.iter().position(|item| is_plain && item.name == segment.ident)
    }

    /// Reads the fields of the struct of folds. Their types are those of the folded values.
    pub(super) fn fold_fields(&mut self, item: &ItemStruct, errors: &mut Errors) -> Vec<Field> {
        let Fields::Named(fields) = &item.fields else { return self.fields(item, errors) };
        if !item.generics.params.is_empty() {
            return self.fields(item, errors);
        }
        let mut found = Vec::new();
        for field in &fields.named {
            let Some(name) = field.ident.clone() else { continue };
            check_ascii(&name, errors);
            let what = format!("the field `{name}` of `{}`", item.ident);
            found.push(Field { name, ty: self.one_of_several(&field.ty, &what, errors) });
        }
        if let Some(extra) = fields.named.iter().nth(IN_STRUCT) {
            errors.on(
                extra,
                format!(
                    "a struct of folds can have at most {IN_STRUCT} fields: combine some into one number"
                ),
            );
        }
        found
    }

    /// Reads `type Aggregate`: `Sum<f64>` is `f64`, `NoAggregate` is `()`, `(Sum<f64>, Min<u32>)` is `(f64, u32)`, and
    /// a struct of folds is itself.
    pub(super) fn aggregate(&mut self, written: &Type, errors: &mut Errors) -> Ty {
        match peel_type(written) {
            Type::Tuple(tuple) => {
                let parts: Vec<&Type> = tuple.elems.iter().collect();
                self.tuple_of_folds(written, &parts, errors)
            }
            _ => match self.fold_struct {
                Some(index) if self.structs[index].fields.is_empty() => refuse(
                    written,
                    format!("`{}` has no fields, so it folds nothing: {EXPECTED}", self.structs[index].name),
                    errors,
                ),
                Some(index) if self.structs[index].fields.iter().any(|field| field.ty == Ty::REFUSED) => {
                    Ty::REFUSED
                }
                Some(index) => Ty::Struct(index),
                None => self.single_fold(written, errors),
            },
        }
    }

    fn single_fold(&self, written: &Type, errors: &mut Errors) -> Ty {
        let Some(segment) = last_segment(written) else { return refuse(written, EXPECTED, errors) };
        match (segment.ident == "NoAggregate", arguments(segment).as_slice()) {
            (true, []) => Ty::Unit,
            (false, [ty]) if fold_of(written).is_some() => self.data(ty, errors),
            _ => refuse(written, EXPECTED, errors),
        }
    }

    fn tuple_of_folds(&mut self, written: &Type, parts: &[&Type], errors: &mut Errors) -> Ty {
        match parts.len() {
            0 => refuse(
                written,
                "an empty tuple folds nothing: write a fold, as in `Sum<f64>`, or remove `type Aggregate`",
                errors,
            ),
            1 => refuse(written, "one fold needs no tuple: remove the parentheses and the comma", errors),
            2..=IN_TUPLE => {
                let read = |(at, part): (usize, &&Type)| {
                    self.one_of_several(part, &format!("part {at} of this tuple"), errors)
                };
                let parts: Vec<Ty> = parts.iter().enumerate().map(read).collect();
                if parts.contains(&Ty::REFUSED) { Ty::REFUSED } else { Ty::Tuple(parts) }
            }
            _ => refuse(
                parts[IN_TUPLE],
                "a tuple can contain at most eight folds: declare a struct whose fields are folds",
                errors,
            ),
        }
    }

    /// Reads one of several folds, which must be of a number or a `bool`, and notes it. Returns the type of its value.
    fn one_of_several(&mut self, written: &Type, what: &str, errors: &mut Errors) -> Ty {
        let own = last_segment(written).and_then(|segment| self.own_type(&segment.ident));
        if matches!(peel_type(written), Type::Tuple(_)) || own.is_some() {
            return refuse(
                written,
                format!("{what} is not a fold, and folds cannot be nested: {ONE}"),
                errors,
            );
        }
        let Some((combine, of)) = fold_of(written) else {
            return refuse(written, format!("{what} is not a fold: {ONE}"), errors);
        };
        let ty = self.data(of, errors);
        let fits = !matches!(ty, Ty::Struct(_) | Ty::Array(..) | Ty::Enum(_)) && combine.fits_scalar(&ty);
        if ty != Ty::REFUSED && !fits {
            let (takes, shown) = (combine.takes(), self.show(&ty));
            return refuse(of, format!("`{combine}` folds {takes}, but this is `{shown}`"), errors);
        }
        self.folds.push(Fold { combine, written: written.clone() });
        ty
    }

    /// Returns `true`, and reports an error, if a type of data is the struct of folds.
    pub(super) fn is_for_folds(&self, ty: &Ty, written: &Type, errors: &mut Errors) -> bool {
        let (Ty::Struct(index), true) = (ty, self.fold_struct.is_some()) else { return false };
        let is_for_folds = self.fold_struct == Some(*index);
        if is_for_folds {
            errors.on(
                written,
                format!(
                    "`{0}` is a struct of folds, so it can only be `type Aggregate`: declare another struct for this data",
                    self.structs[*index].name
                ),
            );
        }
        is_for_folds
    }
}

/// Returns the combiner of a fold and the type that it folds: `Sum` and `f64` for `Sum<f64>`.
pub(crate) fn fold_of(written: &Type) -> Option<(Combine, &Type)> {
    let segment = last_segment(written)?;
    let name = segment.ident.to_string();
    let folds = ["Sum", "Min", "Max", "Or", "And"].contains(&name.as_str());
    match (folds, arguments(segment).as_slice()) {
        (true, [of]) => Some((Combine::from_marker(&name)?, of)),
        _ => None,
    }
}

fn refuse(written: &Type, message: impl std::fmt::Display, errors: &mut Errors) -> Ty {
    errors.on(written, message);
    Ty::REFUSED
}
