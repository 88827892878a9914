//! A graph on a device, and the device state that its runs share.

mod copies;

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use wolfpath_core::graph::{Direction, LayeredGraph, Rows};
use wolfpath_core::program::{Along, Input, InputError, InputField, InputKind, Model, VertexOrder};
use wolfpath_core::progress::{Progress, Stage};

use super::buffers::{BufferName, Buffers, WeightName};
use super::common;
use super::device::Device;
use super::devices::Devices;
use super::groups::{self, Bound};
use super::host_array::HostArray;
use super::kept::Spare;
use super::launch::{ProgramBytes, UntypedLaunch};
use super::shard::{Dealing, EdgeParts, PackedParts, Shard};
use super::staging::{Elements, Fill};
use super::state::DeviceRun;
use super::take::take;
use super::walk::ResidentOrder;
use crate::error::{PlanError, RunError};
use crate::plan::{ArrayName, Home, Schedule};
use crate::shape::Shape;
use crate::start::input_error;

/// A graph that is loaded onto a device. Each of its arrays is uploaded when a run first needs the array. Runs execute
/// one at a time.
pub(crate) struct Resident {
    pub(crate) device: Arc<Device>,
    pub(crate) graph: LayeredGraph,
    buffers: Mutex<Buffers>,
    /// Arrays that outcomes have released.
    pub(super) spare: Mutex<Spare>,
    /// Groups of the out-rows and of the in-rows, each computed by the first sweep over them.
    groups: [OnceLock<Vec<Bound>>; 2],
    /// The order of paths that is on the device, or was.
    pub(super) path_order: Mutex<Option<ResidentOrder>>,
    /// The part of the graph that the device has, if several devices share it.
    pub(crate) shard: Option<Arc<Shard>>,
}

/// A graph that several devices share. Each has the rows of some of its vertices.
#[derive(Clone)]
pub(crate) struct Shards {
    pub(crate) parts: Arc<[Arc<Shard>]>,
    /// Those of the device that leads, and of the others.
    pub(crate) all: Arc<[Arc<Resident>]>,
}

impl Shards {
    /// Deals the vertices of a graph in turns, in units of so many.
    pub(crate) fn in_turns(devices: &Devices, graph: &LayeredGraph, unit: usize) -> Shards {
        Shards::of(devices, graph, Shard::in_turns(graph, devices.len(), unit))
    }

    /// Deals the vertices of a graph.
    ///
    /// # Errors
    /// Returns an error if the paths of the graph cannot be computed, and are needed.
    pub(crate) fn new(
        devices: &Devices,
        graph: &LayeredGraph,
        dealing: Dealing,
    ) -> Result<Shards, PlanError> {
        Ok(Shards::of(devices, graph, Shard::all_of(graph, devices.len(), dealing)?))
    }

    fn of(devices: &Devices, graph: &LayeredGraph, parts: Arc<[Arc<Shard>]>) -> Shards {
        let resident = |(device, shard): (&Arc<Device>, &Arc<Shard>)| {
            let shard = Some(shard.clone());
            Arc::new(Resident { shard, ..Resident::new(device.clone(), graph.clone()) })
        };
        Shards { all: devices.iter().zip(&*parts).map(resident).collect(), parts }
    }
}

impl Resident {
    pub(crate) fn new(device: Arc<Device>, graph: LayeredGraph) -> Resident {
        Resident {
            device,
            graph,
            buffers: Mutex::default(),
            spare: Mutex::default(),
            groups: Default::default(),
            path_order: Mutex::default(),
            shard: None,
        }
    }

