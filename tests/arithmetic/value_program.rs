//! A program with every construct of the language other than control flow, one operation each: structs, enums, arrays,
//! places and references, options, constructs that stop a program, and random numbers. `control_program.rs` has the
//! control flow.

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
pub(crate) const OPERATIONS: u64 = 65;

#[edge_program]
pub(crate) mod values {
    use wolfpath::prelude::*;
    use wolfpath::program;

    #[derive(Clone, Copy)]
    pub(crate) struct Values;

    #[derive(Clone, Copy, PartialEq, PartialOrd)]
    pub(crate) struct Point {
        x: i64,
        y: i64,
    }

    pub(crate) struct Line {
        from: Point,
        to: Point,
        marks: [u32; 4],
        side: Side,
        up: bool,
    }

    #[derive(PartialEq, PartialOrd)]
    pub(crate) enum Side {
        Left,
        Right = 5,
        Both,
    }

    const SEED: u64 = random(1, 2, 3);
    const LENGTH: usize = 2 + SOME;
    const SOME: usize = 3;
    const TABLE: [i64; LENGTH] = [3, 1, 4, 1, 5];

    /// A local struct, with a type that cannot be a vertex's value.
    struct Stack {
        items: [i64; 3],
        length: usize,
        last: Option<i64>,
        mark: (u8, bool),
    }

    impl Stack {
        fn push(&mut self, number: i64) -> bool {
            if self.length == self.items.len() {
                return false;
            }
            self.items[self.length] = number;
            self.length += 1;
            self.last = Some(number);
            true
        }
    }

    fn next(at: &mut usize) -> usize {
        *at += 1;
        *at - 1
    }

    fn store(place: &mut i64, number: i64) {
        *place = number;
    }

    impl Point {
        const ORIGIN: Point = Point { x: 0, y: 0 };
        const STEP: i64 = 2;

        fn new(x: i64, y: i64) -> Point {
            Point { x, y }
        }

        fn plus(self, other: Point) -> Self {
            Self { x: self.x.wrapping_add(other.x), y: self.y.wrapping_add(other.y) }
        }

        fn norm(&self) -> i64 {
            self.x.wrapping_abs().wrapping_add(self.y.wrapping_abs())
        }

        fn flip(&mut self) {
            let x = self.x;
            self.x = self.y;
            self.y = x;
        }

        /// Uses names that could collide with names that the macro generates.
        fn turned(self, receiver: i64) -> i64 {
            self.x ^ receiver.rotate_left(7)
        }

        fn shift(&mut self, by: i64) -> i64 {
            self.x = self.x.wrapping_add(by);
            self.x
        }
    }

    impl Side {
        const FIRST: Side = Side::Left;

        fn of(a: i64) -> Side {
            if a < 0 {
                Side::Left
            } else if a > 0 {
                Side::Right
            } else {
                Self::Both
            }
        }

        fn weight(self) -> i64 {
            match self {
                Side::Left => -1,
                Side::Right => 1,
                Side::Both => 0,
            }
        }
    }

    impl Values {
        const BASE: i64 = 7;

        fn scaled(&self, a: i64) -> i64 {
            a.wrapping_mul(Self::BASE)
        }
    }

    fn bump(place: &mut i64, by: i64) -> i64 {
        *place = place.wrapping_add(by);
        *place
    }

    fn clear(places: &mut [i64; 3], at: usize) {
        places[at] = 0;
    }

    fn sum(values: &[i64; 5]) -> i64 {
        let mut sum = 0i64;
        for value in values {
            sum = sum.wrapping_add(*value);
        }
        sum
    }

    fn half(a: i64) -> Option<i64> {
        if a % 2 == 0 { Some(a / 2) } else { None }
    }

    fn quarter(a: i64) -> Option<i64> {
        let once = half(a)?;
        Some(half(once)?)
    }

    /// Destructures both parameters.
    fn crossed((a, b): (i64, i64), (c, d): (i64, i64)) -> i64 {
        a.wrapping_mul(d) ^ b.wrapping_mul(c)
    }

