//! The module form: the user's items, the program's functions as methods that can be called and tested, and the
//! implementation.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::visit_mut::{self, VisitMut};
use syn::{
    AttrStyle, GenericArgument, ImplItemFn, ItemEnum, ItemImpl, ItemStruct, PathArguments, Type, Visibility,
    parse_quote,
};

use super::datum::{plain_enum, plain_struct};
use super::function_form::documentation;
use super::implementation::{Wording, implementation};
use crate::messages::Errors;
use crate::model::{Checked, Interface};
use crate::parse::{ModuleForm, last_name, peel_type};

/// Returns the user's module, with the implementation where the program is understood.
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
    let structs: Vec<ItemStruct> = form
        .structs
        .iter()
        .map(|item| if Some(&item.ident) == own { item.clone() } else { plain_struct(item, errors) })
        .collect();
    let enums: Vec<ItemEnum> = form.enums.iter().map(|item| plain_enum(item, errors)).collect();
    let mut spelling = Spelling::new(form);
    let inherent: Vec<ItemImpl> = form
        .inherent
        .iter()
        .map(|item| {
            let mut item = item.clone();
            spelling.visit_item_impl_mut(&mut item);
            item
        })
        .collect();
    let functions = form.functions.iter().map(|function| {
        let mut function = function.clone();
        spelling.visit_item_fn_mut(&mut function);
        quote!(#[allow(dead_code)] #function)
    });
    let functions: Vec<TokenStream> = functions.collect();
    let methods = methods(form, &mut spelling);
    let (uses, consts) = (&form.uses, &form.consts);
    let generated =
        checked.map(|(checked, cuda)| implementation(checked, &wording(form, checked.interface()), cuda));
    quote! {
        #(#outer)*
        #visibility mod #name {
            #(#inner)*
            #(#uses)*
            #(#[allow(dead_code)] #consts)*
            #(#structs)*
            #(#enums)*
            #(#[allow(dead_code)] #inherent)*
            #(#functions)*
            #methods
            #generated
        }
    }
}

/// Returns the program's functions, as they were written, in an implementation of its own.
fn methods(form: &ModuleForm, spelling: &mut Spelling) -> TokenStream {
    let own = &form.program.self_ty;
    let name = last_name(own);
    let visibility = form.structs.iter().find(|item| Some(&item.ident) == name).map(|item| &item.vis);
    let methods = form.methods.iter().map(|method| {
        let mut method = method.clone();
        spelling.visit_impl_item_fn_mut(&mut method);
        documented(method, visibility)
    });
    quote! {
        #[allow(dead_code, unreachable_pub, clippy::must_use_candidate, clippy::trivially_copy_pass_by_ref, clippy::unused_self)]
        impl #own {
            #(#methods)*
        }
    }
}

fn documented(mut method: ImplItemFn, visibility: Option<&Visibility>) -> ImplItemFn {
    let docs =
        documentation(&method.attrs, &format!("The program's `{}`, as it was written.", method.sig.ident));
    if !method.attrs.iter().any(|attribute| attribute.path().is_ident("doc")) {
        method.attrs.extend(docs.into_iter().map(|doc| -> syn::Attribute { parse_quote!(#doc) }));
    }
    method.vis = visibility.cloned().unwrap_or(Visibility::Inherited);
    method
}

/// Spells out what is short in a program: `Vertex<f32>` gets the type of its aggregate, and `Self::Value` the type
/// that it stands for, since an inherent implementation has no such name.
struct Spelling {
    aggregate: Option<Type>,
    associated: Vec<(String, Type)>,
}

impl Spelling {
    fn new(form: &ModuleForm) -> Spelling {
        let aggregate = form.types.iter().find(|ty| ty.ident == "Aggregate").and_then(|ty| folded(&ty.ty));
        Spelling {
            aggregate,
            associated: form.types.iter().map(|ty| (ty.ident.to_string(), ty.ty.clone())).collect(),
        }
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

/// Returns the `f64` of `Sum<f64>`.
fn folded(ty: &Type) -> Option<Type> {
    let Type::Path(path) = peel_type(ty) else { return None };
    let PathArguments::AngleBracketed(arguments) = &path.path.segments.last()?.arguments else { return None };
    match arguments.args.first() {
        Some(GenericArgument::Type(ty)) => Some(ty.clone()),
        _ => None,
    }
}

impl VisitMut for Spelling {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        // One may stand for another: `type Message = Self::Value;`.
        for _ in 0..self.associated.len() {
            let Some(replacement) = self.stands_for(ty) else { break };
            *ty = replacement;
        }
        visit_mut::visit_type_mut(self, ty);
    }

    fn visit_type_path_mut(&mut self, path: &mut syn::TypePath) {
        visit_mut::visit_type_path_mut(self, path);
        let Some(segment) = path.path.segments.last_mut() else { return };
        let (true, Some(aggregate)) = (segment.ident == "Vertex", self.aggregate.clone()) else { return };
        match &mut segment.arguments {
            PathArguments::None => {
                segment.arguments = PathArguments::AngleBracketed(parse_quote!(<(), #aggregate>))
            }
            PathArguments::AngleBracketed(arguments) if arguments.args.len() == 1 => {
                arguments.args.push(GenericArgument::Type(aggregate));
            }
            _ => {}
        }
    }
}

fn wording(form: &ModuleForm, interface: &Interface) -> Wording {
    let (trait_path, settings) = (form.program.trait_.as_ref().map(|(_, path, _)| path), &form.settings);
    let name = &interface.name;
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
