//! Reads the attribute and the item under it into a [`Source`]: the pieces of a program, still untyped. Both forms
//! come out the same, so that everything after this knows one kind of program.

mod function;
mod module;

pub(crate) use function::FunctionForm;
pub(crate) use module::ModuleForm;

use proc_macro2::Ident;
use syn::parse::{Parse, ParseStream};
use syn::{Block, Expr, ItemEnum, ItemStruct, Signature, Token, Type};

use crate::messages::Errors;
use crate::model::{Combine, Senders};

/// A function's signature and body, wherever it stood.
pub(crate) struct Callable {
    /// The type in whose `impl` it stood.
    pub(crate) owner: Option<Ident>,
    pub(crate) signature: Signature,
    pub(crate) block: Block,
}

/// A constant, wherever it stood.
pub(crate) struct Constant {
    /// The type in whose `impl` it stood.
    pub(crate) owner: Option<Ident>,
    pub(crate) name: Ident,
    pub(crate) ty: Type,
    pub(crate) value: Expr,
}

/// The pieces of a program.
pub(crate) struct Source {
    /// The type that is the program.
    pub(crate) name: Ident,
    pub(crate) structs: Vec<ItemStruct>,
    pub(crate) enums: Vec<ItemEnum>,
    /// The program's own struct, when the user wrote one.
    pub(crate) params: Option<ItemStruct>,
    pub(crate) consts: Vec<Constant>,
    pub(crate) functions: Vec<Callable>,
    pub(crate) methods: Vec<Callable>,
    pub(crate) value: Type,
    pub(crate) message: Type,
    pub(crate) weight: Option<Type>,
    pub(crate) aggregate: Option<Type>,
    pub(crate) combine: Option<(Combine, Type)>,
    pub(crate) senders: Senders,
    /// Some function is not one of a program's: one that is missing was probably meant.
    pub(crate) misspelt: bool,
}

/// What stands in the parentheses of the attribute.
#[derive(Default)]
pub(crate) struct Arguments {
    pub(crate) combine: Option<Ident>,
    pub(crate) along: Option<Ident>,
    pub(crate) uniform: bool,
    pub(crate) non_negative: bool,
    /// The value that a run from one vertex starts with.
    pub(crate) first: Option<Expr>,
    /// The first key, where errors about all arguments point.
    pub(crate) first_key: Option<Ident>,
}

impl Parse for Arguments {
    fn parse(input: ParseStream<'_>) -> syn::Result<Arguments> {
        let mut arguments = Arguments::default();
        while !input.is_empty() {
            let key: Ident = input.parse()?;
            arguments.argument(&key, input)?;
            arguments.first_key.get_or_insert(key);
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
            "uniform" => self.uniform = true,
            "non_negative" => self.non_negative = true,
            other => {
                let known = ["combine", "first", "along", "uniform", "non_negative"];
                let hint = crate::messages::suggestion(other, known);
                let message = format!(
                    "unknown argument `{key}`{hint}: expected `combine = min|max|sum|or|and|any`, \
                     `first = VALUE`, `uniform`, `along = out|in|both` or `non_negative`"
                );
                return Err(syn::Error::new(key.span(), message));
            }
        }
        Ok(())
    }
}

/// One word, which may be a keyword (`in`).
fn word(input: ParseStream<'_>) -> syn::Result<Ident> {
    use syn::ext::IdentExt;
    Ident::parse_any(input)
}

/// Strips the invisible parentheses that `macro_rules!` puts around what it passes on, and visible ones.
pub(crate) fn peel_type(mut ty: &Type) -> &Type {
    loop {
        match ty {
            Type::Group(group) => ty = &group.elem,
            Type::Paren(paren) => ty = &paren.elem,
            _ => return ty,
        }
    }
}

/// Returns the same for expressions.
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

/// Refuses `#[cfg]` anywhere inside: the macro cannot know whether it holds, so CPU and GPU could differ.
pub(crate) struct RefuseCfg<'e>(pub(crate) &'e mut Errors);

impl<'ast> syn::visit::Visit<'ast> for RefuseCfg<'_> {
    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        if attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr") {
            self.0.on(
                attribute,
                "`#[cfg]` inside an edge program is refused, because the CUDA text is made before it is decided: \
                 put it on the whole item",
            );
        }
    }
}

/// Refuses what no function of a program can be.
pub(crate) fn check_signature(signature: &Signature, errors: &mut Errors) {
    if !signature.generics.params.is_empty() {
        errors.on(
            &signature.generics,
            "a function of an edge program cannot be generic: write the number's type, or wrap the item in \
             `macro_rules!` to have it for several",
        );
    }
    if let Some(token) = &signature.asyncness {
        errors.on(token, "a function of an edge program cannot be `async`: remove the word");
    }
    if let Some(token) = &signature.unsafety {
        errors.on(token, "a function of an edge program cannot be `unsafe`: remove the word");
    }
    if let Some(abi) = &signature.abi {
        errors.on(abi, "a function of an edge program cannot be `extern`: remove the words");
    }
}
