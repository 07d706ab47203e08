//! KYAML: a strict subset of YAML that looks like JSON.
//!
//! Maps and lists have brackets, strings have quotes, keys have them only where they could be mistaken for
//! something else. Strings of several lines are folded so that their lines can be seen.

mod ambiguous;

use std::io::Write;

use rhumb_schema::text::{Scanner, SyntaxError, is_printable};

use crate::document::{ManagedFields, compact};
use crate::{Item, PrintError, Printer};

/// Prints KYAML documents, each with `---`.
#[derive(Clone, Debug, Default)]
pub struct KyamlPrinter {
    managed_fields: ManagedFields,
}

impl KyamlPrinter {
    /// Creates a printer of KYAML.
    pub fn new(managed_fields: ManagedFields) -> KyamlPrinter {
        KyamlPrinter { managed_fields }
    }
}

impl Printer for KyamlPrinter {
    fn print_item(&mut self, item: Item<'_>, out: &mut dyn Write) -> Result<(), PrintError> {
        let json = compact(item, self.managed_fields)?;
        let mut text = String::from("---\n");
        match read(&mut Scanner::new(&json)) {
            Ok(node) => write_node(&node, 0, &mut text),
            Err(error) => return Err(PrintError::Json(error)),
        }
        text.push('\n');
        Ok(out.write_all(text.as_bytes())?)
    }
}

/// A value with ordered entries.
enum Node {
    /// A number or a word, as JSON writes it.
    Word(String),
    Text(String),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

fn read(scanner: &mut Scanner<'_>) -> Result<Node, SyntaxError> {
    Ok(match scanner.peek() {
        Some(b'{') => {
            scanner.bump();
            let mut entries = Vec::new();
            while scanner.next_entry(entries.is_empty())? {
                let key = scanner.key()?.into_owned();
                entries.push((key, read(scanner)?));
            }
            Node::Map(entries)
        }
        Some(b'[') => {
            scanner.bump();
            let mut items = Vec::new();
            while scanner.next_element(items.is_empty())? {
                items.push(read(scanner)?);
            }
            Node::List(items)
        }
        Some(b'"') => Node::Text(scanner.string()?.into_owned()),
        Some(b'-' | b'0'..=b'9') => Node::Word(scanner.number()?.to_owned()),
        _ => Node::Word(scanner.literal()?.to_owned()),
    })
}

fn indent(level: usize, out: &mut String) {
    out.extend(std::iter::repeat_n("  ", level));
}

fn write_node(node: &Node, level: usize, out: &mut String) {
    match node {
        Node::Word(word) => out.push_str(word),
        Node::Text(text) => write_value(text, level + 1, out),
        Node::List(items) if items.is_empty() => out.push_str("[]"),
        // Lists of lists and maps alone have their brackets beside those of their elements.
        Node::List(items) if items.iter().all(|item| matches!(item, Node::List(_) | Node::Map(_))) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                write_node(item, level, out);
            }
            out.push(']');
        }
        Node::List(items) => {
            out.push_str("[\n");
            for item in items {
                indent(level + 1, out);
                write_node(item, level + 1, out);
                out.push_str(",\n");
            }
            indent(level, out);
            out.push(']');
        }
        Node::Map(entries) if entries.is_empty() => out.push_str("{}"),
        Node::Map(entries) => {
            out.push_str("{\n");
            for (key, value) in entries {
                indent(level + 1, out);
                write_key(key, out);
                out.push_str(": ");
                write_node(value, level + 1, out);
                out.push_str(",\n");
            }
            indent(level, out);
            out.push('}');
        }
    }
}

fn write_key(key: &str, out: &mut String) {
    if !ambiguous::needs_quotes(key) {
        out.push_str(key);
        return;
    }
    out.push('"');
    for letter in key.chars() {
        match letter {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            other => escape(other, out),
        }
    }
    out.push('"');
}

/// Writes a string; one of several lines has each of them on a line of its own.
fn write_value(text: &str, level: usize, out: &mut String) {
    const FOLD: &str = "\\\n";
    let folded = text.contains('\n');
    out.push('"');
    if folded {
        out.push_str(FOLD);
    }
    let mut at_line_start = folded;
    for letter in text.chars() {
        if at_line_start {
            indent(level, out);
            // Blanks at the start of a line would be lost without a mark; other lines are moved to stand with
            // them.
            out.push(if letter.is_whitespace() && letter != '\n' { '\\' } else { ' ' });
        }
        at_line_start = letter == '\n';
        match letter {
            '\n' => {
                out.push_str("\\n");
                out.push_str(FOLD);
            }
            '\t' => out.push('\t'),
            other => escape(other, out),
        }
    }
    if folded {
        if !at_line_start {
            out.push_str(FOLD);
        }
        indent(level, out);
    }
    out.push('"');
}

fn escape(letter: char, out: &mut String) {
    let escape = match letter {
        '"' => "\\\"",
        '\\' => "\\\\",
        '\0' => "\\0",
        '\x07' => "\\a",
        '\x08' => "\\b",
        '\x0b' => "\\v",
        '\x0c' => "\\f",
        '\r' => "\\r",
        '\x1b' => "\\e",
        '\u{85}' => "\\N",
        '\u{a0}' => "\\_",
        '\u{2028}' => "\\L",
        '\u{2029}' => "\\P",
        printable if is_printable(printable) => return out.push(printable),
        other => {
            let code = u32::from(other);
            let text = match code {
                0..0x20 | 0x7f => format!("\\x{code:02x}"),
                0x20..0x10000 => format!("\\u{code:04x}"),
                _ => format!("\\U{code:08x}"),
            };
            return out.push_str(&text);
        }
    };
    out.push_str(escape);
}
