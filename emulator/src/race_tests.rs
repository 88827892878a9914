//! Tests of the race detector: small kernels that each rely on one rule of CUDA's memory model, and the same kernels with
//! the synchronization removed, which the detector must report. Like `launch_tests.rs`, they need a C++ compiler.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use crate::peers;
use crate::races::{self, Copy, Queued, check_copy};
use crate::status::LAUNCH_FAILED;
use crate::stream::{Event, Stream};
use crate::trial::Trial;

/// Orders of threads in which each kernel runs.
const SEEDS: std::ops::Range<u64> = 0..8;

/// Returns the place of a launch, after all earlier launches of `stream`.
fn after(stream: u32) -> Queued {
    Queued { stream, moment: races::moment() }
}

/// Launches a kernel with two blocks of 64 threads, in several orders. Returns the races that were found.
fn races_of(trial: &Trial) -> Vec<String> {
    let stream = races::new_stream();
    let run = |seed| {
        trial.reset();
        let failure = trial.launch(2, 64, seed, after(stream)).err()?;
        assert!(
            failure.status == LAUNCH_FAILED && failure.message.contains("a data race"),
            "{}",
            failure.message
        );
        Some(failure.message)
    };
    SEEDS.filter_map(run).collect()
}

/// Asserts that the detector reports a kernel with this body in some orders of threads.
fn is_found_in_some_orders(body: &str) {
    assert_ne!(races_of(&Trial::new(body, 256, true)), Vec::<String>::new(), "{body}");
}

/// Asserts that the detector reports a kernel with this body, in every order of threads, with these texts.
fn is_found(body: &str, texts: &[&str]) {
    let found = races_of(&Trial::new(body, 256, true));
    assert_eq!(found.len(), SEEDS.count(), "{body}: {found:?}");
    for text in texts {
        assert!(found.iter().all(|message| message.contains(text)), "{text}: {found:?}");
    }
}

fn is_silent(body: &str) {
    assert_eq!(races_of(&Trial::new(body, 256, true)), Vec::<String>::new(), "{body}");
}

#[test]
#[ignore = "needs a C++ compiler: -- --ignored"]
fn unordered_plain_accesses_are_races() {
    is_found(
        "out[0] = 1;",
        &["this plain write, at test.cu:2", "a plain write by block ", "byte 0 of an allocation"],
    );
    is_found("if (threadIdx.x % 64 == 5) out[0] += 1;", &["thread 5", "test.cu:2", "launch seed"]);
    is_found("if (blockIdx.x) out[1] = 1;\nelse out[2] = out[1];", &["plain", "test.cu:"]);
    is_found("struct Four { unsigned word[4]; }; ((Four*)out)[blockIdx.x] = ((Four*)out)[1];", &["plain"]);
    is_found("unsigned three[3]; memcpy(three, out + blockIdx.x, 12); out[1] = three[0];", &["plain"]);
    is_silent("out[blockIdx.x * 64 + threadIdx.x] = 1;");
    is_silent("if (out[threadIdx.x] == 0) out[128 + blockIdx.x * 64 + threadIdx.x] = out[3];");
    // Bytes of a word are separate.
    is_silent("((unsigned char*)out)[blockIdx.x * 64 + threadIdx.x] = 1;");
}

#[test]
#[ignore = "needs a C++ compiler: -- --ignored"]
fn faults_have_positions_with_the_detector() {
    for body in ["out[words + threadIdx.x] = 1;", "out[0] = out[words + 1];"] {
        let trial = Trial::new(body, 256, true);
        let failure = trial.launch(1, 1, 1, after(races::new_stream())).expect_err("it fails");
        assert!(
            failure.message.contains("of an allocation of 1024 bytes, at test.cu:2"),
            "{}",
            failure.message
        );
    }
}

