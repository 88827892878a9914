//! The combiner of a program: which one, and whether it combines the messages.

use syn::spanned::Spanned;
use syn::{GenericArgument, PathArguments, Type};

use super::Names;
use crate::messages::Errors;
use crate::model::inferred::Ty;
use crate::model::{Combine, Int};
use crate::parse::{Source, part_of_fields, peel_type};

/// Advice for messages that one combiner cannot combine.
const WRITE_ONE_PER_FIELD: &str =
    "write one combiner for each field, `type Combine = Fields<(..)>;`, or `fn combine(&self, a, b)`";

/// Returns the combiner, after checking that it fits the message's type.
pub(super) fn combiner(source: &Source, names: &Names, errors: &mut Errors) -> Combine {
    let method = |name: &str| source.methods.iter().find(|method| method.signature.ident == name);
    let own = method("combine");
    let Some((combine, written)) = &source.combine else {
        if own.is_none() {
            errors.on(
                &source.name,
                "missing combiner: write how several messages to one vertex are combined, `type Combine = Min;` \
                 (Max, Sum, Or, And, Any, Fields, MostFrequent), or `fn combine(&self, a, b)`",
            );
        }
        return Combine::Custom;
    };
    match own {
        Some(_) if *combine == Combine::Custom => {}
        Some(method) => errors.on(
            &method.signature.ident,
            format!("messages are already combined by `{combine}`: remove `type Combine` or this function"),
        ),
        None if *combine == Combine::Custom => {
            errors.on(written, "`Custom` requires the program's own `fn combine(&self, a, b)`");
        }
        None if names.message == Ty::REFUSED => {}
        None => {
            let check = Check { names, errors };
            check.message(combine, written, method("apply").is_some());
        }
    }
    combine.clone()
}

/// Check of a combiner against the type of the messages.
struct Check<'a> {
    names: &'a Names,
    errors: &'a mut Errors,
}

