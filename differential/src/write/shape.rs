//! The shape of a random program: the type of its messages and its combiner, its folds, and which functions it has. A
//! shape never contradicts itself, so every program compiles.

use super::Writer;
use crate::choices::Chooser;
use crate::types::{DATA, Ty, U32, U64};

/// Combiners that combine arrays and structs field by field.
const BY_FIELD: [&str; 3] = ["Sum", "Or", "And"];

/// The declarations of a program. Its values and weights are `u64`.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub(super) message: Ty,
    /// The combiner; `None` if the program has its own `combine`.
    pub(super) combine: Option<String>,
    /// `true` if the combiner has a neutral message.
    pub(super) is_neutral: bool,
    /// The folds, and the type of their values.
    pub(super) aggregate: Option<(String, Ty)>,
    /// `true` if `start` has a random body.
    pub(super) starts: bool,
    /// `true` if `start` returns an `Option`.
    pub(super) optional: bool,
    /// `true` if every vertex sends.
    pub(super) all: bool,
    /// `true` if messages travel in both directions.
    pub(super) both: bool,
    pub(super) apply: bool,
    pub(super) changed: bool,
    pub(super) sends: bool,
    pub(super) halts: bool,
    pub(super) priority: bool,
    pub(super) finished: bool,
}

impl Shape {
    /// The shape of a program that has no functions but `start` and `edge`.
    pub(super) fn smallest() -> Shape {
        Shape {
            message: U64,
            combine: Some("Any".into()),
            is_neutral: false,
            aggregate: None,
            starts: false,
            optional: false,
            all: false,
            both: false,
            apply: false,
            changed: false,
            sends: false,
            halts: false,
            priority: false,
            finished: false,
        }
    }

    /// Returns the number of functions with random bodies.
    pub(super) fn functions(&self) -> usize {
        let edge = 1;
        let folds = usize::from(self.aggregate.is_some()) + usize::from(self.finished);
        let computing = usize::from(self.apply) + usize::from(self.combine.is_none());
        let others = [self.starts, self.changed, self.sends, self.halts, self.priority];
        edge + folds + computing + others.into_iter().filter(|&has| has).count()
    }

    /// Returns the type of `v.value` in `apply`.
    pub(super) fn before(&self) -> Ty {
        if self.optional { Ty::option(U64) } else { U64 }
    }

    /// Returns the type of the messages that `apply` takes.
    pub(super) fn incoming(&self) -> Ty {
        let always = self.is_neutral || !(self.all || self.halts);
        if always { self.message.clone() } else { Ty::option(self.message.clone()) }
    }
}