#[test]
#[ignore = "needs a C++ compiler: -- --ignored"]
fn strong_accesses_of_one_size_are_no_races() {
    is_silent("atomicAdd(out, 1u); if (wp::load_fresh(out) > 3) wp::store_relaxed(out + 1, 1u);");
    is_found("atomicAdd(out, 1u); out[1] = out[0];", &["plain"]);
    is_found(
        "if (threadIdx.x) atomicAdd(out, 1u);\nelse atomicAdd((wp::u64*)out, 1ull);",
        &["relaxed atomic"],
    );
}

#[test]
#[ignore = "needs a C++ compiler: -- --ignored"]
fn barriers_order_a_block_and_syncwarp_a_warp() {
    let exchange = |barrier: &str| {
        format!(
            "unsigned at = blockIdx.x * 64 + threadIdx.x; out[at] = at;\n{barrier};\n\
             if (out[at ^ {}] == at) __trap();",
            if barrier.contains("threads") { 63 } else { 31 }
        )
    };
    is_silent(&exchange("__syncthreads()"));
    is_silent(&exchange("__syncthreads_or(1)"));
    is_silent(&exchange("__syncwarp()"));
    // Shuffles and votes do not order memory.
    is_found(&exchange("__ballot_sync(~0u, 1)"), &["test.cu:"]);
    is_found(&exchange("__shfl_sync(~0u, at, 0)"), &["test.cu:"]);
    // Barriers of different blocks order nothing between them.
    is_found(
        "if (blockIdx.x == 0) out[0] = 1; __syncthreads(); if (blockIdx.x == 1) out[1] = out[0];",
        &["block"],
    );
    // Half of a warp.
    is_found(
        "if (threadIdx.x < 16) { out[0] = 1; __syncwarp(0xffff); } else if (threadIdx.x < 32) out[1] = out[0];",
        &[],
    );
}

/// Thread 0 of block 0 passes a word to another thread, which reads it if it runs later.
fn message(written: &str, read: &str, to: &str) -> String {
    format!(
        "if (blockIdx.x == 0 && threadIdx.x == 0) {{ out[0] = 7; {written}\n wp::store_relaxed(out + 1, 1u); }}\n\
         else if ({to} && wp::load_fresh(out + 1) == 1) {{\n {read} out[2] = out[0]; }}"
    )
}

#[test]
#[ignore = "needs a C++ compiler: -- --ignored"]
fn a_removed_fence_is_found() {
    let (fence, small) = ("__threadfence();", "__threadfence_block();");
    let other_block = "blockIdx.x == 1 && threadIdx.x == 0";
    let same_block = "blockIdx.x == 0 && threadIdx.x == 40";
    is_silent(&message(fence, fence, other_block));
    is_silent(&message("__threadfence_system();", fence, other_block));
    is_silent(&message(small, small, same_block));
    for (written, read) in [("", fence), (fence, ""), ("", ""), (small, fence), (fence, small)] {
        is_found_in_some_orders(&message(written, read, other_block));
    }
    is_found_in_some_orders(&message("", "", same_block));
}

/// A barrier of all blocks.
fn barrier(arrive: &str, wait: &str) -> String {
    format!(
        "unsigned at = blockIdx.x * 64 + threadIdx.x; out[4 + at] = at; __syncthreads();\n\
         if (threadIdx.x == 0) {{ {arrive}((wp::u64*)out, 1ull); while ({wait}((wp::u64*)out) < gridDim.x) {{}} }}\n\
         __syncthreads(); if (out[4 + 127 - at] != 127 - at) __trap();"
    )
}

#[test]
#[ignore = "needs a C++ compiler: -- --ignored"]
fn a_removed_release_or_acquire_is_found() {
    is_silent(&barrier("wp::add_release", "wp::load_acquire"));
    is_found(&barrier("wp::add_release", "wp::load_fresh"), &["plain", "test.cu:2", "test.cu:4"]);
    is_found(&barrier("atomicAdd", "wp::load_acquire"), &["plain", "test.cu:2", "test.cu:4"]);
}

