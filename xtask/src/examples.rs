//! Lists public items without a compiled example: types, traits with their types and constants, and functions that take
//! an argument.
//!
//! The sources are parsed module by module, without expanding macros. Names are compared without their paths: if two
//! items of a crate have the same name and one of them is public, both are treated as public.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use syn::{
    Attribute, Expr, FnArg, Ident, ImplItem, Item, ItemMod, ItemUse, Lit, Meta, Signature, TraitItem, Type,
    UseTree, Visibility,
};

use crate::Result;
use crate::workspace;

/// Folders of the crates whose documentation users read.
const CRATES: [&str; 5] = [".", "wolfpath-core", "wolfpath-io", "wolfpath-runtime", "wolfpath-cluster"];

/// Lists the items without an example in these crates, named by their folders. Defaults to all crates that users read.
///
/// # Errors
/// Returns an error if an item lacks an example, or a file cannot be read.
pub(crate) fn check(crates: &[String]) -> Result<()> {
    let chosen = if crates.is_empty() { CRATES.map(str::to_owned).to_vec() } else { crates.to_vec() };
    let mut missing = Vec::new();
    for folder in &chosen {
        let source = workspace::root().join(folder).join("src");
        let mut modules = Modules::default();
        modules.read(&source.join("lib.rs"), &source, "crate", true)?;
        missing.extend(modules.missing());
    }
    for line in &missing {
        println!("{line}");
    }
    match missing.len() {
        0 => Ok(()),
        count => Err(format!(
            "{count} public items have no example; add one that runs to the documentation of each"
        )),
    }
}

/// Modules of a crate. Nested modules come after the module that contains them.
#[derive(Default)]
struct Modules(Vec<Module>);

/// A module: a file, or an inline module in braces.
struct Module {
    file: PathBuf,
    name: String,
    /// `true` if users can name the module: it and all modules around it are public and not hidden.
    named: bool,
    items: Vec<Item>,
}

impl Modules {
    /// Reads a file and its modules, whose files are in the folder `submodules`.
    fn read(&mut self, file: &Path, submodules: &Path, name: &str, named: bool) -> Result<()> {
        let text = std::fs::read_to_string(file)
            .map_err(|error| format!("{}: cannot be read: {error}", file.display()))?;
        let items = syn::parse_file(&text).map_err(|error| format!("{}: {error}", file.display()))?.items;
        self.add(Module { file: file.to_owned(), name: name.to_owned(), named, items }, submodules)
    }

    fn add(&mut self, module: Module, submodules: &Path) -> Result<()> {
        let (file, named) = (module.file.clone(), module.named);
        let inner: Vec<ItemMod> = module.items.iter().filter_map(shown_module).cloned().collect();
        self.0.push(module);
        for module in inner {
            let name = module.ident.to_string();
            let named = named && is_public(&module.vis);
            let folder = submodules.join(&name);
            match (module.content, named_path(&module.attrs)) {
                (Some((_, items)), _) => {
                    self.add(Module { file: file.clone(), name, named, items }, &folder)?;
                }
                (None, Some(path)) => self.read(&file.with_file_name(path), &folder, &name, named)?,
                (None, None) => self.read(&folder.with_extension("rs"), &folder, &name, named)?,
            }
        }
        Ok(())
    }

    /// Returns the items without an example, as `file:line: kind name`.
    fn missing(&self) -> Vec<String> {
        let shown = self.shown();
        let mut missing = Vec::new();
        for module in &self.0 {
            let mut lister = Lister { file: &module.file, missing: &mut missing };
            for item in &module.items {
                let (name, owner) = names_of(item);
                if name.is_some_and(|name| shown.contains(&(module.file.clone(), name.to_string())))
                    || owner.is_some_and(|owner| shown.iter().any(|(_, name)| *name == owner))
                {
                    lister.item(item);
                }
            }
        }
        missing
    }

