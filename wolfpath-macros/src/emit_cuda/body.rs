//! A function's body as CUDA C. Expressions stay expressions: nothing in the language has an effect but assignments
//! to locals and the recording of a fault, so the order in which C++ evaluates operands matters only where an
//! operand needs statements; then those before it that read a `let mut` are kept in temporaries first.

use std::collections::HashMap;

use proc_macro2::Ident;

use super::text::Text;
use super::{constant_name, function_name, literal, plain, struct_name, type_name, user};
use crate::methods::{Method, On};
use crate::model::{BinaryOp, Expr, ExprKind, Function, Local, Program, Ty, UnaryOp};

/// Where a value goes.
#[derive(Clone)]
pub(super) enum Target {
    Return,
    Assign(String),
    Discard,
}

pub(super) struct Body<'a> {
    pub(super) text: &'a mut Text,
    pub(super) program: &'a Program,
    pub(super) function: &'a Function,
    pub(super) names: Vec<String>,
    temporaries: usize,
}

/// Writes a function under this head.
pub(super) fn function(text: &mut Text, head: &str, function: &Function, program: &Program) {
    text.at_user(function.name.span());
    text.open(format!("{head} {{"));
    let names = local_names(function);
    let mut body = Body { text, program, function, names, temporaries: 0 };
    body.block(&function.body, &Target::Return);
    text.close("}");
    text.blank();
}

/// The names of all locals: the user's with an underscore; one that is declared again gets a number.
fn local_names(function: &Function) -> Vec<String> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    let name = |(index, local): (usize, &Local)| {
        let count = counts.entry(plain(&local.name)).or_default();
        *count += 1;
        local_name(index, local, &[*count])
    };
    function.locals.iter().enumerate().map(name).collect()
}

/// The name of one local, given how often its name was declared so far.
pub(super) fn local_name(index: usize, local: &Local, counts: &[usize]) -> String {
    match counts.first() {
        _ if local.name == "_" => format!("unused{index}"),
        Some(count) if *count > 1 => format!("{}_{count}", plain(&local.name)),
        _ => user(&local.name),
    }
}

