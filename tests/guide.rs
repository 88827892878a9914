//! That the guide shows the programs that the conformance suite runs, letter by letter.

#[test]
fn worked_programs_stand_in_the_guide() {
    let guide = include_str!("../docs/programming.md");
    let programs = include_str!("conformance/worked_programs.rs");
    let start = programs.find("/// The widest path").expect("the first program");
    // An item begins where a line of documentation follows an empty line at the margin.
    let items: Vec<&str> = programs[start..].split("\n\n/// ").collect();
    assert_eq!(items.len(), 10, "ten programs");
    for item in items {
        let item = item.trim_start_matches("/// ").trim_end();
        assert!(guide.contains(item), "docs/programming.md does not hold this program:\n{item}");
    }
}
