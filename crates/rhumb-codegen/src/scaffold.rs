//! New groups and new versions: the files that a person would otherwise copy from elsewhere.
//!
//! What is laid out here is the person's from then on: it is written once, and never over a file that exists.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::namer::{Plural, snake_case};
use crate::problem::{Outcome, Problem, shown};

/// A kind to begin a group with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewApi {
    /// The group, such as `stable.example.com`.
    pub group: String,
    /// The version, such as `v1`.
    pub version: String,
    /// The kind, such as `CronTab`.
    pub kind: String,
    /// Whether its objects live in namespaces.
    pub namespaced: bool,
    /// The directory of the crate. If it has no manifest, one is made.
    pub dir: PathBuf,
    /// Where the crates of Rhumb are, if not on crates.io.
    pub rhumb: Option<PathBuf>,
}

impl NewApi {
    /// The name of the group's module: `stable` of `stable.example.com`.
    pub fn module(&self) -> String {
        self.group.split('.').next().unwrap_or_default().replace('-', "_")
    }

    /// The files of the group.
    ///
    /// # Errors
    /// If a name can't be one, or a file is there already.
    pub fn files(&self) -> Outcome<BTreeMap<PathBuf, String>> {
        check(&self.group, "group", |c| c.is_ascii_lowercase() || c.is_ascii_digit() || ".-".contains(c))?;
        check_version(&self.version)?;
        check(&self.kind, "kind", |c| c.is_ascii_alphanumeric())?;
        if !self.kind.starts_with(|first: char| first.is_ascii_uppercase()) {
            return Err(Problem::new(format!("the kind {:?} begins with a capital", self.kind)).into());
        }
        let module = self.module();
        if !module.starts_with(|first: char| first.is_ascii_lowercase()) {
            return Err(Problem::new(format!("the group {:?} begins with a letter", self.group)).into());
        }
        let source = self.dir.join("src");
        let mut files = BTreeMap::new();
        if !self.dir.join("Cargo.toml").exists() {
            files.insert(self.dir.join("Cargo.toml"), self.manifest());
            files.insert(
                source.join("lib.rs"),
                format!("//! The API group `{}`.\n\npub mod {module};\n", self.group),
            );
        }
        files.insert(source.join(&module).join("mod.rs"), self.group_file());
        files.insert(source.join(&module).join(format!("{}.rs", self.version)), self.types());
        for path in files.keys() {
            refuse_existing(path)?;
        }
        Ok(files)
    }

    fn manifest(&self) -> String {
        let mut text = format!(
            "[package]\nname = \"{}-api\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\n",
            self.module().replace('_', "-")
        );
        for name in ["rhumb-meta", "rhumb-schema", "rhumb-scheme"] {
            text.push_str(&match &self.rhumb {
                Some(dir) => format!("{name} = {{ path = {:?} }}\n", dir.join(name).display().to_string()),
                None => format!("{name} = \"0.1\"\n"),
            });
        }
        text
    }

    fn group_file(&self) -> String {
        let (group, version) = (&self.group, &self.version);
        format!(
            "//! The group `{group}`.\n// +groupName={group}\n// +rhumb:hub={version}\n\npub mod {version};\n\
             #[rustfmt::skip]\nmod zz_generated_register;\n\npub use zz_generated_register::*;\n"
        )
    }

    fn types(&self) -> String {
        let NewApi { group, version, kind, .. } = self;
        let scope = if self.namespaced { "namespaced" } else { "cluster" };
        let plural = Plural::default().lower(kind);
        let words = snake_case(kind).replace('_', " ");
        format!(
            r#"//! `{group}/{version}`.
// +k8s:defaulter-gen=TypeMeta

#[rustfmt::skip]
pub(super) mod zz_generated_defaulter;

use rhumb_meta::v1::{{ListMeta, ObjectMeta, TypeMeta}};
use rhumb_meta::{{Object, Resource}};
use rhumb_schema::Schema;

// +genclient

/// A {words}.
#[derive(Clone, Default, Schema, Object, Resource)]
#[resource(group = "{group}", version = "{version}", plural = "{plural}", {scope})]
pub struct {kind} {{
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// What is wanted.
    #[field(2)]
    pub spec: {kind}Spec,
    /// What there is.
    #[field(3)]
    pub status: {kind}Status,
}}

/// What is wanted of a {words}.
#[derive(Clone, Default, Schema)]
pub struct {kind}Spec {{
    /// How many of it.
    #[field(1, default = 1)]
    pub replicas: Option<i32>,
}}

/// What there is of a {words}.
#[derive(Clone, Default, Schema)]
pub struct {kind}Status {{
    /// The generation that was seen last.
    #[field(1)]
    pub observed_generation: i64,
}}

/// A list of {kind} objects.
#[derive(Clone, Default, Schema, Object)]
pub struct {kind}List {{
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects of the list.
    #[field(2, required, not_null)]
    pub items: Vec<{kind}>,
}}
"#
        )
    }
}

