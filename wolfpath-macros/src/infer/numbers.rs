//! Infers constants and functions of the number types: `u32::MAX`, `f32::from_bits(b)`, `u64::from(x)`.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{ExprCall, ExprPath, Path};

use super::{Hint, Infer, typed};
use crate::methods::Method;
use crate::model::inferred::{Expr, ExprKind, Ty};
use crate::model::{Float, Int, Sign};
use crate::names::primitive;
use crate::parse::peel_type;

/// Names of constants of the number types.
const NUMBER_CONSTS: [&str; 7] = ["MAX", "MIN", "EPSILON", "INFINITY", "NEG_INFINITY", "NAN", "MIN_POSITIVE"];

/// Constants of `f32::consts` and `f64::consts`. They have more digits than either type can represent.
const FLOAT_CONSTS: [(&str, &str); 19] = [
    ("PI", "3.14159265358979323846264338327950288"),
    ("TAU", "6.28318530717958647692528676655900577"),
    ("FRAC_PI_2", "1.57079632679489661923132169163975144"),
    ("FRAC_PI_3", "1.04719755119659774615421446109316763"),
    ("FRAC_PI_4", "0.785398163397448309615660845819875721"),
    ("FRAC_PI_6", "0.52359877559829887307710723054658381"),
    ("FRAC_PI_8", "0.39269908169872415480783042290993786"),
    ("FRAC_1_PI", "0.318309886183790671537767526745028724"),
    ("FRAC_2_PI", "0.636619772367581343075535053490057448"),
    ("FRAC_2_SQRT_PI", "1.12837916709551257389615890312154517"),
    ("SQRT_2", "1.41421356237309504880168872420969808"),
    ("FRAC_1_SQRT_2", "0.707106781186547524400844362104849039"),
    ("E", "2.71828182845904523536028747135266250"),
    ("LOG2_E", "1.44269504088896340735992468100189214"),
    ("LOG2_10", "3.32192809488736234787031942948939018"),
    ("LOG10_E", "0.434294481903251827651128918916605082"),
    ("LOG10_2", "0.301029995663981195213738894724493027"),
    ("LN_2", "0.693147180559945309417232121458176568"),
    ("LN_10", "2.30258509299404568401799145468436421"),
];

/// Integer constants of the float types: the name, the type, the magnitudes for `f32` and `f64`, and the sign.
const FLOAT_LIMITS: [(&str, Int, [u128; 2], Sign); 7] = [
    ("RADIX", Int::U32, [2, 2], Sign::Plus),
    ("MANTISSA_DIGITS", Int::U32, [24, 53], Sign::Plus),
    ("DIGITS", Int::U32, [6, 15], Sign::Plus),
    ("MIN_EXP", Int::I32, [125, 1021], Sign::Minus),
    ("MAX_EXP", Int::I32, [128, 1024], Sign::Plus),
    ("MIN_10_EXP", Int::I32, [37, 307], Sign::Minus),
    ("MAX_10_EXP", Int::I32, [38, 308], Sign::Plus),
];

impl Infer<'_, '_> {
    /// Reads `u32::MAX`, `f64::consts::PI`.
    pub(super) fn number_const(&mut self, path: &ExprPath) -> Expr {
        let Some((ty, name)) = number_item(path) else {
            return self
                .refuse(&path, "this constant is not known to the program: declare a `const` in its module");
        };
        let span = path.span();
        if let (Ty::Int(int), "BITS") = (&ty, name.as_str()) {
            return typed(ExprKind::Int(u128::from(int.bits()), Sign::Plus), Ty::Int(Int::U32), span);
        }
        let limit = FLOAT_LIMITS.iter().find(|limit| limit.0 == name);
        if let (Ty::Float(float), Some((_, of, magnitudes, sign))) = (&ty, limit) {
            let magnitude = magnitudes[usize::from(*float == Float::F64)];
            return typed(ExprKind::Int(magnitude, *sign), Ty::Int(*of), span);
        }
        let known = NUMBER_CONSTS.iter().find(|known| **known == name);
        if let Some(known) = known.filter(|known| ty.is_float() || matches!(**known, "MAX" | "MIN"))
            && ty.is_number()
        {
            return typed(ExprKind::NumberConst(known), ty, span);
        }
        let digits = FLOAT_CONSTS.iter().find(|(known, _)| *known == name).filter(|_| ty.is_float());
        match digits {
            Some((_, digits)) => typed(ExprKind::Float((*digits).to_owned()), ty, span),
            None => self.refuse(
                &path,
                format!(
                    "`{name}` is not a constant of `{}` in the language of edge programs",
                    self.show(&ty)
                ),
            ),
        }
    }

