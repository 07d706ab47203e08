//! What the machine does about an error: tells it, and looks for a token to go on with.

use super::grammar::{Kinds, NETWORK, StateId, StateKind};
use super::machine::{Found, Machine, Stopped};
use crate::lexer::Kind;

/// What is wrong, before it is told.
#[derive(Clone, Copy, Debug)]
pub(super) enum Exception {
    /// No way fits what is between two tokens.
    NoWay { start: usize, at: usize },
    /// A token is none of those that fit.
    Mismatch { at: usize, expected: Kinds },
}

/// Why a step of the machine failed.
#[derive(Debug)]
pub(super) enum Failure {
    /// The rule ends here.
    Exception(Exception),
    /// Everything ends here.
    Stopped(Stopped),
}

impl From<Stopped> for Failure {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped)
    }
}

/// The state of error recovery.
#[derive(Default)]
pub(super) struct Recovery {
    /// Whether an error was told and nothing fitted since.
    active: bool,
    last_at: Option<usize>,
    last_states: Vec<StateId>,
    attempts: u32,
    reports: u32,
}

/// The number of tokens that may be skipped.
type Budget = Option<u32>;

impl Machine<'_, '_, '_> {
    /// Makes sure that the next token fits before a decision, or skips what does not.
    pub(super) fn sync(&mut self, state: StateId) -> Result<(), Failure> {
        if self.recovery.active {
            return Ok(());
        }
        let next = NETWORK.next(state);
        if next.reaches_rule_end() || next.contains(self.kind(0)?) {
            return Ok(());
        }
        match NETWORK.state_at(state).kind {
            StateKind::Choice | StateKind::PlusStart | StateKind::LoopEntry => {
                if self.delete(&mut None)? {
                    return Ok(());
                }
                Err(Failure::Exception(self.mismatch()))
            }
            StateKind::LoopBack | StateKind::PlusBack => {
                self.report_unwanted()?;
                let wanted = self.expected().union(self.recovery_set());
                Ok(self.skip_to(wanted, &mut None)?)
            }
            StateKind::Basic | StateKind::Stop => Ok(()),
        }
    }

    /// Reads one of some tokens.
    pub(super) fn expect(&mut self, kinds: Kinds) -> Result<Found, Failure> {
        if kinds.contains(self.kind(0)?) {
            self.recovered();
            let found = Found { index: self.at, missing: None };
            self.consume(&mut None)?;
            return Ok(found);
        }
        self.count_attempt()?;
        let mut budget = Some(self.builder.options.skipped);
        if self.delete(&mut budget)? {
            let found = Found { index: self.at, missing: None };
            self.consume(&mut budget)?;
            return Ok(found);
        }
        let follows = self.expected_from(NETWORK.after(self.state));
        if follows.contains(self.kind(0)?) {
            let missing = self.expected().iter().next().map(|(kind, _)| kind);
            self.report_missing()?;
            let at_end = self.kind(0)? == Kind::End && self.at > 0;
            return Ok(Found { index: if at_end { self.at - 1 } else { self.at }, missing });
        }
        Err(Failure::Exception(self.mismatch()))
    }

    /// Tells what is wrong and skips to where a rule around this one can go on.
    pub(super) fn recover(&mut self, exception: Exception) -> Result<(), Stopped> {
        self.report(exception)?;
        self.count_attempt()?;
        let mut budget = Some(self.builder.options.skipped);
        if self.recovery.last_at == Some(self.at) && self.recovery.last_states.contains(&self.state) {
            // The same again: at least one token has to go, or this would have no end.
            self.consume(&mut budget)?;
        }
        self.recovery.last_at = Some(self.at);
        self.recovery.last_states.push(self.state);
        self.skip_to(self.recovery_set(), &mut budget)
    }

    /// Skips a token if the one after it fits.
    fn delete(&mut self, budget: &mut Budget) -> Result<bool, Stopped> {
        let next = self.kind(1)?;
        if !self.expected().contains(next) {
            return Ok(false);
        }
        self.report_unwanted()?;
        self.consume(budget)?;
        self.recovered();
        Ok(true)
    }

    fn skip_to(&mut self, wanted: Kinds, budget: &mut Budget) -> Result<(), Stopped> {
        loop {
            let kind = self.kind(0)?;
            if kind == Kind::End || wanted.contains(kind) {
                return Ok(());
            }
            self.consume(budget)?;
        }
    }

    fn consume(&mut self, budget: &mut Budget) -> Result<(), Stopped> {
        if let Some(left) = budget {
            let Some(less) = left.checked_sub(1) else {
                let limit = self.builder.options.skipped;
                return Err(self.stop(format!("error recovery token lookahead limit exceeded: {limit}")));
            };
            *left = less;
        }
        if self.kind(0)? != Kind::End {
            self.at += 1;
            self.fetch(self.at)?;
        }
        Ok(())
    }

    fn recovered(&mut self) {
        self.recovery.active = false;
        self.recovery.last_at = None;
        self.recovery.last_states.clear();
    }

    fn count_attempt(&mut self) -> Result<(), Stopped> {
        self.recovery.attempts += 1;
        let limit = self.builder.options.recoveries;
        if self.recovery.attempts > limit {
            self.syntax_error(self.at, &format!("error recovery attempt limit exceeded: {limit}"))?;
            return Err(Stopped);
        }
        Ok(())
    }

    fn mismatch(&self) -> Exception {
        Exception::Mismatch { at: self.at, expected: self.expected() }
    }

    /// The tokens that fit here.
    fn expected(&self) -> Kinds {
        self.expected_from(self.state)
    }

    fn expected_from(&self, state: StateId) -> Kinds {
        let mut next = NETWORK.next(state);
        let mut expected = next.without_rule_end();
        for follow in self.returns().rev() {
            if !next.reaches_rule_end() {
                return expected;
            }
            next = NETWORK.next(follow);
            expected = expected.union(next.without_rule_end());
        }
        if next.reaches_rule_end() { expected.union(Kinds::one(Kind::End)) } else { expected }
    }

    /// The tokens that a rule around this one could go on with.
    fn recovery_set(&self) -> Kinds {
        self.returns()
            .fold(Kinds::default(), |set, follow| set.union(NETWORK.next(follow).without_rule_end()))
    }

    fn report(&mut self, exception: Exception) -> Result<(), Stopped> {
        if std::mem::replace(&mut self.recovery.active, true) {
            return Ok(());
        }
        match exception {
            Exception::NoWay { start, at } => {
                let message =
                    format!("no viable alternative at input '{}'", shown(&self.text_between(start, at)));
                let keyword = ["true", "false", "null"].into_iter().find(|keyword| {
                    let input = message.strip_prefix("no viable alternative at input '").unwrap_or_default();
                    let before = input.strip_suffix('\'').and_then(|input| input.strip_suffix(keyword));
                    before.is_some_and(|before| before.chars().count() == 1 && before != "\n")
                });
                match keyword {
                    Some(keyword) => {
                        self.syntax_error(at, &format!("mismatched input '{keyword}' expecting IDENTIFIER"))
                    }
                    None => self.syntax_error(at, &message),
                }
            }
            Exception::Mismatch { at, expected } => {
                let message =
                    format!("mismatched input {} expecting {}", self.token_shown(at), list(expected));
                self.syntax_error(at, &message)
            }
        }
    }

    fn report_unwanted(&mut self) -> Result<(), Stopped> {
        if std::mem::replace(&mut self.recovery.active, true) {
            return Ok(());
        }
        let message =
            format!("extraneous input {} expecting {}", self.token_shown(self.at), list(self.expected()));
        self.syntax_error(self.at, &message)
    }

    fn report_missing(&mut self) -> Result<(), Stopped> {
        if std::mem::replace(&mut self.recovery.active, true) {
            return Ok(());
        }
        let message = format!("missing {} at {}", list(self.expected()), self.token_shown(self.at));
        self.syntax_error(self.at, &message)
    }

    /// Tells an error at a token.
    fn syntax_error(&mut self, at: usize, message: &str) -> Result<(), Stopped> {
        let offset = self.token(at).map_or(self.builder.source().length(), |token| token.offset);
        self.syntax_error_at(offset, message)
    }

    /// Tells an error at a code point, unless there were too many.
    pub(super) fn syntax_error_at(&mut self, offset: u32, message: &str) -> Result<(), Stopped> {
        let location = Some(self.builder.source().location(offset));
        let limit = self.builder.options.errors;
        if self.recovery.reports >= limit {
            let message = format!("Syntax error: More than {limit} syntax errors");
            self.builder.errors().report(0, location, message);
            return Err(Stopped);
        }
        self.recovery.reports += 1;
        self.builder.errors().report(0, location, format!("Syntax error: {message}"));
        Ok(())
    }

    fn token_shown(&self, at: usize) -> String {
        let source = self.builder.source();
        let text = self
            .token(at)
            .filter(|token| token.kind != Kind::End)
            .map_or("<EOF>", |token| token.text(source));
        format!("'{}'", shown(text))
    }
}

/// A text with blanks that can be seen.
fn shown(text: &str) -> String {
    text.replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r")
}

/// Kinds of tokens, in braces if they are several.
fn list(kinds: Kinds) -> String {
    let names: Vec<&str> = kinds.iter().map(|(_, name)| name).collect();
    if names.len() == 1 { names.concat() } else { format!("{{{}}}", names.join(", ")) }
}
