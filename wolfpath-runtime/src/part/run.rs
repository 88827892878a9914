//! Runs over parts of a graph.

use std::fmt;
use std::time::Instant;

use wolfpath_core::graph::{LengthBound, WeightChoice, WeightLimits};
use wolfpath_core::program::{AggregateOf, Aggregator, Along, Datum, EdgeProgram, Starts};
use wolfpath_core::random;

use super::{GraphPart, Peers, peer_error};
use crate::cpu::{self, Values};
use crate::engine::default_step_limit;
use crate::error::{PlanError, RunError};
use crate::options::RunOptions;
use crate::plan::{
    Decision, GraphSize, Plan, PlannedEngine, RowUse, Schedule, ScheduleChoice, ScheduleConstraints,
    Techniques,
};
use crate::pool::in_pool;
use crate::shape::Shape;
use crate::start::Sources;
use crate::stats::Stats;
use crate::trace::{Begun, Trace};

/// Reason against schedules that do not go step by step.
const IN_STEPS: &str = "processes of a cluster go step by step";

/// Number of characters of another process's message that an error shows.
const MOST_SHOWN: usize = 100;

/// A run that several processes share, as one of them sees it.
pub struct PartRun<'a, P: EdgeProgram> {
    pub part: &'a GraphPart,
    pub peers: &'a dyn Peers,
    pub program: &'a P,
    pub options: &'a RunOptions,
}

/// Values of a part's own vertices after a run, with its statistics.
pub struct PartRan<P: EdgeProgram> {
    values: Values<P::Value>,
    fold: Vec<u8>,
    pub stats: Stats,
    pub trace: Option<Trace>,
}

impl<P: EdgeProgram> PartRan<P> {
    /// Returns the value of an own vertex.
    pub fn value(&self, v: u32) -> Option<P::Value> {
        self.values.get(v)
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

/// Returns the start of a text that may be long.
fn start_of(text: &str) -> String {
    let start: String = text.chars().take(MOST_SHOWN).collect();
    if start.len() < text.len() { start + ".." } else { start }
}

/// Returns the rows that a run of program `P` traverses. `symmetric` is a property of the whole graph.
fn rows_of<P: EdgeProgram>(symmetric: bool) -> RowUse {
    RowUse::new(P::ALONG, symmetric)
}

impl GraphPart {
    /// Returns whether runs of program `P` gather over out-rows, and whether they gather over in-rows. `symmetric` is a
    /// property of the whole graph.
    pub fn gathers<P: EdgeProgram>(symmetric: bool) -> [bool; 2] {
        let rows = rows_of::<P>(symmetric);
        [rows.gather_out, rows.gather_in]
    }
}

impl<P: EdgeProgram> PartRun<'_, P> {
    /// Returns the reason why several processes cannot share runs of the program with these options, if there is one.
    pub fn refusal(options: &RunOptions) -> Option<PlanError> {
        let (model, reads) = (&P::MODEL, &P::MODEL.reads);
        let reason = if P::ACCUMULATES {
            "it accumulates"
        } else if P::ALONG == Along::Neighbours || reads.common().is_some() || reads.vertex_neighbours {
            "it reads distinct neighbours"
        } else if reads.edge_place {
            "it reads the places of edges"
        } else if !model.inputs.is_empty() {
            "it has inputs"
        } else if !options.settle.is_empty() {
            "processes do not run until vertices are settled (`until_settled`)"
        } else if options.weight_column.is_some() {
            "a column of several cannot be chosen there (`weight_column`): the weight is the column `weight`, or the only one"
        } else if options.steps == Some(0) {
            return Some(PlanError::NoSteps { program: model.name });
        } else {
            return Self::schedule(options).err();
        };
        Some(PlanError::NotShared { program: model.name, reason })
    }

    /// Returns the schedule of a run.
    fn schedule(options: &RunOptions) -> Result<Schedule, PlanError> {
        let (shape, rows) = (Shape::of::<P>(), rows_of::<P>(false));
        let constraints = ScheduleConstraints {
            shape: &shape,
            // Processes go step by step also if the number of steps is not limited.
            steps: options.steps.or(Some(u64::MAX)),
            settles: false,
            on_cpu: true,
            walks_both_rows: rows.send_out && rows.send_in,
            against_union: Some(IN_STEPS),
        };
        let Some(choice) = options.schedule else { return Ok(constraints.natural().0) };
        constraints.asked(choice).map_err(|error| match error {
            PlanError::Schedule { program, schedule, instead, .. } if options.steps.is_none() => {
                PlanError::Schedule { program, schedule, reason: IN_STEPS, instead }
            }
            other => other,
        })
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
        weights: WeightChoice,
    ) -> Result<(), RunError> {
        let RunOptions { steps, max_steps, lossy_weights, schedule, .. } = options;
        let none = |number: &Option<u64>| number.map_or("none".to_owned(), |number| number.to_string());
        let own = [
            ("program", P::MODEL.name.to_owned()),
            ("text of the program", format!("{:016x}", hash_of(P::MODEL.cuda.as_bytes()))),
            ("parameters", format!("{:02x?}", program.parameters())),
            ("sources", sources_text(program)),
            ("number of steps", none(steps)),
            ("step limit", none(max_steps)),
            ("schedule", schedule.map_or("none", ScheduleChoice::name).to_owned()),
            ("weights", weights.to_string()),
            ("lossy weights", lossy_weights.to_string()),
        ];
        let text = own.iter().map(|(_, value)| format!("{value}\n")).collect::<String>();
        let messages = vec![text.into_bytes(); peers.processes()];
        let heard = peers.exchange(messages).map_err(|error| RunError::Peer { error })?;
        for (process, message) in heard.iter().enumerate() {
            let message = String::from_utf8_lossy(message);
            let mut theirs = message.lines();
            for (what, value) in &own {
                let other = theirs.next().unwrap_or("nothing");
                if other != value {
                    let error =
                        format!("the {what} of process {process} is {}, and here {value}", start_of(other));
                    return Err(RunError::Peer { error: peer_error(error) });
                }
            }
        }
        Ok(())
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
            Ok(_) | Err(RunError::Plan(PlanError::UnknownSource { .. }) | RunError::Overrun { .. }) => {}
            // If another process has failed, this changes nothing.
            Err(error) => self.peers.abort(&error.to_string()),
        }
        ran
    }

