//! The module form: an inline module with one `impl EdgeProgram for T` and all items that it needs.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::visit::Visit;
use syn::{
    Ident, ImplItem, ImplItemConst, ImplItemFn, ImplItemType, Item, ItemConst, ItemEnum, ItemFn, ItemImpl,
    ItemMod, ItemStruct, ItemUse, Type,
};

use super::{Arguments, Callable, Constant, RefuseCfg, Shared, Source, check_signature, last_name, peel};
use crate::messages::{Errors, suggestion};
use crate::model::{Combine, METHODS, Senders};

/// A module under `#[edge_program]`, sorted by kind of item but otherwise as written.
pub(crate) struct ModuleForm {
    pub(crate) item: ItemMod,
    /// The items besides the program.
    pub(crate) own: Pieces,
    /// Items of a module that the program shares with others.
    pub(crate) shared: Option<Shared>,
    pub(crate) program: ItemImpl,
    pub(crate) types: Vec<ImplItemType>,
    pub(crate) settings: Vec<ImplItemConst>,
    pub(crate) methods: Vec<ImplItemFn>,
}

impl ModuleForm {
    /// Sorts the items of the module, and rejects those that are not allowed in it.
    pub(crate) fn new(
        item: ItemMod,
        arguments: &Arguments,
        shared: Option<Shared>,
        errors: &mut Errors,
    ) -> Option<ModuleForm> {
        if let Some(argument) = &arguments.first_key {
            errors.on(
                argument,
                "a module does not take arguments: write `type Combine = ..`, `const UNIFORM`, `const ACCUMULATES`, \
                 `const ALONG`, `const NON_NEGATIVE_WEIGHTS` in the `impl EdgeProgram` and remove them here; a module takes only `types = MODULE`",
            );
        }
        RefuseCfg(errors).visit_item_mod(&item);
        let Some((_, items)) = &item.content else {
            errors.on(
                &item,
                "the module must be inline, with its braces here: an attribute cannot read another file",
            );
            return None;
        };
        Pieces::of(items.clone(), errors).finish(item, shared, errors)
    }

    /// Returns the parts of the program, without those that only rustc needs.
    pub(crate) fn source(&self, errors: &mut Errors) -> Option<Source> {
        let name = self.name(errors)?;
        let associated =
            |wanted: &str| self.types.iter().find(|ty| ty.ident == wanted).map(|ty| ty.ty.clone());
        let (Some(value), Some(message)) = (associated("Value"), associated("Message")) else {
            errors.on(
                &self.program.self_ty,
                "a program needs the types of values and messages: `type Value = ..;` and `type Message = ..;`",
            );
            return None;
        };
        let nothing = Pieces::default();
        let shared = self.shared.as_ref().map_or(&nothing, |shared| &shared.pieces);
        let own = self.own.structs.iter().filter(|item| item.ident != name);
        self.declared_twice(shared, errors);
        let params = self.own.structs.iter().find(|item| item.ident == name).cloned();
        if params.is_none() {
            errors.on(
                &name,
                format!("the struct `{name}` must be declared in this module, so that the macro can read its fields"),
            );
            return None;
        }
        Some(Source {
            structs: shared.structs.iter().chain(own).cloned().collect(),
            enums: [&*shared.enums, &self.own.enums].concat(),
            shared: (shared.structs.len(), shared.enums.len()),
            params,
            consts: shared.constants().into_iter().chain(self.own.constants()).collect(),
            functions: shared
                .callables(&mut Errors::default())
                .into_iter()
                .chain(self.own.callables(errors))
                .collect(),
            methods: self.methods.iter().map(|f| callable(None, &f.sig, &f.block, errors)).collect(),
            value,
            message,
            weight: associated("Weight"),
            aggregate: associated("Aggregate"),
            folds_before: self.folds_before(),
            combine: self.combine(errors),
            senders: self.senders(errors),
            neighbours: self.neighbours(errors),
            both_ways: self.goes_along("Both"),
            accumulates: self.accumulates(errors),
            misspelt: self
                .methods
                .iter()
                .any(|method| !METHODS.iter().any(|known| method.sig.ident == known)),
            name,
        })
    }

    /// Rejects items that have the name of a shared one, which they would hide.
    fn declared_twice(&self, shared: &Pieces, errors: &mut Errors) {
        let known: Vec<&Ident> = shared.names().collect();
        for name in self.own.names().filter(|name| known.contains(name)) {
            errors.on(name, format!("`{name}` is also an item of the shared module: choose another name"));
        }
    }

