//! Checks that docs/programs.md shows the programs that the conformance suite runs, character by character.

#[test]
fn the_documented_programs_are_the_tested_ones() {
    let page = include_str!("../docs/programs.md");
    let programs = include_str!("conformance/worked_programs.rs");
    let start = programs.find("/// Width of the widest path").expect("the first program");
    // A program begins after an empty line, with an unindented documentation comment.
    let items: Vec<&str> = programs[start..].split("\n\n/// ").collect();
    assert_eq!(items.len(), 10, "ten programs");
    for item in items {
        let item = item.trim_start_matches("/// ").trim_end();
        assert!(page.contains(item), "docs/programs.md does not contain this program:\n{item}");
    }
}
