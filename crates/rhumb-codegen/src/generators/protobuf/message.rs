//! Messages as text.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::{Message, names};
use crate::expand::attributes::camel_case;
use crate::generators::said;
use crate::problem::{Outcome, Place, Problem, Problems};
use crate::universe::{Builtin, Kind, Leaf, Member, Type, TypeName, TypeRef, Universe};

/// Returns the body of a package's file.
///
/// # Errors
/// Members that have no form in protobuf.
pub(crate) fn file(universe: &Universe, package: &str, messages: &[Message]) -> Outcome<String> {
    let (name, dir) = names::of(universe, package);
    let mut writer = Writer {
        universe,
        dir: dir.clone(),
        local: messages.iter().map(|message| &message.ty).collect(),
        imports: BTreeSet::new(),
        problems: Problems::default(),
    };
    let mut body = String::new();
    for message in messages {
        if let Some(ty) = universe.get(&message.ty) {
            writer.message(ty, message, &mut body);
        }
    }
    let mut text = format!("syntax = \"proto2\";\n\npackage {name};\n\n");
    for import in &writer.imports {
        line(&mut text, 0, &format!("import \"{import}/generated.proto\";"));
    }
    if !writer.imports.is_empty() {
        text.push('\n');
    }
    if names::is_kubernetes(&dir) {
        line(&mut text, 0, &format!("option go_package = \"{dir}\";\n"));
    }
    text.push_str(body.trim_end());
    text.push('\n');
    writer.problems.or(text)
}

/// Adds a line. Writing to a String can't fail.
fn line(out: &mut String, indent: usize, text: &str) {
    let _ = writeln!(out, "{:indent$}{text}", "");
}

fn comment(out: &mut String, indent: usize, lines: &[String]) {
    for text in lines {
        line(out, indent, format!("// {text}").trim_end());
    }
}

/// Returns the name of a member's field.
pub(crate) fn field_name(ty: &Type, member: &Member) -> String {
    if said::schema_words(ty).transparent {
        return "items".to_owned();
    }
    if member.json.is_empty() || member.is_inline() {
        camel_case(&member.name)
    } else {
        proto_name(&member.json)
    }
}

/// Converts a JSON name to a protobuf name, which lacks characters such as the dollar of `$ref`.
fn proto_name(json: &str) -> String {
    let words = json.replace(['-', '.'], "_");
    let words = if words == json { words } else { camel_case(&words) };
    let name: String =
        words.chars().filter(|character| character.is_ascii_alphanumeric() || *character == '_').collect();
    if name.starts_with(|first: char| first.is_ascii_digit()) { format!("_{name}") } else { name }
}

/// Reports whether a leaf is nothing but JSON, which is bytes in a message.
pub(crate) fn holds_json(ty: &Type) -> bool {
    let Some(syn::Data::Struct(data)) = ty.item.as_ref().map(|item| &item.data) else { return false };
    let mut fields = data.fields.iter();
    let first = fields.next().and_then(|field| crate::expand::attributes::outer(&field.ty));
    fields.next().is_none() && first.is_some_and(|(name, ..)| name == "RawJson")
}

struct Writer<'a> {
    universe: &'a Universe,
    /// The directory of the file at hand.
    dir: String,
    /// The types that are messages of the file, also those of other packages.
    local: BTreeSet<&'a TypeName>,
    imports: BTreeSet<String>,
    problems: Problems,
}

