//! Builds nodes from what the machine read, gaps and all: more may be wrong than the grammar knows of.

use super::build::{Builder, is_reserved};
use super::descent;
use super::grammar::Rule;
use super::machine::{Found, Node, NodeId, Part, Tree};
use crate::ast::{Expr, ExprId, ExprKind, Literal, Map, MapEntry, Span, Struct, StructField};
use crate::lexer::{KINDS, Kind, Token};
use crate::operators;

/// Builds the tree of a text. Returns none if it is nested too deep, which has been told then.
pub(super) fn expression(builder: &mut Builder<'_>, tokens: &[Token], tree: &Tree) -> Option<Expr> {
    let mut walk = Walk { builder, tokens, tree, depth: 0 };
    let root = walk.node(tree.root).and_then(|root| walk.child(root, Rule::Expr, 0));
    match walk.visit(root) {
        Ok(expr) => Some(expr),
        Err(TooDeep) => {
            builder.errors().report(0, None, "max recursion depth exceeded");
            None
        }
    }
}

/// The expression is nested too deep.
struct TooDeep;

/// A walk through what was read.
struct Walk<'a, 'b, 't> {
    builder: &'a mut Builder<'b>,
    tokens: &'t [Token],
    tree: &'t Tree,
    depth: u32,
}