    /// Reads `f32::from_bits(b)`, `u64::from(x)`, `f32::max(a, b)`.
    pub(super) fn number_call(&mut self, ty: &Ty, name: &str, call: &ExprCall) -> Expr {
        if let Some(function) = Method::of_type(name, ty) {
            let types = function.arguments(ty, || Ty::REFUSED);
            let operands = self.arguments(&call.args, &types, call.span());
            return typed(
                ExprKind::Method(function, operands, None, call.func.span()),
                ty.clone(),
                call.span(),
            );
        }
        let written: Vec<&syn::Expr> = call.args.iter().collect();
        match (name, ty, written.as_slice()) {
            ("min_value", Ty::Int(_), []) => typed(ExprKind::NumberConst("MIN"), ty.clone(), call.span()),
            ("max_value", Ty::Int(_), []) => typed(ExprKind::NumberConst("MAX"), ty.clone(), call.span()),
            ("from", _, [value]) => self.lossless(ty, value, call),
            ("default", _, []) => zero(ty, call.span()),
            ("try_from", ..) => {
                let shown = self.show(ty);
                self.refuse(
                    &call.func,
                    format!("an edge program has no `Result`: compare with `{shown}::MAX`, then write `as {shown}`"),
                )
            }
            (_, _, [receiver, arguments @ ..]) => {
                let receiver = self.check(receiver, ty);
                self.method(name, receiver, arguments, &call.func, call.span())
            }
            _ => self.refuse(
                &call.func,
                format!("`{name}` is not a function of `{}` in the language of edge programs", self.show(ty)),
            ),
        }
    }

    /// Reads `T::from(x)`, if the standard library has this conversion.
    fn lossless(&mut self, ty: &Ty, value: &syn::Expr, call: &ExprCall) -> Expr {
        let inner = self.operand(value, &Hint::None);
        let from = self.shallow(&inner.ty);
        if from == Ty::REFUSED || (&from == ty) {
            return Expr { span: call.span(), ..inner };
        }
        if is_lossless(&from, ty) {
            return typed(ExprKind::Cast(Box::new(inner)), ty.clone(), call.span());
        }
        let (from, ty) = (self.show(&from), self.show(ty));
        self.disagree(call.span(), format!("`{ty}::from` does not take `{from}`: write `as {ty}`"))
    }
}

/// Returns the number type and the last name of a path such as `u32::MAX`, `<f32>::max` or `std::f32::consts::PI`.
pub(super) fn number_item(path: &ExprPath) -> Option<(Ty, String)> {
    let name = path.path.segments.last()?.ident.to_string();
    if let Some(qself) = &path.qself {
        let syn::Type::Path(ty) = peel_type(&qself.ty) else { return None };
        return Some((type_name(&ty.path)?, name));
    }
    let segments: Vec<String> = path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    let names: Vec<&str> = segments.iter().map(String::as_str).collect();
    let ty = match names.as_slice() {
        [ty, _] | [ty, "consts", _] | ["std" | "core", ty, _] | ["std" | "core", ty, "consts", _] => {
            primitive(ty)?
        }
        _ => return None,
    };
    Some((ty, name))
}

fn type_name(path: &Path) -> Option<Ty> {
    primitive(&path.get_ident()?.to_string())
}

/// Returns the zero of a number type, or `false`.
fn zero(ty: &Ty, span: Span) -> Expr {
    let kind = match ty {
        Ty::Bool => ExprKind::Bool(false),
        Ty::Float(_) => ExprKind::Float("0".to_owned()),
        _ => ExprKind::Int(0, Sign::Plus),
    };
    typed(kind, ty.clone(), span)
}

/// Returns `true` if the standard library implements `From<from>` for `to`.
fn is_lossless(from: &Ty, to: &Ty) -> bool {
    match (from, to) {
        (Ty::Bool, Ty::Int(_)) => true,
        (Ty::Float(Float::F32), Ty::Float(Float::F64)) => true,
        (Ty::Int(from), Ty::Float(float)) => {
            let digits = if *float == Float::F32 { 24 } else { 53 };
            !matches!(from, Int::Usize | Int::Isize) && from.bits() < digits
        }
        (Ty::Int(from), Ty::Int(to)) => match (from, to) {
            (Int::Usize | Int::Isize, _) => false,
            (from, Int::Usize) => matches!(from, Int::U8 | Int::U16),
            (from, Int::Isize) => matches!(from, Int::U8 | Int::I8 | Int::I16),
            (from, to) if from.is_signed() == to.is_signed() => from.bits() < to.bits(),
            (from, to) => !from.is_signed() && from.bits() < to.bits(),
        },
        _ => false,
    }
}
