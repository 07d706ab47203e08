//! Packages, types and members.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use super::Tags;
use crate::expand::attributes::FieldAttributes;
use crate::problem::{Place, Problem};

/// A package: a public module with its private submodules, whose types it re-exports.
#[derive(Clone)]
pub struct Package {
    /// The path of its module, from the name of the crate: `rhumb_api::apps::v1`.
    pub path: String,
    /// The last part of the path.
    pub name: String,
    /// The file of its module.
    pub file: PathBuf,
    /// The directory that files of submodules stand in. It need not exist yet.
    pub dir: PathBuf,
    /// The directory of the crate's manifest.
    pub crate_dir: PathBuf,
    /// The documentation of the module, line by line.
    pub comments: Vec<String>,
    /// The tags at the top of the file, which are about the package as a whole.
    pub tags: Tags,
    /// The types it declares, by name.
    pub types: Vec<TypeName>,
    /// The types of other packages that it re-exports, and their names there.
    pub exports: BTreeMap<String, TypeName>,
    /// The functions it declares.
    pub functions: Vec<Function>,
    /// The constants it declares, by name.
    pub constants: BTreeMap<String, Declaration>,
    /// The statics it declares, by name.
    pub statics: BTreeMap<String, Declaration>,
    /// The modules directly below it, generated ones too.
    pub modules: Vec<Submodule>,
    /// Whether it was asked for on the command line.
    pub requested: bool,
    /// Position.
    pub place: Place,
}

impl Package {
    /// Returns the value of a constant, if it can be told from its source.
    pub fn constant(&self, name: &str) -> Option<&Constant> {
        self.constants.get(name)?.value.as_ref()
    }

    /// Returns a module directly below it.
    pub fn module(&self, name: &str) -> Option<&Submodule> {
        self.modules.iter().find(|module| module.name == name)
    }
}

/// A direct submodule of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submodule {
    /// Name.
    pub name: String,
    /// Whether only the package and what is below see it.
    pub private: bool,
}

impl Submodule {
    /// Creates a module by its name.
    pub fn new(name: impl Into<String>, private: bool) -> Self {
        Submodule { name: name.into(), private }
    }
}

/// A constant or static.
#[derive(Clone)]
pub struct Declaration {
    /// Name.
    pub name: String,
    /// The path of the module that it stands in: that of the package, or of a private module below it.
    pub module: String,
    /// Type, without a reference; unknown if no API type can have it.
    pub ty: TypeRef,
    /// Type as written.
    pub syntax: syn::Type,
    /// Value, if known without evaluation.
    pub value: Option<Constant>,
    /// Value as written.
    pub expression: syn::Expr,
    /// Whether it is `static mut`.
    pub mutable: bool,
    /// Whether only its own module and those below see it.
    pub private: bool,
    /// Doc comment lines without tags.
    pub comments: Vec<String>,
    /// Tags.
    pub tags: Tags,
    /// Position.
    pub place: Place,
}

/// A function, for generators that look functions up by name.
#[derive(Clone)]
pub struct Function {
    /// Name.
    pub name: String,
    /// The path of the module that it stands in: that of the package, or of a module below it.
    pub module: String,
    /// Signature.
    pub signature: syn::Signature,
    /// Whether only its own module and those below see it.
    pub private: bool,
    /// Type of its only parameter, if that is `&mut T`.
    pub changes: Option<TypeRef>,
    /// Tags.
    pub tags: Tags,
    /// Position.
    pub place: Place,
}

/// Value of a constant or static.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Constant {
    /// `const NAME: &str = "…"`.
    Text(String),
    /// `const NAMES: &[&str] = &["…", "…"]`, also of names of constants beside it.
    Texts(Vec<String>),
    /// `const NUMBER: i64 = 3`, also of other types of whole numbers.
    Integer(i64),
    /// `const TRUTH: bool = true`.
    Truth(bool),
}

/// Name of a type: package path and name.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeName {
    /// The path of the package.
    pub package: String,
    /// The name.
    pub name: String,
}

impl TypeName {
    /// Creates a name in a package.
    pub fn new(package: impl Into<String>, name: impl Into<String>) -> Self {
        TypeName { package: package.into(), name: name.into() }
    }
}

