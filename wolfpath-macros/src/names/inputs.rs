//! The types of inputs, `PerVertex<T>` and `VertexSet`: what only the program's own struct may hold.

use syn::Type;

use super::Names;
use super::types::{arguments, last_segment};
use crate::messages::Errors;
use crate::model::Ty;

impl Names {
    /// The type of a field of the program's own struct, when it is an input.
    pub(super) fn input(&self, written: &Type, errors: &mut Errors) -> Option<Ty> {
        let segment = last_segment(written)?;
        match (segment.ident.to_string().as_str(), arguments(segment).as_slice()) {
            ("PerVertex", [of]) => Some(Ty::PerVertex(Box::new(self.data(of, errors)))),
            ("PerVertex", _) => {
                errors.on(written, "say what every vertex has: `PerVertex<f32>`, or another type of data");
                Some(Ty::PerVertex(Box::new(Ty::Error)))
            }
            ("VertexSet", []) => Some(Ty::VertexSet),
            _ => None,
        }
    }

    /// Refuses the type of an input wherever else it is written.
    pub(super) fn input_elsewhere(&self, segment: &syn::PathSegment, errors: &mut Errors) -> Ty {
        errors.on(
            segment,
            format!(
                "`{}` is the type of a field of the program's own struct, `{}`, and of nothing else: read it there by \
                 `self.field` and pass on what it gives",
                segment.ident, self.program
            ),
        );
        Ty::Error
    }
}