#[test]
#[ignore = "needs a C++ compiler: -- --ignored"]
fn a_removed_acquire_in_the_kernels_is_found() {
    let grid = include_str!("../../kernels/include/grid.cuh");
    let found = |grid: &str| {
        let headers = [
            ("types.cuh", include_str!("../../kernels/include/types.cuh")),
            ("machine.cuh", include_str!("../../kernels/include/machine.cuh")),
            ("delays.cuh", include_str!("../../kernels/include/delays.cuh")),
            ("grid.cuh", grid),
        ];
        let headers: String = headers
            .iter()
            .map(|(name, text)| format!("#line 1 \"{name}\"\n{}\n", text.replace("#pragma once", "")))
            .collect();
        let body = "unsigned at = blockIdx.x * 64 + threadIdx.x; wp::u64* ticket = (wp::u64*)out; wp::begin_barriers();
            for (unsigned step = 1; step < 4; ++step) {
                out[8 + at] = step; wp::grid_barrier(ticket, ticket, out + 4);
                if (out[8 + 127 - at] != step) __trap(); wp::grid_barrier(ticket, ticket, out + 4);
            }";
        races_of(&Trial::of_text(&headers, body, 256, true))
    };
    assert_eq!(found(grid), Vec::<String>::new());
    for (right, wrong) in [
        ("load_acquire(ticket)", "load_fresh(ticket)"),
        ("add_release(ticket, 1)", "atomicAdd(ticket, 1ull)"),
    ] {
        assert!(grid.contains(right));
        let found = found(&grid.replace(right, wrong));
        assert_eq!(found.len(), SEEDS.count(), "{wrong}");
        assert!(found.iter().all(|message| message.contains("test.cu:")), "{found:?}");
    }
}

#[test]
#[ignore = "needs a C++ compiler: -- --ignored"]
fn a_plain_store_to_a_mark_is_found() {
    let claim = |store: &str| format!("if (wp::load_stale(out + threadIdx.x) != 3) {store};");
    is_silent(&claim("atomicExch(out + threadIdx.x, 3u)"));
    is_silent(&claim("wp::store_relaxed(out + threadIdx.x, 3u)"));
    is_found(&claim("out[threadIdx.x] = 3"), &["this plain write", "a plain write by block"]);
}

#[test]
#[ignore = "needs a C++ compiler: -- --ignored"]
fn stale_reads_return_what_may_still_be_seen() {
    // The reader has acquired the 1. It knows that the 3 was written, but has not acquired it: the addition is relaxed.
    let body = "if (blockIdx.x == 0 && threadIdx.x == 0) {
            wp::store_relaxed(out + 4, 1u); wp::add_release((wp::u64*)out, 1);
            wp::store_relaxed(out + 4, 2u); wp::store_relaxed(out + 4, 3u); atomicAdd((wp::u64*)out + 1, 1ull);
        } else if (blockIdx.x == 1 && threadIdx.x == 0) {
            while (wp::load_acquire((wp::u64*)out) == 0) {}
            while (wp::load_acquire((wp::u64*)out + 1) == 0) {}
            for (unsigned i = 0; i < 8; ++i) out[8 + i] = wp::load_stale(out + 4);
            atomicMax(out + 4, 3u);
            for (unsigned i = 0; i < 8; ++i) out[16 + i] = wp::load_stale(out + 4);
        }
        __syncthreads();
        if (blockIdx.x == 1) out[64 + threadIdx.x] = wp::load_stale(out + 4);";
    let trial = Trial::new(body, 256, true);
    let (mut seen, stream) = (BTreeSet::new(), races::new_stream());
    for seed in SEEDS {
        trial.reset();
        trial.launch(2, 64, seed, after(stream)).expect("stale reads are permitted");
        let words = trial.words();
        seen.extend(words[8..16].iter().copied());
        assert!(words[16..24].iter().all(|&word| word == 3), "a thread sees its own writes");
        assert!(words[64..128].iter().all(|&word| word == 3), "a barrier passes them on");
    }
    assert_eq!(seen, BTreeSet::from([1, 2, 3]), "every value since the acquire, none before");
}

