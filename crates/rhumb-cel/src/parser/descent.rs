//! Reads a correct text: recursive descent over its tokens. Builds as it goes and stops at what does not fit.
//!
//! It may stop at texts that are correct, if it would be laborious to treat them here; it never accepts one that the
//! machine refuses. That is why it counts how deep it is in the same way.

use super::build::{Builder, is_reserved};
use crate::ast::{Expr, ExprId, ExprKind, Literal, Map, MapEntry, Span, Struct, StructField};
use crate::lexer::{Kind, Token};
use crate::operators;

/// The text has to be read by the machine.
#[derive(Debug)]
pub(super) struct Stop;

/// Reads the whole text.
pub(super) fn expression(builder: &mut Builder<'_>, tokens: &[Token]) -> Result<Expr, Stop> {
    let mut descent = Descent { builder, tokens, at: 0, depth: Depth::default() };
    let Read { expr, .. } = descent.conditional()?;
    descent.expect(Kind::End)?;
    Ok(expr)
}

/// A text that is being read, up to its next token.
struct Descent<'a, 'b, 't> {
    builder: &'a mut Builder<'b>,
    tokens: &'t [Token],
    at: usize,
    depth: Depth,
}

/// How many times the same rule is being read.
#[derive(Default)]
struct Depth {
    conditional: u32,
    relation: u32,
    calculation: u32,
}

/// A tree, and the number of nodes on its longest path as the limit on recursion counts them.
struct Read {
    expr: Expr,
    height: u32,
}

impl<'a> Descent<'_, 'a, '_> {
    fn peek(&self) -> Kind {
        self.ahead(0)
    }

    fn ahead(&self, count: usize) -> Kind {
        self.tokens.get(self.at + count).map_or(Kind::End, |token| token.kind)
    }

    fn next(&mut self) -> Result<Token, Stop> {
        let token = self.tokens.get(self.at).copied().ok_or(Stop)?;
        self.at += 1;
        Ok(token)
    }

    fn take(&mut self, kind: Kind) -> Option<Token> {
        let token = self.tokens.get(self.at).copied().filter(|token| token.kind == kind)?;
        self.at += 1;
        Some(token)
    }

    fn expect(&mut self, kind: Kind) -> Result<Token, Stop> {
        self.take(kind).ok_or(Stop)
    }

