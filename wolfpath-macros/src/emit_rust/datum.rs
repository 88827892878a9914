//! Structs of data: their layout, and their implementation of `Datum` without a line of unsafe code.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, ItemStruct, Meta, Token, parse_quote};

use super::type_tokens;
use crate::messages::Errors;
use crate::model::{Field, Program, Struct, Ty};

/// Size and alignment in bytes, as `repr(C)` and CUDA both lay the type out.
pub(super) fn layout(ty: &Ty, structs: &[Struct]) -> (usize, usize) {
    match ty {
        Ty::Bool => (1, 1),
        Ty::Int(int) => ((int.bits() / 8) as usize, (int.bits() / 8) as usize),
        Ty::Float(crate::model::Float::F32) => (4, 4),
        Ty::Float(crate::model::Float::F64) => (8, 8),
        Ty::Struct(index) => {
            let (_, size, align) = offsets(&structs[*index].fields, structs);
            (size, align)
        }
        _ => (0, 1),
    }
}

/// The offset of each field, and the size and alignment of them all.
pub(super) fn offsets(fields: &[Field], structs: &[Struct]) -> (Vec<usize>, usize, usize) {
    let (mut offsets, mut end, mut align) = (Vec::new(), 0usize, 1);
    for field in fields {
        let (size, alignment) = layout(&field.ty, structs);
        end = end.next_multiple_of(alignment);
        offsets.push(end);
        end += size;
        align = align.max(alignment);
    }
    (offsets, end.next_multiple_of(align), align)
}

/// The user's struct, made `repr(C)`, `Copy`, `Clone` and `Debug` where it is not already.
pub(super) fn plain_data(item: &ItemStruct, errors: &mut Errors) -> ItemStruct {
    let mut item = item.clone();
    match item.attrs.iter().find(|attribute| attribute.path().is_ident("repr")) {
        Some(repr) if !names(repr).iter().any(|name| name == "C") => {
            errors.on(
                repr,
                "a struct of data is laid out for the device: write `#[repr(C)]`, or leave it to the macro",
            );
        }
        Some(_) => {}
        None => item.attrs.push(parse_quote!(#[repr(C)])),
    }
    let derived: Vec<String> =
        item.attrs.iter().filter(|attribute| attribute.path().is_ident("derive")).flat_map(names).collect();
    for name in ["Clone", "Copy", "Debug"] {
        if !derived.iter().any(|known| known == name) {
            let name = quote::format_ident!("{}", name);
            item.attrs.push(parse_quote!(#[derive(#name)]));
        }
    }
    item
}

/// The names in an attribute's parentheses.
fn names(attribute: &Attribute) -> Vec<String> {
    let list = attribute.parse_args_with(syn::punctuated::Punctuated::<Meta, Token![,]>::parse_terminated);
    let list = list.unwrap_or_default();
    list.iter()
        .filter_map(|meta| meta.path().segments.last())
        .map(|segment| segment.ident.to_string())
        .collect()
}

/// `impl Datum` for a struct of the module.
pub(super) fn implementation(item: &Struct, program: &Program) -> TokenStream {
    let name = &item.name;
    let fields: Vec<_> = item.fields.iter().map(|field| &field.name).collect();
    let types: Vec<_> = item.fields.iter().map(|field| type_tokens(&field.ty, program)).collect();
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
