//! The function form: one function from a value (and a weight) to a message. It is converted to the parts of a module:
//! the function becomes a helper, and a generated `edge` calls it.

use proc_macro2::Span;
use syn::visit::Visit;
use syn::{FnArg, ItemFn, ReturnType, Type, parse_quote, parse_quote_spanned};

use super::{Arguments, Callable, RefuseCfg, Source, check_signature, last_name, peel_type};
use crate::messages::Errors;
use crate::model::{Combine, Senders};

/// The function form has no `apply`, so a vertex always sends its whole value, unless the program accumulates. A vertex
/// whose total has grown would send the earlier part again, and its receivers would count that part twice.
const SUM_COUNTS_TWICE: &str = "`combine = sum` would count twice: a vertex whose total grows sends all of it again. \
    Add `accumulates`, if the function may be called with portions of the total, or use the module form, with \
    `type Combine = Sum` and a `fn apply` that computes the new value";

/// A function under `#[edge_program(..)]`.
pub(crate) struct FunctionForm {
    pub(crate) item: ItemFn,
    pub(crate) arguments: Arguments,
}

impl FunctionForm {
    /// Returns the parts of the program; `None` if the signature has errors.
    pub(crate) fn source(&self, errors: &mut Errors) -> Option<Source> {
        RefuseCfg(errors).visit_item_fn(&self.item);
        if let Some(types) = &self.arguments.types {
            errors.on(
                types,
                "a function uses no types of a module: use the module form, `#[edge_program(types = ..)] mod ..`",
            );
        }
        check_signature(&self.item.sig, errors);
        if !self.item.sig.generics.params.is_empty() {
            return None;
        }
        let combine = self.combine(errors);
        self.check_along(errors);
        let types = self.parameters(errors)?;
        let ReturnType::Type(_, output) = &self.item.sig.output else {
            errors.on(
                &self.item.sig,
                "the function must return the message: add `-> ` and the type of the first parameter",
            );
            return None;
        };
        let (combine, marker) = combine?;
        let name = self.item.sig.ident.clone();
        Some(Source {
            structs: Vec::new(),
            enums: Vec::new(),
            shared: (0, 0),
            params: None,
            consts: Vec::new(),
            functions: vec![Callable {
                owner: None,
                signature: self.item.sig.clone(),
                block: (*self.item.block).clone(),
            }],
            methods: vec![edge(&self.item, &types, output)],
            value: types[0].clone(),
            message: message(output).clone(),
            weight: types.get(1).cloned(),
            aggregate: None,
            folds_before: false,
            combine: Some((combine, marker)),
            senders: Senders::Active,
            neighbours: self.along() == Some("Neighbours"),
            both_ways: self.along() == Some("Both"),
            accumulates: self.arguments.accumulates.clone(),
            misspelt: false,
            name,
        })
    }

    fn combine(&self, errors: &mut Errors) -> Option<(Combine, Type)> {
        let Some(word) = &self.arguments.combine else {
            errors.at(
                Span::call_site(),
                "missing combiner: write how several messages to one vertex are combined, \
                 `#[edge_program(combine = min)]`, or `max`, `or`, `and`, `any`; `sum` with `accumulates`",
            );
            return None;
        };
        let Some(combine) = Combine::from_word(&word.to_string()) else {
            errors.on(
                word,
                format!(
                    "unknown combiner `{word}`: expected min, max, or, and, any; for your own combiner \
                         use the module form"
                ),
            );
            return None;
        };
        if combine == Combine::Sum && self.arguments.accumulates.is_none() {
            errors.on(word, SUM_COUNTS_TWICE);
            return None;
        }
        let marker = syn::Ident::new(combine.marker(), word.span());
        Some((combine, parse_quote_spanned!(word.span()=> ::wolfpath::program::#marker)))
    }

    fn check_along(&self, errors: &mut Errors) {
        if let Some(word) = &self.arguments.along
            && self.along().is_none()
        {
            errors.on(
                word,
                format!("unknown direction `{word}`: expected `along = out`, `in`, `both` or `neighbours`"),
            );
        }
    }

    /// Returns the variant of `Along` that the attribute selects.
    pub(crate) fn along(&self) -> Option<&'static str> {
        match self.arguments.along.as_ref()?.to_string().as_str() {
            "out" => Some("Out"),
            "in" => Some("In"),
            "both" => Some("Both"),
            "neighbours" => Some("Neighbours"),
            _ => None,
        }
    }

    fn parameters(&self, errors: &mut Errors) -> Option<Vec<Type>> {
        let inputs = &self.item.sig.inputs;
        let types: Vec<Type> = inputs
            .iter()
            .filter_map(|input| match input {
                FnArg::Typed(parameter) => Some((*parameter.ty).clone()),
                FnArg::Receiver(_) => None,
            })
            .collect();
        if types.len() != inputs.len() || !(1..=2).contains(&types.len()) {
            errors.on(
                &self.item.sig.ident,
                "the function takes the sender's value and optionally the edge's weight, in this order; \
                 for more, use the module form",
            );
            return None;
        }
        Some(types)
    }
}

/// Returns the message type: the type that is returned, or the type in the returned `Option`.
fn message(output: &Type) -> &Type {
    let output = peel_type(output);
    let Type::Path(path) = output else { return output };
    if last_name(output).is_none_or(|name| name != "Option") {
        return output;
    }
    match path.path.segments.last().map(|segment| &segment.arguments) {
        Some(syn::PathArguments::AngleBracketed(arguments)) => match arguments.args.first() {
            Some(syn::GenericArgument::Type(ty)) => ty,
            _ => output,
        },
        _ => output,
    }
}

/// Builds `fn edge(&self, e: Edge<V, W>) -> R { name(e.value, e.weight) }`.
fn edge(item: &ItemFn, types: &[Type], output: &Type) -> Callable {
    let name = &item.sig.ident;
    let span = name.span();
    let value = &types[0];
    let (edge, arguments): (Type, Vec<syn::Expr>) = match types.get(1) {
        Some(weight) => {
            (parse_quote!(Edge<#value, #weight>), vec![parse_quote!(e.value), parse_quote!(e.weight)])
        }
        None => (parse_quote!(Edge<#value>), vec![parse_quote!(e.value)]),
    };
    let method: ItemFn = parse_quote_spanned!(span=>
        fn edge(&self, e: #edge) -> #output {
            #name(#(#arguments),*)
        }
    );
    Callable { owner: None, signature: method.sig, block: *method.block }
}
