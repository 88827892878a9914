//! An emulated CUDA device. The library replaces `libcuda.so` and `libnvrtc.so`: its NVRTC compiles the kernels' text
//! with the host's C++ compiler, and its driver runs every CUDA thread of a launch as a fiber (a thread that the
//! emulator schedules itself). A seed determines the order in which fibers run. The engine and the kernels run
//! unchanged on the emulator.
//!
//! The emulator checks logic. It detects barriers that some threads never reach, lanes that synchronize at different
//! positions, reads and writes outside of arrays, and results that depend on the order of threads. One thread runs at a
//! time, and its writes are visible to all threads immediately; the race detector (`races.rs`) finds accesses that are
//! not ordered on a real device. Performance is not checked. `README.md` in this crate describes how to use it.
#![cfg(target_os = "linux")]

mod baton;
mod board;
mod chance;
mod code;
mod driver;
mod fault;
mod launch;
#[cfg(test)]
mod launch_tests;
mod lockstep;
mod machine;
mod memory;
mod module;
mod nvrtc;
mod peers;
#[cfg(test)]
mod race_tests;
mod races;
mod settings;
mod shared_memory;
mod stack;
mod status;
mod stream;
#[cfg(test)]
mod trial;
