//! Line wrapping of descriptions, in kubectl's two ways.

/// Breaks lines at spaces so that they are no wider than a limit, and leaves everything else as it is.
pub(super) fn wrap(text: &str, limit: usize) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut width, mut word, mut space) = (0, Run::default(), Run::default());
    for letter in text.chars() {
        if letter == '\n' {
            if !word.text.is_empty() || width + space.width <= limit {
                out.push_str(&space.text);
            }
            out.push_str(&word.text);
            out.push('\n');
            (width, word, space) = (0, Run::default(), Run::default());
        } else if letter.is_whitespace() && letter != '\u{a0}' {
            if space.text.is_empty() || !word.text.is_empty() {
                width += space.width + word.width;
                out.push_str(&std::mem::take(&mut space).text);
                out.push_str(&std::mem::take(&mut word).text);
            }
            space.push(letter);
        } else {
            word.push(letter);
            if width + word.width + space.width > limit && word.width < limit {
                out.push('\n');
                width = 0;
                space = Run::default();
            }
        }
    }
    if !word.text.is_empty() || width + space.width <= limit {
        out.push_str(&space.text);
    }
    out + &word.text
}

/// Characters of one class.
#[derive(Default)]
struct Run {
    text: String,
    width: usize,
}

impl Run {
    fn push(&mut self, letter: char) {
        self.text.push(letter);
        self.width += 1;
    }
}

/// Puts spaces before each line, also before one that is empty.
pub(super) fn indent(text: &str, amount: usize) -> String {
    let pad = " ".repeat(amount);
    format!("{pad}{}", text.replace('\n', &format!("\n{pad}")))
}

/// Fills lines anew up to a width. Code, lists, empty lines and what follows a colon keep their line ends.
pub(super) fn fill(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    let mut last_word = "";
    let flush = |line: &mut String, last_word: &mut &str, lines: &mut Vec<String>| {
        if !line.is_empty() {
            *last_word = "";
            lines.push(std::mem::take(line));
        }
    };
    for given in text.split('\n') {
        if given.starts_with("    ") {
            flush(&mut line, &mut last_word, &mut lines);
            lines.push(given.to_owned());
            continue;
        }
        let trimmed = given.trim();
        if !lines.is_empty() && trimmed.is_empty() {
            flush(&mut line, &mut last_word, &mut lines);
            lines.push(String::new());
            continue;
        }
        if last_word.ends_with(':') || trimmed.is_empty() || is_list_item(trimmed) {
            flush(&mut line, &mut last_word, &mut lines);
        }
        for word in given.split_whitespace() {
            last_word = word;
            if !line.is_empty() && line.len() + 1 + word.len() > width {
                flush(&mut line, &mut last_word, &mut lines);
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    flush(&mut line, &mut last_word, &mut lines);
    lines
}

/// Reports whether a line begins with a number, a hyphen or a star, and a space.
fn is_list_item(line: &str) -> bool {
    let rest = match line.strip_prefix(['-', '*']) {
        Some(rest) => rest,
        None => {
            let rest = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
            if rest.len() == line.len() {
                return false;
            }
            rest.strip_prefix('.').unwrap_or(rest)
        }
    };
    rest.starts_with(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_spaces() {
        assert_eq!(wrap("aa bb cc", 5), "aa bb\ncc");
        assert_eq!(wrap("aaaaaaaa bb", 5), "aaaaaaaa\nbb");
        assert_eq!(wrap("aa\n\n  bb\n", 5), "aa\n\n  bb\n");
        assert_eq!(indent("a\nb\n", 2), "  a\n  b\n  ");
    }

    #[test]
    fn lists_and_code_keep_their_lines() {
        assert_eq!(
            fill("a b\nc d:\ne\n- f\n    g  h\n\ni", 80),
            ["a b c d:", "e", "- f", "    g  h", "", "i"]
        );
        assert_eq!(fill("aa bb cc", 5), ["aa bb", "cc"]);
    }
}