/// A version to add to a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewVersion {
    /// The directory of the group, with its `mod.rs`.
    pub dir: PathBuf,
    /// The version that is copied.
    pub from: String,
    /// The version to add.
    pub version: String,
}

impl NewVersion {
    /// The files as they will be: the types of the new version, and the group's file that names it. The hub stays what
    /// it was, so the older versions and what is stored in them are what they were.
    ///
    /// # Errors
    /// If the group or the version to copy can't be read, or the new one is there already.
    pub fn files(&self) -> Outcome<BTreeMap<PathBuf, String>> {
        check_version(&self.version)?;
        let read = |path: &Path| fs::read_to_string(path).map_err(|error| Problem::file(&shown(path), error));
        let group_file = self.dir.join("mod.rs");
        let group = read(&group_file)?;
        let old = read(&self.dir.join(format!("{}.rs", self.from)))?;
        let new_file = self.dir.join(format!("{}.rs", self.version));
        refuse_existing(&new_file)?;
        let hub = group.lines().find_map(|line| line.trim().strip_prefix("// +rhumb:hub="));
        let hub = hub.map_or_else(|| self.from.clone(), |hub| hub.trim().to_owned());
        let declaration = format!("pub mod {};", self.from);
        if !group.contains(&declaration) {
            let message = format!("there is no `{declaration}`, beside which the new version could stand");
            return Err(Problem::file(&shown(&group_file), message).into());
        }
        let mut group = group.replacen(&declaration, &format!("{declaration}\npub mod {};", self.version), 1);
        if !group.contains("+rhumb:hub=") {
            // Without this line the new version would be the hub if it is the better one.
            group = group.replacen('\n', &format!("\n// +rhumb:hub={hub}\n"), 1);
        }
        Ok(BTreeMap::from([(group_file, group), (new_file, self.copied(&old, &hub))]))
    }

    /// The types under the new version's name, converted to the hub.
    fn copied(&self, old: &str, hub: &str) -> String {
        const CONVERSION: &str = "#[rustfmt::skip]\nmod zz_generated_conversion;\n";
        let old = old
            .replace(CONVERSION, "")
            .replace(&format!("/{}`", self.from), &format!("/{}`", self.version))
            .replace(&format!("version = \"{}\"", self.from), &format!("version = \"{}\"", self.version));
        let is_top = |line: &&str| line.starts_with("//");
        let top = old.lines().take_while(is_top).filter(|line| !line.starts_with("// +k8s:conversion-gen="));
        let mut text: String = top.map(|line| format!("{line}\n")).collect();
        text.push_str(&format!("// +k8s:conversion-gen=super::{hub}\n\n{CONVERSION}"));
        let rest: Vec<&str> = old.lines().skip_while(is_top).skip_while(|line| line.is_empty()).collect();
        if !rest.first().is_some_and(|line| line.starts_with("#[rustfmt::skip]") || line.contains("mod ")) {
            text.push('\n');
        }
        text.push_str(&rest.join("\n"));
        text.push('\n');
        text
    }
}

fn refuse_existing(path: &Path) -> Outcome<()> {
    match path.exists() {
        true => Err(Problem::file(&shown(path), "this file is there already, and is left as it is").into()),
        false => Ok(()),
    }
}

fn check_version(version: &str) -> Outcome<()> {
    check(version, "version", |c| c.is_ascii_lowercase() || c.is_ascii_digit())?;
    match version.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit())) {
        true => Ok(()),
        false => Err(Problem::new(format!("a version is written as v1 or v1beta1, not {version:?}")).into()),
    }
}

fn check(text: &str, what: &str, allowed: fn(char) -> bool) -> Outcome<()> {
    match text.chars().find(|character| !allowed(*character)) {
        _ if text.is_empty() => Err(Problem::new(format!("the {what} is empty")).into()),
        Some(character) => Err(Problem::new(format!("{character:?} can't stand in a {what}")).into()),
        None => Ok(()),
    }
}
