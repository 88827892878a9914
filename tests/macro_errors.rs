//! What `#[edge_program]` refuses, and how it says so: a golden file beside each program in `tests/macro_errors/`.
//! `TRYBUILD=overwrite cargo test --test macro_errors` writes them anew.

#[test]
fn refusals() {
    trybuild::TestCases::new().compile_fail("tests/macro_errors/**/*.rs");
}
