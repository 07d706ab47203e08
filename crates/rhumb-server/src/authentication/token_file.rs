//! The file of static tokens: lines of `token,user,uid` and, in quotes, the groups, as kube-apiserver reads them.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use arc_swap::ArcSwap;

use super::{TokenAuthenticator, TokenVerdict};
use crate::base::identity::User;

/// Static tokens and whose they are.
#[derive(Clone, Default)]
pub struct TokenFile {
    users: HashMap<String, User>,
}

/// Why a file of tokens can't be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum TokenFileError {
    /// It can't be read.
    Read(String, std::io::Error),
    /// A quote stands where none may be.
    Quote(Malformed),
    /// A line has too few columns.
    Columns {
        /// The file.
        path: String,
        /// How many columns it has.
        found: usize,
    },
}

/// Where a file of tokens is malformed, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed {
    start_line: usize,
    line: usize,
    column: usize,
    is_bare: bool,
}

impl fmt::Display for TokenFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TokenFileError::Read(path, _) => write!(f, "the token file '{path}' can't be read"),
            TokenFileError::Quote(malformed) => malformed.fmt(f),
            TokenFileError::Columns { path, found } => write!(
                f,
                "token file '{path}' must have at least 3 columns (token, user name, user uid), found {found}"
            ),
        }
    }
}

impl std::error::Error for TokenFileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            TokenFileError::Read(_, error) => Some(error),
            _ => None,
        }
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = if self.is_bare {
            "bare \" in non-quoted-field"
        } else {
            "extraneous or missing \" in quoted-field"
        };
        if self.start_line != self.line {
            write!(f, "record on line {}; ", self.start_line)?;
        }
        write!(f, "parse error on line {}, column {}: {why}", self.line, self.column)
    }
}

impl fmt::Debug for TokenFile {
    /// Leaves out the tokens.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenFile").field("users", &self.users.len()).finish()
    }
}

impl TokenFile {
    /// Reads a file.
    ///
    /// # Errors
    /// If it can't be read or is malformed.
    pub fn open(path: &Path) -> Result<Self, TokenFileError> {
        let name = path.display().to_string();
        let content = std::fs::read(path).map_err(|error| TokenFileError::Read(name.clone(), error))?;
        Self::parse(&content, &name)
    }

    /// Reads the content of a file of that name.
    ///
    /// # Errors
    /// If it is malformed.
    pub fn parse(content: &[u8], path: &str) -> Result<Self, TokenFileError> {
        let mut file = TokenFile::default();
        let mut records = Records::new(content);
        while let Some(record) = records.next_record().map_err(TokenFileError::Quote)? {
            let [token, name, uid, rest @ ..] = record.as_slice() else {
                return Err(TokenFileError::Columns { path: path.to_owned(), found: record.len() });
            };
            // A line without a token lets nobody in, and is passed over as in Kubernetes.
            if token.is_empty() {
                continue;
            }
            let groups = match rest.first() {
                Some(groups) => groups.split(',').map(str::to_owned).collect(),
                None => Vec::new(),
            };
            let user = User { name: name.clone(), uid: uid.clone(), groups, ..User::default() };
            file.users.insert(token.clone(), user);
        }
        Ok(file)
    }

    /// Adds a token of a user.
    pub fn insert(&mut self, token: impl Into<String>, user: User) {
        self.users.insert(token.into(), user);
    }

    /// Adds the tokens of another file.
    pub fn extend(&mut self, other: TokenFile) {
        self.users.extend(other.users);
    }

    /// Whose token it is.
    pub fn user(&self, token: &str) -> Option<&User> {
        self.users.get(token)
    }
}

/// Static tokens that can be exchanged for others while they are in use.
#[derive(Default)]
pub(crate) struct StaticTokens {
    file: ArcSwap<TokenFile>,
}

impl fmt::Debug for StaticTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.file.load().fmt(f)
    }
}

impl From<TokenFile> for StaticTokens {
    fn from(file: TokenFile) -> Self {
        StaticTokens { file: ArcSwap::from_pointee(file) }
    }
}

impl StaticTokens {
    /// Whose token it is.
    pub(crate) fn user(&self, token: &str) -> Option<User> {
        self.file.load().user(token).cloned()
    }

    /// Takes other tokens from now on.
    pub(crate) fn replace(&self, file: TokenFile) {
        self.file.store(Arc::new(file));
    }
}

impl TokenAuthenticator for StaticTokens {
    fn authenticate<'a>(&'a self, token: &'a str) -> TokenVerdict<'a> {
        Box::pin(std::future::ready(Ok(self.user(token))))
    }
}

