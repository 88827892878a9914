//! Plans as text.

use std::fmt;

use super::{Estimate, Home, Plan, PlannedEngine, Schedule};

impl fmt::Display for PlannedEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlannedEngine::Cpu { threads: 1 } => write!(f, "cpu, 1 thread"),
            PlannedEngine::Cpu { threads } => write!(f, "cpu, {threads} threads"),
            PlannedEngine::Cuda { ordinal, device, .. } => write!(f, "cuda:{ordinal} ({device})"),
            PlannedEngine::CudaDevices { ordinals, device, .. } => {
                let ordinals: Vec<_> = ordinals.iter().map(usize::to_string).collect();
                write!(f, "cuda:{} ({device})", ordinals.join(","))
            }
        }
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "program    {}", self.program)?;
        writeln!(f, "reads      {}", self.reads)?;
        writeln!(f, "engine     {}: {}", self.engine, self.engine_reason)?;
        if !self.devices_reason.is_empty() {
            writeln!(f, "devices    {}", self.devices_reason)?;
        }
        writeln!(f, "schedule   {}: {}", self.schedule.name(), self.schedule_reason)?;
        if !self.estimates.is_empty() {
            let estimates: Vec<_> = self.estimates.iter().map(Estimate::to_string).collect();
            writeln!(f, "estimates  {}", estimates.join(", "))?;
        }
        self.technique_reasons.iter().try_for_each(|reason| writeln!(f, "technique  {reason}"))?;
        let kind = if self.graph.symmetric { "symmetric" } else { "directed" };
        writeln!(f, "graph      {} vertices, {} edges, {kind}", self.graph.vertices, self.graph.edges)?;
        if let Some(bound) = self.bound {
            writeln!(f, "values     {bound}")?;
        }
        match self.steps {
            Some(steps) => writeln!(f, "steps      {steps} as requested")?,
            None if self.schedule == Schedule::Union => {
                writeln!(f, "steps      the passes of union-find, whose number is fixed")?;
            }
            None => {
                let until = match self.settles.len() {
                    _ if self.tolerance.is_some_and(|tolerance| tolerance > 0.0) => format!(
                        "until at most {:e} of all values is still to be sent",
                        self.tolerance.unwrap_or_default()
                    ),
                    0 => "until nothing changes".to_owned(),
                    1 => "until 1 named vertex is settled, or nothing changes".to_owned(),
                    many => format!("until {many} named vertices are settled, or nothing changes"),
                };
                writeln!(f, "steps      {until}; more than {} are an error", self.max_steps)?;
            }
        }
        if !self.rows_reason.is_empty() {
            writeln!(f, "rows       {}", self.rows_reason)?;
        }
        let on_device = !matches!(self.engine, PlannedEngine::Cpu { .. });
        let each = if self.share.is_some() { "each device" } else { "the device" };
        let [device, host, file] = [Home::Device, Home::Host, Home::File].map(|home| self.bytes_in(home));
        match on_device && host + file > 0 {
            true => {
                write!(f, "memory     {device} bytes on {each}")?;
                if host > 0 {
                    write!(f, ", {host} bytes in host memory")?;
                }
                if file > 0 {
                    write!(f, ", {file} bytes streamed")?;
                }
                writeln!(f)?;
            }
            false if self.share.is_some() => writeln!(f, "memory     {} bytes on each device", self.bytes())?,
            false => writeln!(f, "memory     {} bytes", self.bytes())?,
        }
        for array in &self.arrays {
            let home = match array.home {
                Home::Host if on_device => ", in host memory",
                Home::File => ", streamed",
                _ => "",
            };
            writeln!(f, "  {:>15} bytes  {} ({} elements){home}", array.bytes, array.name, array.elements)?;
        }
        self.notes.iter().try_for_each(|note| writeln!(f, "note       {note}"))
    }
}