impl<'t> Walk<'_, '_, 't> {
    fn node(&self, id: NodeId) -> Option<&'t Node> {
        self.tree.nodes.get(id)
    }

    fn child(&self, node: &'t Node, rule: Rule, index: usize) -> Option<&'t Node> {
        nodes(self.tree, node, rule).nth(index)
    }

    fn span(&self, found: Found) -> Span {
        let Some(token) = self.tokens.get(found.index) else { return Span { start: 0, end: 0 } };
        let span = token.span(self.builder.source());
        if found.missing.is_some() { Span { end: span.start, ..span } } else { span }
    }

    fn text(&self, found: Found) -> String {
        match found.missing {
            None => {
                self.tokens.get(found.index).map_or("", |token| token.text(self.builder.source())).to_owned()
            }
            Some(kind) => match KINDS.iter().find(|(named, name)| *named == kind && name.starts_with('\'')) {
                Some((_, name)) => format!("<missing {name}>"),
                None => "<missing undefined>".to_owned(),
            },
        }
    }

    fn node_span(&self, node: &Node) -> Span {
        let at = |index| self.span(Found { index, missing: None });
        let start = at(node.first).start;
        let end = if node.end > node.first { at(node.end - 1).end } else { start };
        Span { start, end }
    }

    fn id(&mut self, found: Option<Found>) -> ExprId {
        match found {
            Some(found) => {
                let span = self.span(found);
                self.builder.id(Some(span))
            }
            None => 0,
        }
    }

    fn nothing(&mut self, node: &Node) -> Expr {
        let span = self.node_span(node);
        self.builder.node(Some(span), ExprKind::Unspecified)
    }

    fn report(&mut self, node: &Node, message: impl Into<String>) -> Expr {
        let span = self.node_span(node);
        self.builder.report(Some(span), message)
    }

    /// Builds what a node stands for, whatever rule read it.
    fn visit(&mut self, node: Option<&'t Node>) -> Result<Expr, TooDeep> {
        let Some(node) = node.and_then(|node| self.unnested(node)) else {
            if !self.builder.has_errors() {
                return Ok(self.builder.report(None, "unknown parse element encountered"));
            }
            return Ok(self.builder.node(None, ExprKind::Unspecified));
        };
        match (node.rule, node.way) {
            (Rule::Expr | Rule::Relation | Rule::Calc, _) | (Rule::Member, 1..) => {
                self.depth += 1;
                if self.depth > self.builder.options.recursion {
                    return Err(TooDeep);
                }
                let expr = match (node.rule, node.way) {
                    (Rule::Expr, _) => self.conditional(node),
                    (Rule::Member, 1) => self.select(node),
                    (Rule::Member, 2) => self.method(node),
                    (Rule::Member, _) => self.index(node),
                    _ => self.binary(node),
                };
                self.depth -= 1;
                expr
            }
            (Rule::ConditionalOr, _) => {
                self.chain(node, Kind::LogicalOr, operators::LOGICAL_OR, Rule::ConditionalAnd)
            }
            (Rule::ConditionalAnd, _) => {
                self.chain(node, Kind::LogicalAnd, operators::LOGICAL_AND, Rule::Relation)
            }
            (Rule::Unary, 2) => self.unary(node, operators::LOGICAL_NOT),
            (Rule::Unary, 3) => self.unary(node, operators::NEGATE),
            (Rule::Unary, _) => {
                let span = self.node_span(node);
                Ok(self.builder.literal(span, Literal::String("<<error>>".into())))
            }
            (Rule::Primary, 1) => Ok(self.ident(node)),
            (Rule::Primary, 2) => self.call(node),
            (Rule::Primary, 4) => self.list(node),
            (Rule::Primary, 5) => self.map(node),
            (Rule::Primary, 6) => self.message(node),
            (Rule::Literal, 1..) => Ok(self.constant(node)),
            _ => Ok(self.builder.node(None, ExprKind::Unspecified)),
        }
    }

    /// Goes down to the first node that is more than what it contains.
    fn unnested(&self, mut node: &'t Node) -> Option<&'t Node> {
        loop {
            let inner = match (node.rule, node.way) {
                (Rule::Expr, _) if token(node, Kind::Question, 0).is_none() => Rule::ConditionalOr,
                (Rule::ConditionalOr, _) if token(node, Kind::LogicalOr, 0).is_none() => Rule::ConditionalAnd,
                (Rule::ConditionalAnd, _) if token(node, Kind::LogicalAnd, 0).is_none() => Rule::Relation,
                (Rule::Relation, 0) => Rule::Calc,
                (Rule::Calc, 0) => Rule::Unary,
                (Rule::Unary, 1) => Rule::Member,
                (Rule::Member, 0) => Rule::Primary,
                (Rule::Primary, 3) => Rule::Expr,
                (Rule::Primary, 7) => Rule::Literal,
                _ => return Some(node),
            };
            node = self.child(node, inner, 0)?;
        }
    }

    fn conditional(&mut self, node: &'t Node) -> Result<Expr, TooDeep> {
        let condition = self.visit(self.child(node, Rule::ConditionalOr, 0))?;
        let id = self.id(token(node, Kind::Question, 0));
        let yes = self.visit(self.child(node, Rule::ConditionalOr, 1))?;
        let no = self.visit(self.child(node, Rule::Expr, 0))?;
        Ok(self.builder.operator(id, operators::CONDITIONAL, vec![condition, yes, no]))
    }

    fn chain(&mut self, node: &'t Node, kind: Kind, function: &str, rule: Rule) -> Result<Expr, TooDeep> {
        let mut terms = vec![self.visit(self.child(node, rule, 0))?];
        let mut ids = Vec::new();
        for (index, found) in tokens(node, kind).enumerate() {
            terms.push(self.visit(self.child(node, rule, index + 1))?);
            ids.push(self.id(Some(found)));
        }
        match self.builder.logic(function, terms, &ids) {
            Some(expr) => Ok(expr),
            None => Ok(self.nothing(node)),
        }
    }

    fn binary(&mut self, node: &'t Node) -> Result<Expr, TooDeep> {
        let operator = node.parts.iter().find_map(|part| match part {
            Part::Token(kind, found) => Some((*kind, *found)),
            Part::Node(_) => None,
        });
        let function = operator.and_then(|(kind, _)| {
            descent::relation(kind).or_else(|| descent::calculation(kind).map(|(name, _)| name))
        });
        let (Some((_, found)), Some(function)) = (operator, function) else {
            return Ok(self.report(node, "operator not found"));
        };
        let left = self.visit(self.child(node, node.rule, 0))?;
        let id = self.id(Some(found));
        let right = self.visit(self.child(node, node.rule, 1))?;
        Ok(self.builder.operator(id, function, vec![left, right]))
    }

    fn unary(&mut self, node: &'t Node, function: &str) -> Result<Expr, TooDeep> {
        let kind = if function == operators::NEGATE { Kind::Minus } else { Kind::Exclamation };
        let member = self.child(node, Rule::Member, 0);
        if tokens(node, kind).count().is_multiple_of(2) {
            return self.visit(member);
        }
        let id = self.id(token(node, kind, 0));
        let operand = self.visit(member)?;
        Ok(self.builder.operator(id, function, vec![operand]))
    }

    fn select(&mut self, node: &'t Node) -> Result<Expr, TooDeep> {
        let operand = self.visit(self.child(node, Rule::Member, 0))?;
        let (Some(name), Some(dot)) = (self.child(node, Rule::EscapeIdent, 0), token(node, Kind::Dot, 0))
        else {
            return Ok(self.nothing(node));
        };
        let field = self.field_name(name).unwrap_or_else(|message| {
            self.report(name, message);
            String::new()
        });
        let dot = self.span(dot);
        if token(node, Kind::Question, 0).is_none() {
            return Ok(self.builder.select(dot, operand, &field));
        }
        if !self.builder.options.optional_syntax {
            return Ok(self.builder.report(Some(dot), "unsupported syntax '.?'"));
        }
        let span = self.node_span(name);
        let field = self.builder.literal(span, Literal::String(field.into()));
        let id = self.builder.id(Some(dot));
        Ok(self.builder.operator(id, operators::OPT_SELECT, vec![operand, field]))
    }

    fn field_name(&self, node: &Node) -> Result<String, &'static str> {
        match (node.way, token(node, Kind::Identifier, 0), token(node, Kind::EscapedIdentifier, 0)) {
            (1, Some(found), _) => Ok(self.text(found)),
            (2, _, _) if !self.builder.options.escaped_fields => Err("unsupported syntax: '`'"),
            (2, _, Some(found)) => Ok(self.text(found).trim_matches('`').to_owned()),
            _ => Err("unsupported ident kind"),
        }
    }

    fn method(&mut self, node: &'t Node) -> Result<Expr, TooDeep> {
        let target = self.visit(self.child(node, Rule::Member, 0))?;
        let Some(name) = token(node, Kind::Identifier, 0) else { return Ok(self.nothing(node)) };
        let id = self.id(token(node, Kind::LeftParenthesis, 0));
        let args = self.arguments(node)?;
        let name = self.text(name);
        Ok(self.builder.call(id, &name, Some(target), args))
    }

    fn arguments(&mut self, node: &'t Node) -> Result<Vec<Expr>, TooDeep> {
        let Some(list) = self.child(node, Rule::ExprList, 0) else { return Ok(Vec::new()) };
        nodes(self.tree, list, Rule::Expr).map(|arg| self.visit(Some(arg))).collect()
    }

    fn index(&mut self, node: &'t Node) -> Result<Expr, TooDeep> {
        let target = self.visit(self.child(node, Rule::Member, 0))?;
        let Some(bracket) = token(node, Kind::LeftBracket, 0) else { return Ok(self.nothing(node)) };
        let id = self.id(Some(bracket));
        let index = self.visit(self.child(node, Rule::Expr, 0))?;
        let optional = token(node, Kind::Question, 0).is_some();
        if optional && !self.builder.options.optional_syntax {
            let span = self.span(bracket);
            return Ok(self.builder.report(Some(span), "unsupported syntax '[?'"));
        }
        let function = if optional { operators::OPT_INDEX } else { operators::INDEX };
        Ok(self.builder.operator(id, function, vec![target, index]))
    }

    fn ident(&mut self, node: &Node) -> Expr {
        let Some(name) = token(node, Kind::Identifier, 0) else { return self.nothing(node) };
        let (span, name_span, text) = (self.node_span(node), self.span(name), self.text(name));
        self.builder.ident(span, name_span, token(node, Kind::Dot, 0).is_some(), &text)
    }

    fn call(&mut self, node: &'t Node) -> Result<Expr, TooDeep> {
        let Some(name) = token(node, Kind::Identifier, 0) else { return Ok(self.nothing(node)) };
        let name = self.text(name);
        if is_reserved(&name) {
            return Ok(self.report(node, format!("reserved identifier: {name}")));
        }
        let id = self.id(token(node, Kind::LeftParenthesis, 0));
        let args = self.arguments(node)?;
        let name = if token(node, Kind::Dot, 0).is_some() { format!(".{name}") } else { name };
        Ok(self.builder.call(id, &name, None, args))
    }

    fn list(&mut self, node: &'t Node) -> Result<Expr, TooDeep> {
        let id = self.id(token(node, Kind::LeftBracket, 0));
        let (mut elements, mut optional) = (Vec::new(), Vec::new());
        if let Some(list) = self.child(node, Rule::ListInit, 0) {
            for (index, element) in (0u32..).zip(nodes(self.tree, list, Rule::OptExpr)) {
                elements.push(self.visit(self.child(element, Rule::Expr, 0))?);
                let Some(question) = token(element, Kind::Question, 0) else { continue };
                if self.builder.options.optional_syntax {
                    optional.push(index);
                } else {
                    let span = self.span(question);
                    self.builder.report(Some(span), "unsupported syntax '?'");
                }
            }
        }
        Ok(self.builder.list(id, elements, optional))
    }

    fn map(&mut self, node: &'t Node) -> Result<Expr, TooDeep> {
        let id = self.id(token(node, Kind::LeftBrace, 0));
        let mut entries = Vec::new();
        if let Some(list) = self.child(node, Rule::MapList, 0) {
            for (index, colon) in tokens(list, Kind::Colon).enumerate() {
                let id = self.id(Some(colon));
                let (Some(key), Some(value)) =
                    (self.child(list, Rule::OptExpr, index), self.child(list, Rule::Expr, index))
                else {
                    entries.clear();
                    break;
                };
                let optional = token(key, Kind::Question, 0).is_some();
                if optional && !self.builder.options.optional_syntax {
                    self.report(key, "unsupported syntax '?'");
                    continue;
                }
                let key = self.visit(self.child(key, Rule::Expr, 0))?;
                let value = self.visit(Some(value))?;
                entries.push(MapEntry { id, key, value, optional });
            }
        }
        Ok(Expr { id, kind: ExprKind::Map(Map { entries }) })
    }

    fn message(&mut self, node: &'t Node) -> Result<Expr, TooDeep> {
        let dot = matches!(node.parts.first(), Some(Part::Token(Kind::Dot, _)));
        let words: Vec<String> = tokens(node, Kind::Identifier).map(|word| self.text(word)).collect();
        let type_name = format!("{}{}", if dot { "." } else { "" }, words.join("."));
        let id = self.id(token(node, Kind::LeftBrace, 0));
        let fields = match self.child(node, Rule::FieldList, 0) {
            Some(list) => self.fields(list)?,
            None => Vec::new(),
        };
        Ok(Expr { id, kind: ExprKind::Struct(Struct { type_name: type_name.into(), fields }) })
    }

    fn fields(&mut self, list: &'t Node) -> Result<Vec<StructField>, TooDeep> {
        let mut fields = Vec::new();
        for (index, field) in nodes(self.tree, list, Rule::OptField).enumerate() {
            let (Some(colon), Some(value)) =
                (token(list, Kind::Colon, index), self.child(list, Rule::Expr, index))
            else {
                return Ok(Vec::new());
            };
            let id = self.id(Some(colon));
            let optional = token(field, Kind::Question, 0).is_some();
            if optional && !self.builder.options.optional_syntax {
                self.report(field, "unsupported syntax '?'");
                continue;
            }
            let name = match self.child(field, Rule::EscapeIdent, 0).map(|name| self.field_name(name)) {
                Some(Ok(name)) => name,
                Some(Err(message)) => {
                    self.report(list, message);
                    continue;
                }
                None => {
                    self.report(list, "unsupported ident kind");
                    continue;
                }
            };
            let value = self.visit(Some(value))?;
            fields.push(StructField { id, name: name.into(), value, optional });
        }
        Ok(fields)
    }

    fn constant(&mut self, node: &Node) -> Expr {
        let span = self.node_span(node);
        let negative = token(node, Kind::Minus, 0).is_some();
        let value = node.parts.iter().rev().find_map(|part| match part {
            Part::Token(kind, found) => Some((*kind, *found)),
            Part::Node(_) => None,
        });
        let Some((kind, found)) = value else { return self.nothing(node) };
        let text = self.text(found);
        match kind {
            Kind::Int => self.builder.int(span, negative, &text),
            Kind::Uint => self.builder.uint(span, &text),
            Kind::Float => self.builder.double(span, negative, &text),
            Kind::String => self.builder.string(span, &text),
            Kind::Bytes => self.builder.bytes(span, &text),
            Kind::True => self.builder.literal(span, Literal::Bool(true)),
            Kind::False => self.builder.literal(span, Literal::Bool(false)),
            _ => self.builder.literal(span, Literal::Null),
        }
    }
}

fn nodes<'t>(tree: &'t Tree, node: &'t Node, rule: Rule) -> impl Iterator<Item = &'t Node> {
    let nodes = node
        .parts
        .iter()
        .filter_map(move |part| if let Part::Node(id) = part { tree.nodes.get(*id) } else { None });
    nodes.filter(move |child| child.rule == rule)
}

fn tokens(node: &Node, kind: Kind) -> impl Iterator<Item = Found> {
    node.parts.iter().filter_map(move |part| match part {
        Part::Token(found_kind, found) if *found_kind == kind => Some(*found),
        _ => None,
    })
}

fn token(node: &Node, kind: Kind, index: usize) -> Option<Found> {
    tokens(node, kind).nth(index)
}
