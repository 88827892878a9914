//! The checked twin of a function: the same text with every type written out, in which whatever could panic is a
//! call into `wolfpath::twin` that returns a fault instead.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

use super::{helper, this, type_tokens};
use crate::methods::{Method, On};
use crate::model::{BinaryOp, Block, Expr, ExprKind, Function, Local, Program, Stmt, Ty, UnaryOp};

/// The twin, under this name; `with_self` passes the program first.
pub(super) fn twin(name: &Ident, function: &Function, with_self: bool, program: &Program) -> TokenStream {
    let body = Body { program, function };
    let (this, this_type) = (this(), type_tokens(&Ty::Params, program));
    let receiver = with_self.then(|| quote!(#this: &#this_type,));
    let parameters = function.locals[..function.parameters].iter().map(|local| body.parameter(local));
    let output = type_tokens(&function.output, program);
    let block = body.block(&function.body);
    quote! {
        #[inline]
        fn #name(#receiver #(#parameters),*) -> ::wolfpath::program::Checked<#output> {
            ::core::result::Result::Ok(#block)
        }
    }
}

struct Body<'a> {
    program: &'a Program,
    function: &'a Function,
}

impl Body<'_> {
    fn parameter(&self, local: &Local) -> TokenStream {
        let (name, ty) = (&local.name, type_tokens(&local.ty, self.program));
        let mutable = local.mutable.then(|| quote!(mut));
        quote!(#mutable #name: #ty)
    }

    fn block(&self, block: &Block) -> TokenStream {
        let statements = block.statements.iter().map(|statement| match statement {
            Stmt::Let(id, value) => {
                let (local, value) = (self.parameter(&self.function.locals[*id]), self.expr(value));
                quote!(let #local = #value;)
            }
            Stmt::Expr(value) => {
                let value = self.expr(value);
                quote!(let _ = #value;)
            }
        });
        let tail = block.tail.as_ref().map(|tail| self.expr(tail));
        quote!({ #(#statements)* #tail })
    }

    fn expr(&self, expr: &Expr) -> TokenStream {
        match &expr.kind {
            ExprKind::Unit | ExprKind::Error => quote!(()),
            ExprKind::Bool(value) => quote!(#value),
            ExprKind::Int(magnitude, negative) => int(*magnitude, *negative, &expr.ty),
            ExprKind::Float(digits) => float(digits, &expr.ty),
            ExprKind::NumberConst(name) => {
                let (ty, name) = (type_tokens(&expr.ty, self.program), Ident::new(name, Span::mixed_site()));
                quote!(<#ty>::#name)
            }
            ExprKind::Local(id) => {
                let name = &self.function.locals[*id].name;
                quote!(#name)
            }
            ExprKind::Params => {
                let this = this();
                quote!(#this)
            }
            ExprKind::Const(index) => {
                let name = &self.program.consts[*index].name;
                quote!(#name)
            }
            ExprKind::Field(base, name) => {
                let base = self.expr(base);
                quote!(#base.#name)
            }
            ExprKind::Unary(op, operand, site) => self.unary(*op, operand, *site),
            ExprKind::Binary(op, left, right, site) => self.binary(*op, left, right, *site),
            ExprKind::Logic(and, left, right) => self.logic(*and, left, right),
            ExprKind::Cast(inner) => {
                let (inner, ty) = (self.expr(inner), type_tokens(&expr.ty, self.program));
                quote!((#inner as #ty))
            }
            ExprKind::Call(index, arguments) => self.call(*index, arguments),
            ExprKind::Method(method, arguments, site) => self.method(method, arguments, *site, &expr.ty),
            ExprKind::Struct(index, fields) => self.struct_value(*index, fields),
            ExprKind::Some(inner) => {
                let inner = self.expr(inner);
                quote!(::core::option::Option::Some(#inner))
            }
            ExprKind::None => {
                let ty = type_tokens(&expr.ty, self.program);
                quote!(<#ty>::None)
            }
            ExprKind::If(condition, then, otherwise) => {
                let condition = self.expr(condition);
                self.branches(&quote!(#condition), then, otherwise.as_deref())
            }
            ExprKind::IfSome(local, option, then, otherwise) => {
                let pattern = match local {
                    Some(id) => {
                        let local = &self.function.locals[*id];
                        let (name, mutable) = (&local.name, local.mutable.then(|| quote!(mut)));
                        quote!(#mutable #name)
                    }
                    None => quote!(_),
                };
                let option = self.expr(option);
                self.branches(
                    &quote!(let ::core::option::Option::Some(#pattern) = #option),
                    then,
                    otherwise.as_deref(),
                )
            }
            ExprKind::Block(block) => self.block(block),
            ExprKind::Return(value) => {
                let value = self.expr(value);
                quote!(return ::core::result::Result::Ok(#value))
            }
            ExprKind::Assign(place, value) => {
                let (place, value) = (self.expr(place), self.expr(value));
                quote!({ #place = #value; })
            }
            ExprKind::AssignOp(op, place, value, site) => {
                // Rust evaluates the right side of a compound assignment of numbers before it reads the place.
                let (right, place) = (Ident::new("right", Span::mixed_site()), self.expr(place));
                let (result, value) = (Self::operator(*op, &place, &quote!(#right), *site), self.expr(value));
                quote!({ let #right = #value; #place = #result; })
            }
        }
    }

    fn unary(&self, op: UnaryOp, operand: &Expr, site: Option<u32>) -> TokenStream {
        let value = self.expr(operand);
        match (op, site) {
            (UnaryOp::Neg, Some(site)) => quote!(::wolfpath::twin::neg(#value, CHECKED, #site)?),
            (UnaryOp::Neg, None) => quote!((-#value)),
            (UnaryOp::Not, _) => quote!((!#value)),
        }
    }

    fn binary(&self, op: BinaryOp, left: &Expr, right: &Expr, site: Option<u32>) -> TokenStream {
        Self::operator(op, &self.expr(left), &self.expr(right), site)
    }

    fn operator(op: BinaryOp, left: &TokenStream, right: &TokenStream, site: Option<u32>) -> TokenStream {
        if let (Some(site), Some(function)) = (site, op.function()) {
            let function = Ident::new(function, Span::mixed_site());
            return quote!(::wolfpath::twin::#function(#left, #right, CHECKED, #site)?);
        }
        let symbol: TokenStream = op.symbol().parse().unwrap_or_default();
        quote!((#left #symbol #right))
    }

    fn logic(&self, and: bool, left: &Expr, right: &Expr) -> TokenStream {
        let (left, right) = (self.expr(left), self.expr(right));
        if and { quote!((#left && #right)) } else { quote!((#left || #right)) }
    }

    fn call(&self, index: usize, arguments: &[Expr]) -> TokenStream {
        let name = helper(&self.program.functions[index].name);
        let arguments = arguments.iter().map(|argument| self.expr(argument));
        quote!(#name(#(#arguments),*)?)
    }

    fn method(&self, method: &Method, operands: &[Expr], site: Option<u32>, output: &Ty) -> TokenStream {
        let name = Ident::new(method.name, Span::mixed_site());
        let values: Vec<TokenStream> = operands.iter().map(|operand| self.expr(operand)).collect();
        if let Some(site) = site {
            return quote!(::wolfpath::twin::#name(#(#values,)* CHECKED, #site)?);
        }
        let ty = type_tokens(output, self.program);
        match (method.on, output) {
            (On::BitsOfFloat, _) => quote!(<#ty>::from_bits(#(#values),*)),
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

    fn struct_value(&self, index: usize, fields: &[(Ident, Expr)]) -> TokenStream {
        let name = &self.program.structs[index].name;
        let names = fields.iter().map(|(name, _)| name);
        let values = fields.iter().map(|(_, value)| self.expr(value));
        quote!((#name { #(#names: #values),* }))
    }

    fn branches(&self, condition: &TokenStream, then: &Block, otherwise: Option<&Expr>) -> TokenStream {
        let then = self.block(then);
        match otherwise {
            Some(otherwise) => {
                let otherwise = self.expr(otherwise);
                quote!((if #condition #then else { #otherwise }))
            }
            None => quote!((if #condition #then)),
        }
    }
}

fn int(magnitude: u128, negative: bool, ty: &Ty) -> TokenStream {
    let suffix = match ty {
        Ty::Int(int) => int.name(),
        _ => "",
    };
    let number = syn::LitInt::new(&format!("{magnitude}{suffix}"), Span::mixed_site());
    if negative { quote!((-#number)) } else { quote!(#number) }
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

/// The digits with a fraction or an exponent, so that a suffix can follow: `1.` is `1.0`.
pub(crate) fn full_digits(digits: &str) -> String {
    if digits.ends_with('.') {
        format!("{digits}0")
    } else if digits.contains(['.', 'e', 'E']) {
        digits.to_owned()
    } else {
        format!("{digits}.0")
    }
}