/// The records of a CSV text, in the dialect of Go: lines without anything are passed over, line ends within quotes
/// stay, and quotes stand around a whole field or not at all.
struct Records {
    text: Vec<u8>,
    next: usize,
    line: usize,
    column: usize,
}

impl Records {
    fn new(content: &[u8]) -> Self {
        let mut text = Vec::with_capacity(content.len());
        for line in content.split_inclusive(|byte| *byte == b'\n') {
            match line {
                [head @ .., b'\r', b'\n'] => {
                    text.extend_from_slice(head);
                    text.push(b'\n');
                }
                // A carriage return at the very end belongs to a line end that is missing.
                [head @ .., b'\r'] => text.extend_from_slice(head),
                whole => text.extend_from_slice(whole),
            }
        }
        Records { text, next: 0, line: 1, column: 1 }
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.next).copied()
    }

    fn take(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.next += 1;
        self.column += 1;
        // The end of the text stands on the last line, even behind its line end.
        if byte == b'\n' && self.peek().is_some() {
            self.line += 1;
            self.column = 1;
        }
        Some(byte)
    }

    fn next_record(&mut self) -> Result<Option<Vec<String>>, Malformed> {
        while self.peek() == Some(b'\n') {
            self.take();
        }
        if self.peek().is_none() {
            return Ok(None);
        }
        let start_line = self.line;
        let mut record = Vec::new();
        loop {
            let (field, more) = match self.peek() {
                Some(b'"') => self.quoted(start_line)?,
                _ => self.bare(start_line)?,
            };
            record.push(String::from_utf8_lossy(&field).into_owned());
            if !more {
                return Ok(Some(record));
            }
        }
    }

    /// A field without quotes, and whether another follows.
    fn bare(&mut self, start_line: usize) -> Result<(Vec<u8>, bool), Malformed> {
        let mut field = Vec::new();
        loop {
            let (line, column) = (self.line, self.column);
            match self.take() {
                None | Some(b'\n') => return Ok((field, false)),
                Some(b',') => return Ok((field, true)),
                Some(b'"') => return Err(Malformed { start_line, line, column, is_bare: true }),
                Some(byte) => field.push(byte),
            }
        }
    }

    /// A field in quotes, and whether another follows.
    fn quoted(&mut self, start_line: usize) -> Result<(Vec<u8>, bool), Malformed> {
        let mut field = Vec::new();
        self.take();
        loop {
            let (line, column) = (self.line, self.column);
            let malformed = Malformed { start_line, line, column, is_bare: false };
            match self.take() {
                None => return Err(malformed),
                Some(b'"') => match self.peek() {
                    Some(b'"') => {
                        self.take();
                        field.push(b'"');
                    }
                    Some(b',') => {
                        self.take();
                        return Ok((field, true));
                    }
                    Some(b'\n') | None => {
                        self.take();
                        return Ok((field, false));
                    }
                    Some(_) => return Err(malformed),
                },
                Some(byte) => field.push(byte),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(content: &str, expect: &str) {
        let found = match TokenFile::parse(content.as_bytes(), "tokens.csv") {
            Ok(file) => {
                let mut lines: Vec<_> = file
                    .users
                    .iter()
                    .map(|(token, user)| format!("{token}={}/{}/{:?}", user.name, user.uid, user.groups))
                    .collect();
                lines.sort();
                lines.join(" ")
            }
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expect, "{content:?}");
    }

    #[test]
    fn tokens_are_read_as_kube_apiserver_reads_them() {
        check("", "");
        check("a,b,c", "a=b/c/[]");
        check("a,b,c\r\n\r\nd,e,f,g\r\n", "a=b/c/[] d=e/f/[\"g\"]");
        check("a,b,c,\"x,y\",more", "a=b/c/[\"x\", \"y\"]");
        check("a,b,c,", "a=b/c/[\"\"]");
        check(",b,c\na,,", "a=//[]");
        check("a,b,c\na,d,e", "a=d/e/[]");
        check("\"a\"\"b\",\"c\nd\",e", "a\"b=c\nd/e/[]");
        check(" a, b,c", " a= b/c/[]");
        check(
            "a,b",
            "token file 'tokens.csv' must have at least 3 columns (token, user name, user uid), found 2",
        );
        check("a\"b,c,d", "parse error on line 1, column 2: bare \" in non-quoted-field");
        check(
            "x,y,z\n\"a\"b,c,d",
            "parse error on line 2, column 3: extraneous or missing \" in quoted-field",
        );
        check("\"abc\n", "parse error on line 1, column 6: extraneous or missing \" in quoted-field");
        check(
            "\"abc\nde",
            "record on line 1; parse error on line 2, column 3: extraneous or missing \" in quoted-field",
        );
    }
}
