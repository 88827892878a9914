//! Tests that the tables in `docs/methods.md` match the table of methods. `WOLFPATH_BLESS=1 cargo test -p
//! wolfpath-macros` updates the tables in the document.

use super::table::TABLE;
use super::{Gives, Method, On, Takes};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/methods.md");

/// Maximum difference between the results of a host and a device, in ulps of `f32` and of `f64`: the sum of the maximum
/// errors in NVIDIA's documentation of CUDA's mathematical functions and in glibc's manual.
const ULPS: [(&str, u8, u8); 26] = [
    ("powi", 2, 2),
    ("powf", 5, 3),
    ("cbrt", 2, 5),
    ("hypot", 4, 3),
    ("exp", 3, 2),
    ("exp2", 3, 2),
    ("exp_m1", 2, 3),
    ("ln", 2, 2),
    ("ln_1p", 2, 2),
    ("log", 6, 6),
    ("log2", 2, 2),
    ("log10", 4, 3),
    ("sin", 3, 3),
    ("cos", 3, 3),
    ("sin_cos", 3, 3),
    ("tan", 5, 3),
    ("asin", 3, 3),
    ("acos", 3, 3),
    ("atan", 3, 3),
    ("atan2", 4, 3),
    ("sinh", 5, 4),
    ("cosh", 4, 3),
    ("tanh", 4, 3),
    ("asinh", 8, 8),
    ("acosh", 3, 3),
    ("atanh", 3, 3),
];

/// Returns the description of the receivers.
fn receivers(on: On) -> &'static str {
    match on {
        On::Int | On::IntType => "all",
        On::Signed => "signed",
        On::Unsigned => "unsigned",
        On::Float | On::FloatType => "floats",
        On::Bool => "`bool`",
        On::Option => "`Option<T>`",
        On::OptionOfOption => "`Option<Option<T>>`",
        On::OptionOfPair => "`Option<(T, U)>`",
    }
}

/// Returns the method with its arguments, as in a call.
fn call(method: &Method) -> String {
    let argument = |(index, takes): (usize, &Takes)| match takes {
        Takes::Same | Takes::Inner | Takes::Any => ["b", "c"][index],
        Takes::U32 => "n: u32",
        Takes::I32 => "n: i32",
        Takes::Signed => "b: signed",
        Takes::Unsigned => "b: unsigned",
        Takes::Bits => "bits",
        Takes::AnyOption => "option",
    };
    let arguments: Vec<&str> = method.takes.iter().enumerate().map(argument).collect();
    let front = if method.has_type_in_front() { "T::" } else { "" };
    let arguments = if arguments.is_empty() { String::new() } else { format!("({})", arguments.join(", ")) };
    format!("`{front}{}{arguments}`", method.name)
}

fn result(method: &Method) -> &'static str {
    match (method.gives, method.on) {
        (Gives::Same, On::Option) => "`Option<T>`",
        (Gives::Same, _) => "same",
        (Gives::Bool, _) => "`bool`",
        (Gives::U32, _) => "`u32`",
        (Gives::Signed, _) => "the signed type",
        (Gives::Unsigned, _) => "the unsigned type",
        (Gives::Bits, _) => "`u32` or `u64`",
        (Gives::OptionOfSame, _) => "`Option` of same",
        (Gives::OptionOfU32, _) => "`Option<u32>`",
        (Gives::Overflowing, _) => "(same, `bool`)",
        (Gives::TwoSame, _) => "(same, same)",
        (Gives::Inner, On::OptionOfOption) => "`Option<T>`",
        (Gives::Inner, _) => "`T`",
        (Gives::Argument, _) => "the argument's type",
        (Gives::OptionOfArgument, _) => "`Option` of the argument's type",
        (Gives::Zipped, _) => "`Option<(T, U)>`",
        (Gives::Unzipped, _) => "(`Option<T>`, `Option<U>`)",
    }
}

fn faults(method: &Method) -> String {
    method.faults.join("; ")
}

fn integers() -> String {
    let mut text = "| method | integers | returns | faults |\n|---|---|---|---|\n".to_owned();
    let on = [On::Int, On::Signed, On::Unsigned, On::IntType];
    for method in TABLE.iter().filter(|method| on.contains(&method.on)) {
        let of = receivers(method.on);
        text += &format!("| {} | {of} | {} | {} |\n", call(method), result(method), faults(method));
    }
    text
}

fn floats() -> String {
    let head = "| method | returns | faults | ulps of f32 | of f64 |\n|---|---|---|---|---|\n";
    let mut text = head.to_owned();
    for method in TABLE.iter().filter(|method| matches!(method.on, On::Float | On::FloatType)) {
        let known = ULPS.iter().find(|known| known.0 == method.name);
        let (single, double) = known.map_or((0, 0), |known| (known.1, known.2));
        let (call, result, faults) = (call(method), result(method), faults(method));
        text += &format!("| {call} | {result} | {faults} | {single} | {double} |\n");
    }
    text
}

fn options() -> String {
    let mut text = "| method | on | returns | faults |\n|---|---|---|---|\n".to_owned();
    let on = [On::Bool, On::Option, On::OptionOfOption, On::OptionOfPair];
    for method in TABLE.iter().filter(|method| on.contains(&method.on)) {
        let of = receivers(method.on);
        text += &format!("| {} | {of} | {} | {} |\n", call(method), result(method), faults(method));
    }
    text
}

/// Inserts a table into the page, between the table's marks.
fn with_table(page: &str, name: &str, table: &str) -> String {
    let (start, end) = (format!("<!-- {name} -->\n"), format!("<!-- end of {name} -->"));
    let (before, rest) = page.split_once(&start).expect("the page has the start mark");
    let (_, after) = rest.split_once(&end).expect("the page has the end mark");
    format!("{before}{start}{table}{end}{after}")
}

#[test]
fn the_page_lists_every_method() {
    let page = std::fs::read_to_string(PAGE).expect("the page can be read");
    let mut wanted = page.clone();
    for (name, table) in [("integers", integers()), ("floats", floats()), ("options", options())] {
        wanted = with_table(&wanted, name, &table);
    }
    if std::env::var_os("WOLFPATH_BLESS").is_some() {
        std::fs::write(PAGE, &wanted).expect("the page can be written");
    } else {
        assert!(
            page == wanted,
            "docs/methods.md is out of date: run WOLFPATH_BLESS=1 cargo test -p wolfpath-macros"
        );
    }
}

#[test]
fn ulps_are_those_of_methods() {
    for (name, ..) in ULPS {
        assert!(TABLE.iter().any(|method| method.on == On::Float && method.name == name), "{name}");
    }
}
