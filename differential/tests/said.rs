//! Tests which messages of panics correspond to the message of a fault.

#[path = "../harness/said.rs"]
mod said;

use said::is_said;

#[test]
fn words_are_compared_exactly() {
    assert!(is_said("attempt to divide by zero", "attempt to divide by zero"));
    assert!(!is_said("attempt to divide by zero or so", "attempt to divide by zero"));
    assert!(!is_said("attempt to add, with overflow", "attempt to add with overflow"));
    assert!(!is_said("a-b", "ab"));
    assert!(!is_said("", "explicit panic"));
}

#[test]
fn assertions_may_be_laid_out_anew() {
    assert!(is_said("assertion failed: a ==\n    (b + 1)", "assertion failed: a == (b + 1)"));
    let written = "assertion failed: match a { 0 => { true }, _ => b }";
    assert!(is_said("assertion failed: match a {\n    0 => { true }\n    _ => b,\n}", written));
    assert!(!is_said("assertion failed: f(a b)", "assertion failed: f(a, b)"));
    assert!(!is_said("assertion failed: a != (b + 1)", "assertion failed: a == (b + 1)"));
    assert!(!is_said("assertion failed: a == b + 1", "assertion failed: a == b"));
}

#[test]
fn panics_add_the_values_they_met() {
    let bounds = "index out of bounds: the len is 3";
    assert!(is_said("index out of bounds: the len is 3 but the index is 7", bounds));
    assert!(!is_said("index out of bounds: the len is 31 but the index is 7", bounds));
    assert!(is_said("min > max. min = 59, max = 10", "min > max"));
    assert!(is_said("assertion failed: min <= max", "min > max"));
    assert!(!is_said("min > max", "min > max, or either was NaN"));
    let equal = "assertion `left == right` failed: a word";
    assert!(is_said("assertion `left == right` failed: a word\n  left: 1\n right: 2", equal));
    assert!(!is_said("assertion `left == right` failed: a word of more\n  left: 1\n right: 2", equal));
}
