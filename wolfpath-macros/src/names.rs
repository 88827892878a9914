//! The names of a program: its structs, constants, functions and data types, and how a written type is read.

use proc_macro2::Ident;
use syn::{Fields, GenericArgument, ItemStruct, PathArguments, PathSegment, Type};

use crate::messages::{DATA, Errors, not_taken};
use crate::model::{Field, Float, Int, Struct, Ty};
use crate::parse::{Source, peel_type};

/// A function's types, known before any body is read.
pub(crate) struct Prototype {
    pub(crate) name: Ident,
    pub(crate) inputs: Vec<Ty>,
    pub(crate) output: Ty,
}

/// Everything that a body may name.
pub(crate) struct Names {
    pub(crate) program: Ident,
    pub(crate) structs: Vec<Struct>,
    pub(crate) params: Vec<Field>,
    pub(crate) consts: Vec<(Ident, Ty)>,
    pub(crate) functions: Vec<Prototype>,
    pub(crate) value: Ty,
    pub(crate) message: Ty,
    pub(crate) weight: Ty,
    pub(crate) aggregate: Ty,
}

/// Names that a struct cannot take, because the language gives them a meaning.
const TAKEN: [&str; 5] = ["Edge", "Vertex", "Option", "Some", "None"];

impl Names {
    /// Reads the structs and the data types; constants and functions follow, since their types need these.
    pub(crate) fn new(source: &Source, errors: &mut Errors) -> Names {
        let mut names = Names {
            program: source.name.clone(),
            structs: Vec::new(),
            params: Vec::new(),
            consts: Vec::new(),
            functions: Vec::new(),
            value: Ty::Error,
            message: Ty::Error,
            weight: Ty::Unit,
            aggregate: Ty::Unit,
        };
        for item in &source.structs {
            if TAKEN.iter().any(|taken| item.ident == taken) {
                errors.on(
                    &item.ident,
                    format!("`{}` has a meaning in edge programs: choose another name", item.ident),
                );
            }
            check_ascii(&item.ident, errors);
            names.structs.push(Struct { name: item.ident.clone(), fields: Vec::new() });
        }
        for (index, item) in source.structs.iter().enumerate() {
            names.structs[index].fields = names.fields(item, errors);
        }
        if let Some(item) = &source.params {
            names.params = names.fields(item, errors);
        }
        names.value = names.data(&source.value, errors);
        names.message = names.data(&source.message, errors);
        if let Some(weight) = &source.weight {
            names.weight = names.weight(weight, errors);
        }
        if let Some(aggregate) = &source.aggregate {
            names.aggregate = names.aggregate(aggregate, errors);
        }
        names
    }

    fn fields(&self, item: &ItemStruct, errors: &mut Errors) -> Vec<Field> {
        if !item.generics.params.is_empty() {
            errors.on(
                &item.generics,
                "a struct of an edge program cannot be generic: wrap the module in `macro_rules!`",
            );
        }
        match &item.fields {
            Fields::Named(fields) => {
                fields.named.iter().filter_map(|field| self.field(field, errors)).collect()
            }
            Fields::Unit => Vec::new(),
            Fields::Unnamed(fields) => {
                errors.on(
                    fields,
                    "name the fields: a struct of an edge program is `struct Name { field: type }`",
                );
                Vec::new()
            }
        }
    }

    fn field(&self, field: &syn::Field, errors: &mut Errors) -> Option<Field> {
        let name = field.ident.clone()?;
        check_ascii(&name, errors);
        Some(Field { name, ty: self.data(&field.ty, errors) })
    }

    /// A type that data of the program may have.
    pub(crate) fn data(&self, written: &Type, errors: &mut Errors) -> Ty {
        let before = errors.len();
        let ty = self.resolve(written, errors);
        if errors.len() == before && !ty.is_datum() {
            errors.on(written, format!("`{}` cannot be kept on a device: use {DATA}", self.show(&ty)));
            return Ty::Error;
        }
        ty
    }

