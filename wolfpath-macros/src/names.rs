//! The declarations of a program, which are read before any body: its structs, enums, constants, functions, data types
//! and combiner. The submodule `types` reads written types.

mod combiner;
mod folds;
mod types;

pub(crate) use folds::fold_of;

use proc_macro2::Ident;
use syn::{Attribute, Fields, FnArg, ItemEnum, ItemStruct, PatType, Signature};

use crate::messages::Errors;
use crate::model::inferred::{Field, Struct, Ty};
use crate::model::views::{ViewType, view};
use crate::model::{Access, Combine, Computes, Enum, Float, Fold, Int, Senders, Starts, Unknown};
use crate::parse::{Callable, Constant, Source, last_name};

/// A function's signature, known before any body is read.
pub(crate) struct Prototype {
    pub(crate) owner: Option<Ty>,
    pub(crate) name: Ident,
    /// `true` if the first input is `self`.
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

/// The comparisons (`==` and `<`) that a type of the module derives.
#[derive(Clone, Copy, Default)]
pub(crate) struct Derives {
    pub(crate) equality: bool,
    pub(crate) order: bool,
}

/// All declarations that a body may refer to.
pub(crate) struct Names {
    pub(crate) program: Ident,
    /// `true` for the function form, in which there is no module for further items.
    pub(crate) is_function: bool,
    pub(crate) structs: Vec<Struct>,
    pub(crate) struct_derives: Vec<Derives>,
    pub(crate) enums: Vec<Enum>,
    pub(crate) enum_derives: Vec<Derives>,
    pub(crate) params: Vec<Field>,
    pub(crate) consts: Vec<NamedConst>,
    pub(crate) functions: Vec<Prototype>,
    /// The functions of `impl EdgeProgram`.
    pub(crate) methods: Vec<Prototype>,
    pub(crate) combine: Combine,
    pub(crate) senders: Senders,
    /// `true` if messages travel between distinct neighbours.
    pub(crate) neighbours: bool,
    /// `true` if messages travel in both directions of the edges.
    pub(crate) both_ways: bool,
    /// `true` if messages may be added in portions.
    pub(crate) accumulates: bool,
    pub(crate) computes: Computes,
    pub(crate) starts: Starts,
    /// `true` if the data types and the combiner are known. Otherwise only the user's item is emitted.
    pub(crate) interface_is_known: bool,
    pub(crate) value: Ty,
    pub(crate) message: Ty,
    pub(crate) weight: Ty,
    pub(crate) aggregate: Ty,
    /// The folds of a tuple or struct of several, in the order of declaration.
    pub(crate) folds: Vec<Fold>,
    /// `true` if `aggregate` reads the value before the last step.
    pub(crate) folds_before: bool,
    /// The struct that `type Aggregate` names.
    fold_struct: Option<usize>,
    /// The constants' expressions as written, for the lengths of arrays.
    values: Vec<(Ident, syn::Expr)>,
}

/// Names that a type of the module cannot have, because they have a meaning in the language.
const TAKEN: [&str; 7] = ["Edge", "Vertex", "Option", "Some", "None", "PerVertex", "VertexSet"];

impl Names {
    /// Reads all declarations: the types of the module, the data types and the combiner, then the constants and
    /// functions, whose types depend on these.
    pub(crate) fn new(source: &Source, errors: &mut Errors) -> Names {
        let before = errors.len();
        let has_halts = source.methods.iter().any(|method| method.signature.ident == "halts");
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
            methods: Vec::new(),
            combine: Combine::Custom,
            senders: source.senders,
            neighbours: source.neighbours,
            both_ways: source.both_ways,
            accumulates: source.accumulates.is_some(),
            computes: Computes::new(source.senders, has_halts),
            starts: Starts::Every,
            interface_is_known: false,
            value: Ty::REFUSED,
            message: Ty::REFUSED,
            weight: Ty::Unit,
            aggregate: Ty::Unit,
            folds: Vec::new(),
            folds_before: source.folds_before,
            fold_struct: None,
            values: source.consts.iter().map(|item| (item.name.clone(), item.value.clone())).collect(),
        };
        names.types(source, errors);
        names.data_types(source, errors);
        names.combine = combiner::combiner(source, &names, errors);
        names.starts = names.starts(source);
        names.interface_is_known = errors.len() == before;
        names.consts = source.consts.iter().map(|item| constant(item, &names, errors)).collect();
        names.functions = source.functions.iter().map(|item| prototype(item, &names, errors)).collect();
        names.methods = source.methods.iter().map(|item| method_prototype(item, &names, errors)).collect();
        names
    }

