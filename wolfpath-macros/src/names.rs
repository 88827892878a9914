//! The names of a program: its structs, enums, constants, functions and data types. `types` reads written types.

mod inputs;
mod lengths;
mod types;

use proc_macro2::Ident;
use syn::{Attribute, Fields, ItemEnum, ItemStruct, Type};

use crate::messages::{DATA, Errors};
use crate::model::views::{ViewType, view};
use crate::model::{Access, Enum, Field, Float, Int, Struct, Ty, is_shared};
use crate::parse::{Source, last_name};

/// A function's types, known before any body is read.
pub(crate) struct Prototype {
    pub(crate) owner: Option<Ty>,
    pub(crate) name: Ident,
    /// The first is `self`, where the function has one.
    pub(crate) takes_self: bool,
    pub(crate) inputs: Vec<Ty>,
    pub(crate) output: Ty,
}

/// A constant's type, known before any value is read.
pub(crate) struct NamedConst {
    pub(crate) owner: Option<Ty>,
    pub(crate) name: Ident,
    pub(crate) ty: Ty,
}

/// Which of `==` and `<` a type of the module derives.
#[derive(Clone, Copy, Default)]
pub(crate) struct Derives {
    pub(crate) equality: bool,
    pub(crate) order: bool,
}

/// Everything that a body may name.
pub(crate) struct Names {
    pub(crate) program: Ident,
    /// The program is a function alone, so there is no module to put anything into.
    pub(crate) is_function: bool,
    pub(crate) structs: Vec<Struct>,
    pub(crate) struct_derives: Vec<Derives>,
    pub(crate) enums: Vec<Enum>,
    pub(crate) enum_derives: Vec<Derives>,
    pub(crate) params: Vec<Field>,
    pub(crate) consts: Vec<NamedConst>,
    pub(crate) functions: Vec<Prototype>,
    pub(crate) value: Ty,
    pub(crate) message: Ty,
    pub(crate) weight: Ty,
    pub(crate) aggregate: Ty,
    /// The constants' values as written, for the lengths of arrays.
    values: Vec<(Ident, syn::Expr)>,
}

/// Names that a type of the module cannot take, because the language gives them a meaning.
const TAKEN: [&str; 7] = ["Edge", "Vertex", "Option", "Some", "None", "PerVertex", "VertexSet"];

