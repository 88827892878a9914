//! Matrix Market files: a byte of options, then the text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wolfpath_io::load::Format;

fuzz_target!(|data: &[u8]| wolfpath_fuzz::read_as(Some(Format::MatrixMarket), data));
