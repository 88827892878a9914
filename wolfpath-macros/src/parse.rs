//! Parses the attribute and the item under it into a [`Source`]: the parts of a program, still untyped. Both forms give
//! the same result, so all later stages handle one kind of program.

mod combine;
mod function;
mod module;
mod shared;

pub(crate) use combine::part_of_fields;
pub(crate) use function::FunctionForm;
pub(crate) use module::ModuleForm;
pub(crate) use shared::{Continued, HANDS_OVER, Shared, TypesForm, from_inside};

use proc_macro2::Ident;
use syn::parse::{Parse, ParseStream};
use syn::{Block, Expr, ItemEnum, ItemStruct, Signature, Token, Type};

use crate::messages::Errors;
use crate::model::{Combine, Senders};

/// Signature and body of a function or method.
pub(crate) struct Callable {
    /// The type whose `impl` contains the function.
    pub(crate) owner: Option<Ident>,
    pub(crate) signature: Signature,
    pub(crate) block: Block,
}

/// A constant of the module or of a type.
pub(crate) struct Constant {
    /// The type whose `impl` contains the constant.
    pub(crate) owner: Option<Ident>,
    pub(crate) name: Ident,
    pub(crate) ty: Type,
    pub(crate) value: Expr,
}

/// The parts of a program.
pub(crate) struct Source {
    /// The type that implements the program.
    pub(crate) name: Ident,
    pub(crate) structs: Vec<ItemStruct>,
    pub(crate) enums: Vec<ItemEnum>,
    /// Number of structs and of enums that are shared with other programs. They come first.
    pub(crate) shared: (usize, usize),
    /// The program's own struct, if the user wrote one.
    pub(crate) params: Option<ItemStruct>,
    pub(crate) consts: Vec<Constant>,
    pub(crate) functions: Vec<Callable>,
    pub(crate) methods: Vec<Callable>,
    pub(crate) value: Type,
    pub(crate) message: Type,
    pub(crate) weight: Option<Type>,
    pub(crate) aggregate: Option<Type>,
    /// `true` if `aggregate` reads the value before the last step.
    pub(crate) folds_before: bool,
    pub(crate) combine: Option<(Combine, Type)>,
    pub(crate) senders: Senders,
    /// `true` if messages travel between distinct neighbours.
    pub(crate) neighbours: bool,
    /// `true` if messages travel in both directions of the edges.
    pub(crate) both_ways: bool,
    /// The promise that messages may be added in portions, where it is written.
    pub(crate) accumulates: Option<Ident>,
    /// `true` if some function is not part of `EdgeProgram`. If a required function is missing, this function is
    /// probably the required one with a misspelt name.
    pub(crate) misspelt: bool,
}

/// The arguments of the attribute.
#[derive(Default)]
pub(crate) struct Arguments {
    pub(crate) combine: Option<Ident>,
    pub(crate) along: Option<Ident>,
    pub(crate) uniform: bool,
    pub(crate) accumulates: Option<Ident>,
    pub(crate) non_negative: bool,
    /// The module whose types the program shares with others.
    pub(crate) types: Option<syn::Path>,
    /// The first value of a run from one vertex.
    pub(crate) first: Option<Expr>,
    /// The first key except `types`, to which errors about all arguments point.
    pub(crate) first_key: Option<Ident>,
}

impl Parse for Arguments {
    fn parse(input: ParseStream<'_>) -> syn::Result<Arguments> {
        let mut arguments = Arguments::default();
        while !input.is_empty() {
            let key: Ident = input.parse()?;
            arguments.argument(&key, input)?;
            if key != "types" {
                arguments.first_key.get_or_insert(key);
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(arguments)
    }
}

impl Arguments {
    fn argument(&mut self, key: &Ident, input: ParseStream<'_>) -> syn::Result<()> {
        match key.to_string().as_str() {
            "combine" => {
                input.parse::<Token![=]>()?;
                self.combine = Some(word(input)?);
            }
            "along" => {
                input.parse::<Token![=]>()?;
                self.along = Some(word(input)?);
            }
            "first" => {
                input.parse::<Token![=]>()?;
                self.first = Some(input.parse()?);
            }
            "types" => self.types = Some(shared::path_of_types(input)?),
            "uniform" => self.uniform = true,
            "accumulates" => self.accumulates = Some(key.clone()),
            "non_negative" => self.non_negative = true,
            other => {
                let known = ["combine", "first", "along", "uniform", "accumulates", "non_negative", "types"];
                let hint = crate::messages::suggestion(other, known);
                let message = format!(
                    "unknown argument `{key}`{hint}: expected `combine = min|max|sum|or|and|any`, \
                     `first = VALUE`, `uniform`, `accumulates`, `along = out|in|both|neighbours` or `non_negative`; for a module, `types = MODULE`"
                );
                return Err(syn::Error::new(key.span(), message));
            }
        }
        Ok(())
    }
}

/// Parses one word, which may be a keyword (`in`).
fn word(input: ParseStream<'_>) -> syn::Result<Ident> {
    use syn::ext::IdentExt;
    Ident::parse_any(input)
}

/// Strips parentheses, and the invisible groups that `macro_rules!` puts around its arguments.
pub(crate) fn peel_type(mut ty: &Type) -> &Type {
    loop {
        match ty {
            Type::Group(group) => ty = &group.elem,
            Type::Paren(paren) => ty = &paren.elem,
            _ => return ty,
        }
    }
}

/// Strips parentheses and invisible groups from an expression.
pub(crate) fn peel(mut expr: &Expr) -> &Expr {
    loop {
        match expr {
            Expr::Group(group) => expr = &group.expr,
            Expr::Paren(paren) => expr = &paren.expr,
            _ => return expr,
        }
    }
}

/// Returns the last name of a path type, such as `Sum` of `wolfpath::program::Sum<f64>`.
pub(crate) fn last_name(ty: &Type) -> Option<&Ident> {
    match peel_type(ty) {
        Type::Path(path) => path.path.segments.last().map(|segment| &segment.ident),
        _ => None,
    }
}

/// Visitor that rejects `#[cfg]` anywhere inside the item. The macro cannot evaluate it, so CPU and GPU could run
/// different code.
pub(crate) struct RefuseCfg<'e>(pub(crate) &'e mut Errors);

impl<'ast> syn::visit::Visit<'ast> for RefuseCfg<'_> {
    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        if attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr") {
            self.0.on(
                attribute,
                "`#[cfg]` cannot be used inside an edge program, because the CUDA text is generated before `#[cfg]` is \
                 evaluated: put it on the whole item",
            );
        }
    }
}

/// Rejects signatures that a function of a program cannot have.
pub(crate) fn check_signature(signature: &Signature, errors: &mut Errors) {
    if !signature.generics.params.is_empty() {
        errors.on(
            &signature.generics,
            "a function of an edge program cannot be generic: write a concrete number type, or wrap the item in \
             `macro_rules!` to generate it for several types",
        );
    }
    if let Some(token) = &signature.asyncness {
        errors.on(token, "a function of an edge program cannot be `async`: remove the keyword");
    }
    if let Some(token) = &signature.unsafety {
        errors.on(token, "a function of an edge program cannot be `unsafe`: remove the keyword");
    }
    if let Some(abi) = &signature.abi {
        errors.on(abi, "a function of an edge program cannot be `extern`: remove `extern`");
    }
}