impl Writer<'_> {
    /// Chooses a shape, and writes the structs that it needs.
    pub(super) fn shape(&mut self) -> Shape {
        let (message, combine, is_neutral) = self.messages();
        let aggregate = self.folds();
        let all = self.choose.once_in(3);
        let (halts, priority) = match self.choose.below(3) {
            1 if !all => (true, false),
            2 if !all => (false, true),
            _ => (false, false),
        };
        let sends = self.choose.once_in(2);
        let is_pairwise = combine.as_ref().is_some_and(|combine| !combine.starts_with("MostFrequent"));
        let has_default = message == U64 && is_pairwise;
        Shape {
            starts: true,
            optional: self.choose.once_in(2),
            both: self.choose.once_in(3),
            apply: !has_default || self.choose.once_in(2),
            changed: (all || !sends) && self.choose.once_in(2),
            finished: aggregate.is_some() && self.choose.once_in(2),
            message,
            combine,
            is_neutral,
            aggregate,
            all,
            sends,
            halts,
            priority,
        }
    }

    /// Chooses the type of messages. Returns it with its combiner, and `true` if this has a neutral message.
    fn messages(&mut self) -> (Ty, Option<String>, bool) {
        let ways = if self.is_exact { 5 } else { 6 };
        let (ty, combine) = match self.choose.below(ways) {
            0 => {
                let number = foldable(&mut self.choose);
                let combine = self.leaf_combiner(&number);
                (number, combine.to_owned())
            }
            1 => {
                let (array, combine) = self.array();
                (array, combine.to_owned())
            }
            2 => {
                let combine = BY_FIELD[self.choose.below(3)];
                let fields = self.fields_for(combine);
                (self.message_struct(fields), combine.to_owned())
            }
            3 => {
                let (ty, combine, neutral) = self.combined_fields(true);
                return (ty, Some(combine), neutral);
            }
            4 => {
                let ty = [U64, U32][self.choose.below(2)].clone();
                let combine = format!("MostFrequent<{}>", ty.name());
                (ty, combine)
            }
            _ => {
                let (ty, ..) = self.combined_fields(false);
                return (ty, None, false);
            }
        };
        let is_neutral = BY_FIELD.contains(&&*combine);
        (ty, Some(combine), is_neutral)
    }

    /// Chooses an array, and a combiner for it.
    fn array(&mut self) -> (Ty, &'static str) {
        let combine = BY_FIELD[self.choose.below(3)];
        let of = match combine {
            "Sum" if !self.is_exact => number(&mut self.choose),
            "Sum" => Ty::Int(self.choose.below(DATA)),
            _ => bits(&mut self.choose),
        };
        (Ty::Array(Box::new(of), 1 + self.choose.below(3)), combine)
    }

    /// Chooses the fields of a struct that is combined by one combiner. They leave no padding.
    fn fields_for(&mut self, combine: &str) -> Vec<Ty> {
        let is_wide = self.choose.once_in(2);
        let mut fields = Vec::new();
        for _ in 0..1 + self.choose.below(3) {
            let kinds = match (combine, is_wide) {
                ("Sum", true) => [U64, Ty::Int(3), Ty::F64],
                ("Sum", false) => [U32, Ty::Int(2), Ty::F32],
                (_, true) => [U64, Ty::Int(3), Ty::Array(Box::new(U32), 2)],
                (_, false) => [U32, Ty::Int(2), Ty::Array(Box::new(Ty::Bool), 4)],
            };
            // The last one of those that are added is a float.
            let fitting = if self.is_exact && combine == "Sum" { 2 } else { 3 };
            fields.push(kinds[self.choose.below(fitting)].clone());
        }
        fields
    }

    /// Writes a struct with one combiner for each field. Returns it, the combiner `Fields`, and `true` if all of the
    /// combiners have a neutral message. If `nests`, a field may be such a struct itself.
    fn combined_fields(&mut self, nests: bool) -> (Ty, String, bool) {
        let is_wide = self.choose.once_in(2);
        let (mut fields, mut combiners, mut is_neutral) = (Vec::new(), Vec::new(), true);
        for _ in 0..1 + self.choose.below(3) {
            let array = match (is_wide, self.is_exact) {
                (true, true) => Ty::Array(Box::new(U64), 2),
                (true, false) => Ty::Array(Box::new(Ty::F64), 2),
                (false, _) => Ty::Array(Box::new(Ty::Bool), 4),
            };
            let kinds = match is_wide {
                true => [U64, Ty::Int(3), Ty::F64, array],
                false => [U32, Ty::Int(2), Ty::F32, array],
            };
            let field = kinds[self.choose.below(4)].clone();
            let combiner = self.leaf_combiner(&field);
            is_neutral &= BY_FIELD.contains(&combiner);
            fields.push(field);
            combiners.push(combiner.to_owned());
        }
        // A nested struct of wide fields comes first, because fields of 4 bytes may follow only in pairs.
        if nests && is_wide && self.choose.once_in(2) {
            let (ty, combiner, inner) = self.combined_fields(false);
            is_neutral &= inner;
            let at = if self.is_wide(&ty) { 0 } else { fields.len() };
            // Two equal structs of narrow fields fill whole words.
            for _ in 0..if at == 0 { 1 } else { 2 } {
                fields.insert(at, ty.clone());
                combiners.insert(at, combiner.clone());
            }
        }
        let one = if combiners.len() == 1 { "," } else { "" };
        (self.message_struct(fields), format!("Fields<({}{one})>", combiners.join(", ")), is_neutral)
    }

    /// Chooses a combiner for a number, a `bool`, or an array.
    fn leaf_combiner(&mut self, ty: &Ty) -> &'static str {
        let mut fitting: Vec<&str> = match ty {
            Ty::Bool => vec!["Or", "And"],
            Ty::Int(_) => vec!["Sum", "Min", "Max", "Or", "And", "Any"],
            Ty::Array(of, _) if of.is_float() => vec!["Sum", "Any"],
            Ty::Array(of, _) if of.is_int() => vec!["Sum", "Or", "And", "Any"],
            Ty::Array(..) => vec!["Or", "And", "Any"],
            _ => vec!["Min", "Max", "Sum", "Any"],
        };
        if self.is_exact {
            fitting.retain(|&combiner| combiner != "Any" && !(combiner == "Sum" && ty.is_float()));
        }
        fitting[self.choose.below(fitting.len())]
    }

    /// Returns `true` if the first field of a struct has 8 bytes.
    fn is_wide(&self, ty: &Ty) -> bool {
        let Ty::Struct(index) = ty else { return false };
        self.structs[*index].first().is_some_and(|first| match first {
            Ty::Int(0 | 3) | Ty::F64 => true,
            Ty::Array(of, _) => matches!(**of, Ty::Int(0) | Ty::F64),
            _ => false,
        })
    }

    fn message_struct(&mut self, fields: Vec<Ty>) -> Ty {
        let written: Vec<String> = fields.iter().map(Ty::name).collect();
        self.plain_struct(&written, fields)
    }

    /// Writes a struct with these fields.
    pub(super) fn plain_struct(&mut self, written: &[String], fields: Vec<Ty>) -> Ty {
        let index = self.structs.len();
        self.line("#[derive(Clone, Copy, Debug)]");
        self.line(format!("pub struct S{index} {{"));
        for (field, ty) in written.iter().enumerate() {
            self.line(format!("pub f{field}: {ty},"));
        }
        self.line("}");
        self.structs.push(fields);
        Ty::Struct(index)
    }

    /// Chooses no fold, one, a tuple of folds, or a struct of folds.
    fn folds(&mut self) -> Option<(String, Ty)> {
        let kind = self.choose.below(4);
        let count = match kind {
            0 => return None,
            1 => 1,
            2 => 2 + self.choose.below(3),
            _ => 1 + self.choose.below(4),
        };
        let (mut written, mut types) = (Vec::new(), Vec::new());
        for _ in 0..count {
            let ty = foldable(&mut self.choose);
            let fold = match self.leaf_combiner(&ty) {
                "Any" => "Max",
                fold => fold,
            };
            written.push(format!("{fold}<{}>", ty.name()));
            types.push(ty);
        }
        Some(match kind {
            1 => (written.remove(0), types.remove(0)),
            2 => (format!("({})", written.join(", ")), Ty::Tuple(types)),
            _ => {
                let ty = self.plain_struct(&written, types);
                (ty.name(), ty)
            }
        })
    }
}

/// Chooses a type of numbers that can be stored.
fn number(choose: &mut Chooser<'_>) -> Ty {
    match choose.below(DATA + 2) {
        DATA => Ty::F32,
        5 => Ty::F64,
        kind => Ty::Int(kind),
    }
}

/// Chooses an integer type that can be stored, or `bool`.
fn bits(choose: &mut Chooser<'_>) -> Ty {
    match choose.below(DATA + 1) {
        DATA => Ty::Bool,
        kind => Ty::Int(kind),
    }
}

/// Chooses a type that can be folded.
fn foldable(choose: &mut Chooser<'_>) -> Ty {
    if choose.once_in(5) { Ty::Bool } else { number(choose) }
}
