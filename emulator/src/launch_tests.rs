//! Tests that compile small kernels with the host's compiler and launch them: correct kernels, and one kernel for every
//! kind of error that a launch must detect. The tests run only on request (`-- --ignored`), and fail if the compiler is
//! missing.

use std::time::Duration;

use crate::races::Queued;
use crate::status::{Failure, ILLEGAL_ADDRESS, LAUNCH_FAILED};
use crate::trial::Trial;

/// Launches a kernel with this body. Its argument `out` has one word per thread. Returns the final content of `out`.
fn launch(body: &str, blocks: u32, threads: u32, seed: u64) -> Result<Vec<u32>, Failure> {
    let trial = Trial::new(body, (blocks * threads) as usize, false);
    trial.launch(blocks, threads, seed, Queued::default())?;
    Ok(trial.words())
}

fn fails(body: &str, status: u32, with: &str) {
    let failure = launch(body, 2, 64, 3).expect_err("it fails");
    assert!(failure.status == status && failure.message.contains(with), "{}", failure.message);
}

#[test]
#[ignore = "needs a C++ compiler: -- --ignored"]
fn threads_know_their_places() {
    for seed in 0..4 {
        let out = launch(
            "unsigned at = blockIdx.x * blockDim.x + threadIdx.x; out[at] = at * gridDim.x;",
            2,
            64,
            seed,
        );
        assert!(out.expect("it runs").into_iter().eq((0..128).map(|at| at * 2)));
    }
}

#[test]
#[ignore = "needs a C++ compiler: -- --ignored"]
fn shared_memory_is_a_blocks_own() {
    let body = "__shared__ unsigned sum; if (threadIdx.x == 0) sum = 0; __syncthreads();
        atomicAdd(&sum, blockIdx.x + 1); __syncthreads();
        out[blockIdx.x * 64 + threadIdx.x] = sum + __shfl_sync(~0u, threadIdx.x, 5) + __syncthreads_count(1);";
    for seed in 0..8 {
        let out = launch(body, 3, 64, seed).expect("it runs");
        let expected = |at: u32| 64 * (at / 64 + 1) + ((at % 64) & 32) + 5 + 64;
        assert!(out.into_iter().eq((0..192).map(expected)), "seed {seed}");
    }
}

#[test]
#[ignore = "needs a C++ compiler: -- --ignored"]
fn blocks_wait_for_each_other() {
    let body = "wp::u64* ticket = (wp::u64*)out;
        if (threadIdx.x == 0) { wp::add_release(ticket, 1); while (wp::load_acquire(ticket) < gridDim.x) {} }
        __syncthreads(); if (threadIdx.x == 1) out[2 + blockIdx.x] = wp::load_fresh(out);";
    assert_eq!(launch(body, 2, 64, 1).expect("it runs")[..4], [2, 0, 2, 2]);
    fails(
        "if (threadIdx.x == 0) while (wp::load_acquire((wp::u64*)out) < 1) {}",
        LAUNCH_FAILED,
        "a word that does not change",
    );
}

/// Ten barriers of all blocks of two launches.
const MEETS: &str = "wp::u64* ticket = (wp::u64*)out;
    for (wp::u64 round = 1; round <= 10; ++round) {
        if (threadIdx.x == 0) { wp::add_release(ticket, 1); while (wp::load_acquire(ticket) < round * 4) {} }
        __syncthreads();
    }
    if (threadIdx.x == 1) atomicAdd(&out[2], 1);";

#[test]
#[ignore = "needs a C++ compiler: -- --ignored"]
fn launches_wait_for_each_other() {
    let trials = [0, 1].map(|_| Trial::new(MEETS, 8, false));
    let out = trials[0].out;
    for seed in 0..8 {
        trials[0].reset();
        std::thread::scope(|scope| {
            let begin = |(device, trial)| {
                let patience = Duration::from_secs(60);
                move || Trial::launch_beside(trial, out, (device, 2), seed, Queued::default(), patience)
            };
            let launches = [0, 1].map(|device| scope.spawn(begin((device, &trials[device as usize]))));
            for launch in launches {
                launch.join().expect("the thread does not panic").expect("it runs");
            }
        });
        assert_eq!(trials[0].words()[..3], [40, 0, 4], "seed {seed}");
    }
    trials[0].reset();
    let alone = trials[0]
        .launch_beside(out, (0, 2), 1, Queued::default(), Duration::from_millis(20))
        .expect_err("the other launch is missing");
    assert!(alone.message.contains("a word that does not change"), "{}", alone.message);
}

#[test]
#[ignore = "needs a C++ compiler: -- --ignored"]
fn orders_differ_by_seed_and_are_the_same_again() {
    let body = "__shared__ unsigned turn; if (threadIdx.x == 0) turn = 0; __syncthreads();
        out[blockIdx.x * 64 + threadIdx.x] = atomicAdd(&turn, 1);";
    let orders: Vec<_> = (0..6).map(|seed| launch(body, 2, 64, seed).expect("it runs")).collect();
    assert_eq!(orders[1], launch(body, 2, 64, 1).expect("it runs"));
    assert!(orders.iter().any(|order| *order != orders[0]));
}

#[test]
#[ignore = "needs a C++ compiler: -- --ignored"]
fn what_hangs_is_found() {
    fails(
        "if (threadIdx.x < 40) __syncthreads(); else __shfl_sync(1u << (threadIdx.x & 31) | 1, 0, 0);",
        LAUNCH_FAILED,
        "no thread can continue",
    );
    fails(
        "if (threadIdx.x & 1) __syncthreads();\nelse __syncthreads();",
        LAUNCH_FAILED,
        "different barriers",
    );
    fails("if (threadIdx.x == 3) return; __syncwarp();", LAUNCH_FAILED, "has ended");
}

#[test]
#[ignore = "needs a C++ compiler: -- --ignored"]
fn lanes_that_do_not_meet_are_found() {
    fails(
        "if (threadIdx.x & 1) __ballot_sync(~0u, 1);\nelse __ballot_sync(~0u, 0);",
        LAUNCH_FAILED,
        "different positions",
    );
    fails("__shfl_sync(1u << (threadIdx.x & 31), 1, 40 + threadIdx.x);", LAUNCH_FAILED, "does not include");
}

#[test]
#[ignore = "needs a C++ compiler: -- --ignored"]
fn faults_are_found() {
    fails("out[words + threadIdx.x] = 1;", ILLEGAL_ADDRESS, "of an allocation of 512 bytes, at ");
    fails("if (blockIdx.x == 1) *(volatile int*)8 = 0;", ILLEGAL_ADDRESS, "block 1");
    let wild = "unsigned pair[2]; wp::load_two(wp::requested_shared_memory() + 8 * threadIdx.x, pair); out[0] = pair[1];";
    fails(wild, LAUNCH_FAILED, "outside the shared memory");
    let behind = "if (threadIdx.x == 7) out[0] = wp::requested_room()[emulator::machine.requested_bytes];";
    fails(behind, ILLEGAL_ADDRESS, "outside the shared memory");
    fails("if (threadIdx.x == 9) __trap();", LAUNCH_FAILED, "thread 9");
}

#[test]
#[ignore = "needs a C++ compiler: -- --ignored"]
fn threads_leave_early() {
    let body = "if (blockIdx.x == 1) { __syncthreads(); wp::leave_kernel(); }\n\
                if (threadIdx.x == 5) wp::leave_kernel(); __syncthreads(); atomicAdd(out, 1u);";
    assert_eq!(launch(body, 2, 64, 1).expect("it runs")[0], 63);
}
