//! `wolfpath devices`: prints what was found, what is missing and how to get it. Finding no GPU is not an error.

use std::fmt::Write;

use wolfpath::Engine;
use wolfpath::cuda::{self, NvrtcLibrary};

use crate::console;
use crate::error::Error;

pub(crate) fn devices() -> Result<(), Error> {
    let mut text = String::new();
    let mut line = |name: &str, what: String| {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{name:<10} {what}");
    };
    line("cpu", format!("{} threads", rayon::current_num_threads()));
    match cuda::driver_version() {
        Ok(version) => {
            line("driver", format!("found; it supports CUDA {version}"));
            list(&mut line);
        }
        Err(error) => line("driver", format!("missing: {error}")),
    }
    match NvrtcLibrary::find() {
        // A library is known to be NVRTC only after it has compiled something.
        Ok(library) => match cuda::calibration_log(8, 0) {
            Ok(_) => line("nvrtc", library.path.display().to_string()),
            Err(error) => line("nvrtc", format!("{} cannot be used: {error}", library.path.display())),
        },
        Err(error) => line("nvrtc", format!("missing: {error}")),
    }
    let engine = Engine::auto();
    line("auto", format!("--engine auto uses {}: {}", engine.name(), engine.reason()));
    console::print(&text)
}

/// Prints a line for every device.
fn list(line: &mut impl FnMut(&str, String)) {
    match cuda::devices() {
        Ok(devices) if devices.is_empty() => {
            line(
                "devices",
                "none: the driver sees no NVIDIA GPU (CUDA_VISIBLE_DEVICES may hide them)".into(),
            );
        }
        Ok(devices) => {
            let count = devices.len();
            for device in devices {
                let (major, minor) = device.capability;
                let what = format!(
                    "{}, compute capability {major}.{minor}, {} multiprocessors, {} bytes of memory, {} of them free",
                    device.name, device.multiprocessors, device.memory, device.free
                );
                line(&format!("cuda:{}", device.ordinal), what);
                line("costs", costs(device.ordinal));
            }
            if count > 1 {
                list_links(line);
                list_barriers(count, line);
            }
        }
        Err(error) => line("devices", format!("cannot be used: {error}")),
    }
}

/// Prints a line for every link between devices.
fn list_links(line: &mut impl FnMut(&str, String)) {
    let links = match cuda::links() {
        Ok(links) => links,
        Err(error) => return line("links", format!("unknown: {error}")),
    };
    for link in links {
        let what = match link.copy_gb_s {
            Ok(rate) => format!("cuda:{} writes to cuda:{} at {rate:.0} GB/s", link.from, link.to),
            Err(error) => error.to_string(),
        };
        line("link", what);
    }
}

/// Prints how long two devices, and all of them, wait for each other.
fn list_barriers(count: usize, line: &mut impl FnMut(&str, String)) {
    let most = count.min(cuda::MOST_DEVICES);
    for devices in std::collections::BTreeSet::from([2, most]) {
        let ordinals: Vec<usize> = (0..devices).collect();
        let named: Vec<_> = ordinals.iter().map(usize::to_string).collect();
        let what = match cuda::barrier(&ordinals) {
            Ok(time) => {
                format!("cuda:{} wait for each other in {:.2} us", named.join(","), 1e6 * time.as_secs_f64())
            }
            Err(error) => format!("cuda:{}: {error}", named.join(",")),
        };
        line("barrier", what);
    }
}

/// Returns the device's costs of basic operations. They are measured now unless they were measured before.
fn costs(ordinal: usize) -> String {
    match cuda::calibration(ordinal) {
        Ok(calibration) => format!("{} ({})", calibration.costs, calibration.origin),
        Err(error) => format!("unknown: {error}"),
    }
}
