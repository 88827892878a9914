//! Options that correspond to the library's advice. The library returns advice as data; this table names the options of
//! the command that follow it.

use std::borrow::Cow;

use wolfpath::{Advice, load};

/// Returns a text with the command's options that follow an error's advice. It is appended to the error's text. It is
/// empty if there are no such options.
///
/// Only `build` has options for memory and the folder of working files. The graph that it keeps is found by every other
/// command.
pub(super) fn options(advice: Option<Advice>) -> Cow<'static, str> {
    let Some(advice) = advice else { return "".into() };
    let options = match advice {
        Advice::Load(load::Advice::Format(format)) => return format!(" (--format {format})").into(),
        Advice::Load(load::Advice::OtherFormat) => " (--format)",
        Advice::Load(load::Advice::Columns) => " (--columns)",
        Advice::Load(load::Advice::ExtraColumns) => " (--columns a,b,c or --ignore-extra-columns)",
        Advice::Load(load::Advice::LossyWeights) | Advice::LossyWeights => " (--lossy-weights)",
        Advice::WiderOrLossyWeights => " (--precision f64 or --lossy-weights)",
        Advice::Memory => " (wolfpath build --memory)",
        Advice::Scratch => " (wolfpath build --scratch)",
        Advice::BuildAgain => " (wolfpath build)",
        Advice::CacheLimit => " (wolfpath cache limit SIZE)",
        Advice::WeightColumn => " (--weight-column NAME)",
        Advice::UnitWeights => " (--weights unit)",
        Advice::CpuEngine => " (--engine cpu)",
        Advice::CpuEngineMeanwhile => ", or use the CPU engine (--engine cpu)",
        Advice::Devices => "; `wolfpath devices` lists them",
        Advice::Steps => " (--max-steps, --steps)",
        Advice::Renumber => " (--renumber)",
        Advice::DropWeights => " (--drop-weights)",
        Advice::OneColumnOrNone => " (--weight-column NAME, --drop-weights)",
        Advice::Undirected => " (--undirected)",
        Advice::MergeDuplicates => " (--duplicates drop)",
        Advice::SaveFormat => " (--to)",
        // Advice that a later version of the library adds. The error's text already says what to do.
        _ => "",
    };
    options.into()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::path::Path;

    use clap::CommandFactory;

    use crate::arguments::Arguments;

    /// Returns the long options of a command and its subcommands.
    fn options_of(command: &clap::Command, all: &mut HashSet<String>) {
        all.extend(command.get_arguments().filter_map(|argument| argument.get_long()).map(str::to_owned));
        command.get_subcommands().for_each(|command| options_of(command, all));
    }

    /// Collects the options that the Rust files in a folder mention, each with its file.
    fn named_in(folder: &Path, named: &mut Vec<(String, String)>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                named_in(&path, named);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let ends_name = |letter: char| !letter.is_ascii_lowercase() && letter != '-';
            let names = text.split("--").skip(1).filter_map(|rest| rest.split(ends_name).next());
            let file = path.display().to_string();
            named.extend(names.filter(|name| !name.is_empty()).map(|name| (name.to_owned(), file.clone())));
        }
    }

    #[test]
    fn every_option_that_is_named_exists() {
        let mut all = HashSet::new();
        options_of(&Arguments::command(), &mut all);
        let mut named = Vec::new();
        named_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut named);
        assert!(named.len() > 50 && named.iter().any(|(name, _)| name == "lossy-weights"), "{named:?}");
        let gone: Vec<_> = named.iter().filter(|(name, _)| !all.contains(name)).collect();
        assert!(gone.is_empty(), "{gone:?}");
    }
}
