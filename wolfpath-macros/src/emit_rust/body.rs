//! Emits the checked twin of a function: the same text with every type written out. Each operation that could panic is
//! replaced by a call into `wolfpath::twin`, which returns a fault instead.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;

use super::control::continue_expr;
use super::{among, constant, helper, this, turns, type_tokens};
use crate::methods::{Method, On};
use crate::model::views::InputRead;
use crate::model::{
    Access, BinaryOp, Expr, ExprKind, Function, Local, LogicOp, Mutability, Program, Sign, Ty, UnaryOp,
};

/// Returns the twin of a function, with this name.
pub(super) fn twin(name: &Ident, function: &Function, kind: Twin, program: &Program) -> TokenStream {
    let body = Body { program, function };
    let (this, this_type) = (this(), type_tokens(&Ty::Params, &program.interface));
    let receiver = (kind == Twin::OfProgram).then(|| quote!(#this: &#this_type,));
    let parameters = function.locals[..function.parameters].iter().map(|local| body.parameter(local));
    let output = type_tokens(&function.output, &program.interface);
    let is_apply = kind == Twin::OfProgram && function.name == "apply";
    let values = (is_apply && program.reads_values_at()).then(|| {
        let (among, value) = (among(), type_tokens(&program.interface.value.ty, &program.interface));
        quote!(, #among: ::wolfpath::program::Among<'_, #value>)
    });
    let turns = function.polls.then(|| {
        let turns = turns();
        quote!(let mut #turns: ::core::primitive::u32 = 0;)
    });
    let block = body.block(&function.body);
    quote! {
        #[inline]
        fn #name(#receiver #(#parameters),* #values) -> ::wolfpath::program::Checked<#output> {
            #turns
            ::core::result::Result::Ok(#block)
        }
    }
}

/// The kind of a twin: with or without the program as the first parameter.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Twin {
    Helper,
    OfProgram,
}

/// Returns `mut`, or nothing.
pub(super) fn keyword(mutability: Mutability) -> Option<TokenStream> {
    (mutability == Mutability::Mutable).then(|| quote!(mut))
}

pub(super) struct Body<'a> {
    pub(super) program: &'a Program,
    pub(super) function: &'a Function,
}

impl Body<'_> {
    fn parameter(&self, local: &Local) -> TokenStream {
        let (name, ty) = (&local.name, self.type_tokens(&local.ty));
        let mutable = keyword(local.mutability);
        quote!(#mutable #name: #ty)
    }

    pub(super) fn type_tokens(&self, ty: &Ty) -> TokenStream {
        type_tokens(ty, &self.program.interface)
    }

    pub(super) fn expr(&self, expr: &Expr) -> TokenStream {
        match &expr.kind {
            ExprKind::Unit => quote!(()),
            ExprKind::Bool(value) => quote!(#value),
            ExprKind::Int(magnitude, sign) => int(*magnitude, *sign, &expr.ty),
            ExprKind::Float(digits) => float(digits, &expr.ty),
            ExprKind::NumberConst(name) => self.item_of(&expr.ty, &Ident::new(name, Span::mixed_site())),
            ExprKind::Checked => quote!(WOLFPATH_CHECKED),
            // The name gets the span of its use, so that rustc reports errors there.
            ExprKind::Local(id) => placed(&self.function.locals[*id].name, expr.span).into_token_stream(),
            ExprKind::Params => this().into_token_stream(),
            ExprKind::Const(index) => constant(&self.program.bodies.consts[*index], self.program),
            ExprKind::Variant(index, variant) => {
                self.item_of(&expr.ty, &self.program.interface.enums[*index].variants[*variant].0)
            }
            ExprKind::Field(base, name) => {
                let base = self.expr(base);
                quote!(#base.#name)
            }
            ExprKind::Part(base, index) => {
                let (base, index) = (self.expr(base), syn::Index::from(*index));
                quote!(#base.#index)
            }
            ExprKind::Index(base, at, site) => self.index(base, at, *site),
            ExprKind::Tuple(parts) => {
                let parts = parts.iter().map(|part| self.expr(part));
                quote!((#(#parts),*))
            }
            ExprKind::Array(parts) => {
                let parts = parts.iter().map(|part| self.expr(part));
                quote!([#(#parts),*])
            }
            ExprKind::Repeat(value) => {
                let (value, length) = (self.expr(value), array_length(&expr.ty));
                quote!([#value; #length])
            }
            ExprKind::Input(read, input, at) => self.input(read, input, at),
            ExprKind::Unary(op, operand, site) => self.unary(*op, operand, *site),
            ExprKind::Binary(op, left, right, site) => {
                Self::operator(*op, &self.expr(left), &self.expr(right), *site)
            }
            ExprKind::Logic(op, left, right) => self.logic(*op, left, right),
            ExprKind::Cast(inner) => {
                let (inner, ty) = (self.expr(inner), self.type_tokens(&expr.ty));
                quote!((#inner as #ty))
            }
            ExprKind::Call(index, arguments) => self.call(*index, arguments),
            ExprKind::Method(method, arguments, site, _) => self.method(method, arguments, *site, &expr.ty),
            ExprKind::Random(path, arguments) => self.random(path, arguments),
            ExprKind::ValueAt(index, site) => self.value_at(index, *site, &expr.ty),
            ExprKind::Struct(index, fields, rest) => self.struct_value(*index, fields, rest.as_deref()),
            ExprKind::Some(inner) => {
                let inner = self.expr(inner);
                quote!(::core::option::Option::Some(#inner))
            }
            ExprKind::None => self.item_of(&expr.ty, &Ident::new("None", Span::call_site())),
            ExprKind::Borrow(access, place) => self.borrow(*access, place, expr.span),
            ExprKind::Deref(inner) => {
                let inner = self.expr(inner);
                quote!((*#inner))
            }
            ExprKind::Assign(place, value) => {
                let (place, value) = (self.expr(place), self.expr(value));
                quote_spanned!(expr.span=> { #place = #value; })
            }
            ExprKind::AssignOp(op, place, value, site) => self.assign_op(*op, place, value, *site),
            ExprKind::If(conditions, then, otherwise) => self.if_expr(conditions, then, otherwise.as_deref()),
            ExprKind::Match(value, arms) => self.match_expr(value, arms),
            ExprKind::Block(block) => self.block(block),
            ExprKind::Labelled(id, block) => self.labelled(*id, block),
            ExprKind::Loop(id, kind, body, polling) => self.turns(*id, kind, body, *polling),
            ExprKind::Break(id, value) => self.break_expr(*id, value.as_deref()),
            ExprKind::Continue(id) => continue_expr(*id),
            ExprKind::Return(value) => self.return_expr(value),
            ExprKind::Try(option) => self.try_expr(option),
            ExprKind::Fault(_, site) => {
                quote!(return ::core::result::Result::Err(::wolfpath::program::Fault { site: #site }))
            }
            ExprKind::Refused(never) => match *never {},
        }
    }

    /// Returns the path of a constant or variant of a type.
    fn item_of(&self, ty: &Ty, name: &Ident) -> TokenStream {
        let ty = self.type_tokens(ty);
        quote!(<#ty>::#name)
    }

    fn input(&self, read: &InputRead, input: &Expr, at: &Expr) -> TokenStream {
        let (input, at) = (self.expr(input), self.expr(at));
        let method = Ident::new(read.method, Span::mixed_site());
        quote!(#input.#method(#at))
    }

    /// Returns an element. The index is checked first, so that the compiler can remove the array's own check.
    fn index(&self, base: &Expr, at: &Expr, site: u32) -> TokenStream {
        let length = array_length(&base.ty);
        let (base, at) = (self.expr(base), self.expr(at));
        quote!(#base[::wolfpath::twin::index(#at, #length, #site)?])
    }

    /// Returns the value of any vertex before the step.
    fn value_at(&self, index: &Expr, site: u32, before: &Ty) -> TokenStream {
        let (among, index) = (among(), self.expr(index));
        match before {
            Ty::Option(_) => quote!(#among.option_at(#index, #site)?),
            _ => quote!(#among.value_at(#index, #site)?),
        }
    }

    /// Returns a reference to a place. The program is a reference already.
    fn borrow(&self, access: Access, place: &Expr, at: Span) -> TokenStream {
        let value = self.expr(place);
        match (&place.kind, access) {
            (ExprKind::Params, _) => value,
            (_, Access::Mutable) => quote_spanned!(at=> (&mut #value)),
            (_, Access::Shared) => quote_spanned!(at=> (&#value)),
        }
    }

    /// Returns a compound assignment. For numbers, Rust evaluates the right side before the place.
    fn assign_op(&self, op: BinaryOp, place: &Expr, value: &Expr, site: Option<u32>) -> TokenStream {
        let (right, left) =
            (Ident::new("right", Span::mixed_site()), Ident::new("place", Span::mixed_site()));
        let (place, value) = (self.expr(place), self.expr(value));
        let result = Self::operator(op, &quote!((*#left)), &quote!(#right), site);
        quote!({ let #right = #value; let #left = &mut #place; *#left = #result; })
    }

    fn unary(&self, op: UnaryOp, operand: &Expr, site: Option<u32>) -> TokenStream {
        let value = self.expr(operand);
        match (op, site) {
            (UnaryOp::Neg, Some(site)) => quote!(::wolfpath::twin::neg(#value, WOLFPATH_CHECKED, #site)?),
            (UnaryOp::Neg, None) => quote!((-#value)),
            (UnaryOp::Not, _) => quote!((!#value)),
        }
    }

    fn operator(op: BinaryOp, left: &TokenStream, right: &TokenStream, site: Option<u32>) -> TokenStream {
        if let (Some(site), Some(function)) = (site, op.function()) {
            let function = Ident::new(function, Span::mixed_site());
            return quote!(::wolfpath::twin::#function(#left, #right, WOLFPATH_CHECKED, #site)?);
        }
        let symbol: TokenStream = op.symbol().parse().unwrap_or_default();
        quote!((#left #symbol #right))
    }

    fn logic(&self, op: LogicOp, left: &Expr, right: &Expr) -> TokenStream {
        let (left, right) = (self.expr(left), self.expr(right));
        match op {
            LogicOp::And => quote!((#left && #right)),
            LogicOp::Or => quote!((#left || #right)),
        }
    }

    fn call(&self, index: usize, arguments: &[Expr]) -> TokenStream {
        let name = helper(index, &self.program.bodies.functions[index].name);
        let arguments = arguments.iter().map(|argument| self.expr(argument));
        quote!(#name(#(#arguments),*)?)
    }

    fn method(&self, method: &Method, operands: &[Expr], site: Option<u32>, output: &Ty) -> TokenStream {
        let name = Ident::new(method.name, Span::mixed_site());
        let values: Vec<TokenStream> = operands.iter().map(|operand| self.expr(operand)).collect();
        if let Some(site) = site {
            return quote!(::wolfpath::twin::#name(#(#values,)* WOLFPATH_CHECKED, #site)?);
        }
        let ty = self.type_tokens(output);
        match (method.on, output) {
            _ if method.has_type_in_front() => quote!(<#ty>::#name(#(#values),*)),
            (On::Float, Ty::Float(float)) if matches!(method.name, "min" | "max") => {
                let name = Ident::new(&format!("{}_{}", method.name, float.name()), Span::mixed_site());
                quote!(::wolfpath::program::#name(#(#values),*))
            }
            _ => {
                let (receiver, rest) = (&values[0], &values[1..]);
                quote!((#receiver).#name(#(#rest),*))
            }
        }
    }

    /// Returns a call of the built-in function. rustc rejects it if the written path names another function.
    fn random(&self, path: &TokenStream, arguments: &[Expr]) -> TokenStream {
        let arguments = arguments.iter().map(|argument| self.expr(argument));
        let random = quote_spanned! {path.span()=>
            ::wolfpath::twin::Named(#path, ::wolfpath::program::random).built_in()
        };
        quote!(#random(#(#arguments),*))
    }

    fn struct_value(&self, index: usize, fields: &[(Ident, Expr)], rest: Option<&Expr>) -> TokenStream {
        let name = &self.program.interface.structs[index].name;
        let names = fields.iter().map(|(name, _)| name);
        let values = fields.iter().map(|(_, value)| self.expr(value));
        let rest = rest.map(|rest| {
            let rest = self.expr(rest);
            quote!(..#rest)
        });
        quote!((#name { #(#names: #values,)* #rest }))
    }
}

/// Returns the name with the span of its use and the hygiene of its declaration.
fn placed(name: &Ident, at: Span) -> Ident {
    let mut name = name.clone();
    name.set_span(name.span().located_at(at));
    name
}

/// Returns the length of an array type as a literal.
fn array_length(ty: &Ty) -> Literal {
    match ty {
        Ty::Array(_, length) => Literal::usize_suffixed(usize::try_from(*length).unwrap_or(usize::MAX)),
        _ => Literal::usize_suffixed(0),
    }
}

fn int(magnitude: u128, sign: Sign, ty: &Ty) -> TokenStream {
    let suffix = match ty {
        Ty::Int(int) => int.name(),
        _ => "",
    };
    let number = syn::LitInt::new(&format!("{magnitude}{suffix}"), Span::mixed_site());
    match sign {
        Sign::Minus => quote!((-#number)),
        Sign::Plus => quote!(#number),
    }
}

fn float(digits: &str, ty: &Ty) -> TokenStream {
    let suffix = match ty {
        Ty::Float(float) => float.name(),
        _ => "",
    };
    let digits = full_digits(digits);
    match format!("{digits}{suffix}").parse::<Literal>() {
        Ok(literal) => quote!(#literal),
        Err(_) => quote!(()),
    }
}

/// Returns the digits with a fraction or an exponent, so that a suffix can follow: `1.` is `1.0`.
pub(crate) fn full_digits(digits: &str) -> String {
    if digits.ends_with('.') {
        format!("{digits}0")
    } else if digits.contains(['.', 'e', 'E']) {
        digits.to_owned()
    } else {
        format!("{digits}.0")
    }
}