impl Names {
    /// Reads the types of the module and the data types; constants and functions follow, since their types need
    /// these.
    pub(crate) fn new(source: &Source, errors: &mut Errors) -> Names {
        let mut names = Names {
            program: source.name.clone(),
            is_function: source.params.is_none(),
            structs: Vec::new(),
            struct_derives: source.structs.iter().map(|item| derives(&item.attrs)).collect(),
            enums: Vec::new(),
            enum_derives: source.enums.iter().map(|item| derives(&item.attrs)).collect(),
            params: Vec::new(),
            consts: Vec::new(),
            functions: Vec::new(),
            value: Ty::Error,
            message: Ty::Error,
            weight: Ty::Unit,
            aggregate: Ty::Unit,
            values: source.consts.iter().map(|item| (item.name.clone(), item.value.clone())).collect(),
        };
        for item in &source.structs {
            check_type_name(&item.ident, errors);
            names.structs.push(Struct { name: item.ident.clone(), fields: Vec::new() });
        }
        for item in &source.enums {
            check_type_name(&item.ident, errors);
            let item = names.enumeration(item, errors);
            names.enums.push(item);
        }
        for (index, item) in source.structs.iter().enumerate() {
            names.structs[index].fields = names.fields(item, errors);
        }
        if let Some(item) = &source.params {
            names.params = names.fields(item, errors);
        }
        names.value = names.data(&source.value, errors);
        // What is wrong with the value is not said again of a message of the same type.
        let same =
            source.message == source.value || last_name(&source.message).is_some_and(|name| name == "Value");
        names.message = if same { names.value.clone() } else { names.data(&source.message, errors) };
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
            return vec![Field { name: item.ident.clone(), ty: Ty::Error }];
        }
        match &item.fields {
            Fields::Named(fields) => {
                let of_program = item.ident == self.program;
                fields.named.iter().filter_map(|field| self.field(field, of_program, errors)).collect()
            }
            Fields::Unit => Vec::new(),
            Fields::Unnamed(fields) => {
                errors.on(
                    fields,
                    "name the fields: a struct of an edge program is `struct Name { field: type }`",
                );
                vec![Field { name: item.ident.clone(), ty: Ty::Error }]
            }
        }
    }

    fn field(&self, field: &syn::Field, of_program: bool, errors: &mut Errors) -> Option<Field> {
        let name = field.ident.clone()?;
        check_ascii(&name, errors);
        let ty = match of_program {
            true => self.input(&field.ty, errors).unwrap_or_else(|| self.data(&field.ty, errors)),
            false => self.part(&field.ty, errors),
        };
        Some(Field { name, ty })
    }

    /// The type of a field of a struct: anything that can be copied.
    fn part(&self, written: &Type, errors: &mut Errors) -> Ty {
        let ty = self.resolve(written, None, errors);
        if is_copied(&ty) {
            return ty;
        }
        let shown = self.show(&ty);
        errors.on(written, format!("a struct of an edge program holds values, no `{shown}`: use {DATA}"));
        Ty::Error
    }

    /// An enum of plain names; each stands for the number that Rust gives it.
    fn enumeration(&self, item: &ItemEnum, errors: &mut Errors) -> Enum {
        if !item.generics.params.is_empty() {
            errors.on(&item.generics, "an enum of an edge program cannot be generic: write the types out");
        }
        if item.variants.is_empty() {
            errors.on(&item.ident, "an enum of an edge program has at least one variant");
        }
        let (mut variants, mut next) = (Vec::new(), 0u32);
        for variant in &item.variants {
            check_ascii(&variant.ident, errors);
            if !matches!(variant.fields, Fields::Unit) {
                errors.on(
                    &variant.fields,
                    "an enum of an edge program is a plain list of names: keep what belongs to a variant in a struct \
                     beside it, or use `Option`",
                );
            }
            if let Some((_, written)) = &variant.discriminant {
                next = self.discriminant(written, next, errors);
            }
            variants.push((variant.ident.clone(), next));
            next = next.wrapping_add(1);
        }
        Enum { name: item.ident.clone(), variants }
    }

    fn discriminant(&self, written: &syn::Expr, otherwise: u32, errors: &mut Errors) -> u32 {
        let number = self.number(written).and_then(|number| u32::try_from(number).ok());
        number.unwrap_or_else(|| {
            errors.on(
                written,
                "a variant stands for a number of 32 bits that the macro can read: 0 to 4294967295",
            );
            otherwise
        })
    }

    /// A type that data of the program may have.
    pub(crate) fn data(&self, written: &Type, errors: &mut Errors) -> Ty {
        let before = errors.len();
        let ty = self.resolve(written, None, errors);
        if errors.len() > before {
            return Ty::Error;
        }
        if !is_shared(&ty, &self.structs) {
            let because = self.unshared(&ty).unwrap_or_default();
            errors
                .on(written, format!("`{}` cannot be kept on a device{because}: use {DATA}", self.show(&ty)));
            return Ty::Error;
        }
        ty
    }

    /// The field for which a struct cannot be kept.
    fn unshared(&self, ty: &Ty) -> Option<String> {
        let Ty::Struct(index) = ty else { return None };
        let field = self.structs[*index].fields.iter().find(|field| !is_shared(&field.ty, &self.structs))?;
        Some(format!(", since its `{}` is `{}`", field.name, self.show(&field.ty)))
    }

    fn weight(&self, written: &Type, errors: &mut Errors) -> Ty {
        let ty = self.resolve(written, None, errors);
        match ty {
            Ty::Unit | Ty::Error => ty,
            Ty::Int(_) | Ty::Float(_) if ty.is_datum() => ty,
            Ty::Struct(index) => crate::weights::of_struct(index, &self.structs[index], written, errors),
            _ => {
                errors.on(
                    written,
                    "a weight is a number: u32, i32, u64, i64, f32 or f64, a struct of them, or `()` for none",
                );
                Ty::Error
            }
        }
    }

    /// A type as the user would write it.
    pub(crate) fn show(&self, ty: &Ty) -> String {
        let list = |parts: &[Ty]| parts.iter().map(|part| self.show(part)).collect::<Vec<_>>().join(", ");
        match ty {
            Ty::Unit => "()".into(),
            Ty::Bool => "bool".into(),
            Ty::Int(int) => int.name().into(),
            Ty::Float(float) => float.name().into(),
            Ty::Option(of) => format!("Option<{}>", self.show(of)),
            Ty::Tuple(parts) => format!("({})", list(parts)),
            Ty::Array(of, length) => format!("[{}; {length}]", self.show(of)),
            Ty::Struct(index) => self.structs[*index].name.to_string(),
            Ty::Enum(index) => self.enums[*index].name.to_string(),
            Ty::Ref(Access::Mutable, of) => format!("&mut {}", self.show(of)),
            Ty::Ref(Access::Shared, of) => format!("&{}", self.show(of)),
            Ty::PerVertex(of) => format!("PerVertex<{}>", self.show(of)),
            Ty::VertexSet => "VertexSet".into(),
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
            _ => {
                let field = view(of).iter().find(|known| known.name == field)?;
                Some(match (field.ty, of) {
                    (ViewType::Value, Ty::Vertex(value)) => (**value).clone(),
                    (ViewType::Value, _) => self.value.clone(),
                    (ViewType::Weight, _) => self.weight.clone(),
                    (ViewType::Aggregate, _) => self.aggregate.clone(),
                    (ViewType::Int(int), _) => Ty::Int(int),
                })
            }
        }
    }

    /// The names of the fields, for messages.
    pub(crate) fn field_names(&self, of: &Ty) -> Vec<String> {
        let named = |fields: &[Field]| fields.iter().map(|f| f.name.to_string()).collect();
        match of {
            Ty::Struct(index) => named(&self.structs[*index].fields),
            Ty::Params => named(&self.params),
            _ => view(of).iter().map(|field| field.name.to_owned()).collect(),
        }
    }

    /// The function of this name that belongs to this type, or to none.
    pub(crate) fn function(&self, owner: Option<&Ty>, name: &str) -> Option<usize> {
        self.functions.iter().position(|known| known.owner.as_ref() == owner && known.name == name)
    }

    /// The constant of this name that belongs to this type, or to none.
    pub(crate) fn constant(&self, owner: Option<&Ty>, name: &str) -> Option<usize> {
        self.consts.iter().position(|known| known.owner.as_ref() == owner && known.name == name)
    }

    /// The type of the module that has this name; the program itself too.
    pub(crate) fn own_type(&self, name: &Ident) -> Option<Ty> {
        if let Some(index) = self.structs.iter().position(|item| item.name == *name) {
            return Some(Ty::Struct(index));
        }
        if let Some(index) = self.enums.iter().position(|item| item.name == *name) {
            return Some(Ty::Enum(index));
        }
        (self.program == *name).then_some(Ty::Params)
    }

    /// What the type derives, all the way down; everything that is not the module's can be compared.
    pub(crate) fn derives(&self, ty: &Ty) -> Derives {
        let both = |a: Derives, b: Derives| Derives {
            equality: a.equality && b.equality,
            order: a.order && b.order,
        };
        let all = Derives { equality: true, order: true };
        match ty {
            Ty::Struct(index) => self.struct_derives[*index],
            Ty::Enum(index) => self.enum_derives[*index],
            Ty::Option(of) | Ty::Array(of, _) | Ty::Ref(_, of) => self.derives(of),
            Ty::Tuple(parts) => parts.iter().map(|part| self.derives(part)).fold(all, both),
            Ty::Edge | Ty::Vertex(_) | Ty::Params => Derives::default(),
            _ => all,
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

/// Whether a type is made of values alone.
fn is_copied(ty: &Ty) -> bool {
    match ty {
        Ty::Bool | Ty::Int(_) | Ty::Float(_) | Ty::Struct(_) | Ty::Enum(_) | Ty::Error => true,
        Ty::Option(of) | Ty::Array(of, _) => is_copied(of),
        Ty::Tuple(parts) => parts.iter().all(is_copied),
        _ => false,
    }
}

fn check_type_name(name: &Ident, errors: &mut Errors) {
    if TAKEN.iter().any(|taken| name == taken) {
        errors.on(name, format!("`{name}` has a meaning in edge programs: choose another name"));
    }
    check_ascii(name, errors);
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

/// What `#[derive(..)]` says about comparing.
fn derives(attributes: &[Attribute]) -> Derives {
    let mut derives = Derives::default();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("derive")) {
        // Anything that is no list of paths is rustc's to refuse.
        let _ = attribute.parse_nested_meta(|meta| {
            let name = meta.path.segments.last().map(|segment| segment.ident.to_string());
            derives.equality |= name.as_deref() == Some("PartialEq");
            derives.order |= name.as_deref() == Some("PartialOrd");
            Ok(())
        });
    }
    derives
}
