//! The operators of the language: how Rust writes them, what they become, and how they fault.

use syn::BinOp;

use super::Int;
use crate::methods::{ADD, DIV, DIV_ZERO, MUL, NEG, REM, REM_ZERO};

/// The kinds of operators with two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Binary(BinaryOp),
    /// A compound assignment.
    Assigning(BinaryOp),
    Logic(LogicOp),
}

impl Operator {
    /// Returns the operator that is written so, if the language has it.
    pub(crate) fn of(written: &BinOp) -> Option<Operator> {
        use Operator::{Assigning, Binary, Logic};
        Some(match written {
            BinOp::Add(_) => Binary(BinaryOp::Add),
            BinOp::Sub(_) => Binary(BinaryOp::Sub),
            BinOp::Mul(_) => Binary(BinaryOp::Mul),
            BinOp::Div(_) => Binary(BinaryOp::Div),
            BinOp::Rem(_) => Binary(BinaryOp::Rem),
            BinOp::BitAnd(_) => Binary(BinaryOp::BitAnd),
            BinOp::BitOr(_) => Binary(BinaryOp::BitOr),
            BinOp::BitXor(_) => Binary(BinaryOp::BitXor),
            BinOp::Shl(_) => Binary(BinaryOp::Shl),
            BinOp::Shr(_) => Binary(BinaryOp::Shr),
            BinOp::Eq(_) => Binary(BinaryOp::Eq),
            BinOp::Ne(_) => Binary(BinaryOp::Ne),
            BinOp::Lt(_) => Binary(BinaryOp::Lt),
            BinOp::Le(_) => Binary(BinaryOp::Le),
            BinOp::Gt(_) => Binary(BinaryOp::Gt),
            BinOp::Ge(_) => Binary(BinaryOp::Ge),
            BinOp::AddAssign(_) => Assigning(BinaryOp::Add),
            BinOp::SubAssign(_) => Assigning(BinaryOp::Sub),
            BinOp::MulAssign(_) => Assigning(BinaryOp::Mul),
            BinOp::DivAssign(_) => Assigning(BinaryOp::Div),
            BinOp::RemAssign(_) => Assigning(BinaryOp::Rem),
            BinOp::BitAndAssign(_) => Assigning(BinaryOp::BitAnd),
            BinOp::BitOrAssign(_) => Assigning(BinaryOp::BitOr),
            BinOp::BitXorAssign(_) => Assigning(BinaryOp::BitXor),
            BinOp::ShlAssign(_) => Assigning(BinaryOp::Shl),
            BinOp::ShrAssign(_) => Assigning(BinaryOp::Shr),
            BinOp::And(_) => Logic(LogicOp::And),
            BinOp::Or(_) => Logic(LogicOp::Or),
            _ => return None,
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnaryOp {
    Neg,
    Not,
}

impl UnaryOp {
    /// Returns what Rust says when the operator panics on a signed integer, one message per site.
    pub(crate) fn faults(self) -> &'static [&'static str] {
        match self {
            UnaryOp::Neg => &[NEG],
            UnaryOp::Not => &[],
        }
    }
}

/// The operators that may skip their right side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogicOp {
    And,
    Or,
}

impl LogicOp {
    /// Returns the operator, which Rust and C++ write alike.
    pub(crate) fn symbol(self) -> &'static str {
        match self {
            LogicOp::And => "&&",
            LogicOp::Or => "||",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl BinaryOp {
    pub(crate) fn is_comparison(self) -> bool {
        matches!(
            self,
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge
        )
    }

    pub(crate) fn is_shift(self) -> bool {
        matches!(self, BinaryOp::Shl | BinaryOp::Shr)
    }

    pub(crate) fn is_bitwise(self) -> bool {
        matches!(self, BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor)
    }

    /// Returns the operator in Rust and in C++ alike.
    pub(crate) fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitOr => "|",
            BinaryOp::BitXor => "^",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
        }
    }

    /// Returns the function of `wolfpath::twin` and of rust.cuh that does this to integers with Rust's faults.
    pub(crate) fn function(self) -> Option<&'static str> {
        Some(match self {
            BinaryOp::Add => "add",
            BinaryOp::Sub => "sub",
            BinaryOp::Mul => "mul",
            BinaryOp::Div => "div",
            BinaryOp::Rem => "rem",
            BinaryOp::Shl => "shl",
            BinaryOp::Shr => "shr",
            _ => return None,
        })
    }

    /// Returns what Rust says when the operator panics on integers of this type, one message per site.
    pub(crate) fn faults(self, int: Int) -> &'static [&'static str] {
        match self {
            BinaryOp::Add => &[ADD],
            BinaryOp::Sub => &["attempt to subtract with overflow"],
            BinaryOp::Mul => &[MUL],
            BinaryOp::Div if int.is_signed() => &[DIV_ZERO, DIV],
            BinaryOp::Div => &[DIV_ZERO],
            BinaryOp::Rem if int.is_signed() => &[REM_ZERO, REM],
            BinaryOp::Rem => &[REM_ZERO],
            BinaryOp::Shl => &["attempt to shift left with overflow"],
            BinaryOp::Shr => &["attempt to shift right with overflow"],
            _ => &[],
        }
    }
}
