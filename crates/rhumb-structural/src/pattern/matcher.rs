//! Matching by a lazily built deterministic automaton.
//!
//! A state of it is the set of the expression's own states that a text may have led to, and what stood before. What
//! follows from a state and a byte is found once and kept in a table, so that most bytes of a text cost one look. If
//! the table grows too large it is begun anew, and if that doesn't help, sets are followed without one. Either way
//! each byte costs no more than a pass over the expression, and the [`budget`] is asked every few thousand steps.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use regex_automata::nfa::thompson::{self, NFA, State, WhichCaptures};
use regex_automata::util::alphabet::ByteClasses;
use regex_automata::util::look::Look;
use regex_automata::util::primitives::StateID;
use regex_automata::util::syntax;
use rhumb_schema::budget;

/// Maximum memory of a compiled expression.
const SIZE_LIMIT: usize = 16 << 20;
/// Maximum size of the table during a match.
const MAX_TABLE: usize = 2 << 20;
/// Maximum size of the table kept between matches.
const MAX_KEPT: usize = 64 << 10;
/// Minimum bytes of text per state for which the table pays off.
const WORTHWHILE: usize = 10;
/// Steps between two checks of the budget.
const STEPS: usize = 1 << 14;

/// Transition not computed yet.
const UNKNOWN: u32 = u32::MAX;
/// Match, whatever follows.
const MATCH: u32 = u32::MAX - 1;
/// No match, whatever follows.
const DEAD: u32 = u32::MAX - 2;

/// A compiled expression.
pub(crate) struct Matcher {
    nfa: NFA,
    classes: ByteClasses,
    /// Whether lines matter, and whether words do.
    lines: bool,
    words: bool,
    table: Mutex<Table>,
}

/// Context before a position in a text.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
enum Before {
    Start = 0,
    Line = 1,
    Word = 2,
    Other = 3,
}

/// Sorted set of states, preceded by its context.
type Set = Arc<[u32]>;

#[derive(Default)]
struct Table {
    /// Transitions, one row per set.
    rows: Vec<u32>,
    sets: Vec<Set>,
    known: HashMap<Set, u32>,
    size: usize,
    scratch: Scratch,
}

/// Buffers for computing sets.
#[derive(Default)]
struct Scratch {
    open: Vec<StateID>,
    /// The round in which a state was last passed, and last added to what follows.
    passed: Vec<u32>,
    added: Vec<u32>,
    round: u32,
    next: Vec<u32>,
    /// The steps since the budget was asked.
    steps: usize,
}

impl Scratch {
    fn begin(&mut self, states: usize) {
        if self.passed.len() != states || self.round == u32::MAX {
            self.passed = vec![0; states];
            self.added = vec![0; states];
            self.round = 0;
        }
        self.round += 1;
        self.next.clear();
        self.open.clear();
    }

    /// Counts a byte. Gives whether so much was done that the budget should be asked.
    fn is_due(&mut self) -> bool {
        self.steps += 1;
        let is_due = self.steps >= STEPS;
        if is_due {
            self.steps = 0;
        }
        is_due
    }
}

impl Table {
    /// Returns the number of a set.
    fn number(&mut self, set: &[u32], stride: usize) -> u32 {
        if let Some(number) = self.known.get(set) {
            return *number;
        }
        let set: Set = Arc::from(set);
        let number = self.sets.len() as u32;
        self.size += 4 * (set.len() + stride) + 96;
        self.rows.resize(self.rows.len() + stride, UNKNOWN);
        self.sets.push(Arc::clone(&set));
        self.known.insert(set, number);
        number
    }

    /// Forgets all sets.
    fn clear(&mut self) {
        let scratch = std::mem::take(&mut self.scratch);
        *self = Table { scratch, ..Table::default() };
    }

