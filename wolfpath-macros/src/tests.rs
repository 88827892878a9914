//! Tests of messages for programs that rustc also rejects. (Programs that only this macro rejects have golden files in
//! the workspace's `tests/macro_errors`, where rustc's own messages do not interfere.)

use proc_macro2::TokenStream;
use syn::parse::Parser;
use syn::punctuated::Punctuated;

use crate::{expand, parse::Arguments};

/// Returns the messages that a function under `#[edge_program(combine = min)]` gets.
fn messages(item: &str) -> Vec<String> {
    let arguments: Arguments = syn::parse_str("combine = min").expect("the arguments parse");
    let expanded = expand(arguments, syn::parse_str(item).expect("the item parses"), None);
    let mut found = Vec::new();
    collect(expanded, &mut found);
    found
}

/// Collects the texts of all `compile_error!`s, and of the `panic!` that prevents running a program that rustc rejects.
pub(crate) fn collect(tokens: TokenStream, found: &mut Vec<String>) {
    let mut said = false;
    for token in tokens {
        match token {
            proc_macro2::TokenTree::Ident(ident) => said = ident == "compile_error" || ident == "panic",
            proc_macro2::TokenTree::Group(group) if said => {
                let texts =
                    Punctuated::<syn::LitStr, syn::Token![,]>::parse_terminated.parse2(group.stream());
                found
                    .extend(texts.expect("the arguments are string literals").last().map(syn::LitStr::value));
                said = false;
            }
            proc_macro2::TokenTree::Group(group) => collect(group.stream(), found),
            _ => {}
        }
    }
}

fn refused(body: &str, message: &str) {
    let found = messages(&format!("fn program(value: u32, weight: f32) -> u32 {{ {body} }}"));
    assert!(found.iter().any(|found| found.contains(message)), "{body}: {found:#?}");
}

fn taken(body: &str) {
    let found = messages(&format!("fn program(value: u32, weight: f32) -> u32 {{ {body} }}"));
    assert!(found.is_empty(), "{body}: {found:#?}");
}

#[test]
fn types_must_agree() {
    refused("value + weight", "expected `u32`, found `f32`");
    refused("if value > 1 { value } else { 1.5 }", "expected `u32`, found `{float}`");
    refused("if value > 1 { value } value", "needs an `else`");
    refused("weight", "expected `u32`, found `f32`");
    refused("return weight;", "expected `u32`, found `f32`");
    refused("let x: u64 = value; value", "expected `u64`, found `u32`");
    refused("match value { 0 => 1, _ => weight }", "expected `u32`, found `f32`");
    refused("", "expected `u32`, found `()`");
    refused("if value { 1 } else { 2 }", "expected `bool`, found `u32`");
}

#[test]
fn operators_and_casts_need_their_types() {
    refused("-value", "`-` needs a signed number");
    refused("(!weight) as u32", "`!` needs a `bool` or an integer");
    refused("(weight << 1) as u32", "`<<` is not defined on `f32`");
    refused("weight as bool as u32", "`as` can only cast to an integer or a float");
    refused("(true as f32) as u32", "`bool` cannot be cast to `f32`");
    refused("u32::from(weight)", "`u32::from` does not take `f32`");
    taken("let same = Some(1) == None; value");
    refused("let f = (1, 2.0) + (3, 4.0); value", "`+` is not defined on");
}

#[test]
fn names_must_be_known() {
    refused("unknown", "`unknown` is not known to the program");
    refused("outside(value)", "`outside` is not known to the program: the macro sees only this function");
    refused(
        "value.sqrt()",
        "`sqrt` is not a method of `u32` in the language of edge programs: did you mean `isqrt`?",
    );
    refused("2.0.sqrt() as u32", "the type of this value is not known yet");
    refused("value.field", "`u32` has no fields");
    refused("u32::HUGE", "`HUGE` is not a constant of `u32`");
    refused("let x = None; value", "the type of this value is not known");
    refused("value.min(1, 2)", "wrong number of arguments of `min`: expected 1, found 2");
}

