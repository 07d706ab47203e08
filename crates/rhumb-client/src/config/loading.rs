//! Loading rules: which kubeconfig files are read, and how they are merged.

use std::io;
use std::path::{Path, PathBuf};

use super::{Config, ConfigError, Environment, Kubeconfig, Overrides};
use super::{in_cluster, overrides};

/// Files to read: an explicit one, else those in `$KUBECONFIG`, else `~/.kube/config`.
#[derive(Clone, Debug)]
pub struct LoadingRules {
    explicit: Option<PathBuf>,
    files: Vec<PathBuf>,
    from_variable: bool,
    environment: Environment,
}

impl LoadingRules {
    /// Creates the default rules for an environment.
    pub fn new(environment: &Environment) -> Self {
        let variable = environment.variable("KUBECONFIG");
        let mut files: Vec<PathBuf> = Vec::new();
        match variable {
            Some(list) => {
                for file in std::env::split_paths(list) {
                    // The same file twice says nothing new, and a lock is taken once only.
                    if !file.as_os_str().is_empty() && !files.contains(&file) {
                        files.push(file);
                    }
                }
            }
            None => {
                files.extend(environment.home().map(|home| home.join(".kube").join("config")));
            }
        }
        LoadingRules {
            explicit: None,
            files,
            from_variable: variable.is_some(),
            environment: environment.clone(),
        }
    }

