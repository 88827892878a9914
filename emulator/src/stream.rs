//! Streams and events. Each stream has a thread that runs queued work in order, while the host program continues.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

use crate::races::{self, Known, Queued};
use crate::status::{Failure, SUCCESS, Status, note};

type Work = Box<dyn FnOnce() -> Result<(), Failure> + Send>;

/// Work of a stream.
struct Job {
    work: Work,
    /// `true` if the work is run even after a failure. This is the case for events. Otherwise a thread that waits for
    /// an event would wait forever.
    always: bool,
}

/// Number of unfinished jobs, and the first failure. After a failure, only events are processed.
#[derive(Default)]
struct State {
    waiting: usize,
    failed: Option<Status>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    done: Condvar,
}

/// A stream.
pub(crate) struct Stream {
    /// The stream's number in the order of all work.
    pub(crate) number: u32,
    jobs: Option<Sender<Job>>,
    shared: Arc<Shared>,
    worker: Option<JoinHandle<()>>,
}

impl Stream {
    pub(crate) fn new() -> std::io::Result<Stream> {
        let (jobs, queue) = channel::<Job>();
        let shared = Arc::new(Shared::default());
        let workers = shared.clone();
        let worker = std::thread::Builder::new().name("emulated stream".to_owned()).spawn(move || {
            for job in queue {
                let is_well = workers.state.lock().unwrap_or_else(PoisonError::into_inner).failed.is_none();
                let failed = if is_well || job.always {
                    (job.work)().err().map(|failure| note(&failure))
                } else {
                    None
                };
                let mut state = workers.state.lock().unwrap_or_else(PoisonError::into_inner);
                state.waiting -= 1;
                state.failed = state.failed.or(failed);
                workers.done.notify_all();
            }
        })?;
        Ok(Stream { number: races::new_stream(), jobs: Some(jobs), shared, worker: Some(worker) })
    }

    /// Queues work.
    pub(crate) fn queue(&self, work: impl FnOnce() -> Result<(), Failure> + Send + 'static) -> Status {
        self.add(Job { work: Box::new(work), always: false })
    }

    /// Returns the place in the order of all work of what is queued now.
    pub(crate) fn queued(&self) -> Queued {
        Queued { stream: self.number, moment: races::moment() }
    }

    /// Queues an event, which is recorded even if the work before it fails.
    pub(crate) fn queue_event(&self, event: Arc<Event>) -> Status {
        event.expect();
        let (queued, number) = (event.clone(), self.number);
        let work = move || {
            queued.come(races::reached(number));
            Ok(())
        };
        let status = self.add(Job { work: Box::new(work), always: true });
        if status != SUCCESS {
            event.come(races::reached(self.number));
        }
        status
    }

    fn add(&self, job: Job) -> Status {
        let mut state = self.shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(failed) = state.failed {
            return failed;
        }
        state.waiting += 1;
        if let Some(jobs) = &self.jobs {
            // The worker outlives the sender.
            let _ = jobs.send(job);
        }
        SUCCESS
    }

    /// Waits until all work is done. Returns the status of the first failure, if any.
    pub(crate) fn wait(&self) -> Status {
        let state = self.shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        let state = self.shared.done.wait_while(state, |state| state.waiting > 0);
        let failed = state.unwrap_or_else(PoisonError::into_inner).failed;
        failed.unwrap_or(SUCCESS)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(worker) = self.worker.take() {
            let _ = worker.join();
        }
    }
}

/// An event, with the time when a stream reached it.
#[derive(Default)]
pub(crate) struct Event {
    came: Mutex<Came>,
    changed: Condvar,
    /// Work that was complete when the stream reached the event.
    known: Mutex<Known>,
}

#[derive(Clone, Copy, Default)]
enum Came {
    #[default]
    Never,
    Waiting,
    At(Instant),
}

impl Event {
    /// Marks the event as queued in a stream.
    pub(crate) fn expect(&self) {
        *self.came.lock().unwrap_or_else(PoisonError::into_inner) = Came::Waiting;
    }

    /// Returns what was done when a stream reached the event.
    pub(crate) fn known(&self) -> Known {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Marks the event as reached by the stream, which has done `known`.
    pub(crate) fn come(&self, known: Known) {
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = known;
        *self.came.lock().unwrap_or_else(PoisonError::into_inner) = Came::At(Instant::now());
        self.changed.notify_all();
    }

    /// Waits until the stream has reached the event. Returns the time, or `None` if the event was never recorded.
    pub(crate) fn wait(&self) -> Option<Instant> {
        let came = self.came.lock().unwrap_or_else(PoisonError::into_inner);
        let came = self.changed.wait_while(came, |came| matches!(came, Came::Waiting));
        match *came.unwrap_or_else(PoisonError::into_inner) {
            Came::At(when) => Some(when),
            _ => None,
        }
    }

    /// Returns `true` if the stream has reached the event, or the event was never recorded.
    pub(crate) fn is_done(&self) -> bool {
        !matches!(*self.came.lock().unwrap_or_else(PoisonError::into_inner), Came::Waiting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::LAUNCH_FAILED;

    #[test]
    fn jobs_are_done_in_order() {
        let (stream, seen) = (Stream::new().expect("a thread"), Arc::new(Mutex::new(Vec::new())));
        for number in 0..10 {
            let seen = seen.clone();
            stream.queue(move || {
                seen.lock().expect("nobody panics").push(number);
                Ok(())
            });
        }
        assert_eq!(stream.wait(), SUCCESS);
        assert!(seen.lock().expect("nobody panics").iter().copied().eq(0..10));
    }

    #[test]
    fn after_a_failure_nothing_is_done() {
        let stream = Stream::new().expect("a thread");
        stream.queue(|| Err(Failure { status: LAUNCH_FAILED, message: "on purpose".to_owned() }));
        assert_eq!(stream.wait(), LAUNCH_FAILED);
        assert_eq!(stream.queue(|| panic!("this must not run after a failure")), LAUNCH_FAILED);
        assert_eq!(crate::status::text(LAUNCH_FAILED), c"on purpose");
    }

    #[test]
    fn events_come() {
        let (stream, event) = (Stream::new().expect("a thread"), Arc::new(Event::default()));
        assert!(event.wait().is_none() && event.is_done());
        assert_eq!(stream.queue_event(event.clone()), SUCCESS);
        assert!(event.wait().is_some() && event.is_done());
    }

    #[test]
    fn events_come_after_a_failure() {
        let (stream, event) = (Stream::new().expect("a thread"), Arc::new(Event::default()));
        stream.queue(|| {
            std::thread::sleep(std::time::Duration::from_millis(20));
            Err(Failure { status: LAUNCH_FAILED, message: "on purpose".to_owned() })
        });
        // The event is reached, whether it is queued before or after the failure.
        stream.queue_event(event.clone());
        assert!(event.wait().is_some());
        let late = Arc::new(Event::default());
        assert_eq!((stream.wait(), stream.queue_event(late.clone())), (LAUNCH_FAILED, LAUNCH_FAILED));
        assert!(late.is_done());
    }
}
