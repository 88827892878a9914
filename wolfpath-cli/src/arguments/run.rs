//! Checks of the arguments of `run` and `explain`, and what follows from them.

use wolfpath::Techniques;
use wolfpath::graph::WeightChoice;

use super::{Program, RunArguments, Technique};
use crate::destination::Destination;
#[cfg(feature = "cluster")]
use crate::values::EngineChoice;

impl RunArguments {
    pub(super) fn check(&self) -> Result<(), String> {
        let name = self.program.name();
        if !self.program.takes_sources() && !self.sources.is_empty() {
            return Err(format!("{name} starts from every vertex: omit --source"));
        }
        self.check_sources()?;
        let passes_on = self.program.passes_on_parts();
        if !passes_on && (self.damping.is_some() || self.tolerance.is_some()) {
            return Err(format!(
                "{name} has no damping or tolerance: --damping and --tolerance apply to pagerank and adsorption"
            ));
        }
        if self.accumulate && !passes_on {
            return Err(format!(
                "{name} does not add up portions: --accumulate applies to pagerank and adsorption"
            ));
        }
        if self.accumulate && self.steps.is_some() {
            return Err(
                "--accumulate takes no steps that could be counted: omit --steps, and set --tolerance".into(),
            );
        }
        let passes_on_all = self.damping.is_some_and(|damping| damping as f32 >= 1.0);
        if passes_on_all && (self.accumulate || self.program == Program::Adsorption) {
            return Err("vertices that pass on all that they receive never end: set --damping below 1".into());
        }
        let comes_from_many = match self.program {
            Program::Pagerank => Some("a rank"),
            Program::Kcore => Some("a core number"),
            Program::Adsorption => Some("a share"),
            _ => None,
        };
        if let Some(value) = comes_from_many
            && (self.path_to.is_some() || self.predecessors.is_some())
        {
            return Err(format!(
                "{value} does not come from a single path: omit --path-to and --predecessors"
            ));
        }
        if self.weight_column.is_some() && self.weights != WeightChoice::Input {
            return Err("--weight-column names a column of the input: omit --weights".into());
        }
        let counts_steps = matches!(self.program, Program::Bfs | Program::Reach | Program::Pagerank);
        if self.verify && self.steps.is_some() && !counts_steps {
            return Err(format!("--verify compares with the final values of {name}: omit --steps"));
        }
        #[cfg(feature = "cluster")]
        self.check_cluster()?;
        let to_stdout = self.outputs().filter(|(_, to)| to.is_stdout()).count();
        if to_stdout + usize::from(self.json) > 1 {
            let all = "--output -, --predecessors -, --trace - and --json";
            return Err(format!("only one of {all} can use standard output"));
        }
        let outputs: Vec<_> = self.outputs().collect();
        for (place, (first, to)) in outputs.iter().enumerate() {
            if let Some((second, _)) = outputs[place + 1..].iter().find(|(_, other)| other.is_same_file(to)) {
                return Err(format!("{first} and {second} name the same file"));
            }
        }
        Ok(())
    }

    /// Returns an error if the number of this process in a cluster is missing or too large.
    #[cfg(feature = "cluster")]
    pub(super) fn check_process(&self) -> Result<(), String> {
        if self.engine == EngineChoice::Cluster { self.cluster.check() } else { Ok(()) }
    }

    /// Returns an error if options contradict the choice of the engine `cluster`, or of another one.
    #[cfg(feature = "cluster")]
    fn check_cluster(&self) -> Result<(), String> {
        if self.engine != EngineChoice::Cluster {
            return match self.cluster.given().chain(self.checkpoints.given()).next() {
                Some(option) => Err(format!("{option} needs --engine cluster")),
                None => Ok(()),
            };
        }
        if self.each_source {
            return Err("--each-source does not apply to --engine cluster: omit it".into());
        }
        self.cluster.check_number()
    }

    fn check_sources(&self) -> Result<(), String> {
        let name = self.program.name();
        if !self.program.takes_sources() && (self.sources_from.is_some() || self.each_source) {
            return Err(format!("{name} starts from every vertex: omit --sources-from and --each-source"));
        }
        if self.each_source && !self.program.is_traversal() {
            return Err(format!("{name} keeps its sources apart in one run: omit --each-source"));
        }
        if !self.each_source {
            return Ok(());
        }
        if self.sources.is_empty() && self.sources_from.is_none() {
            return Err("--each-source needs sources: name them with --source or --sources-from".into());
        }
        let of_one = [
            ("--predecessors", self.predecessors.is_some()),
            ("--path-to", self.path_to.is_some()),
            ("--trace", self.trace.is_some()),
            ("--plot", self.plot.is_some()),
        ];
        match of_one.into_iter().find(|&(_, is_given)| is_given) {
            Some((option, _)) => Err(format!("{option} describes a single run: omit --each-source")),
            None => Ok(()),
        }
    }

    /// Returns notes about options that have no effect.
    pub(crate) fn notes(&self, on_device: bool) -> Vec<String> {
        let mut notes = Vec::new();
        let name = self.program.name();
        if let (Some(steps), Some(most)) = (self.steps, self.max_steps)
            && most < steps
        {
            notes.push(format!(
                "--max-steps {most} is smaller than --steps {steps}: a run that needs more than {most} steps fails"
            ));
        }
        let changes_weights = self.weights != WeightChoice::Input;
        if changes_weights && !matches!(self.program, Program::Sssp | Program::Widest | Program::Adsorption) {
            notes.push(format!("{name} reads no weights: --weights has no effect"));
        }
        let is_without = |technique| self.without.contains(&technique);
        let of_gpus = [
            ("--device-memory", self.device_memory.is_some()),
            ("--rows", self.rows.is_some()),
            ("--without local-rounds", is_without(Technique::LocalRounds)),
            ("--without shared-window", is_without(Technique::SharedWindow) && !self.accumulate),
            ("--without lending", is_without(Technique::Lending)),
        ];
        for (option, is_given) in of_gpus {
            if is_given && !on_device {
                notes.push(format!("the run does not use a GPU: {option} has no effect"));
            }
        }
        notes
    }

    /// Returns the given options that `explain` ignores, because they need an actual run.
    pub(crate) fn of_a_run(&self) -> Vec<&'static str> {
        let others =
            [("--path-to", self.path_to.is_some()), ("--verify", self.verify), ("--repeat", self.repeat > 1)];
        let others = others.into_iter().filter_map(|(option, is_given)| is_given.then_some(option));
        #[cfg(feature = "cluster")]
        let others = others.chain(self.checkpoints.given());
        self.outputs().map(|(option, _)| option).chain(others).collect()
    }

    /// Returns the output files and the options that name them.
    pub(crate) fn outputs(&self) -> impl Iterator<Item = (&'static str, &Destination)> {
        let outputs = [
            ("--output", &self.output),
            ("--predecessors", &self.predecessors),
            ("--trace", &self.trace),
            ("--plot", &self.plot),
        ];
        outputs.into_iter().filter_map(|(option, to)| Some((option, to.as_ref()?)))
    }

    /// Returns the optimizations that a run may use.
    pub(crate) fn techniques(&self) -> Techniques {
        let allowed = |technique| !self.without.contains(&technique);
        Techniques::new()
            .direction(allowed(Technique::Direction))
            .local_rounds(allowed(Technique::LocalRounds))
            .shared_window(allowed(Technique::SharedWindow))
            .path_order(allowed(Technique::PathOrder))
            .lending(allowed(Technique::Lending))
    }
}
