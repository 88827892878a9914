//! Reads the types that a user writes.

use proc_macro2::Ident;
use syn::{GenericArgument, PathArguments, PathSegment, Type};

use super::{Names, agrees, primitive};
use crate::messages::{DATA, Errors, suggestion};
use crate::model::{Access, Ty};
use crate::parse::peel_type;

/// How many parts a tuple may have.
const PARTS: usize = 8;

impl Names {
    /// The type that the user wrote, inside an `impl` of `owner` where there is one; an error and [`Ty::Error`] for
    /// one that the language does not have.
    pub(crate) fn resolve(&self, written: &Type, owner: Option<&Ty>, errors: &mut Errors) -> Ty {
        match peel_type(written) {
            Type::Tuple(tuple) => match tuple.elems.len() {
                0 => Ty::Unit,
                2..=PARTS => {
                    Ty::Tuple(tuple.elems.iter().map(|part| self.resolve(part, owner, errors)).collect())
                }
                _ => refuse(
                    written,
                    "a tuple of an edge program has two to eight parts: declare a struct",
                    errors,
                ),
            },
            Type::Array(array) => {
                let of = self.resolve(&array.elem, owner, errors);
                match self.length(&array.len, errors) {
                    Some(length) => Ty::Array(Box::new(of), length),
                    None => Ty::Error,
                }
            }
            Type::Reference(reference) => match peel_type(&reference.elem) {
                Type::Slice(_) => refuse(
                    written,
                    "an edge program has no slices: lend an array with its length, as in `&[u32; 4]`",
                    errors,
                ),
                _ => {
                    let of = self.resolve(&reference.elem, owner, errors);
                    Ty::Ref(Access::of(reference.mutability.as_ref()), Box::new(of))
                }
            },
            Type::Path(path) if path.qself.is_none() => match self.path(&path.path, owner, errors) {
                Some(ty) => ty,
                None => self.unknown(written, errors),
            },
            _ => self.unknown(written, errors),
        }
    }

    /// The number of elements of an array.
    pub(crate) fn length(&self, written: &syn::Expr, errors: &mut Errors) -> Option<u64> {
        let length = self.number(written).and_then(|length| u64::try_from(length).ok());
        match length {
            Some(0) => {
                errors.on(written, "an array of an edge program has at least one element");
                None
            }
            // 64 KiB of bytes a thread is far beyond what a device keeps close.
            Some(length) if length <= 65_536 => Some(length),
            Some(_) => {
                errors.on(
                    written,
                    "an array of an edge program has at most 65536 elements: every thread has its own",
                );
                None
            }
            None => {
                errors.on(
                    written,
                    "the length of an array is a number, or a constant of the module that the macro can work out",
                );
                None
            }
        }
    }

    fn unknown(&self, written: &Type, errors: &mut Errors) -> Ty {
        let name = last_segment(written).map(|segment| segment.ident.to_string()).unwrap_or_default();
        let message = match (peel_type(written), name.as_str()) {
            (_, "i128" | "u128") => {
                "128-bit integers are wider than anything a device adds: use `u64` or `i64`".into()
            }
            (_, "f16" | "f128") => "the floats of an edge program are `f32` and `f64`".into(),
            (_, "char" | "str" | "String") => {
                "an edge program computes with numbers: there is no text on the device".into()
            }
            (_, "Vec" | "Box" | "Rc" | "Arc" | "HashMap" | "HashSet" | "BTreeMap" | "VecDeque") => format!(
                "`{name}` allocates, and nothing is allocated on the device: use an array of fixed length, `[u32; 4]`"
            ),
            (_, "Result") => {
                "an edge program says that there is nothing by `Option`: write `Option<..>`".into()
            }
            (_, "Ordering") => "an edge program compares by `<`, `==` and `>`: there is no `Ordering`".into(),
            (Type::ImplTrait(_) | Type::TraitObject(_), _) => {
                "an edge program has no traits: write the type itself".into()
            }
            (Type::BareFn(_), _) => {
                "an edge program calls functions by their names: there are no pointers".into()
            }
            (Type::Ptr(_), _) => "an edge program has no pointers: lend the value by `&` or `&mut`".into(),
            (Type::Infer(_), _) => {
                "write this type out: the macro must know it before it reads the body".into()
            }
            _ => {
                let own = self.structs.iter().map(|item| item.name.to_string());
                let own: Vec<String> =
                    own.chain(self.enums.iter().map(|item| item.name.to_string())).collect();
                let hint = suggestion(&name, own.iter().map(String::as_str));
                format!(
                    "this type is not part of the language of edge programs{hint}: use {DATA}, or an `Option` or a \
                     tuple of them"
                )
            }
        };
        refuse(written, message, errors)
    }

