//! Every format that is read: a byte that picks it, a byte of options, then the file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wolfpath_io::load::Format;

fuzz_target!(|data: &[u8]| {
    if let Some((&choice, rest)) = data.split_first() {
        // One choice more than formats: to tell it from the content.
        let format = Format::ALL.get(choice as usize % (Format::ALL.len() + 1)).copied();
        wolfpath_fuzz::read_as(format, rest);
    }
});
