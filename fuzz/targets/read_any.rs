//! Every input format: a byte that selects the format, a byte of options, then the file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wolfpath_io::load::Format;

fuzz_target!(|data: &[u8]| {
    if let Some((&choice, rest)) = data.split_first() {
        // One value more than there are formats: it selects detection from the content.
        let format = Format::ALL.get(choice as usize % (Format::ALL.len() + 1)).copied();
        wolfpath_fuzz::read_as(format, rest);
    }
});
