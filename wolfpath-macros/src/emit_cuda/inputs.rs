//! Reading an input on the device: functions of types.cuh over the pointers that `Params` holds.

use super::body::Body;
use crate::model::Expr;

impl Body<'_> {
    /// The call that reads an input.
    pub(super) fn input(&mut self, method: &str, input: &Expr, at: &Expr) -> String {
        let function = match method {
            "source" => "of_source",
            "target" => "of_target",
            named_alike => named_alike,
        };
        let (input, at) = (self.value(input), self.value(at));
        format!("wp::{function}({input}, {at})")
    }
}
