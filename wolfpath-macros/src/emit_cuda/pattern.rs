//! Emits patterns as CUDA C: a test of a value, and declarations of names for its parts. A value is accessed by a
//! *path*: the name of a place or temporary, followed by fields.

use super::body::{Body, Target};
use super::place::field_of;
use crate::model::{Arm, Expr, ExprKind, Int, Limits, Pattern, Ty};

impl Body<'_> {
    /// Returns the path of a value: its place, or a temporary for it.
    pub(super) fn path_of(&mut self, value: &Expr) -> String {
        let text = self.value(value);
        self.kept(value, text)
    }

    pub(super) fn let_statement(&mut self, pattern: &Pattern, value: &Expr) {
        self.text.at_user(value.span);
        match pattern {
            Pattern::Bind(id, None) => {
                let text = self.value(value);
                self.text.at_user(value.span);
                self.declare(*id, &text);
            }
            Pattern::Wild => self.emit(value, &Target::Discard),
            _ => {
                let path = self.path_of(value);
                self.bind(pattern, &path);
            }
        }
    }

    /// Returns the test of whether the value at this path matches; `None` if every value matches.
    pub(super) fn test(&mut self, pattern: &Pattern, path: &str) -> Option<String> {
        match pattern {
            Pattern::Wild | Pattern::Bind(_, None) => None,
            Pattern::Bind(_, Some(inner)) | Pattern::Behind(_, inner) => self.test(inner, path),
            Pattern::Equal(value) => Some(self.equals(value, path)),
            Pattern::Range(first, end) => self.in_range(first.as_deref(), end.as_ref(), path),
            Pattern::Some(inner) => {
                let inner = self.test(inner, &format!("{path}.value"));
                all(vec![Some(format!("{path}.some")), inner])
            }
            Pattern::None => Some(format!("!{path}.some")),
            Pattern::Variant(index, variant) => {
                let (name, number) = &self.program.interface.enums[*index].variants[*variant];
                Some(format!("{path} == {number}u /* {name} */"))
            }
            Pattern::Or(parts) => {
                let mut tests = Vec::new();
                for part in parts {
                    tests.push(format!("({})", self.test(part, path)?));
                }
                Some(tests.join(" || "))
            }
            Pattern::Tuple(_) | Pattern::Array(_) | Pattern::Struct(..) => {
                let tests =
                    parts_of(pattern, path).into_iter().map(|(part, path)| self.test(part, &path)).collect();
                all(tests)
            }
        }
    }

    fn equals(&mut self, value: &Expr, path: &str) -> String {
        match value.kind {
            ExprKind::Bool(true) => path.to_owned(),
            ExprKind::Bool(false) => format!("!{path}"),
            _ => {
                let text = self.value(value);
                self.binary(crate::model::BinaryOp::Eq, &[path.to_owned(), text], None, &value.ty)
            }
        }
    }

    fn in_range(
        &mut self,
        first: Option<&Expr>,
        end: Option<&(Box<Expr>, Limits)>,
        path: &str,
    ) -> Option<String> {
        // No unsigned number is below zero, so this test is omitted; the compiler would warn about it.
        let first = first.filter(|first| !is_smallest(first)).map(|first| {
            let first = self.value(first);
            format!("{path} >= {}", Self::operand(first))
        });
        let end = end.map(|(end, limits)| {
            let end = self.value(end);
            format!("{path} {} {}", limits.comparison().symbol(), Self::operand(end))
        });
        all(vec![first, end])
    }

    /// Declares the names of a pattern that matches the value at this path.
    pub(super) fn bind(&mut self, pattern: &Pattern, path: &str) {
        for (id, path) in self.bindings(pattern, path) {
            self.declare(id, &path);
        }
    }

    /// Returns the locals that a pattern binds, with the path of each.
    fn bindings(&mut self, pattern: &Pattern, path: &str) -> Vec<(usize, String)> {
        match pattern {
            Pattern::Bind(id, inner) => {
                let mut found = vec![(*id, path.to_owned())];
                found.extend(inner.iter().flat_map(|inner| self.bindings(inner, path)));
                found
            }
            Pattern::Some(inner) => self.bindings(inner, &format!("{path}.value")),
            Pattern::Behind(_, inner) => self.bindings(inner, path),
            Pattern::Or(parts) => self.alternatives(parts, path),
            Pattern::Tuple(_) | Pattern::Array(_) | Pattern::Struct(..) => parts_of(pattern, path)
                .into_iter()
                .flat_map(|(part, path)| self.bindings(part, &path))
                .collect(),
            Pattern::Wild | Pattern::Equal(_) | Pattern::Range(..) | Pattern::None | Pattern::Variant(..) => {
                Vec::new()
            }
        }
    }

    /// Returns the bindings of alternatives. Each name refers to the first alternative that matches.
    fn alternatives(&mut self, parts: &[Pattern], path: &str) -> Vec<(usize, String)> {
        let Some((first, rest)) = parts.split_first() else { return Vec::new() };
        let found = self.bindings(first, path);
        if found.is_empty() || rest.is_empty() {
            return found;
        }
        let Some(test) = self.test(first, path) else { return found };
        let others = self.alternatives(rest, path);
        let other = |id: usize| others.iter().find(|(known, _)| *known == id).map(|(_, path)| path.clone());
        found
            .into_iter()
            .map(|(id, path)| {
                let other = other(id).unwrap_or_else(|| path.clone());
                (id, format!("(({test}) ? {path} : {other})"))
            })
            .collect()
    }

    pub(super) fn match_statement(&mut self, value: &Expr, arms: &[Arm], expr: &Expr, target: &Target) {
        self.text.at_user(expr.span);
        let path = self.path_of(value);
        if let [Arm { pattern, guard: None, body }] = arms {
            self.text.open("{");
            self.bind(pattern, &path);
            self.emit(body, target);
            return self.text.close("}");
        }
        self.arms(&path, arms, target, Behind::Nothing);
    }

    /// Writes the arms of a `match`, recursively.
    fn arms(&mut self, path: &str, arms: &[Arm], target: &Target, behind: Behind) {
        let chained = behind == Behind::OpenIf;
        let Some((arm, rest)) = arms.split_first() else {
            if chained {
                self.text.close("}");
            }
            return self.never_here(target);
        };
        // rustc has checked that the arms cover every value, so the last arm needs no test.
        if rest.is_empty() && arm.guard.is_none() && chained {
            self.text.at_before();
            self.text.reopen("} else {");
            self.bind(&arm.pattern, path);
            self.emit(&arm.body, target);
            return self.text.close("}");
        }
        let simple = self.has_simple_guard(arm);
        if chained && !simple {
            self.text.at_before();
            self.text.reopen("} else {");
        }
        let condition = self.arm_condition(arm, path);
        self.text.at_user(arm.body.span);
        if chained && simple {
            self.text.reopen(format!("}} else if ({condition}) {{"));
        } else {
            self.text.open(format!("if ({condition}) {{"));
        }
        self.bind(&arm.pattern, path);
        self.emit(&arm.body, target);
        self.arms(path, rest, target, Behind::OpenIf);
        if chained && !simple {
            self.text.close("}");
        }
    }

    /// Returns `true` if the arm has no guard, or a guard that is an expression.
    fn has_simple_guard(&self, arm: &Arm) -> bool {
        arm.guard.as_ref().is_none_or(|guard| self.is_simple(guard))
    }

    /// Returns the condition under which the arm is taken. In a guard that is an expression, the arm's names are
    /// replaced with their paths. A guard that needs statements is in a separate block, in which the names are locals.
    fn arm_condition(&mut self, arm: &Arm, path: &str) -> String {
        let test = self.test(&arm.pattern, path);
        let Some(guard) = &arm.guard else { return test.unwrap_or_else(|| "true".to_owned()) };
        if self.has_simple_guard(arm) {
            let before = self.names.clone();
            for (id, path) in self.bindings(&arm.pattern, path) {
                self.names[id] = path;
            }
            let guard = self.value(guard);
            self.names = before;
            return all(vec![test, Some(guard)]).unwrap_or_default();
        }
        let taken = self.temporary();
        self.text.line(format!("bool {taken} = false;"));
        self.text.open(format!("if ({}) {{", test.unwrap_or_else(|| "true".to_owned())));
        self.bind(&arm.pattern, path);
        self.emit(guard, &Target::Assign(taken.clone()));
        self.text.close("}");
        taken
    }
}

