//! Tests that the page of `EdgeProgram` lists every item of the trait.

use std::collections::BTreeSet;

/// Returns the text after the prefix `between.0`, up to the next character in `between.1`, for every line that starts
/// with that prefix.
fn names<'t>(text: &'t str, between: (&str, &[char])) -> BTreeSet<&'t str> {
    let rest = text.lines().filter_map(|line| line.strip_prefix(between.0));
    rest.filter_map(|rest| rest.split(between.1).next()).collect()
}

#[test]
fn the_page_lists_every_item() {
    let source = include_str!("edge_program.rs");
    let (page, items) = source.split_once("\npub trait EdgeProgram").expect("the trait is in this file");
    let ends: &[char] = &[':', '(', '<', ';'];
    let declared: BTreeSet<&str> = ["    type ", "    const ", "    fn "]
        .into_iter()
        .flat_map(|keyword| names(items.split("\n}\n").next().unwrap_or_default(), (keyword, ends)))
        .collect();
    assert_eq!(declared.len(), 23, "{declared:?}");
    for item in declared {
        assert!(
            page.contains(&format!("(Self::{item})")),
            "the page of `EdgeProgram` does not list `{item}`"
        );
    }
}