    /// Returns the items that users can name, each with its file: the public items of modules that users can name, and
    /// the items that such modules re-export.
    fn shown(&self) -> HashSet<(PathBuf, String)> {
        let named = || self.0.iter().filter(|module| module.named);
        let exports: Vec<&ItemUse> = named()
            .flat_map(|module| &module.items)
            .filter_map(|item| match item {
                Item::Use(item) if is_public(&item.vis) && is_shown(&item.attrs) => Some(item),
                _ => None,
            })
            .collect();
        let mut exported = HashSet::new();
        for item in exports {
            leaves(&item.tree, "", &mut exported);
        }
        let mut shown = HashSet::new();
        for module in &self.0 {
            let whole = module.named || exported.contains(&format!("{}::*", module.name));
            for name in module.items.iter().filter_map(|item| names_of(item).0) {
                if whole || exported.contains(&name.to_string()) {
                    shown.insert((module.file.clone(), name.to_string()));
                }
            }
        }
        shown
    }
}

/// Returns the item's module, if the item is a module that is neither hidden nor part of the tests.
fn shown_module(item: &Item) -> Option<&ItemMod> {
    match item {
        Item::Mod(module) if is_shown(&module.attrs) => Some(module),
        _ => None,
    }
}

/// Returns the name of a public item. For an `impl`, returns the name of its type instead.
fn names_of(item: &Item) -> (Option<&Ident>, Option<String>) {
    match item {
        Item::Struct(item) if is_public(&item.vis) => (Some(&item.ident), None),
        Item::Enum(item) if is_public(&item.vis) => (Some(&item.ident), None),
        Item::Trait(item) if is_public(&item.vis) => (Some(&item.ident), None),
        Item::Fn(item) if is_public(&item.vis) => (Some(&item.sig.ident), None),
        Item::Impl(item) if item.trait_.is_none() => (None, Some(type_name(&item.self_ty))),
        _ => (None, None),
    }
}

/// Adds the names that a `use` imports, or `module::*` for a glob.
fn leaves(tree: &UseTree, module: &str, names: &mut HashSet<String>) {
    match tree {
        UseTree::Path(path) => leaves(&path.tree, &path.ident.to_string(), names),
        UseTree::Name(name) => drop(names.insert(name.ident.to_string())),
        UseTree::Rename(rename) => drop(names.insert(rename.ident.to_string())),
        UseTree::Glob(_) => drop(names.insert(format!("{module}::*"))),
        UseTree::Group(group) => group.items.iter().for_each(|tree| leaves(tree, module, names)),
    }
}

/// Lister of a file's items that have no example.
struct Lister<'a> {
    file: &'a Path,
    missing: &'a mut Vec<String>,
}

impl Lister<'_> {
    fn item(&mut self, item: &Item) {
        match item {
            Item::Struct(item) => self.needed("struct", "", &item.ident, &item.attrs),
            Item::Enum(item) => self.needed("enum", "", &item.ident, &item.attrs),
            Item::Fn(item) => self.function("", &item.sig, &item.attrs),
            Item::Trait(item) if is_shown(&item.attrs) => {
                self.needed("trait", "", &item.ident, &item.attrs);
                for part in &item.items {
                    let owner = item.ident.to_string();
                    match part {
                        TraitItem::Fn(function) => self.function(&owner, &function.sig, &function.attrs),
                        TraitItem::Const(part) => self.needed("const", &owner, &part.ident, &part.attrs),
                        TraitItem::Type(part) => self.needed("type", &owner, &part.ident, &part.attrs),
                        _ => {}
                    }
                }
            }
            Item::Impl(item) if is_shown(&item.attrs) => {
                for part in &item.items {
                    if let ImplItem::Fn(function) = part
                        && is_public(&function.vis)
                    {
                        self.function(&type_name(&item.self_ty), &function.sig, &function.attrs);
                    }
                }
            }
            _ => {}
        }
    }

    fn function(&mut self, owner: &str, signature: &Signature, attributes: &[Attribute]) {
        if signature.inputs.iter().any(|input| matches!(input, FnArg::Typed(_))) {
            self.needed("fn", owner, &signature.ident, attributes);
        }
    }

    /// Records the item if the documentation shows it without an example. `owner` is the type or trait of a function,
    /// or empty.
    fn needed(&mut self, kind: &str, owner: &str, name: &Ident, attributes: &[Attribute]) {
        if is_shown(attributes) && !has_example(attributes) {
            let separator = if owner.is_empty() { "" } else { "::" };
            let line = name.span().start().line;
            let file = workspace::shown(self.file);
            self.missing.push(format!("{file}:{line}: {kind} {owner}{separator}{name}"));
        }
    }
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// Returns `true` if the documentation shows the item: it is neither hidden nor part of the tests.
fn is_shown(attributes: &[Attribute]) -> bool {
    !attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) if list.path.is_ident("doc") => list.tokens.to_string() == "hidden",
        Meta::List(list) if list.path.is_ident("cfg") => list.tokens.to_string() == "test",
        _ => false,
    })
}

