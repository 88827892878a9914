//! Runs over parts of a graph.

use std::fmt;
use std::time::Instant;

use wolfpath_core::graph::{LengthBound, WeightError};
use wolfpath_core::program::{
    AggregateOf, Aggregator, Along, Datum, EdgeProgram, InputKind, LaidOut, Starts, VertexOrder,
};
use wolfpath_core::random;

use super::{Difference, GraphPart, Message, PartUse, Peers, RunWeights, Settings, peer_error};
use crate::cpu::{self, Values, can_have_proxies};
use crate::engine::{check_settling, default_step_limit, notes_of, tolerance};
use crate::error::{PlanError, RunError};
use crate::options::RunOptions;
use crate::outcome::Settled;
use crate::plan::{
    self, Decision, FIRST_IS_NAN, GraphSize, Plan, PlannedEngine, RowUse, Schedule, ScheduleChoice,
    ScheduleConstraints, Techniques,
};
use crate::pool::in_pool;
use crate::shape::Shape;
use crate::start::{self, Sources};
use crate::stats::Stats;
use crate::trace::{Begun, Trace};

/// Reason against schedules that do not go step by step.
const IN_STEPS: &str = "processes of a cluster go step by step";

/// A run that several processes share, as one of them sees it.
pub struct PartRun<'a, P: EdgeProgram> {
    pub part: &'a GraphPart,
    pub peers: &'a dyn Peers,
    pub program: &'a P,
    pub options: &'a RunOptions,
    /// Weights of the run, of which [`WholeGraph::weights_of`](super::WholeGraph::weights_of) has found the column.
    pub weights: RunWeights,
}

/// Values of a part's own vertices after a run, with its statistics.
pub struct PartRan<P: EdgeProgram> {
    pub(super) program: P,
    pub(super) values: Values<P::Value>,
    fold: Vec<u8>,
    pub(super) weights: RunWeights,
    /// Word of the best value that was still to be sent, if the run ended with [`End::Settled`](crate::End::Settled).
    pub(crate) settled: Option<u64>,
    pub stats: Stats,
    /// Reason for the schedule.
    pub reason: String,
    pub trace: Option<Trace>,
}

impl<P: EdgeProgram> PartRan<P> {
    /// Returns the value of an own vertex.
    pub fn value(&self, v: u32) -> Option<P::Value> {
        self.values.get(v)
    }

    /// Returns `true` if the value of an own vertex is known to be final, as [`Outcome::is_settled`](crate::Outcome::is_settled)
    /// does.
    pub fn is_settled(&self, v: u32) -> bool {
        Settled::of::<P>(self.stats.end, self.settled).contains(self.value(v))
    }

    /// Returns the fold of the values of all vertices of the whole graph at the end of the run.
    pub fn aggregate(&self) -> AggregateOf<P> {
        match &self.fold[..] {
            [] => P::Aggregate::identity(),
            bytes => AggregateOf::<P>::read(bytes),
        }
    }
}

impl<P: EdgeProgram> fmt::Debug for PartRun<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PartRun").field("program", &P::MODEL.name).finish_non_exhaustive()
    }
}

impl<P: EdgeProgram> fmt::Debug for PartRan<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PartRan").field("stats", &self.stats).finish_non_exhaustive()
    }
}

/// Returns the number of the sources, and what distinguishes them from others.
fn sources_text<P: EdgeProgram>(program: &P) -> String {
    let sources = program.sources();
    let bytes = sources.iter().flat_map(|&(id, value)| {
        let mut bytes = vec![0; 8 + P::Value::KIND.size()];
        bytes[..8].copy_from_slice(&id.to_le_bytes());
        value.write(&mut bytes[8..]);
        bytes
    });
    let bytes: Vec<u8> = bytes.collect();
    format!("{} with the hash {:016x}", sources.len(), hash_of(&bytes))
}

fn hash_of(bytes: &[u8]) -> u64 {
    let add = |hash: u64, bytes: &[u8]| {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        random::hash(hash, u64::from_le_bytes(word))
    };
    bytes.chunks(8).fold(bytes.len() as u64, add)
}

/// Returns the reason against union-find if a source has the value NaN.
pub(super) fn nan_source<P: EdgeProgram>(program: &P) -> Option<&'static str> {
    let combine = Shape::of::<P>().combine;
    let has_nan = program.sources().iter().any(|&(_, value)| cpu::is_dropped(combine, value));
    has_nan.then_some(FIRST_IS_NAN)
}