    pub(crate) fn buffers(&self) -> MutexGuard<'_, Buffers> {
        self.buffers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Uploads those arrays that the program reads and that are not on the device yet. Stores the addresses of all
    /// arrays that it reads in `run`.
    pub(crate) fn upload(
        &self,
        launch: &UntypedLaunch<'_>,
        program: &dyn ProgramBytes,
        buffers: &mut Buffers,
        run: &mut DeviceRun,
    ) -> Result<(), RunError> {
        let (graph, budget, reads) = (launch.graph, launch.budget, &launch.shape().model.reads);
        let (progress, uploads_before) = (&launch.options.progress, buffers.uploads);
        announce(launch, buffers);
        let out = graph.out_edges();
        run.out_offsets = self.offsets(buffers, progress, Direction::Out, out)?;
        let weighted = reads.edge_load() && budget.graph.weighted;
        // Counts need the rows of both directions.
        let counted = reads.common().filter(|_| common::counts(budget));
        if budget.uses_out_rows() {
            [run.out_ends, run.out_bands, run.out_starts, run.out_widths] =
                self.ends(launch, buffers, Direction::Out)?;
            if weighted && counted.is_none() {
                let order = budget.order_of_out_weights();
                run.out_weights = self.weights(launch, program, buffers, order)?;
            }
        }
        let neighbours = launch.shape().along == Along::Neighbours;
        let reads_in_degree = reads.vertex_in_degree && !graph.is_symmetric() && !neighbours;
        if budget.uses_in_rows() || reads_in_degree {
            let inward = graph.in_edges().map_err(PlanError::from)?;
            run.in_offsets = self.offsets(buffers, progress, Direction::In, inward)?;
            if budget.uses_in_rows() {
                [run.in_ends, run.in_bands, run.in_starts, run.in_widths] =
                    self.ends(launch, buffers, Direction::In)?;
                if weighted && counted.is_none() {
                    run.in_weights = self.weights(launch, program, buffers, Direction::In)?;
                }
            }
        }
        if let Some(common) = counted {
            common::count(launch, buffers, run, common)?;
        }
        self.keep_heads(launch, buffers, run)?;
        run.out_first_ends = self.first_ends(launch, buffers, Direction::Out)?;
        run.in_first_ends = self.first_ends(launch, buffers, Direction::In)?;
        if reads.edge_place {
            self.upload_places(launch, buffers, run)?;
        }
        if launch.plan.planned_bytes(ArrayName::OutDegrees) > 0 {
            run.out_degrees = self.degrees(buffers, progress, ArrayName::OutDegrees, graph.input_rows())?;
        }
        if launch.plan.planned_bytes(ArrayName::InDegrees) > 0 {
            let inward = graph.input_in_rows().map_err(PlanError::from)?;
            run.in_degrees = self.degrees(buffers, progress, ArrayName::InDegrees, inward)?;
        }
        if reads.vertex_neighbours {
            run.neighbours =
                self.degrees(buffers, progress, ArrayName::NeighbourCounts, graph.neighbour_rows())?;
        }
        if budget.reads_ids() {
            run.ids = self.once(buffers, progress, ArrayName::Ids, || graph.ids())?;
        }
        if budget.reads_ranks() {
            run.ranks = self.once(buffers, progress, ArrayName::Ranks, || graph.ranks())?;
        }
        if buffers.uploads > uploads_before {
            // The kernels rely on what was verified when the file was opened.
            graph.check_unchanged().map_err(PlanError::from)?;
        }
        Ok(())
    }

