//! Template parser.

use std::collections::BTreeMap;

use rhumb_jsonpath::unquoted;
use rhumb_schema::text::quoted;

use super::functions;
use super::lex::{Keyword, Kind, Lexer, Token};
use super::node::{Branch, BranchKind, Command, Node, Pipe, Term, Word};
use super::number;

/// Maximum nesting depth of actions and parentheses; Go's is much higher, but real templates stay far below.
const MAX_DEPTH: usize = 100;

/// Name of the user's template in kubectl.
pub(super) const ROOT: &str = "output";

/// Reads a template, and those that it defines, by name.
///
/// # Errors
/// In Go's words, if it is malformed.
pub(super) fn parse(text: &str) -> Result<BTreeMap<String, Vec<Node>>, String> {
    let mut parser = Parser {
        lexer: Lexer::new(text),
        ahead: Vec::new(),
        scope: Scope::default(),
        templates: BTreeMap::new(),
        depth: 0,
    };
    let root = parser.root()?;
    parser.add(ROOT.to_owned(), root)?;
    Ok(parser.templates)
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    /// Tokens that were read and put back, the next one last.
    ahead: Vec<Token>,
    scope: Scope,
    templates: BTreeMap<String, Vec<Node>>,
    depth: usize,
}

/// State per template.
struct Scope {
    variables: Vec<String>,
    loops: usize,
    action_line: usize,
    /// The line of the token that was read last, which errors name.
    line: usize,
}

impl Default for Scope {
    fn default() -> Scope {
        Scope { variables: vec!["$".to_owned()], loops: 0, action_line: 0, line: 0 }
    }
}

/// End of a list of nodes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stop {
    End,
    Else,
}

impl Stop {
    fn shown(self) -> &'static str {
        match self {
            Stop::End => "{{end}}",
            Stop::Else => "{{else}}",
        }
    }
}

/// A node, or the end of its list.
enum Part {
    Node(Node),
    Stop(Stop),
}

type Parsed<T> = Result<T, String>;

fn is_blank(nodes: &[Node]) -> bool {
    nodes.iter().all(|node| matches!(node, Node::Text(text) if text.trim().is_empty()))
}