#[test]
fn random_takes_three_numbers() {
    taken("random(1, 2, value as u64) as u32");
    taken("(wolfpath::program::random(1, 2, 3) ^ program::random(3, 2, 1)) as u32");
    taken("let random = random(1, 2, 3); random as u32");
    refused("random(1, 2) as u32", "wrong number of arguments: expected 3, found 2");
    refused("random(1, value, 2) as u32", "expected `u64`, found `u32`");
    refused("random(1, 2, 3)", "expected `u32`, found `u64`");
    refused("other::random(1, 2, 3) as u32", "this function is outside the module");
    refused("let random = value; random(1, 2, 3) as u32", "`random` is a value and cannot be called");
}

#[test]
fn a_function_of_the_module_hides_random() {
    let own = module("e: Edge<u32>) -> u32 { random(e.value) }", "fn random(a: u32) -> u32 { a }");
    assert!(forwards(&own));
    assert!(!forwards(&module("e: Edge<u32>) -> u32 { random(1, 2, 3) as u32 }", "")));
}

#[test]
fn literals_take_the_type_of_what_they_meet() {
    taken("let one = 1; value + one");
    taken("let half = 0.5; (weight * half) as u32");
    taken("let wide = 1 << 40_u64; value");
    taken("let x = if value > 3 { Some(1) } else { None }; x.unwrap_or(value)");
    taken("value << 1u64");
    refused("let one = 1; let other: u64 = one; value + one", "expected `u32`, found `u64`");
}

#[test]
fn a_return_is_not_a_value() {
    taken("if value > 3 { return 7; } value");
    taken("let x = match value { 0 => return 1, _ => 2 }; x");
    refused("value + return 1", "make it a statement or a branch");
}

/// Returns `true` if the model of an item under `#[edge_program(combine = min)]`, or of a module, says that `edge`
/// forwards the sender's value.
fn forwards(item: &str) -> bool {
    let arguments = if item.starts_with("mod") { "" } else { "combine = min" };
    let arguments: Arguments = syn::parse_str(arguments).expect("the arguments parse");
    let expanded = expand(arguments, syn::parse_str(item).expect("the item parses"), None);
    let mut found = Vec::new();
    collect(expanded.clone(), &mut found);
    assert!(found.is_empty(), "{item}: {found:#?}");
    let text = expanded.to_string();
    let (yes, no) = (text.contains("forwards : true"), text.contains("forwards : false"));
    assert!(yes != no, "{item}: the model does not say whether `edge` forwards");
    yes
}

/// Returns a module whose `edge` has the given signature after its name, and the given body.
fn module(edge: &str, functions: &str) -> String {
    format!(
        "mod m {{ {functions} pub struct P; impl EdgeProgram for P {{ type Value = u32; type Message = u32;
        type Combine = Min; fn start(&self, v: Vertex) -> u32 {{ v.index }} fn edge(&self, {edge} }} }}"
    )
}

#[test]
fn an_edge_that_returns_its_value_forwards() {
    for body in
        ["value", "{ value }", "return value;", "return value", "(value)", "let x = value; let y = x; y"]
    {
        assert!(forwards(&format!("fn program(value: u32) -> u32 {{ {body} }}")), "{body}");
    }
    for body in ["Some(value)", "return Some(value);", "let x = Some(value); x"] {
        assert!(forwards(&format!("fn program(value: f64, _w: f32) -> Option<f64> {{ {body} }}")), "{body}");
    }
    let edges = [
        "e: Edge<u32>) -> u32 { e.value }",
        "e: Edge<u32>) -> Option<u32> { let same = e; Some(same.value) }",
        "e: Edge<u32>) -> u32 { let Edge { value, weight: _, .. } = e; value }",
        "e: Edge<u32>) -> u32 { first(e.value) }",
    ];
    for edge in edges {
        assert!(forwards(&module(
            edge,
            "fn first(a: u32) -> u32 { second(a) } fn second(a: u32) -> u32 { a }"
        )));
    }
}