    fn weight(&self, written: &Type, errors: &mut Errors) -> Ty {
        let ty = self.resolve(written, errors);
        match ty {
            Ty::Unit | Ty::Error => ty,
            Ty::Int(_) | Ty::Float(_) if ty.is_datum() => ty,
            _ => {
                errors.on(written, "a weight is a number: u32, i32, u64, i64, f32 or f64, or `()` for none");
                Ty::Error
            }
        }
    }

    /// `Sum<f64>` is an `f64`, `NoAggregate` is nothing.
    fn aggregate(&self, written: &Type, errors: &mut Errors) -> Ty {
        let Some(segment) = last_segment(written) else {
            errors.on(
                written,
                "expected `NoAggregate`, or `Sum`, `Min`, `Max`, `Or` or `And` of a type, as in `Sum<f64>`",
            );
            return Ty::Error;
        };
        let folds = ["Sum", "Min", "Max", "Or", "And"].iter().any(|fold| segment.ident == fold);
        match (segment.ident == "NoAggregate", arguments(segment).as_slice()) {
            (true, []) => Ty::Unit,
            (false, [ty]) if folds => self.data(ty, errors),
            _ => {
                errors.on(written, "expected `NoAggregate`, or `Sum`, `Min`, `Max`, `Or` or `And` of a type, as in `Sum<f64>`");
                Ty::Error
            }
        }
    }

    /// The type that the user wrote; an error and [`Ty::Error`] for one that the language does not have.
    pub(crate) fn resolve(&self, written: &Type, errors: &mut Errors) -> Ty {
        match peel_type(written) {
            Type::Tuple(tuple) if tuple.elems.is_empty() => Ty::Unit,
            Type::Path(path) if path.qself.is_none() => match self.path(&path.path, errors) {
                Some(ty) => ty,
                None => self.unknown(written, errors),
            },
            Type::Reference(reference) => {
                errors
                    .on(written, not_taken("references", "all its values are `Copy`, so pass them by value"));
                let _ = reference;
                Ty::Error
            }
            _ => self.unknown(written, errors),
        }
    }

    fn unknown(&self, written: &Type, errors: &mut Errors) -> Ty {
        errors.on(
            written,
            format!("this type is not part of the language of edge programs: use {DATA}, or `Option` of one"),
        );
        Ty::Error
    }

    fn path(&self, path: &syn::Path, errors: &mut Errors) -> Option<Ty> {
        let first = path.segments.first()?;
        let segment = path.segments.last()?;
        if first.ident == "Self" && path.segments.len() == 2 {
            return self.associated(&segment.ident);
        }
        let foreign = ["std", "core", "wolfpath"].iter().any(|root| first.ident == root);
        if path.segments.len() > 1 && !foreign {
            return None;
        }
        let types = arguments(segment);
        match (segment.ident.to_string().as_str(), types.as_slice()) {
            ("Option", [of]) => Some(Ty::option(self.resolve(of, errors))),
            ("Edge", types) => Some(self.edge(segment, types, errors)),
            ("Vertex", types) => Some(self.vertex(types, errors)),
            (name, []) => self.plain(name),
            _ => None,
        }
    }

    fn plain(&self, name: &str) -> Option<Ty> {
        if let Some(index) = self.structs.iter().position(|item| item.name == name) {
            return Some(Ty::Struct(index));
        }
        primitive(name)
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
        let value = types.first().map(|ty| self.resolve(ty, errors));
        let weight = types.get(1).map_or(Ty::Unit, |ty| self.resolve(ty, errors));
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
        let value = types.first().map_or(Ty::Unit, |ty| self.resolve(ty, errors));
        if let Some(written) = types.get(1) {
            let ty = self.resolve(written, errors);
            if !agrees(&ty, &self.aggregate) {
                errors.on(
                    written,
                    format!("the aggregate of this program is `{}`", self.show(&self.aggregate)),
                );
            }
        }
        Ty::Vertex(Box::new(value))
    }

