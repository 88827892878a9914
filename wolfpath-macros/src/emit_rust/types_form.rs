//! Emits a module under `#[edge_types]`: the user's items, the implementations that all programs share, and a macro that
//! hands the items to the programs.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::AttrStyle;

use super::datum::{plain_enum, plain_struct};
use super::implementation::stored;
use crate::messages::Errors;
use crate::model::Interface;
use crate::parse::{HANDS_OVER, TypesForm};

/// Returns the user's module, with the implementations if its items were checked.
pub(crate) fn types_form(
    form: &TypesForm,
    interface: Option<&Interface>,
    errors: &mut Errors,
) -> TokenStream {
    let module = &form.item;
    let (visibility, name) = (&module.vis, &module.ident);
    let outer = module.attrs.iter().filter(|attribute| matches!(attribute.style, AttrStyle::Outer));
    let inner = module.attrs.iter().filter(|attribute| matches!(attribute.style, AttrStyle::Inner(_)));
    let pieces = &form.pieces;
    let structs: Vec<_> = pieces.structs.iter().map(|item| plain_struct(item, errors)).collect();
    let enums: Vec<_> = pieces.enums.iter().map(|item| plain_enum(item, errors)).collect();
    let (uses, consts) = (&pieces.uses, &pieces.consts);
    let (inherent, functions) = (&pieces.inherent, &pieces.functions);
    let generated = interface.map(implementations);
    let items = module.content.iter().flat_map(|(_, items)| items);
    let hands_over = Ident::new(HANDS_OVER, Span::call_site());
    quote! {
        #(#outer)*
        #visibility mod #name {
            #(#inner)*
            #(#uses)*
            #(#[allow(dead_code)] #consts)*
            #(#[allow(dead_code)] #structs)*
            #(#[allow(dead_code)] #enums)*
            #(#[allow(dead_code)] #inherent)*
            #(#[allow(dead_code)] #functions)*
            #generated
            #[allow(unused_macros)]
            macro_rules! #hands_over {
                ($($program:tt)*) => {
                    ::wolfpath::edge_program_with_types! { { #(#items)* } $($program)* }
                };
            }
            #[allow(unused_imports)]
            pub(crate) use #hands_over;
        }
    }
}

fn implementations(interface: &Interface) -> TokenStream {
    let data = stored(interface, 0.., 0..);
    let combiners = super::combiners::of_shared(interface);
    let weight_rows = super::weights::rows_of_shared(interface);
    quote! {
        #[allow(warnings, clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
        const _: () = {
            #data
            #(#combiners)*
            #(#weight_rows)*
        };
    }
}
