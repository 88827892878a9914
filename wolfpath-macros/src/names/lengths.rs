//! Numbers that must be known while the macro runs: the lengths of arrays, the numbers of an enum's variants.

use syn::{BinOp, Expr, Lit};

use super::Names;
use crate::parse::peel;

/// How many constants may be looked up for one number; more is a constant that needs itself, which rustc reports.
const DEPTH: usize = 64;

impl Names {
    /// The number that a literal, a constant of the module, or plain arithmetic of these stands for.
    pub(super) fn number(&self, expr: &Expr) -> Option<u128> {
        self.evaluate(expr, DEPTH)
    }

    /// The number of turns of a range whose ends are known, when they are.
    pub(crate) fn turns(&self, first: &Expr, end: &Expr) -> Option<u128> {
        Some(self.number(end)?.saturating_sub(self.number(first)?))
    }

    fn evaluate(&self, expr: &Expr, depth: usize) -> Option<u128> {
        match peel(expr) {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Int(int) => int.base10_parse().ok(),
                _ => None,
            },
            Expr::Path(path) => {
                let name = &path.path.segments.last()?.ident;
                let mut known = self.values.iter().filter(|(known, _)| known == name);
                match (depth.checked_sub(1), known.next(), known.next()) {
                    (Some(depth), Some((_, value)), None) => self.evaluate(value, depth),
                    _ => None,
                }
            }
            Expr::Cast(cast) => self.evaluate(&cast.expr, depth),
            Expr::Binary(binary) => {
                let (left, right) =
                    (self.evaluate(&binary.left, depth)?, self.evaluate(&binary.right, depth)?);
                match binary.op {
                    BinOp::Add(_) => left.checked_add(right),
                    BinOp::Sub(_) => left.checked_sub(right),
                    BinOp::Mul(_) => left.checked_mul(right),
                    BinOp::Div(_) => left.checked_div(right),
                    BinOp::Shl(_) => left.checked_shl(u32::try_from(right).ok()?),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}
