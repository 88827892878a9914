//! The operators of the language: their form in Rust, their device functions, and their faults.

use syn::BinOp;

use super::Int;
use crate::methods::{ADD, DIV, DIV_ZERO, MUL, NEG, REM, REM_ZERO};

/// An operator with two operands, by kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Binary(BinaryOp),
    /// A compound assignment.
    Assigning(BinaryOp),
    Logic(LogicOp),
}

impl Operator {
    /// Returns the operator for a token of Rust, if the language has it.
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
    /// Returns the panic messages for the operator on a signed integer, as Rust words them, one per fault site.
    pub(crate) fn faults(self) -> &'static [&'static str] {
        match self {
            UnaryOp::Neg => &[NEG],
            UnaryOp::Not => &[],
        }
    }
}

/// An operator that may skip its right operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogicOp {
    And,
    Or,
}

impl LogicOp {
    /// Returns the operator's symbol, which is the same in Rust and C++.
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

    /// Returns the operator's symbol, which is the same in Rust and C++.
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

    /// Returns the name of the function (the same in `wolfpath::twin` and rust.cuh) that applies the operator to
    /// integers and faults where Rust panics.
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

    /// Returns the panic messages for the operator on integers of this type, as Rust words them, one per fault site.
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
