//! Edits of kubeconfig files, each written to the file that an entry belongs to.
//!
//! The files are locked as kubectl locks them: `config.lock` beside `config`, which only one can create. A file is
//! written beside its place and moved there, so that a reader sees the old or the new one, never a part.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::kubeconfig::{AuthInfo, Cluster, Located};
use super::{ConfigError, Kubeconfig, LoadingRules};

/// How paths in written entries are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathForm {
    /// They are written as they are.
    AsGiven,
    /// Relative to the file's directory for paths below it. New paths must be absolute.
    Relative,
}

impl LoadingRules {
    /// Reads the files, has them changed and writes what is different back: an entry to the file it came from, a new
    /// one to [`default_file`](LoadingRules::default_file). The files are locked all the while.
    ///
    /// # Errors
    /// The change is refused by its author, or a file is locked, can't be read or can't be written. Nothing has been
    /// written then unless the error came from writing the second of several files.
    pub fn edit(
        &self,
        paths: PathForm,
        change: impl FnOnce(&mut Kubeconfig) -> Result<(), ConfigError>,
    ) -> Result<(), ConfigError> {
        let _locks = self.lock()?;
        let old = match self.load_unresolved() {
            Err(error) if error.is_missing_file() => Kubeconfig::default(),
            other => other?,
        };
        let mut new = old.clone();
        change(&mut new)?;
        let mut edit = Edit { rules: self, files: BTreeMap::new() };
        edit.collect(&old, &new, paths)?;
        for (path, file) in &edit.files {
            if file.changed {
                write(&self.absolute(path), &file.config)?;
            }
        }
        Ok(())
    }

    /// Locks all files, always in the same order, so that two who need the same don't wait for each other.
    fn lock(&self) -> Result<Vec<Lock>, ConfigError> {
        let mut files = self.files();
        files.sort();
        files.into_iter().map(|file| Lock::take(file, &self.absolute(file))).collect()
    }
}

/// Lock of a file, released on drop.
struct Lock(PathBuf);

impl Lock {
    /// Takes the lock of a file, which errors name as it was given.
    fn take(given: &Path, file: &Path) -> Result<Self, ConfigError> {
        create_dir_of(file)?;
        let lock = |file: &Path| {
            let mut name = file.as_os_str().to_owned();
            name.push(".lock");
            PathBuf::from(name)
        };
        let path = lock(file);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0);
        match options.open(&path) {
            Ok(_) => Ok(Lock(path)),
            Err(source) => Err(ConfigError::File { operation: "open", path: lock(given), source }),
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // There is nobody to tell; the next one who takes it says that it is there.
        let _ = fs::remove_file(&self.0);
    }
}

/// Files that an edit changes.
struct Edit<'a> {
    rules: &'a LoadingRules,
    files: BTreeMap<PathBuf, Touched>,
}

#[derive(Default)]
struct Touched {
    config: Kubeconfig,
    changed: bool,
}

