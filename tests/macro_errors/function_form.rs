//! The function form: its attribute and its signature.
#![allow(unused)]
use wolfpath::prelude::*;

#[edge_program]
fn no_combiner(depth: u32) -> u32 {
    depth + 1
}

#[edge_program(combine = least)]
fn unknown_combiner(depth: u32) -> u32 {
    depth + 1
}

#[edge_program(combine = min, along = up)]
fn unknown_direction(depth: u32) -> u32 {
    depth + 1
}

#[edge_program(combine = min, fast)]
fn unknown_argument(depth: u32) -> u32 {
    depth + 1
}

#[edge_program(combine = min)]
fn generic<T: Copy>(value: T) -> T {
    value
}

#[edge_program(combine = min)]
fn three(value: u32, weight: u32, more: u32) -> u32 {
    value + weight + more
}

#[edge_program(combine = min)]
fn no_result(value: u32) {}

#[edge_program(combine = min)]
fn other_message(value: u32) -> f32 {
    value as f32
}

#[edge_program(combine = sum)]
fn no_sum_of_bool(value: bool) -> bool {
    value
}

#[edge_program(combine = min)]
fn not_a_datum(value: u8) -> u8 {
    value
}

#[edge_program(combine = min)]
fn by_reference(value: &u32) -> u32 {
    *value
}

#[edge_program(combine = min)]
#[cfg_attr(all(), inline)]
fn named_größe(größe: u32) -> u32 {
    größe
}

#[edge_program(combine = min)]
struct NotAFunction;

fn main() {}
