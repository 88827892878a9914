//! Tests that every list of choices yields a program, and always the same one.

use proptest::prelude::*;
use wolfpath_differential::{choices, combined, draw, exact_program, program};

/// Returns `true` if the text has as many opening as closing brackets of each kind.
fn is_balanced(text: &str) -> bool {
    [('{', '}'), ('(', ')'), ('[', ']')]
        .iter()
        .all(|(open, close)| text.matches(*open).count() == text.matches(*close).count())
}

proptest! {
    #[test]
    fn every_list_is_a_program(list in choices(200)) {
        let text = program(&list, "p");
        prop_assert!(is_balanced(&text), "{}", text);
        prop_assert_eq!(&text, &program(&list, "p"));
        prop_assert!(text.contains("fn edge(&self"));
    }

    #[test]
    fn exact_programs_do_not_depend_on_the_order(list in choices(200)) {
        let text = exact_program(&list, "p");
        prop_assert!(is_balanced(&text), "{}", text);
        let inexact = ["fn combine(", "Any", "Sum<f32>", "Sum<f64>"];
        prop_assert!(inexact.iter().all(|inexact| !text.contains(inexact)), "{}", text);
    }
}

/// Every function of `EdgeProgram` and every kind of fold and combiner occurs in some program.
#[test]
fn programs_have_every_function() {
    let programs: Vec<String> = draw(1, 0, 300, 160).iter().map(|list| program(list, "p")).collect();
    let constructs = [
        "fn apply(",
        "fn combine(",
        "fn changed(",
        "fn sends(",
        "fn halts(",
        "fn priority(",
        "fn aggregate(",
        "fn finished(",
        "Senders::All",
        "Along::Both",
        "type Aggregate = (",
        "type Aggregate = S",
        "Fields<(",
        "Fields<(Fields<(",
        "MostFrequent<",
        "= v.before",
        "= v.level",
        "= e.step",
        "= e.aggregate",
        "= e.place",
        "= e.forward",
        "v.value_at(",
        "random(",
    ];
    for construct in constructs {
        assert!(programs.iter().any(|text| text.contains(construct)), "no program has `{construct}`");
    }
}

#[test]
fn no_choices_are_the_smallest_program() {
    let smallest = program(&[], "p");
    assert!(draw(3, 0, 20, 160).iter().all(|list| program(list, "p").len() >= smallest.len()));
}

#[test]
fn a_seed_draws_the_same_programs_again() {
    assert_eq!(draw(7, 2, 5, 80), draw(7, 2, 5, 80));
    assert_ne!(draw(7, 2, 5, 80), draw(8, 2, 5, 80));
    assert!(is_balanced(&combined(&draw(7, 0, 5, 80), "p")));
}