    /// Returns the addresses of the ends of one direction's edges, or of the packed rows, their bands, starts and widths.
    fn ends(
        &self,
        launch: &UntypedLaunch<'_>,
        buffers: &mut Buffers,
        direction: Direction,
    ) -> Result<[u64; 4], RunError> {
        let (graph, progress) = (launch.graph, &launch.options.progress);
        let packed = match launch.plan.packed {
            true => Some(graph.pack(direction).map_err(PlanError::from)?),
            false => None,
        };
        let parts = packed.and_then(|packed| Some(PackedParts::new(self.shard.as_ref()?, packed)));
        let Some(packed) = packed else {
            let rows = match direction {
                Direction::Out => graph.out_edges(),
                Direction::In => graph.in_edges().map_err(PlanError::from)?,
            };
            let name = ArrayName::EdgeEnds(direction);
            return Ok([self.of_edges(launch, buffers, name, (direction, rows.ends))?, 0, 0, 0]);
        };
        let (name, bands) = (ArrayName::PackedEnds(direction), ArrayName::PackedBands(direction));
        let [words, bands] = match parts {
            Some(parts) => {
                let fill = |range, to: &mut [u8]| {
                    parts.fill(range, to);
                    Ok(())
                };
                let count = packed.bands().len();
                [
                    self.filled_of_edges(launch, buffers, name, (parts.elements(), &fill))?,
                    self.mapped(buffers, progress, bands, count, parts.bands())?,
                ]
            }
            None => [
                self.of_edges(launch, buffers, name, (direction, packed.words()))?,
                self.once(buffers, progress, bands, || packed.bands())?,
            ],
        };
        Ok([
            words,
            bands,
            self.once(buffers, progress, ArrayName::PackedStarts(direction), || packed.starts())?,
            match launch.plan.planned_bytes(ArrayName::PackedWidths(direction)) {
                0 => 0,
                _ => self.widths(buffers, direction, packed)?,
            },
        ])
    }

    /// Returns the address of an array of edges, a part of the graph. It is uploaded or page-locked if it is not yet where
    /// the plan wants it.
    fn of_edges(
        &self,
        launch: &UntypedLaunch<'_>,
        buffers: &mut Buffers,
        name: ArrayName,
        (direction, elements): (Direction, &[u32]),
    ) -> Result<u64, RunError> {
        let (device, home) = (&self.device, launch.plan.home_of(name));
        let bytes: &[u8] = bytemuck::cast_slice(elements);
        if buffers.is_at(home, name.into()) || home == Home::File || bytes.is_empty() {
            return Ok(buffers.address(device, name));
        }
        if let Some(shard) = &self.shard {
            let parts = EdgeParts::new(shard, launch.graph, direction, 4)?;
            let fill = |range, to: &mut [u8]| {
                parts.fill(range, to, |part, to| {
                    to.copy_from_slice(&bytes[part]);
                    Ok(())
                })
            };
            return self.filled_of_edges(launch, buffers, name, (parts.elements(), &fill));
        }
        if home == Home::Host
            && let Ok(array) = HostArray::of_graph(device, launch.graph, bytes)
        {
            buffers.keep_on_host(name.into(), array);
            launch.options.progress.advance(bytes.len() as u64);
            return Ok(buffers.address(device, name));
        }
        let elements = Elements { length: bytes.len(), each: 1, computed: false };
        buffers.fill(device, (name.into(), home), elements, &launch.options.progress, &|range, to| {
            to.copy_from_slice(&bytes[range]);
            Ok::<_, RunError>(())
        })
    }