#[test]
#[ignore = "needs a C++ compiler: -- --ignored"]
fn an_early_reuse_of_a_buffer_is_found() {
    let reader = Trial::new("if (threadIdx.x == 0) out[128 + blockIdx.x] = out[1];", 256, true);
    let (one, two) = (Stream::new().expect("a thread"), Stream::new().expect("a thread"));
    let next = |stream: &Stream| {
        let (name, host) = ("copy to the device", [0u32; 4]);
        let copy = Copy { name, from: Some(host.as_ptr() as usize), to: reader.out, bytes: 16 };
        check_copy(&copy, stream.queued(), |_| false)
    };
    let run = || reader.launch(2, 64, 1, one.queued()).map_err(|failure| failure.message);
    assert_eq!((next(&one), run()), (Ok(()), Ok(())), "a stream is in order");
    let found = next(&two).expect_err("nothing orders the streams");
    assert!(
        found.contains("the write of a copy to the device is not ordered with a copy to the device"),
        "{found}"
    );
    races::host_waits_for(one.number);
    assert_eq!(run(), Ok(()));
    let found = next(&two).expect_err("the host has not waited for the launch");
    for text in ["the write of a copy to the device", "a plain read by block", "test.cu:2", "byte 4 of"] {
        assert!(found.contains(text), "{found}");
    }
    let event = Arc::new(Event::default());
    one.queue_event(event.clone());
    event.wait();
    races::stream_waits(two.number, &event.known());
    assert_eq!(next(&two), Ok(()), "stream two has waited for the event");
    let found = run().expect_err("stream one has not waited for the copy");
    assert!(found.contains("a copy to the device, which writes the memory"), "{found}");
    races::host_waits_for(two.number);
    assert_eq!(run(), Ok(()), "the host has waited for the copy");
}

#[test]
#[ignore = "needs a C++ compiler: -- --ignored"]
fn launches_of_two_streams_are_not_ordered() {
    let trial = Trial::new("if (threadIdx.x == 0) atomicAdd(out + 1 + blockIdx.x, out[0] + 1);", 64, true);
    let (one, two) = (Stream::new().expect("a thread"), Stream::new().expect("a thread"));
    let run = |stream: &Stream| trial.launch(2, 64, 1, stream.queued()).map_err(|failure| failure.message);
    assert_eq!((run(&one), run(&two)), (Ok(()), Ok(())), "atomics of two launches");
    let plain = Trial::new("if (threadIdx.x == 0 && blockIdx.x == 0) out[0] = 1;", 64, true);
    let run = |stream: &Stream| plain.launch(2, 64, 1, stream.queued()).map_err(|failure| failure.message);
    assert_eq!(run(&one), Ok(()));
    assert!(run(&two).expect_err("not ordered").contains("of another launch, of test, at test.cu:2"));
    races::host_waits_for(one.number);
    assert_eq!(run(&two), Ok(()));
}

#[test]
fn copies_of_a_staging_buffer_are_ordered_by_events() {
    let (one, two) = (Stream::new().expect("a thread"), Stream::new().expect("a thread"));
    let host = vec![0u8; 4096];
    let array = [0, 1].map(|_| {
        crate::memory::allocate(4096, crate::memory::Owner::Device(0)).expect("the device has enough memory")
    });
    let at = host.as_ptr() as usize;
    let up = Copy { name: "copy to the device", from: Some(at), to: array[0], bytes: 4096 };
    let down = Copy { name: "copy from the device", from: Some(array[1]), to: at + 100, bytes: 10 };
    assert_eq!(check_copy(&up, one.queued(), |_| true), Ok(()));
    assert!(
        check_copy(&down, two.queued(), |_| true).expect_err("not ordered").contains("copy to the device")
    );
    races::host_waits_for(one.number);
    assert_eq!(check_copy(&down, two.queued(), |_| true), Ok(()));
    races::unlock(at..at + 4096);
    assert!(array.into_iter().all(crate::memory::free));
}

