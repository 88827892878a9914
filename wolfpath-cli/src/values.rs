//! Parsers of option values. An invalid value is a usage error, which clap prints with the option's name.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::builder::{OsStringValueParser, TypedValueParser};
use wolfpath::graph::WeightChoice;
use wolfpath::load::UnknownFormat;
use wolfpath::{Home, RunOptions, ScheduleChoice};

use crate::arguments::{Target, ending};
use crate::destination::Destination;

/// Engine that runs a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EngineChoice {
    /// The best available engine.
    Auto,
    /// All CPU cores.
    Cpu,
    /// CUDA devices, by their ordinals.
    Cuda(Vec<usize>),
    /// All CUDA devices.
    AllDevices,
    /// Several processes.
    #[cfg(feature = "cluster")]
    Cluster,
}

/// Help text of `--engine`.
pub(crate) const ENGINE_HELP: &str = if cfg!(feature = "cluster") {
    "Engine that runs the program. `auto` uses a GPU if there is one. Several GPUs share large runs. With `cluster`, several \
     processes, usually on several machines, share a run over shards (wolfpath shard)"
} else {
    "Engine that runs the program. `auto` uses a GPU if there is one. Several GPUs share large runs"
};

/// The engines, as the help text lists them.
pub(crate) const ENGINES: &str = if cfg!(feature = "cluster") {
    "auto|cpu|cuda|cuda:N|cuda:N,N,..|cuda:all|cluster"
} else {
    "auto|cpu|cuda|cuda:N|cuda:N,N,..|cuda:all"
};

/// The other engines, for the message about a wrong one.
const OTHER_ENGINES: &str = if cfg!(feature = "cluster") { "cuda:all, or cluster" } else { "or cuda:all" };

impl FromStr for EngineChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<EngineChoice, String> {
        let number =
            |digits: &str| digits.parse().ok().filter(|_| digits.bytes().all(|c| c.is_ascii_digit()));
        match text {
            "auto" => Ok(EngineChoice::Auto),
            "cpu" => Ok(EngineChoice::Cpu),
            "cuda" => Ok(EngineChoice::Cuda(vec![0])),
            "cuda:all" => Ok(EngineChoice::AllDevices),
            #[cfg(feature = "cluster")]
            "cluster" => Ok(EngineChoice::Cluster),
            _ => {
                let numbers =
                    text.strip_prefix("cuda:").and_then(|list| list.split(',').map(number).collect());
                let expected =
                    "expected auto, cpu, cuda, cuda:N or cuda:N,N,.. with the numbers of devices from 0";
                numbers.map(EngineChoice::Cuda).ok_or_else(|| format!("{expected}, {OTHER_ENGINES}"))
            }
        }
    }
}

/// Schedule of a run, or `None` to let the plan choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scheduling(pub(crate) Option<ScheduleChoice>);

impl FromStr for Scheduling {
    type Err = String;

    fn from_str(text: &str) -> Result<Scheduling, String> {
        if text == "auto" {
            return Ok(Scheduling(None));
        }
        let choice = ScheduleChoice::ALL.into_iter().find(|choice| choice.name() == text);
        choice.map(|choice| Scheduling(Some(choice))).ok_or_else(|| {
            let names = ScheduleChoice::ALL.map(ScheduleChoice::name).join(", ");
            format!("expected auto or one of {names}")
        })
    }
}

/// Parses the id of a vertex.
pub(crate) fn id(text: &str) -> Result<u64, String> {
    let digits = Some(text).filter(|text| text.bytes().all(|c| c.is_ascii_digit()));
    digits
        .and_then(|digits| digits.parse().ok())
        .ok_or_else(|| format!("expected the id of a vertex, a number from 0 to {}", u64::MAX))
}

/// Returns a parser of a result's destination.
pub(crate) fn destination() -> impl TypedValueParser<Value = Destination> {
    OsStringValueParser::new().try_map(|text| {
        if text.is_empty() {
            Err("expected the name of a file, or - for standard output")
        } else {
            Ok(text.into())
        }
    })
}

/// Parses the output format of `convert`: `wolf`, or a format of edge lists.
pub(crate) fn target(text: &str) -> Result<Target, String> {
    match text {
        "wolf" => Ok(Target::Layered),
        _ => text.parse().map(Target::Format).map_err(|error: UnknownFormat| format!("{error}; or wolf")),
    }
}

/// Parses `device`, `host` or `file`.
pub(crate) fn home(text: &str) -> Result<Home, String> {
    let homes = [Home::Device, Home::Host, Home::File];
    homes.into_iter().find(|home| home.name() == text).ok_or_else(|| "expected device, host or file".into())
}

