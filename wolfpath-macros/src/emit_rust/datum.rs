//! Emits structs and enums of data, and their implementations of `Datum` without unsafe code.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Ident, ItemEnum, ItemStruct, Meta, Token, parse_quote};

use super::type_tokens;
use crate::messages::Errors;
use crate::model::{Enum, Interface, Struct};

/// Returns the user's struct, with missing attributes added: `repr(C)`, `Copy`, `Clone` and `Debug`.
pub(super) fn plain_struct(item: &ItemStruct, errors: &mut Errors) -> ItemStruct {
    let mut item = item.clone();
    laid_out(&mut item.attrs, "C", &item.ident, errors);
    item
}

/// Returns the user's enum, with missing attributes added: `repr(u32)`, `Copy`, `Clone` and `Debug`.
pub(super) fn plain_enum(item: &ItemEnum, errors: &mut Errors) -> ItemEnum {
    let mut item = item.clone();
    laid_out(&mut item.attrs, "u32", &item.ident, errors);
    item
}

fn laid_out(attributes: &mut Vec<Attribute>, layout: &str, of: &Ident, errors: &mut Errors) {
    match attributes.iter().find(|attribute| attribute.path().is_ident("repr")) {
        Some(repr) if !names(repr).iter().any(|name| name == layout) => {
            errors.on(
                repr,
                format!(
                    "wrong layout of `{of}`, which the device reads: write `#[repr({layout})]`, or remove the attribute"
                ),
            );
        }
        Some(_) => {}
        None => {
            let layout = quote::format_ident!("{}", layout);
            attributes.push(parse_quote!(#[repr(#layout)]));
        }
    }
    let derived: Vec<String> =
        attributes.iter().filter(|attribute| attribute.path().is_ident("derive")).flat_map(names).collect();
    for name in ["Clone", "Copy", "Debug"] {
        if !derived.iter().any(|known| known == name) {
            let name = quote::format_ident!("{}", name);
            attributes.push(parse_quote!(#[derive(#name)]));
        }
    }
}

/// Returns the names in an attribute's parentheses.
fn names(attribute: &Attribute) -> Vec<String> {
    let list = attribute.parse_args_with(syn::punctuated::Punctuated::<Meta, Token![,]>::parse_terminated);
    let list = list.unwrap_or_default();
    list.iter()
        .filter_map(|meta| meta.path().segments.last())
        .map(|segment| segment.ident.to_string())
        .collect()
}

/// Returns `impl Datum` for an enum of the module, which is stored as the number of its variant. A number without a
/// variant is read as the first variant; only a damaged file or array could contain such a number.
pub(super) fn enumeration(item: &Enum) -> TokenStream {
    let name = &item.name;
    let variants: Vec<_> = item.variants.iter().map(|(variant, _)| variant).collect();
    let first = &variants[0];
    let parts = quote! {
        const KIND: ::wolfpath::program::DatumKind = ::wolfpath::program::DatumKind::U32;
        fn to_bits(self) -> ::core::primitive::u64 {
            self as ::core::primitive::u32 as ::core::primitive::u64
        }
        fn from_bits(bits: ::core::primitive::u64) -> Self {
            #(if bits == #name::#variants as ::core::primitive::u64 {
                return #name::#variants;
            })*
            #name::#first
        }
        fn write(self, bytes: &mut [::core::primitive::u8]) {
            ::wolfpath::program::Datum::write(self as ::core::primitive::u32, bytes)
        }
        fn read(bytes: &[::core::primitive::u8]) -> Self {
            let bits = <::core::primitive::u32 as ::wolfpath::program::Datum>::read(bytes);
            <Self as ::wolfpath::program::Datum>::from_bits(bits as ::core::primitive::u64)
        }
    };
    quote!(impl ::wolfpath::program::Datum for #name { #parts })
}

/// Returns `impl Datum` for a struct of the module.
pub(super) fn structure(item: &Struct, interface: &Interface) -> TokenStream {
    let name = &item.name;
    let fields: Vec<_> = item.fields.iter().map(|field| &field.name).collect();
    let types: Vec<_> = item.fields.iter().map(|field| type_tokens(&field.ty, interface)).collect();
    quote! {
        impl ::wolfpath::program::Datum for #name {
            const KIND: ::wolfpath::program::DatumKind = ::wolfpath::program::DatumKind::Struct {
                size: ::core::mem::size_of::<#name>(),
                align: ::core::mem::align_of::<#name>(),
            };
            fn to_bits(self) -> ::core::primitive::u64 {
                ::wolfpath::twin::struct_to_bits(self)
            }
            fn from_bits(bits: ::core::primitive::u64) -> Self {
                ::wolfpath::twin::struct_from_bits(bits)
            }
            fn same(self, other: Self) -> ::core::primitive::bool {
                true #(&& ::wolfpath::program::Datum::same(self.#fields, other.#fields))*
            }
            fn write(self, bytes: &mut [::core::primitive::u8]) {
                bytes.fill(0);
                #(
                    let offset = ::core::mem::offset_of!(#name, #fields);
                    let part = &mut bytes[offset..offset + ::core::mem::size_of::<#types>()];
                    ::wolfpath::program::Datum::write(self.#fields, part);
                )*
            }
            fn read(bytes: &[::core::primitive::u8]) -> Self {
                #name {
                    #(#fields: {
                        let offset = ::core::mem::offset_of!(#name, #fields);
                        let part = &bytes[offset..offset + ::core::mem::size_of::<#types>()];
                        <#types as ::wolfpath::program::Datum>::read(part)
                    },)*
                }
            }
        }
    }
}