    fn path(&self, path: &syn::Path, owner: Option<&Ty>, errors: &mut Errors) -> Option<Ty> {
        let first = path.segments.first()?;
        let segment = path.segments.last()?;
        if first.ident == "Self" {
            return if path.segments.len() == 2 { self.associated(&segment.ident) } else { owner.cloned() };
        }
        let foreign = ["std", "core", "wolfpath"].iter().any(|root| first.ident == root);
        if path.segments.len() > 1 && !foreign {
            return None;
        }
        let types = arguments(segment);
        match (segment.ident.to_string().as_str(), types.as_slice()) {
            ("Option", [of]) => Some(Ty::option(self.resolve(of, owner, errors))),
            ("Edge", types) => Some(self.edge(segment, types, errors)),
            ("Vertex", types) => Some(self.vertex(types, errors)),
            ("PerVertex" | "VertexSet", _) => Some(self.input_elsewhere(segment, errors)),
            (name, []) => self.own_type(&segment.ident).or_else(|| primitive(name)),
            _ => None,
        }
    }

    fn associated(&self, name: &Ident) -> Option<Ty> {
        match name.to_string().as_str() {
            "Value" => Some(self.value.clone()),
            "Message" => Some(self.message.clone()),
            "Weight" => Some(self.weight.clone()),
            _ => None,
        }
    }

    fn edge(&self, segment: &PathSegment, types: &[&Type], errors: &mut Errors) -> Ty {
        let value = types.first().map(|ty| self.resolve(ty, None, errors));
        let weight = types.get(1).map_or(Ty::Unit, |ty| self.resolve(ty, None, errors));
        let wanted = if self.weight == Ty::Unit {
            format!("Edge<{}>", self.show(&self.value))
        } else {
            format!("Edge<{}, {}>", self.show(&self.value), self.show(&self.weight))
        };
        let fits =
            value.as_ref().is_some_and(|value| agrees(value, &self.value)) && agrees(&weight, &self.weight);
        if !fits || types.len() > 2 {
            let hint = if self.weight == Ty::Unit && weight != Ty::Unit {
                "; a program that reads weights says so by `type Weight = ..;`"
            } else {
                ""
            };
            errors.on(segment, format!("the edges of this program are `{wanted}`{hint}"));
        }
        Ty::Edge
    }

    fn vertex(&self, types: &[&Type], errors: &mut Errors) -> Ty {
        let value = types.first().map_or(Ty::Unit, |ty| self.resolve(ty, None, errors));
        if let Some(written) = types.get(1) {
            let ty = self.resolve(written, None, errors);
            if !agrees(&ty, &self.aggregate) {
                errors.on(
                    written,
                    format!("the aggregate of this program is `{}`", self.show(&self.aggregate)),
                );
            }
        }
        Ty::Vertex(Box::new(value))
    }

    /// `Sum<f64>` is an `f64`, `NoAggregate` is nothing.
    pub(super) fn aggregate(&self, written: &Type, errors: &mut Errors) -> Ty {
        const EXPECTED: &str =
            "expected `NoAggregate`, or `Sum`, `Min`, `Max`, `Or` or `And` of a type, as in `Sum<f64>`";
        let Some(segment) = last_segment(written) else { return refuse(written, EXPECTED, errors) };
        let folds = ["Sum", "Min", "Max", "Or", "And"].iter().any(|fold| segment.ident == fold);
        match (segment.ident == "NoAggregate", arguments(segment).as_slice()) {
            (true, []) => Ty::Unit,
            (false, [ty]) if folds => self.data(ty, errors),
            _ => refuse(written, EXPECTED, errors),
        }
    }
}

fn refuse(written: &Type, message: impl std::fmt::Display, errors: &mut Errors) -> Ty {
    errors.on(written, message);
    Ty::Error
}

pub(super) fn last_segment(written: &Type) -> Option<&PathSegment> {
    match peel_type(written) {
        Type::Path(path) => path.path.segments.last(),
        _ => None,
    }
}

/// The types in angle brackets.
pub(super) fn arguments(segment: &PathSegment) -> Vec<&Type> {
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else { return Vec::new() };
    arguments
        .args
        .iter()
        .filter_map(|argument| match argument {
            GenericArgument::Type(ty) => Some(ty),
            _ => None,
        })
        .collect()
}
