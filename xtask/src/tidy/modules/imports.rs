//! Reads from the text of a module which paths of its own crate it names.
//!
//! It knows as much of the language as is needed for that: comments, texts, `use` with its braces, and paths that
//! begin with `crate`, `super` or `self`. A path in a `use` that begins with anything else may be that of a child
//! module, and is given as such; who asks knows which modules there are.

/// A path that a module names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Import {
    /// The path from the crate's root.
    pub(super) path: Vec<String>,
    /// The line, counted from 1.
    pub(super) line: usize,
    /// Whether the module gives it to others under its own name.
    pub(super) is_export: bool,
}

/// The paths that a module names, but for those of its tests.
pub(super) fn imports(module: &[String], text: &str) -> Vec<Import> {
    let text = without_texts(text);
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let mut found = Vec::new();
    let mut position = 0;
    while let Some(rest) = text.get(position..).filter(|rest| !rest.is_empty()) {
        let is_begin = !text.get(..position).is_some_and(|before| before.ends_with(is_path_letter));
        let line = || text.get(..position).unwrap_or_default().matches('\n').count() + 1;
        if is_begin
            && rest.starts_with("use ")
            && let Some(end) = rest.find(';')
        {
            let statement = rest.get("use ".len()..end).unwrap_or_default();
            let before = text.get(..position).unwrap_or_default();
            let head = before.rsplit('\n').next().unwrap_or_default().trim();
            for leaf in leaves(statement) {
                if let Some(path) = absolute(module, &leaf, Relative::Child) {
                    found.push(Import { path, line: line(), is_export: head.starts_with("pub") });
                }
            }
            position += end;
        } else if is_begin && ["crate::", "super::", "self::"].iter().any(|begin| rest.starts_with(begin)) {
            let end = rest.find(|letter: char| !is_path_letter(letter)).unwrap_or(rest.len());
            let named = rest.get(..end).unwrap_or_default().trim_end_matches(':');
            if let Some(path) = absolute(module, named, Relative::Nothing) {
                found.push(Import { path, line: line(), is_export: false });
            }
            position += end;
        } else {
            position += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    found
}

fn is_path_letter(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == ':'
}

/// What a path is that begins with none of the words for a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relative {
    /// It may be below the module.
    Child,
    /// It is none of ours.
    Nothing,
}

/// The path from the crate's root.
fn absolute(module: &[String], named: &str, otherwise: Relative) -> Option<Vec<String>> {
    let mut parts = named.split("::").filter(|part| !part.is_empty()).peekable();
    let mut path = module.to_vec();
    match parts.peek().copied()? {
        "crate" => {
            path.clear();
            parts.next();
        }
        "self" => {
            parts.next();
        }
        "super" => {
            while parts.next_if_eq(&"super").is_some() {
                path.pop();
            }
        }
        _ if otherwise == Relative::Nothing => return None,
        _ => {}
    }
    path.extend(parts.filter(|part| !matches!(*part, "self" | "*")).map(str::to_owned));
    Some(path)
}

/// The paths of a `use`, one for each name.
fn leaves(statement: &str) -> Vec<String> {
    let Some(brace) = statement.find('{') else {
        // What it is called here doesn't matter.
        let path = statement.split(" as ").next().unwrap_or_default();
        return vec![path.split_whitespace().collect()];
    };
    let (before, inside) = statement.split_at(brace);
    let inside = inside.get(1..inside.rfind('}').unwrap_or(1)).unwrap_or_default();
    let (mut depth, mut begin, mut parts) = (0_usize, 0, Vec::new());
    for (place, letter) in inside.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(inside.get(begin..place).unwrap_or_default());
                begin = place + 1;
            }
            _ => {}
        }
    }
    parts.push(inside.get(begin..).unwrap_or_default());
    let before: String = before.split_whitespace().collect();
    let parts = parts.into_iter().filter(|part| !part.trim().is_empty());
    parts.flat_map(leaves).map(|leaf| format!("{before}{leaf}")).collect()
}

/// The text with nothing in its comments and texts. Lines stay where they are.
fn without_texts(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '/' if letters.peek() == Some(&'/') => while letters.next_if(|next| *next != '\n').is_some() {},
            '"' => {
                out.push('"');
                while let Some(inner) = letters.next() {
                    match inner {
                        '\\' => {
                            letters.next();
                        }
                        '"' => break,
                        '\n' => out.push('\n'),
                        _ => {}
                    }
                }
                out.push('"');
            }
            // A quote as a letter begins no text.
            '\'' if letters.peek() == Some(&'"') => {
                out.push('\'');
                letters.next();
            }
            other => out.push(other),
        }
    }
    out
}