impl fmt::Display for TypeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}::{}", self.package, self.name)
    }
}

impl fmt::Debug for TypeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A declared type.
#[derive(Clone)]
pub struct Type {
    /// Name.
    pub name: TypeName,
    /// Kind of declaration.
    pub kind: Kind,
    /// The fields of a struct.
    pub members: Vec<Member>,
    /// Doc comment as one text, as the derive has it.
    pub doc: String,
    /// Doc comment lines without tags.
    pub comments: Vec<String>,
    /// Tags of its comment and of the block above, separated by a blank line.
    pub tags: Tags,
    /// Position.
    pub place: Place,
    /// The path of the module that declares it: that of the package, or of a private module below it.
    pub module: String,
    /// The derives on it, by the last part of their names.
    pub derives: Vec<String>,
    /// Whether it is `pub`.
    pub public: bool,
    /// Whether only its own module and those below see it.
    pub private: bool,
    /// The declaration. An alias has none.
    pub item: Option<syn::DeriveInput>,
    /// Problems of its attributes, reported before generators run.
    pub problems: Vec<Problem>,
}

impl Type {
    /// Returns a member by its Rust name.
    pub fn member(&self, name: &str) -> Option<&Member> {
        self.members.iter().find(|member| member.name == name)
    }

    /// Reports whether a derive stands on it.
    pub fn derives(&self, name: &str) -> bool {
        self.derives.iter().any(|derive| derive == name)
    }

    /// Reports whether it is a kind: it has the `type_meta` of an object.
    pub fn is_object(&self) -> bool {
        self.has("type_meta", "TypeMeta")
    }

    /// Reports whether it is a kind that is a list of others.
    pub fn is_list(&self) -> bool {
        self.is_object() && self.has("metadata", "ListMeta")
    }

    /// Reports whether it is a kind whose objects have names.
    pub fn has_metadata(&self) -> bool {
        self.is_object() && self.has("metadata", "ObjectMeta")
    }

    fn has(&self, member: &str, ty: &str) -> bool {
        self.member(member)
            .is_some_and(|member| matches!(&member.ty, TypeRef::Named(name) if name.name == ty))
    }
}

/// Kind of a declared type.
#[derive(Clone)]
pub enum Kind {
    /// A struct with named fields, or with one without a name.
    Struct,
    /// An enum with its variants.
    Enum(Vec<Variant>),
    /// Another name for a type.
    Alias(TypeRef),
    /// A struct with parameters, by name.
    Generic(Vec<String>),
    /// A type that describes itself: neither its fields nor its variants are seen in the API.
    Leaf,
}

/// A variant of an enum.
#[derive(Clone)]
pub struct Variant {
    /// Name.
    pub name: String,
    /// Doc comment as one text.
    pub doc: String,
    /// Tags.
    pub tags: Tags,
    /// Types of its fields.
    pub fields: Vec<TypeRef>,
    /// Position.
    pub place: Place,
}

/// A field of a struct.
#[derive(Clone)]
pub struct Member {
    /// Name without `r#`. The field of a tuple struct is called `0`.
    pub name: String,
    /// Name in JSON; empty if it is inlined.
    pub json: String,
    /// Type.
    pub ty: TypeRef,
    /// Type as written.
    pub syntax: syn::Type,
    /// Contents of `#[field(…)]`, if present.
    pub field: Option<FieldAttributes>,
    /// Doc comment as one text, as the derive has it.
    pub doc: String,
    /// Doc comment lines without tags.
    pub comments: Vec<String>,
    /// Tags.
    pub tags: Tags,
    /// Position.
    pub place: Place,
}

impl Member {
    /// Reports whether it must be given: `required` or `required_omitempty`, or the tag `+required`; not if
    /// `+optional`.
    pub fn is_required(&self) -> bool {
        if self.tags.has("optional") || self.tags.has("k8s:optional") {
            return false;
        }
        let said = self.field.as_ref().and_then(|field| field.presence);
        matches!(said, Some("Required" | "RequiredOmitEmpty"))
            || self.tags.has("required")
            || self.tags.has("k8s:required")
    }