/// Returns the rows that a run of program `P` traverses. `symmetric` is a property of the whole graph.
pub(super) fn rows_of<P: EdgeProgram>(symmetric: bool) -> RowUse {
    let reads = P::MODEL.reads;
    match P::ALONG {
        // A part has the rows of neighbours in one direction.
        Along::Neighbours => RowUse::new(Along::Out, false),
        // In-rows are the same as out-rows, but parallel edges can have their weights in another order there. The weight that a
        // receiver finds must be that of the edge whose place it finds: the sender's.
        _ if symmetric && reads.edge_place && reads.edge_weight => RowUse::new(Along::Out, false),
        along => RowUse::new(along, symmetric),
    }
}

impl GraphPart {
    /// Returns a program with its inputs laid out for the part, if it has inputs.
    pub(super) fn bind<P: EdgeProgram>(&self, program: &P) -> Result<Option<P>, PlanError> {
        if P::MODEL.inputs.is_empty() {
            return Ok(None);
        }
        let order = VertexOrder::of_part(self.names(), &P::MODEL.reads);
        start::bind(order, program, &mut LaidOut::default())
    }
}

impl<P: EdgeProgram> PartRun<'_, P> {
    /// Returns the reason why several processes cannot share runs with these options, if there is one.
    pub fn refusal(options: &RunOptions) -> Option<PlanError> {
        if options.steps == Some(0) {
            return Some(PlanError::NoSteps { program: P::MODEL.name });
        }
        let (shape, has_numbers) = (Shape::of::<P>(), P::MODEL.starts == Starts::Sources);
        let checked = tolerance(&shape, options).and(check_settling(&shape, options, has_numbers));
        checked.and(Self::schedule(options, None)).err()
    }

    /// Returns the schedule of a run, and the reason. `against_union` is a reason against union-find, if there is one.
    pub(super) fn schedule(
        options: &RunOptions,
        against_union: Option<&'static str>,
    ) -> Result<(Schedule, &'static str), PlanError> {
        let (shape, rows) = (Shape::of::<P>(), rows_of::<P>(false));
        let constraints = ScheduleConstraints {
            shape: &shape,
            steps: options.steps,
            settles: !options.settle.is_empty(),
            on_cpu: true,
            walks_both_rows: rows.send_out && rows.send_in,
            against_union,
        };
        // All other schedules go step by step, also if the number of steps is not limited.
        let stepwise = ScheduleConstraints {
            steps: options.steps.or(Some(u64::MAX)),
            against_union: against_union.or(Some(IN_STEPS)),
            // The frontier of a step knows what is still to be sent.
            settles: false,
            ..constraints
        };
        match options.schedule {
            Some(ScheduleChoice::Union) => Ok((constraints.asked(ScheduleChoice::Union)?, "requested")),
            Some(choice) => match stepwise.asked(choice) {
                Err(PlanError::Schedule { program, schedule, instead, .. }) if options.steps.is_none() => {
                    Err(PlanError::Schedule { program, schedule, reason: IN_STEPS, instead })
                }
                asked => Ok((asked?, "requested")),
            },
            None => Ok(match constraints.natural() {
                (natural @ (Schedule::Union | Schedule::Accumulate), reason) => (natural, reason),
                _ => (stepwise.natural().0, IN_STEPS),
            }),
        }
    }

    /// Returns the settings that determine the values after a given number of steps, except for the contents of inputs.
    fn settings(program: &P, options: &RunOptions, weights: RunWeights) -> Vec<(&'static str, String)> {
        let column = weights.column.map_or("none".to_owned(), |at| at.to_string());
        vec![
            ("program", P::MODEL.name.to_owned()),
            ("text of the program", format!("{:016x}", hash_of(P::MODEL.cuda.as_bytes()))),
            ("parameters", format!("{:02x?}", program.parameters())),
            ("sources", sources_text(program)),
            ("schedule", options.schedule.map_or("none", ScheduleChoice::name).to_owned()),
            ("weights", weights.choice.to_string()),
            ("number of the weight's column", column),
            ("weight column", options.weight_column.as_deref().unwrap_or("none").to_owned()),
            ("lossy weights", options.lossy_weights.to_string()),
        ]
    }

    /// Returns the settings that a run must have in common with another one to continue it. All processes must call this
    /// together.
    ///
    /// # Errors
    ///
    /// Returns an error if a process has failed.
    pub fn settings_to_continue(&self) -> Result<Vec<(&'static str, String)>, RunError> {
        let mut settings = Self::settings(self.program, self.options, self.weights);
        settings.push(("version of wolfpath", env!("CARGO_PKG_VERSION").to_owned()));
        settings.push(("inputs", format!("{:016x}", self.hash_of_inputs()?)));
        Ok(settings)
    }

    /// Returns a hash of the contents of all inputs, the same for any number of processes.
    fn hash_of_inputs(&self) -> Result<u64, RunError> {
        let order = VertexOrder::of_part(self.part.names(), &P::MODEL.reads);
        let place = |v: u32| if order.is_by_rank() { self.part.ranks[v as usize] } else { v } as usize;
        let mut own = 0u64;
        for (number, (field, input)) in P::MODEL.inputs.iter().zip(self.program.inputs()).enumerate() {
            // An input that cannot be laid out is an error of the run.
            let Ok(bytes) = input.bytes(order) else { continue };
            for v in 0..self.part.own {
                let name = random::hash(number as u64, self.part.ids[v as usize]);
                own = own.wrapping_add(match field.kind {
                    InputKind::Values(kind) => {
                        let value = &bytes[place(v) * kind.size()..][..kind.size()];
                        random::hash(name, hash_of(value))
                    }
                    InputKind::Set => {
                        let word = bytes.as_chunks::<4>().0[place(v) / 32];
                        random::hash(name, u64::from(u32::from_ne_bytes(word) >> (place(v) % 32) & 1))
                    }
                });
            }
        }
        let heard = self.tell_all(own.to_le_bytes().to_vec())?;
        let hashes = heard.iter().filter_map(|message| Message(message).u64());
        Ok(hashes.fold(0, u64::wrapping_add))
    }

    /// Checks that all processes run the same program with the same options and weights. All must call this before each run,
    /// and before they build the parts that the run needs.
    ///
    /// # Errors
    ///
    /// Returns the first difference, which all processes find.
    pub fn compare(
        peers: &dyn Peers,
        program: &P,
        options: &RunOptions,
        weights: RunWeights,
    ) -> Result<(), RunError> {
        let none = |number: Option<u64>| number.map_or("none".to_owned(), |number| number.to_string());
        let mut settings = Self::settings(program, options, weights);
        settings.extend([
            ("number of steps", none(options.steps)),
            ("step limit", none(options.max_steps)),
            ("tolerance", options.tolerance.map_or("none".to_owned(), |share| share.to_string())),
            ("number of vertices to settle", options.settle.len().to_string()),
            ("choice of a trace", options.trace.to_string()),
        ]);
        let settings = Settings(&settings);
        let messages = vec![settings.message(); peers.processes()];
        let heard = peers.exchange(messages).map_err(|error| RunError::Peer { error })?;
        match settings.difference(&heard) {
            Some(Difference { process, what, theirs, own }) => {
                let error = format!("the {what} of process {process} is {theirs}, and here {own}");
                Err(RunError::Peer { error: peer_error(error) })
            }
            None => Ok(()),
        }
    }

    /// Runs the program. If this process fails, the exchanges of all others fail, too, unless they fail in the same way.
    ///
    /// # Errors
    ///
    /// Returns the error of this process or of another one.
    pub fn run(&self) -> Result<PartRan<P>, RunError> {
        if let Some(refusal) = Self::refusal(self.options) {
            return Err(refusal.into());
        }
        let ran = self.share();
        match &ran {
            // All processes know of these at the same time.
            Ok(_)
            | Err(
                RunError::Plan(
                    PlanError::UnknownSource { .. }
                    | PlanError::UnknownTarget { .. }
                    | PlanError::UnknownInput { .. }
                    | PlanError::CannotSettle { .. }
                    | PlanError::Weights(WeightError::NoColumn { .. } | WeightError::WhichColumn { .. })
                    | PlanError::Schedule { .. },
                )
                | RunError::Overrun { .. },
            ) => {}
            // If another process has failed, this changes nothing.
            Err(error) => self.peers.abort(&error.to_string()),
        }
        ran
    }

    /// Returns an error if the run is requested to end when vertices are settled, but it cannot know when they are.
    pub(super) fn check_settling(program: &P, options: &RunOptions) -> Result<(), PlanError> {
        let has_numbers = P::MODEL.starts == Starts::Sources && nan_source(program).is_none();
        check_settling(&Shape::of::<P>(), options, has_numbers)
    }

    fn share(&self) -> Result<PartRan<P>, RunError> {
        let began = Instant::now();
        Self::check_settling(self.program, self.options)?;
        let rows = rows_of::<P>(self.is_symmetric());
        self.part.check_weights::<P>(self.weights)?;
        let sources = self.sources()?;
        let settles = self.settles()?;
        let bound = self.bind()?;
        let program = bound.as_ref().unwrap_or(self.program);
        let mut against_union = nan_source(self.program);
        loop {
            let plan = Plan { settles: settles.clone(), ..self.plan(rows, against_union)? };
            match self.attempt(program, rows, &sources, &plan, began)? {
                Some(ran) => return Ok(ran),
                // All processes know of it.
                None => against_union = Some(FIRST_IS_NAN),
            }
        }
    }

    /// Runs as planned. Returns `None` if the plan does not allow a first value to be NaN, and `start` returned one in one of
    /// the processes.
    fn attempt(
        &self,
        program: &P,
        rows: RowUse,
        sources: &Sources<P::Value>,
        plan: &Plan,
        began: Instant,
    ) -> Result<Option<PartRan<P>>, RunError> {
        let PartRun { part, peers, options, weights, .. } = *self;
        // Threads that wait for other processes must not be those of a pool that several of them use.
        let threads = Self::threads(options);
        let (ended, [loading, running, end]) = in_pool(Some(threads), || {
            let loading = Instant::now();
            part.prepare::<P>(peers, rows).map_err(|error| RunError::Peer { error })?;
            let largest = plan.drops_beyond().unwrap_or(u64::MAX);
            let (gathers_only, lossy) = (Shape::of::<P>().everyone_sends(), options.lossy_weights);
            let run = PartUse { rows, weights, gathers_only, lossy };
            let view = cpu::View::of_part(part, peers, program, run, largest)?;
            let running = Instant::now();
            let ended = cpu::run(&view, sources, plan, options)?;
            Ok((ended, [loading, running, Instant::now()]))
        })?;
        let cpu::Ended::Ran(ran) = ended else { return Ok(None) };
        let begun = Begun::on_cpu(began, loading, running, end);
        let (mut stats, trace) = cpu::tell(plan, &begun, ran.tally(), ran.recorded);
        stats.engine =
            format!("cluster, process {} of {}, {}", peers.process(), peers.processes(), plan.engine);
        let (program, reason) = (self.program.duplicate(), plan.schedule_reason.clone());
        let cpu::Ran { values, fold, settled, .. } = ran;
        Ok(Some(PartRan { program, values, fold, settled, weights, stats, reason, trace }))
    }

    /// Returns `true` if the rows of both directions are the same for the run.
    fn is_symmetric(&self) -> bool {
        self.part.whole.is_symmetric_for::<P>(self.weights)
    }

    fn threads(options: &RunOptions) -> usize {
        options.threads.filter(|&threads| threads > 0).unwrap_or_else(rayon::current_num_threads)
    }

    /// Sends a message to all processes, and returns those of all.
    fn tell_all(&self, message: Vec<u8>) -> Result<Vec<Vec<u8>>, RunError> {
        let messages = vec![message; self.peers.processes()];
        self.peers.exchange(messages).map_err(|error| RunError::Peer { error })
    }

    /// Looks up the sources that are own vertices. Returns an error if no process has one of the sources.
    fn sources(&self) -> Result<Sources<P::Value>, RunError> {
        let sources = Sources::found(self.program, |id| Ok(self.part.own_vertex_of(id)))?;
        if P::MODEL.starts == Starts::Sources {
            let named: Vec<u64> = self.program.sources().iter().map(|&(id, _)| id).collect();
            if let Some(id) = self.unknown(&named, "the sources")? {
                return Err(PlanError::UnknownSource { id }.into());
            }
        }
        Ok(sources)
    }

    /// Returns the own vertices whose values are to be settled. Returns an error if no process has one of those that are named.
    fn settles(&self) -> Result<Vec<u32>, RunError> {
        let named = &self.options.settle;
        // Whether vertices are named is a setting that processes compare.
        if let Some(id) =
            (!named.is_empty()).then(|| self.unknown(named, "`until_settled`")).transpose()?.flatten()
        {
            return Err(PlanError::UnknownTarget { id }.into());
        }
        let mut own: Vec<u32> = named.iter().filter_map(|&id| self.part.own_vertex_of(id)).collect();
        own.sort_unstable();
        own.dedup();
        Ok(own)
    }

    /// Returns the program with its inputs laid out for the part, if it has inputs. Returns an error if an input names an id
    /// that no process has.
    fn bind(&self) -> Result<Option<P>, RunError> {
        let model = &P::MODEL;
        for (field, input) in model.inputs.iter().zip(self.program.inputs()) {
            if let Some(id) = self.unknown(&input.ids(), &format!("the input `{}`", field.name))? {
                return Err(PlanError::UnknownInput { program: model.name, input: field.name, id }.into());
            }
        }
        Ok(self.part.bind(self.program)?)
    }

    /// Returns the first of these ids that no process has. All processes must call this together. If their ids differ, all get an
    /// error, in which `what` names the list of ids.
    fn unknown(&self, ids: &[u64], what: &str) -> Result<Option<u64>, RunError> {
        let mut told = hash_of(bytemuck::cast_slice(ids)).to_le_bytes().to_vec();
        let mut bits = vec![0; ids.len().div_ceil(8)];
        let own = ids.iter().enumerate().filter(|&(_, &id)| self.part.own_vertex_of(id).is_some());
        own.for_each(|(at, _)| bits[at / 8] |= 1 << (at % 8));
        let own = told.clone();
        told.extend(bits);
        let heard = self.tell_all(told)?;
        if let Some(process) = heard.iter().position(|told| !told.starts_with(&own)) {
            let error = format!("the ids in {what} are not those of process {process}");
            return Err(RunError::Peer { error: peer_error(error) });
        }
        let has = |told: &Vec<u8>, at: usize| {
            told.get(own.len() + at / 8).is_some_and(|bits| bits >> (at % 8) & 1 != 0)
        };
        let is_known = |at: usize| heard.iter().any(|told| has(told, at));
        Ok(ids.iter().enumerate().find(|&(at, _)| !is_known(at)).map(|(_, &id)| id))
    }

    fn plan(&self, rows: RowUse, against_union: Option<&'static str>) -> Result<Plan, RunError> {
        let PartRun { part, program, options, .. } = *self;
        let (shape, whole) = (Shape::of::<P>(), &part.whole);
        let graph = GraphSize {
            vertices: whole.vertices.into(),
            edges: whole.edges,
            symmetric: self.is_symmetric(),
            weighted: !whole.columns.is_empty(),
            narrow_weights: None,
            layers: whole.layers.into(),
            packed_out_words: None,
            packed_in_words: None,
        };
        let named = program.sources();
        let mut ids: Vec<u64> = named.iter().map(|&(id, _)| id).collect();
        ids.sort_unstable();
        let are_alike = P::MODEL.starts == Starts::Sources
            && ids.windows(2).all(|pair| pair[0] != pair[1])
            && named.windows(2).all(|pair| pair[0].1.same(pair[1].1));
        let uniform = shape.uniform && are_alike;
        let direction =
            options.techniques.direction && shape.may_turn() && shape.gathering_stops_early(uniform);
        let shared_window = options.techniques.shared_window
            && shape.accumulates
            && can_have_proxies(whole.edges, Self::threads(options));
        // The state was kept by a run that goes step by step.
        let continues = self.peers.resumed().map(|_| "the run continues from a checkpoint");
        let against_union =
            against_union.or(continues).or(plan::against_union(&shape, graph.symmetric, options));
        let (schedule, reason) = Self::schedule(options, against_union)?;
        let decision = Decision {
            schedule,
            reason: reason.to_owned(),
            techniques: Techniques { direction, shared_window, ..Techniques::NONE },
            technique_reasons: Vec::new(),
            estimates: Vec::new(),
            bucket_factor: 1,
        };
        let engine = PlannedEngine::Cpu { threads: Self::threads(options) };
        Ok(Plan {
            uniform,
            bound: self.bound(&shape)?,
            notes: notes_of(&shape, part.whole.is_weighted::<P>(self.weights)),
            traced: options.trace,
            steps: options.steps,
            tolerance: tolerance(&shape, options)?,
            max_steps: options.step_limit(|| default_step_limit(&shape, graph.vertices)),
            ..Plan::new(&shape, engine, graph, rows, decision)
        })
    }

    /// Returns the bound on the values of a run, if the program finds shortest paths.
    fn bound(&self, shape: &Shape) -> Result<Option<LengthBound>, RunError> {
        if !shape.finds_shortest_paths() {
            return Ok(None);
        }
        let first = self.program.sources().iter().map(|(_, value)| value.to_bits()).max().unwrap_or(0);
        let most = if P::Value::KIND.size() == 4 { u32::MAX.into() } else { u64::MAX };
        self.part
            .length_bound(self.peers, self.weights, first, most)
            .map_err(|error| RunError::Peer { error })
    }
}