    /// Does the same for an array of which one of several devices has a part, which `fill` writes.
    fn filled_of_edges(
        &self,
        launch: &UntypedLaunch<'_>,
        buffers: &mut Buffers,
        name: ArrayName,
        (elements, fill): (Elements, &Fill<'_, RunError>),
    ) -> Result<u64, RunError> {
        let home = launch.plan.home_of(name);
        if buffers.is_at(home, name.into()) || home == Home::File {
            return Ok(buffers.address(&self.device, name));
        }
        buffers.fill(&self.device, (name.into(), home), elements, &launch.options.progress, fill)
    }

    /// Uploads the places of the edges that the run visits, unless they are on the device.
    fn upload_places(
        &self,
        launch: &UntypedLaunch<'_>,
        buffers: &mut Buffers,
        run: &mut DeviceRun,
    ) -> Result<(), RunError> {
        let (budget, along) = (launch.budget, launch.shape().along);
        // Runs along other edges, and runs that gather, read other places of the same edges.
        let held = (along as u64, budget.schedule == Schedule::Pull);
        let arrays = [
            (Direction::Out, budget.visits_out_rows(), &mut run.out_places),
            (Direction::In, budget.visits_in_rows(), &mut run.in_places),
        ];
        for (direction, _, address) in arrays.into_iter().filter(|(_, visits, _)| *visits) {
            let name = ArrayName::EdgePlaces(direction);
            let home = launch.plan.home_of(name);
            let is_there = buffers.is_at(home, name.into()) && buffers.holds_input(name, held);
            if !is_there && home != Home::File {
                let places = launch.graph.edge_places(along, direction, held.1).map_err(PlanError::from)?;
                let bytes: &[u8] = bytemuck::cast_slice(&places);
                let copy = |range: Range<usize>, to: &mut [u8]| {
                    to.copy_from_slice(&bytes[range]);
                    Ok::<_, RunError>(())
                };
                let (place, none) = ((name.into(), home), &Progress::NONE);
                match &self.shard {
                    Some(shard) => {
                        let parts = EdgeParts::new(shard, launch.graph, direction, 4)?;
                        let fill = |range, to: &mut [u8]| parts.fill(range, to, copy);
                        buffers.fill(&self.device, place, parts.elements(), none, &fill)?;
                    }
                    None => {
                        let elements = Elements { length: bytes.len(), each: 4, computed: false };
                        buffers.fill(&self.device, place, elements, none, &copy)?;
                    }
                }
                buffers.note_input(name, held);
            }
            *address = buffers.address(&self.device, name);
        }
        Ok(())
    }

    /// Uploads the program's inputs that are not on the device yet, and returns the addresses of all inputs.
    pub(crate) fn upload_inputs(
        &self,
        buffers: &mut Buffers,
        model: &Model,
        inputs: &[&dyn Input],
    ) -> Result<Vec<u64>, RunError> {
        let order = VertexOrder::new(&self.graph, &model.reads);
        let mut addresses = Vec::new();
        for (field, input) in model.inputs.iter().zip(inputs) {
            let (name, held) = (ArrayName::Input(field.array), (input.number(), order.is_by_rank()));
            if !buffers.holds_input(name, held) {
                if !self.take_input(buffers, model, field, *input, order.is_by_rank())? {
                    let bytes = input.bytes(order);
                    let bytes = bytes.map_err(|error| input_error(model, field.name, error))?;
                    buffers.upload(&self.device, name, &bytes)?;
                }
                buffers.note_input(name, held);
            }
            addresses.push(buffers.address(&self.device, name));
        }
        Ok(addresses)
    }

    /// Fills an input's array from the values of an outcome if they are on the device. Returns `true` if it did.
    fn take_input(
        &self,
        buffers: &mut Buffers,
        model: &Model,
        field: &InputField,
        input: &dyn Input,
        by_rank: bool,
    ) -> Result<bool, RunError> {
        let (InputKind::Values(kind), Some(taken)) = (field.kind, input.taken(&self.graph)) else {
            return Ok(false);
        };
        let name = ArrayName::Input(field.array);
        match take(self, buffers, name, (&taken, kind), by_rank)? {
            None => Ok(false),
            Some(None) => Ok(true),
            Some(Some(v)) => {
                let error = InputError::NoValue { id: self.graph.id_of(v) };
                Err(input_error(model, field.name, error).into())
            }
        }
    }

    /// Returns the bounds of the groups of one direction's rows, for a device with `threads` threads. Several devices have the
    /// same groups of vertices, each with the edges in its own rows.
    pub(crate) fn groups(&self, direction: Direction, threads: u64) -> Result<&[Bound], RunError> {
        let (rows, slot) = match direction {
            Direction::Out => (self.graph.out_edges(), &self.groups[0]),
            Direction::In => (self.graph.in_edges().map_err(PlanError::from)?, &self.groups[1]),
        };
        let layers = self.graph.layer_offsets();
        Ok(slot.get_or_init(|| match &self.shard {
            Some(shard) => {
                let offset = shard.offsets(direction, rows);
                let all = groups::combine(layers, rows.offsets, threads * shard.deal.devices() as u64);
                all.into_iter().map(|bound| Bound { edge: offset(bound.vertex as usize), ..bound }).collect()
            }
            None => groups::combine(layers, rows.offsets, threads),
        }))
    }

    /// Uploads row offsets if they are not on the device yet, and returns their address. Offsets are stored in 32 bits
    /// if they fit, because every step reads some of them, and smaller offsets use the caches better.
    fn offsets(
        &self,
        buffers: &mut Buffers,
        progress: &Progress,
        direction: Direction,
        rows: Rows<'_>,
    ) -> Result<u64, RunError> {
        let (name, offsets) = (ArrayName::RowOffsets(direction), rows.offsets);
        if let Some(shard) = &self.shard {
            let (count, of) = (offsets.len(), shard.offsets(direction, rows));
            // The devices have kernels of one kind.
            return match shard.deal.most_edges() > u64::from(u32::MAX) {
                true => self.mapped(buffers, progress, name, count, of),
                false => self.mapped(buffers, progress, name, count, |at| of(at) as u32),
            };
        }
        if offsets.last().is_some_and(|&last| last > u64::from(u32::MAX)) {
            return self.once(buffers, progress, name, || offsets);
        }
        self.mapped(buffers, progress, name, offsets.len(), |at| offsets[at] as u32)
    }

    /// Uploads the lengths of rows if they are not on the device yet, and returns their address.
    fn degrees(
        &self,
        buffers: &mut Buffers,
        progress: &Progress,
        name: ArrayName,
        rows: Rows<'_>,
    ) -> Result<u64, RunError> {
        let count = rows.offsets.len() - 1;
        self.mapped(buffers, progress, name, count, |at| rows.offsets[at + 1] - rows.offsets[at])
    }

    /// Uploads an array if it is not on the device yet, and returns its address.
    fn once<'a, T: bytemuck::Pod>(
        &self,
        buffers: &mut Buffers,
        progress: &Progress,
        name: ArrayName,
        elements: impl FnOnce() -> &'a [T],
    ) -> Result<u64, RunError> {
        if buffers.contains(name) {
            return Ok(buffers.address(&self.device, name));
        }
        let bytes: &[u8] = bytemuck::cast_slice(elements());
        let elements = Elements { length: bytes.len(), each: 1, computed: false };
        buffers.fill(&self.device, (name.into(), Home::Device), elements, progress, &|range, to| {
            to.copy_from_slice(&bytes[range]);
            Ok(())
        })
    }