impl Writer<'_> {
    fn message(&mut self, ty: &Type, message: &Message, out: &mut String) {
        comment(out, 0, &ty.comments);
        line(out, 0, &format!("message {} {{", ty.name.name));
        let mut fields: Vec<String> = Vec::new();
        if !message.reserved.is_empty() {
            let numbers: Vec<String> = message.reserved.iter().map(u32::to_string).collect();
            fields.push(format!("  reserved {};\n", numbers.join(", ")));
        }
        if matches!(ty.kind, Kind::Leaf) {
            fields.push("  optional bytes raw = 1;\n".to_owned());
        }
        for (name, number) in &message.fields {
            let Some(member) = ty.member(name) else { continue };
            let mut field = String::new();
            comment(&mut field, 2, &member.comments);
            match self.field(&member.ty, &member.place) {
                Ok(form) => {
                    line(&mut field, 2, &format!("{form} {} = {number};", field_name(ty, member)));
                    fields.push(field);
                }
                Err(problem) => self.problems.push(problem),
            }
        }
        out.push_str(&fields.join("\n"));
        out.push_str("}\n\n");
    }

    /// Returns the label and the type of a field.
    fn field(&mut self, ty: &TypeRef, place: &Place) -> Result<String, Problem> {
        match self.universe.underlying(ty) {
            TypeRef::Option(inner) | TypeRef::Boxed(inner) => self.field(inner, place),
            TypeRef::Slice(inner) => Ok(format!("repeated {}", self.element(inner, place)?)),
            TypeRef::Map(key, value) => {
                let key = self.element(key, place)?;
                Ok(format!("map<{key}, {}>", self.element(value, place)?))
            }
            other => Ok(format!("optional {}", self.element(other, place)?)),
        }
    }

    fn element(&mut self, ty: &TypeRef, place: &Place) -> Result<String, Problem> {
        let wrong = |what: String| Err(Problem::at(place, what));
        match self.universe.underlying(ty) {
            TypeRef::Builtin(builtin) => Ok(scalar(*builtin).to_owned()),
            TypeRef::Leaf(Leaf::Bytes) => Ok("bytes".to_owned()),
            TypeRef::Leaf(leaf) => match names::leaf(*leaf) {
                Some((package, dir, message)) => Ok(self.qualified(package, dir, message)),
                None => wrong("any JSON has no form in protobuf: make it a RawJson".to_owned()),
            },
            TypeRef::Named(name) => self.named(name, place),
            TypeRef::Option(inner) | TypeRef::Boxed(inner) => self.element(inner, place),
            TypeRef::Slice(_) | TypeRef::Map(..) => wrong(
                "a list or map in a list or map has no form in protobuf: declare a struct for the inner one"
                    .to_owned(),
            ),
            TypeRef::Instance(name, _) => {
                wrong(format!("{} has parameters, which protobuf has not: declare a type without", name.name))
            }
            TypeRef::Parameter(_) => wrong("a parameter has no form in protobuf".to_owned()),
            TypeRef::Unknown(why) => wrong(why.clone()),
        }
    }

    fn named(&mut self, name: &TypeName, place: &Place) -> Result<String, Problem> {
        match self.universe.get(name).map(|ty| (&ty.kind, ty)) {
            Some((Kind::Enum(_), _)) => return Ok("string".to_owned()),
            Some((Kind::Leaf, ty)) if !holds_json(ty) => {
                let what = format!("{} writes itself, so its form in protobuf is not known", name.name);
                return Err(Problem::at(place, what));
            }
            _ => {}
        }
        if self.local.contains(name) {
            return Ok(name.name.clone());
        }
        let (package, dir) = names::of(self.universe, &name.package);
        Ok(self.qualified(&package, &dir, &name.name))
    }

    fn qualified(&mut self, package: &str, dir: &str, message: &str) -> String {
        if dir == self.dir {
            return message.to_owned();
        }
        self.imports.insert(dir.to_owned());
        format!(".{package}.{message}")
    }
}

fn scalar(builtin: Builtin) -> &'static str {
    match builtin {
        Builtin::Bool => "bool",
        Builtin::Int32 => "int32",
        Builtin::Int64 => "int64",
        Builtin::Uint32 => "uint32",
        Builtin::Uint64 => "uint64",
        Builtin::Double => "double",
        Builtin::Text => "string",
    }
}