#[test]
fn an_edge_that_computes_does_not_forward() {
    let bodies = [
        "value + 0",
        "weight",
        "if weight > 3 { value } else { value }",
        "if weight > 3 { return 7; } value",
        "let mut x = value; x += 1; x",
        "let x = value + 1; value",
        "value.min(weight)",
        "value as u32",
        "match weight { _ => value }",
        "loop { break value; }",
    ];
    for body in bodies {
        assert!(!forwards(&format!("fn program(value: u32, weight: u32) -> u32 {{ {body} }}")), "{body}");
    }
    assert!(!forwards(
        "fn program(value: u32, w: u32) -> Option<u32> { if w > 1 { Some(value) } else { None } }"
    ));
    assert!(!forwards("fn program(value: u32) -> Option<u32> { Some(value)?; None }"));
    let edges = [
        "e: Edge<u32>) -> u32 { e.source_index }",
        "e: Edge<u32>) -> u32 { other(e.value, e.target_index) }",
        "e: Edge<u32>) -> u32 { twice(e.value) }",
        "e: Edge<u32>) -> u32 { let Edge { value, source_index, .. } = e; source_index }",
    ];
    let functions = "fn other(a: u32, b: u32) -> u32 { b } fn twice(a: u32) -> u32 { a + a }";
    for edge in edges {
        assert!(!forwards(&module(edge, functions)), "{edge}");
    }
}

/// Returns what the model says about the messages of a program: whether none is below the sender's value (`>`), none is
/// above it (`<`), and each adds the weight (`+`); first in general, then if no weight is negative.
fn facts(item: &str) -> [String; 2] {
    let text = expanded(item);
    ["messages :", "messages_if_non_negative :"].map(|field| {
        let (_, rest) = text.split_once(field).expect("the model has the field");
        let named = rest.split_once('}').expect("the facts end").0;
        let marks = [("at_least : true", '>'), ("at_most : true", '<'), ("adds_weight : true", '+')];
        marks.into_iter().filter(|(fact, _)| named.contains(fact)).map(|(_, mark)| mark).collect()
    })
}

/// Returns the expansion of a program without errors.
fn expanded(item: &str) -> String {
    let arguments = if item.starts_with("mod") { "" } else { "combine = min" };
    let arguments: Arguments = syn::parse_str(arguments).expect("the arguments parse");
    let expanded = expand(arguments, syn::parse_str(item).expect("the item parses"), None);
    let mut found = Vec::new();
    collect(expanded.clone(), &mut found);
    assert!(found.is_empty(), "{item}: {found:#?}");
    expanded.to_string()
}