    /// Reads the structs and enums of the module, and the program's own struct.
    fn types(&mut self, source: &Source, errors: &mut Errors) {
        for item in &source.structs {
            check_type_name(&item.ident, errors);
            self.structs.push(Struct { name: item.ident.clone(), fields: Vec::new() });
        }
        for item in &source.enums {
            check_type_name(&item.ident, errors);
            let item = self.enumeration(item, errors);
            self.enums.push(item);
        }
        self.fold_struct = self.struct_of_folds(source);
        for (index, item) in source.structs.iter().enumerate() {
            let fields = match self.fold_struct == Some(index) {
                true => self.fold_fields(item, errors),
                false => self.fields(item, errors),
            };
            self.structs[index].fields = fields;
        }
        if let Some(item) = &source.params {
            self.params = self.fields(item, errors);
        }
    }

    fn data_types(&mut self, source: &Source, errors: &mut Errors) {
        self.value = self.data(&source.value, errors);
        // An error in the value's type is not repeated for a message of the same type.
        let same =
            source.message == source.value || last_name(&source.message).is_some_and(|name| name == "Value");
        self.message = if same { self.value.clone() } else { self.data(&source.message, errors) };
        if let Some(weight) = &source.weight {
            self.weight = self.weight(weight, errors);
        }
        if let Some(aggregate) = &source.aggregate {
            self.aggregate = self.aggregate(aggregate, errors);
        }
    }

    /// Returns where the program starts: at sources, at every vertex, or where `start` returns a value.
    fn starts(&self, source: &Source) -> Starts {
        let Some(start) = source.methods.iter().find(|method| method.signature.ident == "start") else {
            return if self.is_function { Starts::Sources } else { Starts::Every };
        };
        // An error in the type is reported when all signatures are read.
        match self.output(&start.signature, Some(&Ty::Params), &mut Errors::default()) {
            Ty::Option(of) if agrees(&of, &self.value) => Starts::Some,
            _ => Starts::Every,
        }
    }

