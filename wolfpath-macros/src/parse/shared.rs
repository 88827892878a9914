//! Modules under `#[edge_types]`: types, constants and helpers that several programs share.

use proc_macro2::{Span, TokenStream};
use syn::parse::{Parse, ParseStream};
use syn::visit::Visit;
use syn::{Fields, FnArg, Ident, ImplItem, Item, ItemMod, Path, Token, Type, Visibility, braced, bracketed};
use syn::{ItemFn, parse_quote};

use super::module::Pieces;
use super::{Callable, RefuseCfg, Source, last_name};
use crate::messages::Errors;
use crate::model::{Combine, Senders};

/// Name of the macro that hands the items of a module to a program. It is part of the error that rustc reports if the
/// module lacks the attribute.
pub(crate) const HANDS_OVER: &str = "edge_types_of_this_module";

/// Name of the program that stands for all programs while a module of types is checked.
const STAND_IN: &str = "ProgramOfThisModule";

/// A module under `#[edge_types]`, sorted by kind of item but otherwise as written.
pub(crate) struct TypesForm {
    pub(crate) item: ItemMod,
    pub(crate) pieces: Pieces,
}

impl TypesForm {
    /// Sorts the items of the module, and rejects those that programs cannot share.
    pub(crate) fn new(item: ItemMod, errors: &mut Errors) -> Option<TypesForm> {
        RefuseCfg(errors).visit_item_mod(&item);
        let Some((_, items)) = &item.content else {
            errors.on(
                &item,
                "the module must be inline, with its braces here: an attribute cannot read another file",
            );
            return None;
        };
        let pieces = Pieces::of(items.clone(), errors);
        for program in &pieces.programs {
            errors.on(
                &program.self_ty,
                "a module of `#[edge_types]` contains no program: move this `impl` into a module of its own, under \
                 `#[edge_program(types = ..)]`",
            );
        }
        let form = TypesForm { item, pieces };
        form.visible(errors);
        form.without_views(errors);
        Some(form)
    }

    /// Rejects private items, since the code that the macro generates in the modules of programs names them.
    fn visible(&self, errors: &mut Errors) {
        let mut check = |visibility: &Visibility, name: &Ident| {
            if matches!(visibility, Visibility::Inherited) {
                errors.on(name, format!("programs in other modules use `{name}`: write `pub` before it"));
            }
        };
        let Pieces { structs, enums, consts, inherent, .. } = &self.pieces;
        for item in structs {
            check(&item.vis, &item.ident);
            if let Fields::Named(fields) = &item.fields {
                fields.named.iter().for_each(|field| {
                    if let Some(name) = &field.ident {
                        check(&field.vis, name);
                    }
                });
            }
        }
        enums.iter().for_each(|item| check(&item.vis, &item.ident));
        consts.iter().for_each(|item| check(&item.vis, &item.ident));
        for item in inherent.iter().flat_map(|item| &item.items) {
            if let ImplItem::Const(item) = item {
                check(&item.vis, &item.ident);
            }
        }
    }

    /// Rejects functions that take edges or vertices, whose types differ from program to program.
    fn without_views(&self, errors: &mut Errors) {
        let free = self.pieces.functions.iter().map(|function| &function.sig);
        let owned = self.pieces.inherent.iter().flat_map(|item| &item.items);
        let owned = owned.filter_map(|item| match item {
            ImplItem::Fn(function) => Some(&function.sig),
            _ => None,
        });
        for input in free.chain(owned).flat_map(|signature| &signature.inputs) {
            let FnArg::Typed(input) = input else { continue };
            let mut views = Views(Vec::new());
            views.visit_type(&input.ty);
            for name in views.0 {
                errors.on(
                    &name,
                    format!("the type of `{name}` differs from program to program: pass the fields that are needed"),
                );
            }
        }
    }

    /// Returns a program with the items of the module, which is checked in place of all programs that share them.
    pub(crate) fn source(&self, errors: &mut Errors) -> Source {
        let name = Ident::new(STAND_IN, Span::call_site());
        let start: ItemFn = parse_quote!(
            fn start(&self, v: Vertex) -> u32 {
                0
            }
        );
        let edge: ItemFn = parse_quote!(
            fn edge(&self, e: Edge<u32>) -> u32 {
                e.value
            }
        );
        let methods =
            [start, edge].map(|f| Callable { owner: None, signature: f.sig, block: *f.block }).into_iter();
        Source {
            params: Some(parse_quote!(struct #name;)),
            structs: self.pieces.structs.clone(),
            enums: self.pieces.enums.clone(),
            shared: (self.pieces.structs.len(), self.pieces.enums.len()),
            consts: self.pieces.constants(),
            functions: self.pieces.callables(errors),
            methods: methods.collect(),
            value: parse_quote!(u32),
            message: parse_quote!(u32),
            weight: None,
            aggregate: None,
            combine: Some((Combine::Min, parse_quote!(::wolfpath::program::Min))),
            senders: Senders::Active,
            neighbours: false,
            both_ways: false,
            accumulates: None,
            misspelt: false,
            folds_before: false,
            name,
        }
    }
}

/// Visitor that lists the names of edges and vertices in a type.
struct Views(Vec<Ident>);

impl<'ast> Visit<'ast> for Views {
    fn visit_type(&mut self, ty: &'ast Type) {
        let view = last_name(ty).filter(|name| *name == "Edge" || *name == "Vertex");
        self.0.extend(view.cloned());
        syn::visit::visit_type(self, ty);
    }
}

/// Items that a program shares with others, and the path of their module.
pub(crate) struct Shared {
    pub(crate) path: Path,
    pub(crate) pieces: Pieces,
}

/// Input of the macro that continues the expansion of a program once the shared items are known: the items in braces, the
/// path of their module in brackets, and the program.
pub(crate) struct Continued {
    pub(crate) shared: Shared,
    pub(crate) program: TokenStream,
}

impl Parse for Continued {
    fn parse(input: ParseStream<'_>) -> syn::Result<Continued> {
        let (items, path);
        braced!(items in input);
        bracketed!(path in input);
        let mut written = Vec::new();
        while !items.is_empty() {
            written.push(items.parse::<Item>()?);
        }
        // The attribute on their module has reported their errors.
        let pieces = Pieces::of(written, &mut Errors::default());
        Ok(Continued { shared: Shared { path: path.parse()?, pieces }, program: input.parse()? })
    }
}

/// Returns the path of a module as seen from a module beside it.
pub(crate) fn from_inside(path: &Path) -> Path {
    let first = path.segments.first().map(|segment| segment.ident.to_string());
    match (path.leading_colon, first.as_deref()) {
        (Some(_), _) | (None, Some("crate")) => path.clone(),
        (None, Some("self")) => {
            let rest = path.segments.iter().skip(1);
            parse_quote!(super #(::#rest)*)
        }
        _ => parse_quote!(super::#path),
    }
}

/// Parses the value of the attribute's argument `types`.
pub(crate) fn path_of_types(input: ParseStream<'_>) -> syn::Result<Path> {
    input.parse::<Token![=]>()?;
    input.call(Path::parse_mod_style)
}
