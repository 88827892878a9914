//! Health of a device. Some failures (an illegal address, an uncorrectable memory error, a watchdog timeout) leave the
//! process's CUDA context in an error state. The driver then rejects every later call with the same message, which does
//! not mention the run that failed. The first failure is therefore stored, and later runs return an error that quotes
//! it.

use std::sync::OnceLock;

use cudarc::driver::sys::CUresult;

use crate::error::{DeviceError, RunError};

/// Returns `true` if the driver's code means that the context stays in an error state until the process ends.
fn is_loss(code: CUresult) -> bool {
    use CUresult as E;
    matches!(
        code,
        E::CUDA_ERROR_DEINITIALIZED
            | E::CUDA_ERROR_ECC_UNCORRECTABLE
            | E::CUDA_ERROR_NVLINK_UNCORRECTABLE
            | E::CUDA_ERROR_CONTAINED
            | E::CUDA_ERROR_ILLEGAL_ADDRESS
            | E::CUDA_ERROR_LAUNCH_TIMEOUT
            | E::CUDA_ERROR_CONTEXT_IS_DESTROYED
            | E::CUDA_ERROR_ASSERT
            | E::CUDA_ERROR_HARDWARE_STACK_ERROR
            | E::CUDA_ERROR_ILLEGAL_INSTRUCTION
            | E::CUDA_ERROR_MISALIGNED_ADDRESS
            | E::CUDA_ERROR_INVALID_ADDRESS_SPACE
            | E::CUDA_ERROR_INVALID_PC
            | E::CUDA_ERROR_LAUNCH_FAILED
            | E::CUDA_ERROR_MPS_CLIENT_TERMINATED
            | E::CUDA_ERROR_EXTERNAL_DEVICE
    )
}

/// Name of a lost device until a guard gives its own.
const UNNAMED: &str = "the CUDA device";

/// Returns the error for a driver call that failed. `action` describes the purpose of the call. [`Health::guard`] adds
/// the name of the lost device.
pub(crate) fn failure(action: &'static str, code: CUresult, message: String) -> DeviceError {
    if is_loss(code) {
        return DeviceError::Lost { device: UNNAMED.to_owned(), action, message };
    }
    DeviceError::Driver { action, message }
}

/// Action during which the device was lost, and the driver's message.
#[derive(Debug)]
struct Loss {
    action: &'static str,
    message: String,
}

/// Record of the first failure that lost the device, if any.
#[derive(Debug, Default)]
pub(crate) struct Health(OnceLock<Loss>);

impl Health {
    /// Calls `work` on `device` unless the device was lost earlier. Records the loss if `work` loses the device.
    pub(crate) fn guard<T>(
        &self,
        device: impl Fn() -> String,
        work: impl FnOnce() -> Result<T, RunError>,
    ) -> Result<T, RunError> {
        if let Some(Loss { action, message }) = self.0.get() {
            let message = message.clone();
            return Err(DeviceError::LostEarlier { device: device(), action, message }.into());
        }
        work().map_err(|error| match error {
            // Another device may have been lost, which has its name already.
            RunError::Device(DeviceError::Lost { action, message, device: name }) if name == UNNAMED => {
                self.0.get_or_init(|| Loss { action, message: message.clone() });
                DeviceError::Lost { device: device(), action, message }.into()
            }
            error => error,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_drivers_codes() {
        let lost = [
            CUresult::CUDA_ERROR_ILLEGAL_ADDRESS,
            CUresult::CUDA_ERROR_LAUNCH_FAILED,
            CUresult::CUDA_ERROR_ECC_UNCORRECTABLE,
            CUresult::CUDA_ERROR_HARDWARE_STACK_ERROR,
            CUresult::CUDA_ERROR_LAUNCH_TIMEOUT,
            CUresult::CUDA_ERROR_CONTEXT_IS_DESTROYED,
        ];
        for code in lost {
            let error = failure("run the program", code, "it fails".to_owned());
            assert!(matches!(error, DeviceError::Lost { .. }), "{code:?}: {error}");
            let text = error.to_string();
            assert!(
                text.contains("run the program: it fails") && text.contains("use the CPU engine"),
                "{text}"
            );
        }
        let others = [
            CUresult::CUDA_ERROR_OUT_OF_MEMORY,
            CUresult::CUDA_ERROR_INVALID_VALUE,
            CUresult::CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
            CUresult::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
            CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU,
        ];
        for code in others {
            let error = failure("allocate memory", code, String::new());
            assert!(matches!(error, DeviceError::Driver { .. }), "{code:?}: {error}");
        }
    }

    #[test]
    fn after_a_loss_nothing_is_tried() {
        let health = Health::default();
        let name = || "cuda:0 (a device)".to_owned();
        let refused =
            || Err(failure("allocate memory", CUresult::CUDA_ERROR_OUT_OF_MEMORY, String::new()).into());
        let error = health.guard::<()>(name, refused).expect_err("it was refused");
        assert!(matches!(error, RunError::Device(DeviceError::Driver { .. })), "{error}");
        assert_eq!(health.guard(name, || Ok(1)).expect("the device can be used"), 1);
        let lost =
            || Err(failure("run", CUresult::CUDA_ERROR_ILLEGAL_ADDRESS, "bad address".to_owned()).into());
        let first = health.guard::<()>(name, lost).expect_err("it was lost").to_string();
        assert!(first.contains("cuda:0 (a device)") && first.contains("bad address"), "{first}");
        for _ in 0..2 {
            let error = health.guard::<()>(name, || panic!("tried again")).expect_err("it is lost");
            assert!(matches!(error, RunError::Device(DeviceError::LostEarlier { .. })), "{error}");
            let text = error.to_string();
            for part in ["cuda:0", "earlier run", "bad address", "process"] {
                assert!(text.contains(part), "{part}: {text}");
            }
        }
    }
}