impl Edit<'_> {
    fn collect(&mut self, old: &Kubeconfig, new: &Kubeconfig, paths: PathForm) -> Result<(), ConfigError> {
        let working_dir = self.rules.environment().working_dir().to_owned();
        if old.current_context != new.current_context {
            self.set_current_context(&new.current_context)?;
        }
        if old.preferences != new.preferences {
            self.set_preferences(new)?;
        }
        self.set_entries(
            &old.clusters,
            &new.clusters,
            |config| &mut config.clusters,
            |entry| {
                if paths == PathForm::Relative {
                    Located::<Cluster>::relativize(entry, &working_dir);
                }
            },
        )?;
        self.set_entries(&old.contexts, &new.contexts, |config| &mut config.contexts, |_| {})?;
        self.set_entries(
            &old.users,
            &new.users,
            |config| &mut config.users,
            |entry| {
                if paths == PathForm::Relative {
                    Located::<AuthInfo>::relativize(entry, &working_dir);
                }
            },
        )
    }

    /// Returns the content of a file, which is empty if the file is not there yet.
    fn file(&mut self, path: &Path) -> Result<&mut Touched, ConfigError> {
        if !self.files.contains_key(path) {
            let config = self.rules.read_file(path)?.unwrap_or_default();
            self.files.insert(path.to_owned(), Touched { config, changed: false });
        }
        Ok(self.files.entry(path.to_owned()).or_default())
    }

    fn default_file(&self) -> Result<PathBuf, ConfigError> {
        let file = self.rules.default_file().map(Path::to_owned);
        file.ok_or_else(|| ConfigError::Other("there is no kubeconfig file to write to".to_owned()))
    }

    /// Sets the current context in the first file that has one, since that file takes precedence.
    fn set_current_context(&mut self, name: &str) -> Result<(), ConfigError> {
        if !name.is_empty() || self.rules.explicit_file().is_some() {
            let path = self.default_file()?;
            let file = self.file(&path)?;
            name.clone_into(&mut file.config.current_context);
            file.changed = true;
            return Ok(());
        }
        for path in self.paths() {
            let file = self.file(&path)?;
            if !file.config.current_context.is_empty() {
                file.config.current_context.clear();
                file.changed = true;
                return Ok(());
            }
        }
        Err(ConfigError::Other("no config found to write context".to_owned()))
    }

    fn set_preferences(&mut self, new: &Kubeconfig) -> Result<(), ConfigError> {
        for path in self.paths() {
            let file = self.file(&path)?;
            if file.config.preferences != new.preferences {
                file.config.preferences = new.preferences.clone();
                file.changed = true;
                return Ok(());
            }
        }
        Err(ConfigError::Other("no config found to write preferences".to_owned()))
    }

    fn paths(&self) -> Vec<PathBuf> {
        self.rules.files().into_iter().map(Path::to_owned).collect()
    }

    fn set_entries<T: Clone + PartialEq>(
        &mut self,
        old: &BTreeMap<String, Located<T>>,
        new: &BTreeMap<String, Located<T>>,
        entries: fn(&mut Kubeconfig) -> &mut BTreeMap<String, Located<T>>,
        prepare: impl Fn(&mut Located<T>),
    ) -> Result<(), ConfigError> {
        let changed = new.iter().filter(|(name, entry)| old.get(*name) != Some(entry));
        for (name, entry) in changed {
            let path = self.path_of(entry)?;
            let mut entry = entry.clone();
            entry.origin = Some(path.clone());
            prepare(&mut entry);
            let file = self.file(&path)?;
            entries(&mut file.config).insert(name.clone(), entry);
            file.changed = true;
        }
        let removed = old.iter().filter(|(name, _)| !new.contains_key(*name));
        for (name, entry) in removed {
            let path = self.path_of(entry)?;
            let file = self.file(&path)?;
            entries(&mut file.config).remove(name);
            file.changed = true;
        }
        Ok(())
    }

    fn path_of<T>(&self, entry: &Located<T>) -> Result<PathBuf, ConfigError> {
        match &entry.origin {
            Some(origin) => Ok(origin.clone()),
            None => self.default_file(),
        }
    }
}

impl Kubeconfig {
    /// Writes a file as kubectl would, in one step: readers see the old or the new one. A new file can be read by its
    /// owner only; one that is there keeps its mode. The file is not locked.
    ///
    /// # Errors
    /// It can't be written.
    pub fn write(&self, path: &Path) -> Result<(), ConfigError> {
        write(path, self)
    }
}

fn create_dir_of(file: &Path) -> Result<(), ConfigError> {
    match file.parent().filter(|dir| !dir.as_os_str().is_empty()) {
        Some(dir) => fs::create_dir_all(dir).map_err(|source| ConfigError::File {
            operation: "mkdir",
            path: dir.to_owned(),
            source,
        }),
        None => Ok(()),
    }
}

fn write(path: &Path, config: &Kubeconfig) -> Result<(), ConfigError> {
    create_dir_of(path)?;
    let content = config.to_yaml();
    let failed = |operation| move |source| ConfigError::File { operation, path: path.to_owned(), source };
    // A link stays a link: what it points to is replaced.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let old = fs::metadata(&target).ok();
    let mut name = target.as_os_str().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = PathBuf::from(name);
    let written = write_new(&temporary, &content, old.as_ref());
    match written.and_then(|()| fs::rename(&temporary, &target)) {
        Ok(()) => Ok(()),
        Err(_) if old.is_some() => {
            // Where nothing can be put beside the file, or it can't be replaced because it is mounted there, it is
            // written over, as kubectl does always.
            let _ = fs::remove_file(&temporary);
            fs::write(&target, &content).map_err(failed("open"))
        }
        Err(error) => {
            let _ = fs::remove_file(&temporary);
            Err(failed("open")(error))
        }
    }
}

/// Writes a file that is not there yet, with the permissions of the one it will replace.
fn write_new(path: &Path, content: &[u8], like: Option<&fs::Metadata>) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file: File = options.open(path)?;
    if let Some(like) = like {
        file.set_permissions(like.permissions())?;
    }
    file.write_all(content)?;
    file.sync_all()
}