    /// A type as the user would write it.
    pub(crate) fn show(&self, ty: &Ty) -> String {
        match ty {
            Ty::Unit => "()".into(),
            Ty::Bool => "bool".into(),
            Ty::Int(int) => int.name().into(),
            Ty::Float(float) => float.name().into(),
            Ty::Option(of) => format!("Option<{}>", self.show(of)),
            Ty::Tuple(parts) => {
                format!("({})", parts.iter().map(|part| self.show(part)).collect::<Vec<_>>().join(", "))
            }
            Ty::Struct(index) => self.structs[*index].name.to_string(),
            Ty::Edge if self.weight == Ty::Unit => format!("Edge<{}>", self.show(&self.value)),
            Ty::Edge => format!("Edge<{}, {}>", self.show(&self.value), self.show(&self.weight)),
            Ty::Vertex(value) if **value == Ty::Unit => "Vertex".into(),
            Ty::Vertex(value) => format!("Vertex<{}>", self.show(value)),
            Ty::Params => self.program.to_string(),
            Ty::Never => "!".into(),
            Ty::Var(_) | Ty::Error => "_".into(),
        }
    }

    /// The type of a field of a struct, an edge, a vertex or `self`.
    pub(crate) fn field_type(&self, of: &Ty, field: &str) -> Option<Ty> {
        let named = |fields: &[Field]| fields.iter().find(|f| f.name == field).map(|f| f.ty.clone());
        match of {
            Ty::Struct(index) => named(&self.structs[*index].fields),
            Ty::Params => named(&self.params),
            Ty::Edge => match field {
                "value" => Some(self.value.clone()),
                "weight" => Some(self.weight.clone()),
                "source" | "target" | "out_degree" => Some(Ty::Int(Int::U64)),
                "source_index" | "target_index" => Some(Ty::Int(Int::U32)),
                _ => None,
            },
            Ty::Vertex(value) => match field {
                "value" => Some((**value).clone()),
                "aggregate" => Some(self.aggregate.clone()),
                "index" => Some(Ty::Int(Int::U32)),
                "id" | "out_degree" | "in_degree" | "vertices" | "edges" | "step" => Some(Ty::Int(Int::U64)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The names of the fields, for messages.
    pub(crate) fn field_names(&self, of: &Ty) -> Vec<String> {
        let named = |fields: &[Field]| fields.iter().map(|f| f.name.to_string()).collect();
        let listed = |names: &str| names.split(' ').map(String::from).collect();
        match of {
            Ty::Struct(index) => named(&self.structs[*index].fields),
            Ty::Params => named(&self.params),
            Ty::Edge => listed("value weight source target source_index target_index out_degree"),
            Ty::Vertex(_) => listed("id index value out_degree in_degree vertices edges step aggregate"),
            _ => Vec::new(),
        }
    }
}

/// Equal, or one of them already refused.
pub(crate) fn agrees(a: &Ty, b: &Ty) -> bool {
    match (a, b) {
        (Ty::Error, _) | (_, Ty::Error) => true,
        (Ty::Option(a), Ty::Option(b)) | (Ty::Vertex(a), Ty::Vertex(b)) => agrees(a, b),
        _ => a == b,
    }
}

/// A number type or `bool`, by its name.
pub(crate) fn primitive(name: &str) -> Option<Ty> {
    match name {
        "bool" => Some(Ty::Bool),
        "f32" => Some(Ty::Float(Float::F32)),
        "f64" => Some(Ty::Float(Float::F64)),
        _ => Int::ALL.into_iter().find(|int| int.name() == name).map(Ty::Int),
    }
}

/// Names become names in CUDA C, so they are ASCII.
pub(crate) fn check_ascii(name: &Ident, errors: &mut Errors) {
    if !name.to_string().is_ascii() {
        errors.on(
            name,
            "names in an edge program are ASCII letters, digits and `_`, because they become names in CUDA C",
        );
    }
}

fn last_segment(written: &Type) -> Option<&PathSegment> {
    match peel_type(written) {
        Type::Path(path) => path.path.segments.last(),
        _ => None,
    }
}

/// The types in angle brackets.
fn arguments(segment: &PathSegment) -> Vec<&Type> {
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
