//! `wolfpath cuda`: prints the CUDA C of a bundled program.

use wolfpath::cuda::{self, Configuration};
use wolfpath::prelude::*;
use wolfpath::{RowUse, Schedule, Shape, Techniques};

use crate::arguments::{CudaArguments, Program};
use crate::console;
use crate::error::Error;
use crate::number::Number;
use crate::task::{self, Asked, Setup, Visitor};

pub(crate) fn cuda(arguments: &CudaArguments) -> Result<(), Error> {
    let number = arguments.number.unwrap_or(match arguments.program {
        Program::Pagerank | Program::Adsorption => Number::F32,
        _ => Number::U32,
    });
    let text = task::visit(arguments.program, number, &Setup::default(), Printer { whole: arguments.whole })?;
    console::print(&text)
}

/// Visitor that returns the CUDA text of the selected program.
struct Printer {
    whole: bool,
}

impl Visitor for Printer {
    type Output = String;

    fn visit<P: EdgeProgram>(self, _: &Asked<'_, P>) -> Result<String, Error> {
        if !self.whole {
            return Ok(P::MODEL.cuda.to_owned());
        }
        let shape = Shape::of::<P>();
        let pulls = shape.must_pull();
        // The configuration of a run over a directed graph with weights.
        let configuration = Configuration {
            schedule: if pulls { Schedule::Pull } else { Schedule::Frontier },
            rows: RowUse { send_out: true, send_in: false, gather_out: false, gather_in: pulls },
            symmetric: false,
            weighted: true,
            narrow_weights: None,
            uniform: P::UNIFORM,
            wide_offsets: false,
            techniques: Techniques::NONE,
            packed: false,
            rows_on_host: false,
            overflows: false,
            first_ends: false,
            streamed: false,
            hot_bytes: 0,
            settles: false,
            bounded: false,
            several: false,
            delays: false,
        };
        Ok(cuda::translation_unit(&shape, &configuration))
    }
}
