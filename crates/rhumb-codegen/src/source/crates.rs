//! Crates on disk and their dependencies.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::disk::Disk;
use crate::problem::{Outcome, Problem, shown};

/// A crate with its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Crate {
    /// Crate name.
    pub(crate) name: String,
    /// The directory of its manifest.
    pub(crate) dir: PathBuf,
    /// The file it begins with. A directory of files without a root has none.
    pub(crate) root: Option<PathBuf>,
    /// The directory that its modules are found from.
    pub(crate) source: PathBuf,
    /// The crates that its manifest names, by their names in Rust, with their directories where it says them.
    pub(crate) dependencies: Dependencies,
}

/// Dependencies of a manifest by crate name, with their paths if given.
pub(crate) type Dependencies = BTreeMap<String, Option<PathBuf>>;

impl Crate {
    /// Returns the library in a directory with a manifest, or its program if it has no library.
    pub(crate) fn at(disk: &Disk, dir: &Path) -> Outcome<Crate> {
        let manifest = Manifest::read(disk, dir)?;
        let root = manifest
            .library
            .clone()
            .or_else(|| Some(dir.join("src/main.rs")).filter(|main| disk.is_file(main)))
            .ok_or_else(|| Problem::file(&shown(dir), "the crate has neither src/lib.rs nor src/main.rs"))?;
        Ok(Crate::rooted(&manifest, root))
    }

    fn rooted(manifest: &Manifest, root: PathBuf) -> Crate {
        let is_own =
            root.parent() == Some(&manifest.dir.join("src")) || Some(&root) == manifest.library.as_ref();
        // The root of a test or an example is named after its file, or its directory if the file is `main.rs`.
        let stem = |path: &Path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let name = match (is_own, stem(&root).as_deref()) {
            (true, _) => manifest.name.clone(),
            (false, Some("main" | "mod")) => root.parent().and_then(stem).unwrap_or_default(),
            (false, other) => other.unwrap_or_default().to_owned(),
        };
        Crate {
            name: name.replace('-', "_"),
            dir: manifest.dir.clone(),
            source: root.parent().unwrap_or(Path::new(".")).to_path_buf(),
            root: Some(root),
            dependencies: manifest.dependencies.clone(),
        }
    }

    /// Returns the crates that a file may be a module of, most likely first.
    pub(crate) fn around(disk: &Disk, file: &Path) -> Outcome<Vec<Crate>> {
        let loose = |dir: PathBuf, dependencies| Crate {
            name: dir
                .file_name()
                .map_or_else(|| "types".to_owned(), |name| name.to_string_lossy().replace(['-', '.'], "_")),
            source: dir.clone(),
            root: Some(dir.join("mod.rs")).filter(|root| disk.is_file(root)),
            dir,
            dependencies,
        };
        let parent = file.parent().unwrap_or(Path::new(".")).to_path_buf();
        let Some(dir) = file.ancestors().skip(1).find(|dir| disk.is_file(&dir.join("Cargo.toml"))) else {
            return Ok(vec![loose(parent, BTreeMap::new())]);
        };
        let manifest = Manifest::read(disk, dir)?;
        let mut crates = Vec::new();
        let mut add = |root: PathBuf| crates.push(Crate::rooted(&manifest, root));
        for above in file.ancestors().skip(1).take_while(|above| above.starts_with(dir)) {
            for root in ["lib.rs", "main.rs"].map(|name| above.join(name)) {
                if disk.is_file(&root) {
                    add(root);
                }
            }
            let beside = above.with_extension("rs");
            let kind = above.parent().and_then(Path::file_name);
            let programs = ["tests", "examples", "benches", "bin"];
            let is_program = |name: &std::ffi::OsStr| programs.iter().any(|known| name == *known);
            if kind.is_some_and(is_program) && disk.is_file(&beside) {
                add(beside);
            }
            if above == parent && above.file_name().is_some_and(is_program) {
                add(file.to_path_buf());
            }
        }
        if let Some(library) = &manifest.library
            && file.starts_with(library.parent().unwrap_or(dir))
        {
            add(library.clone());
        }
        crates.push(loose(parent, manifest.dependencies.clone()));
        Ok(crates)
    }

