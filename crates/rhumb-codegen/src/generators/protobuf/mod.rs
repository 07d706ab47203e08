//! `protobuf`: message definitions, a `generated.proto` per package.
//!
//! A field has the number of its `#[field(N)]`. In a package without a single number every field gets one. The file
//! `api.lock` in the crate's directory keeps all numbers for good ([`lock`]). The tags are
//!
//! | tag | on | meaning |
//! |---|---|---|
//! | `+k8s:protobuf-gen=package` | a package | all structs are messages, also those without attributes or numbers |
//! | `+protobuf.package=a.b.v1` | a package | the name of the package in protobuf |
//! | `+protobuf=false` | a type | it is no message |
//! | `+protobuf.renamed=old` | a type or field | what it was called before, to keep its numbers |

mod lock;
mod message;
mod names;

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};

use self::lock::{Field, Lock};
use super::said;
use crate::generator::{Context, Generator, Options, Output, Target, Tool};
use crate::namer::version::is_version;
use crate::problem::{Outcome, Problems};
use crate::universe::{Kind, Member, Package, Type, TypeName, Universe};

/// The tool.
pub(super) const TOOL: Tool =
    Tool { name: "protobuf", about: "protobuf definitions of messages, with stable field numbers", targets };

/// Name of the lock file.
const LOCK: &str = "api.lock";

fn targets(universe: &Universe, options: &Options) -> Outcome<Vec<Target>> {
    let mut problems = Problems::default();
    let mut crates: BTreeMap<&Path, Vec<&Package>> = BTreeMap::new();
    for package in universe.requested() {
        crates.entry(&package.crate_dir).or_default().push(package);
    }
    let mut targets = Vec::new();
    for (crate_dir, packages) in crates {
        let first = packages.first().map(|package| package.path.clone());
        let dir = options.directory(first.as_deref(), crate_dir, Path::new(""));
        let Some(mut lock) = problems.take(Lock::read(&dir.join(LOCK))) else { continue };
        let mut any = false;
        for package in packages {
            let Some(messages) = problems.take(messages(universe, package, &mut lock)) else { continue };
            if messages.is_empty() {
                continue;
            }
            any = true;
            let mut target = Target::of(package, Definitions { package: package.path.clone(), messages });
            target.below = names::of(universe, &package.path).1.into();
            targets.push(target);
        }
        if any {
            targets.push(Target {
                package: first,
                dir: crate_dir.to_path_buf(),
                below: PathBuf::new(),
                generators: vec![Box::new(LockFile(lock.text()))],
            });
        }
    }
    problems.or(targets)
}

/// A message with the numbers of its fields.
pub(crate) struct Message {
    pub(crate) ty: TypeName,
    /// The members that are fields, by their Rust names, with their numbers.
    pub(crate) fields: Vec<(String, u32)>,
    /// Numbers that no field may have any more.
    pub(crate) reserved: Vec<u32>,
}

/// Returns the messages of a package, by name: its own types, and those of other versions of its group that they
/// share.
fn messages(universe: &Universe, package: &Package, lock: &mut Lock) -> Outcome<Vec<Message>> {
    let mut problems = Problems::default();
    let mut found: BTreeMap<&str, &Type> = BTreeMap::new();
    let mut queue: VecDeque<&Type> = universe.types_of(package).collect();
    let exported = package.exports.values().filter(|name| is_shared(package, name));
    queue.extend(exported.filter_map(|name| universe.get(name)));
    while let Some(ty) = queue.pop_front() {
        let home = universe.package(&ty.name.package).unwrap_or(package);
        if found.contains_key(&*ty.name.name) || !is_message(universe, home, ty) {
            continue;
        }
        found.insert(&ty.name.name, ty);
        for member in &ty.members {
            member.ty.each_name(&mut |name| {
                queue.extend(universe.get(name).filter(|_| is_shared(package, name)));
            });
        }
    }
    let mut messages = Vec::new();
    for ty in found.into_values() {
        let unknown = universe.problems_of(ty);
        if !unknown.is_empty() {
            problems.0.extend(unknown);
            continue;
        }
        if matches!(ty.kind, Kind::Leaf) {
            messages.push(Message { ty: ty.name.clone(), fields: Vec::new(), reserved: Vec::new() });
            continue;
        }
        let (members, fields) = fields(ty);
        let key = format!("{}::{}", package.path, ty.name.name);
        let renamed = ty.tags.value("protobuf.renamed").map(|old| format!("{}::{old}", package.path));
        let Some(numbers) = problems.take(lock.assign(&key, renamed.as_deref(), &fields)) else { continue };
        messages.push(Message {
            ty: ty.name.clone(),
            fields: members.iter().map(|member| member.name.clone()).zip(numbers).collect(),
            reserved: lock.reserved(&key),
        });
    }
    problems.or(messages)
}

