//! Emits Rust: the user's item as it was written, with its implementation of `EdgeProgram`, and the generated
//! implementation of `Executable` with the checked twins (copies of the user's functions that return faults instead of
//! panicking). The generated implementation is in a `const _` block, so that its names cannot conflict with the user's
//! names.

mod body;
mod combiners;
mod control;
mod datum;
mod folds;
mod function_form;
mod implementation;
mod inputs;
mod module_form;
mod types_form;
mod weights;

pub(crate) use body::full_digits;
pub(crate) use function_form::function_form;
pub(crate) use module_form::module_form;
pub(crate) use types_form::types_form;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

use crate::model::{Access, Const, Interface, Program, Ty};

/// Returns the type as tokens, by paths that the user's names cannot shadow.
fn type_tokens(ty: &Ty, interface: &Interface) -> TokenStream {
    match ty {
        Ty::Bool => quote!(::core::primitive::bool),
        Ty::Int(int) => primitive(int.name()),
        Ty::Float(float) => primitive(float.name()),
        Ty::Option(of) => {
            let of = type_tokens(of, interface);
            quote!(::core::option::Option<#of>)
        }
        Ty::Tuple(parts) => {
            let parts = parts.iter().map(|part| type_tokens(part, interface));
            quote!((#(#parts),*))
        }
        Ty::Array(of, length) => {
            let (of, length) = (type_tokens(of, interface), usize::try_from(*length).unwrap_or(usize::MAX));
            quote!([#of; #length])
        }
        Ty::Ref(access, of) => {
            let of = type_tokens(of, interface);
            let mutable = (*access == Access::Mutable).then(|| quote!(mut));
            quote!(&#mutable #of)
        }
        Ty::Struct(index) => {
            let name = &interface.structs[*index].name;
            quote!(#name)
        }
        Ty::Enum(index) => {
            let name = &interface.enums[*index].name;
            quote!(#name)
        }
        Ty::PerVertex(of) => {
            let of = type_tokens(of, interface);
            quote!(::wolfpath::program::PerVertex<#of>)
        }
        Ty::VertexSet => quote!(::wolfpath::program::VertexSet),
        Ty::Edge => {
            let [value, weight, aggregate] = [&interface.value, &interface.weight, &interface.aggregate]
                .map(|data| type_tokens(&data.ty, interface));
            quote!(::wolfpath::program::Edge<#value, #weight, #aggregate>)
        }
        Ty::Vertex(value, before) => {
            let (value, aggregate) =
                (type_tokens(value, interface), type_tokens(&interface.aggregate.ty, interface));
            let before = type_tokens(before, interface);
            quote!(::wolfpath::program::Vertex<#value, #aggregate, #before>)
        }
        Ty::Params => {
            let name = &interface.name;
            quote!(#name)
        }
        Ty::Unit | Ty::Never => quote!(()),
        Ty::Unknown(never) => match *never {},
    }
}

fn primitive(name: &str) -> TokenStream {
    let name = format_ident!("{}", name);
    quote!(::core::primitive::#name)
}

/// Returns the name of a twin's counter of loop iterations.
fn turns() -> Ident {
    Ident::new("turns", Span::mixed_site())
}

/// Returns the name of the program inside a twin.
fn this() -> Ident {
    Ident::new("this", Span::mixed_site())
}

/// Returns the name of the values before a step inside the twin of `apply`.
fn among() -> Ident {
    Ident::new("among", Span::mixed_site())
}

/// Returns the name of the twin of a free function or a method. The number distinguishes functions that have the same
/// name.
fn helper(index: usize, name: &Ident) -> Ident {
    format_ident!("helper_{}_{}", index, name, span = Span::mixed_site())
}

/// Returns the name of the twin of a function of the program.
fn method(name: &Ident) -> Ident {
    format_ident!("method_{}", name, span = Span::mixed_site())
}

/// Returns the path of a constant of the module, or of one of its types.
fn constant(item: &Const, program: &Program) -> TokenStream {
    let name = &item.name;
    match &item.owner {
        Some(owner) => {
            let owner = type_tokens(owner, &program.interface);
            quote!(<#owner>::#name)
        }
        None => quote!(#name),
    }
}
