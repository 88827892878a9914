//! The program itself: its declarations and its functions.

use super::Writer;
use super::shape::Shape;
use crate::types::{Ty, U32, U64};

/// Maximum number of statements in `edge`, and in any other function.
const STATEMENTS: (usize, usize) = (6, 2);

/// The fields of a vertex besides those that every function reads. `None` is the type of the folds.
const VERTEX: [(&str, Option<Ty>); 4] =
    [("step", Some(U64)), ("level", Some(U64)), ("index", Some(U32)), ("aggregate", None)];

impl Writer<'_> {
    /// Writes the implementation, which has this number of functions with random bodies.
    pub(super) fn edge_program(&mut self, shape: &Shape, functions: usize) {
        self.parts = functions;
        self.line("impl EdgeProgram for Random {");
        self.declarations(shape);
        self.start(shape);
        self.deciding(shape);
        self.folding(shape);
        self.computing(shape);
        self.edge(shape);
        self.line("}");
    }

    fn declarations(&mut self, shape: &Shape) {
        self.line("type Value = u64;");
        self.line(format!("type Message = {};", shape.message.name()));
        self.line("type Weight = u64;");
        if let Some(combine) = &shape.combine {
            self.line(format!("type Combine = {combine};"));
        }
        if let Some((folds, _)) = &shape.aggregate {
            self.line(format!("type Aggregate = {folds};"));
        }
        if shape.all {
            self.line("const SENDERS: Senders = Senders::All;");
        }
        if shape.both {
            self.line("const ALONG: Along = Along::Both;");
        }
    }

    fn start(&mut self, shape: &Shape) {
        if !shape.starts {
            return self.line("fn start(&self, _v: Vertex) -> u64 { 0 }");
        }
        let arguments = [("id", "a"), ("out_degree", "b"), ("edges", "c")];
        self.function("fn start(&self, v: Vertex)", &shape.before(), |w| w.read("v", &arguments));
    }

    /// Writes the functions that decide who computes and who sends, and when the run ends.
    fn deciding(&mut self, shape: &Shape) {
        let asked = [("sends", shape.sends, Ty::Bool), ("halts", shape.halts, Ty::Bool)];
        for (name, _, output) in asked.into_iter().chain([("priority", shape.priority, U64)]).filter(|f| f.1)
        {
            self.function(&format!("fn {name}(&self, v: Vertex<u64>)"), &output, |w| {
                w.read("v", &[("value", "a"), ("out_degree", "b"), ("id", "c")]);
                w.look("v", &VERTEX, shape);
            });
        }
        if shape.changed {
            self.function("fn changed(&self, before: u64, after: u64)", &Ty::Bool, |w| {
                ["before", "after"].into_iter().for_each(|name| w.declare(name, U64, false));
            });
        }
    }

    /// Writes `aggregate` and `finished`.
    fn folding(&mut self, shape: &Shape) {
        let Some((_, ty)) = &shape.aggregate else { return };
        self.function("fn aggregate(&self, v: Vertex<u64>)", ty, |w| {
            w.read("v", &[("value", "a"), ("in_degree", "b"), ("id", "c")]);
            w.look("v", &VERTEX[..3], shape);
            w.look("v", &[("before", Some(shape.before()))], shape);
        });
        if shape.finished {
            let name = ty.name();
            let head = format!("fn finished(&self, before: {name}, now: {name}, step: u64)");
            self.function(&head, &Ty::Bool, |w| {
                ["before", "now"].into_iter().for_each(|name| w.declare(name, ty.clone(), false));
                w.declare("step", U64, false);
            });
        }
    }

    /// Writes `apply` and `combine`.
    fn computing(&mut self, shape: &Shape) {
        if shape.apply {
            let (before, incoming) = (shape.before(), shape.incoming());
            let head =
                format!("fn apply(&self, v: Vertex<{}>, incoming: {})", before.name(), incoming.name());
            self.function(&head, &U64, |w| {
                // The first `u64` that is declared is what a short body returns.
                w.line(format!("let received = {};", w.digest("incoming", &incoming)));
                w.declare("received", U64, false);
                w.line("let a = v.value;");
                w.declare("a", before.clone(), false);
                w.read("v", &[("in_degree", "b"), ("id", "c")]);
                w.look("v", &VERTEX, shape);
                w.declare("incoming", incoming, false);
                if w.choose.once_in(2) {
                    let index = w.index_of_value();
                    w.line(format!("let other = v.value_at({index});"));
                    w.declare("other", before.clone(), false);
                }
                w.values = Some(before);
            });
        }
        if shape.combine.is_none() {
            let name = shape.message.name();
            self.function(&format!("fn combine(&self, a: {name}, b: {name})"), &shape.message, |w| {
                ["a", "b"].into_iter().for_each(|name| w.declare(name, shape.message.clone(), false));
            });
        }
    }

    fn edge(&mut self, shape: &Shape) {
        self.begin_part();
        let output = match self.choose.once_in(4) {
            true => Ty::option(shape.message.clone()),
            false => shape.message.clone(),
        };
        self.line(format!("fn edge(&self, e: Edge<u64, u64>) -> {} {{", output.name()));
        self.variables.clear();
        self.read("e", &[("value", "a"), ("weight", "b"), ("source", "c")]);
        if self.choose.once_in(4) {
            self.line("let chance = random(a, b, c);");
            self.declare("chance", U64, false);
        }
        self.look("e", &[("step", Some(U64)), ("place", Some(U64)), ("aggregate", None)], shape);
        if shape.both {
            self.look("e", &[("forward", Some(Ty::Bool))], shape);
        }
        self.body(&output, STATEMENTS.0);
        self.line("}");
    }

    /// Returns an expression of the type `u64` that depends on the variable.
    fn digest(&self, name: &str, ty: &Ty) -> String {
        match ty {
            Ty::F32 | Ty::F64 => format!("({name} * 4.0) as u64"),
            Ty::Option(of) => format!("{name}.map_or(1, |held| {})", self.digest("held", of)),
            Ty::Array(of, length) => self.digest(&format!("{name}[{}]", length - 1), of),
            Ty::Struct(index) => {
                let fields = self.structs[*index].iter().enumerate();
                let fields =
                    fields.map(|(at, ty)| format!("({})", self.digest(&format!("{name}.f{at}"), ty)));
                fields.collect::<Vec<_>>().join(" ^ ")
            }
            _ => format!("{name} as u64"),
        }
    }

    /// Writes a function with a random body. `declare` declares its variables.
    fn function(&mut self, head: &str, output: &Ty, declare: impl FnOnce(&mut Self)) {
        self.begin_part();
        self.line(format!("{head} -> {} {{", output.name()));
        self.variables.clear();
        declare(self);
        self.body(output, STATEMENTS.1);
        self.values = None;
        self.line("}");
    }

    fn begin_part(&mut self) {
        self.choose.begin_part(self.parts);
        self.parts -= 1;
    }

    /// Reads fields of a view, which are `u64`, into variables.
    fn read(&mut self, view: &str, fields: &[(&str, &str)]) {
        for (field, name) in fields {
            self.line(format!("let {name} = {view}.{field};"));
            self.declare(name, U64, false);
        }
    }

    /// Reads some of these fields of a view into variables of the same names.
    fn look(&mut self, view: &str, fields: &[(&str, Option<Ty>)], shape: &Shape) {
        for (field, ty) in fields {
            let ty = ty.as_ref().or(shape.aggregate.as_ref().map(|(_, ty)| ty));
            if let Some(ty) = ty
                && self.choose.once_in(2)
            {
                self.line(format!("let {field} = {view}.{field};"));
                self.declare(field, ty.clone(), false);
            }
        }
    }
}
