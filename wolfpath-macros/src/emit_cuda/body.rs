//! Emits a function's body as CUDA C. Expressions stay expressions where possible. An expression with an effect (an
//! assignment, a call that changes a borrowed argument, `return`, `break` and the like) becomes a statement before the
//! expression that contains it. If an operand needs such statements, preceding operands that read something mutable are
//! first stored in temporaries, so that the order of evaluation in C++ does not matter.

use std::collections::HashMap;

use proc_macro2::Ident;

use super::control::Enclosing;
use super::text::{self, Text};
use super::{constant_name, function_name, plain, struct_name, type_name, user};
use crate::methods::{Method, On};
use crate::model::{
    Access, BinaryOp, Expr, ExprKind, Function, Local, LogicOp, Mutability, Program, Ty, UnaryOp, visit,
};

/// Destination of a value.
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
    /// The loops and labelled blocks that enclose the current position, with the innermost last.
    pub(super) enclosing: Vec<Enclosing>,
    temporaries: usize,
}

/// Writes a function with this head.
pub(super) fn function(text: &mut Text, head: &str, function: &Function, program: &Program) {
    text.at_user(function.name.span());
    text.open(format!("{head} {{"));
    let names = local_names(function);
    let mut body = Body { text, program, function, names, enclosing: Vec::new(), temporaries: 0 };
    let target = if function.output == Ty::Unit { Target::Discard } else { Target::Return };
    body.block(&function.body, &target);
    text.close("}");
    text.blank();
}

/// Returns the names of all locals: the user's names with an underscore. A redeclared name also gets a number.
pub(super) fn local_names(function: &Function) -> Vec<String> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    let name = |(index, local): (usize, &Local)| {
        let count = counts.entry(plain(&local.name)).or_default();
        *count += 1;
        match *count {
            _ if local.name == "_" => format!("unused{index}"),
            1 => user(&local.name),
            again => format!("{}_{again}", plain(&local.name)),
        }
    };
    function.locals.iter().enumerate().map(name).collect()
}

