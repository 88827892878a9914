//! Compares the errors that `#[edge_program]` reports for invalid programs with golden files, which are beside the
//! programs in `tests/macro_errors/`. `TRYBUILD=overwrite cargo test --test macro_errors` rewrites the files.

#[test]
fn refusals() {
    trybuild::TestCases::new().compile_fail("tests/macro_errors/**/*.rs");
}