/// The text before an arm of a `match`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Behind {
    Nothing,
    /// The `if` of the previous arm, whose braces are still open.
    OpenIf,
}

/// Returns the parts of a tuple, array or struct pattern, each with its path.
fn parts_of<'p>(pattern: &'p Pattern, path: &str) -> Vec<(&'p Pattern, String)> {
    let numbered = |parts: &'p [Pattern], before: &str, after: &str| {
        let at = |(index, part)| (part, format!("{path}{before}{index}{after}"));
        parts.iter().enumerate().map(at).collect()
    };
    match pattern {
        Pattern::Tuple(parts) => numbered(parts, "._", ""),
        Pattern::Array(parts) => numbered(parts, ".at[", "]"),
        Pattern::Struct(of, fields) => {
            fields.iter().map(|(name, part)| (part, field_of(path.to_owned(), of, name))).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the tests joined by `&&`; `None` if there are none.
fn all(tests: Vec<Option<String>>) -> Option<String> {
    let tests: Vec<String> = tests.into_iter().flatten().collect();
    match tests.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        _ => Some(tests.iter().map(|test| Body::operand(test.clone())).collect::<Vec<_>>().join(" && ")),
    }
}

/// Returns `true` if a number is zero of an unsigned type, its smallest value.
fn is_smallest(number: &Expr) -> bool {
    match (&number.kind, &number.ty) {
        (ExprKind::Int(0, _), Ty::Int(int)) => !Int::is_signed(*int),
        (ExprKind::NumberConst("MIN"), Ty::Int(int)) => !Int::is_signed(*int),
        _ => false,
    }
}
