//! `impl EdgeProgram`: the types and settings as the user wrote them, the model, and functions that call the twins.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

use super::body::{Twin, twin};
use super::{datum, helper, inputs, method, type_tokens};
use crate::model::{Checked, Interface, Program, Starts, Struct, Ty, is_shared, layout, offsets, views};

/// What the two forms write differently.
pub(super) struct Wording {
    /// The trait, by the path that the user imported.
    pub(super) trait_path: TokenStream,
    /// `type Combine`.
    pub(super) combine: TokenStream,
    /// The constants of the trait.
    pub(super) settings: TokenStream,
    /// `fn sources`, `fn duplicate`.
    pub(super) copies: TokenStream,
    /// More that must hold at compile time.
    pub(super) asserts: TokenStream,
}

/// The parts of an implementation that come from the bodies of a program. Those of an ill-typed program are stand-ins, so
/// that its interface can be written and what uses it gets no errors of its own.
struct Generated {
    model: TokenStream,
    twins: TokenStream,
    inputs: TokenStream,
    functions: TokenStream,
    asserts: TokenStream,
}

impl Generated {
    fn new(checked: &Checked, wording: &Wording, cuda: &str) -> Generated {
        match checked {
            Checked::Program(program) => Generated {
                model: model(program, cuda),
                twins: twins(program),
                inputs: inputs::functions(program),
                functions: functions(program),
                asserts: asserts(program, wording),
            },
            Checked::IllTyped(interface, message) => Generated {
                model: no_model(interface, message),
                twins: TokenStream::new(),
                inputs: TokenStream::new(),
                functions: no_functions(),
                asserts: TokenStream::new(),
            },
        }
    }
}

/// Returns the generated half of a program.
pub(super) fn implementation(checked: &Checked, wording: &Wording, cuda: &str) -> TokenStream {
    let Generated { model, twins, inputs, functions, asserts } = Generated::new(checked, wording, cuda);
    let interface = checked.interface();
    // What is a local only is no `Datum`.
    let kept = |item: &&Struct| item.fields.iter().all(|field| is_shared(&field.ty, &interface.structs));
    let structs = interface.structs.iter().filter(kept).map(|item| datum::structure(item, interface));
    let data: Vec<TokenStream> = structs.chain(interface.enums.iter().map(datum::enumeration)).collect();
    let weight_rows = super::weights::rows(interface);
    let name = &interface.name;
    let Wording { trait_path, combine, settings, copies, .. } = wording;
    let (value, message) = (&interface.value.written, &interface.message.written);
    let (weight, aggregate) = (&interface.weight.written, &interface.aggregate.written);
    let parameters = parameters(interface);
    quote! {
        #[allow(warnings, clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
        const _: () = {
            /// Whether an overflow is a fault: as in the rest of the user's crate.
            const WOLFPATH_CHECKED: ::core::primitive::bool = ::core::cfg!(debug_assertions);
            #twins
            #(#data)*
            #weight_rows
            #[automatically_derived]
            impl #trait_path for #name {
                type Value = #value;
                type Message = #message;
                type Weight = #weight;
                type Combine = #combine;
                type Aggregate = #aggregate;
                #settings
                #model
                #copies
                #inputs
                #parameters
                #functions
            }
            #asserts
        };
    }
}