impl Body<'_> {
    pub(super) fn type_name(&self, ty: &Ty) -> String {
        type_name(ty, self.program)
    }

    pub(super) fn temporary(&mut self) -> String {
        self.temporaries += 1;
        format!("t{}", self.temporaries)
    }

    /// An operand: parenthesised where it is more than one thing.
    fn operand(text: String) -> String {
        let mut depth = 0usize;
        let compound = text.char_indices().any(|(index, letter)| {
            match letter {
                '(' | '{' => depth += 1,
                ')' | '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            (letter == ' ' && depth == 0) || (index == 0 && matches!(letter, '-' | '!' | '~'))
        });
        if compound { format!("({text})") } else { text }
    }

    /// The text of an expression, after the statements that it needs.
    pub(super) fn value(&mut self, expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Unit
            | ExprKind::Error
            | ExprKind::Return(_)
            | ExprKind::Assign(..)
            | ExprKind::AssignOp(..) => {
                self.emit(expr, &Target::Discard);
                "wp::Unit{}".into()
            }
            ExprKind::Bool(value) => value.to_string(),
            ExprKind::Int(magnitude, negative) => literal::int(*magnitude, *negative, &expr.ty),
            ExprKind::Float(digits) => literal::float(digits, &expr.ty),
            ExprKind::NumberConst(name) => literal::number_const(name, &expr.ty),
            ExprKind::Local(id) => self.names[*id].clone(),
            ExprKind::Params => "self".into(),
            ExprKind::Const(index) => format!("{}(cx)", constant_name(&self.program.consts[*index])),
            ExprKind::Field(base, name) => self.field(base, name),
            ExprKind::Unary(op, operand, site) => self.unary(*op, operand, *site, &expr.ty),
            ExprKind::Binary(op, left, right, site) => {
                let operands = self.values(&[left, right]);
                self.binary(*op, &operands, *site, &expr.ty)
            }
            ExprKind::Logic(and, left, right) => self.logic(*and, left, right),
            ExprKind::Cast(inner) => {
                format!("rust::cast<{}>({})", self.type_name(&expr.ty), self.value(inner))
            }
            ExprKind::Call(index, arguments) => {
                let mut arguments = self.values(&arguments.iter().collect::<Vec<_>>());
                arguments.push("cx".into());
                format!("{}({})", function_name(&self.program.functions[*index]), arguments.join(", "))
            }
            ExprKind::Method(method, operands, site) => {
                let values = self.values(&operands.iter().collect::<Vec<_>>());
                self.method(method, values, *site, &expr.ty)
            }
            ExprKind::Struct(index, fields) => self.struct_value(*index, fields),
            ExprKind::Some(inner) => {
                format!("wp::Some<{}>({})", self.type_name(&inner.ty), self.value(inner))
            }
            ExprKind::None => match &expr.ty {
                Ty::Option(of) => format!("wp::None<{}>()", self.type_name(of)),
                _ => "wp::Unit{}".into(),
            },
            ExprKind::If(..) | ExprKind::IfSome(..) | ExprKind::Block(_) => self.control_value(expr),
        }
    }

    fn field(&mut self, base: &Expr, name: &Ident) -> String {
        let ours = matches!(base.ty, Ty::Edge | Ty::Vertex(_));
        let base = Self::operand(self.value(base));
        if ours { format!("{base}.{}", plain(name)) } else { format!("{base}.{}", user(name)) }
    }

    /// Several operands, evaluated as if from left to right.
    pub(super) fn values(&mut self, operands: &[&Expr]) -> Vec<String> {
        let mut values: Vec<String> = Vec::new();
        let mut unstable: Vec<usize> = Vec::new();
        for (index, operand) in operands.iter().enumerate() {
            let mark = self.text.mark();
            let value = self.value(operand);
            if self.text.mark() > mark {
                for earlier in unstable.drain(..).rev() {
                    let name = self.temporary();
                    let ty = self.type_name(&operands[earlier].ty);
                    self.text.insert(mark, format!("const {ty} {name} = {};", values[earlier]));
                    values[earlier] = name;
                }
            }
            if self.reads_mutable(operand) {
                unstable.push(index);
            }
            values.push(value);
        }
        values
    }

    fn reads_mutable(&self, expr: &Expr) -> bool {
        let mut found = false;
        crate::check::visit(expr, &mut |expr| {
            found |= matches!(expr.kind, ExprKind::Local(id) if self.function.locals[id].mutable);
        });
        found
    }

    fn unary(&mut self, op: UnaryOp, operand: &Expr, site: Option<u32>, ty: &Ty) -> String {
        let value = self.value(operand);
        match (op, site, ty) {
            (UnaryOp::Neg, Some(site), _) => format!("rust::neg({value}, cx, {site})"),
            (UnaryOp::Neg, None, _) => format!("-{}", Self::operand(value)),
            (UnaryOp::Not, _, Ty::Bool) => format!("!{}", Self::operand(value)),
            (UnaryOp::Not, ..) => self.narrowed(format!("~{}", Self::operand(value)), ty),
        }
    }

    /// The result of a C++ operator, brought back from `int` where C++ promotes.
    fn narrowed(&self, text: String, ty: &Ty) -> String {
        match ty {
            Ty::Int(int) if int.bits() < 32 => format!("{}({text})", self.type_name(ty)),
            Ty::Bool => format!("bool({text})"),
            _ => text,
        }
    }

    pub(super) fn binary(&mut self, op: BinaryOp, operands: &[String], site: Option<u32>, ty: &Ty) -> String {
        let (left, right) = (&operands[0], &operands[1]);
        if let (Some(site), Some(function)) = (site, op.function()) {
            return format!("rust::{function}({left}, {right}, cx, {site})");
        }
        if op == BinaryOp::Rem {
            return format!("rust::rem({left}, {right})");
        }
        let text =
            format!("{} {} {}", Self::operand(left.clone()), op.symbol(), Self::operand(right.clone()));
        if op.is_comparison() { text } else { self.narrowed(text, ty) }
    }

    fn logic(&mut self, and: bool, left: &Expr, right: &Expr) -> String {
        let first = self.value(left);
        if self.is_simple(right) {
            let symbol = if and { "&&" } else { "||" };
            return format!("{} {symbol} {}", Self::operand(first), Self::operand(self.value(right)));
        }
        let name = self.temporary();
        self.text.line(format!("bool {name} = {first};"));
        self.text.open(if and { format!("if ({name}) {{") } else { format!("if (!{name}) {{") });
        self.emit(right, &Target::Assign(name.clone()));
        self.text.close("}");
        name
    }

    fn method(&mut self, method: &Method, values: Vec<String>, site: Option<u32>, output: &Ty) -> String {
        let mut values = values;
        match (method.on, method.name) {
            (On::Option, "is_some") => return format!("{}.some", Self::operand(values.remove(0))),
            (On::Option, "is_none") => return format!("!{}.some", Self::operand(values.remove(0))),
            (On::BitsOfFloat, _) => {
                let width = if *output == Ty::Float(crate::model::Float::F32) { "f32" } else { "f64" };
                return format!("rust::{width}_from_bits({})", values.remove(0));
            }
            _ => {}
        }
        if let Some(site) = site {
            values.push("cx".into());
            values.push(site.to_string());
        }
        format!("rust::{}({})", method.name, values.join(", "))
    }

    fn struct_value(&mut self, index: usize, fields: &[(Ident, Expr)]) -> String {
        let values = self.values(&fields.iter().map(|(_, value)| value).collect::<Vec<_>>());
        let item = &self.program.structs[index];
        let in_order = item.fields.iter().filter_map(|field| {
            let written = fields.iter().position(|(name, _)| *name == field.name)?;
            Some(values[written].clone())
        });
        format!("{}{{{}}}", struct_name(item), in_order.collect::<Vec<_>>().join(", "))
    }
}
