//! Names in expressions: locals, constants, variants.

use syn::spanned::Spanned;
use syn::{ExprPath, Path};

use super::expr::U32;
use super::unify::Var;
use super::{Hint, Infer, typed};
use crate::messages::suggestion;
use crate::model::inferred::{Expr, ExprKind, Ty};
use crate::model::{Float, Int, Sign};
use crate::names::primitive;
use crate::parse::peel_type;

/// Constants of the number types.
const NUMBER_CONSTS: [&str; 7] = ["MAX", "MIN", "EPSILON", "INFINITY", "NEG_INFINITY", "NAN", "MIN_POSITIVE"];

/// Constants of `f32::consts` and `f64::consts`, with more digits than either type holds.
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

/// The constants of floats that are integers: the name, the type, and the magnitudes and sign for `f32` and `f64`.
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
    pub(super) fn path(&mut self, path: &ExprPath, hint: &Hint) -> Expr {
        let span = path.span();
        if let Some(name) = path.path.get_ident().filter(|_| path.qself.is_none()) {
            let text = name.to_string();
            if let Some(id) = self.lookup(&text) {
                return typed(ExprKind::Local(id), self.locals[id].ty.clone(), span);
            }
            return match text.as_str() {
                "self" => typed(ExprKind::Params, Ty::Params, span),
                "None" => self.none(hint, span),
                _ => match self.names.constant(None, &text) {
                    Some(index) => typed(ExprKind::Const(index), self.names.consts[index].ty.clone(), span),
                    None => self.unknown_name(name),
                },
            };
        }
        if path.path.segments.len() == 2
            && path.path.segments[0].ident == "Option"
            && ends(&path.path, "None")
        {
            return self.none(hint, span);
        }
        match self.owner_of(path) {
            Some((owner, name)) => self.associated(&owner, &name, path),
            None => self.number_const(path),
        }
    }

    fn none(&mut self, hint: &Hint, span: proc_macro2::Span) -> Expr {
        let of = match self.hinted(hint) {
            Some(Ty::Option(of)) => *of,
            _ => self.fresh(Var::Any),
        };
        typed(ExprKind::None, Ty::option(of), span)
    }

    fn unknown_name(&mut self, name: &syn::Ident) -> Expr {
        let text = name.to_string();
        let locals = self.scopes.iter().flatten().map(|(name, _)| name.clone());
        let consts = self.names.consts.iter().filter(|item| item.owner.is_none());
        let known: Vec<String> = locals.chain(consts.map(|item| item.name.to_string())).collect();
        let hint = suggestion(&text, known.iter().map(String::as_str));
        let is_function = self.names.function(None, &text).is_some();
        let message = if is_function {
            format!("`{text}` is a function: a program calls its functions, and has no pointers to them")
        } else if self.names.is_function {
            format!(
                "`{text}` is not known to the program{hint}: it sees its parameters and its locals; the module form has room \
                 for constants"
            )
        } else {
            format!(
                "`{text}` is not known to the program{hint}: it sees its parameters, its locals and the module's items"
            )
        };
        self.refuse(name, message)
    }

    /// The type of the module in front of a name: `Pair::LIMIT`, `Self::new`, `State::Open`.
    pub(super) fn owner_of(&self, path: &ExprPath) -> Option<(Ty, syn::Ident)> {
        let segments = &path.path.segments;
        if path.qself.is_some() || segments.len() != 2 {
            return None;
        }
        let (owner, name) = (&segments[0].ident, segments[1].ident.clone());
        let owner = if owner == "Self" { self.owner.clone()? } else { self.names.own_type(owner)? };
        Some((owner, name))
    }

    /// A variant of an enum, or a constant of a type of the module.
    fn associated(&mut self, owner: &Ty, name: &syn::Ident, path: &ExprPath) -> Expr {
        let span = path.span();
        if let Ty::Enum(index) = owner {
            let variant = self.names.enums[*index].variants.iter().position(|(known, _)| known == name);
            if let Some(variant) = variant {
                return typed(ExprKind::Variant(*index, variant), owner.clone(), span);
            }
        }
        if let Some(index) = self.names.constant(Some(owner), &name.to_string()) {
            return typed(ExprKind::Const(index), self.names.consts[index].ty.clone(), span);
        }
        let message =
            format!("`{}` has no constant or variant `{name}` in this module", self.names.show(owner));
        self.refuse(name, message)
    }

    /// `u32::MAX`, `f64::consts::PI`.
    fn number_const(&mut self, path: &ExprPath) -> Expr {
        let Some((ty, name)) = number_item(path) else {
            return self
                .refuse(&path, "this constant is not known to the program: declare a `const` in its module");
        };
        let span = path.span();
        if let (Ty::Int(int), "BITS") = (&ty, name.as_str()) {
            return typed(ExprKind::Int(u128::from(int.bits()), Sign::Plus), U32, span);
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
                format!("`{name}` is not a constant of `{}` that a program can use", self.show(&ty)),
            ),
        }
    }
}

/// Whether the path's last name is this.
pub(super) fn ends(path: &Path, name: &str) -> bool {
    path.segments.last().is_some_and(|last| last.ident == name)
}

/// The number type and the name behind it, of `u32::MAX`, `<f32>::max`, `std::f32::consts::PI`.
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
