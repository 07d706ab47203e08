//! Prometheus' text format, version 0.0.4.

use std::fmt::{self, Display, Write as _};

use crate::Histogram;

/// The type of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A number that only grows.
    Counter,
    /// A number that goes up and down.
    Gauge,
    /// Values in buckets.
    Histogram,
}

/// Metrics as text.
#[derive(Clone, Debug, Default)]
pub struct Text(String);

impl Text {
    /// A text with room for so many bytes.
    pub fn with_capacity(bytes: usize) -> Self {
        Text(String::with_capacity(bytes))
    }

    /// Begins a metric, with what it tells. Its samples follow.
    pub fn family<'a>(&'a mut self, name: &'a str, kind: Kind, help: &str) -> Family<'a> {
        let kind = match kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Histogram => "histogram",
        };
        // Writing to a string doesn't fail, here and below.
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
        Family { out: &mut self.0, name }
    }

    /// The whole text.
    pub fn into_string(self) -> String {
        self.0
    }
}

impl From<String> for Text {
    /// Goes on behind a text.
    fn from(text: String) -> Self {
        Text(text)
    }
}

/// A metric whose samples are being written.
#[derive(Debug)]
pub struct Family<'a> {
    out: &'a mut String,
    name: &'a str,
}

impl Family<'_> {
    /// Writes the value of the series with these labels; with none if they are empty.
    pub fn sample(&mut self, labels: &str, value: impl Display) {
        let _ = match labels {
            "" => writeln!(self.out, "{} {value}", self.name),
            _ => writeln!(self.out, "{}{{{labels}}} {value}", self.name),
        };
    }

    /// Writes the series with these labels, of which there must be some.
    pub fn histogram(&mut self, labels: &str, histogram: &Histogram) {
        let mut all = 0;
        for (end, count) in histogram.cumulated() {
            let _ = writeln!(self.out, "{}_bucket{{{labels},le=\"{}\"}} {count}", self.name, Number(end));
            all = count;
        }
        let _ = writeln!(self.out, "{}_sum{{{labels}}} {}", self.name, Number(histogram.sum()));
        let _ = writeln!(self.out, "{}_count{{{labels}}} {all}", self.name);
    }
}

/// Labels as they stand between braces, in the order given.
pub fn labels(pairs: &[(&str, &str)]) -> String {
    let mut out = String::new();
    for (name, value) in pairs {
        if !out.is_empty() {
            out.push(',');
        }
        let _ = write!(out, "{name}=\"{}\"", Escaped(value));
    }
    out
}

/// A label's value as it stands between quotes.
struct Escaped<'a>(&'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in self.0.split_inclusive(['\\', '"', '\n']) {
            let (plain, escape) = match part.as_bytes().last() {
                Some(b'\\') => (part.strip_suffix('\\'), "\\\\"),
                Some(b'"') => (part.strip_suffix('"'), "\\\""),
                Some(b'\n') => (part.strip_suffix('\n'), "\\n"),
                _ => (None, ""),
            };
            f.write_str(plain.unwrap_or(part))?;
            f.write_str(escape)?;
        }
        Ok(())
    }
}

/// A number as Go writes it: with an exponent if it is very small or large.
struct Number(f64);

impl Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == f64::INFINITY {
            return f.write_str("+Inf");
        }
        let scientific = format!("{:e}", self.0);
        let parts = scientific.split_once('e');
        match parts.and_then(|(digits, exponent)| Some((digits, exponent.parse::<i32>().ok()?))) {
            Some((digits, exponent)) if self.0 != 0.0 && !(-4..21).contains(&exponent) => {
                let sign = if exponent < 0 { '-' } else { '+' };
                write!(f, "{digits}e{sign}{:02}", exponent.unsigned_abs())
            }
            _ => write!(f, "{}", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_by_go() {
        for (number, expect) in [
            (0.0, "0"),
            (1.0, "1"),
            (0.005, "0.005"),
            (0.0001, "0.0001"),
            (1e-8, "1e-08"),
            (9.999999999999999e-6, "9.999999999999999e-06"),
            (9.999999999999999e-5, "9.999999999999999e-05"),
            (16_777_216.0, "16777216"),
            (1e20, "100000000000000000000"),
            (2.5e21, "2.5e+21"),
            (f64::INFINITY, "+Inf"),
        ] {
            assert_eq!(Number(number).to_string(), expect);
        }
    }

    #[test]
    fn labels_are_escaped() {
        let text = labels(&[("a", "b\\c\"d\ne"), ("f", ""), ("g", "\"")]);
        assert_eq!(text, "a=\"b\\\\c\\\"d\\ne\",f=\"\",g=\"\\\"\"");
    }

    #[test]
    fn a_series_without_labels_has_no_braces() {
        let mut text = Text::from("before\n".to_owned());
        text.family("a", Kind::Counter, "b").sample("", 1);
        assert_eq!(text.into_string(), "before\n# HELP a b\n# TYPE a counter\na 1\n");
    }
}