    /// Uploads the array of `element(0)` to `element(count - 1)` if it is not on the device yet, and returns its address.
    fn mapped<T: bytemuck::Pod>(
        &self,
        buffers: &mut Buffers,
        progress: &Progress,
        name: ArrayName,
        count: usize,
        element: impl Fn(usize) -> T + Sync,
    ) -> Result<u64, RunError> {
        if buffers.contains(name) {
            return Ok(buffers.address(&self.device, name));
        }
        let each = size_of::<T>();
        let elements = Elements { length: count * each, each, computed: false };
        buffers.fill(&self.device, (name.into(), Home::Device), elements, progress, &|range, to| {
            // Pieces consist of whole elements, and staging buffers are aligned to pages.
            let to = bytemuck::cast_slice_mut::<u8, T>(to);
            let first = range.start / each;
            to.iter_mut().zip(first..).for_each(|(to, at)| *to = element(at));
            Ok(())
        })
    }

    /// Uploads the weights in the program's weight type, once per type and column. Returns their address.
    fn weights(
        &self,
        launch: &UntypedLaunch<'_>,
        program: &dyn ProgramBytes,
        buffers: &mut Buffers,
        direction: Direction,
    ) -> Result<u64, RunError> {
        let weights = weight_name(launch.graph, launch.shape());
        let name = BufferName::of(ArrayName::EdgeWeights(direction), weights);
        let home = launch.plan.home_of(ArrayName::EdgeWeights(direction));
        if !buffers.is_at(home, name) && home != Home::File {
            let (lossy, progress) = (launch.options.lossy_weights, &launch.options.progress);
            let weights = program.weights(launch.graph, direction, lossy).map_err(PlanError::from)?;
            let (length, each) = (weights.length(), weights.each());
            let write = |bytes, to: &mut [u8]| {
                weights.write(bytes, to).map_err(|error| RunError::from(PlanError::from(error)))
            };
            match &self.shard {
                Some(shard) => {
                    // In a symmetric graph, weights in the order of in-rows are those of out-rows.
                    let rows = if launch.graph.is_symmetric() { Direction::Out } else { direction };
                    let parts = EdgeParts::new(shard, launch.graph, rows, each)?;
                    let elements = Elements { computed: weights.are_computed(), ..parts.elements() };
                    let fill = |range, to: &mut [u8]| parts.fill(range, to, write);
                    buffers.fill(&self.device, (name, home), elements, progress, &fill)?;
                }
                None => {
                    let elements = Elements { length, each, computed: weights.are_computed() };
                    buffers.fill(&self.device, (name, home), elements, progress, &write)?;
                }
            }
            buffers.note_mean(name, weights.mean());
        }
        Ok(buffers.address(&self.device, name))
    }
}

