//! Template execution.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::{self, Write};

use rhumb_jsonpath::MissingKeys;
use rhumb_schema::text::quoted;
use serde_json::Value as Json;

use super::functions::{self, Function, Parameter};
use super::node::{Branch, BranchKind, Command, Node, Number, Pipe, Term, Word};
use super::parse::ROOT;
use super::value::{Form, Value};

/// Maximum nesting depth of templates and actions at run time; Go allows 100000 templates.
const MAX_DEPTH: usize = 300;

/// Executes a template. What it has written before an error is kept.
pub(super) fn execute<'a>(
    templates: &'a BTreeMap<String, Vec<Node>>,
    source: &'a str,
    missing: MissingKeys,
    data: &'a Json,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let data = Value::element(data).unboxed();
    let variables = vec![("$", data.clone())];
    let buffer = Vec::new();
    let mut run = Run { templates, source, missing, name: ROOT, variables, at: None, out, buffer, depth: 0 };
    let nodes = templates.get(ROOT).map(Vec::as_slice).unwrap_or_default();
    let executed = run.list(&data, nodes).map(|_| ());
    run.out.write_all(&run.buffer)?;
    executed
}

/// Early end of a template.
#[derive(Debug)]
pub(super) enum Failure {
    /// The template doesn't fit the data; in Go's words.
    Template(String),
    /// The output can't be written to.
    Write(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Write(error)
    }
}

struct Run<'a, 'o> {
    templates: &'a BTreeMap<String, Vec<Node>>,
    source: &'a str,
    missing: MissingKeys,
    /// The template that is being executed.
    name: &'a str,
    variables: Vec<(&'a str, Value<'a>)>,
    /// The part that errors name.
    at: Option<(usize, &'a dyn Display)>,
    out: &'o mut dyn Write,
    /// Output not yet written.
    buffer: Vec<u8>,
    depth: usize,
}

/// Control flow after a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    Next,
    Break,
    Continue,
}

type Evaluated<T> = Result<T, Failure>;

