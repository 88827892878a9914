//! Emits the support for a program's inputs (its fields with a value for every vertex): their table in the model, and
//! the functions that bind them to a graph.

use proc_macro2::TokenStream;
use quote::quote;

use super::type_tokens;
use crate::model::{Field, Program, Ty, offsets};

/// Returns the inputs that the program's functions read, with their offsets in the parameters. Other inputs are never
/// laid out.
fn read(program: &Program) -> impl Iterator<Item = (&Field, usize)> {
    let (offsets, ..) = offsets(&program.interface.params, &program.interface.structs);
    let fields = program.interface.params.iter().zip(offsets);
    fields.filter(|(field, _)| is_read(field, program))
}

fn is_read(field: &Field, program: &Program) -> bool {
    program.bodies.reads.inputs.iter().any(|name| field.name == name)
}

/// Returns `true` if a field is stored in the parameters as data.
pub(super) fn is_data(field: &Field) -> bool {
    !matches!(field.ty, Ty::PerVertex(_) | Ty::VertexSet)
}

/// Returns `Model::inputs`.
pub(super) fn table(program: &Program) -> TokenStream {
    let rows = read(program).map(|(field, offset)| {
        let name = field.name.to_string();
        let array = format!("input {name}");
        let kind = match &field.ty {
            Ty::PerVertex(of) => {
                let of = type_tokens(of, &program.interface);
                quote!(Values(<#of as ::wolfpath::program::Datum>::KIND))
            }
            _ => quote!(Set),
        };
        quote! {
            ::wolfpath::program::InputField {
                name: #name,
                array: #array,
                kind: ::wolfpath::program::InputKind::#kind,
                offset: #offset,
            }
        }
    });
    quote!(&[#(#rows),*])
}

/// Returns `fn inputs` and `fn bind`, if there are inputs.
pub(super) fn functions(program: &Program) -> TokenStream {
    if read(program).next().is_none() {
        return TokenStream::new();
    }
    let inputs = read(program).map(|(Field { name, .. }, _)| quote!(&self.#name));
    let fields = program.interface.params.iter().map(|field| {
        let name = &field.name;
        if is_read(field, program) {
            let text = name.to_string();
            quote!(#name: binding.input(#text, &self.#name)?)
        } else {
            quote!(#name: ::core::clone::Clone::clone(&self.#name))
        }
    });
    quote! {
        fn inputs(&self) -> ::std::vec::Vec<&dyn ::wolfpath::program::Input> {
            ::std::vec![#(#inputs),*]
        }
        fn bind(&self, binding: &mut ::wolfpath::program::Binding<'_>)
            -> ::core::result::Result<Self, (&'static ::core::primitive::str, ::wolfpath::program::InputError)> {
            ::core::result::Result::Ok(Self { #(#fields),* })
        }
    }
}