    /// Returns `true` if `aggregate` reads the value before the last step, judged by its text: `v.before`, or `before`
    /// in a pattern `Vertex { .. }`.
    pub(crate) fn folds_before(&self) -> bool {
        let aggregate = self.methods.iter().find(|method| method.sig.ident == "aggregate");
        aggregate.is_some_and(|method| {
            let parameter = method.sig.inputs.iter().find_map(|input| match input {
                syn::FnArg::Typed(typed) => Some(&*typed.pat),
                syn::FnArg::Receiver(_) => None,
            });
            let mut names: Vec<Ident> = match parameter {
                Some(syn::Pat::Ident(pattern)) => vec![pattern.ident.clone()],
                _ => Vec::new(),
            };
            let in_pattern =
                parameter.is_some_and(|pattern| reads_before(pattern.to_token_stream(), &mut names));
            in_pattern || reads_before(method.block.to_token_stream(), &mut names)
        })
    }

    fn name(&self, errors: &mut Errors) -> Option<syn::Ident> {
        let name = last_name(&self.program.self_ty).cloned();
        if name.is_none() {
            errors.on(
                &self.program.self_ty,
                "the program must be a struct of this module: write its name here",
            );
        }
        name
    }

    fn combine(&self, errors: &mut Errors) -> Option<(Combine, Type)> {
        let item = self.types.iter().find(|ty| ty.ident == "Combine")?;
        // `Any` fits all types, so the rest of the program can still be checked.
        Some((super::combine::written(&item.ty, errors).unwrap_or(Combine::Any), item.ty.clone()))
    }

    fn setting(&self, name: &str) -> Option<&ImplItemConst> {
        self.settings.iter().find(|item| item.ident == name)
    }

    /// Returns `true` if `ALONG` is this variant of `Along`.
    fn goes_along(&self, wanted: &str) -> bool {
        self.setting("ALONG").and_then(variant).is_some_and(|variant| variant == wanted)
    }

    /// Returns `true` if `ALONG` is `Along::Neighbours`. Rejects `ORIENTED` along other edges.
    fn neighbours(&self, errors: &mut Errors) -> bool {
        let neighbours = self.goes_along("Neighbours");
        if let Some(oriented) = self.promised("ORIENTED", errors).filter(|_| !neighbours) {
            errors.on(
                oriented,
                "`ORIENTED` visits each pair of neighbours once, so it requires distinct neighbours: add \
                 `const ALONG: Along = Along::Neighbours;`",
            );
        }
        neighbours
    }

    /// Returns the name of a setting that is `true`.
    fn promised(&self, name: &str, errors: &mut Errors) -> Option<&Ident> {
        let item = self.setting(name)?;
        match peel(&item.expr) {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Bool(promised), .. }) => {
                promised.value.then_some(&item.ident)
            }
            other => {
                errors.on(other, "write `true` or `false` here: the macro cannot evaluate other expressions");
                None
            }
        }
    }

    /// Returns the name of `ACCUMULATES`, if it is `true`.
    fn accumulates(&self, errors: &mut Errors) -> Option<Ident> {
        self.promised("ACCUMULATES", errors).cloned()
    }

    fn senders(&self, errors: &mut Errors) -> Senders {
        let Some(item) = self.setting("SENDERS") else {
            return Senders::Active;
        };
        match variant(item).as_deref() {
            Some("All") => Senders::All,
            Some("Active") => Senders::Active,
            _ => {
                errors.on(
                    &item.expr,
                    "write `Senders::All` or `Senders::Active` here: the macro cannot evaluate other expressions",
                );
                Senders::Active
            }
        }
    }
}

/// Returns the last name of a setting's path: the variant of an enum.
fn variant(item: &ImplItemConst) -> Option<String> {
    match peel(&item.expr) {
        syn::Expr::Path(path) => path.path.segments.last().map(|segment| segment.ident.to_string()),
        _ => None,
    }
}