    fn parts(operation: u64, a: i64, b: i64) -> i64 {
        match operation {
            0 => {
                let pair = (a, (b, 3u16));
                pair.0 ^ pair.1.0 ^ i64::from(pair.1.1)
            }
            1 => {
                let mut numbers = [0i64; 3];
                numbers[(a & 3) as usize] = b;
                numbers[1] += 5;
                clear(&mut numbers, (b & 3) as usize);
                numbers[0] ^ numbers[1] ^ numbers[2]
            }
            2 => TABLE[(a & 7) as usize],
            3 => sum(&TABLE) + TABLE.len() as i64,
            4 => {
                let mut grid = [[0u32; 3]; 2];
                grid[(a & 1) as usize][(b & 1) as usize] = 7;
                grid[1][1] += 1;
                let row = grid[1];
                (row[0] + row[1] * 10 + grid[0][0] * 100) as i64
            }
            5 => {
                let mut p = Point::new(a, b);
                p.flip();
                let shifted = p.shift(3);
                shifted ^ p.plus(Point::ORIGIN).norm()
            }
            6 => {
                let mut x = a;
                let y = x.wrapping_add(bump(&mut x, b));
                y.wrapping_add(bump(&mut x, 1)).wrapping_mul(x)
            }
            7 => {
                let mut x = a;
                let place = &mut x;
                *place ^= b;
                let look = &*place;
                *look
            }
            8 => {
                let line = Line {
                    from: Point::ORIGIN,
                    to: Point { x: a, ..Point::new(1, b) },
                    marks: [1; 4],
                    side: Side::FIRST,
                    up: a > b,
                };
                line.from.x ^ line.to.y ^ line.marks[2] as i64 ^ line.side as i64 ^ line.up as i64
            }
            9 => Point::STEP + Values::BASE + Side::Both as i64,
            10 => {
                (Point::new(a, b) == Point::new(b, a)) as i64
                    + 2 * (Point::new(a, b) < Point::new(b, a)) as i64
            }
            11 => ((a, b) <= (b, a)) as i64 + 2 * ((a & 1, b, 1u8) != (1, a, 1)) as i64,
            12 => (half(a) == half(b)) as i64 + 2 * (half(a) > half(b)) as i64 + 4 * (half(a) == None) as i64,
            13 => ([a, b] < [b, a]) as i64 + 2 * (Side::of(a) == Side::of(b)) as i64,
            14 => (Side::of(a) < Side::of(b)) as i64,
            15 => (0..10).contains(&a) as i64 + 2 * (a..=b).contains(&0) as i64,
            16 => b'a' as i64 + 0xff + 0b101 + 1_000,
            17 => {
                i64::from(a as u8) + i64::from(a as i16) + (a as i8 as u16 as i64) + (a as f32 as u8 as i64)
            }
            18 => {
                let mut p = (a, b);
                p.0 = p.1;
                p.1 ^= 1;
                p.0.wrapping_mul(p.1)
            }
            19 => {
                let mut line = [Point::new(a, b); 2];
                line[1].x = 3;
                line[0].flip();
                line[0].x ^ line[1].x ^ line[1].y
            }
            20 => {
                let u: usize = (a & 0xffff) as usize;
                let s = u as isize - 3;
                (u ^ s as usize) as i64
            }
            21 => Side::of(a).weight() * 3 + (Side::of(b) as i64),
            _ => options(operation, a, b),
        }
    }

    fn options(operation: u64, a: i64, b: i64) -> i64 {
        let x = half(a);
        match operation {
            22 => quarter(a).unwrap_or(-9),
            23 => x.map(|v| v.wrapping_add(b)).unwrap_or(1),
            24 => x.and_then(half).unwrap_or_else(|| b & 3),
            25 => x.and_then(|v| if v > b { Some(v) } else { half(b) }).map_or(-1, |v| v ^ 1),
            26 => x.is_some_and(|v| v > 3) as i64 + 2 * x.is_none_or(|v| v < b) as i64,
            27 => x.filter(|v| *v > 2).or_else(|| half(b)).map_or_else(|| 4, |v| v & 0xff),
            28 => x.filter(|&v| v != b).is_some() as i64,
            29 => (a > b).then(|| a ^ b).unwrap_or_default(),
            30 => (a > b).then_some(a).unwrap_or(b),
            31 => x.expect("an even number"),
            32 => {
                let mut kept = x;
                let taken = kept.take();
                taken.map_or(0, |v| v & 1) + kept.is_none() as i64 + kept.replace(5).is_none() as i64
            }
            33 => x.map(Some).flatten().map(i64::wrapping_neg).unwrap_or(0),
            34 => x.or(half(b)).xor(None).unwrap_or(3),
            35 => x.zip(half(b)).map_or(0, |(p, q)| p ^ q),
            _ => faults(operation, a, b),
        }
    }

    fn faults(operation: u64, a: i64, b: i64) -> i64 {
        match operation {
            36 => {
                assert!(a != 3);
                assert!(b < 100, "b is small");
                a
            }
            37 => {
                assert_eq!(a & 1, 0, "a is even");
                assert_ne!(b, 7);
                b
            }
            38 => {
                debug_assert!(a < 50);
                debug_assert_eq!(b & 1, 0);
                a ^ b
            }
            39 => match a & 3 {
                0 => 1,
                1 => panic!("one is too many"),
                2 => unreachable!(),
                _ => todo!("three"),
            },
            40 => {
                if a > b {
                    unreachable!("a above b");
                }
                if a == b {
                    unimplemented!();
                }
                half(a).unwrap()
            }
            41 => {
                let mut n = a & 15;
                let mut product = 1i64;
                while n != 0 {
                    product *= n / (b & 3);
                    n -= 1;
                }
                product
            }
            42 => {
                let at = (a & 7) as usize;
                let mut numbers = [1i64, 2, 3, 4];
                numbers[at] *= b;
                numbers[at] + numbers[0]
            }
            _ => places(operation, a, b),
        }
    }

