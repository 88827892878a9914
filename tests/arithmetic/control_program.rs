//! A program with every construct of control flow, one operation each: names and patterns, branches, loops.
//! `docs/language.md` lists the constructs of the language. Those that are not control flow are in
//! `value_program.rs`.

// Every construct must be translated, including clumsy ones.
#![allow(
    clippy::all,
    clippy::pedantic,
    clippy::todo,
    clippy::unimplemented,
    clippy::unreachable,
    reason = "clumsy constructs are tested on purpose"
)]

use wolfpath::edge_program;

/// Number of operations of the program. `e.source % 128` selects one.
pub(crate) const OPERATIONS: u64 = 40;

#[edge_program]
pub(crate) mod control {
    use wolfpath::prelude::*;

    #[derive(Clone, Copy)]
    pub(crate) struct Control;

    pub(crate) struct Point {
        x: i64,
        y: i64,
    }

    const LIMIT: i64 = 10;
    const TABLE: [i64; 5] = [3, 1, 4, 1, 5];

    impl Point {
        fn new(x: i64, y: i64) -> Point {
            Point { x, y }
        }
    }

    fn next_number(n: &mut i64) -> usize {
        *n += 1;
        2
    }

    fn half(a: i64) -> Option<i64> {
        if a % 2 == 0 { Some(a / 2) } else { None }
    }

    fn first_factor(a: i64) -> i64 {
        let n = a.unsigned_abs() % 1000;
        for d in 2..=31u64 {
            if d < n && n % d == 0 {
                return d as i64;
            }
        }
        -1
    }

    fn ends(a: i64) -> [i64; 2] {
        [a - 1, a + 1]
    }

    fn divmod(a: i64, b: i64) -> (i64, i64) {
        (a / b, a % b)
    }

    fn bindings(operation: u64, a: i64, b: i64) -> i64 {
        match operation {
            0 => {
                let x: i64 = a;
                let x = x.wrapping_add(1);
                let mut y = x;
                y ^= b;
                y
            }
            1 => {
                let late;
                if a > b {
                    late = a;
                } else {
                    late = b;
                }
                late
            }
            2 => {
                let (q, r) = divmod(a, b);
                q ^ r
            }
            3 => {
                let ((x, _), [y, .., z]) = ((a, 1u8), [b, 2, 3, 4]);
                x ^ y ^ z
            }
            4 => {
                let Point { x, y: other } = Point::new(a, b);
                x & other
            }
            5 => {
                let Some(h) = half(a) else { return -7 };
                h
            }
            6 => {
                let value = {
                    let x = a & 15;
                    x * 2
                };
                value | 1
            }
            7 => {
                if a > 3 && b > 3 || a == b {
                    1
                } else {
                    0
                }
            }
            8 => match half(a) {
                Some(h) if h > 5 => h,
                Some(h) => -h,
                None => 0,
            },
            9 => {
                if let Some(h) = half(a)
                    && let Some(g) = half(b)
                    && h != g
                {
                    h ^ g
                } else {
                    -3
                }
            }
            10 => {
                let whole @ (x, y) = (a, b);
                (whole.0 ^ x) | (whole.1 ^ y)
            }
            _ => matching(operation, a, b),
        }
    }

    fn matching(operation: u64, a: i64, b: i64) -> i64 {
        match operation {
            11 => match a {
                i64::MIN..=-1 => -1,
                0 => 0,
                1 | 3 | 5 => 1,
                n @ 6..=10 if n != b => n,
                LIMIT => 9,
                6.. => 2,
                _ => 3,
            },
            12 => match (a > 0, b > 0) {
                (true, true) => 1,
                (true, false) => 2,
                (false, positive) => positive as i64,
            },
            13 => match (half(a), half(b)) {
                (Some(x), None) | (None, Some(x)) => x,
                (Some(x), Some(y)) if x < y => y,
                (Some(x), Some(_)) => x,
                (None, None) => 0,
            },
            14 => match Point::new(a, b) {
                Point { x: 0, .. } => 0,
                Point { x, y: 1..=100 } => x,
                Point { y, .. } => y,
            },
            15 => match [a & 1, b & 1] {
                [0, 0] => 10,
                [1, x] => x,
                [_, x] => x + 20,
            },
            16 => matches!(a, 1..=9 | -5) as i64 + matches!(half(b), Some(h) if h > 0) as i64,
            17 => match a as f32 {
                0.0 => 1,
                x if x < 0.5 => 2,
                _ => 3,
            },
            18 => match Some(Some(a)) {
                Some(Some(x)) if x == b => 1,
                Some(Some(-1)) => 2,
                Some(inner) => inner.unwrap_or(0) & 7,
                None => 4,
            },
            19 => match a == b {
                true => 1,
                false => 0,
            },
            _ => looping(operation, a, b),
        }
    }

