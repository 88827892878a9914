//! Structs, enums, constants, helpers, and the module around them.

use super::shape::Shape;
use super::{Signature, Writer};
use crate::choices::{Choices, Chooser};
use crate::types::{Ty, U64, datum, literal, scalar};

/// Maximum depth of expressions.
const DEPTH: u32 = 3;

impl<'a> Writer<'a> {
    pub(super) fn module(&mut self, name: &str) {
        self.head(name);
        // Half of the programs have no functions but `start` and `edge`.
        let is_small = !self.is_exact && !self.choose.once_in(2);
        let shape = if is_small { Shape::smallest() } else { self.shape() };
        let functions = shape.functions();
        self.choose.begin_part(1 + functions);
        self.items();
        self.edge_program(&shape, functions);
        self.line("}");
    }

    fn head(&mut self, name: &str) {
        self.line("#[edge_program]");
        self.line(format!("pub mod {name} {{"));
        self.line("use wolfpath::prelude::*;");
        self.line("#[derive(Clone, Copy)]");
        self.line("pub struct Random;");
    }

    /// Writes a module in which each edge runs one of several programs. Later programs may use the types and constants
    /// of earlier ones.
    pub(super) fn combined<'c>(&mut self, programs: &'c [Choices], name: &str)
    where
        'c: 'a,
    {
        self.head(name);
        for (index, choices) in programs.iter().enumerate() {
            self.choose = Chooser::new(choices);
            self.functions.clear();
            self.choose.begin_part(2);
            self.items();
            self.choose.begin_part(1);
            self.line(format!("fn q{index}(a: u64, b: u64, c: u64) -> Option<u64> {{"));
            self.variables.clear();
            ["a", "b", "c"].into_iter().for_each(|name| self.declare(name, U64, false));
            self.body(&Ty::option(U64), 6);
            self.line("}");
        }
        self.line("impl EdgeProgram for Random {");
        for line in ["type Value = u64;", "type Message = u64;", "type Weight = u64;", "type Combine = Any;"]
        {
            self.line(line);
        }
        self.line("fn start(&self, v: Vertex) -> Option<u64> {");
        self.line("let mixed = v.id.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);");
        self.line(
            "if v.id < 512 { Some(mixed.wrapping_mul(0xbf58_476d_1ce4_e5b9) >> (v.id % 64)) } else { None }",
        );
        self.line("}");
        self.line("fn edge(&self, e: Edge<u64, u64>) -> Option<u64> {");
        self.line(format!("match e.target % {} {{", programs.len()));
        for index in 0..programs.len() {
            self.line(format!("{index} => q{index}(e.value, e.weight, e.source),"));
        }
        self.line("_ => None,\n}\n}\n}\n}");
    }

    fn items(&mut self) {
        for _ in 0..self.choose.below(3) {
            self.struct_item();
        }
        for _ in 0..self.choose.below(3) {
            self.enum_item();
        }
        for _ in 0..self.choose.below(3) {
            self.const_item();
        }
        for _ in 0..self.choose.below(4) {
            self.helper();
        }
    }

    fn struct_item(&mut self) {
        let fields: Vec<Ty> = (0..1 + self.choose.below(4)).map(|_| datum(&mut self.choose)).collect();
        let written: Vec<String> = fields.iter().map(Ty::name).collect();
        self.plain_struct(&written, fields);
        if self.choose.once_in(3) {
            self.impl_item();
        }
    }

    fn enum_item(&mut self) {
        let (index, variants) = (self.enums.len(), 1 + self.choose.below(4));
        let names: Vec<String> = (0..variants).map(|variant| format!("V{variant}")).collect();
        self.line("#[derive(Clone, Copy, Debug, PartialEq, Eq)]");
        self.line(format!("pub enum E{index} {{ {} }}", names.join(", ")));
        self.enums.push(variants);
    }

    fn const_item(&mut self) {
        let (index, ty) = (self.consts.len(), scalar(&mut self.choose));
        let value = literal(&ty, true, &mut self.choose);
        self.line(format!("const C{index}: {} = {value};", ty.name()));
        self.consts.push(ty);
    }

    /// Chooses any type that can occur in the program.
    pub(super) fn any_type(&mut self) -> Ty {
        match self.choose.below(14) {
            8 => Ty::option(scalar(&mut self.choose)),
            9 => {
                let parts = 2 + self.choose.below(2);
                Ty::Tuple((0..parts).map(|_| scalar(&mut self.choose)).collect())
            }
            10 => Ty::Array(Box::new(scalar(&mut self.choose)), 1 + self.choose.below(4)),
            11 if !self.structs.is_empty() => Ty::Struct(self.choose.below(self.structs.len())),
            12 if !self.enums.is_empty() => Ty::Enum(self.choose.below(self.enums.len())),
            13 if !self.structs.is_empty() => Ty::option(Ty::Struct(self.choose.below(self.structs.len()))),
            _ => scalar(&mut self.choose),
        }
    }

    fn helper(&mut self) {
        let name = format!("h{}", self.helpers);
        self.helpers += 1;
        let count = 1 + self.choose.below(3);
        let mut parameters: Vec<(Ty, bool)> = (0..count).map(|_| (self.any_type(), false)).collect();
        if self.choose.once_in(3) {
            parameters.push((self.any_type(), true));
        }
        let output = self.any_type();
        let mut written = Vec::new();
        self.variables.clear();
        for (index, (ty, reference)) in parameters.iter().enumerate() {
            let (front, mutable) = match reference {
                true => ("&mut ", ""),
                false => ("", if self.choose.once_in(3) { "mut " } else { "" }),
            };
            written.push(format!("{mutable}p{index}: {front}{}", ty.name()));
            let name = format!("p{index}");
            self.declare(&name, ty.clone(), *reference || !mutable.is_empty());
            if let Some(last) = self.variables.last_mut() {
                last.reference = *reference;
            }
        }
        self.line(format!("fn {name}({}) -> {} {{", written.join(", "), output.name()));
        self.body(&output, 6);
        self.line("}");
        self.functions.push(Signature { name, parameters, output });
    }

    /// Writes 1 to `most` statements, and the value at their end.
    pub(super) fn body(&mut self, output: &Ty, most: usize) {
        self.place.returns = output.clone();
        let count = 1 + self.choose.below(most);
        let end = self.choose.hold_back();
        self.statements(count, DEPTH);
        self.choose.release(end);
        let value = self.expr(output, DEPTH, true);
        self.line(value);
    }
}