fn twins(program: &Program) -> TokenStream {
    let helpers = program
        .bodies
        .functions
        .iter()
        .enumerate()
        .map(|(index, function)| twin(&helper(index, &function.name), function, Twin::Helper, program));
    let methods = program.bodies.methods.all();
    let methods = methods.map(|function| twin(&method(&function.name), function, Twin::OfProgram, program));
    quote!(#(#helpers)* #(#methods)*)
}

fn model(program: &Program, cuda: &str) -> TokenStream {
    let name = program.interface.name.to_string();
    let starts = match program.starts {
        Starts::Sources => quote!(Sources),
        Starts::Every => quote!(Every),
        Starts::Some => quote!(Some),
    };
    let (always_sends, edge_can_fault) = (program.always_sends(), program.edge_can_fault());
    let (has_apply, has_changed) =
        (program.bodies.methods.apply.is_some(), program.bodies.methods.changed.is_some());
    let (reads, inputs, has_loops) = (reads(program), inputs::table(program), program.polls());
    let weight_columns = super::weights::columns(&program.interface);
    let (_, parameters, _) = offsets(&program.interface.params, &program.interface.structs);
    let faults = program.bodies.sites.iter().map(|site| {
        let (function, message) = (&site.function, &site.message);
        let line = u32::try_from(site.span.start().line).unwrap_or(u32::MAX);
        let file = file(site.span);
        quote! {
            ::wolfpath::program::FaultSite { function: #function, file: #file, line: #line, message: #message }
        }
    });
    quote! {
        const MODEL: ::wolfpath::program::Model = ::wolfpath::program::Model {
            name: #name,
            starts: ::wolfpath::program::Starts::#starts,
            always_sends: #always_sends,
            edge_can_fault: #edge_can_fault,
            has_apply: #has_apply,
            has_changed: #has_changed,
            reads: #reads,
            weight_columns: #weight_columns,
            parameters: #parameters,
            inputs: #inputs,
            has_loops: #has_loops,
            checked: WOLFPATH_CHECKED,
            cuda: #cuda,
            faults: &[#(#faults),*],
        };
    }
}

/// Returns the model of a program that is ill-typed.
fn no_model(interface: &Interface, message: &str) -> TokenStream {
    let message = format!("the edge program `{}` was not understood: {message}", interface.name);
    quote!(
        const MODEL: ::wolfpath::program::Model = ::core::panic!("{}", #message);
    )
}

/// Returns the file of a span; where the compiler does not say, the file that the item is in.
fn file(span: Span) -> TokenStream {
    let file = span.file();
    if file.is_empty() || file.starts_with('<') { quote!(::core::file!()) } else { quote!(#file) }
}

fn reads(program: &Program) -> TokenStream {
    let fields = views::noted().map(|field| {
        let (name, read) = (format_ident!("{}", field), program.bodies.reads.noted.contains(field));
        quote!(#name: #read)
    });
    quote!(::wolfpath::program::Reads { #(#fields),* })
}

fn parameters(interface: &Interface) -> TokenStream {
    let (offsets, size, _) = offsets(&interface.params, &interface.structs);
    let data = interface.params.iter().zip(&offsets).filter(|(field, _)| inputs::is_data(field));
    let fields = data.map(|(field, offset)| {
        let name = &field.name;
        let end = offset + layout(&field.ty, &interface.structs).0;
        quote!(::wolfpath::program::Datum::write(self.#name, &mut bytes[#offset..#end]);)
    });
    quote! {
        fn parameters(&self) -> ::std::vec::Vec<::core::primitive::u8> {
            let mut bytes = ::std::vec![0; #size];
            #(#fields)*
            bytes
        }
    }
}

/// Returns the functions of an ill-typed program, which are never called: its model does not compile.
fn no_functions() -> TokenStream {
    let fault = quote!(::core::result::Result::Err(::wolfpath::program::Fault { site: 0 }));
    quote! {
        fn start(&self, vertex: ::wolfpath::program::Vertex<(), ::wolfpath::program::AggregateOf<Self>>)
            -> ::wolfpath::program::Checked<::core::option::Option<Self::Value>> {
            #fault
        }
        fn edge(&self, edge: ::wolfpath::program::Edge<Self::Value, Self::Weight>)
            -> ::wolfpath::program::Checked<::core::option::Option<Self::Message>> {
            #fault
        }
        fn apply(
            &self,
            vertex: ::wolfpath::program::Vertex<
                ::core::option::Option<Self::Value>,
                ::wolfpath::program::AggregateOf<Self>,
            >,
            incoming: ::core::option::Option<Self::Message>,
        ) -> ::wolfpath::program::Checked<Self::Value> {
            #fault
        }
        fn aggregate(
            &self,
            vertex: ::wolfpath::program::Vertex<Self::Value, ::wolfpath::program::AggregateOf<Self>>,
        ) -> ::wolfpath::program::Checked<::wolfpath::program::AggregateOf<Self>> {
            #fault
        }
    }
}

/// Returns the functions that the engines call.
fn functions(program: &Program) -> TokenStream {
    let start = start(program);
    let edge = edge(program);
    let apply = apply(program);
    let methods = &program.bodies.methods;
    let combine = methods.combine.as_ref().map(|_| {
        quote! {
            fn combine(&self, a: Self::Message, b: Self::Message) -> ::wolfpath::program::Checked<Self::Message> {
                method_combine(self, a, b)
            }
        }
    });
    let changed = methods.changed.as_ref().map(|_| {
        quote! {
            fn changed(&self, before: Self::Value, after: Self::Value)
                -> ::wolfpath::program::Checked<::core::primitive::bool> {
                method_changed(self, before, after)
            }
        }
    });
    let fold = match methods.aggregate {
        Some(_) => quote!(method_aggregate(self, vertex)),
        None => quote!(::core::result::Result::Ok(
            <Self::Aggregate as ::wolfpath::program::Aggregator>::identity()
        )),
    };
    quote! {
        #start
        #edge
        #combine
        #apply
        #changed
        fn aggregate(
            &self,
            vertex: ::wolfpath::program::Vertex<Self::Value, ::wolfpath::program::AggregateOf<Self>>,
        ) -> ::wolfpath::program::Checked<::wolfpath::program::AggregateOf<Self>> {
            #fold
        }
    }
}

fn start(program: &Program) -> TokenStream {
    let body = match program.starts {
        Starts::Sources => quote!(::core::result::Result::Ok(::core::option::Option::None)),
        Starts::Every => quote!(method_start(self, vertex).map(::core::option::Option::Some)),
        Starts::Some => quote!(method_start(self, vertex)),
    };
    quote! {
        fn start(&self, vertex: ::wolfpath::program::Vertex<(), ::wolfpath::program::AggregateOf<Self>>)
            -> ::wolfpath::program::Checked<::core::option::Option<Self::Value>> {
            #body
        }
    }
}

fn edge(program: &Program) -> TokenStream {
    let some = match program.bodies.methods.edge.output {
        Ty::Option(_) => quote!(),
        _ => quote!(.map(::core::option::Option::Some)),
    };
    quote! {
        fn edge(&self, edge: ::wolfpath::program::Edge<Self::Value, Self::Weight>)
            -> ::wolfpath::program::Checked<::core::option::Option<Self::Message>> {
            method_edge(self, edge)#some
        }
    }
}

fn apply(program: &Program) -> TokenStream {
    let body = match &program.bodies.methods.apply {
        Some(_) => own_apply(program),
        None => quote! {
            match (vertex.value, incoming) {
                (::core::option::Option::Some(value), ::core::option::Option::Some(message)) => {
                    ::wolfpath::program::EdgeProgram::combine(self, value, message)
                }
                (::core::option::Option::Some(value), ::core::option::Option::None) => ::core::result::Result::Ok(value),
                (::core::option::Option::None, ::core::option::Option::Some(message)) => {
                    ::core::result::Result::Ok(message)
                }
                _ => ::core::unreachable!("an engine calls `apply` with a value, a message or both"),
            }
        },
    };
    quote! {
        fn apply(
            &self,
            vertex: ::wolfpath::program::Vertex<
                ::core::option::Option<Self::Value>,
                ::wolfpath::program::AggregateOf<Self>,
            >,
            incoming: ::core::option::Option<Self::Message>,
        ) -> ::wolfpath::program::Checked<Self::Value> {
            #body
        }
    }
}

/// Calls the twin of the user's `apply`, with a plain value or message where it takes one. Engines never leave those out.
fn own_apply(program: &Program) -> TokenStream {
    let inputs = &program
        .bodies
        .methods
        .apply
        .as_ref()
        .map(|apply| &apply.locals[..apply.parameters])
        .unwrap_or_default();
    let is_option = |index: usize| match inputs.get(index).map(|local| &local.ty) {
        Some(Ty::Vertex(value)) => matches!(**value, Ty::Option(_)),
        other => matches!(other, Some(Ty::Option(_))),
    };
    let vertex = (!is_option(0)).then(|| {
        quote! {
            let value = vertex.value.expect("an engine calls an `apply` that takes a plain value at vertices with one");
            let vertex = ::wolfpath::twin::with_value(vertex, value);
        }
    });
    let incoming = (!is_option(1)).then(|| {
        quote! {
            let incoming = incoming
                .or_else(<Self::Combine as ::wolfpath::program::Combiner<Self::Message>>::identity)
                .expect("an engine calls an `apply` that takes a plain message with one");
        }
    });
    quote! {
        #vertex
        #incoming
        method_apply(self, vertex, incoming)
    }
}

/// That rustc reads the types as the macro did.
fn asserts(program: &Program, wording: &Wording) -> TokenStream {
    let name = &program.interface.name;
    let trait_path = &wording.trait_path;
    let kind = Ident::new(program.interface.combine.marker(), Span::mixed_site());
    let senders = if program.interface.all_send { quote!(All) } else { quote!(Active) };
    let size = |ty: &Ty| layout(ty, &program.interface.structs).0;
    let (value, message) = (size(&program.interface.value.ty), size(&program.interface.message.ty));
    let aggregate = type_tokens(&program.interface.aggregate.ty, &program.interface);
    let more = &wording.asserts;
    quote! {
        const _: () = {
            type Message = <#name as #trait_path>::Message;
            type Combine = <#name as #trait_path>::Combine;
            ::core::assert!(::core::matches!(
                <Combine as ::wolfpath::program::Combiner<Message>>::KIND,
                ::wolfpath::program::CombineKind::#kind
            ));
            ::core::assert!(::core::matches!(
                <#name as #trait_path>::SENDERS,
                ::wolfpath::program::Senders::#senders
            ));
            ::core::assert!(::core::mem::size_of::<<#name as #trait_path>::Value>() == #value);
            ::core::assert!(::core::mem::size_of::<Message>() == #message);
            fn aggregate_is(aggregate: ::wolfpath::program::AggregateOf<#name>) -> #aggregate {
                aggregate
            }
        };
        #more
    }
}
