//! Reads types as the user wrote them, and determines whether they may be the types of data, inputs or weights. Also
//! evaluates the numbers that must be known when the macro runs: the lengths of arrays, and the numbers of an enum's
//! variants.

use proc_macro2::Ident;
use syn::ext::IdentExt;
use syn::{BinOp, Expr, GenericArgument, Lit, PathArguments, PathSegment, Type};

use super::{Names, agrees, primitive};
use crate::messages::{DATA, Errors, suggestion};
use crate::model::inferred::Ty;
use crate::model::{Access, is_plain_data};
use crate::parse::{peel, peel_type};

/// Maximum number of parts of a tuple.
const PARTS: usize = 8;

impl Names {
    /// Returns the type that the user wrote. `owner` is the type of the enclosing `impl`, if any. If the type is not in
    /// the language, reports an error and returns [`Ty::REFUSED`].
    pub(crate) fn resolve(&self, written: &Type, owner: Option<&Ty>, errors: &mut Errors) -> Ty {
        match peel_type(written) {
            Type::Tuple(tuple) => match tuple.elems.len() {
                0 => Ty::Unit,
                2..=PARTS => {
                    Ty::Tuple(tuple.elems.iter().map(|part| self.resolve(part, owner, errors)).collect())
                }
                _ => refuse(
                    written,
                    "a tuple of an edge program must have two to eight parts: declare a struct instead",
                    errors,
                ),
            },
            Type::Array(array) => {
                let of = self.resolve(&array.elem, owner, errors);
                match self.length(&array.len, errors) {
                    Some(length) => Ty::Array(Box::new(of), length),
                    None => Ty::REFUSED,
                }
            }
            Type::Reference(reference) => match peel_type(&reference.elem) {
                Type::Slice(_) => refuse(
                    written,
                    "an edge program has no slices: use a reference to an array with its length, as in `&[u32; 4]`",
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

    /// Returns the number of elements of an array.
    pub(crate) fn length(&self, written: &syn::Expr, errors: &mut Errors) -> Option<u64> {
        let length = self.number(written).and_then(|length| u64::try_from(length).ok());
        match length {
            Some(0) => {
                errors.on(written, "an array of an edge program must have at least one element");
                None
            }
            // Even an array of single bytes then takes 64 KiB per thread, which far exceeds a device's fast memory.
            Some(length) if length <= 65_536 => Some(length),
            Some(_) => {
                errors.on(
                    written,
                    "an array of an edge program can have at most 65536 elements: every thread has its own copy",
                );
                None
            }
            None => {
                errors.on(
                    written,
                    "the length of an array must be a number, or a constant of the module that the macro can evaluate",
                );
                None
            }
        }
    }

    fn unknown(&self, written: &Type, errors: &mut Errors) -> Ty {
        let name = last_segment(written).map(|segment| segment.ident.to_string()).unwrap_or_default();
        let message = match (peel_type(written), name.as_str()) {
            (_, "i128" | "u128") => {
                "128-bit integers are not supported on devices: use `u64` or `i64`".into()
            }
            (_, "f16" | "f128") => "an edge program has no floats except `f32` and `f64`".into(),
            (_, "char" | "str" | "String") => {
                "an edge program has no text: it computes with numbers and `bool`".into()
            }
            (_, "Vec" | "Box" | "Rc" | "Arc" | "HashMap" | "HashSet" | "BTreeMap" | "VecDeque") => format!(
                "`{name}` allocates, which a device cannot: use an array of fixed length, such as `[u32; 4]`"
            ),
            (_, "Result") => "an edge program has no `Result`: write `Option<..>`".into(),
            (_, "Sum" | "Min" | "Max" | "Or" | "And") => format!(
                "`{name}<..>` is a fold, not a type of data: only `type Aggregate` and the struct that it names can contain \
                 folds"
            ),
            (_, "Ordering") => "an edge program has no `Ordering`: compare by `<`, `==` and `>`".into(),
            (Type::ImplTrait(_) | Type::TraitObject(_), _) => {
                "an edge program has no traits: write a concrete type".into()
            }
            (Type::BareFn(_), _) => {
                "an edge program has no function pointers: call functions by their names".into()
            }
            (Type::Ptr(_), _) => "an edge program has no pointers: pass a reference, `&` or `&mut`".into(),
            (Type::Path(path), _) if path.path.segments.len() > 1 => format!(
                "the macro sees only the types of this module: declare `{name}` in it, or mark the module of `{name}` as \
                 `#[edge_types]` and name it in `#[edge_program(types = ..)]`"
            ),
            (Type::Infer(_), _) => "write this type out: the macro needs it before it reads the body".into(),
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
            ("AggregateOf", [of]) if self.is_program(of) => Some(self.aggregate.clone()),
            ("PerVertex" | "VertexSet", _) => Some(self.input_elsewhere(segment, errors)),
            (name, []) => self.own_type(&segment.ident).or_else(|| primitive(name)),
            _ => None,
        }
    }

    /// Returns `true` if the type is `Self` or the program's own name.
    fn is_program(&self, written: &Type) -> bool {
        last_segment(written).is_some_and(|segment| segment.ident == "Self" || segment.ident == self.program)
    }

    fn associated(&self, name: &Ident) -> Option<Ty> {
        match name.to_string().as_str() {
            "Value" => Some(self.value.clone()),
            "Message" => Some(self.message.clone()),
            "Weight" => Some(self.weight.clone()),
            "Before" => Some(self.starts.before(&self.value)),
            "Incoming" => Some(self.computes.incoming(&self.combine, &self.message)),
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
        if let Some(written) = types.get(2) {
            self.aggregate_of_view(written, errors);
        }
        let fits =
            value.as_ref().is_some_and(|value| agrees(value, &self.value)) && agrees(&weight, &self.weight);
        if !fits || types.len() > 3 {
            let hint = if self.weight == Ty::Unit && weight != Ty::Unit {
                "; to read weights, declare `type Weight = ..;`"
            } else {
                ""
            };
            errors.on(segment, format!("wrong type: the edges of this program are `{wanted}`{hint}"));
        }
        Ty::Edge
    }

    fn vertex(&self, types: &[&Type], errors: &mut Errors) -> Ty {
        let value = types.first().map_or(Ty::Unit, |ty| self.resolve(ty, None, errors));
        if let Some(written) = types.get(1) {
            self.aggregate_of_view(written, errors);
        }
        let before = types.get(2).map_or(Ty::Unit, |ty| self.resolve(ty, Some(&Ty::Params), errors));
        Ty::Vertex(Box::new(value), Box::new(before))
    }

    /// Checks the aggregate's type in the type of an edge or a vertex.
    fn aggregate_of_view(&self, written: &Type, errors: &mut Errors) {
        let ty = self.resolve(written, None, errors);
        if !agrees(&ty, &self.aggregate) {
            errors.on(
                written,
                format!("wrong type: the aggregate of this program is `{}`", self.show(&self.aggregate)),
            );
        }
    }

    /// Returns the type of a function's result.
    pub(super) fn output(&self, signature: &syn::Signature, owner: Option<&Ty>, errors: &mut Errors) -> Ty {
        match &signature.output {
            syn::ReturnType::Type(_, ty) => self.resolve(ty, owner, errors),
            syn::ReturnType::Default => Ty::Unit,
        }
    }

    /// Reads the type of a field of a struct: any type that can be copied.
    pub(super) fn part(&self, written: &Type, errors: &mut Errors) -> Ty {
        let ty = self.resolve(written, None, errors);
        if self.is_for_folds(&ty, written, errors) {
            return Ty::REFUSED;
        }
        if is_copied(&ty) {
            return ty;
        }
        let shown = self.show(&ty);
        errors.on(
            written,
            format!("a struct of an edge program cannot contain `{shown}`, which is not a value: use {DATA}"),
        );
        Ty::REFUSED
    }

    /// Reads a type of the program's data.
    pub(super) fn data(&self, written: &Type, errors: &mut Errors) -> Ty {
        let before = errors.len();
        let ty = self.resolve(written, None, errors);
        if errors.len() > before || self.is_for_folds(&ty, written, errors) {
            return Ty::REFUSED;
        }
        if !is_plain_data(&ty, &self.structs) {
            let because = self.field_for_locals_only(&ty).unwrap_or_default();
            errors.on(
                written,
                format!("`{}` cannot be stored on a device{because}: use {DATA}", self.show(&ty)),
            );
            return Ty::REFUSED;
        }
        ty
    }

    /// Returns the reason why a struct cannot be stored: a field and its type.
    fn field_for_locals_only(&self, ty: &Ty) -> Option<String> {
        let Ty::Struct(index) = ty else { return None };
        let field =
            self.structs[*index].fields.iter().find(|field| !is_plain_data(&field.ty, &self.structs))?;
        Some(format!(", since its field `{}` is `{}`", field.name, self.show(&field.ty)))
    }

    pub(super) fn weight(&self, written: &Type, errors: &mut Errors) -> Ty {
        let ty = self.resolve(written, None, errors);
        if self.is_for_folds(&ty, written, errors) {
            return Ty::REFUSED;
        }
        match ty {
            Ty::Unit | Ty::REFUSED => ty,
            Ty::Int(_) | Ty::Float(_) if ty.is_datum() => ty,
            Ty::Struct(index) => self.weight_of_struct(index, written, errors),
            _ => {
                errors.on(
                    written,
                    "a weight must be a number (u32, i32, u64, i64, f32 or f64), a struct of numbers, or `()` for \
                     no weight",
                );
                Ty::REFUSED
            }
        }
    }

    /// Returns a struct as the weight. Reports an error if a field is not a number or a `bool`.
    fn weight_of_struct(&self, index: usize, written: &Type, errors: &mut Errors) -> Ty {
        let item = &self.structs[index];
        if item.fields.is_empty() {
            errors.on(
                written,
                format!(
                    "`{}` has no fields: a weight must be `()` for no weight, a number, or a struct of numbers",
                    item.name
                ),
            );
            return Ty::REFUSED;
        }
        let before = errors.len();
        for field in &item.fields {
            let is_number = matches!(field.ty, Ty::Bool | Ty::Int(_) | Ty::Float(_)) && field.ty.is_datum();
            if !is_number && field.ty != Ty::REFUSED {
                errors.on(
                    &field.name,
                    format!(
                        "`{}` is read from the column of the same name, which holds one number per edge: make it \
                         u32, i32, u64, i64, f32, f64 or bool",
                        field.name.unraw()
                    ),
                );
            }
        }
        if errors.len() == before { Ty::Struct(index) } else { Ty::REFUSED }
    }

    /// Returns the type of a field of the program's own struct, if the field is an input.
    pub(super) fn input(&self, written: &Type, errors: &mut Errors) -> Option<Ty> {
        let segment = last_segment(written)?;
        match (segment.ident.to_string().as_str(), arguments(segment).as_slice()) {
            ("PerVertex", [of]) => Some(Ty::PerVertex(Box::new(self.data(of, errors)))),
            ("PerVertex", _) => {
                errors.on(
                    written,
                    "the type of each vertex's value is missing: write `PerVertex<f32>`, or \
                                    another type of data",
                );
                Some(Ty::PerVertex(Box::new(Ty::REFUSED)))
            }
            ("VertexSet", []) => Some(Ty::VertexSet),
            _ => None,
        }
    }

    /// Rejects the type of an input anywhere except in a field of the program's own struct.
    pub(super) fn input_elsewhere(&self, segment: &syn::PathSegment, errors: &mut Errors) -> Ty {
        errors.on(
            segment,
            format!(
                "`{}` can only be the type of a field of the program's own struct, `{}`: read it there by `self.field` \
                 and pass on the value that was read",
                segment.ident, self.program
            ),
        );
        Ty::REFUSED
    }
}

fn refuse(written: &Type, message: impl std::fmt::Display, errors: &mut Errors) -> Ty {
    errors.on(written, message);
    Ty::REFUSED
}

pub(super) fn last_segment(written: &Type) -> Option<&PathSegment> {
    match peel_type(written) {
        Type::Path(path) => path.path.segments.last(),
        _ => None,
    }
}

/// Returns the types in angle brackets.
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

/// Returns `true` if a type consists of values only.
fn is_copied(ty: &Ty) -> bool {
    match ty {
        Ty::Bool | Ty::Int(_) | Ty::Float(_) | Ty::Struct(_) | Ty::Enum(_) | Ty::Unknown(_) => true,
        Ty::Option(of) | Ty::Array(of, _) => is_copied(of),
        Ty::Tuple(parts) => parts.iter().all(is_copied),
        _ => false,
    }
}

/// Maximum depth of constants that refer to other constants. If it is exceeded, a constant is assumed to depend on
/// itself, which rustc reports.
const DEPTH: usize = 64;

impl Names {
    /// Evaluates a literal, a constant of the module, or simple arithmetic of these.
    pub(super) fn number(&self, expr: &Expr) -> Option<u128> {
        self.evaluate(expr, DEPTH)
    }

    /// Returns the number of iterations of a range, if its ends are known.
    pub(crate) fn turns(&self, first: &Expr, end: &Expr) -> Option<u128> {
        Some(self.number(end)?.saturating_sub(self.number(first)?))
    }

    fn evaluate(&self, expr: &Expr, depth: usize) -> Option<u128> {
        match peel(expr) {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Int(int) => int.base10_parse().ok(),
                _ => None,
            },
            Expr::Path(path) => {
                let name = &path.path.segments.last()?.ident;
                let mut known = self.values.iter().filter(|(known, _)| known == name);
                match (depth.checked_sub(1), known.next(), known.next()) {
                    (Some(depth), Some((_, value)), None) => self.evaluate(value, depth),
                    _ => None,
                }
            }
            Expr::Cast(cast) => self.evaluate(&cast.expr, depth),
            Expr::Binary(binary) => {
                let (left, right) =
                    (self.evaluate(&binary.left, depth)?, self.evaluate(&binary.right, depth)?);
                match binary.op {
                    BinOp::Add(_) => left.checked_add(right),
                    BinOp::Sub(_) => left.checked_sub(right),
                    BinOp::Mul(_) => left.checked_mul(right),
                    BinOp::Div(_) => left.checked_div(right),
                    BinOp::Shl(_) => left.checked_shl(u32::try_from(right).ok()?),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}
