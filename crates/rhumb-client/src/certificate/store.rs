//! Persistent storage of certificates and keys.

use std::error::Error;
use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use rhumb_meta::Time;

use super::{CertificatePair, PairError};
use crate::controller::WallClock;

/// Stores the current certificate with its key.
pub trait PairStore: Send + Sync + 'static {
    /// Returns the current certificate with its key; `None` if there never was one.
    ///
    /// # Errors
    /// There is one and it can't be read.
    fn current(&self) -> Result<Option<CertificatePair>, StoreError>;

    /// Makes a certificate and its key the current ones.
    ///
    /// # Errors
    /// They don't go together or can't be kept. What was current stays so.
    fn update(&self, certificate: &[u8], key: &[u8]) -> Result<CertificatePair, StoreError>;
}

/// Error of reading or storing certificate and key.
#[derive(Debug)]
#[non_exhaustive]
pub enum StoreError {
    /// They are none, or don't go together.
    Pair(PairError),
    /// A file can't be used.
    File {
        /// The operation that failed.
        operation: &'static str,
        /// The file.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// There is a file in place of the link; it is left alone.
    NotALink(PathBuf),
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreError::Pair(_) => f.write_str("certificate and key can't be used"),
            StoreError::File { operation, path, .. } => write!(f, "unable to {operation} {}", path.display()),
            StoreError::NotALink(path) => {
                write!(f, "expected {:?} to be a symlink but it is a file", path.display().to_string())
            }
        }
    }
}

impl Error for StoreError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            StoreError::Pair(error) => Some(error),
            StoreError::File { source, .. } => Some(source),
            StoreError::NotALink(_) => None,
        }
    }
}

impl From<PairError> for StoreError {
    fn from(error: PairError) -> Self {
        StoreError::Pair(error)
    }
}

/// Stores the pair in memory.
#[derive(Debug, Default)]
pub struct MemoryStore(Mutex<Option<CertificatePair>>);

impl PairStore for MemoryStore {
    fn current(&self) -> Result<Option<CertificatePair>, StoreError> {
        Ok(self.0.lock().clone())
    }

    fn update(&self, certificate: &[u8], key: &[u8]) -> Result<CertificatePair, StoreError> {
        let pair = CertificatePair::from_pem(certificate, key)?;
        *self.0.lock() = Some(pair.clone());
        Ok(pair)
    }
}

/// Stores pairs as files in a directory, in client-go's layout, so that either can read the other's.
///
/// Each certificate is in a file `PREFIX-DATE.pem` with its key, which only the owner may read.
/// `PREFIX-current.pem` is a link to the current one, and changes from one moment to the next. Older files stay.
#[derive(Debug)]
pub struct FileStore {
    prefix: String,
    dir: PathBuf,
    others: Vec<(PathBuf, PathBuf)>,
    clock: WallClock,
}

impl FileStore {
    /// Creates a store in a directory, which is created when needed. Until there is a link, `PREFIX.crt` and
    /// `PREFIX.key` are used.
    ///
    /// # Errors
    /// A process ended while it changed the link, and that can't be completed.
    pub fn new(prefix: &str, dir: impl Into<PathBuf>, clock: WallClock) -> Result<Self, StoreError> {
        let dir = dir.into();
        let others = vec![(dir.join(format!("{prefix}.crt")), dir.join(format!("{prefix}.key")))];
        let store = FileStore { prefix: prefix.to_owned(), dir, others, clock };
        let (current, updated) = (store.current_path(), store.path("updated"));
        if fs::symlink_metadata(&current).is_err() && is_link(&updated)? {
            fs::rename(&updated, &current).map_err(failed("rename", &updated))?;
        }
        Ok(store)
    }

    /// Adds files of an external certificate that are used while there is no link.
    #[must_use]
    pub fn or_files(mut self, certificate: impl Into<PathBuf>, key: impl Into<PathBuf>) -> Self {
        self.others.insert(0, (certificate.into(), key.into()));
        self
    }

    /// Returns the link to the file with the current certificate and its key. It can stand for both in a client's
    /// [`TlsConfig`](crate::config::TlsConfig), which reads it again when it changes.
    pub fn current_path(&self) -> PathBuf {
        self.path("current")
    }

    fn path(&self, what: &str) -> PathBuf {
        self.dir.join(format!("{}-{what}.pem", self.prefix))
    }

    /// Writes a file of its own for a certificate and its key, and gives its path.
    fn write(&self, certificate: &[u8], key: &[u8]) -> Result<PathBuf, StoreError> {
        let mut date = Vec::new();
        Time::from_unix(self.clock.now().unix_seconds(), 0).write_rfc3339(&mut date);
        let date = String::from_utf8_lossy(&date).replace(['T', ':'], "-").replace('Z', "");
        let (mut path, mut number) = (self.path(&date), 0u32);
        let mut file = loop {
            let mut options = OpenOptions::new();
            options.write(true).create_new(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            match options.open(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    // Another one of the same second.
                    number += 1;
                    path = self.path(&format!("{date}-{number}"));
                }
                file => break file.map_err(failed("create", &path))?,
            }
        };
        // What the link leads to must be there after a loss of power.
        let written = [certificate, key].iter().try_for_each(|part| file.write_all(part));
        written.and_then(|()| file.sync_all()).map_err(failed("write", &path))?;
        Ok(path)
    }

    fn link(&self, path: &Path) -> Result<(), StoreError> {
        let (current, updated) = (self.current_path(), self.path("updated"));
        // Something that somebody else has put there is not ours to replace.
        is_link(&current)?;
        if is_link(&updated)? {
            fs::remove_file(&updated).map_err(failed("remove", &updated))?;
        }
        let target = path.file_name().map_or(path, Path::new);
        symlink(target, &updated).map_err(failed("create", &updated))?;
        fs::rename(&updated, &current).map_err(failed("rename", &updated))
    }
}

impl PairStore for FileStore {
    fn current(&self) -> Result<Option<CertificatePair>, StoreError> {
        let current = self.current_path();
        let linked = (current.clone(), current);
        for (certificate, key) in std::iter::once(&linked).chain(&self.others) {
            if let (Some(certificate), Some(key)) = (read(certificate)?, read(key)?) {
                return Ok(Some(CertificatePair::from_pem(&certificate, &key)?));
            }
        }
        Ok(None)
    }

    fn update(&self, certificate: &[u8], key: &[u8]) -> Result<CertificatePair, StoreError> {
        let pair = CertificatePair::from_pem(certificate, key)?;
        fs::create_dir_all(&self.dir).map_err(failed("create", &self.dir))?;
        let path = self.write(certificate, key)?;
        self.link(&path)?;
        Ok(pair)
    }
}

fn failed<'a>(operation: &'static str, path: &'a Path) -> impl Fn(io::Error) -> StoreError + 'a {
    move |source| StoreError::File { operation, path: path.to_owned(), source }
}

/// Returns a file's content; `None` if it is not there.
fn read(path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    match fs::read(path) {
        Ok(content) => Ok(Some(content)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed("read", path)(error)),
    }
}

/// Reports whether there is a link; what is there and no link is an error.
fn is_link(path: &Path) -> Result<bool, StoreError> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.file_type().is_symlink() => Ok(true),
        Ok(_) => Err(StoreError::NotALink(path.to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(failed("read", path)(error)),
    }
}

#[cfg(unix)]
fn symlink(target: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, link)
}

#[cfg(windows)]
fn symlink(target: &Path, link: &Path) -> io::Result<()> {
    std::os::windows::fs::symlink_file(target, link)
}