    fn places(operation: u64, a: i64, b: i64) -> i64 {
        match operation {
            43 => {
                // The places on the left have indices that change while the right side is evaluated.
                let mut at = (a & 1) as usize;
                let mut numbers = [a, b, 3, 4];
                numbers[next(&mut at)] = {
                    at += 1;
                    b
                };
                numbers[next(&mut at) % 4] ^= numbers[at % 4];
                store(&mut numbers[at % 4], next(&mut at) as i64);
                let mut table = [[1i64, 2], [3, 4]];
                table[next(&mut at) % 2][at % 2] ^= b;
                table[0][0]
                    ^ table[1][1]
                    ^ numbers[0]
                    ^ numbers[1].rotate_left(9)
                    ^ numbers[2].rotate_left(17)
            }
            44 => {
                let mut slots = [Some(a), None, Some(3)];
                if let Some(slot) = &mut slots[(b & 1) as usize] {
                    *slot ^= b;
                }
                match &mut slots[2] {
                    Some(slot) if *slot > 2 => *slot += a & 7,
                    Some(_) => {}
                    None => {}
                }
                match &slots[1] {
                    None => slots[0].unwrap_or(1) ^ slots[2].unwrap_or(2),
                    Some(_) => 5,
                }
            }
            45 => {
                let five = (1u8, a, 2, b, 5i16) < (1, b, 2, a, 5);
                let nested = ((a, b, 1), 2) == ((b, a, 1), 2);
                let eight = (1, 2, 3, 4, 5, 6, 7, a) > (1, 2, 3, 4, 5, 6, 7, b);
                i64::from(five) + 2 * i64::from(nested) + 4 * i64::from(eight)
            }
            46 => {
                let mut stack = Stack { items: [0; 3], length: 0, last: None, mark: (7, false) };
                let pushed = stack.push(a) && stack.push(b) && stack.push(3) && stack.push(4);
                let last = stack.last;
                last.unwrap_or(9)
                    ^ stack.items[1]
                    ^ stack.length as i64
                    ^ i64::from(pushed)
                    ^ i64::from(stack.mark.0)
            }
            47 => crossed((a, b), (b, 3)) ^ Point::new(a, b).turned(b),
            48 => {
                // Three checks of three indices: the first that fails is reported.
                let (first, second, third) = ([0usize, 1, 9], [1usize, 0, 9], [0usize, 1]);
                let cube = [[[1, a], [2, b]], [[3, a], [4, 5]]];
                let (i, j, k) = ((a & 3) as usize, (b & 3) as usize, ((a ^ b) & 3) as usize);
                cube[first[i]][second[j]][third[k]]
            }
            _ => stopping(operation, a, b),
        }
    }
    /// Closures that never return.
    fn stopping(operation: u64, a: i64, b: i64) -> i64 {
        let x = half(a);
        match operation {
            49 => x.map_or_else(|| panic!("odd"), |v| v ^ b),
            50 => {
                let never: Option<i64> = x.map(|_| panic!("even"));
                never.unwrap_or(b)
            }
            51 => x.map(|_| -> i64 { todo!("even") }).is_none() as i64,
            52 => x.filter(|_| panic!("even")).unwrap_or(b),
            53 => (a > b).then(|| unreachable!("above")).unwrap_or(b),
            54 => x.and_then(|_| panic!("even")).unwrap_or(b),
            55 => x.is_some_and(|_| panic!("even")) as i64 + x.is_none_or(|_| panic!("not odd")) as i64,
            56 => x.map_or_else(|| panic!("odd"), |_| panic!("even")),
            57 => x.or_else(|| panic!("odd")).unwrap_or_else(|| unreachable!()),
            58 => x.map_or(b, |_| panic!("even")),
            59 => std::cmp::max(a, b) ^ core::cmp::min(a, 3),
            _ => random_numbers(operation, a, b),
        }
    }

    fn random_numbers(operation: u64, a: i64, b: i64) -> i64 {
        match operation {
            60 => random(a as u64, b as u64, SEED) as i64,
            61 => {
                // The arguments change what later arguments read, and can fault.
                let mut at = (a & 1) as usize;
                let index = next(&mut at) as u64;
                random(index, next(&mut at) as u64, half(b).unwrap() as u64 + (TABLE[at] / (a & 3)) as u64)
                    as i64
            }
            62 => {
                let below = half(a).map(|v| program::random(v as u64, 1, 2) % 10);
                let fraction =
                    (wolfpath::program::random(SEED, 0, b as u64) >> 11) as f64 / 9007199254740992.0;
                below.map_or(-1, |v| v as i64) + (fraction * 1000.0) as i64
            }
            63 => {
                // Arguments that may be evaluated only if the condition to their left allows it.
                let even = b > 0 && random(half(a).unwrap() as u64, (a / (b & 3)) as u64, 0) % 2 == 0;
                even as i64
            }
            _ => {
                let random = random(random(1, a as u64, 0), b as u64, 0);
                let small = (random >> 40) as f32 / 16777216.0;
                if a > b && random % 3 == 0 { (small * 1000.0) as i64 } else { random as i64 }
            }
        }
    }

    impl EdgeProgram for Values {
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
            self.scaled(parts(e.source % 128, value, weight)).wrapping_add(Self::scaled(self, 1))
        }
    }
}