    /// Sets an explicit file, which must exist.
    pub fn with_explicit_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.explicit = Some(path.into());
        self
    }

    /// Returns the explicit file, if set.
    pub fn explicit_file(&self) -> Option<&Path> {
        self.explicit.as_deref()
    }

    /// Returns the files in order of precedence.
    pub fn files(&self) -> Vec<&Path> {
        match &self.explicit {
            Some(file) => vec![file],
            None => self.files.iter().map(PathBuf::as_path).collect(),
        }
    }

    /// Returns the environment that these rules use.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// Returns the file that new entries go to: the first that is there. If none is, the last that `$KUBECONFIG`
    /// names.
    pub fn default_file(&self) -> Option<&Path> {
        let files = self.files();
        match files.as_slice() {
            [one] => Some(one),
            many => many.iter().find(|file| self.absolute(file).exists()).or(many.last()).copied(),
        }
    }

    /// Makes a path absolute, relative to the working directory.
    pub(super) fn absolute(&self, path: &Path) -> PathBuf {
        self.environment.working_dir().join(path)
    }

    /// Reads and merges the files without resolving paths. Missing files are skipped, except an explicit one.
    ///
    /// # Errors
    /// A file can't be read or understood; all of those.
    pub fn load_unresolved(&self) -> Result<Kubeconfig, ConfigError> {
        if let Some(explicit) = &self.explicit
            && let Err(source) = std::fs::metadata(self.absolute(explicit))
            && source.kind() == io::ErrorKind::NotFound
        {
            return Err(ConfigError::File { operation: "stat", path: explicit.clone(), source });
        }
        let mut merged = Kubeconfig::default();
        let mut errors = Vec::new();
        for file in self.files() {
            match self.read_file(file) {
                Ok(Some(config)) => merged.merge(config),
                Ok(None) => {}
                Err(source) => {
                    errors.push(ConfigError::Load { path: file.to_owned(), source: Box::new(source) });
                }
            }
        }
        match errors.len() {
            0 => Ok(merged),
            1 => Err(errors.remove(0)),
            _ => Err(ConfigError::Several(errors)),
        }
    }

    /// Reads and merges the files and resolves their paths.
    ///
    /// # Errors
    /// A file can't be read or understood.
    pub fn load(&self) -> Result<Kubeconfig, ConfigError> {
        let mut config = self.load_unresolved()?;
        config.resolve_paths(self.environment.working_dir());
        Ok(config)
    }

    /// Reads one file; none if it is not there. The entries name it as it was named.
    pub(super) fn read_file(&self, file: &Path) -> Result<Option<Kubeconfig>, ConfigError> {
        match Kubeconfig::read(&self.absolute(file)) {
            Ok(mut config) => {
                let origin = Some(file.to_owned());
                config.clusters.values_mut().for_each(|entry| entry.origin.clone_from(&origin));
                config.users.values_mut().for_each(|entry| entry.origin.clone_from(&origin));
                config.contexts.values_mut().for_each(|entry| entry.origin.clone_from(&origin));
                Ok(Some(config))
            }
            Err(error) if error.is_missing_file() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns the files that `$KUBECONFIG` names if none of them is there, which is worth a warning.
    pub fn missing_files(&self) -> Vec<&Path> {
        let files = self.files();
        let none = self.from_variable
            && self.explicit.is_none()
            && files.iter().all(|file| !self.absolute(file).exists());
        if none { files } else { Vec::new() }
    }

    /// Returns the configuration that the files and the overrides come to. If that is nothing, or what there is
    /// without files, and the process runs in a pod, it is the pod's.
    ///
    /// # Errors
    /// A file can't be read, or what is asked for is not there or can't be used.
    pub fn config(&self, overrides: &Overrides) -> Result<Config, ConfigError> {
        let kubeconfig = self.load()?;
        let checked = overrides::check(&kubeconfig, overrides);
        self.resolve(&kubeconfig, overrides, checked)
    }

    /// Returns the configuration with only the requested entries looked up, like kubectl where it needs no namespace:
    /// errors name what is missing.
    ///
    /// # Errors
    /// A file can't be read, or what is asked for is not there or can't be used.
    pub fn config_unchecked(&self, overrides: &Overrides) -> Result<Config, ConfigError> {
        self.resolve(&self.load()?, overrides, Ok(()))
    }

    /// Validates the requested entries, as kubectl does before it needs a namespace.
    ///
    /// # Errors
    /// A file can't be read, or all that is wrong.
    pub fn check(&self, overrides: &Overrides) -> Result<(), ConfigError> {
        overrides::check(&self.load()?, overrides)
    }

    fn resolve(
        &self,
        kubeconfig: &Kubeconfig,
        overrides: &Overrides,
        checked: Result<(), ConfigError>,
    ) -> Result<Config, ConfigError> {
        let resolved = checked.and_then(|()| overrides::resolve(kubeconfig, overrides, &self.environment));
        let is_default = match &resolved {
            Ok(config) => overrides.is_default(config),
            Err(ConfigError::Empty) => true,
            Err(_) => false,
        };
        if is_default && in_cluster::is_possible(&self.environment) {
            return in_cluster::config(&self.environment, overrides);
        }
        let mut config = resolved?;
        // A pod's namespace is a better guess than `default`, even for a server that a file names.
        let is_given =
            !overrides.context.namespace.is_empty() || overrides::has_namespace(kubeconfig, overrides);
        if !is_given && in_cluster::is_possible(&self.environment) {
            config.default_namespace = in_cluster::namespace(&self.environment);
        }
        Ok(config)
    }
}

impl Config {
    /// Loads the configuration that kubectl would use: `$KUBECONFIG` or `~/.kube/config`, else in-cluster.
    ///
    /// # Errors
    /// There is none, or it can't be used.
    pub fn infer() -> Result<Self, ConfigError> {
        LoadingRules::new(&Environment::process()).config(&Overrides::default())
    }

    /// Creates the configuration of a context, or of the current one.
    ///
    /// # Errors
    /// The context or what it names is not there, or can't be used.
    pub fn from_kubeconfig(kubeconfig: &Kubeconfig, context: Option<&str>) -> Result<Self, ConfigError> {
        let overrides =
            Overrides { current_context: context.unwrap_or_default().to_owned(), ..Overrides::default() };
        overrides::resolve(kubeconfig, &overrides, &Environment::process())
    }

    /// Creates the in-cluster configuration of a pod.
    ///
    /// # Errors
    /// It doesn't run in one, or its token can't be read.
    pub fn in_cluster() -> Result<Self, ConfigError> {
        in_cluster::config(&Environment::process(), &Overrides::default())
    }
}
