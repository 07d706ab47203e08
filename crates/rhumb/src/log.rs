//! Logging of `rhumb serve`: text lines on standard error.
//!
//! Values from clients can't forge lines or send terminal sequences: control characters are escaped.

use std::fmt::{self, Write};

use tracing_subscriber::field::MakeExt;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::format::debug_fn;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Installs the logger for a verbosity (`-v`): warnings at 0, events at 1, requests at 3, and what dependencies log
/// at 8.
pub(crate) fn begin(verbosity: i64) {
    let ours = match verbosity {
        ..=0 => LevelFilter::WARN,
        1..=2 => LevelFilter::INFO,
        3..=5 => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    };
    let others = if verbosity >= 8 { LevelFilter::DEBUG } else { LevelFilter::WARN };
    let wanted = Targets::new().with_default(others).with_target("rhumb", ours);
    let fields = debug_fn(|writer, field, value| {
        let mut writer = Escaping(writer);
        match field.name() {
            "message" => write!(writer, "{value:?}"),
            name => write!(writer, "{name}={value:?}"),
        }
    });
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_ansi(false);
    let lines = lines.fmt_fields(fields.delimited(" "));
    // A process has one logger; later calls have no effect.
    let _ = tracing_subscriber::registry().with(lines).with(wanted).try_init();
}

/// Writes control characters as escapes.
struct Escaping<W>(W);

impl<W: Write> Write for Escaping<W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for part in text.split_inclusive(char::is_control) {
            match part.char_indices().next_back() {
                Some((at, last)) if last.is_control() => {
                    write!(self.0, "{}{}", part.get(..at).unwrap_or_default(), last.escape_default())?;
                }
                _ => self.0.write_str(part)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_makes_no_line_of_its_own() {
        let mut told = Escaping(String::new());
        let hostile = "a\r\nWARN b\t\x1b[31m\u{9b}é \"c\"\n";
        write!(told, "reason={hostile}").unwrap();
        assert_eq!(told.0, "reason=a\\r\\nWARN b\\t\\u{1b}[31m\\u{9b}é \"c\"\\n");
    }
}
