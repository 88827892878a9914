//! Emits constant arrays of plain numbers. They become tables in device memory, which programs read without copying
//! them. Any other constant becomes a function, since it may call other constants and functions.

use super::text::{self, Text};
use super::{constant_name, type_name};
use crate::model::{Const, Expr, ExprKind, Program, Ty, UnaryOp};

/// Maximum length of a `[value; N]` that is written out.
const WRITTEN_OUT: u64 = 256;

/// Returns `true` if the constant becomes a table.
pub(super) fn is_table(item: &Const, program: &Program) -> bool {
    value(item).is_some_and(|value| plain(value, program).is_some())
}

/// Writes the table, and a function with the constant's name that returns a reference to it.
pub(super) fn table(text: &mut Text, item: &Const, program: &Program) {
    let Some(plain) = value(item).and_then(|value| plain(value, program)) else { return };
    let (ty, name) = (type_name(&item.body.output, program), constant_name(item, program));
    text.at_user(item.name.span());
    text.line(format!("WP_DATA {ty} {name}_data = {plain};"));
    text.line(format!("WP_FN const {ty}& {name}(wp::Context&) {{ return {name}_data; }}"));
    text.blank();
}

fn value(item: &Const) -> Option<&Expr> {
    let is_array = matches!(item.body.output, Ty::Array(..));
    item.body.body.tail.as_deref().filter(|_| is_array && item.body.body.statements.is_empty())
}

/// Returns the text of a value that C++ can evaluate at compile time; `None` for all other values.
fn plain(expr: &Expr, program: &Program) -> Option<String> {
    let text = match &expr.kind {
        ExprKind::Bool(value) => value.to_string(),
        ExprKind::Int(magnitude, sign) => text::int(*magnitude, *sign, &expr.ty),
        ExprKind::Float(digits) => text::float(digits, &expr.ty),
        ExprKind::NumberConst(name) => text::number_const(name, &expr.ty),
        ExprKind::Unary(UnaryOp::Neg, inner, None) => format!("-{}", plain(inner, program)?),
        ExprKind::Block(block) if block.statements.is_empty() => plain(block.tail.as_deref()?, program)?,
        ExprKind::Array(parts) => elements(&expr.ty, parts.iter().map(|part| plain(part, program)), program)?,
        ExprKind::Repeat(value) => {
            let Ty::Array(_, length) = expr.ty else { return None };
            let value = plain(value, program)?;
            let times = usize::try_from(length).ok().filter(|_| length <= WRITTEN_OUT)?;
            elements(&expr.ty, std::iter::repeat_n(Some(value), times), program)?
        }
        _ => return None,
    };
    // C++ cannot evaluate the functions that convert bits to a float at compile time.
    (!text.contains("rust::")).then_some(text)
}

fn elements(ty: &Ty, parts: impl Iterator<Item = Option<String>>, program: &Program) -> Option<String> {
    let parts: Vec<String> = parts.collect::<Option<_>>()?;
    Some(format!("{}{{{{{}}}}}", type_name(ty, program), parts.join(", ")))
}