    /// Returns the directory of a member of the workspace around a directory, by the name of its package.
    pub(crate) fn member(disk: &Disk, here: &Path, name: &str) -> Option<PathBuf> {
        let root = here.ancestors().find_map(|dir| {
            let table = table(disk, &dir.join("Cargo.toml")).ok()?;
            table.get("workspace").is_some().then_some((dir, table))
        });
        let (dir, table) = root?;
        let members =
            table.get("workspace")?.get("members")?.as_array()?.iter().filter_map(toml::Value::as_str);
        let mut dirs = Vec::new();
        for member in members {
            match member.strip_suffix("/*") {
                Some(parent) => {
                    let entries = fs::read_dir(dir.join(parent)).ok()?;
                    dirs.extend(entries.filter_map(|entry| Some(entry.ok()?.path())));
                }
                None => dirs.push(dir.join(member)),
            }
        }
        dirs.into_iter().find(|dir| {
            let manifest = self::table(disk, &dir.join("Cargo.toml")).ok();
            let package = manifest.as_ref().and_then(|table| table.get("package")?.get("name")?.as_str());
            package == Some(name)
        })
    }
}

/// Contents of a manifest.
struct Manifest {
    dir: PathBuf,
    name: String,
    library: Option<PathBuf>,
    dependencies: Dependencies,
}

impl Manifest {
    fn read(disk: &Disk, dir: &Path) -> Outcome<Manifest> {
        let file = dir.join("Cargo.toml");
        let table = table(disk, &file)?;
        let text = |part: &str, key: &str| Some(table.get(part)?.get(key)?.as_str()?.to_owned());
        let name = text("lib", "name").or_else(|| text("package", "name")).unwrap_or_default();
        let library = dir.join(text("lib", "path").unwrap_or_else(|| "src/lib.rs".to_owned()));
        let shared = shared_dependencies(disk, dir, &table);
        let mut dependencies = BTreeMap::new();
        for part in ["dependencies", "dev-dependencies"] {
            for (name, value) in table.get(part).and_then(toml::Value::as_table).into_iter().flatten() {
                let own = value.get("path").and_then(toml::Value::as_str).map(|path| dir.join(path));
                let inherits = value.get("workspace").and_then(toml::Value::as_bool) == Some(true);
                let path = own.or_else(|| shared.get(name).filter(|_| inherits).cloned());
                dependencies.insert(name.replace('-', "_"), path);
            }
        }
        Ok(Manifest {
            dir: dir.to_path_buf(),
            name,
            library: Some(library).filter(|library| disk.is_file(library)),
            dependencies,
        })
    }
}

/// Returns the dependencies with paths that the workspace around a crate has for its members.
fn shared_dependencies(disk: &Disk, dir: &Path, own: &toml::Table) -> BTreeMap<String, PathBuf> {
    let of = |dir: &Path, table: &toml::Table| {
        let shared = table.get("workspace")?.get("dependencies")?.as_table()?;
        let paths = shared
            .iter()
            .filter_map(|(name, value)| Some((name.clone(), dir.join(value.get("path")?.as_str()?))));
        Some(paths.collect())
    };
    if own.get("workspace").is_some() {
        return of(dir, own).unwrap_or_default();
    }
    let mut above = dir.ancestors().skip(1);
    above.find_map(|dir| of(dir, &table(disk, &dir.join("Cargo.toml")).ok()?)).unwrap_or_default()
}

fn table(disk: &Disk, file: &Path) -> Outcome<toml::Table> {
    let text = disk.read(file).map_err(|error| Problem::file(&shown(file), error))?;
    text.parse::<toml::Table>().map_err(|error| Problem::file(&shown(file), error).into())
}
