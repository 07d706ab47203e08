//! The blocks of a README: commands (`sh`), and beneath them what they print (`text`).

use crate::Outcome;

/// Commands, and what they print if that is shown.
pub(crate) struct Block {
    /// The line of the README that the commands begin in.
    pub(crate) line: usize,
    pub(crate) commands: String,
    pub(crate) output: Option<String>,
}

/// The blocks of a text. A block of output belongs to the commands right above it.
pub(crate) fn blocks(text: &str) -> Outcome<Vec<Block>> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut lines = text.lines().zip(1..);
    // Whether nothing but empty lines came since the last commands.
    let mut is_beneath = false;
    while let Some((line, number)) = lines.next() {
        let Some(language) = line.strip_prefix("```") else {
            is_beneath &= line.trim().is_empty();
            continue;
        };
        let mut content = String::new();
        loop {
            let (line, _) = lines.next().ok_or_else(|| format!("README.md:{number}: a block has no end"))?;
            if line == "```" {
                break;
            }
            content.push_str(line);
            content.push('\n');
        }
        match language {
            "sh" => blocks.push(Block { line: number + 1, commands: content, output: None }),
            "text" if is_beneath => {
                if let Some(last) = blocks.last_mut() {
                    last.output = Some(content);
                }
            }
            _ => {}
        }
        is_beneath = language == "sh";
    }
    if blocks.is_empty() {
        return Err("the README has no commands".into());
    }
    Ok(blocks)
}

/// A text without what differs from run to run: ages, and how wide the columns beside them are.
pub(crate) fn comparable(text: &str) -> String {
    let line = |line: &str| {
        let words = line.split_whitespace().map(|word| if is_age(word) { "AGE" } else { word });
        words.collect::<Vec<_>>().join(" ")
    };
    text.trim().lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Whether a word is a time span such as `5s`.
fn is_age(word: &str) -> bool {
    let Some(rest) = word.strip_suffix(['s', 'm']) else { return false };
    !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit())
}
