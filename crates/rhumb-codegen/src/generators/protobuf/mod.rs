//! `protobuf`: definitions of messages, a `generated.proto` for each package.
//!
//! A field has the number of its `#[field(N)]`. In a type without a single number every field gets one, and the file
//! `api.lock` in the crate's directory keeps all numbers for good ([`lock`]). The tags are
//!
//! | tag | on | meaning |
//! |---|---|---|
//! | `+k8s:protobuf-gen=package` | a package | all structs are messages, also those without attributes |
//! | `+protobuf.package=a.b.v1` | a package | the name of the package in protobuf |
//! | `+protobuf=false` | a type | it is no message |
//! | `+protobuf.renamed=old` | a type or field | what it was called before, to keep its numbers |

mod lock;
mod message;
mod names;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use self::lock::{Field, Lock};
use super::{api_version, said};
use crate::generator::{Context, Generator, Options, Output, Target, Tool};
use crate::problem::{Outcome, Problems};
use crate::universe::{Kind, Member, Package, Type, TypeName, Universe};

/// The tool.
pub(super) const TOOL: Tool = Tool {
    name: "protobuf",
    about: "protobuf definitions of messages, with field numbers that stay",
    targets,
};

/// The file that keeps numbers.
const LOCK: &str = "api.lock";

fn targets(universe: &Universe, options: &Options) -> Outcome<Vec<Target>> {
    let mut problems = Problems::default();
    let mut crates: BTreeMap<&Path, Vec<&Package>> = BTreeMap::new();
    for package in universe.requested() {
        let asked = package.tags.has("k8s:protobuf-gen");
        if asked || api_version::of_package(universe, package).is_some() {
            crates.entry(&package.crate_dir).or_default().push(package);
        }
    }
    let mut targets = Vec::new();
    for (crate_dir, packages) in crates {
        let dir = options.out.as_deref().unwrap_or(crate_dir);
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
                package: None,
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

/// The messages of a package, by name.
fn messages(universe: &Universe, package: &Package, lock: &mut Lock) -> Outcome<Vec<Message>> {
    let mut problems = Problems::default();
    let mut messages = Vec::new();
    let all = package.tags.has("k8s:protobuf-gen");
    for ty in universe.types_of(package) {
        let Some(said) = problems.take(ty.tags.truth("protobuf")) else { continue };
        let described = ty.derives("Schema") || ty.members.iter().any(|member| member.field.is_some());
        let is_message = match ty.kind {
            Kind::Struct => said.unwrap_or(all || described),
            Kind::Leaf => said.unwrap_or_else(|| message::holds_json(ty)),
            _ => false,
        };
        if !is_message {
            continue;
        }
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
        let key = ty.name.to_string();
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

/// The members of a struct that are fields of its message. Where one has a number, those without have no part in it.
fn fields(ty: &Type) -> (Vec<&Member>, Vec<Field>) {
    let number = |member: &Member| member.field.as_ref().map_or(0, |field| field.number);
    let numbered = ty.members.iter().any(|member| number(member) > 0);
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
