//! The environment of a process as a value.

use std::collections::BTreeMap;
use std::fmt;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// Environment of the process: variables, home directory, time, and whether a user can be asked. Only
/// [`Environment::process`] reads the real one.
#[derive(Clone)]
pub struct Environment {
    variables: Arc<BTreeMap<String, String>>,
    home: Option<PathBuf>,
    working_dir: PathBuf,
    clock: Arc<dyn Fn() -> SystemTime + Send + Sync>,
    terminal: bool,
    service_account_dir: Option<PathBuf>,
}

impl Environment {
    /// Reads the environment of the process. Variables that are not UTF-8 are dropped.
    pub fn process() -> Self {
        #[allow(clippy::disallowed_methods, reason = "the one place where the library's clock comes from")]
        let clock = || SystemTime::now();
        let variables: BTreeMap<String, String> = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        Environment {
            variables: Arc::new(variables),
            home: std::env::home_dir().filter(|home| !home.as_os_str().is_empty()),
            working_dir: std::env::current_dir().unwrap_or_default(),
            clock: Arc::new(clock),
            terminal: std::io::stdin().is_terminal(),
            service_account_dir: None,
        }
    }

    /// Creates an environment without variables, home or terminal, whose clock stands at the beginning of 1970.
    pub fn empty() -> Self {
        Environment {
            variables: Arc::default(),
            home: None,
            working_dir: PathBuf::from("/"),
            clock: Arc::new(|| SystemTime::UNIX_EPOCH),
            terminal: false,
            service_account_dir: None,
        }
    }

    /// Sets a variable.
    pub fn with_variable(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        Arc::make_mut(&mut self.variables).insert(name.into(), value.into());
        self
    }

    /// Sets the home directory.
    pub fn with_home(mut self, home: impl Into<PathBuf>) -> Self {
        self.home = Some(home.into());
        self
    }

    /// Sets the working directory.
    pub fn with_working_dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.working_dir = dir.into();
        self
    }

    /// Sets the clock.
    pub fn with_clock(mut self, clock: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Sets whether standard input is a terminal.
    pub fn with_terminal(mut self, terminal: bool) -> Self {
        self.terminal = terminal;
        self
    }

    /// Sets the directory of the pod's token, CA and namespace.
    pub fn with_service_account_dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.service_account_dir = Some(dir.into());
        self
    }

    /// Returns the directory of the pod's token, CA and namespace, if it is not the default.
    pub fn service_account_dir(&self) -> Option<&Path> {
        self.service_account_dir.as_deref()
    }

    /// Returns a variable; none if it is not set or empty.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Returns all variables.
    pub fn variables(&self) -> impl Iterator<Item = (&str, &str)> {
        self.variables.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Returns the home directory.
    pub fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// Returns the working directory.
    pub fn working_dir(&self) -> &Path {
        &self.working_dir
    }

    /// Returns the absolute, normalised form of a path.
    pub fn absolute(&self, path: impl AsRef<Path>) -> PathBuf {
        super::kubeconfig::clean(&self.working_dir.join(path))
    }

    /// Returns the time.
    pub fn now(&self) -> SystemTime {
        (self.clock)()
    }

    /// Reports whether standard input is a terminal.
    pub fn is_terminal(&self) -> bool {
        self.terminal
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Environment").field("home", &self.home).finish_non_exhaustive()
    }
}