/// Returns `true` if `.before` follows one of these names of the vertex, or `before` is in the braces after `Vertex`.
/// Adds the names that `let name = vertex;` gives to the vertex.
fn reads_before(tokens: TokenStream, names: &mut Vec<Ident>) -> bool {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is = |at: Option<usize>, text: &str| {
        at.and_then(|at| tokens.get(at)).is_some_and(|token| token.to_string() == text)
    };
    for (at, token) in tokens.iter().enumerate() {
        let before = |count: usize| at.checked_sub(count);
        match token {
            TokenTree::Ident(name) if names.contains(name) && !is(before(1), ".") => {
                if is(Some(at + 1), ".") && is(Some(at + 2), "before") {
                    return true;
                }
                if let (true, true, Some(TokenTree::Ident(other))) =
                    (is(before(1), "="), is(Some(at + 1), ";"), before(2).map(|at| &tokens[at]))
                {
                    names.push(other.clone());
                }
            }
            TokenTree::Group(group) => {
                let named = |token: TokenTree| matches!(token, TokenTree::Ident(name) if name == "before");
                let in_braces = is(before(1), "Vertex") && group.stream().into_iter().any(named);
                if in_braces || reads_before(group.stream(), names) {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

fn callable(
    owner: Option<&Ident>,
    signature: &syn::Signature,
    block: &syn::Block,
    errors: &mut Errors,
) -> Callable {
    check_signature(signature, errors);
    Callable { owner: owner.cloned(), signature: signature.clone(), block: block.clone() }
}

/// The items of a module, by kind.
#[derive(Default)]
pub(crate) struct Pieces {
    pub(crate) uses: Vec<ItemUse>,
    pub(crate) structs: Vec<ItemStruct>,
    pub(crate) enums: Vec<ItemEnum>,
    pub(crate) consts: Vec<ItemConst>,
    pub(crate) functions: Vec<ItemFn>,
    /// The methods and constants of the module's types.
    pub(crate) inherent: Vec<ItemImpl>,
    pub(super) programs: Vec<ItemImpl>,
    /// `true` if some `impl` was probably meant to be the program's `impl`.
    misspelt: bool,
}

impl Pieces {
    /// Returns the names of all items.
    fn names(&self) -> impl Iterator<Item = &Ident> {
        let types =
            self.structs.iter().map(|item| &item.ident).chain(self.enums.iter().map(|item| &item.ident));
        let consts = self.consts.iter().map(|item| &item.ident);
        types.chain(consts).chain(self.functions.iter().map(|item| &item.sig.ident))
    }

    /// Sorts items by kind.
    pub(super) fn of(items: Vec<Item>, errors: &mut Errors) -> Pieces {
        let mut pieces = Pieces::default();
        for item in items {
            pieces.item(item, errors);
        }
        pieces
    }

    /// Returns the free functions, then the methods of the module's types.
    pub(super) fn callables(&self, errors: &mut Errors) -> Vec<Callable> {
        let free = self.functions.iter().map(|f| (None, &f.sig, &*f.block));
        let owned = self.inherent.iter().flat_map(|item| {
            let owner = last_name(&item.self_ty);
            item.items.iter().filter_map(move |item| match item {
                ImplItem::Fn(f) => Some((owner, &f.sig, &f.block)),
                _ => None,
            })
        });
        free.chain(owned).map(|(owner, signature, block)| callable(owner, signature, block, errors)).collect()
    }

    pub(super) fn constants(&self) -> Vec<Constant> {
        let constant = |owner: Option<&Ident>, name: &Ident, ty: &Type, value: &syn::Expr| Constant {
            owner: owner.cloned(),
            name: name.clone(),
            ty: ty.clone(),
            value: value.clone(),
        };
        let free = self.consts.iter().map(|item| constant(None, &item.ident, &item.ty, &item.expr));
        let owned = self.inherent.iter().flat_map(|item| {
            let owner = last_name(&item.self_ty);
            item.items.iter().filter_map(move |item| match item {
                ImplItem::Const(item) => Some(constant(owner, &item.ident, &item.ty, &item.expr)),
                _ => None,
            })
        });
        free.chain(owned).collect()
    }

    fn item(&mut self, item: Item, errors: &mut Errors) {
        match item {
            Item::Use(item) => self.uses.push(item),
            Item::Struct(item) => self.structs.push(item),
            Item::Enum(item) => self.enums.push(item),
            Item::Const(item) => self.consts.push(item),
            Item::Fn(item) => self.functions.push(item),
            Item::Impl(item) => self.implementation(item, errors),
            other => errors.on(
                &other,
                "the module of an edge program may contain only `use`, structs, enums, their `impl`s, constants, free \
                 functions and one `impl EdgeProgram for ..`: move this item out",
            ),
        }
    }

    fn implementation(&mut self, item: ItemImpl, errors: &mut Errors) {
        let of_trait = item.trait_.as_ref().and_then(|(_, path, _)| path.segments.last());
        match of_trait {
            None => self.inherent(item, errors),
            Some(segment) if segment.ident == "EdgeProgram" => self.programs.push(item),
            Some(segment) if !suggestion(&segment.ident.to_string(), ["EdgeProgram"]).is_empty() => {
                errors.on(
                    segment,
                    "did you mean `EdgeProgram`? The module must implement this trait for its struct",
                );
                self.misspelt = true;
            }
            Some(segment) => errors.on(
                segment,
                "the module of an edge program can implement no trait except `EdgeProgram`: write helpers as \
                 functions or as methods of a struct, and move other implementations out of the module",
            ),
        }
    }

    /// Adds an `impl Struct { .. }`.
    fn inherent(&mut self, item: ItemImpl, errors: &mut Errors) {
        if !item.generics.params.is_empty() {
            errors.on(&item.generics, "an `impl` in an edge program cannot be generic: write concrete types");
        }
        for part in &item.items {
            if !matches!(part, ImplItem::Fn(_) | ImplItem::Const(_)) {
                errors.on(
                    part,
                    "an `impl` in an edge program may contain only functions and constants: move this \
                                 item out",
                );
            }
        }
        self.inherent.push(item);
    }

    fn finish(mut self, item: ItemMod, shared: Option<Shared>, errors: &mut Errors) -> Option<ModuleForm> {
        if let [_, second, ..] = self.programs.as_slice() {
            errors.on(
                &second.self_ty,
                "a module can contain only one program: move this `impl EdgeProgram` into another module",
            );
        }
        if self.programs.is_empty() && self.misspelt {
            return None;
        }
        if self.programs.is_empty() {
            errors.on(
                &item.ident,
                "this module has no `impl EdgeProgram for ..`: add one for a struct of the module",
            );
            return None;
        }
        let program = self.programs.swap_remove(0);
        if !program.generics.params.is_empty() {
            errors.on(
                &program.generics,
                "an edge program cannot be generic: wrap the module in `macro_rules!` instead",
            );
        }
        let mut form = ModuleForm {
            item,
            own: self,
            shared,
            types: Vec::new(),
            settings: Vec::new(),
            methods: Vec::new(),
            program,
        };
        form.sort_program(errors);
        Some(form)
    }
}

impl ModuleForm {
    fn sort_program(&mut self, errors: &mut Errors) {
        for item in self.program.items.clone() {
            match item {
                ImplItem::Type(item) => {
                    if is_filled_in(&item.ident, errors) {
                        continue;
                    }
                    known(&item.ident, &["Value", "Message", "Weight", "Combine", "Aggregate"], errors);
                    self.types.push(item);
                }
                ImplItem::Const(item) => {
                    let settings =
                        ["SENDERS", "ALONG", "ORIENTED", "UNIFORM", "ACCUMULATES", "NON_NEGATIVE_WEIGHTS"];
                    // An unknown constant is not added to the implementation, because rustc would report it again.
                    if known(&item.ident, &settings, errors) {
                        self.settings.push(item);
                    }
                }
                ImplItem::Fn(item) => {
                    known(&item.sig.ident, &METHODS, errors);
                    self.methods.push(item);
                }
                other => errors
                    .on(&quote!(#other), "this item is not allowed in an `impl EdgeProgram`: move it out"),
            }
        }
    }
}

/// Rejects the two types that the macro derives from the rest of the program. Returns `true` if `name` is one of them.
fn is_filled_in(name: &syn::Ident, errors: &mut Errors) -> bool {
    let follows = name == "Before" || name == "Incoming";
    if follows {
        errors.on(name, format!("the macro derives `{name}` from the rest of the program: remove this line"));
    }
    follows
}

/// Names that other systems use, and what to write here.
const ELSEWHERE: [(&str, &str); 5] = [
    (
        "vote_to_halt",
        "write `fn halts(&self, v: Vertex<..>) -> bool`, which is `true` at vertices that have voted",
    ),
    (
        "vote_to_active",
        "write `fn halts(&self, v: Vertex<..>) -> bool`, which is `false` at vertices that stay active",
    ),
    (
        "compute",
        "write `fn edge` for the message along one edge, and `fn apply` for the new value of a vertex",
    ),
    ("MAX_STEPS", "the number of steps belongs to a run: set `RunOptions::steps_at_most`"),
    ("MAX_SUPERSTEPS", "the number of steps belongs to a run: set `RunOptions::steps_at_most`"),
];

/// Returns `true` if an implementation may contain an item of this name; otherwise reports an error.
fn known(name: &syn::Ident, names: &[&str], errors: &mut Errors) -> bool {
    let known = names.iter().any(|known| name == known);
    if let Some((_, instead)) = ELSEWHERE.iter().find(|(elsewhere, _)| name == elsewhere) {
        errors.on(name, format!("`{name}` is not part of `EdgeProgram`: {instead}"));
    } else if !known {
        let hint = suggestion(&name.to_string(), names.iter().copied());
        errors.on(
            name,
            format!(
                "`{name}` is not part of `EdgeProgram`{hint}: expected one of {}; write helpers as free functions \
                 of the module, or as methods of its structs",
                names.join(", ")
            ),
        );
    }
    known
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;

    #[test]
    fn the_value_before_is_found_by_the_vertex() {
        let reads = |tokens| reads_before(tokens, &mut vec![Ident::new("v", proc_macro2::Span::call_site())]);
        assert!(reads(quote!({ (v.value - v.before).abs() })));
        assert!(reads(quote!({
            let w = v;
            { w.before }
        })));
        assert!(reads(quote!({
            let Vertex { value, before, .. } = v;
            before
        })));
        assert!(reads(quote!(Vertex { before: earlier, .. })));
        assert!(!reads(quote!({ self.before + v.value.before })));
        assert!(!reads(quote!({
            let before = v.value;
            self.v.before + before
        })));
    }
}