impl Body<'_> {
    pub(super) fn type_name(&self, ty: &Ty) -> String {
        type_name(ty, self.program)
    }

    pub(super) fn temporary(&mut self) -> String {
        self.temporaries += 1;
        format!("t{}", self.temporaries)
    }

    /// Returns a text for use as an operand, in parentheses if it is a compound expression.
    pub(super) fn operand(text: String) -> String {
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

    /// Returns the text of an expression, after writing the statements that it needs.
    pub(super) fn value(&mut self, expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Bool(value) => value.to_string(),
            ExprKind::Int(magnitude, sign) => text::int(*magnitude, *sign, &expr.ty),
            ExprKind::Float(digits) => text::float(digits, &expr.ty),
            ExprKind::NumberConst(name) => text::number_const(name, &expr.ty),
            ExprKind::Checked => "(WP_CHECKED != 0)".into(),
            ExprKind::Local(id) => self.names[*id].clone(),
            ExprKind::Params => "self".into(),
            ExprKind::Const(index) => {
                format!("{}(cx)", constant_name(&self.program.bodies.consts[*index], self.program))
            }
            ExprKind::Variant(index, variant) => {
                let item = &self.program.interface.enums[*index];
                let (name, number) = &item.variants[*variant];
                format!("({number}u /* {}::{name} */)", item.name)
            }
            ExprKind::Field(base, name) => self.field(base, name),
            ExprKind::Part(base, index) => format!("{}._{index}", Self::operand(self.value(base))),
            ExprKind::Index(..) => self.index(expr),
            ExprKind::Tuple(parts) | ExprKind::Array(parts) => {
                let values = self.values(&parts.iter().collect::<Vec<_>>()).join(", ");
                let ty = self.type_name(&expr.ty);
                if matches!(expr.kind, ExprKind::Array(_)) {
                    format!("{ty}{{{{{values}}}}}")
                } else {
                    format!("{ty}{{{values}}}")
                }
            }
            ExprKind::Repeat(value) => {
                format!("rust::filled<{}>({})", self.type_name(&expr.ty), self.value(value))
            }
            ExprKind::Input(read, input, at) => {
                let (input, at) = (self.value(input), self.value(at));
                format!("wp::{}({input}, {at})", read.device)
            }
            ExprKind::Unary(op, operand, site) => self.unary(*op, operand, *site, &expr.ty),
            ExprKind::Binary(op, left, right, site) => {
                let operands = self.values(&[left, right]);
                self.binary(*op, &operands, *site, &left.ty)
            }
            ExprKind::Logic(op, left, right) => self.logic(*op, left, right),
            ExprKind::Cast(inner) => {
                format!("rust::cast<{}>({})", self.type_name(&expr.ty), self.value(inner))
            }
            ExprKind::Call(index, arguments) => self.call(*index, arguments, &expr.ty),
            ExprKind::Method(method, operands, site, _) => {
                let values = self.values(&operands.iter().collect::<Vec<_>>());
                self.method(method, values, *site, &expr.ty)
            }
            ExprKind::ValueAt(index, site) => {
                format!("wp::value_at<{}>({}, {site}, cx)", self.type_name(&expr.ty), self.value(index))
            }
            ExprKind::Random(_, arguments) => {
                let values = self.values(&arguments.iter().collect::<Vec<_>>());
                format!("rust::random({})", values.join(", "))
            }
            ExprKind::Struct(index, fields, rest) => self.struct_value(*index, fields, rest.as_deref()),
            ExprKind::Some(inner) => {
                format!("wp::Some<{}>({})", self.type_name(&inner.ty), self.value(inner))
            }
            ExprKind::None => match &expr.ty {
                Ty::Option(of) => format!("wp::None<{}>()", self.type_name(of)),
                _ => "wp::Unit{}".into(),
            },
            // A reference is an alias of its place.
            ExprKind::Borrow(_, place) | ExprKind::Deref(place) => self.value(place),
            ExprKind::Try(option) => self.try_value(option),
            ExprKind::If(..)
            | ExprKind::Match(..)
            | ExprKind::Block(_)
            | ExprKind::Labelled(..)
            | ExprKind::Loop(..) => self.control_value(expr),
            ExprKind::Unit
            | ExprKind::Return(_)
            | ExprKind::Break(..)
            | ExprKind::Continue(_)
            | ExprKind::Fault(..)
            | ExprKind::Assign(..)
            | ExprKind::AssignOp(..) => {
                self.emit(expr, &Target::Discard);
                "wp::Unit{}".into()
            }
            ExprKind::Refused(never) => match *never {},
        }
    }

    /// Returns several operands, with Rust's evaluation order from left to right. In C++ the order is unspecified, so
    /// some operands are first stored in temporaries:
    ///
    /// - If an operand needs statements, the preceding operands that these statements could change or that can fault.
    /// - If an operand can fault, the preceding operands that can also fault, so that the first fault is the same as in
    ///   Rust.
    pub(super) fn values(&mut self, operands: &[&Expr]) -> Vec<String> {
        self.checked_values(operands, &vec![None; operands.len()])
    }

    /// Does the same as [`values`](Self::values), but also checks the operands that are indices. For each of them,
    /// `checks` contains the length that the index must be below, and the site of the fault if it is not. A check alone
    /// requires no temporary: without temporaries, C++ evaluates the indices of an element from left to right, so these
    /// faults occur in Rust's order. If an operand is stored in a temporary, its check is stored with it.
    pub(super) fn checked_values(
        &mut self,
        operands: &[&Expr],
        checks: &[Option<(u64, u32)>],
    ) -> Vec<String> {
        let mut values: Vec<String> = Vec::new();
        let mut unstable: Vec<usize> = Vec::new();
        for (index, operand) in operands.iter().enumerate() {
            let mark = self.text.mark();
            let value = self.value(operand);
            let value = match checks[index] {
                Some((length, site)) => format!("rust::index({value}, {length}, cx, {site})"),
                None => value,
            };
            let has_statements = self.text.mark() > mark;
            let two_fault =
                can_fault(operand) && unstable.iter().any(|&earlier| can_fault(operands[earlier]));
            let keep = |&earlier: &usize| {
                let faults = can_fault(operands[earlier]) || checks[earlier].is_some();
                has_statements || (two_fault && faults)
            };
            let kept: Vec<usize> = unstable.iter().copied().filter(keep).collect();
            unstable.retain(|earlier| !kept.contains(earlier));
            for earlier in kept.into_iter().rev() {
                let name = self.temporary();
                let declared = self.kept_type(&operands[earlier].ty);
                self.text.insert(mark, format!("{declared} {name} = {};", values[earlier]));
                values[earlier] = name;
            }
            let faults = can_fault(operand) || checks[index].is_some();
            if self.can_change(operand) || (faults && can_be_kept(operand)) {
                unstable.push(index);
            }
            values.push(value);
        }
        values
    }

    /// Returns `true` if an expression reads something that a later statement may change. A reference always refers to
    /// the same place, unless an index in its place expression changes.
    fn can_change(&self, expr: &Expr) -> bool {
        let mut found = false;
        if matches!(expr.ty, Ty::Ref(..)) {
            visit(expr, &mut |expr| {
                found |= matches!(&expr.kind, ExprKind::Index(_, at, _) if self.can_change(at));
            });
            return found;
        }
        visit(expr, &mut |expr| {
            if let ExprKind::Local(id) = expr.kind {
                let local = &self.function.locals[id];
                found |= local.mutability == Mutability::Mutable
                    || matches!(local.ty, Ty::Ref(Access::Mutable, _));
            }
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

    /// Returns the result of a C++ operator, converted back from `int` if C++ promotes the type.
    fn narrowed(&self, text: String, ty: &Ty) -> String {
        match ty {
            Ty::Int(int) if int.bits() < 32 => format!("{}({text})", self.type_name(ty)),
            Ty::Bool => format!("bool({text})"),
            _ => text,
        }
    }

    /// Returns the text of a binary operation. `ty` is the type of the left operand.
    pub(super) fn binary(&mut self, op: BinaryOp, operands: &[String], site: Option<u32>, ty: &Ty) -> String {
        let (left, right) = (&operands[0], &operands[1]);
        if let (Some(site), Some(function)) = (site, op.function()) {
            return format!("rust::{function}({left}, {right}, cx, {site})");
        }
        if op == BinaryOp::Rem {
            return format!("rust::rem({left}, {right})");
        }
        if op.is_comparison() && !is_scalar(ty) {
            return compound_comparison(op, ty, left, right);
        }
        let text =
            format!("{} {} {}", Self::operand(left.clone()), op.symbol(), Self::operand(right.clone()));
        if op.is_comparison() { text } else { self.narrowed(text, ty) }
    }

    fn logic(&mut self, op: LogicOp, left: &Expr, right: &Expr) -> String {
        let first = self.value(left);
        if self.is_simple(right) {
            let right = self.value(right);
            return format!("{} {} {}", Self::operand(first), op.symbol(), Self::operand(right));
        }
        let name = self.temporary();
        self.text.line(format!("bool {name} = {first};"));
        self.text.open(match op {
            LogicOp::And => format!("if ({name}) {{"),
            LogicOp::Or => format!("if (!{name}) {{"),
        });
        self.emit(right, &Target::Assign(name.clone()));
        self.text.close("}");
        name
    }

    /// Returns the text of a call. The call becomes a separate statement if it changes a borrowed argument.
    fn call(&mut self, index: usize, arguments: &[Expr], output: &Ty) -> String {
        let mut values = self.values(&arguments.iter().collect::<Vec<_>>());
        values.push("cx".into());
        let name = function_name(&self.program.bodies.functions[index], self.program);
        let call = format!("{name}({})", values.join(", "));
        if *output == Ty::Unit {
            self.text.line(format!("{call};"));
            return "wp::Unit{}".into();
        }
        if !changes(arguments) {
            return call;
        }
        let temporary = self.temporary();
        let ty = self.type_name(output);
        self.text.line(format!("const {ty} {temporary} = {call};"));
        temporary
    }

    fn method(&mut self, method: &Method, values: Vec<String>, site: Option<u32>, output: &Ty) -> String {
        let mut values = values;
        match (method.on, method.name) {
            (On::Option, "is_some") => return format!("{}.some", Self::operand(values.remove(0))),
            (On::Option, "is_none") => return format!("!{}.some", Self::operand(values.remove(0))),
            (On::FloatType, _) => {
                let width = if *output == Ty::Float(crate::model::Float::F32) { "f32" } else { "f64" };
                return format!("rust::{width}_from_bits({})", values.remove(0));
            }
            _ => {}
        }
        if let Some(site) = site {
            values.push("cx".into());
            values.push(site.to_string());
        }
        format!("rust::{}({})", method.device_name(), values.join(", "))
    }

    fn struct_value(&mut self, index: usize, fields: &[(Ident, Expr)], rest: Option<&Expr>) -> String {
        let operands: Vec<&Expr> = fields.iter().map(|(_, value)| value).chain(rest).collect();
        let mut values = self.values(&operands);
        let rest = rest.and_then(|rest| Some(self.kept(rest, values.pop()?)));
        let item = &self.program.interface.structs[index];
        let in_order = item.fields.iter().filter_map(|field| {
            let written = fields.iter().position(|(name, _)| *name == field.name);
            match (written, &rest) {
                (Some(written), _) => Some(values[written].clone()),
                (None, Some(rest)) => Some(format!("{rest}.{}", user(&field.name))),
                (None, None) => None,
            }
        });
        format!("{}{{{}}}", struct_name(item), in_order.collect::<Vec<_>>().join(", "))
    }
}

/// Returns `true` if a call can change any of its arguments.
pub(super) fn changes(arguments: &[Expr]) -> bool {
    arguments.iter().any(|argument| matches!(argument.ty, Ty::Ref(Access::Mutable, _)))
}

/// Returns `true` if C++ can compare values of the type by its operators.
fn is_scalar(ty: &Ty) -> bool {
    matches!(ty, Ty::Int(_) | Ty::Float(_) | Ty::Bool | Ty::Enum(_))
}

/// Returns the text of a comparison by `order`. That function returns -1, 0 or 1, or 2 if the values are unordered
/// because of a NaN.
fn compound_comparison(op: BinaryOp, ty: &Ty, left: &str, right: &str) -> String {
    // The comparisons of the module's structs are in the slot.
    let from = if matches!(ty, Ty::Struct(_)) { "" } else { "rust::" };
    match op {
        BinaryOp::Eq => format!("{from}equal({left}, {right})"),
        BinaryOp::Ne => format!("!{from}equal({left}, {right})"),
        BinaryOp::Lt => format!("{from}order({left}, {right}) == -1"),
        BinaryOp::Le => format!("{from}order({left}, {right}) <= 0"),
        BinaryOp::Gt => format!("{from}order({left}, {right}) == 1"),
        // As an unsigned number, -1 is the largest.
        _ => format!("(wp::u32){from}order({left}, {right}) <= 1u"),
    }
}

/// Returns `true` if evaluating an expression can fault. Calls are assumed to fault.
pub(super) fn can_fault(expr: &Expr) -> bool {
    let mut found = false;
    visit(expr, &mut |expr| {
        found |= matches!(
            expr.kind,
            ExprKind::Unary(_, _, Some(_))
                | ExprKind::Binary(_, _, _, Some(_))
                | ExprKind::AssignOp(_, _, _, Some(_))
                | ExprKind::Index(..)
                | ExprKind::ValueAt(..)
                | ExprKind::Method(_, _, Some(_), _)
                | ExprKind::Call(..)
                | ExprKind::Fault(..)
        );
    });
    found
}

/// Returns `true` if a value can be stored in a temporary. References and views cannot.
fn can_be_kept(expr: &Expr) -> bool {
    !matches!(expr.ty, Ty::Ref(..) | Ty::Unit | Ty::Never | Ty::Params | Ty::Edge | Ty::Vertex(..))
}
