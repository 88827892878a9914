//! Aliases for the model in the phase `Inferred`, for `names` and `infer`.

use super::Inferred;

pub(crate) type Arm = super::Arm<Inferred>;
pub(crate) type Block = super::Block<Inferred>;
pub(crate) type Bodies = super::Bodies<Inferred>;
pub(crate) type Condition = super::Condition<Inferred>;
pub(crate) type Const = super::Const<Inferred>;
pub(crate) type Expr = super::Expr<Inferred>;
pub(crate) type ExprKind = super::ExprKind<Inferred>;
pub(crate) type Field = super::Field<Inferred>;
pub(crate) type Function = super::Function<Inferred>;
pub(crate) type Local = super::Local<Inferred>;
pub(crate) type LoopKind = super::LoopKind<Inferred>;
pub(crate) type Methods = super::Methods<Inferred>;
pub(crate) type Pattern = super::Pattern<Inferred>;
pub(crate) type Range = super::Range<Inferred>;
pub(crate) type RangeAdapter = super::RangeAdapter<Inferred>;
pub(crate) type Stmt = super::Stmt<Inferred>;
pub(crate) type Struct = super::Struct<Inferred>;
pub(crate) type Ty = super::Ty<Inferred>;