/// Reports how many bytes of the graph will be copied to the device, if there are any.
fn announce(launch: &UntypedLaunch<'_>, buffers: &Buffers) {
    let weights = weight_name(launch.graph, launch.shape());
    let arrays = launch.budget.graph_arrays().into_iter();
    let loads = |name| launch.plan.home_of(name) != Home::File;
    let missing =
        arrays.filter(|array| loads(array.name) && !buffers.contains(BufferName::of(array.name, weights)));
    match missing.map(|array| array.bytes).sum() {
        0 => {}
        bytes => launch.options.progress.begin(Stage::Load, Some(bytes)),
    }
}

/// Records the mean of the weights that a run streams.
pub(crate) fn note_mean(launch: &UntypedLaunch<'_>, buffers: &mut Buffers, mean: f64) {
    let weights = weight_name(launch.graph, launch.shape());
    buffers.note_mean(BufferName::of(ArrayName::EdgeWeights(Direction::Out), weights), mean);
}

/// Returns the name of the weights that a program of this shape reads.
pub(crate) fn weight_name(graph: &LayeredGraph, shape: &Shape) -> WeightName {
    // A device stores narrow weights once for programs of all types.
    let narrow = graph.narrow_weights().filter(|_| shape.reads_one_weight());
    let (kind, fields) = (narrow.unwrap_or(shape.weight), shape.model.weight_columns);
    let column = graph.weight_column().filter(|_| fields.is_empty());
    let column = column.and_then(|chosen| graph.column_names().iter().position(|name| *name == chosen));
    // Counts replace the weights of a derived graph, so their kinds take the places of its columns.
    let column = shape.model.reads.common().map(|common| common as usize).or(column);
    WeightName { kind, column, fields }
}

/// Returns the mean of the weights that a program of this shape reads. Returns 1 if the program reads no weights, or if
/// they are not numbers.
pub(crate) fn mean_weight(graph: &LayeredGraph, shape: &Shape, buffers: &Buffers) -> f64 {
    let weights = weight_name(graph, shape);
    let of = |direction| buffers.mean_of(BufferName::of(ArrayName::EdgeWeights(direction), weights));
    let mean = of(Direction::Out).or_else(|| of(Direction::In));
    let mean = mean.filter(|_| !shape.weight.is_struct());
    mean.filter(|mean| mean.is_finite() && *mean > 0.0).unwrap_or(1.0)
}
