//! Emits the two implementations of a program. `impl EdgeProgram` contains the user's functions. `impl Executable`
//! contains the model, and the functions that the engines call; they call the twins (checked copies of the user's
//! functions).

use std::ops::RangeFrom;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

use super::body::{Twin, twin};
use super::{datum, helper, inputs, method, type_tokens};
use crate::model::views::ViewField;
use crate::model::{
    Checked, Function, Interface, Messages, Program, Reads, Starts, Struct, Ty, is_plain_data, layout,
    offsets, views,
};

/// The parts that the two forms write differently.
pub(super) struct Wording {
    /// The trait, by the path that the user imported.
    pub(super) trait_path: TokenStream,
    /// The attributes of `impl EdgeProgram`.
    pub(super) attributes: TokenStream,
    /// The associated types: those that the user wrote, and defaults for the omitted ones.
    pub(super) types: TokenStream,
    /// The constants of the trait.
    pub(super) settings: TokenStream,
    /// The functions of the trait.
    pub(super) functions: TokenStream,
    /// `type Combine`, which only an ill-typed program needs here.
    pub(super) combine: TokenStream,
    /// `fn sources`, `fn duplicate`.
    pub(super) copies: TokenStream,
    /// Further checks at compile time.
    pub(super) asserts: TokenStream,
}

/// Returns both implementations of a program. For an ill-typed program, both are stand-ins, so that rustc reports no
/// further errors in code that uses the program.
pub(super) fn implementation(checked: &Checked, wording: &Wording, cuda: &str) -> TokenStream {
    let (contract, executable) = match checked {
        Checked::Program(program) => {
            (contract(&program.interface, wording), executable(program, wording, cuda))
        }
        Checked::IllTyped(interface, message) => {
            (contract_of_ill_typed(interface, wording), ill_typed(interface, wording, message))
        }
    };
    let data = data(checked.interface());
    quote! {
        #contract
        #[allow(warnings, clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
        const _: () = {
            /// Overflows are faults, as in the rest of the user's crate.
            const WOLFPATH_CHECKED: ::core::primitive::bool = ::core::cfg!(debug_assertions);
            #data
            #executable
        };
    }
}

/// Returns `impl EdgeProgram`. It is outside the generated block, so that the user's functions see only the user's
/// names. Where the trait has `impl Into<Option<T>>`, a function returns `T` or `Option<T>`.
fn contract(interface: &Interface, wording: &Wording) -> TokenStream {
    let Wording { trait_path, attributes, types, settings, functions, .. } = wording;
    let name = &interface.name;
    let filled_in = filled_in(interface);
    quote! {
        #attributes
        #[allow(refining_impl_trait)]
        impl #trait_path for #name {
            #types
            #filled_in
            #settings
            #functions
        }
    }
}

