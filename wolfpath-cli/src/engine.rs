//! Creates the engine that a command uses, on a thread of its own: creating a CUDA context takes as long as opening a
//! graph of a billion edges, and waits for the driver.

use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use wolfpath::{DeviceError, Engine, cuda};

use crate::error::Error;
use crate::values::EngineChoice;

/// Variable that the driver reads: the number of queues to a device that a context creates.
const QUEUES: &str = "CUDA_DEVICE_MAX_CONNECTIONS";

/// Limits the number of queues that a context creates, unless the user has set it. A run uses one queue; the driver's
/// default of eight makes creating a context take 60 ms longer, and ending the process 30 ms (H200).
///
/// Call this before the process has a second thread.
pub(crate) fn limit_queues() {
    if std::env::var_os(QUEUES).is_none() {
        // SAFETY: no other thread exists yet that could read or write the environment at the same time.
        unsafe { std::env::set_var(QUEUES, "1") };
    }
}

/// Creates the engine that a user has chosen.
fn create(choice: &EngineChoice) -> Result<Engine, DeviceError> {
    match choice {
        EngineChoice::Auto => Ok(Engine::auto()),
        EngineChoice::Cpu => Ok(Engine::cpu()),
        EngineChoice::Cuda(ordinals) => match **ordinals {
            [ordinal] => Engine::cuda(ordinal),
            _ => Engine::cuda_devices(ordinals),
        },
        EngineChoice::AllDevices => {
            let all: Vec<usize> = (0..cuda::device_count()?).collect();
            Engine::cuda_devices(&all)
        }
        #[cfg(feature = "cluster")]
        EngineChoice::Cluster => unreachable!("runs over shards have their own commands"),
    }
}

/// An engine that is being created.
pub(crate) struct Starting(Option<JoinHandle<(Result<Engine, DeviceError>, Duration)>>);

impl Starting {
    /// Begins to create an engine. An error that is known at once is returned at once.
    pub(crate) fn begin(choice: EngineChoice) -> Result<Starting, Error> {
        if matches!(choice, EngineChoice::Cuda(_) | EngineChoice::AllDevices) {
            cuda::driver_version()?;
        }
        let timed = move || {
            let began = Instant::now();
            (create(&choice), began.elapsed())
        };
        let started = std::thread::Builder::new().name("engine".to_owned()).spawn(timed);
        started
            .map(|thread| Starting(Some(thread)))
            .map_err(|error| Error::Threads { threads: 1, message: error.to_string() })
    }

    /// Waits for the engine. Returns it, and the time that creating it took.
    pub(crate) fn wait(mut self) -> Result<(Engine, Duration), Error> {
        let thread = self.0.take().expect("the thread is joined once");
        let (engine, took) = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        Ok((engine?, took))
    }
}

/// Waits for the thread, because the process must not end while another thread initializes the driver.
impl Drop for Starting {
    fn drop(&mut self) {
        if let Some(thread) = self.0.take() {
            // If the engine is not needed any more, neither is its error.
            let _ = thread.join();
        }
    }
}
