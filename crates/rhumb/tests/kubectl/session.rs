//! Recorded sessions: what was typed, and what the program answered.
//!
//! A session is a text file:
//!
//! ```text
//! #! generated: web-
//! # Comments stand anywhere between commands.
//! $ kubectl get configmap a -o name
//! configmap/a
//! $ kubectl get configmap nope
//! 2> Error from server (NotFound): configmaps "nope" not found
//! [1]
//! ```
//!
//! `$ ` starts a command for `sh -c`, `> ` goes on with it; what follows is its standard output. `2> ` is a line of
//! standard error, `[N]` the exit code unless it is 0. Output that doesn't end with a newline is followed by
//! `\ no newline` (`2\ no newline` for standard error). A line of output that could be taken for any of these has a
//! backslash before it. Empty lines are output, so they separate nothing.
//!
//! Directives stand before the first command: `#! generated: PREFIX` names the beginning of names whose last five
//! letters are random, `#! unordered` compares sorted lines, `#! server-flags: ...` starts the server with more
//! flags, `#! convert` puts the plugin `kubectl-convert` on the path: what lies beside the program, or else the
//! program itself under that name.

/// A file of commands and answers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Session {
    /// Lines before the first command.
    pub(crate) head: Vec<String>,
    /// What was typed, in order.
    pub(crate) steps: Vec<Step>,
}

/// One command and its answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Step {
    /// Comment lines before the command.
    pub(crate) comments: Vec<String>,
    /// The lines for `sh -c`.
    pub(crate) script: Vec<String>,
    /// What it answered.
    pub(crate) answer: Answer,
}

/// What a command wrote, and how it ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Answer {
    /// Standard output.
    pub(crate) out: Text,
    /// Standard error.
    pub(crate) err: Text,
    /// The exit code.
    pub(crate) code: i32,
}

/// Lines, and whether the last one is unfinished.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Text {
    /// The lines without their ends.
    pub(crate) lines: Vec<String>,
    /// Whether the newline after the last one is missing.
    pub(crate) open: bool,
}

const OPEN_OUT: &str = "\\ no newline";
const OPEN_ERR: &str = "2\\ no newline";

impl Text {
    /// Cuts what was written into lines.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Self {
        let whole = String::from_utf8_lossy(bytes);
        Text {
            lines: whole.split_terminator('\n').map(str::to_owned).collect(),
            open: !whole.is_empty() && !whole.ends_with('\n'),
        }
    }
}

impl Session {
    /// Reads a file's text.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut session = Session::default();
        let mut comments = Vec::new();
        // Continuation lines belong to the command only until the first line of output.
        let mut typing = false;
        for (index, line) in text.split_terminator('\n').enumerate() {
            let wrong = |what: &str| format!("line {}: {what}: {line}", index + 1);
            if let Some(script) = line.strip_prefix("$ ") {
                let comments = std::mem::take(&mut comments);
                session.steps.push(Step { comments, script: vec![script.to_owned()], ..Step::default() });
                typing = true;
                continue;
            }
            let Some(step) = session.steps.last_mut() else {
                session.head.push(line.to_owned());
                continue;
            };
            if let Some(more) = line.strip_prefix('>').filter(|more| more.is_empty() || more.starts_with(' '))
            {
                if !typing {
                    return Err(wrong("goes on with a command that has ended"));
                }
                step.script.push(more.strip_prefix(' ').unwrap_or(more).to_owned());
                continue;
            }
            if line.starts_with('#') {
                comments.push(line.to_owned());
                continue;
            }
            if !comments.is_empty() {
                return Err(wrong("output after a comment"));
            }
            typing = false;
            let answer = &mut step.answer;
            if line == OPEN_OUT {
                answer.out.open = true;
            } else if line == OPEN_ERR {
                answer.err.open = true;
            } else if let Some(escaped) = line.strip_prefix('\\') {
                answer.out.lines.push(escaped.to_owned());
            } else if let Some(err) = line.strip_prefix("2>") {
                answer.err.lines.push(err.strip_prefix(' ').unwrap_or(err).to_owned());
            } else if let Some(code) = exit_code(line) {
                answer.code = code;
            } else {
                answer.out.lines.push(line.to_owned());
            }
        }
        match comments.first() {
            Some(comment) => Err(format!("a comment after the last command: {comment}")),
            None => Ok(session),
        }
    }

    /// Writes a file's text.
    pub(crate) fn to_text(&self) -> String {
        let mut lines = self.head.clone();
        for step in &self.steps {
            lines.extend(step.comments.iter().cloned());
            for (index, line) in step.script.iter().enumerate() {
                let mark = if index == 0 { "$ " } else { "> " };
                lines.push(format!("{mark}{line}").trim_end().to_owned());
            }
            lines.extend(step.answer.to_lines());
        }
        lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect()
    }

    /// The values of a directive, one for each time it is given.
    pub(crate) fn directive<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let directives = self.head.iter().filter_map(|line| line.strip_prefix("#! "));
        directives.filter_map(move |line| match line.split_once(':') {
            Some((key, value)) => (key == name).then(|| value.trim()),
            None => (line.trim() == name).then_some(""),
        })
    }
}

impl Answer {
    /// The lines that stand for this answer in a file.
    pub(crate) fn to_lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.out.lines.iter().map(|line| escape(line)).collect();
        lines.extend(self.out.open.then(|| OPEN_OUT.to_owned()));
        lines.extend(self.err.lines.iter().map(|line| match line.as_str() {
            "" => "2>".to_owned(),
            line => format!("2> {line}"),
        }));
        lines.extend(self.err.open.then(|| OPEN_ERR.to_owned()));
        lines.extend((self.code != 0).then(|| format!("[{}]", self.code)));
        lines
    }
}

fn escape(line: &str) -> String {
    let special = ["$ ", ">", "#", "\\", "2>"].iter().any(|mark| line.starts_with(mark))
        || line == OPEN_ERR
        || exit_code(line).is_some();
    if special { format!("\\{line}") } else { line.to_owned() }
}

fn exit_code(line: &str) -> Option<i32> {
    line.strip_prefix('[')?.strip_suffix(']')?.parse().ok()
}

/// Shows where two texts differ: common lines behind two spaces, expected ones behind `-`, others behind `+`.
pub(crate) fn difference(expected: &[String], found: &[String]) -> String {
    // The longest common subsequence by the book's table; answers are short.
    let width = found.len() + 1;
    let mut table = vec![0_usize; (expected.len() + 1) * width];
    for (i, left) in expected.iter().enumerate().rev() {
        for (j, right) in found.iter().enumerate().rev() {
            table[i * width + j] = if left == right {
                table[(i + 1) * width + j + 1] + 1
            } else {
                table[(i + 1) * width + j].max(table[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j, mut text) = (0, 0, String::new());
    while i < expected.len() || j < found.len() {
        let (mark, line) = if i < expected.len() && j < found.len() && expected[i] == found[j] {
            (i, j) = (i + 1, j + 1);
            ("  ", &expected[i - 1])
        } else if j == found.len()
            || i < expected.len() && table[(i + 1) * width + j] >= table[i * width + j + 1]
        {
            i += 1;
            ("- ", &expected[i - 1])
        } else {
            j += 1;
            ("+ ", &found[j - 1])
        };
        text.push_str(&format!("    {mark}{line}\n"));
    }
    text
}
