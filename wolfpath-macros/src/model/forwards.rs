//! Recognizes programs whose `edge` returns the sender's value unchanged for every edge. Such programs propagate labels,
//! and the engines can find their values by union-find. The check follows names, fields, blocks, `Some`, `return` and
//! calls of the module's functions. It understands nothing else, so every computation and every condition is declined.

use super::{Block, Bodies, Expr, ExprKind, Function, Pattern, Stmt, Ty};

/// Something that the check understands: it can be evaluated without effects and faults.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    Edge,
    /// The sender's value, or `Some` of it.
    Value,
    /// Another field of the edge.
    OtherField,
}

/// Returns `true` if `edge` returns the sender's value unchanged for every edge.
pub(super) fn forwards(bodies: &Bodies) -> bool {
    returned(&bodies.methods.edge, &[Known::Edge], bodies) == Some(Known::Value)
}

/// Returns what a function returns for these arguments; `None` if the check does not understand the function.
fn returned(function: &Function, arguments: &[Known], bodies: &Bodies) -> Option<Known> {
    let mut locals: Vec<_> = arguments.iter().copied().map(Some).collect();
    locals.resize(function.locals.len().max(arguments.len()), None);
    of_block(&function.body, &mut locals, bodies)
}

fn of_block(block: &Block, locals: &mut [Option<Known>], bodies: &Bodies) -> Option<Known> {
    let mut statements = block.statements.iter().peekable();
    while let Some(statement) = statements.next() {
        match statement {
            Stmt::Let(pattern, value) => {
                let value = of_expr(value, locals, bodies)?;
                bind(pattern, value, locals)?;
            }
            Stmt::Expr(value) if matches!(value.kind, ExprKind::Return(_)) && block.tail.is_none() => {
                return of_expr(value, locals, bodies).filter(|_| statements.peek().is_none());
            }
            _ => return None,
        }
    }
    of_expr(block.tail.as_ref()?, locals, bodies)
}

/// Binds the names of a pattern; `None` if the check does not understand the pattern.
fn bind(pattern: &Pattern, value: Known, locals: &mut [Option<Known>]) -> Option<()> {
    match pattern {
        Pattern::Wild => Some(()),
        Pattern::Bind(local, None) => {
            locals[*local] = Some(value);
            Some(())
        }
        Pattern::Struct(Ty::Edge, fields) if value == Known::Edge => {
            fields.iter().try_for_each(|(name, part)| bind(part, field(name), locals))
        }
        _ => None,
    }
}

/// Returns the field of an edge.
fn field(name: &proc_macro2::Ident) -> Known {
    if name == "value" { Known::Value } else { Known::OtherField }
}

fn of_expr(expr: &Expr, locals: &mut [Option<Known>], bodies: &Bodies) -> Option<Known> {
    match &expr.kind {
        ExprKind::Local(local) => locals[*local],
        ExprKind::Field(base, name) => match of_expr(base, locals, bodies)? {
            Known::Edge => Some(field(name)),
            _ => None,
        },
        ExprKind::Some(value) | ExprKind::Return(value) => of_expr(value, locals, bodies),
        ExprKind::Block(block) => of_block(block, locals, bodies),
        ExprKind::Call(function, arguments) => {
            let arguments = arguments.iter().map(|argument| of_expr(argument, locals, bodies));
            let arguments: Vec<_> = arguments.collect::<Option<_>>()?;
            returned(&bodies.functions[*function], &arguments, bodies)
        }
        _ => None,
    }
}