    fn fields(&self, item: &ItemStruct, errors: &mut Errors) -> Vec<Field> {
        if !item.generics.params.is_empty() {
            errors.on(
                &item.generics,
                "a struct of an edge program cannot be generic: wrap the module in `macro_rules!`",
            );
            return vec![Field { name: item.ident.clone(), ty: Ty::REFUSED }];
        }
        match &item.fields {
            Fields::Named(fields) => {
                let of_program = item.ident == self.program;
                fields.named.iter().filter_map(|field| self.field(field, of_program, errors)).collect()
            }
            Fields::Unit => Vec::new(),
            Fields::Unnamed(fields) => {
                errors.on(fields, "the fields must have names: write `struct Name { field: type }`");
                vec![Field { name: item.ident.clone(), ty: Ty::REFUSED }]
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

    /// Reads an enum without data; each variant has the number that Rust gives it.
    fn enumeration(&self, item: &ItemEnum, errors: &mut Errors) -> Enum {
        if !item.generics.params.is_empty() {
            errors.on(&item.generics, "an enum of an edge program cannot be generic: write concrete types");
        }
        if item.variants.is_empty() {
            errors.on(&item.ident, "an enum of an edge program needs at least one variant");
        }
        let (mut variants, mut next) = (Vec::new(), 0u32);
        for variant in &item.variants {
            check_ascii(&variant.ident, errors);
            if !matches!(variant.fields, Fields::Unit) {
                errors.on(
                    &variant.fields,
                    "an enum of an edge program cannot contain data: put the data of a variant into a struct, or use \
                     `Option`",
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
                "the number of a variant must be a 32-bit number that the macro can evaluate: 0 to 4294967295",
            );
            otherwise
        })
    }

    /// Returns a type as the user would write it.
    pub(crate) fn show(&self, ty: &Ty) -> String {
        self.show_with(ty, &|_| "_")
    }

    /// Returns a type as the user would write it. `variable` returns the text for a type variable.
    pub(crate) fn show_with(&self, ty: &Ty, variable: &dyn Fn(usize) -> &'static str) -> String {
        let show = |part: &Ty| self.show_with(part, variable);
        let list = |parts: &[Ty]| parts.iter().map(show).collect::<Vec<_>>().join(", ");
        match ty {
            Ty::Unit => "()".into(),
            Ty::Bool => "bool".into(),
            Ty::Int(int) => int.name().into(),
            Ty::Float(float) => float.name().into(),
            Ty::Option(of) => format!("Option<{}>", show(of)),
            Ty::Tuple(parts) => format!("({})", list(parts)),
            Ty::Array(of, length) => format!("[{}; {length}]", show(of)),
            Ty::Struct(index) => self.structs[*index].name.to_string(),
            Ty::Enum(index) => self.enums[*index].name.to_string(),
            Ty::Ref(Access::Mutable, of) => format!("&mut {}", show(of)),
            Ty::Ref(Access::Shared, of) => format!("&{}", show(of)),
            Ty::PerVertex(of) => format!("PerVertex<{}>", show(of)),
            Ty::VertexSet => "VertexSet".into(),
            Ty::Edge if self.weight == Ty::Unit => format!("Edge<{}>", show(&self.value)),
            Ty::Edge => format!("Edge<{}, {}>", show(&self.value), show(&self.weight)),
            Ty::Vertex(value, _) if **value == Ty::Unit => "Vertex".into(),
            Ty::Vertex(value, before) if **before == Ty::Unit => format!("Vertex<{}>", show(value)),
            Ty::Vertex(value, before) => {
                format!("Vertex<{}, {}, {}>", show(value), show(&self.aggregate), show(before))
            }
            Ty::Params => self.program.to_string(),
            Ty::Never => "!".into(),
            Ty::Unknown(Unknown::Variable(id)) => variable(*id).into(),
            Ty::Unknown(Unknown::Refused) => "_".into(),
        }
    }

    /// Returns the type of a field of a struct, an edge, a vertex or `self`.
    pub(crate) fn field_type(&self, of: &Ty, field: &str) -> Option<Ty> {
        let named = |fields: &[Field]| fields.iter().find(|f| f.name == field).map(|f| f.ty.clone());
        match of {
            Ty::Struct(index) => named(&self.structs[*index].fields),
            Ty::Params => named(&self.params),
            _ => {
                let field = view(of).iter().find(|known| known.name == field)?;
                Some(match (field.ty, of) {
                    (ViewType::Value, Ty::Vertex(value, _)) => (**value).clone(),
                    (ViewType::Before, Ty::Vertex(_, before)) => (**before).clone(),
                    (ViewType::Before, _) => Ty::Unit,
                    (ViewType::Value, _) => self.value.clone(),
                    (ViewType::Weight, _) => self.weight.clone(),
                    (ViewType::Aggregate, _) => self.aggregate.clone(),
                    (ViewType::Bool, _) => Ty::Bool,
                    (ViewType::Int(int), _) => Ty::Int(int),
                })
            }
        }
    }

    /// Returns the type of a vertex whose value before the last step can be read.
    pub(crate) fn with_before(&self, ty: Ty) -> Ty {
        match ty {
            Ty::Vertex(value, before) if *before == Ty::Unit => {
                Ty::Vertex(value, Box::new(self.starts.before(&self.value)))
            }
            other => other,
        }
    }

    /// Returns the names of the fields, for messages.
    pub(crate) fn field_names(&self, of: &Ty) -> Vec<String> {
        let named = |fields: &[Field]| fields.iter().map(|f| f.name.to_string()).collect();
        match of {
            Ty::Struct(index) => named(&self.structs[*index].fields),
            Ty::Params => named(&self.params),
            _ => view(of).iter().map(|field| field.name.to_owned()).collect(),
        }
    }

    /// Returns the function of this name that belongs to `owner`; a free function if `owner` is `None`.
    pub(crate) fn function(&self, owner: Option<&Ty>, name: &str) -> Option<usize> {
        self.functions.iter().position(|known| known.owner.as_ref() == owner && known.name == name)
    }

    /// Returns the constant of this name that belongs to `owner`; a free constant if `owner` is `None`.
    pub(crate) fn constant(&self, owner: Option<&Ty>, name: &str) -> Option<usize> {
        self.consts.iter().position(|known| known.owner.as_ref() == owner && known.name == name)
    }

    /// Returns the type of the module that has this name, including the program itself.
    pub(crate) fn own_type(&self, name: &Ident) -> Option<Ty> {
        if let Some(index) = self.structs.iter().position(|item| item.name == *name) {
            return Some(Ty::Struct(index));
        }
        if let Some(index) = self.enums.iter().position(|item| item.name == *name) {
            return Some(Ty::Enum(index));
        }
        (self.program == *name).then_some(Ty::Params)
    }

    /// Returns the function of the program that has this name.
    pub(crate) fn method(&self, name: &str) -> Option<&Prototype> {
        self.methods.iter().find(|known| known.name == name)
    }

    /// Returns the comparisons that the type derives, recursively. Types outside the module can all be compared.
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
            Ty::Edge | Ty::Vertex(..) | Ty::Params => Derives::default(),
            _ => all,
        }
    }
}

/// Returns `true` if the types are equal, or one of them was already rejected.
pub(crate) fn agrees(a: &Ty, b: &Ty) -> bool {
    match (a, b) {
        (Ty::Unknown(_), _) | (_, Ty::Unknown(_)) => true,
        (Ty::Option(a), Ty::Option(b)) => agrees(a, b),
        (Ty::Vertex(a, before_a), Ty::Vertex(b, before_b)) => agrees(a, b) && agrees(before_a, before_b),
        _ => a == b,
    }
}

/// Returns the number type or `bool` of this name.
pub(crate) fn primitive(name: &str) -> Option<Ty> {
    match name {
        "bool" => Some(Ty::Bool),
        "f32" => Some(Ty::Float(Float::F32)),
        "f64" => Some(Ty::Float(Float::F64)),
        _ => Int::ALL.into_iter().find(|int| int.name() == name).map(Ty::Int),
    }
}

fn check_type_name(name: &Ident, errors: &mut Errors) {
    if TAKEN.iter().any(|taken| name == taken) {
        errors.on(name, format!("`{name}` is a reserved name in edge programs: choose another name"));
    }
    check_ascii(name, errors);
}

/// Rejects a name that is not ASCII, because names become names in CUDA C.
pub(crate) fn check_ascii(name: &Ident, errors: &mut Errors) {
    if !name.to_string().is_ascii() {
        errors.on(
            name,
            "names in an edge program must consist of ASCII letters, digits and `_`, because they become names in \
             CUDA C",
        );
    }
}

/// Returns the comparisons in `#[derive(..)]`.
fn derives(attributes: &[Attribute]) -> Derives {
    let mut derives = Derives::default();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("derive")) {
        // rustc reports an argument that is not a list of paths.
        let _ = attribute.parse_nested_meta(|meta| {
            let name = meta.path.segments.last().map(|segment| segment.ident.to_string());
            derives.equality |= name.as_deref() == Some("PartialEq");
            derives.order |= name.as_deref() == Some("PartialOrd");
            Ok(())
        });
    }
    derives
}

