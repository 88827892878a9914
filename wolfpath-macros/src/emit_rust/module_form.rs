//! Emits the module form: the user's items, with an `impl EdgeProgram` that the macro has completed.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::visit_mut::{self, VisitMut};
use syn::{
    AttrStyle, GenericArgument, ImplItemFn, ItemEnum, ItemImpl, ItemStruct, PathArguments, Type, parse_quote,
};

use super::datum::{plain_enum, plain_struct};
use super::folds::{AddBefore, folded, plain_fields};
use super::implementation::{Wording, implementation, types_of_apply};
use crate::messages::Errors;
use crate::model::{Checked, Interface};
use crate::parse::{ModuleForm, from_inside, last_name};

/// Returns the user's module, with the implementations if the program was checked.
pub(crate) fn module_form(
    form: &ModuleForm,
    checked: Option<(&Checked, &str)>,
    errors: &mut Errors,
) -> TokenStream {
    let module = &form.item;
    let (visibility, name) = (&module.vis, &module.ident);
    let outer = module.attrs.iter().filter(|attribute| matches!(attribute.style, AttrStyle::Outer));
    let inner = module.attrs.iter().filter(|attribute| matches!(attribute.style, AttrStyle::Inner(_)));
    let own = last_name(&form.program.self_ty);
    let aggregate = form.types.iter().find(|ty| ty.ident == "Aggregate");
    let folds = aggregate.and_then(|aggregate| last_name(&aggregate.ty));
    let structs: Vec<ItemStruct> = form
        .own
        .structs
        .iter()
        .map(|item| match &item.ident {
            name if Some(name) == own => item.clone(),
            name if Some(name) == folds => plain_struct(&plain_fields(item.clone()), errors),
            _ => plain_struct(item, errors),
        })
        .collect();
    let enums: Vec<ItemEnum> = form.own.enums.iter().map(|item| plain_enum(item, errors)).collect();
    let mut spelling = Spelling::new(form, checked.map(|(checked, _)| checked.interface()));
    let inherent: Vec<ItemImpl> = form
        .own
        .inherent
        .iter()
        .map(|item| {
            let mut item = item.clone();
            spelling.visit_item_impl_mut(&mut item);
            item
        })
        .collect();
    let functions = form.own.functions.iter().map(|function| {
        let mut function = function.clone();
        spelling.visit_item_fn_mut(&mut function);
        quote!(#[allow(dead_code)] #function)
    });
    let functions: Vec<TokenStream> = functions.collect();
    let methods: Vec<ImplItemFn> = form
        .methods
        .iter()
        .map(|method| {
            let mut method = method.clone();
            spelling.visit_impl_item_fn_mut(&mut method);
            if method.sig.ident == "aggregate" && form.folds_before() {
                let mut before: Type = parse_quote!(Self::Before);
                spelling.visit_type_mut(&mut before);
                AddBefore(before).visit_signature_mut(&mut method.sig);
            }
            method
        })
        .collect();
    // The functions of a rejected program may not match the trait, but rustc should still check their bodies.
    let beside = (!matches!(checked, Some((Checked::Program(_), _)))).then(|| methods_alone(form, &methods));
    let (uses, consts) = (&form.own.uses, &form.own.consts);
    let shared = form.shared.as_ref().map(|shared| {
        let path = from_inside(&shared.path);
        quote!(#[allow(unused_imports)] use #path::*;)
    });
    let generated = checked
        .map(|(checked, cuda)| implementation(checked, &wording(form, checked.interface(), &methods), cuda));
    quote! {
        #(#outer)*
        #visibility mod #name {
            #(#inner)*
            #shared
            #(#uses)*
            #(#[allow(dead_code)] #consts)*
            #(#structs)*
            #(#enums)*
            #(#[allow(dead_code)] #inherent)*
            #(#functions)*
            #beside
            #generated
        }
    }
}

/// Returns the program's functions as inherent methods of its type.
fn methods_alone(form: &ModuleForm, methods: &[ImplItemFn]) -> TokenStream {
    let own = &form.program.self_ty;
    quote! {
        #[allow(dead_code, clippy::must_use_candidate, clippy::trivially_copy_pass_by_ref, clippy::unused_self)]
        impl #own {
            #(#methods)*
        }
    }
}

/// Expands abbreviated types of a program. Adds the type of the aggregate to `Vertex<f32>` and `Edge<f32>`, and replaces `Self::Value`
/// with its definition, since an inherent implementation has no such name.
struct Spelling {
    aggregate: Option<Type>,
    associated: Vec<(String, Type)>,
}

