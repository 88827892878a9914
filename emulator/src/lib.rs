//! A CUDA device made of fibers. The library takes the places of `libcuda.so` and `libnvrtc.so`: its NVRTC hands the
//! kernels' text to the host's C++ compiler, its driver runs every CUDA thread of a launch as a fiber, and the order in
//! which they take turns is a function of a seed. So the engine and the kernels that run on a GPU run here, unchanged.
//!
//! It checks logic: barriers that some threads never reach, lanes that meet at different places, reads and writes outside
//! of arrays, and answers that depend on who comes first. It says nothing of time, and nothing of the memory model: one
//! thread runs at a time, and all see its writes at once. `README.md` beside this crate says how to use it.
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