fn constant(item: &Constant, names: &Names, errors: &mut Errors) -> NamedConst {
    check_ascii(&item.name, errors);
    let owner = item.owner.as_ref().and_then(|owner| names.own_type(owner));
    let ty = names.resolve(&item.ty, owner.as_ref(), errors);
    NamedConst { owner, name: item.name.clone(), ty }
}

fn prototype(function: &Callable, names: &Names, errors: &mut Errors) -> Prototype {
    let signature = &function.signature;
    check_ascii(&signature.ident, errors);
    let owner = function.owner.as_ref().and_then(|owner| owned(owner, names, errors));
    let mut inputs = Vec::new();
    if let Some(receiver) = signature.receiver() {
        inputs.extend(receives(receiver, owner.as_ref(), errors));
    }
    let takes_self = !inputs.is_empty();
    let written = typed_inputs(signature);
    inputs.extend(written.map(|input| names.resolve(&input.ty, owner.as_ref(), errors)));
    let output = names.output(signature, owner.as_ref(), errors);
    if let Ty::Ref(..) = output {
        errors.on(&signature.output, "a function of a program must return a value: remove the `&`");
    }
    let changes = inputs.iter().any(|input| matches!(input, Ty::Ref(Access::Mutable, _)));
    if output == Ty::Unit && !changes {
        errors.on(
            &signature.ident,
            "this function returns nothing and changes nothing: add `-> ` and a type, or a `&mut` parameter",
        );
    }
    Prototype { owner, name: signature.ident.clone(), takes_self, inputs, output }
}