impl Spelling {
    fn new(form: &ModuleForm, interface: Option<&Interface>) -> Spelling {
        let aggregate = form.types.iter().find(|ty| ty.ident == "Aggregate").and_then(|ty| folded(&ty.ty));
        let mut associated: Vec<(String, Type)> =
            form.types.iter().map(|ty| (ty.ident.to_string(), ty.ty.clone())).collect();
        for (name, ty) in interface.iter().flat_map(|interface| types_of_apply(interface)) {
            associated.push((name.to_owned(), parse_quote!(#ty)));
        }
        Spelling { aggregate, associated }
    }

    fn stands_for(&self, ty: &Type) -> Option<Type> {
        let Type::Path(path) = ty else { return None };
        let mut segments = path.path.segments.iter();
        let (first, second) = (segments.next()?, segments.next()?);
        if first.ident != "Self" {
            return None;
        }
        self.associated.iter().find(|(name, _)| second.ident == name).map(|(_, ty)| ty.clone())
    }
}

impl VisitMut for Spelling {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        // A definition may refer to another associated type: `type Message = Self::Value;`.
        for _ in 0..self.associated.len() {
            let Some(replacement) = self.stands_for(ty) else { break };
            *ty = replacement;
        }
        visit_mut::visit_type_mut(self, ty);
    }

    fn visit_type_path_mut(&mut self, path: &mut syn::TypePath) {
        visit_mut::visit_type_path_mut(self, path);
        let Some(segment) = path.path.segments.last_mut() else { return };
        let Some(aggregate) = self.aggregate.clone() else { return };
        let is_edge = segment.ident == "Edge";
        match &mut segment.arguments {
            PathArguments::None if segment.ident == "Vertex" => {
                segment.arguments = PathArguments::AngleBracketed(parse_quote!(<(), #aggregate>))
            }
            PathArguments::AngleBracketed(arguments) if is_edge || segment.ident == "Vertex" => {
                // The aggregate is the last type, behind the weight of an edge.
                let types = if is_edge { 3 } else { 2 };
                if is_edge && arguments.args.len() == 1 {
                    arguments.args.push(parse_quote!(()));
                }
                if arguments.args.len() + 1 == types {
                    arguments.args.push(GenericArgument::Type(aggregate));
                }
            }
            _ => {}
        }
    }
}

/// Returns the associated types: those that the user wrote, and defaults for the omitted ones.
fn types(form: &ModuleForm) -> TokenStream {
    let written = |name: &str| form.types.iter().any(|ty| ty.ident == name);
    let types = &form.types;
    let weight = (!written("Weight")).then(|| {
        quote!(
            type Weight = ();
        )
    });
    let combine = (!written("Combine")).then(|| {
        quote!(
            type Combine = ::wolfpath::program::Custom;
        )
    });
    let aggregate = (!written("Aggregate")).then(|| {
        quote!(
            type Aggregate = ::wolfpath::program::NoAggregate;
        )
    });
    quote!(#(#types)* #weight #combine #aggregate)
}

fn wording(form: &ModuleForm, interface: &Interface, methods: &[ImplItemFn]) -> Wording {
    let (trait_path, settings) = (form.program.trait_.as_ref().map(|(_, path, _)| path), &form.settings);
    let (name, attributes) = (&interface.name, &form.program.attrs);
    let combine = match form.types.iter().find(|ty| ty.ident == "Combine") {
        Some(combine) => {
            let ty = &combine.ty;
            quote!(#ty)
        }
        None => quote!(::wolfpath::program::Custom),
    };
    let copies = interface.params.iter().map(|field| {
        let name = &field.name;
        quote!(#name: ::core::clone::Clone::clone(&self.#name))
    });
    Wording {
        attributes: quote!(#(#attributes)*),
        types: types(form),
        functions: quote!(#(#methods)*),
        combine,
        settings: quote!(#(#settings)*),
        copies: quote! {
            fn duplicate(&self) -> Self {
                Self { #(#copies),* }
            }
        },
        asserts: quote_spanned! {name.span()=>
            const _: () = {
                fn is_the_trait<P: ::wolfpath::program::EdgeProgram>() {}
                fn of_wolfpath() {
                    is_the_trait::<#name>();
                }
            };
        },
        trait_path: quote!(#trait_path),
    }
}