    fn set(&self, number: u32) -> Set {
        self.sets.get(number as usize).cloned().unwrap_or_else(|| Arc::from([]))
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

impl Matcher {
    /// Compiles an expression in the grammar of the engine; none if it is wrong or becomes too large.
    pub(crate) fn new(expression: &str) -> Option<Self> {
        let config = thompson::Config::new()
            .utf8(false)
            .nfa_size_limit(Some(SIZE_LIMIT))
            .which_captures(WhichCaptures::None);
        let nfa = thompson::Compiler::new()
            // Borders of words are those of ASCII, which don't know where letters of UTF-8 end. Texts are well-formed,
            // and borders are looked for between letters only.
            .syntax(syntax::Config::new().utf8(false))
            .configure(config)
            .build(expression)
            .ok()?;
        let looks = nfa.look_set_any();
        let words = looks.contains(Look::WordAscii) || looks.contains(Look::WordAsciiNegate);
        let classes = if words { ByteClasses::singletons() } else { *nfa.byte_classes() };
        let lines = looks.contains(Look::StartLF);
        Some(Matcher { nfa, classes, lines, words, table: Mutex::default() })
    }

    /// Returns the maximum memory of the expression.
    pub(crate) fn memory(&self) -> usize {
        self.nfa.memory_usage() + MAX_KEPT
    }

    /// Reports whether the expression matches anywhere in a text.
    pub(crate) fn is_match(&self, text: &str) -> bool {
        match self.table.try_lock() {
            Ok(mut table) => {
                let found = self.search(text.as_bytes(), &mut table);
                if table.size > MAX_KEPT {
                    table.clear();
                }
                if table.scratch.passed.len() * 8 > MAX_KEPT {
                    table.scratch = Scratch::default();
                }
                found
            }
            Err(_) => self.search(text.as_bytes(), &mut Table::default()),
        }
    }

    fn search(&self, text: &[u8], table: &mut Table) -> bool {
        let stride = self.classes.alphabet_len();
        let first = [Before::Start as u32, self.nfa.start_unanchored().as_u32()];
        let mut state = table.number(&first, stride);
        // Where the table was begun.
        let mut begun = 0;
        for at in 0..=text.len() {
            let byte = text.get(at).copied();
            let class = byte.map_or(stride - 1, |byte| usize::from(self.classes.get(byte)));
            let place = state as usize * stride + class;
            let mut next = table.rows.get(place).copied().unwrap_or(UNKNOWN);
            if next == UNKNOWN {
                if table.size > MAX_TABLE {
                    let set = table.set(state);
                    let is_useless = at - begun < table.sets.len() * WORTHWHILE;
                    table.clear();
                    if is_useless {
                        return self.follow(text, at, &set, &mut table.scratch);
                    }
                    begun = at;
                    state = table.number(&set, stride);
                }
                let set = table.set(state);
                next = match self.step(&set, byte, &mut table.scratch) {
                    Some(number) => number,
                    None => {
                        let following = std::mem::take(&mut table.scratch.next);
                        let number = table.number(&following, stride);
                        table.scratch.next = following;
                        number
                    }
                };
                if let Some(cell) = table.rows.get_mut(state as usize * stride + class) {
                    *cell = next;
                }
            }
            match next {
                MATCH => return true,
                DEAD => return false,
                number => state = number,
            }
            if table.scratch.is_due() && budget::is_stopped() {
                return true;
            }
        }
        false
    }

    /// Matches the rest of a text without a table.
    fn follow(&self, text: &[u8], from: usize, set: &[u32], scratch: &mut Scratch) -> bool {
        let mut set = set.to_vec();
        for at in from..=text.len() {
            match self.step(&set, text.get(at).copied(), scratch) {
                Some(MATCH) => return true,
                Some(_) => return false,
                None => std::mem::swap(&mut set, &mut scratch.next),
            }
            if scratch.is_due() && budget::is_stopped() {
                return true;
            }
        }
        false
    }

    /// Computes the transition of a set by a byte or the end: match, no match, or the set in `scratch.next`.
    fn step(&self, set: &[u32], byte: Option<u8>, scratch: &mut Scratch) -> Option<u32> {
        let (before, states) = set.split_first()?;
        scratch.begin(self.nfa.states().len());
        scratch.next.push(self.before(byte) as u32);
        let mut steps = 0;
        for state in states {
            scratch.open.push(StateID::new(*state as usize).ok()?);
            while let Some(id) = scratch.open.pop() {
                let Some(passed) = scratch.passed.get_mut(id.as_usize()) else { continue };
                if std::mem::replace(passed, scratch.round) == scratch.round {
                    continue;
                }
                steps += 1;
                let following = match self.nfa.state(id) {
                    State::ByteRange { trans } => {
                        byte.filter(|byte| trans.matches_byte(*byte)).map(|_| trans.next)
                    }
                    State::Sparse(many) => byte.and_then(|byte| many.matches_byte(byte)),
                    State::Dense(many) => byte.and_then(|byte| many.matches_byte(byte)),
                    State::Look { look, next } => {
                        if self.holds(*look, *before, byte) {
                            scratch.open.push(*next);
                        }
                        None
                    }
                    State::Union { alternates } => {
                        steps += alternates.len();
                        scratch.open.extend_from_slice(alternates);
                        None
                    }
                    State::BinaryUnion { alt1, alt2 } => {
                        scratch.open.extend_from_slice(&[*alt1, *alt2]);
                        None
                    }
                    State::Capture { next, .. } => {
                        scratch.open.push(*next);
                        None
                    }
                    State::Fail => None,
                    State::Match { .. } => return Some(MATCH),
                };
                if let Some(following) = following
                    && let Some(added) = scratch.added.get_mut(following.as_usize())
                    && std::mem::replace(added, scratch.round) != scratch.round
                {
                    scratch.next.push(following.as_u32());
                }
            }
        }
        if scratch.next.len() == 1 {
            return Some(DEAD);
        }
        if let Some((_, states)) = scratch.next.split_first_mut() {
            states.sort_unstable();
        }
        scratch.steps += steps;
        None
    }

    fn before(&self, byte: Option<u8>) -> Before {
        match byte {
            Some(b'\n') if self.lines => Before::Line,
            Some(byte) if self.words && is_word(byte) => Before::Word,
            _ => Before::Other,
        }
    }

    /// Reports whether something holds between what stood before and what follows.
    fn holds(&self, look: Look, before: u32, byte: Option<u8>) -> bool {
        let is_border = || (before == Before::Word as u32) != byte.is_some_and(is_word);
        match look {
            Look::Start => before == Before::Start as u32,
            Look::End => byte.is_none(),
            Look::StartLF => before == Before::Start as u32 || before == Before::Line as u32,
            Look::EndLF => byte.is_none_or(|byte| byte == b'\n'),
            Look::WordAscii => is_border(),
            // Not within a letter of several bytes.
            Look::WordAsciiNegate => !is_border() && byte.is_none_or(|byte| byte & 0xC0 != 0x80),
            // The grammar doesn't lead to any other.
            _ => false,
        }
    }
}
