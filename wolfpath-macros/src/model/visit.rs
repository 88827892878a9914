//! Walks over the expressions of a body.

use super::{Arm, Block, Condition, Expr, ExprKind, LoopKind, Pattern, Range, RangeAdapter, Stmt};

/// Sees every expression of a tree, parents first.
pub(crate) fn visit(expr: &Expr, see: &mut dyn FnMut(&Expr)) {
    see(expr);
    match &expr.kind {
        ExprKind::Unary(_, inner, _)
        | ExprKind::Cast(inner)
        | ExprKind::Field(inner, _)
        | ExprKind::Part(inner, _)
        | ExprKind::Some(inner)
        | ExprKind::Repeat(inner)
        | ExprKind::Borrow(_, inner)
        | ExprKind::Deref(inner)
        | ExprKind::Try(inner)
        | ExprKind::Return(inner) => visit(inner, see),
        ExprKind::Binary(_, left, right, _)
        | ExprKind::AssignOp(_, left, right, _)
        | ExprKind::Logic(_, left, right)
        | ExprKind::Index(left, right, _)
        | ExprKind::Input(_, left, right)
        | ExprKind::Assign(left, right) => {
            visit(left, see);
            visit(right, see);
        }
        ExprKind::Call(_, parts)
        | ExprKind::Method(_, parts, ..)
        | ExprKind::Tuple(parts)
        | ExprKind::Array(parts) => {
            parts.iter().for_each(|part| visit(part, see));
        }
        ExprKind::Struct(_, fields, rest) => {
            fields.iter().for_each(|(_, value)| visit(value, see));
            rest.iter().for_each(|rest| visit(rest, see));
        }
        ExprKind::If(conditions, then, otherwise) => {
            visit_conditions(conditions, see);
            visit_block(then, see);
            otherwise.iter().for_each(|otherwise| visit(otherwise, see));
        }
        ExprKind::Match(value, arms) => {
            visit(value, see);
            arms.iter().for_each(|arm| visit_arm(arm, see));
        }
        ExprKind::Block(block) | ExprKind::Labelled(_, block) => visit_block(block, see),
        ExprKind::Loop(_, kind, body, _) => {
            visit_loop(kind, see);
            visit_block(body, see);
        }
        ExprKind::Break(_, value) => value.iter().for_each(|value| visit(value, see)),
        ExprKind::Unit
        | ExprKind::Bool(_)
        | ExprKind::Int(..)
        | ExprKind::Float(_)
        | ExprKind::NumberConst(_)
        | ExprKind::Checked
        | ExprKind::Local(_)
        | ExprKind::Params
        | ExprKind::Const(_)
        | ExprKind::Variant(..)
        | ExprKind::Continue(_)
        | ExprKind::Fault(..)
        | ExprKind::None
        | ExprKind::Error => {}
    }
}

/// Sees every expression of a block.
pub(crate) fn visit_block(block: &Block, see: &mut dyn FnMut(&Expr)) {
    for statement in &block.statements {
        match statement {
            Stmt::Let(pattern, value) => {
                visit_pattern(pattern, see);
                visit(value, see);
            }
            Stmt::LetElse(pattern, value, otherwise) => {
                visit_pattern(pattern, see);
                visit(value, see);
                visit_block(otherwise, see);
            }
            Stmt::Expr(value) => visit(value, see),
            Stmt::Declare(_) => {}
        }
    }
    block.tail.iter().for_each(|tail| visit(tail, see));
}

fn visit_conditions(conditions: &[Condition], see: &mut dyn FnMut(&Expr)) {
    for condition in conditions {
        match condition {
            Condition::Is(value) => visit(value, see),
            Condition::Let(pattern, value) => {
                visit_pattern(pattern, see);
                visit(value, see);
            }
        }
    }
}

fn visit_arm(arm: &Arm, see: &mut dyn FnMut(&Expr)) {
    visit_pattern(&arm.pattern, see);
    arm.guard.iter().for_each(|guard| visit(guard, see));
    visit(&arm.body, see);
}

fn visit_loop(kind: &LoopKind, see: &mut dyn FnMut(&Expr)) {
    match kind {
        LoopKind::Forever => {}
        LoopKind::While(conditions) => visit_conditions(conditions, see),
        LoopKind::Over(pattern, range) => {
            visit_pattern(pattern, see);
            visit_range(range, see);
        }
        LoopKind::Each(number, pattern, array, _) => {
            number.iter().for_each(|number| visit_pattern(number, see));
            visit_pattern(pattern, see);
            visit(array, see);
        }
    }
}

fn visit_range(range: &Range, see: &mut dyn FnMut(&Expr)) {
    visit(&range.first, see);
    visit(&range.end, see);
    for adapter in &range.adapters {
        if let RangeAdapter::StepBy(width, _) = adapter {
            visit(width, see);
        }
    }
}

/// Sees the constants that a pattern compares with.
fn visit_pattern(pattern: &Pattern, see: &mut dyn FnMut(&Expr)) {
    match pattern {
        Pattern::Equal(value) => visit(value, see),
        Pattern::Range(first, end) => {
            first.iter().for_each(|first| visit(first, see));
            end.iter().for_each(|(end, _)| visit(end, see));
        }
        Pattern::Bind(_, Some(inner)) | Pattern::Some(inner) | Pattern::Behind(_, inner) => {
            visit_pattern(inner, see)
        }
        Pattern::Tuple(parts) | Pattern::Array(parts) | Pattern::Or(parts) => {
            parts.iter().for_each(|part| visit_pattern(part, see));
        }
        Pattern::Struct(_, fields) => fields.iter().for_each(|(_, part)| visit_pattern(part, see)),
        Pattern::Wild | Pattern::Bind(_, None) | Pattern::None | Pattern::Variant(..) => {}
    }
}