    fn text(&self, token: Token) -> &'a str {
        token.text(self.builder.source())
    }

    fn span(&self, token: Token) -> Span {
        token.span(self.builder.source())
    }

    /// From a token to the last one that was read.
    fn span_from(&self, first: Token) -> Span {
        let last = self.at.checked_sub(1).and_then(|last| self.tokens.get(last)).copied().unwrap_or(first);
        Span { end: self.span(last).end, ..self.span(first) }
    }

    fn id(&mut self, token: Token) -> ExprId {
        let span = self.span(token);
        self.builder.id(Some(span))
    }

    /// One more than a height, unless that is too much. A tree that is too high could not even be dropped.
    fn above(&self, height: u32) -> Result<u32, Stop> {
        if height >= self.builder.options.recursion { Err(Stop) } else { Ok(height + 1) }
    }

    fn operator(&mut self, id: ExprId, function: &str, args: Vec<Expr>) -> Expr {
        self.builder.operator(id, function, args)
    }

    /// `a ? b : c`
    fn conditional(&mut self) -> Result<Read, Stop> {
        self.depth.conditional += 1;
        if self.depth.conditional > self.builder.options.recursion {
            return Err(Stop);
        }
        let condition = self.disjunction()?;
        let read = match self.take(Kind::Question) {
            None => condition,
            Some(question) => {
                let id = self.id(question);
                let yes = self.disjunction()?;
                self.expect(Kind::Colon)?;
                let no = self.conditional()?;
                let height = self.above(condition.height.max(yes.height).max(no.height))?;
                let args = vec![condition.expr, yes.expr, no.expr];
                Read { expr: self.operator(id, operators::CONDITIONAL, args), height }
            }
        };
        self.depth.conditional -= 1;
        Ok(read)
    }

    /// `a || b`
    fn disjunction(&mut self) -> Result<Read, Stop> {
        let first = self.conjunction()?;
        if self.peek() != Kind::LogicalOr {
            return Ok(first);
        }
        self.chain(first, Kind::LogicalOr, operators::LOGICAL_OR, Self::conjunction)
    }

    /// `a && b`
    fn conjunction(&mut self) -> Result<Read, Stop> {
        let first = self.relation(0)?;
        if self.peek() != Kind::LogicalAnd {
            return Ok(first);
        }
        self.chain(first, Kind::LogicalAnd, operators::LOGICAL_AND, |descent| descent.relation(0))
    }

    fn chain(
        &mut self,
        first: Read,
        kind: Kind,
        function: &str,
        term: fn(&mut Self) -> Result<Read, Stop>,
    ) -> Result<Read, Stop> {
        let mut height = first.height;
        let mut terms = vec![first.expr];
        let mut ids = Vec::new();
        while let Some(token) = self.take(kind) {
            let next = term(self)?;
            height = height.max(next.height);
            terms.push(next.expr);
            ids.push(self.id(token));
        }
        Ok(Read { expr: self.builder.logic(function, terms, &ids).ok_or(Stop)?, height })
    }

    /// `a < b`
    fn relation(&mut self, least: u32) -> Result<Read, Stop> {
        self.depth.relation += 1;
        if self.depth.relation > self.builder.options.recursion {
            return Err(Stop);
        }
        let mut left = self.calculation(0)?;
        while least <= 1
            && let Some(function) = relation(self.peek())
        {
            let token = self.next()?;
            let id = self.id(token);
            let right = self.relation(2)?;
            left = self.binary(id, function, left, right)?;
        }
        self.depth.relation -= 1;
        Ok(left)
    }

    /// `a + b`
    fn calculation(&mut self, least: u32) -> Result<Read, Stop> {
        self.depth.calculation += 1;
        if self.depth.calculation > self.builder.options.recursion {
            return Err(Stop);
        }
        let mut left = self.unary()?;
        while let Some((function, binds)) = calculation(self.peek())
            && binds >= least
        {
            let token = self.next()?;
            let id = self.id(token);
            let right = self.calculation(binds + 1)?;
            left = self.binary(id, function, left, right)?;
        }
        self.depth.calculation -= 1;
        Ok(left)
    }

    fn binary(&mut self, id: ExprId, function: &str, left: Read, right: Read) -> Result<Read, Stop> {
        let height = self.above(left.height.max(right.height))?;
        Ok(Read { expr: self.operator(id, function, vec![left.expr, right.expr]), height })
    }

    /// `!a` or `-a`; an even number of them is none.
    fn unary(&mut self) -> Result<Read, Stop> {
        let (kind, function) = match self.peek() {
            Kind::Minus if matches!(self.ahead(1), Kind::Int | Kind::Float) => return self.member(),
            Kind::Minus => (Kind::Minus, operators::NEGATE),
            Kind::Exclamation => (Kind::Exclamation, operators::LOGICAL_NOT),
            _ => return self.member(),
        };
        let first = self.next()?;
        let mut count = 1u32;
        while self.take(kind).is_some() {
            count += 1;
        }
        if count.is_multiple_of(2) {
            return self.member();
        }
        let id = self.id(first);
        let operand = self.member()?;
        Ok(Read { expr: self.operator(id, function, vec![operand.expr]), height: operand.height })
    }

    /// `a.b`, `a.b(c)` or `a[b]`
    fn member(&mut self) -> Result<Read, Stop> {
        let mut read = self.primary()?;
        loop {
            read = match self.peek() {
                Kind::Dot if self.ahead(1) == Kind::Identifier && self.ahead(2) == Kind::LeftParenthesis => {
                    self.method(read)?
                }
                Kind::Dot => self.select(read)?,
                Kind::LeftBracket => self.index(read)?,
                _ => return Ok(read),
            };
        }
    }

    fn method(&mut self, target: Read) -> Result<Read, Stop> {
        self.expect(Kind::Dot)?;
        let name = self.expect(Kind::Identifier)?;
        let text = self.text(name);
        let (id, args, height) = self.arguments()?;
        let height = self.above(height.max(target.height))?;
        let expr = self.builder.call(id, text, Some(target.expr), args);
        Ok(Read { expr, height })
    }

    fn select(&mut self, operand: Read) -> Result<Read, Stop> {
        let dot = self.expect(Kind::Dot)?;
        let question = self.take(Kind::Question);
        let name = self.next()?;
        let text = self.text(name);
        let field = match name.kind {
            Kind::Identifier => text,
            Kind::EscapedIdentifier if self.builder.options.escaped_fields => text.trim_matches('`'),
            _ => return Err(Stop),
        };
        let (span, height) = (self.span(dot), self.above(operand.height)?);
        let expr = if question.is_some() {
            if !self.builder.options.optional_syntax {
                return Err(Stop);
            }
            let name_span = self.span(name);
            let field = self.builder.literal(name_span, Literal::String(field.into()));
            let id = self.builder.id(Some(span));
            self.operator(id, operators::OPT_SELECT, vec![operand.expr, field])
        } else {
            self.builder.select(span, operand.expr, field)
        };
        Ok(Read { expr, height })
    }

    fn index(&mut self, target: Read) -> Result<Read, Stop> {
        let bracket = self.expect(Kind::LeftBracket)?;
        let id = self.id(bracket);
        let optional = self.optional()?;
        let index = self.conditional()?;
        self.expect(Kind::RightBracket)?;
        let function = if optional { operators::OPT_INDEX } else { operators::INDEX };
        self.binary(id, function, target, index)
    }

    /// Whether there is a question mark where it says that something is optional.
    fn optional(&mut self) -> Result<bool, Stop> {
        let optional = self.take(Kind::Question).is_some();
        if optional && !self.builder.options.optional_syntax { Err(Stop) } else { Ok(optional) }
    }

    /// `(a, b)`: the number of the call, the arguments and the height of the highest.
    fn arguments(&mut self) -> Result<(ExprId, Vec<Expr>, u32), Stop> {
        let open = self.expect(Kind::LeftParenthesis)?;
        let id = self.id(open);
        let (mut args, mut height) = (Vec::new(), 0);
        if self.take(Kind::RightParenthesis).is_some() {
            return Ok((id, args, height));
        }
        loop {
            let arg = self.conditional()?;
            args.push(arg.expr);
            height = height.max(arg.height);
            match self.next()?.kind {
                Kind::Comma => {}
                Kind::RightParenthesis => return Ok((id, args, height)),
                _ => return Err(Stop),
            }
        }
    }

    fn primary(&mut self) -> Result<Read, Stop> {
        match self.peek() {
            Kind::Identifier | Kind::Dot => self.named(),
            Kind::LeftParenthesis => {
                self.next()?;
                let nested = self.conditional()?;
                self.expect(Kind::RightParenthesis)?;
                Ok(nested)
            }
            Kind::LeftBracket => self.list(),
            Kind::LeftBrace => self.map(),
            _ => Ok(Read { expr: self.constant()?, height: 0 }),
        }
    }

    /// A name, a call or a message, maybe with a dot before it.
    fn named(&mut self) -> Result<Read, Stop> {
        let first = self.tokens.get(self.at).copied().ok_or(Stop)?;
        let dot = self.take(Kind::Dot).is_some();
        let name = self.expect(Kind::Identifier)?;
        if self.is_message() {
            return self.message(dot, name);
        }
        let text = self.text(name);
        if self.peek() == Kind::LeftParenthesis {
            if is_reserved(text) {
                return Err(Stop);
            }
            let (id, args, height) = self.arguments()?;
            let dotted;
            let function = if dot {
                dotted = format!(".{text}");
                dotted.as_str()
            } else {
                text
            };
            return Ok(Read { expr: self.builder.call(id, function, None, args), height });
        }
        let (span, name_span) = (self.span_from(first), self.span(name));
        Ok(Read { expr: self.builder.ident(span, name_span, dot, text), height: 0 })
    }

    /// Whether after the first word of a name come others and then a brace.
    fn is_message(&self) -> bool {
        let mut count = 0;
        while self.ahead(count) == Kind::Dot && self.ahead(count + 1) == Kind::Identifier {
            count += 2;
        }
        self.ahead(count) == Kind::LeftBrace
    }

    fn message(&mut self, dot: bool, first: Token) -> Result<Read, Stop> {
        let mut type_name = if dot { ".".to_owned() } else { String::new() };
        type_name.push_str(self.text(first));
        while self.take(Kind::Dot).is_some() {
            let word = self.expect(Kind::Identifier)?;
            type_name.push('.');
            type_name.push_str(self.text(word));
        }
        let brace = self.expect(Kind::LeftBrace)?;
        let id = self.id(brace);
        let (mut fields, mut height) = (Vec::new(), 0);
        while self.more(Kind::RightBrace, fields.is_empty())? {
            let optional = self.optional()?;
            let name = self.next()?;
            let text = self.text(name);
            let name = match name.kind {
                Kind::Identifier => text,
                Kind::EscapedIdentifier if self.builder.options.escaped_fields => text.trim_matches('`'),
                _ => return Err(Stop),
            };
            let colon = self.expect(Kind::Colon)?;
            let id = self.id(colon);
            let value = self.conditional()?;
            height = height.max(value.height);
            fields.push(StructField { id, name: name.into(), value: value.expr, optional });
        }
        let kind = ExprKind::Struct(Struct { type_name: type_name.into(), fields });
        Ok(Read { expr: Expr { id, kind }, height })
    }

    fn list(&mut self) -> Result<Read, Stop> {
        let bracket = self.expect(Kind::LeftBracket)?;
        let id = self.id(bracket);
        let (mut elements, mut optional, mut height) = (Vec::new(), Vec::new(), 0);
        while self.more(Kind::RightBracket, elements.is_empty())? {
            if self.optional()? {
                optional.push(u32::try_from(elements.len()).map_err(|_| Stop)?);
            }
            let element = self.conditional()?;
            height = height.max(element.height);
            elements.push(element.expr);
        }
        Ok(Read { expr: self.builder.list(id, elements, optional), height })
    }

    fn map(&mut self) -> Result<Read, Stop> {
        let brace = self.expect(Kind::LeftBrace)?;
        let id = self.id(brace);
        let (mut entries, mut height) = (Vec::new(), 0);
        while self.more(Kind::RightBrace, entries.is_empty())? {
            // The entry has its number before the key has, and its place is the colon's.
            let id = self.builder.id(None);
            let optional = self.optional()?;
            let key = self.conditional()?;
            let colon = self.expect(Kind::Colon)?;
            let span = self.span(colon);
            self.builder.place(id, span);
            let value = self.conditional()?;
            height = height.max(key.height).max(value.height);
            entries.push(MapEntry { id, key: key.expr, value: value.expr, optional });
        }
        Ok(Read { expr: Expr { id, kind: ExprKind::Map(Map { entries }) }, height })
    }

    /// Whether another element follows: not at the end, before which a comma may stand, even if it is the only thing.
    fn more(&mut self, end: Kind, first: bool) -> Result<bool, Stop> {
        if first {
            self.take(Kind::Comma).map_or(Ok(()), |_| if self.peek() == end { Ok(()) } else { Err(Stop) })?;
        } else if self.peek() != end {
            self.expect(Kind::Comma)?;
        }
        Ok(self.take(end).is_none())
    }

    fn constant(&mut self) -> Result<Expr, Stop> {
        let first = self.next()?;
        let negative = first.kind == Kind::Minus;
        let token = if negative { self.next()? } else { first };
        let (span, text) = (self.span_from(first), self.text(token));
        Ok(match token.kind {
            Kind::Int => self.builder.int(span, negative, text),
            Kind::Float => self.builder.double(span, negative, text),
            _ if negative => return Err(Stop),
            Kind::Uint => self.builder.uint(span, text),
            Kind::String => self.builder.string(span, text),
            Kind::Bytes => self.builder.bytes(span, text),
            Kind::True => self.builder.literal(span, Literal::Bool(true)),
            Kind::False => self.builder.literal(span, Literal::Bool(false)),
            Kind::Null => self.builder.literal(span, Literal::Null),
            _ => return Err(Stop),
        })
    }
}

/// The function of an operator that compares.
pub(super) fn relation(kind: Kind) -> Option<&'static str> {
    Some(match kind {
        Kind::Equals => operators::EQUALS,
        Kind::NotEquals => operators::NOT_EQUALS,
        Kind::In => operators::IN,
        Kind::Less => operators::LESS,
        Kind::LessEquals => operators::LESS_EQUALS,
        Kind::GreaterEquals => operators::GREATER_EQUALS,
        Kind::Greater => operators::GREATER,
        _ => return None,
    })
}

/// The function of an operator that calculates, and how tightly it binds.
pub(super) fn calculation(kind: Kind) -> Option<(&'static str, u32)> {
    Some(match kind {
        Kind::Star => (operators::MULTIPLY, 2),
        Kind::Slash => (operators::DIVIDE, 2),
        Kind::Percent => (operators::MODULO, 2),
        Kind::Plus => (operators::ADD, 1),
        Kind::Minus => (operators::SUBTRACT, 1),
        _ => return None,
    })
}