/// Runs two launches on two devices at the same time, over the same array, in several orders. Returns the failures.
fn failures_of_two(body: &str) -> Vec<String> {
    let trials = [0, 1].map(|_| Trial::new(body, 256, true));
    let out = trials[0].out;
    let run = |seed| {
        trials[0].reset();
        let streams = [races::new_stream(), races::new_stream()];
        let failures = std::thread::scope(|scope| {
            let launches = [0, 1].map(|device: u32| {
                let (trial, queued) = (&trials[device as usize], after(streams[device as usize]));
                let patience = Duration::from_secs(2);
                scope.spawn(move || trial.launch_beside(out, (device, 1), seed, queued, patience).err())
            });
            launches.map(|launch| launch.join().expect("the thread does not panic"))
        });
        streams.into_iter().for_each(races::host_waits_for);
        // After a race, the other launch waits in vain.
        let messages = failures.into_iter().flatten().map(|failure| failure.message);
        messages.max_by_key(|message| message.contains("a data race"))
    };
    SEEDS.filter_map(run).collect()
}

/// The thread 0 of each launch adds to `out`, then waits for the other launch by these functions, then reads what the other
/// one wrote.
fn meeting(add: &str, load: &str, write: &str) -> String {
    format!(
        "wp::u64* ticket = (wp::u64*)out; __shared__ unsigned own;
        if (threadIdx.x == 0) own = atomicAdd_system(out + 2, 1u);
        __syncthreads();
        {write};
        __syncthreads();
        if (threadIdx.x == 0) {{ wp::{add}(ticket, 1); while (wp::{load}(ticket) < 2) {{}} }}
        __syncthreads();
        if (out[8 + (own ^ 1) * 64 + threadIdx.x] != threadIdx.x) __trap();"
    )
}

#[test]
#[ignore = "needs a C++ compiler: -- --ignored"]
fn devices_meet_at_system_scope_only() {
    peers::enable(1, 0);
    let write = "out[8 + own * 64 + threadIdx.x] = threadIdx.x";
    let met = meeting("add_released_system", "load_acquire_system", write);
    assert_eq!(failures_of_two(&met), Vec::<String>::new());
    for (add, load) in [("add_release", "load_acquire_system"), ("add_released_system", "load_acquire")] {
        let found = failures_of_two(&meeting(add, load, write));
        assert!(found.iter().all(|message| message.contains("a data race")), "{found:?}");
        assert_eq!(found.len(), SEEDS.count(), "{add} {load}");
    }
    // What a device has learned from another one is passed on by its own barriers.
    let late = meeting("add_released_system", "load_acquire_system", write)
        + "out[8 + (own ^ 1) * 64 + (threadIdx.x + 1) % 64] = 5;";
    assert_eq!(failures_of_two(&late).len(), SEEDS.count(), "after the meeting, nothing is ordered");
}

#[test]
#[ignore = "needs a C++ compiler: -- --ignored"]
fn atomics_of_device_scope_race_with_those_of_other_devices() {
    peers::enable(1, 0);
    assert_eq!(failures_of_two("atomicAdd_system(out, 1u);"), Vec::<String>::new());
    assert_eq!(failures_of_two("wp::store_relaxed(out, 1u);"), Vec::<String>::new());
    let found = failures_of_two("atomicAdd(out, 1u);");
    assert!(!found.is_empty() && found.iter().all(|message| message.contains("relaxed atomic")), "{found:?}");
}

#[test]
#[ignore = "needs a C++ compiler: -- --ignored"]
fn access_to_peers_must_be_enabled() {
    let trial = Trial::new("out[threadIdx.x] = 1;", 256, true);
    let refused = |device: u32, array| {
        let queued = after(races::new_stream());
        let failure = trial.launch_beside(array, (device, 1), 1, queued, Duration::from_secs(60));
        let message = failure.expect_err("the device may not access the memory").message;
        let expected = format!("another device than {device}, which may not access it");
        assert!(message.contains(&expected), "{message}");
    };
    refused(5, trial.out);
    // Memory of a stream's pool belongs to its device alone.
    peers::enable(6, 0);
    refused(6, crate::memory::allocate(4096, crate::memory::Owner::Pool(0)).expect("there is memory"));
}