impl Check<'_> {
    fn message(mut self, combine: &Combine, written: &Type, has_apply: bool) {
        let message = &self.names.message;
        match (combine, message) {
            (Combine::Fields(parts), Ty::Struct(index)) => self.fields(*index, parts, written),
            (Combine::Fields(_), _) => {
                let shown = self.names.show(message);
                self.errors.on(
                    written,
                    format!(
                        "`Fields` combines the fields of a struct, but messages are `{shown}`: write one combiner, \
                         such as `Sum`"
                    ),
                );
            }
            (Combine::MostFrequent, _) => self.most_frequent(written, has_apply),
            _ if combine.is_by_field(message) => {
                if let Some((field, ty)) = self.misfit(combine, message) {
                    let (takes, shown) = (combine.takes(), self.names.show(&ty));
                    let place = if field.is_empty() {
                        format!("messages are `{}`", self.names.show(message))
                    } else {
                        format!("the field `{field}` of the messages is `{shown}`")
                    };
                    let advice = self.advice(WRITE_ONE_PER_FIELD);
                    self.errors.on(written, format!("`{combine}` combines {takes}, but {place}: {advice}"));
                }
            }
            _ if combine.fits_scalar(message) && *message != Ty::REFUSED => {}
            _ => {
                let (takes, shown) = (combine.takes(), self.names.show(message));
                let advice = match message {
                    Ty::Struct(_) => WRITE_ONE_PER_FIELD,
                    _ => "write `fn combine(&self, a, b)` instead",
                };
                let advice = self.advice(advice);
                self.errors.on(
                    written,
                    format!("`{combine}` combines {takes}, but messages are `{shown}`: {advice}"),
                );
            }
        }
    }

    /// Returns advice that also suits the function form.
    fn advice(&self, in_module: &'static str) -> &'static str {
        if self.names.is_function { "use the module form for your own combiner" } else { in_module }
    }

    /// Checks the combiners of a struct's fields. `written` is `Fields<(..)>`.
    fn fields(&mut self, index: usize, parts: &[Combine], written: &Type) {
        let item = &self.names.structs[index];
        let written_parts: Vec<&Type> =
            part_of_fields(written).map_or_else(Vec::new, |parts| parts.iter().collect());
        if let Some(missing) = item.fields.get(parts.len()) {
            self.errors.on(
                written,
                format!(
                    "`{}` has {}, but `Fields` has {}: the field `{}` has no combiner",
                    item.name,
                    counted(item.fields.len(), "field"),
                    counted(parts.len(), "combiner"),
                    missing.name
                ),
            );
            return;
        }
        if let Some(extra) = written_parts.get(item.fields.len()) {
            let last = item.fields.last().map(|field| format!(", after the one for `{}`", field.name));
            self.errors.on(
                extra,
                format!(
                    "`{}` has {}, but `Fields` has {}: remove this one{}",
                    item.name,
                    counted(item.fields.len(), "field"),
                    counted(parts.len(), "combiner"),
                    last.unwrap_or_default()
                ),
            );
            return;
        }
        for ((field, part), written) in item.fields.iter().zip(parts).zip(written_parts) {
            match (part, &field.ty) {
                (Combine::Fields(inner), Ty::Struct(index)) => self.fields(*index, inner, written),
                _ => self.field(&field.name.to_string(), &field.ty, part, written),
            }
        }
    }

    /// Checks the combiner of one field.
    fn field(&mut self, name: &str, ty: &Ty, part: &Combine, written: &Type) {
        let Some((inner, misfit)) = self.misfit(part, ty) else { return };
        let path = if inner.is_empty() { name.to_owned() } else { format!("{name}.{inner}") };
        let (takes, shown) = (part.takes(), self.names.show(&misfit));
        let advice = match (part, ty) {
            (Combine::Fields(_), _) => "write one combiner, such as `Sum`",
            (_, Ty::Struct(_)) => "write another combiner, or a `Fields<(..)>` for its fields",
            _ => "write another combiner",
        };
        self.errors
            .on(written, format!("`{part}` combines {takes}, but the field `{path}` is `{shown}`: {advice}"));
    }

    /// Returns the first field that a combiner cannot combine: the path to it, which is empty for the value itself, and
    /// its type.
    fn misfit(&self, combine: &Combine, ty: &Ty) -> Option<(String, Ty)> {
        match ty {
            Ty::Unknown(_) => None,
            _ if combine.is_leaf(ty) => (!combine.fits_scalar(ty)).then(|| (String::new(), ty.clone())),
            // `Min` and `Max` would have two meanings: of each element, or of the first one that differs.
            _ if !combine.is_by_field(ty) || matches!(combine, Combine::Fields(_)) => {
                Some((String::new(), ty.clone()))
            }
            Ty::Array(of, _) => self.misfit(combine, of),
            Ty::Struct(index) => self.names.structs[*index].fields.iter().find_map(|field| {
                let (inner, ty) = self.misfit(combine, &field.ty)?;
                let path =
                    if inner.is_empty() { field.name.to_string() } else { format!("{}.{inner}", field.name) };
                Some((path, ty))
            }),
            _ => None,
        }
    }

    fn most_frequent(&mut self, written: &Type, has_apply: bool) {
        let message = &self.names.message;
        let shown = self.names.show(message);
        if !matches!(message, Ty::Int(Int::U32 | Int::U64)) {
            let advice = "send labels of one of these types, or write `fn combine(&self, a, b)` instead";
            self.errors.on(
                written,
                format!("`MostFrequent` combines `u32` and `u64`, but messages are `{shown}`: {advice}"),
            );
            return;
        }
        let named = argument(written).map(|of| self.names.resolve(of, Some(&Ty::Params), self.errors));
        if named.is_none_or(|of| of != *message && of != Ty::REFUSED) {
            self.errors.on(written, format!("messages are `{shown}`: write `MostFrequent<{shown}>`"));
        } else if !has_apply {
            self.errors.at(
                written.span(),
                "`MostFrequent` requires `fn apply`, which computes the new value: the most frequent message and the old \
                 value cannot be combined",
            );
        }
    }
}

/// Returns the only type argument of a path.
fn argument(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = peel_type(ty) else { return None };
    let PathArguments::AngleBracketed(arguments) = &path.path.segments.last()?.arguments else { return None };
    match (arguments.args.first()?, arguments.args.len()) {
        (GenericArgument::Type(of), 1) => Some(of),
        _ => None,
    }
}

fn counted(number: usize, of: &str) -> String {
    if number == 1 { format!("one {of}") } else { format!("{number} {of}s") }
}
