//! Matching texts: a deterministic automaton that is made as far as texts need it.
//!
//! A state of it is the set of the expression's own states that a text may have led to, and what stood before. What
//! follows from a state and a byte is found once and kept in a table, so that most bytes of a text cost one look. If
//! the table grows too large it is begun anew, and if that doesn't help, sets are followed without one. Either way
//! each byte costs no more than a pass over the expression, and every few thousand steps the caller is
//! asked whether to go on.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use regex_automata::nfa::thompson::{self, NFA, State, WhichCaptures};
use regex_automata::util::alphabet::ByteClasses;
use regex_automata::util::look::Look;
use regex_automata::util::primitives::StateID;
use regex_automata::util::syntax;

/// How large an expression may become in memory.
const SIZE_LIMIT: usize = 16 << 20;
/// How large the table may become while a text is matched.
const MAX_TABLE: usize = 2 << 20;
/// How much of the table is kept until the next text.
const MAX_KEPT: usize = 64 << 10;
/// How many bytes of a text a state must serve so that the table is worth its making.
const WORTHWHILE: usize = 10;
/// Steps between two questions whether to go on.
const STEPS: usize = 1 << 14;

/// What follows is not known yet.
const UNKNOWN: u32 = u32::MAX;
/// The text matches, whatever follows.
const MATCH: u32 = u32::MAX - 1;
/// The text doesn't match, whatever follows.
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

/// What stands before a place in a text, as far as it matters.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
enum Before {
    Start = 0,
    Line = 1,
    Word = 2,
    Other = 3,
}

/// A set of states, sorted, with what stood before at its head.
type Set = Arc<[u32]>;

#[derive(Default)]
struct Table {
    /// What follows, a row for each set.
    rows: Vec<u32>,
    sets: Vec<Set>,
    known: HashMap<Set, u32>,
    size: usize,
    scratch: Scratch,
}

/// Room for following sets.
#[derive(Default)]
struct Scratch {
    open: Vec<StateID>,
    /// The round in which a state was last passed, and last added to what follows.
    passed: Vec<u32>,
    added: Vec<u32>,
    round: u32,
    next: Vec<u32>,
    /// The steps since the caller was asked whether to go on.
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

    /// Counts a byte. Gives whether so much was done that the caller should be asked.
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
    /// The number of a set.
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

    /// What the expression holds in memory, at most.
    pub(crate) fn memory(&self) -> usize {
        self.nfa.memory_usage() + MAX_KEPT
    }

    /// Whether the expression matches anywhere in a text; none if the caller doesn't want to know any more.
    pub(crate) fn is_match(&self, text: &str, stop: &mut dyn FnMut() -> bool) -> Option<bool> {
        match self.table.try_lock() {
            Ok(mut table) => {
                let found = self.search(text.as_bytes(), &mut table, stop);
                if table.size > MAX_KEPT {
                    table.clear();
                }
                if table.scratch.passed.len() * 8 > MAX_KEPT {
                    table.scratch = Scratch::default();
                }
                found
            }
            Err(_) => self.search(text.as_bytes(), &mut Table::default(), stop),
        }
    }

    fn search(&self, text: &[u8], table: &mut Table, stop: &mut dyn FnMut() -> bool) -> Option<bool> {
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
                        return self.follow(text, at, &set, &mut table.scratch, stop);
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
                MATCH => return Some(true),
                DEAD => return Some(false),
                number => state = number,
            }
            if table.scratch.is_due() && stop() {
                return None;
            }
        }
        Some(false)
    }

    /// Matches the rest of a text without a table.
    fn follow(
        &self,
        text: &[u8],
        from: usize,
        set: &[u32],
        scratch: &mut Scratch,
        stop: &mut dyn FnMut() -> bool,
    ) -> Option<bool> {
        let mut set = set.to_vec();
        for at in from..=text.len() {
            match self.step(&set, text.get(at).copied(), scratch) {
                Some(MATCH) => return Some(true),
                Some(_) => return Some(false),
                None => std::mem::swap(&mut set, &mut scratch.next),
            }
            if scratch.is_due() && stop() {
                return None;
            }
        }
        Some(false)
    }

    /// What follows a set and a byte, or the end: a match, nothing, or the set that stands in `scratch.next` then.
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

    /// Whether something holds between what stood before and what follows.
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
