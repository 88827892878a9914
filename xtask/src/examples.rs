//! Which public items lack an example: types and traits, and functions that take an argument.
//!
//! Read from the sources as written, module by module. Since `unreachable_pub` is denied, what says `pub` outside hidden
//! modules is what a reader of the documentation meets.

use std::path::PathBuf;

use syn::{Attribute, Expr, FnArg, Ident, ImplItem, Item, Lit, Meta, Signature, TraitItem, Type, Visibility};

use crate::Result;
use crate::workspace;

/// The crates whose documentation users read, by their folders.
const CRATES: [&str; 4] = [".", "wolfpath-core", "wolfpath-io", "wolfpath-runtime"];

/// Lists what lacks an example in these crates, by their folders; in all that users read when there are none.
///
/// # Errors
/// If something lacks an example, or a file cannot be read.
pub(crate) fn check(crates: &[String]) -> Result<()> {
    let chosen = if crates.is_empty() { CRATES.map(str::to_owned).to_vec() } else { crates.to_vec() };
    let mut missing = Vec::new();
    for folder in &chosen {
        let folder = workspace::root().join(folder).join("src");
        let mut file = SourceFile { path: folder.join("lib.rs"), submodules: folder, missing: &mut missing };
        file.read()?;
    }
    for line in &missing {
        println!("{line}");
    }
    match missing.len() {
        0 => Ok(()),
        count => Err(format!(
            "{count} public items have no example; write one that runs in the documentation of each"
        )),
    }
}

/// A file of a crate, or a module in braces inside one.
struct SourceFile<'a> {
    path: PathBuf,
    /// The folder in which the files of its modules stand.
    submodules: PathBuf,
    missing: &'a mut Vec<String>,
}

impl SourceFile<'_> {
    fn read(&mut self) -> Result<()> {
        let text = std::fs::read_to_string(&self.path)
            .map_err(|error| format!("{}: cannot be read: {error}", self.path.display()))?;
        let file = syn::parse_file(&text).map_err(|error| format!("{}: {error}", self.path.display()))?;
        self.items(&file.items)
    }

    fn items(&mut self, items: &[Item]) -> Result<()> {
        for item in items {
            self.item(item)?;
        }
        Ok(())
    }

    fn item(&mut self, item: &Item) -> Result<()> {
        match item {
            Item::Mod(module) if is_shown(&module.attrs) => return self.module(module),
            Item::Struct(item) if is_public(&item.vis) => self.needed("struct", "", &item.ident, &item.attrs),
            Item::Enum(item) if is_public(&item.vis) => self.needed("enum", "", &item.ident, &item.attrs),
            Item::Fn(item) if is_public(&item.vis) => self.function("", &item.sig, &item.attrs),
            Item::Trait(item) if is_public(&item.vis) && is_shown(&item.attrs) => {
                let name = item.ident.to_string();
                self.needed("trait", "", &item.ident, &item.attrs);
                for part in &item.items {
                    if let TraitItem::Fn(function) = part {
                        self.function(&name, &function.sig, &function.attrs);
                    }
                }
            }
            Item::Impl(item) if item.trait_.is_none() && is_shown(&item.attrs) => {
                let name = type_name(&item.self_ty);
                for part in &item.items {
                    if let ImplItem::Fn(function) = part
                        && is_public(&function.vis)
                    {
                        self.function(&name, &function.sig, &function.attrs);
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn module(&mut self, module: &syn::ItemMod) -> Result<()> {
        let submodules = self.submodules.join(module.ident.to_string());
        if let Some((_, items)) = &module.content {
            return SourceFile { path: self.path.clone(), submodules, missing: self.missing }.items(items);
        }
        let path = match named_path(&module.attrs) {
            Some(path) => self.path.with_file_name(path),
            None => submodules.with_extension("rs"),
        };
        SourceFile { path, submodules, missing: self.missing }.read()
    }

    fn function(&mut self, owner: &str, signature: &Signature, attributes: &[Attribute]) {
        if signature.inputs.iter().any(|input| matches!(input, FnArg::Typed(_))) {
            self.needed("fn", owner, &signature.ident, attributes);
        }
    }

    /// Notes an item that is shown and has no example. `owner` is the type or trait that a function belongs to, or nothing.
    fn needed(&mut self, kind: &str, owner: &str, name: &Ident, attributes: &[Attribute]) {
        if is_shown(attributes) && !has_example(attributes) {
            let separator = if owner.is_empty() { "" } else { "::" };
            let line = name.span().start().line;
            let file = workspace::shown(&self.path);
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

/// Returns `true` if the documentation holds a block of code that is compiled.
fn has_example(attributes: &[Attribute]) -> bool {
    let mut in_block = false;
    let mut found = false;
    for line in attributes.iter().flat_map(documentation) {
        if let Some(words) = line.trim().strip_prefix("```") {
            let compiled =
                words.split(',').all(|word| matches!(word.trim(), "" | "rust" | "should_panic" | "no_run"));
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
    use super::{SourceFile, check};

    fn missing(text: &str) -> Vec<String> {
        let folder = std::path::PathBuf::from("src");
        let mut missing = Vec::new();
        let items = syn::parse_file(text).unwrap().items;
        SourceFile { path: folder.join("lib.rs"), submodules: folder, missing: &mut missing }
            .items(&items)
            .unwrap();
        missing
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
        ";
        let expected =
            ["src/lib.rs:9: struct Bare", "src/lib.rs:14: fn Shown::add", "src/lib.rs:20: fn scale"];
        assert_eq!(missing(text), expected);
    }

    #[test]
    fn an_unknown_crate_is_an_error() {
        assert!(check(&["no-such-crate".to_owned()]).unwrap_err().contains("no-such-crate"));
    }
}