    fn share(&self) -> Result<PartRan<P>, RunError> {
        let PartRun { part, peers, program, options } = *self;
        let began = Instant::now();
        let rows = rows_of::<P>(part.is_symmetric());
        part.check_weights::<P>(rows)?;
        let sources = self.sources()?;
        let plan = self.plan(rows)?;
        // Threads that wait for other processes must not be those of a pool that several of them use.
        let threads = Self::threads(options);
        let (ran, [loading, running, end]) = in_pool(Some(threads), || {
            let loading = Instant::now();
            let largest = plan.drops_beyond().unwrap_or(u64::MAX);
            let view = cpu::View::of_part(part, peers, program, rows, options.lossy_weights, largest)?;
            let running = Instant::now();
            let ended = cpu::run(&view, &sources, &plan, options)?;
            Ok((ended, [loading, running, Instant::now()]))
        })?;
        let cpu::Ended::Ran(ran) = ran else { unreachable!("only union-find ends otherwise") };
        let begun = Begun::on_cpu(began, loading, running, end);
        let (mut stats, trace) = cpu::tell(&plan, &begun, ran.tally(), ran.recorded);
        stats.engine =
            format!("cluster, process {} of {}, {}", peers.process(), peers.processes(), plan.engine);
        Ok(PartRan { values: ran.values, fold: ran.fold, stats, trace })
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
        let mut found = Vec::new();
        let find = |id| {
            let vertex = self.part.own_vertex_of(id);
            found.push(u8::from(vertex.is_some()));
            Ok(vertex)
        };
        let sources = Sources::found(self.program, find)?;
        if P::MODEL.starts == Starts::Sources {
            let heard = self.tell_all(found)?;
            let named = self.program.sources();
            for (at, &(id, _)) in named.iter().enumerate() {
                if !heard.iter().any(|found| found.get(at) == Some(&1)) {
                    return Err(PlanError::UnknownSource { id }.into());
                }
            }
        }
        Ok(sources)
    }

    fn plan(&self, rows: RowUse) -> Result<Plan, RunError> {
        let PartRun { part, program, options, .. } = *self;
        let (shape, whole) = (Shape::of::<P>(), &part.whole);
        let graph = GraphSize {
            vertices: whole.vertices.into(),
            edges: whole.edges,
            symmetric: part.is_symmetric(),
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
        let decision = Decision {
            schedule: Self::schedule(options)?,
            reason: IN_STEPS.to_owned(),
            techniques: Techniques { direction, ..Techniques::NONE },
            technique_reasons: Vec::new(),
            estimates: Vec::new(),
            bucket_factor: 1,
        };
        let engine = PlannedEngine::Cpu { threads: Self::threads(options) };
        Ok(Plan {
            uniform,
            bound: self.bound(&shape, rows)?,
            traced: options.trace,
            steps: options.steps,
            max_steps: options.step_limit(|| default_step_limit(&shape, graph.vertices)),
            ..Plan::new(&shape, engine, graph, rows, decision)
        })
    }

    /// Returns the bound on the values of a run, if the program finds shortest paths.
    fn bound(&self, shape: &Shape, rows: RowUse) -> Result<Option<LengthBound>, RunError> {
        if !shape.finds_shortest_paths() {
            return Ok(None);
        }
        let part = self.part;
        let first = self.program.sources().iter().map(|(_, value)| value.to_bits()).max().unwrap_or(0);
        let most = if P::Value::KIND.size() == 4 { u32::MAX.into() } else { u64::MAX };
        let bound = |weights: WeightLimits| {
            weights.bound(part.whole.vertices, || part.most_tree_layers(), first, most)
        };
        if let Some(bound) = part.possible_weights().and_then(bound) {
            return Ok(Some(bound));
        }
        // The type of the weights does not suffice, so all processes look at their own.
        let told = part.own_weights(rows).map_or(Vec::new(), |WeightLimits { largest, sum }| {
            [&largest.to_le_bytes()[..], &sum.to_le_bytes()[..]].concat()
        });
        let mut all = Some(WeightLimits { largest: 0, sum: 0 });
        for message in self.tell_all(told)? {
            let heard = message.split_first_chunk().and_then(|(largest, sum)| {
                let sum = u128::from_le_bytes(*sum.first_chunk()?);
                Some(WeightLimits { largest: u64::from_le_bytes(*largest), sum })
            });
            all = all.zip(heard).map(|(all, heard)| WeightLimits {
                largest: all.largest.max(heard.largest),
                sum: all.sum.saturating_add(heard.sum),
            });
        }
        Ok(all.and_then(bound))
    }
}
