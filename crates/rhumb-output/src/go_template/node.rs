//! Syntax tree of templates, and its display in errors.

use std::fmt;

use rhumb_schema::text::quoted;

/// A node.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Text(String),
    Action { start: usize, pipe: Pipe },
    Branch(Branch),
    Template { start: usize, name: String, pipe: Option<Pipe> },
    Break,
    Continue,
}

/// A conditional or loop.
#[derive(Clone, Debug)]
pub(super) struct Branch {
    pub(super) kind: BranchKind,
    pub(super) pipe: Pipe,
    pub(super) list: Vec<Node>,
    pub(super) otherwise: Option<Vec<Node>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BranchKind {
    If,
    Range,
    With,
}

/// Pipeline: commands that get the previous result, and variables that get the last.
#[derive(Clone, Debug)]
pub(super) struct Pipe {
    pub(super) start: usize,
    pub(super) is_assignment: bool,
    pub(super) variables: Vec<String>,
    pub(super) commands: Vec<Command>,
}

/// A function call or a single value.
#[derive(Clone, Debug)]
pub(super) struct Command {
    pub(super) start: usize,
    pub(super) words: Vec<Word>,
}

/// An operand with its position.
#[derive(Clone, Debug)]
pub(super) struct Word {
    pub(super) start: usize,
    pub(super) term: Term,
}

#[derive(Clone, Debug)]
pub(super) enum Term {
    Identifier(String),
    /// A variable with the fields that are asked of it.
    Variable(Vec<String>),
    Dot,
    Nil,
    Field(Vec<String>),
    Chain(Box<Word>, Vec<String>),
    Bool(bool),
    Number(Number),
    Text {
        written: String,
        text: String,
    },
    Pipe(Pipe),
}

/// A number as written, with its possible types.
#[derive(Clone, Debug)]
pub(super) struct Number {
    pub(super) written: String,
    pub(super) int: Option<i64>,
    pub(super) float: f64,
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Node::Text(text) => f.write_str(text),
            Node::Action { pipe, .. } => write!(f, "{{{{{pipe}}}}}"),
            Node::Branch(branch) => branch.fmt(f),
            Node::Template { name, pipe: None, .. } => write!(f, "{{{{template {}}}}}", quoted(name)),
            Node::Template { name, pipe: Some(pipe), .. } => {
                write!(f, "{{{{template {} {pipe}}}}}", quoted(name))
            }
            Node::Break => f.write_str("{{break}}"),
            Node::Continue => f.write_str("{{continue}}"),
        }
    }
}

impl fmt::Display for Branch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.kind {
            BranchKind::If => "if",
            BranchKind::Range => "range",
            BranchKind::With => "with",
        };
        write!(f, "{{{{{name} {}}}}}", self.pipe)?;
        self.list.iter().try_for_each(|node| node.fmt(f))?;
        if let Some(otherwise) = &self.otherwise {
            f.write_str("{{else}}")?;
            otherwise.iter().try_for_each(|node| node.fmt(f))?;
        }
        f.write_str("{{end}}")
    }
}

impl fmt::Display for Pipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.variables.is_empty() {
            let sign = if self.is_assignment { "=" } else { ":=" };
            write!(f, "{} {sign} ", self.variables.join(", "))?;
        }
        for (at, command) in self.commands.iter().enumerate() {
            if at > 0 {
                f.write_str(" | ")?;
            }
            command.fmt(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, word) in self.words.iter().enumerate() {
            if at > 0 {
                f.write_str(" ")?;
            }
            match &word.term {
                Term::Pipe(pipe) => write!(f, "({pipe})")?,
                _ => word.fmt(f)?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields =
            |fields: &[String]| -> String { fields.iter().map(|field| format!(".{field}")).collect() };
        match &self.term {
            Term::Identifier(name) => f.write_str(name),
            Term::Variable(parts) => f.write_str(&parts.join(".")),
            Term::Dot => f.write_str("."),
            Term::Nil => f.write_str("nil"),
            Term::Field(names) => f.write_str(&fields(names)),
            Term::Chain(inner, names) => match &inner.term {
                Term::Pipe(pipe) => write!(f, "({pipe}){}", fields(names)),
                _ => write!(f, "{inner}{}", fields(names)),
            },
            Term::Bool(truth) => truth.fmt(f),
            Term::Number(number) => f.write_str(&number.written),
            Term::Text { written, .. } => f.write_str(written),
            Term::Pipe(pipe) => pipe.fmt(f),
        }
    }
}