    fn looping(operation: u64, a: i64, b: i64) -> i64 {
        let n = a & 31;
        match operation {
            20 => {
                let mut left = n;
                let mut turns = 0;
                while left > 0 {
                    left /= 2;
                    turns += 1;
                }
                turns
            }
            21 => {
                let mut i = 0;
                loop {
                    i += 3;
                    if i > n {
                        break i;
                    }
                }
            }
            22 => {
                let mut sum = 0i64;
                for i in 0..n {
                    if i == 5 {
                        continue;
                    }
                    if i > 20 {
                        break;
                    }
                    sum += i * i;
                }
                sum
            }
            23 => {
                let mut sum = 0i64;
                for i in (0..=n).rev().step_by(3) {
                    sum = sum * 2 + i;
                }
                sum
            }
            24 => {
                let mut sum = 0i64;
                for i in ((b & 7) as i32..n as i32).step_by(2).rev() {
                    sum = sum * 2 + i64::from(i);
                }
                sum
            }
            25 => {
                let mut found = -1;
                'outer: for i in 0..n {
                    for j in 0..i {
                        if i * j == (b & 63) {
                            found = i;
                            break 'outer;
                        }
                        if j > 4 {
                            continue 'outer;
                        }
                    }
                    found = -2;
                }
                found
            }
            26 => {
                let value = 'search: {
                    for i in 1..100i64 {
                        if i * i > n {
                            break 'search i;
                        }
                    }
                    -1
                };
                value
            }
            27 => {
                let mut next = half(a);
                let mut turns = 0;
                while let Some(h) = next
                    && turns < 70
                {
                    next = half(h);
                    turns += 1;
                }
                turns
            }
            28 => {
                let mut last = 0u8;
                for i in 250..=255u8 {
                    last = last.wrapping_add(i);
                }
                last as i64
            }
            29 => {
                let mut sum = 0;
                for _ in 0..3 {
                    sum += 1;
                }
                for i in (0..3).rev() {
                    sum += i;
                }
                for i in -128..=127i8 {
                    sum += i as i32 & 1;
                }
                sum as i64
            }
            30 => first_factor(a),
            31 => {
                let mut i = 10u32;
                let out = loop {
                    if i == 0 {
                        break -1;
                    }
                    i -= 1;
                    match i as i64 == n {
                        true => break i as i64,
                        false => continue,
                    }
                };
                out
            }
            32 => {
                let mut all = 0;
                for i in (0..10).step_by((b & 3) as usize) {
                    all += i;
                }
                all
            }
            _ => walking(operation, a, b),
        }
    }

    fn walking(operation: u64, a: i64, b: i64) -> i64 {
        match operation {
            33 => {
                let mut sum = 0i64;
                for (i, x) in [(1, a), (2, b)] {
                    sum ^= x.wrapping_mul(i);
                }
                for x in TABLE.iter() {
                    sum ^= *x;
                }
                sum
            }
            34 => {
                let mut rows = [[a, b], [b, 1]];
                for row in &mut rows {
                    for number in row.iter_mut() {
                        *number ^= 5;
                    }
                    for number in row {
                        *number = number.rotate_left(3);
                    }
                }
                rows[0][0] ^ rows[0][1].rotate_left(5) ^ rows[1][0] ^ rows[1][1]
            }
            35 => {
                let mut numbers = [a, b, 3];
                for (at, number) in numbers.iter_mut().enumerate() {
                    *number = number.rotate_left(at as u32);
                }
                let mut sum = 0i64;
                for (at, number) in numbers.iter().enumerate() {
                    sum ^= number.wrapping_mul(at as i64);
                }
                for (at, number) in numbers.into_iter().enumerate() {
                    sum ^= number.wrapping_add(at as i64);
                }
                sum
            }
            36 => {
                // Indices that are array elements and are read again in every iteration.
                let (rows, columns) = ([1usize, 0, 2, 1], [0usize, 1, 1, 1]);
                let grid = [[b & 7, a & 3], [a & 7, b & 3], [3, 1]];
                let mut i = 0;
                while grid[rows[i]][columns[i]] > 0 {
                    i += 1;
                }
                i as i64
            }
            37 => {
                // Elements that may only be read if the condition to their left allows it.
                let (rows, columns) = ([1usize, 0, 3], [0usize, 1, 2]);
                let grid = [[b & 7, a & 3], [a & 7, b & 3]];
                let i = (a & 15) as usize;
                let below = i < 3 && grid[rows[i]][columns[i]] > 2;
                let pair = i >= 2 || ends(b)[rows[i]] > a;
                i64::from(below) + 2 * i64::from(pair)
            }
            38 => {
                let (rows, columns) = ([1usize, 0, 3], [0usize, 1, 2]);
                let grid = [[b & 7, a & 3], [a & 7, b & 3]];
                match (a & 3) as usize {
                    0 => b,
                    i if grid[rows[i]][columns[i]] > 2 => 1,
                    i if i == 1 => 2,
                    _ => 3,
                }
            }
            _ => {
                let mut n = a & 15;
                let mut sum = 0;
                for i in (0..n).step_by(next_number(&mut n)) {
                    sum = sum * 3 + i;
                }
                sum ^ n
            }
        }
    }
    impl EdgeProgram for Control {
        type Value = i64;
        type Message = i64;
        type Weight = i64;
        type Combine = Sum;

        fn start(&self, v: Vertex) -> i64 {
            // Any number, including small ones.
            v.id.wrapping_mul(0x9E37_79B9_7F4A_7C15) as i64 >> (v.id % 61)
        }

        fn edge(&self, e: Edge<i64, i64>) -> i64 {
            let Edge { value, weight, .. } = e;
            bindings(e.source % 128, value, weight)
        }
    }
}
