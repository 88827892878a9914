//! One program that has every construct of the language, each as one operation: `docs/programming.md` has the table.

// Every construct is to be translated, the clumsy ones too.
#![allow(
    clippy::all,
    clippy::pedantic,
    clippy::todo,
    clippy::unimplemented,
    clippy::unreachable,
    reason = "constructs to translate, not to admire"
)]

use wolfpath::edge_program;

/// How many operations the program has; `e.source % 128` says which is meant.
pub(crate) const OPERATIONS: u64 = 86;

#[edge_program]
pub(crate) mod language {
    use wolfpath::prelude::*;

    #[derive(Clone, Copy)]
    pub(crate) struct Language;

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

    const LIMIT: i64 = 10;
    const LENGTH: usize = 2 + SOME;
    const SOME: usize = 3;
    const TABLE: [i64; LENGTH] = [3, 1, 4, 1, 5];

    /// A local: it could not be kept.
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

    fn next_number(n: &mut i64) -> usize {
        *n += 1;
        2
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

    impl Language {
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

    fn first_factor(a: i64) -> i64 {
        let n = a.unsigned_abs() % 1000;
        for d in 2..=31u64 {
            if d < n && n % d == 0 {
                return d as i64;
            }
        }
        -1
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
            13 => Side::of(a).weight() * 3 + (Side::of(b) as i64),
            14 => match (half(a), half(b)) {
                (Some(x), None) | (None, Some(x)) => x,
                (Some(x), Some(y)) if x < y => y,
                (Some(x), Some(_)) => x,
                (None, None) => 0,
            },
            15 => match Point::new(a, b) {
                Point { x: 0, .. } => 0,
                Point { x, y: 1..=100 } => x,
                Point { y, .. } => y,
            },
            16 => match [a & 1, b & 1] {
                [0, 0] => 10,
                [1, x] => x,
                [_, x] => x + 20,
            },
            17 => matches!(a, 1..=9 | -5) as i64 + matches!(half(b), Some(h) if h > 0) as i64,
            18 => match a as f32 {
                0.0 => 1,
                x if x < 0.5 => 2,
                _ => 3,
            },
            19 => match Some(Some(a)) {
                Some(Some(x)) if x == b => 1,
                Some(Some(-1)) => 2,
                Some(inner) => inner.unwrap_or(0) & 7,
                None => 4,
            },
            20 => match a == b {
                true => 1,
                false => 0,
            },
            _ => looping(operation, a, b),
        }
    }

    fn looping(operation: u64, a: i64, b: i64) -> i64 {
        let n = a & 31;
        match operation {
            21 => {
                let mut left = n;
                let mut turns = 0;
                while left > 0 {
                    left /= 2;
                    turns += 1;
                }
                turns
            }
            22 => {
                let mut i = 0;
                loop {
                    i += 3;
                    if i > n {
                        break i;
                    }
                }
            }
            23 => {
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
            24 => {
                let mut sum = 0i64;
                for i in (0..=n).rev().step_by(3) {
                    sum = sum * 2 + i;
                }
                sum
            }
            25 => {
                let mut sum = 0i64;
                for i in ((b & 7) as i32..n as i32).step_by(2).rev() {
                    sum = sum * 2 + i64::from(i);
                }
                sum
            }
            26 => {
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
            27 => {
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
            28 => {
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
            29 => {
                let mut last = 0u8;
                for i in 250..=255u8 {
                    last = last.wrapping_add(i);
                }
                last as i64
            }
            30 => {
                let mut sum = 0i64;
                for (i, x) in [(1, a), (2, b)] {
                    sum ^= x.wrapping_mul(i);
                }
                for x in TABLE.iter() {
                    sum ^= *x;
                }
                sum
            }
            31 => {
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
            32 => first_factor(a),
            33 => {
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
            34 => {
                let mut all = 0;
                for i in (0..10).step_by((b & 3) as usize) {
                    all += i;
                }
                all
            }
            _ => parts(operation, a, b),
        }
    }

    fn parts(operation: u64, a: i64, b: i64) -> i64 {
        match operation {
            35 => {
                let pair = (a, (b, 3u16));
                pair.0 ^ pair.1.0 ^ i64::from(pair.1.1)
            }
            36 => {
                let mut numbers = [0i64; 3];
                numbers[(a & 3) as usize] = b;
                numbers[1] += 5;
                clear(&mut numbers, (b & 3) as usize);
                numbers[0] ^ numbers[1] ^ numbers[2]
            }
            37 => TABLE[(a & 7) as usize],
            38 => sum(&TABLE) + TABLE.len() as i64,
            39 => {
                let mut grid = [[0u32; 3]; 2];
                grid[(a & 1) as usize][(b & 1) as usize] = 7;
                grid[1][1] += 1;
                let row = grid[1];
                (row[0] + row[1] * 10 + grid[0][0] * 100) as i64
            }
            40 => {
                let mut p = Point::new(a, b);
                p.flip();
                let shifted = p.shift(3);
                shifted ^ p.plus(Point::ORIGIN).norm()
            }
            41 => {
                let mut x = a;
                let y = x.wrapping_add(bump(&mut x, b));
                y.wrapping_add(bump(&mut x, 1)).wrapping_mul(x)
            }
            42 => {
                let mut x = a;
                let place = &mut x;
                *place ^= b;
                let look = &*place;
                *look
            }
            43 => {
                let line = Line {
                    from: Point::ORIGIN,
                    to: Point { x: a, ..Point::new(1, b) },
                    marks: [1; 4],
                    side: Side::FIRST,
                    up: a > b,
                };
                line.from.x ^ line.to.y ^ line.marks[2] as i64 ^ line.side as i64 ^ line.up as i64
            }
            44 => Point::STEP + Language::BASE + Side::Both as i64,
            45 => {
                (Point::new(a, b) == Point::new(b, a)) as i64
                    + 2 * (Point::new(a, b) < Point::new(b, a)) as i64
            }
            46 => ((a, b) <= (b, a)) as i64 + 2 * ((a & 1, b, 1u8) != (1, a, 1)) as i64,
            47 => (half(a) == half(b)) as i64 + 2 * (half(a) > half(b)) as i64 + 4 * (half(a) == None) as i64,
            48 => ([a, b] < [b, a]) as i64 + 2 * (Side::of(a) == Side::of(b)) as i64,
            49 => (Side::of(a) < Side::of(b)) as i64,
            50 => (0..10).contains(&a) as i64 + 2 * (a..=b).contains(&0) as i64,
            51 => b'a' as i64 + 0xff + 0b101 + 1_000,
            52 => {
                i64::from(a as u8) + i64::from(a as i16) + (a as i8 as u16 as i64) + (a as f32 as u8 as i64)
            }
            53 => {
                let mut p = (a, b);
                p.0 = p.1;
                p.1 ^= 1;
                p.0.wrapping_mul(p.1)
            }
            54 => {
                let mut line = [Point::new(a, b); 2];
                line[1].x = 3;
                line[0].flip();
                line[0].x ^ line[1].x ^ line[1].y
            }
            55 => {
                let u: usize = (a & 0xffff) as usize;
                let s = u as isize - 3;
                (u ^ s as usize) as i64
            }
            _ => options(operation, a, b),
        }
    }

    fn options(operation: u64, a: i64, b: i64) -> i64 {
        let x = half(a);
        match operation {
            56 => quarter(a).unwrap_or(-9),
            57 => x.map(|v| v.wrapping_add(b)).unwrap_or(1),
            58 => x.and_then(half).unwrap_or_else(|| b & 3),
            59 => x.and_then(|v| if v > b { Some(v) } else { half(b) }).map_or(-1, |v| v ^ 1),
            60 => x.is_some_and(|v| v > 3) as i64 + 2 * x.is_none_or(|v| v < b) as i64,
            61 => x.filter(|v| *v > 2).or_else(|| half(b)).map_or_else(|| 4, |v| v & 0xff),
            62 => x.filter(|&v| v != b).is_some() as i64,
            63 => (a > b).then(|| a ^ b).unwrap_or_default(),
            64 => (a > b).then_some(a).unwrap_or(b),
            65 => x.expect("an even number"),
            66 => {
                let mut kept = x;
                let taken = kept.take();
                taken.map_or(0, |v| v & 1) + kept.is_none() as i64 + kept.replace(5).is_none() as i64
            }
            67 => x.map(Some).flatten().map(i64::wrapping_neg).unwrap_or(0),
            68 => x.or(half(b)).xor(None).unwrap_or(3),
            69 => x.zip(half(b)).map_or(0, |(p, q)| p ^ q),
            _ => faults(operation, a, b),
        }
    }

    fn faults(operation: u64, a: i64, b: i64) -> i64 {
        match operation {
            70 => {
                assert!(a != 3);
                assert!(b < 100, "b is small");
                a
            }
            71 => {
                assert_eq!(a & 1, 0, "a is even");
                assert_ne!(b, 7);
                b
            }
            72 => {
                debug_assert!(a < 50);
                debug_assert_eq!(b & 1, 0);
                a ^ b
            }
            73 => match a & 3 {
                0 => 1,
                1 => panic!("one is too many"),
                2 => unreachable!(),
                _ => todo!("three"),
            },
            74 => {
                if a > b {
                    unreachable!("a above b");
                }
                if a == b {
                    unimplemented!();
                }
                half(a).unwrap()
            }
            75 => {
                let mut n = a & 15;
                let mut product = 1i64;
                while n != 0 {
                    product *= n / (b & 3);
                    n -= 1;
                }
                product
            }
            76 => {
                let at = (a & 7) as usize;
                let mut numbers = [1i64, 2, 3, 4];
                numbers[at] *= b;
                numbers[at] + numbers[0]
            }
            77 => {
                // The places on the left have indices that change.
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
            78 => {
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
            79 => {
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
            80 => {
                let mut n = a & 15;
                let mut sum = 0;
                for i in (0..n).step_by(next_number(&mut n)) {
                    sum = sum * 3 + i;
                }
                sum ^ n
            }
            81 => {
                let five = (1u8, a, 2, b, 5i16) < (1, b, 2, a, 5);
                let nested = ((a, b, 1), 2) == ((b, a, 1), 2);
                let eight = (1, 2, 3, 4, 5, 6, 7, a) > (1, 2, 3, 4, 5, 6, 7, b);
                i64::from(five) + 2 * i64::from(nested) + 4 * i64::from(eight)
            }
            82 => {
                let mut stack = Stack { items: [0; 3], length: 0, last: None, mark: (7, false) };
                let pushed = stack.push(a) && stack.push(b) && stack.push(3) && stack.push(4);
                let last = stack.last;
                last.unwrap_or(9)
                    ^ stack.items[1]
                    ^ stack.length as i64
                    ^ i64::from(pushed)
                    ^ i64::from(stack.mark.0)
            }
            83 => {
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
            _ => std::cmp::max(a, b) ^ core::cmp::min(a, 3),
        }
    }

    impl EdgeProgram for Language {
        type Value = i64;
        type Message = i64;
        type Weight = i64;
        type Combine = Sum;

        fn start(&self, v: Vertex) -> i64 {
            // Any number, small ones too.
            v.id.wrapping_mul(0x9E37_79B9_7F4A_7C15) as i64 >> (v.id % 61)
        }

        fn edge(&self, e: Edge<i64, i64>) -> i64 {
            let Edge { value, weight, .. } = e;
            self.scaled(bindings(e.source % 128, value, weight)).wrapping_add(Self::scaled(self, 1))
        }
    }
}