    /// Reports whether its own fields stand in the parent's JSON object.
    pub fn is_inline(&self) -> bool {
        self.field.as_ref().is_some_and(|field| field.inline)
    }
}

/// A type reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeRef {
    /// A built-in type.
    Builtin(Builtin),
    /// A value with rules of its own that everyone knows.
    Leaf(Leaf),
    /// A declared type.
    Named(TypeName),
    /// `Option<T>`.
    Option(Box<TypeRef>),
    /// `Box<T>`.
    Boxed(Box<TypeRef>),
    /// `Vec<T>`.
    Slice(Box<TypeRef>),
    /// `BTreeMap<K, V>`.
    Map(Box<TypeRef>, Box<TypeRef>),
    /// A declared type with parameters, and what stands for them.
    Instance(TypeName, Vec<TypeRef>),
    /// A parameter of the type that the member belongs to.
    Parameter(String),
    /// Something that can't be used, and the message that says why and what to do.
    Unknown(String),
}

/// A built-in type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Builtin {
    /// `bool`.
    Bool,
    /// `i32`.
    Int32,
    /// `i64`.
    Int64,
    /// `u32`.
    Uint32,
    /// `u64`.
    Uint64,
    /// `f64`.
    Double,
    /// `String`.
    Text,
}

/// A leaf of `rhumb-meta` or `rhumb-schema`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Leaf {
    /// `Quantity`.
    Quantity,
    /// `Time`.
    Time,
    /// `MicroTime`.
    MicroTime,
    /// `Duration`.
    Duration,
    /// `IntOrString`.
    IntOrString,
    /// `FieldsV1`.
    FieldsV1,
    /// `RawJson`: any JSON, as it was written.
    RawJson,
    /// `serde_json::Value`: any JSON, as a tree.
    Tree,
    /// `ByteString`.
    Bytes,
}

impl Leaf {
    /// Returns the leaf of a name.
    pub fn named(name: &str) -> Option<Leaf> {
        Some(match name {
            "Quantity" => Leaf::Quantity,
            "Time" => Leaf::Time,
            "MicroTime" => Leaf::MicroTime,
            "Duration" => Leaf::Duration,
            "IntOrString" => Leaf::IntOrString,
            "FieldsV1" => Leaf::FieldsV1,
            "RawJson" => Leaf::RawJson,
            "ByteString" => Leaf::Bytes,
            _ => return None,
        })
    }
}

impl TypeRef {
    /// Returns the type inside options and boxes.
    pub fn bare(&self) -> &TypeRef {
        match self {
            TypeRef::Option(inner) | TypeRef::Boxed(inner) => inner.bare(),
            other => other,
        }
    }

    /// Reports whether it may be absent.
    pub fn is_option(&self) -> bool {
        matches!(self, TypeRef::Option(_))
    }

    /// Returns the declared type inside options and boxes.
    pub fn name(&self) -> Option<&TypeName> {
        match self.bare() {
            TypeRef::Named(name) | TypeRef::Instance(name, _) => Some(name),
            _ => None,
        }
    }

    /// Visits every declared type that is mentioned.
    pub fn each_name<'a>(&'a self, visit: &mut dyn FnMut(&'a TypeName)) {
        self.each(&mut |ty| match ty {
            TypeRef::Named(name) | TypeRef::Instance(name, _) => visit(name),
            _ => {}
        });
    }

    /// Visits what can't be used.
    pub fn each_unknown<'a>(&'a self, visit: &mut dyn FnMut(&'a str)) {
        self.each(&mut |ty| {
            if let TypeRef::Unknown(why) = ty {
                visit(why);
            }
        });
    }

    fn each<'a>(&'a self, visit: &mut dyn FnMut(&'a TypeRef)) {
        visit(self);
        match self {
            TypeRef::Option(inner) | TypeRef::Boxed(inner) | TypeRef::Slice(inner) => inner.each(visit),
            TypeRef::Map(key, value) => {
                key.each(visit);
                value.each(visit);
            }
            TypeRef::Instance(_, arguments) => arguments.iter().for_each(|argument| argument.each(visit)),
            _ => {}
        }
    }
}