/// Returns the type whose `impl` contains a function or constant.
fn owned(owner: &Ident, names: &Names, errors: &mut Errors) -> Option<Ty> {
    let ty = names.own_type(owner);
    if ty.is_none() {
        errors.on(owner, "an `impl` in an edge program must be for a struct or an enum of its module");
    }
    ty
}

/// Returns the type of `self`.
fn receives(receiver: &syn::Receiver, owner: Option<&Ty>, errors: &mut Errors) -> Option<Ty> {
    let Some(owner) = owner else {
        errors.disagreement(
            receiver.self_token.span,
            "a free function cannot have `self`: pass the fields that it needs",
        );
        return None;
    };
    if receiver.colon_token.is_some() {
        errors.on(receiver, "write `self`, `&self` or `&mut self` here");
    }
    let by_reference = receiver.reference.is_some();
    match (by_reference, receiver.mutability.is_some(), owner) {
        (true, true, Ty::Params) => {
            errors.on(
                receiver,
                "the fields of a program cannot be changed, since all edges share them: write `&self`",
            );
        }
        (false, _, Ty::Params) => errors.on(receiver, "a method of the program must take `&self`"),
        _ => {}
    }
    Some(match by_reference {
        true => Ty::Ref(Access::of(receiver.mutability.as_ref()), Box::new(owner.clone())),
        false => owner.clone(),
    })
}

/// Returns the signature of a function of the program. Its `Self` is the program.
fn method_prototype(function: &Callable, names: &Names, errors: &mut Errors) -> Prototype {
    let signature = &function.signature;
    match signature.inputs.first() {
        Some(FnArg::Receiver(receiver)) if receiver.reference.is_some() && receiver.mutability.is_none() => {}
        _ => errors.on(&signature.ident, "the first parameter of this function must be `&self`, the program"),
    }
    let owner = Some(Ty::Params);
    let folds_before = names.folds_before && signature.ident == "aggregate";
    let inputs = typed_inputs(signature).map(|input| {
        let ty = names.resolve(&input.ty, owner.as_ref(), errors);
        if folds_before { names.with_before(ty) } else { ty }
    });
    let inputs = inputs.collect();
    let output = names.output(signature, owner.as_ref(), errors);
    Prototype { owner, name: signature.ident.clone(), takes_self: false, inputs, output }
}

/// Returns the parameters without `self`.
pub(crate) fn typed_inputs(signature: &Signature) -> impl Iterator<Item = &PatType> {
    signature.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(input) => Some(input),
        FnArg::Receiver(_) => None,
    })
}