/// Parses a number of bytes with an optional suffix. Suffixes are powers of 1000, as for disks.
pub(crate) fn bytes(text: &str) -> Result<u64, String> {
    const PREFIXES: [(char, u64); 4] =
        [('k', 1_000), ('m', 1_000_000), ('g', 1_000_000_000), ('t', 1_000_000_000_000)];
    let small = text.to_ascii_lowercase();
    let plain = small.strip_suffix('b').unwrap_or(&small);
    let prefixed = |&(prefix, factor)| plain.strip_suffix(prefix).map(|digits| (digits, factor));
    let (digits, factor) = PREFIXES.iter().find_map(prefixed).unwrap_or((plain, 1));
    let number: Option<u64> = digits.parse().ok();
    number
        .and_then(|number| number.checked_mul(factor))
        .filter(|&bytes| bytes > 0)
        .ok_or_else(|| "expected a number of bytes such as 500000000, 512M or 20G".into())
}

/// Parses `input`, `unit` or `random:SEED:MAX`.
pub(crate) fn weights(text: &str) -> Result<WeightChoice, String> {
    let random = |text: &str| {
        let (seed, max) = text.strip_prefix("random:")?.split_once(':')?;
        let max = max.parse().ok().filter(|&max| max > 0)?;
        Some(WeightChoice::Random { seed: seed.parse().ok()?, max })
    };
    match text {
        "input" => Ok(WeightChoice::Input),
        "unit" => Ok(WeightChoice::Unit),
        _ => random(text).ok_or_else(|| {
            "expected input, unit or random:SEED:MAX, with MAX from 1 to 4294967295, such as random:1:100"
                .into()
        }),
    }
}

/// Parses a number of steps.
pub(crate) fn steps(text: &str) -> Result<u64, String> {
    text.parse()
        .ok()
        .filter(|&steps| steps > 0)
        .ok_or_else(|| "expected a number of steps, at least 1".to_owned())
}

/// Parses a number of threads.
pub(crate) fn threads(text: &str) -> Result<usize, String> {
    let threads = text.parse().ok().filter(|threads| (1..=RunOptions::MOST_THREADS).contains(threads));
    threads.ok_or_else(|| format!("expected a number of threads from 1 to {}", RunOptions::MOST_THREADS))
}

/// Parses a number of machines or shards.
#[cfg(feature = "cluster")]
pub(crate) fn machines(text: &str) -> Result<std::num::NonZeroU16, String> {
    text.parse().map_err(|_| "expected a number from 1 to 65535".to_owned())
}

/// Parses a positive time in seconds.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|&seconds: &f64| seconds > 0.0);
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.ok_or_else(|| "expected a number of seconds above 0, such as 10 or 0.5".into())
}

/// Parses a number from 0 to 1.
pub(crate) fn probability(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "expected a number from 0 to 1, such as 0.85 or 1e-6".into())
}

/// Parses a file name that ends in `.wolf`: files are recognized as layered graphs by this ending.
pub(crate) fn wolf_file(text: &str) -> Result<PathBuf, String> {
    file_called("wolf", text)
}

/// Parses a file name that ends in `.svg`.
pub(crate) fn svg_destination(text: &str) -> Result<Destination, String> {
    file_called("svg", text).map(Destination::File)
}

fn file_called(wanted: &str, text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let right = ending(&path).eq_ignore_ascii_case(wanted);
    if right { Ok(path) } else { Err(format!("expected a name that ends in .{wanted}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines() {
        assert_eq!("cuda".parse(), Ok(EngineChoice::Cuda(vec![0])));
        assert_eq!("cuda:3".parse(), Ok(EngineChoice::Cuda(vec![3])));
        assert_eq!("cuda:3,0".parse(), Ok(EngineChoice::Cuda(vec![3, 0])));
        assert_eq!("cuda:all".parse(), Ok(EngineChoice::AllDevices));
        for wrong in [
            "gpu",
            "cuda:",
            "cuda:-1",
            "cuda:+1",
            "cuda:x",
            "cuda:99999999999999999999999",
            "cuda:0,",
            "cuda:,1",
            "",
        ] {
            assert!(wrong.parse::<EngineChoice>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn schedules() {
        assert_eq!("auto".parse(), Ok(Scheduling(None)));
        for choice in ScheduleChoice::ALL {
            assert_eq!(choice.name().parse(), Ok(Scheduling(Some(choice))));
        }
        let refused =
            "relax".parse::<Scheduling>().expect_err("relax is not a schedule that can be requested");
        assert!(refused.contains("frontier, bucket, pull, sweep"), "{refused}");
    }

    #[test]
    fn weights_there_and_back() {
        for text in ["input", "unit", "random:18446744073709551615:7"] {
            assert_eq!(weights(text).map(|choice| choice.to_string()), Ok(text.to_owned()));
        }
        for wrong in
            ["", "random", "random:1", "random:1:0", "random:-1:5", "random:1:4294967296", "random:1:2:3"]
        {
            assert!(weights(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn times_and_parts() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        assert!(["0", "-1", "NaN", "inf", "1e30", "soon"].iter().all(|text| seconds(text).is_err()));
        assert_eq!(probability("1e-6"), Ok(1e-6));
        assert!(["1.1", "-0.1", "NaN", "x"].iter().all(|text| probability(text).is_err()));
        assert!(threads("0").is_err() && threads("99999").is_err());
    }
}