impl<'a> Run<'a, '_> {
    fn error<T>(&self, text: impl AsRef<str>) -> Evaluated<T> {
        let (name, text) = (self.name, text.as_ref());
        let Some((start, context)) = self.at else {
            return Err(Failure::Template(format!("template: {name}: {text}")));
        };
        let before = self.source.get(..start).unwrap_or(self.source);
        let line = before.matches('\n').count() + 1;
        let column = before.len() - before.rfind('\n').map_or(0, |newline| newline + 1);
        let name = quoted(name);
        let text = format!("template: {ROOT}:{line}:{column}: executing {name} at <{context}>: {text}");
        Err(Failure::Template(text))
    }

    fn emit(&mut self, text: &[u8]) -> Evaluated<()> {
        const ENOUGH: usize = 1 << 16;
        self.buffer.extend_from_slice(text);
        if self.buffer.len() > ENOUGH {
            self.out.write_all(&self.buffer)?;
            self.buffer.clear();
        }
        Ok(())
    }

    fn at_word(&mut self, word: &'a Word) {
        self.at = Some((word.start, word));
    }

    fn list(&mut self, dot: &Value<'a>, nodes: &'a [Node]) -> Evaluated<Flow> {
        if self.depth >= MAX_DEPTH {
            return self.error("exceeded maximum template depth (100000)");
        }
        self.depth += 1;
        let mut flow = Flow::Next;
        for node in nodes {
            flow = self.node(dot, node)?;
            if flow != Flow::Next {
                break;
            }
        }
        self.depth -= 1;
        Ok(flow)
    }

    fn node(&mut self, dot: &Value<'a>, node: &'a Node) -> Evaluated<Flow> {
        match node {
            Node::Text(text) => self.emit(text.as_bytes())?,
            Node::Action { start, pipe } => {
                self.at = Some((*start, node));
                let value = self.pipe(dot, pipe)?;
                if pipe.variables.is_empty() {
                    match value.form {
                        Form::Nothing => self.emit(b"<no value>")?,
                        Form::Bytes(bytes) => self.emit(&bytes)?,
                        _ => self.emit(value.plain().as_bytes())?,
                    }
                }
            }
            Node::Branch(branch) => {
                self.at = Some((branch.pipe.start, branch));
                let known = self.variables.len();
                let flow = match branch.kind {
                    BranchKind::Range => self.range(dot, branch)?,
                    _ => self.condition(dot, branch)?,
                };
                self.variables.truncate(known);
                return Ok(flow);
            }
            Node::Template { start, name, pipe } => {
                self.at = Some((*start, node));
                self.template(dot, name, pipe.as_ref())?;
            }
            Node::Break => return Ok(Flow::Break),
            Node::Continue => return Ok(Flow::Continue),
        }
        Ok(Flow::Next)
    }

    fn condition(&mut self, dot: &Value<'a>, branch: &'a Branch) -> Evaluated<Flow> {
        let value = self.pipe(dot, &branch.pipe)?;
        match (value.is_true(), &branch.otherwise) {
            (true, _) if branch.kind == BranchKind::With => self.list(&value, &branch.list),
            (true, _) => self.list(dot, &branch.list),
            (false, Some(otherwise)) => self.list(dot, otherwise),
            (false, None) => Ok(Flow::Next),
        }
    }

    fn range(&mut self, dot: &Value<'a>, branch: &'a Branch) -> Evaluated<Flow> {
        let value = self.pipe(dot, &branch.pipe)?;
        let index = |at: usize| Value::from(Form::Int(i64::try_from(at).unwrap_or(i64::MAX)));
        let mut ran = false;
        macro_rules! each {
            ($elements:expr) => {
                for (index, element) in $elements {
                    ran = true;
                    if self.iteration(branch, index, element)? == Flow::Break {
                        return Ok(Flow::Next);
                    }
                }
            };
        }
        match value.form {
            Form::Int(_) | Form::Int64(_) | Form::Byte(_) if branch.pipe.variables.len() > 1 => {
                let number = value.plain();
                return self.error(format!("can't use {number} to iterate over more than one variable"));
            }
            Form::Int(count) => each!((0..count).map(|at| (Value::NOTHING, Form::Int(at).into()))),
            Form::Int64(count) => each!((0..count).map(|at| (Value::NOTHING, Form::Int64(at).into()))),
            Form::Byte(count) => each!((0..count).map(|at| (Value::NOTHING, Form::Byte(at).into()))),
            Form::List(items) => {
                each!(items.iter().enumerate().map(|(at, item)| (index(at), Value::element(item))))
            }
            Form::Map(map) => {
                each!(map.iter().map(|(key, item)| (Value::text(key.as_str()), Value::element(item))))
            }
            Form::Nothing | Form::Nil => {}
            Form::Bool(_) | Form::Float(_) | Form::Text(_) | Form::Bytes(_) => {
                return self.error(format!("range can't iterate over {}", value.plain()));
            }
        }
        match &branch.otherwise {
            Some(otherwise) if !ran => self.list(dot, otherwise),
            _ => Ok(Flow::Next),
        }
    }

    fn iteration(&mut self, branch: &'a Branch, index: Value<'a>, element: Value<'a>) -> Evaluated<Flow> {
        let known = self.variables.len();
        match (branch.pipe.variables.as_slice(), branch.pipe.is_assignment) {
            ([only], true) => self.assign(only, element.clone())?,
            ([first, second], true) => {
                self.assign(first, index)?;
                self.assign(second, element.clone())?;
            }
            ([_], false) => self.set_top(1, element.clone()),
            ([_, _], false) => {
                self.set_top(1, element.clone());
                self.set_top(2, index);
            }
            _ => {}
        }
        let flow = self.list(&element, &branch.list)?;
        self.variables.truncate(known);
        Ok(flow)
    }

    fn set_top(&mut self, from_top: usize, value: Value<'a>) {
        let place = self.variables.len().checked_sub(from_top);
        if let Some((_, known)) = place.and_then(|place| self.variables.get_mut(place)) {
            *known = value;
        }
    }

    fn assign(&mut self, name: &str, value: Value<'a>) -> Evaluated<()> {
        match self.variables.iter_mut().rev().find(|(known, _)| *known == name) {
            Some((_, known)) => {
                *known = value;
                Ok(())
            }
            None => self.error(format!("undefined variable: {name}")),
        }
    }

    fn template(&mut self, dot: &Value<'a>, name: &'a str, pipe: Option<&'a Pipe>) -> Evaluated<()> {
        let Some(nodes) = self.templates.get(name) else {
            return self.error(format!("template {} not defined", quoted(name)));
        };
        let dot = match pipe {
            Some(pipe) => self.pipe(dot, pipe)?,
            None => Value::NOTHING,
        };
        let variables = std::mem::replace(&mut self.variables, vec![("$", dot.clone())]);
        let caller = std::mem::replace(&mut self.name, name);
        self.list(&dot, nodes)?;
        self.variables = variables;
        self.name = caller;
        Ok(())
    }

    fn pipe(&mut self, dot: &Value<'a>, pipe: &'a Pipe) -> Evaluated<Value<'a>> {
        self.at = Some((pipe.start, pipe));
        let mut value = None;
        for command in &pipe.commands {
            value = Some(self.command(dot, command, value)?.unboxed());
        }
        let value = value.unwrap_or(Value::NOTHING);
        for variable in &pipe.variables {
            if pipe.is_assignment {
                self.assign(variable, value.clone())?;
            } else {
                self.variables.push((variable, value.clone()));
            }
        }
        Ok(value)
    }

    fn command(
        &mut self,
        dot: &Value<'a>,
        command: &'a Command,
        last: Option<Value<'a>>,
    ) -> Evaluated<Value<'a>> {
        let Some((first, arguments)) = command.words.split_first() else { return Ok(Value::NOTHING) };
        let given = !arguments.is_empty() || last.is_some();
        match &first.term {
            Term::Field(names) => {
                self.at_word(first);
                self.fields(dot.clone(), names, given)
            }
            Term::Chain(inner, names) => self.chain(dot, first, inner, names, given),
            Term::Variable(parts) => self.variable(first, parts, given),
            Term::Identifier(name) => {
                self.at_word(first);
                self.call(dot, name, (command.start, command), arguments, last)
            }
            Term::Pipe(pipe) => {
                self.no_function(first, given)?;
                self.pipe(dot, pipe)
            }
            Term::Bool(_) | Term::Dot | Term::Nil | Term::Number(_) | Term::Text { .. } => {
                self.at_word(first);
                self.no_function(first, given)?;
                match &first.term {
                    Term::Nil => self.error("nil is not a command"),
                    _ => self.literal(dot, first),
                }
            }
        }
    }

    fn no_function(&self, word: &Word, given: bool) -> Evaluated<()> {
        if given { self.error(format!("can't give argument to non-function {word}")) } else { Ok(()) }
    }

    fn constant(&mut self, word: &'a Word, number: &'a Number) -> Evaluated<Value<'a>> {
        self.at_word(word);
        let text = &number.written;
        let hexadecimal =
            text.get(..2).is_some_and(|start| start.eq_ignore_ascii_case("0x")) && !text.contains(['p', 'P']);
        if !hexadecimal && !text.starts_with('\'') && text.contains(['.', 'e', 'E', 'p', 'P']) {
            return Ok(Form::Float(number.float).into());
        }
        match number.int {
            Some(int) => Ok(Form::Int(int).into()),
            None => self.error(format!("{text} overflows int")),
        }
    }

    fn variable(&mut self, word: &'a Word, parts: &'a [String], given: bool) -> Evaluated<Value<'a>> {
        self.at_word(word);
        let Some((name, fields)) = parts.split_first() else { return Ok(Value::NOTHING) };
        let Some((_, value)) = self.variables.iter().rev().find(|(known, _)| known == name) else {
            return self.error(format!("undefined variable: {name}"));
        };
        let value = value.clone();
        if fields.is_empty() {
            self.no_function(word, given)?;
            return Ok(value);
        }
        self.fields(value, fields, given)
    }

    fn chain(
        &mut self,
        dot: &Value<'a>,
        word: &'a Word,
        inner: &'a Word,
        names: &'a [String],
        given: bool,
    ) -> Evaluated<Value<'a>> {
        self.at_word(word);
        if let Term::Nil = inner.term {
            return self.error(format!("indirection through explicit nil in {word}"));
        }
        let value = self.argument(dot, Parameter::Value, inner)?;
        self.fields(value, names, given)
    }

    fn fields(&self, from: Value<'a>, names: &'a [String], given: bool) -> Evaluated<Value<'a>> {
        let last = names.len().saturating_sub(1);
        names
            .iter()
            .enumerate()
            .try_fold(from, |value, (at, name)| self.field(value, name, given && at == last))
    }

    fn field(&self, from: Value<'a>, name: &str, given: bool) -> Evaluated<Value<'a>> {
        match from.form {
            Form::Nothing if self.missing == MissingKeys::Refuse => {
                self.error(format!("nil data; no entry for key {}", quoted(name)))
            }
            Form::Nothing => Ok(Value::NOTHING),
            Form::Nil => self.error(format!("nil pointer evaluating {}.{name}", from.type_name())),
            Form::Map(_) if given => self.error(format!("{name} is not a method but has arguments")),
            Form::Map(map) => match map.get(name) {
                Some(value) => Ok(Value::element(value)),
                None if self.missing == MissingKeys::Refuse => {
                    self.error(format!("map has no entry for key {}", quoted(name)))
                }
                None => Ok(Value::NOTHING),
            },
            _ => self.error(format!("can't evaluate field {name} in type {}", from.type_name())),
        }
    }

    fn call(
        &mut self,
        dot: &Value<'a>,
        name: &'a str,
        node: (usize, &'a dyn Display),
        arguments: &'a [Word],
        last: Option<Value<'a>>,
    ) -> Evaluated<Value<'a>> {
        let Some(function) = functions::find(name) else {
            return self.error(format!("{} is not a defined function", quoted(name)));
        };
        let count = arguments.len() + usize::from(last.is_some());
        let fixed = function.fixed.len();
        if function.more.is_some() && count < fixed {
            let got = arguments.len();
            return self.error(format!("wrong number of args for {name}: want at least {fixed} got {got}"));
        }
        if function.more.is_none() && count != fixed {
            return self.error(format!("wrong number of args for {name}: want {fixed} got {count}"));
        }
        if let "and" | "or" = name {
            return self.short_circuit(dot, name == "or", arguments, last);
        }
        let mut values = Vec::with_capacity(count);
        for (at, argument) in arguments.iter().enumerate() {
            let value = self.argument(dot, function.parameter(at), argument)?;
            values.push(value);
        }
        let callee = arguments.first().map(ToString::to_string);
        if let Some(last) = last {
            values.push(self.fitting(last, function.parameter(count.saturating_sub(1)))?);
        }
        functions::run(&function, callee.as_deref().unwrap_or_default(), &values).or_else(|text| {
            self.at = Some(node);
            self.error(format!("error calling {name}: {text}"))
        })
    }

    fn short_circuit(
        &mut self,
        dot: &Value<'a>,
        wanted: bool,
        arguments: &'a [Word],
        last: Option<Value<'a>>,
    ) -> Evaluated<Value<'a>> {
        let mut value = Value::NOTHING;
        for argument in arguments {
            value = self.argument(dot, Parameter::Value, argument)?;
            if value.is_true() == wanted {
                return Ok(value);
            }
        }
        Ok(last.unwrap_or(value))
    }

    fn argument(&mut self, dot: &Value<'a>, parameter: Parameter, word: &'a Word) -> Evaluated<Value<'a>> {
        self.at_word(word);
        let value = match &word.term {
            Term::Dot => dot.clone(),
            Term::Nil if parameter == Parameter::Text => return self.error("cannot assign nil to string"),
            Term::Nil => return Ok(Value::NOTHING),
            Term::Field(names) => self.fields(dot.clone(), names, false)?,
            Term::Variable(parts) => self.variable(word, parts, false)?,
            Term::Pipe(pipe) => self.pipe(dot, pipe)?,
            Term::Identifier(name) => self.call(dot, name, (word.start, word), &[], None)?,
            Term::Chain(inner, names) => self.chain(dot, word, inner, names, false)?,
            Term::Bool(_) | Term::Number(_) if parameter == Parameter::Text => {
                return self.error(format!("expected string; found {word}"));
            }
            Term::Bool(_) | Term::Number(_) | Term::Text { .. } => return self.literal(dot, word),
        };
        self.fitting(value, parameter)
    }

    fn literal(&mut self, dot: &Value<'a>, word: &'a Word) -> Evaluated<Value<'a>> {
        match &word.term {
            Term::Bool(truth) => Ok(Form::Bool(*truth).into()),
            Term::Number(number) => self.constant(word, number),
            Term::Text { text, .. } => Ok(Form::Text(Cow::Borrowed(text)).into()),
            _ => Ok(dot.clone()),
        }
    }

    /// Returns a value that a function takes for a parameter.
    fn fitting(&self, value: Value<'a>, parameter: Parameter) -> Evaluated<Value<'a>> {
        if parameter != Parameter::Text {
            return Ok(value);
        }
        match value.form {
            Form::Text(_) | Form::Bytes(_) => Ok(value.unboxed()),
            Form::Nothing => self.error("invalid value; expected string"),
            Form::Nil => self.error("wrong type for value; expected string; got interface {}"),
            form => self.error(format!("wrong type for value; expected string; got {}", form.type_name())),
        }
    }
}

impl Function {
    /// Returns the parameter type of the function at a position.
    fn parameter(&self, at: usize) -> Parameter {
        self.fixed.get(at).copied().or(self.more).unwrap_or(Parameter::Any)
    }
}