#[test]
fn messages_are_compared_with_the_value() {
    // Bodies over unsigned numbers.
    let unsigned = [
        ("value", "><"),
        ("value + 1", ">"),
        ("value + weight", ">+"),
        ("weight + value", ">+"),
        ("value.saturating_add(2 * weight)", ">"),
        ("value - weight", "<"),
        ("value.min(weight)", "<"),
        ("value.max(weight)", ">"),
        ("value.max(weight).min(value)", "><"),
        ("value * weight", ""),
        ("weight", ""),
        ("let next = value + weight; next", ">+"),
        ("let mut next = value + weight; next += 1; next", ""),
        ("let next; next = value; next", ""),
        ("if weight > 3 { value } else { value + weight }", ">"),
        ("if weight > 3 { return value; } value + weight", ">"),
        ("if weight > 3 { return 7; } value", ""),
        ("match weight { 0 => value, 1 => value + 1, _ => panic!() }", ">"),
        ("match value { 0 => 1, other => other + 1 }", ""),
        ("let mut i = 0; loop { i += 1; if i > weight { return value + i; } }", ""),
        ("value.wrapping_add(weight)", ""),
        ("(value as u64 + weight as u64) as u32", ""),
    ];
    for (body, expected) in unsigned {
        let [always, _] = facts(&format!("fn program(value: u32, weight: u32) -> u32 {{ {body} }}"));
        assert_eq!(always, expected, "{body}");
    }
    // Bodies over numbers that may be negative.
    let signed = [
        ("value + weight", "+", ">+"),
        ("value + 2.0 * weight", "", ">"),
        ("value + weight.abs()", ">", ">"),
        ("value - weight", "", "<"),
        ("value - 1.5", "<", "<"),
        ("value + -1.5", "", ""),
        ("value.max(weight)", ">", ">"),
        // If the sum is NaN, the result is the other operand.
        ("(value + (weight - 10.0).sqrt()).max(1.0)", "", ""),
        ("(value - weight.abs()).min(1.0)", "", ""),
        ("(value + weight).max(value)", ">", ">"),
        ("value + (weight - 10.0).sqrt().max(1.0)", ">", ">"),
    ];
    for (body, always, non_negative) in signed {
        let found = facts(&format!("fn program(value: f32, weight: f32) -> f32 {{ {body} }}"));
        assert_eq!(found, [always, non_negative], "{body}");
    }
    let [some, _] =
        facts("fn program(value: u32, w: u32) -> Option<u32> { if w > 1 { Some(value + w) } else { None } }");
    assert_eq!(some, ">+");
    let edges = [
        ("e: Edge<u32>) -> u32 { e.value + e.source_index }", ">"),
        ("e: Edge<u32>) -> u32 { let Edge { value, source_index, .. } = e; value.min(source_index) }", "<"),
        ("e: Edge<u32>) -> u32 { longer(e.value, e.target_index) }", ">"),
        ("e: Edge<u32>) -> u32 { changed(e.value) }", ""),
    ];
    let functions = "fn longer(a: u32, b: u32) -> u32 { if b > 3 { return a + b; } a } fn changed(mut a: u32) -> u32 { a -= 1; a }";
    for (edge, expected) in edges {
        assert_eq!(facts(&module(edge, functions))[0], expected, "{edge}");
    }
}

#[test]
fn messages_of_nan() {
    for (body, stays) in [
        ("value + weight", true),
        ("value", true),
        ("value.min(weight)", false),
        ("if weight > 1.0 { value } else { weight }", false),
    ] {
        let text = expanded(&format!("fn program(value: f32, weight: f32) -> f32 {{ {body} }}"));
        assert_eq!(text.contains("keeps_nan : true"), stays, "{body}");
    }
}

#[test]
fn a_parameter_that_holds_itself_is_refused() {
    let item = "mod m { pub struct A { pub a: [A; 1] } pub struct B { pub a: A } pub struct P { pub b: B }
        impl EdgeProgram for P { type Value = u32; type Message = u32; type Combine = Min;
        fn start(&self, v: Vertex) -> u32 { 0 } fn edge(&self, e: Edge<u32>) -> u32 { e.value } } }";
    let expanded = expand(Arguments::default(), syn::parse_str(item).expect("the item parses"), None);
    let mut found = Vec::new();
    collect(expanded, &mut found);
    assert!(found.iter().any(|found| found.contains("a struct cannot contain itself")), "{found:#?}");
}

#[test]
fn the_readme_names_files_that_exist() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(folder.join("README.md")).expect("the README can be read");
    let quoted = readme.split('`').skip(1).step_by(2);
    let named: Vec<&str> = quoted.filter(|name| name.ends_with(".rs")).collect();
    assert!(named.len() > 16, "the README lists the files that one attribute passes through");
    // Names that end in `_program.rs` are files of another crate.
    for name in named.into_iter().filter(|name| !name.ends_with("_program.rs")) {
        assert!(folder.join("src").join(name).is_file(), "README.md names {name}, which is not a file");
    }
}
