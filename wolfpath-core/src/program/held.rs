//! Values of earlier runs as inputs of programs: what [`PerVertex`](super::PerVertex) takes from an outcome. The
//! outcomes themselves belong to the engines, which implement these traits.

use std::any::Any;
use std::sync::Arc;

use rayon::prelude::*;

use super::datum::Datum;
use super::input::{InputError, VertexOrder};
use crate::graph::LayeredGraph;

/// Minimum number of vertices per task when values are copied.
const FEW: usize = 1 << 14;

/// Result of a run that has a value of type [`Value`](Self::Value) for each vertex, or none.
#[doc(hidden)]
pub trait RunValues {
    /// Type of the values.
    type Value: Datum;

    /// Returns the values, which may be shared with the outcome.
    fn held(&self) -> Arc<dyn HeldValues<Self::Value>>;
}

/// Values of a run, in host memory or on a device.
#[doc(hidden)]
pub trait HeldValues<V>: Send + Sync {
    /// Returns the graph of the run.
    fn graph(&self) -> &LayeredGraph;

    /// Returns the values in host memory, by internal index. The first call copies them there.
    ///
    /// # Errors
    /// Returns the reason why the values cannot be read.
    fn on_host(&self) -> Result<HostValues<'_, V>, String>;

    /// Returns the values as the engine knows them, if they may be on a device.
    fn on_device(&self) -> Option<Arc<dyn Any + Send + Sync>>;
}

/// Values in host memory, by internal index, and a bitmap of the vertices that have one.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct HostValues<'a, V> {
    /// The values. Those of vertices without a value are arbitrary.
    pub values: &'a [V],
    /// One bit per vertex.
    pub present: &'a [u64],
}

impl<V: Copy> HostValues<'_, V> {
    fn get(&self, v: u32) -> Option<V> {
        let is_present = self.present[v as usize / 64] >> (v % 64) & 1 != 0;
        is_present.then(|| self.values[v as usize])
    }
}

/// Data that an input takes from the values of a run: the values, or one field of each.
#[doc(hidden)]
#[derive(Debug)]
pub struct TakenField {
    /// The values as their engine knows them.
    pub values: Arc<dyn Any + Send + Sync>,
    /// Offset of the field within a value in bytes.
    pub offset: usize,
    /// Size of the field in bytes.
    pub size: usize,
    /// The field's value for vertices without a value, in the device's layout.
    pub otherwise: Option<Vec<u8>>,
}

/// Values that an input takes from an outcome.
pub(super) trait Take<T>: Send + Sync {
    /// Returns the datum of the vertex with this id, if it is in the run's graph and has a value.
    fn get(&self, id: u64) -> Result<Option<T>, String>;

    /// Returns the datum of every vertex in the given order.
    fn lay_out(&self, order: VertexOrder<'_>, otherwise: Option<T>) -> Result<Vec<T>, InputError>;

    /// Returns the data for an engine that can take it on its device from a run over `graph`'s vertices.
    fn field(&self, graph: &LayeredGraph, otherwise: Option<T>) -> Option<TakenField>;
}

/// Returns the datum for a position without a vertex, which nothing reads.
pub(super) fn nothing<T: Datum>() -> T {
    T::read(&vec![0; T::KIND.size()])
}

/// A field of the values of a run.
pub(super) struct FieldOf<V, F> {
    pub(super) held: Arc<dyn HeldValues<V>>,
    pub(super) field: F,
}

impl<V, T, F> Take<T> for FieldOf<V, F>
where
    V: Datum,
    T: Datum,
    F: Fn(&V) -> &T + Send + Sync,
{
    fn get(&self, id: u64) -> Result<Option<T>, String> {
        let Some(v) = self.held.graph().vertex_of(id) else { return Ok(None) };
        Ok(self.held.on_host()?.get(v).map(|value| *(self.field)(&value)))
    }

    fn lay_out(&self, order: VertexOrder<'_>, otherwise: Option<T>) -> Result<Vec<T>, InputError> {
        let host = self.held.on_host().map_err(|message| InputError::Unreadable { message })?;
        let graph = self.held.graph();
        let datum = |place: u32| {
            let value = order.vertex_in(graph, place).and_then(|v| host.get(v));
            let datum = value.as_ref().map(|value| *(self.field)(value)).or(otherwise);
            datum.map_or_else(
                || order.id_at(place).map_or(Ok(nothing()), |id| Err(InputError::NoValue { id })),
                Ok,
            )
        };
        let places = || (0..order.positions()).into_par_iter().with_min_len(FEW);
        let data: Result<Vec<T>, InputError> = places().map(datum).collect();
        // Of several vertices without a value, the error names the first, as on a device.
        data.map_err(|error| places().find_map_first(|place| datum(place).err()).unwrap_or(error))
    }

    fn field(&self, graph: &LayeredGraph, otherwise: Option<T>) -> Option<TakenField> {
        if !graph.has_order_of(self.held.graph()) {
            return None;
        }
        let (offset, size) = (offset_of(&self.field)?, T::KIND.size());
        let otherwise = otherwise.map(|datum| {
            let mut bytes = vec![0; size];
            datum.write(&mut bytes);
            bytes
        });
        Some(TakenField { values: self.held.on_device()?, offset, size, otherwise })
    }
}

/// Returns the offset in bytes of the part of a value that `field` returns; `None` if it returns something else, or a
/// part without bytes. A datum has the same layout on the host and on a device.
fn offset_of<V: Datum, T>(field: impl Fn(&V) -> &T) -> Option<usize> {
    let value = V::read(&vec![0; V::KIND.size()]);
    let start = std::ptr::from_ref(&value).addr();
    let offset = std::ptr::from_ref(field(&value)).addr().checked_sub(start)?;
    (size_of::<T>() > 0 && offset + size_of::<T>() <= size_of::<V>()).then_some(offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_by_their_address() {
        static ELSEWHERE: u32 = 7;
        assert_eq!(offset_of(|value: &[u32; 4]| &value[2]), Some(8));
        assert_eq!(offset_of(|value: &f64| value), Some(0));
        assert_eq!(offset_of(|_: &[u32; 4]| &ELSEWHERE), None);
        assert_eq!(offset_of(|value: &()| value), None);
    }
}
