//! The CUDA text of a program under NVRTC, which must accept it without warnings. It is compiled only if
//! `WOLFPATH_TESTS` requires NVRTC; a missing NVRTC is then a failure.

use wolfpath::cuda::{Configuration, NvrtcLibrary, compile_log};
use wolfpath::program::EdgeProgram;
use wolfpath::{RowUse, Schedule, Shape, Techniques};

use super::Demand;

/// Compiles the program as for a run over a symmetric graph.
pub(super) fn compiles<P: EdgeProgram>() {
    if !Demand::Nvrtc.is_made() {
        return;
    }
    NvrtcLibrary::find()
        .expect("this test needs NVRTC: `cargo xtask nvrtc` installs it, WOLFPATH_NVRTC names it");
    let shape = Shape::of::<P>();
    let pulls = shape.must_pull();
    let configuration = Configuration {
        schedule: if pulls { Schedule::Pull } else { Schedule::Frontier },
        rows: RowUse { send_out: true, send_in: false, gather_out: true, gather_in: false },
        symmetric: true,
        weighted: true,
        narrow_weights: None,
        uniform: false,
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
    match compile_log(&shape, &configuration, 9, 0) {
        Ok(log) => assert!(log.trim().is_empty(), "{}: {log}", P::MODEL.name),
        Err(error) => panic!("{}: {error}", P::MODEL.name),
    }
}