/// Returns `true` if the documentation contains a block of code that is compiled.
fn has_example(attributes: &[Attribute]) -> bool {
    let mut in_block = false;
    let mut found = false;
    for line in attributes.iter().flat_map(documentation) {
        if let Some(words) = line.trim().strip_prefix("```") {
            let compiled = words.split(',').all(|word| matches!(word.trim(), "" | "rust" | "should_panic"));
            found |= !in_block && compiled;
            in_block = !in_block;
        }
    }
    found
}

/// Returns the file that `#[path]` names.
fn named_path(attributes: &[Attribute]) -> Option<String> {
    attributes.iter().find_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("path") => text(&pair.value),
        _ => None,
    })
}

/// Returns the text of a literal string.
fn text(value: &Expr) -> Option<String> {
    match value {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the lines of a documentation attribute. A file that is included counts as an example.
fn documentation(attribute: &Attribute) -> Vec<String> {
    match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match text(&pair.value) {
            Some(text) => text.lines().map(str::to_owned).collect(),
            None => vec!["```".to_owned(), "```".to_owned()],
        },
        _ => Vec::new(),
    }
}

/// Returns the last name of a type, without its parameters.
fn type_name(ty: &Type) -> String {
    match ty {
        Type::Path(path) => {
            path.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default()
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::{Module, Modules, check};

    fn missing(text: &str) -> Vec<String> {
        let mut modules = Modules::default();
        let items = syn::parse_file(text).unwrap().items;
        let file = PathBuf::from("src/lib.rs");
        modules.add(Module { file, name: "crate".to_owned(), named: true, items }, "src".as_ref()).unwrap();
        modules.missing()
    }

    #[test]
    fn what_lacks_an_example_is_listed() {
        let text = "
            /// ```
            /// let _ = 1;
            /// ```
            pub struct Shown;
            /// ```text
            /// a picture
            /// ```
            pub struct Bare;
            pub(crate) struct Private;
            impl Shown {
                /// No argument, no example.
                pub fn plain(&self) {}
                pub fn add(&self, other: u32) {}
                #[doc(hidden)]
                pub fn hidden(&self, other: u32) {}
            }
            #[doc(hidden)]
            pub mod hidden { pub struct Inside; }
            pub mod open { pub fn scale(by: u32) {} }
            mod parts { pub fn told(by: u32) {} pub fn untold(by: u32) {} }
            pub use parts::told;
            mod all { pub struct Each; impl Each { pub fn of(by: u32) {} } }
            pub use all::*;
        ";
        let expected = [
            "src/lib.rs:9: struct Bare",
            "src/lib.rs:14: fn Shown::add",
            "src/lib.rs:20: fn scale",
            "src/lib.rs:21: fn told",
            "src/lib.rs:23: struct Each",
            "src/lib.rs:23: fn Each::of",
        ];
        assert_eq!(missing(text), expected);
    }

    #[test]
    fn an_unknown_crate_is_an_error() {
        assert!(check(&["no-such-crate".to_owned()]).unwrap_err().contains("no-such-crate"));
    }
}
