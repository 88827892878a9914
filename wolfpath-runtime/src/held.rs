//! The values of an outcome, where its run left them: in host memory, or on a device. Values on a device are copied to
//! the host when they are first read there, or when a later run needs their memory.

use std::any::Any;
use std::sync::{Arc, Mutex, OnceLock};

use wolfpath_core::graph::LayeredGraph;
use wolfpath_core::program::{Datum, HeldValues, HostValues};

use crate::cpu::{Values, lock};
use crate::cuda::Kept;
use crate::error::{DeviceError, OutcomeError};

/// Values of a run of which an outcome, its copies, and inputs of later programs are the owners.
pub(crate) struct Held<V: Datum> {
    graph: LayeredGraph,
    /// `true` if every vertex is known to have a value.
    all: bool,
    /// The values on the device; `None` if they were never there.
    kept: Option<Arc<Kept>>,
    host: OnceLock<Arc<Values<V>>>,
    /// Locked while the values are copied, so that only one thread at a time copies them.
    reading: Mutex<()>,
}

impl<V: Datum> Held<V> {
    pub(crate) fn on_host(graph: LayeredGraph, values: Values<V>, all: bool) -> Held<V> {
        Held { graph, all, kept: None, host: OnceLock::from(Arc::new(values)), reading: Mutex::default() }
    }

    /// Returns values that a run left on a device.
    pub(crate) fn on_device(graph: LayeredGraph, kept: Arc<Kept>) -> Held<V> {
        Held {
            graph,
            all: kept.layout.all,
            kept: Some(kept),
            host: OnceLock::new(),
            reading: Mutex::default(),
        }
    }

    /// Returns the values in host memory. The first call copies them there.
    pub(crate) fn read(&self) -> Result<&Arc<Values<V>>, DeviceError> {
        if let Some(values) = self.host.get() {
            return Ok(values);
        }
        let kept = self.kept.as_ref().expect("values that are not on the host are on a device");
        let _reading = lock(&self.reading);
        if let Some(values) = self.host.get() {
            return Ok(values);
        }
        let values = Arc::new(kept.read()?);
        let values = self.host.get_or_init(|| values);
        kept.note_read();
        Ok(values)
    }

    /// Returns the graph of the run.
    pub(crate) fn run_graph(&self) -> &LayeredGraph {
        &self.graph
    }

    /// Returns `true` if every vertex is known to have a value.
    pub(crate) fn all(&self) -> bool {
        self.all
    }

    /// Returns the values in host memory if they have been read.
    pub(crate) fn if_read(&self) -> Option<&Arc<Values<V>>> {
        self.host.get()
    }

    /// Returns the values as a device keeps them, if they were on one.
    pub(crate) fn kept(&self) -> Option<&Arc<Kept>> {
        self.kept.as_ref()
    }
}

/// Returns the error for values of `program` that cannot be read from a device.
pub(crate) fn unreadable(program: &'static str, error: DeviceError) -> OutcomeError {
    match error {
        DeviceError::Lost { .. } | DeviceError::LostEarlier { .. } => {
            OutcomeError::Lost { program, message: error.to_string() }
        }
        error => OutcomeError::Device { program, message: error.to_string() },
    }
}

impl<V: Datum> HeldValues<V> for Held<V> {
    fn graph(&self) -> &LayeredGraph {
        &self.graph
    }

    fn on_host(&self) -> Result<HostValues<'_, V>, String> {
        let values = self.read().map_err(|error| error.to_string())?;
        Ok(HostValues { values: &values.values, present: &values.present })
    }

    fn on_device(&self) -> Option<Arc<dyn Any + Send + Sync>> {
        self.kept().map(|kept| kept.clone() as Arc<dyn Any + Send + Sync>)
    }
}