impl Parser<'_> {
    fn next(&mut self) -> Token {
        self.ahead.pop().unwrap_or_else(|| {
            let token = self.lexer.next();
            self.scope.line = token.line;
            token
        })
    }

    fn put_back(&mut self, token: Token) {
        self.ahead.push(token);
    }

    fn peek(&mut self) -> Token {
        let token = self.next();
        self.put_back(token.clone());
        token
    }

    fn next_non_space(&mut self) -> Token {
        loop {
            let token = self.next();
            if token.kind != Kind::Space {
                return token;
            }
        }
    }

    fn peek_non_space(&mut self) -> Token {
        let token = self.next_non_space();
        self.put_back(token.clone());
        token
    }

    fn error<T>(&self, text: impl AsRef<str>) -> Parsed<T> {
        Err(format!("template: {ROOT}:{}: {}", self.scope.line, text.as_ref()))
    }

    fn unexpected<T>(&self, token: &Token, context: &str) -> Parsed<T> {
        if token.kind != Kind::Error {
            return self.error(format!("unexpected {} in {context}", token.shown()));
        }
        let line = self.scope.action_line;
        let extra = match () {
            () if line == 0 || line == token.line => String::new(),
            // Nobody should read of an action in an action.
            () if token.text.ends_with(" action") => format!(" started at {ROOT}:{line}"),
            () => format!(" in action started at {ROOT}:{line}"),
        };
        self.error(format!("{}{extra}", token.text))
    }

    fn expect(&mut self, kind: Kind, context: &str) -> Parsed<Token> {
        let token = self.next_non_space();
        if token.kind == kind { Ok(token) } else { self.unexpected(&token, context) }
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return self.error("max expression depth exceeded");
        }
        self.depth += 1;
        let read = read(self);
        self.depth -= 1;
        read
    }

    fn add(&mut self, name: String, nodes: Vec<Node>) -> Parsed<()> {
        match self.templates.get(&name) {
            Some(known) if !is_blank(known) => {
                if !is_blank(&nodes) {
                    return self
                        .error(format!("template: multiple definition of template {}", quoted(&name)));
                }
            }
            _ => {
                self.templates.insert(name, nodes);
            }
        }
        Ok(())
    }

    fn root(&mut self) -> Parsed<Vec<Node>> {
        let mut nodes = Vec::new();
        loop {
            let token = self.peek();
            match token.kind {
                Kind::End => return Ok(nodes),
                Kind::LeftDelimiter => {
                    self.next();
                    let word = self.next_non_space();
                    if word.kind == Kind::Keyword(Keyword::Define) {
                        self.definition()?;
                        continue;
                    }
                    self.put_back(word);
                    self.put_back(token);
                }
                _ => {}
            }
            match self.part()? {
                Part::Node(node) => nodes.push(node),
                Part::Stop(stop) => return self.error(format!("unexpected {}", stop.shown())),
            }
        }
    }

    fn definition(&mut self) -> Parsed<()> {
        const CONTEXT: &str = "define clause";
        let line = self.scope.line;
        let outer = std::mem::take(&mut self.scope);
        self.scope.line = line;
        let token = self.next_non_space();
        let name = self.template_name(&token, CONTEXT)?;
        self.expect(Kind::RightDelimiter, CONTEXT)?;
        let (nodes, stop) = self.list()?;
        if stop != Stop::End {
            return self.error(format!("unexpected {} in {CONTEXT}", stop.shown()));
        }
        self.add(name, nodes)?;
        self.scope = outer;
        Ok(())
    }

    fn list(&mut self) -> Parsed<(Vec<Node>, Stop)> {
        let mut nodes = Vec::new();
        while self.peek_non_space().kind != Kind::End {
            match self.part()? {
                Part::Node(node) => nodes.push(node),
                Part::Stop(stop) => return Ok((nodes, stop)),
            }
        }
        self.error("unexpected EOF")
    }

    fn part(&mut self) -> Parsed<Part> {
        let token = self.next_non_space();
        match token.kind {
            Kind::Text => Ok(Part::Node(Node::Text(token.text))),
            Kind::LeftDelimiter => {
                self.scope.action_line = token.line;
                let part = self.action()?;
                self.scope.action_line = 0;
                Ok(part)
            }
            _ => self.unexpected(&token, "input"),
        }
    }

    fn action(&mut self) -> Parsed<Part> {
        let token = self.next_non_space();
        let Kind::Keyword(keyword) = token.kind else {
            self.put_back(token);
            return self.plain_action();
        };
        let node = match keyword {
            Keyword::Block => self.block()?,
            Keyword::Break => self.jump("{{break}}", Node::Break)?,
            Keyword::Continue => self.jump("{{continue}}", Node::Continue)?,
            Keyword::If => self.branch(BranchKind::If)?,
            Keyword::Range => self.branch(BranchKind::Range)?,
            Keyword::With => self.branch(BranchKind::With)?,
            Keyword::Template => self.template()?,
            Keyword::End => {
                self.expect(Kind::RightDelimiter, "end")?;
                return Ok(Part::Stop(Stop::End));
            }
            Keyword::Else => {
                let next = self.peek_non_space();
                if !matches!(next.kind, Kind::Keyword(Keyword::If | Keyword::With)) {
                    self.expect(Kind::RightDelimiter, "else")?;
                }
                return Ok(Part::Stop(Stop::Else));
            }
            Keyword::Define | Keyword::Nil => {
                self.put_back(token);
                return self.plain_action();
            }
        };
        Ok(Part::Node(node))
    }

    fn plain_action(&mut self) -> Parsed<Part> {
        let start = self.peek().start;
        let pipe = self.pipe("command", Kind::RightDelimiter)?;
        Ok(Part::Node(Node::Action { start, pipe }))
    }

    fn jump(&mut self, name: &str, node: Node) -> Parsed<Node> {
        let token = self.next_non_space();
        if token.kind != Kind::RightDelimiter {
            return self.unexpected(&token, name);
        }
        if self.scope.loops == 0 {
            return self.error(format!("{name} outside {{{{range}}}}"));
        }
        Ok(node)
    }

    fn branch(&mut self, kind: BranchKind) -> Parsed<Node> {
        self.deeper(|parser| parser.branch_within(kind))
    }

    fn branch_within(&mut self, kind: BranchKind) -> Parsed<Node> {
        let context = match kind {
            BranchKind::If => "if",
            BranchKind::Range => "range",
            BranchKind::With => "with",
        };
        let known = self.scope.variables.len();
        let pipe = self.pipe(context, Kind::RightDelimiter)?;
        self.scope.loops += usize::from(kind == BranchKind::Range);
        let (list, stop) = self.list()?;
        self.scope.loops -= usize::from(kind == BranchKind::Range);
        let mut otherwise = None;
        if stop == Stop::Else {
            let again = matches!(
                (kind, self.peek().kind),
                (BranchKind::If, Kind::Keyword(Keyword::If))
                    | (BranchKind::With, Kind::Keyword(Keyword::With))
            );
            otherwise = Some(if again {
                self.next();
                vec![self.branch(kind)?]
            } else {
                let (list, stop) = self.list()?;
                if stop != Stop::End {
                    return self.error(format!("expected end; found {}", stop.shown()));
                }
                list
            });
        }
        self.scope.variables.truncate(known);
        Ok(Node::Branch(Branch { kind, pipe, list, otherwise }))
    }

    fn block(&mut self) -> Parsed<Node> {
        const CONTEXT: &str = "block clause";
        let token = self.next_non_space();
        let name = self.template_name(&token, CONTEXT)?;
        let pipe = self.pipe(CONTEXT, Kind::RightDelimiter)?;
        let line = self.scope.line;
        let outer = std::mem::take(&mut self.scope);
        self.scope.line = line;
        let (nodes, stop) = self.deeper(Parser::list)?;
        if stop != Stop::End {
            self.scope = outer;
            return self.error(format!("unexpected {} in {CONTEXT}", stop.shown()));
        }
        self.add(name.clone(), nodes)?;
        self.scope = outer;
        Ok(Node::Template { start: token.start, name, pipe: Some(pipe) })
    }

    fn template(&mut self) -> Parsed<Node> {
        const CONTEXT: &str = "template clause";
        let token = self.next_non_space();
        let name = self.template_name(&token, CONTEXT)?;
        let next = self.next_non_space();
        let pipe = if next.kind == Kind::RightDelimiter {
            None
        } else {
            self.put_back(next);
            Some(self.pipe(CONTEXT, Kind::RightDelimiter)?)
        };
        Ok(Node::Template { start: token.start, name, pipe })
    }

    fn template_name(&mut self, token: &Token, context: &str) -> Parsed<String> {
        match token.kind {
            Kind::String | Kind::RawString => self.string(token),
            _ => self.unexpected(token, context),
        }
    }

    /// Returns the text of a string in quotes of either kind.
    fn string(&self, token: &Token) -> Parsed<String> {
        if token.kind == Kind::RawString {
            return Ok(token.text.trim_matches('`').replace('\r', ""));
        }
        unquoted(&token.text).map_or_else(|| self.error("invalid syntax"), Ok)
    }

    fn pipe(&mut self, context: &str, end: Kind) -> Parsed<Pipe> {
        let start = self.peek_non_space().start;
        let mut pipe = Pipe { start, is_assignment: false, variables: Vec::new(), commands: Vec::new() };
        self.declarations(&mut pipe, context)?;
        loop {
            let token = self.next_non_space();
            match token.kind {
                kind if kind == end => break,
                Kind::Bool
                | Kind::CharConstant
                | Kind::Dot
                | Kind::Field
                | Kind::Identifier
                | Kind::Number
                | Kind::Keyword(Keyword::Nil)
                | Kind::RawString
                | Kind::String
                | Kind::Variable
                | Kind::LeftParenthesis => {
                    self.put_back(token);
                    let command = self.command()?;
                    pipe.commands.push(command);
                }
                _ => return self.unexpected(&token, context),
            }
        }
        if pipe.commands.is_empty() {
            return self.error(format!("missing value for {context}"));
        }
        let is_value = |command: &Command| {
            let first = command.words.first().map(|word| &word.term);
            matches!(first, Some(Term::Bool(_) | Term::Dot | Term::Nil | Term::Number(_) | Term::Text { .. }))
        };
        if let Some(at) = pipe.commands.iter().skip(1).position(is_value) {
            return self.error(format!("non executable command in pipeline stage {}", at + 2));
        }
        Ok(pipe)
    }

    fn declarations(&mut self, pipe: &mut Pipe, context: &str) -> Parsed<()> {
        loop {
            let variable = self.peek_non_space();
            if variable.kind != Kind::Variable {
                return Ok(());
            }
            self.next();
            let after = self.peek();
            let next = self.peek_non_space();
            let is_comma = next.kind == Kind::Char && next.text == ",";
            if !is_comma && !matches!(next.kind, Kind::Assign | Kind::Declare) {
                if after.kind == Kind::Space {
                    self.put_back(after);
                }
                self.put_back(variable);
                return Ok(());
            }
            self.next_non_space();
            pipe.variables.push(variable.text.clone());
            self.scope.variables.push(variable.text);
            if !is_comma {
                pipe.is_assignment = next.kind == Kind::Assign;
                return Ok(());
            }
            if context != "range" || pipe.variables.len() >= 2 {
                return self.error(format!("too many declarations in {context}"));
            }
            match self.peek_non_space().kind {
                Kind::Variable | Kind::RightDelimiter | Kind::RightParenthesis => {}
                _ => return self.error("range can only initialize variables"),
            }
        }
    }

    fn command(&mut self) -> Parsed<Command> {
        let start = self.peek_non_space().start;
        let mut words = Vec::new();
        loop {
            self.peek_non_space();
            words.extend(self.operand()?);
            let token = self.next();
            match token.kind {
                Kind::Space => {}
                Kind::RightDelimiter | Kind::RightParenthesis => {
                    self.put_back(token);
                    break;
                }
                Kind::Pipe => break,
                _ => return self.unexpected(&token, "operand"),
            }
        }
        if words.is_empty() {
            return self.error("empty command");
        }
        Ok(Command { start, words })
    }

    /// Returns a term with the fields that are asked of it; none if something else comes.
    fn operand(&mut self) -> Parsed<Option<Word>> {
        let Some(mut word) = self.term()? else { return Ok(None) };
        let first = self.peek();
        if first.kind != Kind::Field {
            return Ok(Some(word));
        }
        let mut fields = Vec::new();
        while self.peek().kind == Kind::Field {
            fields.push(self.next().text.trim_start_matches('.').to_owned());
        }
        match &mut word.term {
            Term::Field(names) | Term::Variable(names) => {
                names.extend(fields);
                word.start = first.start;
            }
            Term::Bool(_) | Term::Text { .. } | Term::Number(_) | Term::Nil | Term::Dot => {
                return self.error(format!("unexpected . after term {}", quoted(word.to_string())));
            }
            _ => word = Word { start: first.start, term: Term::Chain(Box::new(word), fields) },
        }
        Ok(Some(word))
    }

    fn term(&mut self) -> Parsed<Option<Word>> {
        let token = self.next_non_space();
        let start = token.start;
        let term = match token.kind {
            Kind::Identifier => {
                if functions::find(&token.text).is_none() {
                    return self.error(format!("function {} not defined", quoted(&token.text)));
                }
                Term::Identifier(token.text)
            }
            Kind::Dot => Term::Dot,
            Kind::Keyword(Keyword::Nil) => Term::Nil,
            Kind::Variable => {
                if !self.scope.variables.contains(&token.text) {
                    return self.error(format!("undefined variable {}", quoted(&token.text)));
                }
                Term::Variable(vec![token.text])
            }
            Kind::Field => Term::Field(vec![token.text.trim_start_matches('.').to_owned()]),
            Kind::Bool => Term::Bool(token.text == "true"),
            Kind::CharConstant | Kind::Number => {
                let number = if token.kind == Kind::Number {
                    number::number(&token.text)
                } else {
                    number::character(&token.text)
                };
                match number {
                    Ok(number) => Term::Number(number),
                    Err(text) => return self.error(text),
                }
            }
            Kind::LeftParenthesis => {
                let pipe =
                    self.deeper(|parser| parser.pipe("parenthesized pipeline", Kind::RightParenthesis))?;
                Term::Pipe(pipe)
            }
            Kind::String | Kind::RawString => {
                let text = self.string(&token)?;
                Term::Text { written: token.text, text }
            }
            _ => {
                self.put_back(token);
                return Ok(None);
            }
        };
        // A pipeline in parentheses stands where its first word does.
        let start = if let Term::Pipe(pipe) = &term { pipe.start } else { start };
        Ok(Some(Word { start, term }))
    }
}