/// Returns the names and definitions of the two types that `apply` takes.
pub(super) fn types_of_apply(interface: &Interface) -> [(&'static str, TokenStream); 2] {
    let option = |ty: Ty, of: TokenStream| match ty {
        Ty::Option(_) => quote!(::core::option::Option<#of>),
        _ => of,
    };
    [
        ("Before", option(interface.before(), quote!(Self::Value))),
        ("Incoming", option(interface.incoming(), quote!(Self::Message))),
    ]
}

fn filled_in(interface: &Interface) -> TokenStream {
    let types = types_of_apply(interface).map(|(name, ty)| {
        let name = Ident::new(name, Span::mixed_site());
        quote!(type #name = #ty;)
    });
    quote!(#(#types)*)
}

/// Returns the `impl EdgeProgram` of an ill-typed program. Its functions are never called, because its model does not
/// compile.
fn contract_of_ill_typed(interface: &Interface, wording: &Wording) -> TokenStream {
    let Wording { trait_path, combine, settings, .. } = wording;
    let name = &interface.name;
    let (value, message) = (&interface.value.written, &interface.message.written);
    let (weight, aggregate) = (&interface.weight.written, &interface.aggregate.written);
    let filled_in = filled_in(interface);
    quote! {
        #[allow(warnings, clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
        #[automatically_derived]
        impl #trait_path for #name {
            type Value = #value;
            type Message = #message;
            type Weight = #weight;
            type Combine = #combine;
            type Aggregate = #aggregate;
            #filled_in
            #settings
            fn start(&self, vertex: ::wolfpath::program::Vertex<(), ::wolfpath::program::AggregateOf<Self>>)
                -> ::core::option::Option<Self::Value> {
                ::core::option::Option::None
            }
            fn edge(&self, edge: ::wolfpath::program::Edge<Self::Value, Self::Weight, ::wolfpath::program::AggregateOf<Self>>)
                -> ::core::option::Option<Self::Message> {
                ::core::option::Option::None
            }
        }
    }
}

/// Returns the implementations that store and read the module's structs and enums. Those of shared types belong to the
/// module that declares them.
fn data(interface: &Interface) -> TokenStream {
    let (structs, enums) = interface.shared;
    let data = stored(interface, structs.., enums..);
    let weight_rows = super::weights::rows(interface);
    let combiners = super::combiners::of_structs(interface);
    let folds = super::folds::implementation(interface);
    quote! {
        #data
        #(#combiners)*
        #folds
        #weight_rows
    }
}

/// Returns the implementations that store and read some structs and enums.
pub(super) fn stored(
    interface: &Interface,
    structs: RangeFrom<usize>,
    enums: RangeFrom<usize>,
) -> TokenStream {
    // A struct that is not plain data can only be the type of locals, and does not implement `Datum`.
    let kept = |item: &&Struct| item.fields.iter().all(|field| is_plain_data(&field.ty, &interface.structs));
    let structs =
        interface.structs[structs].iter().filter(kept).map(|item| datum::structure(item, interface));
    let enums = interface.enums[enums].iter().map(datum::enumeration);
    quote! {
        #(#structs)*
        #(#enums)*
    }
}

/// Returns `impl Executable`, and the twins that it calls.
fn executable(program: &Program, wording: &Wording, cuda: &str) -> TokenStream {
    let name = &program.interface.name;
    let copies = &wording.copies;
    let (twins, model, inputs) = (twins(program), model(program, cuda), inputs::functions(program));
    let parameters = parameters(&program.interface);
    let (functions, asserts) = (functions(program), asserts(program, wording));
    let load = load(Some(&program.bodies.reads));
    let earlier = super::folds::earlier(&program.interface);
    quote! {
        #twins
        #[automatically_derived]
        impl ::wolfpath::program::Executable for #name {
            #model
            #load
            #earlier
            #copies
            #inputs
            #parameters
            #functions
        }
        #asserts
    }
}

/// Returns the `impl Executable` of an ill-typed program.
fn ill_typed(interface: &Interface, wording: &Wording, message: &str) -> TokenStream {
    let name = &interface.name;
    let copies = &wording.copies;
    let (model, load, parameters) = (no_model(interface, message), load(None), parameters(interface));
    let earlier = super::folds::earlier(interface);
    let fault = quote!(::core::result::Result::Err(::wolfpath::program::Fault { site: 0 }));
    let (start, edge, apply) = (checked_start(&fault), checked_edge(&fault), checked_apply(&fault));
    quote! {
        #[automatically_derived]
        impl ::wolfpath::program::Executable for #name {
            #model
            #load
            #earlier
            #copies
            #parameters
            #start
            #edge
            #apply
        }
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
    let starts = match program.interface.starts {
        Starts::Sources => quote!(Sources),
        Starts::Every => quote!(Every),
        Starts::Some => quote!(Some),
    };
    let (always_sends, edge_can_fault) = (program.always_sends(), program.edge_can_fault());
    let forwards = program.forwards();
    let (messages, messages_if) = (messages(program, false), messages(program, true));
    let methods = &program.bodies.methods;
    let (has_apply, has_changed) = (methods.apply.is_some(), methods.changed.is_some());
    let (has_sends, has_halts) = (methods.sends.is_some(), methods.halts.is_some());
    let (has_priority, has_finished) = (methods.priority.is_some(), methods.finished.is_some());
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
            forwards: #forwards,
            messages: #messages,
            messages_if_non_negative: #messages_if,
            has_apply: #has_apply,
            has_changed: #has_changed,
            has_sends: #has_sends,
            has_halts: #has_halts,
            has_priority: #has_priority,
            has_finished: #has_finished,
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

/// Returns the facts about the messages, as a `Messages` of the library.
fn messages(program: &Program, non_negative: bool) -> TokenStream {
    let Messages { at_least, at_most, adds_weight, keeps_nan } = program.messages(non_negative);
    quote! {
        ::wolfpath::program::Messages {
            at_least: #at_least,
            at_most: #at_most,
            adds_weight: #adds_weight,
            keeps_nan: #keeps_nan,
        }
    }
}

/// Returns the model of an ill-typed program, which panics when it is evaluated.
fn no_model(interface: &Interface, message: &str) -> TokenStream {
    let message = format!("the edge program `{}` was not understood: {message}", interface.name);
    quote!(
        const MODEL: ::wolfpath::program::Model = ::core::panic!("{}", #message);
    )
}

/// Returns the file of a span, or the item's file if the compiler does not know it.
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

/// Returns the type of what engines load with each edge, and the function that stores it in an edge: the weight, or
/// counts. If there are two counts, the second one is in the upper half of the number.
fn load(reads: Option<&Reads>) -> TokenStream {
    let (value, weight) = (associated("Value"), associated("Weight"));
    let counts = reads.and_then(views::counts);
    let load = match counts {
        Some(int) => {
            let name = format_ident!("{}", int.name());
            quote!(::core::primitive::#name)
        }
        None => weight.clone(),
    };
    let is_read =
        |count: &ViewField| reads.is_some_and(|reads| reads.noted.contains(count.noted.unwrap_or_default()));
    let read = views::COUNTS.iter().filter(|count| is_read(count)).zip([0u32, 32]);
    let fields = read.map(|(count, shift)| {
        let name = format_ident!("{}", count.name);
        quote!(edge.#name = (load >> #shift) as ::core::primitive::u32 as ::core::primitive::u64;)
    });
    let store = if counts.is_some() { quote!(#(#fields)*) } else { quote!(edge.weight = load;) };
    quote! {
        type Load = #load;

        #[inline(always)]
        fn put_load(
            edge: &mut ::wolfpath::program::Edge<#value, #weight, ::wolfpath::program::AggregateOf<Self>>,
            load: Self::Load,
        ) {
            #store
        }
    }
}

/// Returns an associated type of the program.
fn associated(name: &str) -> TokenStream {
    let name = Ident::new(name, Span::mixed_site());
    quote!(<Self as ::wolfpath::program::EdgeProgram>::#name)
}

/// Returns the functions that the engines call.
fn functions(program: &Program) -> TokenStream {
    let (value, message) = (associated("Value"), associated("Message"));
    let methods = &program.bodies.methods;
    let start = checked_start(&match program.interface.starts {
        Starts::Sources => quote! {
            ::core::result::Result::Ok(::wolfpath::program::EdgeProgram::start(self, vertex))
        },
        Starts::Every => quote!(method_start(self, vertex).map(::core::option::Option::Some)),
        Starts::Some => quote!(method_start(self, vertex)),
    });
    let edge = checked_edge(&match methods.edge.output {
        Ty::Option(_) => quote!(method_edge(self, edge)),
        _ => quote!(method_edge(self, edge).map(::core::option::Option::Some)),
    });
    let apply = match methods.apply {
        Some(_) if program.reads_values_at() => apply_among(&program.interface),
        Some(_) => checked_apply(&own_apply(&program.interface, None)),
        None => checked_apply(&default_apply()),
    };
    let combine = methods.combine.as_ref().map(|_| {
        quote! {
            #[inline]
            fn checked_combine(&self, a: #message, b: #message) -> ::wolfpath::program::Checked<#message> {
                method_combine(self, a, b)
            }
        }
    });
    let changed = methods.changed.as_ref().map(|_| {
        quote! {
            #[inline]
            fn checked_changed(&self, before: #value, after: #value)
                -> ::wolfpath::program::Checked<::core::primitive::bool> {
                method_changed(self, before, after)
            }
        }
    });
    let at_vertex = |written: &Option<Function>, output: TokenStream| {
        written.as_ref().map(|written| {
            let name = format_ident!("checked_{}", written.name, span = Span::mixed_site());
            let twin = method(&written.name);
            quote! {
                #[inline]
                fn #name(
                    &self,
                    vertex: ::wolfpath::program::Vertex<#value, ::wolfpath::program::AggregateOf<Self>>,
                ) -> ::wolfpath::program::Checked<#output> {
                    #twin(self, vertex)
                }
            }
        })
    };
    let sends = at_vertex(&methods.sends, quote!(::core::primitive::bool));
    let halts = at_vertex(&methods.halts, quote!(::core::primitive::bool));
    let priority = at_vertex(&methods.priority, quote!(::core::primitive::u64));
    let aggregate = methods.aggregate.as_ref().map(|_| super::folds::checked_aggregate(&program.interface));
    let finished = methods.finished.as_ref().map(|_| {
        quote! {
            #[inline]
            fn checked_finished(
                &self,
                before: ::wolfpath::program::AggregateOf<Self>,
                now: ::wolfpath::program::AggregateOf<Self>,
                step: ::core::primitive::u64,
            ) -> ::wolfpath::program::Checked<::core::primitive::bool> {
                method_finished(self, before, now, step)
            }
        }
    });
    quote! {
        #start
        #edge
        #combine
        #apply
        #changed
        #sends
        #halts
        #priority
        #aggregate
        #finished
    }
}

fn checked_start(body: &TokenStream) -> TokenStream {
    let value = associated("Value");
    quote! {
        #[inline]
        fn checked_start(&self, vertex: ::wolfpath::program::Vertex<(), ::wolfpath::program::AggregateOf<Self>>)
            -> ::wolfpath::program::Checked<::core::option::Option<#value>> {
            #body
        }
    }
}

fn checked_edge(body: &TokenStream) -> TokenStream {
    let (value, message, weight) = (associated("Value"), associated("Message"), associated("Weight"));
    quote! {
        #[inline]
        fn checked_edge(
            &self,
            edge: ::wolfpath::program::Edge<#value, #weight, ::wolfpath::program::AggregateOf<Self>>,
        ) -> ::wolfpath::program::Checked<::core::option::Option<#message>> {
            #body
        }
    }
}

fn checked_apply(body: &TokenStream) -> TokenStream {
    let (value, message) = (associated("Value"), associated("Message"));
    quote! {
        #[inline]
        fn checked_apply(
            &self,
            vertex: ::wolfpath::program::Vertex<
                ::core::option::Option<#value>,
                ::wolfpath::program::AggregateOf<Self>,
            >,
            incoming: ::core::option::Option<#message>,
        ) -> ::wolfpath::program::Checked<#value> {
            #body
        }
    }
}

/// Returns the function that calls an `apply` that reads the values of other vertices. Without these values, every index
/// is out of range.
fn apply_among(interface: &Interface) -> TokenStream {
    let (value, message) = (associated("Value"), associated("Message"));
    let alone = checked_apply(&quote! {
        ::wolfpath::program::Executable::checked_apply_among(
            self,
            vertex,
            incoming,
            ::wolfpath::program::Among::nobody(),
        )
    });
    let body = own_apply(interface, Some(quote!(, among)));
    quote! {
        #alone

        #[inline]
        fn checked_apply_among(
            &self,
            vertex: ::wolfpath::program::Vertex<
                ::core::option::Option<#value>,
                ::wolfpath::program::AggregateOf<Self>,
            >,
            incoming: ::core::option::Option<#message>,
            among: ::wolfpath::program::Among<'_, #value>,
        ) -> ::wolfpath::program::Checked<#value> {
            #body
        }
    }
}

/// Returns the default `apply`, which combines the message into the value. Values and messages have the same type here.
fn default_apply() -> TokenStream {
    quote! {
        match (vertex.value, incoming) {
            (::core::option::Option::Some(value), ::core::option::Option::Some(message)) => {
                ::wolfpath::program::Executable::checked_combine(self, value, message)
            }
            (::core::option::Option::Some(value), ::core::option::Option::None) => ::core::result::Result::Ok(value),
            (::core::option::Option::None, ::core::option::Option::Some(message)) => {
                ::core::result::Result::Ok(message)
            }
            _ => ::core::unreachable!("an engine calls `apply` with a value, a message or both"),
        }
    }
}

/// Returns a call of the twin of the user's `apply`. If `apply` takes a plain value or message, the engines always
/// supply it. `more` are further arguments.
fn own_apply(interface: &Interface, more: Option<TokenStream>) -> TokenStream {
    let is_option = |ty: Ty| matches!(ty, Ty::Option(_));
    let vertex = (!is_option(interface.before())).then(|| {
        quote! {
            let vertex = vertex.map_value(|value| {
                value.expect("an engine calls an `apply` that takes a plain value at vertices with one")
            });
        }
    });
    let (message, combine) = (associated("Message"), associated("Combine"));
    let incoming = (!is_option(interface.incoming())).then(|| {
        quote! {
            let incoming = incoming
                .or_else(<#combine as ::wolfpath::program::Combiner<#message>>::identity)
                .expect("an engine calls an `apply` that takes a plain message with one");
        }
    });
    quote! {
        #vertex
        #incoming
        method_apply(self, vertex, incoming #more)
    }
}

/// Returns compile-time checks that rustc resolved the types to the same types as the macro.
fn asserts(program: &Program, wording: &Wording) -> TokenStream {
    let name = &program.interface.name;
    let trait_path = &wording.trait_path;
    let kind = Ident::new(program.interface.combine.marker(), Span::mixed_site());
    let senders = Ident::new(program.interface.senders.name(), Span::mixed_site());
    let neighbours = program.interface.neighbours;
    let size = |ty: &Ty| layout(ty, &program.interface.structs).0;
    let (value, message) = (size(&program.interface.value.ty), size(&program.interface.message.ty));
    let aggregate = type_tokens(&program.interface.aggregate.ty, &program.interface);
    let more = &wording.asserts;
    let folds = super::folds::asserts(&program.interface);
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
            ::core::assert!(
                ::core::matches!(<#name as #trait_path>::ALONG, ::wolfpath::program::Along::Neighbours) == #neighbours,
                "write `Along::Neighbours` itself after `const ALONG`, not an expression with this value"
            );
            ::core::assert!(::core::mem::size_of::<<#name as #trait_path>::Value>() == #value);
            ::core::assert!(::core::mem::size_of::<Message>() == #message);
            fn aggregate_is(aggregate: ::wolfpath::program::AggregateOf<#name>) -> #aggregate { aggregate }
            #folds
        };
        #more
    }
}
