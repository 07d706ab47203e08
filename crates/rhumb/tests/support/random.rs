//! Random numbers and texts, the same for the same seed on every machine.

use serde_json::{Map, Value as Json};

/// A stream of random numbers (SplitMix64): small, and good enough to pick among a few choices.
pub(crate) struct Random(u64);

/// Texts that some format, parser or printer has tripped over: what YAML takes for something else than a text, what
/// JSON has to escape, what protobuf carries as it is, and blanks where trimming would hurt.
#[rustfmt::skip]
const TEXTS: &[&str] = &[
    "", " ", "a", "web", "a=b", "a in (b, c)", "app.kubernetes.io/name", "10%", "yes", "No", "on", "true",
    "null", "~", "Null", "0777", "0o17", "0x1f", "0b11", "1e3", "1_000", ".5", "5.", ".inf", "-.INF",
    ".nan", "+1", "-0", "12:30:45", "2001-12-14", "2001-12-14T21:59:43Z", "=", "<<", "-", "--- a", "---",
    "...", "- a", "a: b", "a:", ": a", "? a", "!tag", "!!str a", "&anchor", "*alias", "#no comment",
    "a #comment", "{a", "[a", "a]", "a, b", "%YAML 1.2", "@at", "`tick", "|", ">", "|-\n  a", "'quoted'",
    "\"quoted\"", "it's", "back\\slash", "\\n", " leading", "trailing ", "\ttab", "tab\t", "a\tb", "line\n",
    "\nline", "two\nlines", "two\n\nlines\n\n", "  indented\nlines\n", "first\n indented\n", "win\r\ndows",
    "cr\r", "\0", "\u{1}\u{1f}", "\u{7f}", "\u{85}", "\u{a0}", "\u{ad}", "\u{feff}bom", "\u{2028}",
    "\u{2029}", "<script>&amp;</script>", "grün", "日本語", "مرحبا", "e\u{301}", "👩‍👩‍👧", "\u{10ffff}",
    "\u{fffd}", "\u{fffe}", "\u{ffff}", "\u{e000}", "\u{d7ff}",
];

impl Random {
    /// The stream of a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// The next number, any.
    pub(crate) fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below a bound that is not zero.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.number() % bound.max(1) as u64) as usize
    }

    /// True in so many of a hundred cases.
    pub(crate) fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of several.
    pub(crate) fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }

    /// An integer: small, at an edge, or any.
    pub(crate) fn int64(&mut self) -> i64 {
        match self.below(4) {
            0 => self.below(200) as i64 - 100,
            1 => *self.pick(&[
                i64::MIN,
                i64::MIN + 1,
                i64::MAX,
                i64::MAX - 1,
                1 << 53,
                (1 << 53) + 1,
                -(1 << 32),
            ]),
            2 => i64::from(self.int32()),
            _ => self.number() as i64,
        }
    }

    /// An integer: small, at an edge, or any.
    pub(crate) fn int32(&mut self) -> i32 {
        match self.below(3) {
            0 => self.below(200) as i32 - 100,
            1 => *self.pick(&[i32::MIN, i32::MIN + 1, i32::MAX, i32::MAX - 1, 127, 128, -1, 65536]),
            _ => self.number() as i32,
        }
    }

    /// A floating point number that JSON can say.
    pub(crate) fn double(&mut self) -> f64 {
        match self.below(3) {
            0 => self.below(200) as f64 / 8.0,
            1 => *self.pick(&[
                f64::MIN,
                f64::MAX,
                f64::MIN_POSITIVE,
                5e-324,
                1e21,
                1e-7,
                0.1,
                -0.0,
                9_007_199_254_740_993.0,
            ]),
            _ => Some(f64::from_bits(self.number())).filter(|number| number.is_finite()).unwrap_or(0.5),
        }
    }

    /// A text: one that is known for trouble, random characters, or rarely a very long one.
    pub(crate) fn text(&mut self) -> String {
        match self.below(40) {
            0 => self.pick(TEXTS).repeat(1 + self.below(3000)).chars().take(20_000).collect(),
            1..8 => (0..self.below(12)).map(|_| self.character()).collect(),
            8..12 => format!("{}{}", self.pick(TEXTS), self.pick(TEXTS)),
            _ => (*self.pick(TEXTS)).to_owned(),
        }
    }

    /// A text as the key of a map. Only `<<` is none: YAML takes it for the merging of maps, and the library that
    /// Kubernetes writes YAML with doesn't quote it, so that neither it nor we can read such a map back.
    pub(crate) fn key(&mut self) -> String {
        Some(self.text()).filter(|text| text != "<<").unwrap_or_default()
    }

    fn character(&mut self) -> char {
        let bound = *self.pick(&[0x80, 0x80, 0x800, 0x1_0000, 0x11_0000]);
        char::from_u32(self.below(bound) as u32).unwrap_or('\u{fffd}')
    }

    /// Bytes, mostly few.
    pub(crate) fn bytes(&mut self) -> Vec<u8> {
        let len = if self.percent(5) { self.below(3000) } else { self.below(8) };
        (0..len).map(|_| self.number() as u8).collect()
    }

    /// A JSON tree of bounded depth.
    pub(crate) fn tree(&mut self, depth: usize) -> Json {
        match self.below(if depth == 0 { 5 } else { 8 }) {
            0 => Json::Null,
            1 => Json::Bool(self.percent(50)),
            2 => Json::from(self.int64()),
            3 => Json::from(self.below(1000) as f64 / 8.0 + 0.0625),
            4 => Json::String(self.text()),
            5 => Json::Array((0..self.below(4)).map(|_| self.tree(depth - 1)).collect()),
            _ => Json::Object(self.object(depth)),
        }
    }

    /// The entries of a JSON object of bounded depth.
    pub(crate) fn object(&mut self, depth: usize) -> Map<String, Json> {
        (0..self.below(4)).map(|_| (self.key(), self.tree(depth.saturating_sub(1)))).collect()
    }
}
