//! A CUDA device made of fibers. The library replaces `libcuda.so` and `libnvrtc.so`: its NVRTC compiles the kernels'
//! text by the host's C++ compiler, and its driver runs every CUDA thread of a launch as a fiber. The order in which
//! fibers run is a function of a seed. So the engine and the kernels that run on a GPU run here unchanged.
//!
//! It checks logic: barriers that some threads never reach, lanes that synchronize at different positions, reads and
//! writes outside of arrays, and results that depend on the order of threads. It checks neither performance nor the
//! memory model: one thread runs at a time, and all threads see its writes at once. `README.md` in this crate describes
//! its use.
#![cfg(target_os = "linux")]

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
mod settings;
mod stack;
mod status;
mod stream;