/// Reports whether a type is a message by itself. Where people give numbers, what has none is no part of protobuf.
fn is_message(universe: &Universe, home: &Package, ty: &Type) -> bool {
    let said = match ty.tags.value("protobuf") {
        Some("false") => return false,
        said => said.is_some() || home.tags.has("k8s:protobuf-gen"),
    };
    match ty.kind {
        Kind::Struct if said => true,
        Kind::Struct => {
            let described = ty.derives("Schema") || ty.members.iter().any(|member| member.field.is_some());
            let silent = ty.members.iter().any(|member| !member.is_inline()) && !is_numbered(ty);
            described && !(silent && universe.types_of(home).any(is_numbered))
        }
        // The leaves that everyone knows have messages already.
        Kind::Leaf => message::holds_json(ty) && !ty.name.package.starts_with("rhumb_meta"),
        _ => false,
    }
}

fn is_numbered(ty: &Type) -> bool {
    ty.members.iter().any(|member| number(member) > 0)
}

fn number(member: &Member) -> u32 {
    member.field.as_ref().map_or(0, |field| field.number)
}

/// Reports whether a type is one of another version of the package's group.
fn is_shared(package: &Package, name: &TypeName) -> bool {
    let group = |path: &str| {
        let (group, version) = path.rsplit_once("::")?;
        is_version(version).then(|| group.to_owned())
    };
    name.package != package.path && group(&package.path).is_some_and(|own| Some(own) == group(&name.package))
}

/// Returns the members of a struct that are fields of its message. Where one has a number, those without have no part
/// in it.
fn fields(ty: &Type) -> (Vec<&Member>, Vec<Field>) {
    let numbered = is_numbered(ty);
    let is_type_meta =
        |member: &Member| member.is_inline() && member.ty.name().is_some_and(|name| name.name == "TypeMeta");
    let retired = said::schema_words(ty).retired;
    let members: Vec<&Member> = ty
        .members
        .iter()
        .filter(|member| !is_type_meta(member) && said::exists(member, retired))
        .filter(|member| !numbered || number(member) > 0)
        .collect();
    let fields = members.iter().map(|member| Field {
        name: message::field_name(ty, member),
        number: Some(number(member)).filter(|number| *number > 0),
        renamed: member.tags.value("protobuf.renamed").map(str::to_owned),
        place: member.place.clone(),
    });
    let fields = fields.collect();
    (members, fields)
}

/// Writes the definitions of a package.
struct Definitions {
    package: String,
    messages: Vec<Message>,
}

impl Generator for Definitions {
    fn name(&self) -> &'static str {
        "protobuf"
    }

    fn filter(&self, _: &Context<'_>, _: &Type) -> bool {
        false
    }

    fn init(&mut self, context: &mut Context<'_>, out: &mut Output) -> Outcome<()> {
        out.text(message::file(context.universe, &self.package, &self.messages)?);
        Ok(())
    }

    fn file_name(&self, _: &Context<'_>) -> String {
        "generated.proto".to_owned()
    }

    fn file_type(&self) -> &'static str {
        "proto"
    }
}

/// Writes the lock file.
struct LockFile(String);

impl Generator for LockFile {
    fn name(&self) -> &'static str {
        "protobuf"
    }

    fn filter(&self, _: &Context<'_>, _: &Type) -> bool {
        false
    }

    fn init(&mut self, _: &mut Context<'_>, out: &mut Output) -> Outcome<()> {
        out.text(self.0.clone());
        Ok(())
    }

    fn file_name(&self, _: &Context<'_>) -> String {
        LOCK.to_owned()
    }

    fn file_type(&self) -> &'static str {
        "text"
    }
}
