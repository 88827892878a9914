//! The emulator's NVRTC. It compiles a kernel's text with the host's compiler, and returns the text itself as the
//! "CUBIN". When the driver loads this text, it finds the compiled shared object by a hash of everything that the
//! object depends on. An outdated object, compiled with other tuning numbers or by another emulator, is therefore never
//! used.

use std::ffi::{CStr, c_char, c_int};

use crate::code::{self, CodeError};
use crate::module::MAGIC;
use crate::settings::settings;

const SUCCESS: c_int = 0;
const INVALID_INPUT: c_int = 3;
const COMPILATION: c_int = 6;
const INTERNAL: c_int = 11;

/// A program: its text, and the compiler's log.
#[derive(Default)]
struct Program {
    text: String,
    log: String,
    cubin: Vec<u8>,
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvrtcVersion(major: *mut c_int, minor: *mut c_int) -> c_int {
    // SAFETY: both of the caller's output pointers are valid.
    unsafe {
        *major = 13;
        *minor = 0;
    }
    SUCCESS
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvrtcCreateProgram(
    program: *mut *mut Program,
    text: *const c_char,
    _name: *const c_char,
    headers: c_int,
    _sources: *const *const c_char,
    _names: *const *const c_char,
) -> c_int {
    if headers != 0 {
        return INVALID_INPUT;
    }
    // SAFETY: the caller passes a terminated string and a valid output pointer.
    unsafe {
        let text = CStr::from_ptr(text).to_string_lossy().into_owned();
        *program = Box::into_raw(Box::new(Program { text, ..Program::default() }));
    }
    SUCCESS
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvrtcDestroyProgram(program: *mut *mut Program) -> c_int {
    // SAFETY: `nvrtcCreateProgram` created the program, and the caller destroys it only once.
    unsafe {
        drop(Box::from_raw(*program));
        *program = std::ptr::null_mut();
    }
    SUCCESS
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvrtcCompileProgram(program: *mut Program, _: c_int, _: *const *const c_char) -> c_int {
    // SAFETY: `nvrtcCreateProgram` created the program.
    let program = unsafe { &mut *program };
    let compiled = settings().map_err(|error| CodeError::Failed(error.to_owned()));
    match compiled.and_then(|settings| code::compile(&program.text, settings)) {
        Ok(_) => {
            program.cubin = format!("{MAGIC}{}\0", program.text).into_bytes();
            SUCCESS
        }
        Err(CodeError::Refused(log)) => {
            program.log = log;
            COMPILATION
        }
        Err(CodeError::Failed(message)) => {
            eprintln!("wolfpath emulator: {message}");
            INTERNAL
        }
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvrtcGetCUBINSize(program: *mut Program, size: *mut usize) -> c_int {
    // SAFETY: `nvrtcCreateProgram` created the program, and the output pointer is valid.
    unsafe {
        let program = &*program;
        *size = program.cubin.len();
    }
    SUCCESS
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvrtcGetCUBIN(program: *mut Program, to: *mut u8) -> c_int {
    // SAFETY: `nvrtcCreateProgram` created the program, and the buffer has the size that was returned.
    unsafe {
        let cubin = &(*program).cubin;
        std::ptr::copy_nonoverlapping(cubin.as_ptr(), to, cubin.len());
    }
    SUCCESS
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvrtcGetProgramLogSize(program: *mut Program, size: *mut usize) -> c_int {
    // SAFETY: `nvrtcCreateProgram` created the program, and the output pointer is valid.
    unsafe {
        let program = &*program;
        *size = program.log.len() + 1;
    }
    SUCCESS
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvrtcGetProgramLog(program: *mut Program, to: *mut u8) -> c_int {
    // SAFETY: `nvrtcCreateProgram` created the program, and the buffer has the size that was returned.
    unsafe {
        let log = &(*program).log;
        std::ptr::copy_nonoverlapping(log.as_ptr(), to, log.len());
        *to.add(log.len()) = 0;
    }
    SUCCESS
}

#[unsafe(no_mangle)]
extern "C" fn nvrtcGetErrorString(status: c_int) -> *const c_char {
    let text = match status {
        SUCCESS => c"NVRTC_SUCCESS",
        INVALID_INPUT => c"NVRTC_ERROR_INVALID_INPUT",
        COMPILATION => c"NVRTC_ERROR_COMPILATION",
        _ => c"NVRTC_ERROR_INTERNAL_ERROR",
    };
    text.as_ptr()
}
