//! Reading paths.

use serde_json::Value as Json;

use super::{End, Operator, Slice, Step};

/// How deep filters and unions may nest.
const MAX_DEPTH: usize = 32;

pub(super) fn parse(text: &str) -> Result<Vec<Step>, String> {
    steps(text, 0)
}

fn steps(text: &str, depth: usize) -> Result<Vec<Step>, String> {
    if depth > MAX_DEPTH {
        return Err("nests too deeply".to_owned());
    }
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let after = rest.get(letter.len_utf8()..).unwrap_or_default();
        rest = if let Some(filter) = rest.strip_prefix("[?(") {
            self::filter(filter, &mut found, depth)?
        } else if let Some(below) = rest.strip_prefix("..") {
            if found.last() == Some(&Step::Descent) {
                return Err("invalid multiple recursive descent".to_owned());
            }
            found.push(Step::Descent);
            match below.starts_with(|letter: char| letter == '_' || letter.is_alphanumeric()) {
                true => field(below, &mut found),
                false => below,
            }
        } else {
            match letter {
                '\r' | '\n' => return Err("unclosed action".to_owned()),
                ' ' | '@' | '$' => after,
                '[' => array(after, &mut found, depth)?,
                '"' | '\'' => quoted(rest, letter, &mut found)?,
                '.' => field(after, &mut found),
                '+' | '-' | '0'..='9' => number(rest, &mut found)?,
                letter if letter == '_' || letter.is_alphanumeric() => word(rest, &mut found)?,
                other => return Err(format!("unrecognized character in action: {other}")),
            }
        };
    }
    Ok(found)
}

fn is_end(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\r' | '\n' | '.' | ',' | '[' | ']' | '$' | '@' | '{' | '}')
}

/// Reads the name of a field, in which a backslash takes the meaning from what follows it.
fn field<'a>(text: &'a str, found: &mut Vec<Step>) -> &'a str {
    let mut name = String::new();
    let mut escaped = false;
    let mut end = text.len();
    for (at, letter) in text.char_indices() {
        if letter == '\\' && !escaped {
            escaped = true;
            continue;
        }
        if is_end(letter) && !escaped {
            end = at;
            break;
        }
        escaped = false;
        name.push(letter);
    }
    found.push(if name == "*" { Step::All } else { Step::Field(name) });
    text.get(end..).unwrap_or_default()
}

fn word<'a>(text: &'a str, found: &mut Vec<Step>) -> Result<&'a str, String> {
    let (word, rest) = text.split_at(text.find(is_end).unwrap_or(text.len()));
    match word {
        "true" | "false" => found.push(Step::Literal(Json::Bool(word == "true"))),
        other => return Err(format!("unrecognized identifier {other}")),
    }
    Ok(rest)
}

fn number<'a>(text: &'a str, found: &mut Vec<Step>) -> Result<&'a str, String> {
    let sign = usize::from(text.starts_with(['+', '-']));
    let digits = text.get(sign..).unwrap_or_default();
    let length =
        digits.find(|letter: char| letter != '.' && !letter.is_ascii_digit()).unwrap_or(digits.len());
    let (number, rest) = text.split_at(sign + length);
    let value = match (number.parse::<i64>(), number.parse::<f64>()) {
        (Ok(integer), _) => Json::from(integer),
        (_, Ok(float)) => Json::from(float),
        _ => return Err(format!("cannot parse number {number}")),
    };
    found.push(Step::Literal(value));
    Ok(rest)
}

fn quoted<'a>(text: &'a str, quote: char, found: &mut Vec<Step>) -> Result<&'a str, String> {
    let mut value = String::new();
    let mut letters = text.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\n' => break,
            letter if letter == quote => {
                found.push(Step::Literal(Json::String(value)));
                return Ok(text.get(at + 1..).unwrap_or_default());
            }
            '\\' => match letters.next().map(|(_, letter)| letter) {
                Some('n') => value.push('\n'),
                Some('t') => value.push('\t'),
                Some('r') => value.push('\r'),
                Some(letter) if letter == '\\' || letter == quote => value.push(letter),
                _ => return Err(format!("unquote string {text} error invalid syntax")),
            },
            letter => value.push(letter),
        }
    }
    Err("unterminated quoted string".to_owned())
}

/// Reads what stands in brackets: a name in quotes, a position, a slice, or several of them.
fn array<'a>(text: &'a str, found: &mut Vec<Step>, depth: usize) -> Result<&'a str, String> {
    let end = text.find([']', '\n']).filter(|end| text.get(*end..).is_some_and(|rest| rest.starts_with(']')));
    let (inner, rest) = end
        .and_then(|end| Some((text.get(..end)?, text.get(end + 1..)?)))
        .ok_or_else(|| "unterminated array".to_owned())?;
    if inner.contains(',') {
        let parts = inner.split(',').map(|part| steps(&format!("[{}]", part.trim_matches(' ')), depth + 1));
        found.push(Step::Union(parts.collect::<Result<_, _>>()?));
        return Ok(rest);
    }
    let name = inner.strip_prefix('\'').and_then(|inner| inner.strip_suffix('\''));
    if let Some(name) = name.filter(|name| !name.contains('\'')) {
        // A dot in the quotes leads one deeper, unless it is escaped.
        found.extend(steps(&format!(".{name}"), depth + 1)?);
        return Ok(rest);
    }
    found.push(Step::Slice(slice(if inner == "*" { ":" } else { inner })?));
    Ok(rest)
}

fn slice(text: &str) -> Result<Slice, String> {
    let mut parts = text.split(':');
    let mut next = || {
        parts.next().map(|part| match part {
            "" => Ok(None),
            part if part.starts_with('+') => Err(format!("invalid array index {text}")),
            part => part.parse::<i64>().map(Some).map_err(|_| format!("invalid array index {text}")),
        })
    };
    let start = next().transpose()?.flatten();
    let end = match next().transpose()? {
        None => End::AfterOne,
        Some(None) => End::Open,
        Some(Some(end)) => End::At(end),
    };
    let step = next().transpose()?.flatten();
    if parts.next().is_some() {
        return Err(format!("invalid array index {text}"));
    }
    Ok(Slice { start, end, step })
}

/// Reads a filter from behind its opening.
fn filter<'a>(text: &'a str, found: &mut Vec<Step>, depth: usize) -> Result<&'a str, String> {
    let mut quote = None;
    let mut before = ' ';
    let mut end = None;
    for (at, letter) in text.char_indices() {
        match letter {
            '\n' => break,
            '"' | '\'' if quote.is_none() => quote = Some(letter),
            letter if quote == Some(letter) && before != '\\' => quote = None,
            ')' if quote.is_none() => {
                end = Some(at);
                break;
            }
            _ => {}
        }
        before = letter;
    }
    let (inner, rest) = end
        .and_then(|end| Some((text.get(..end)?, text.get(end + 1..)?)))
        .ok_or_else(|| "unterminated filter".to_owned())?;
    let rest = rest.strip_prefix(']').ok_or_else(|| "unclosed array expect ]".to_owned())?;
    let is_sign = |letter: char| "!<>=".contains(letter);
    let Some(at) = inner.find(is_sign).filter(|at| *at > 0) else {
        found.push(Step::Filter(steps(inner, depth + 1)?, None));
        return Ok(rest);
    };
    let (left, right) = inner.split_at(at);
    let signs = right.find(|letter| !is_sign(letter)).unwrap_or(right.len());
    let (sign, right) = right.split_at(signs);
    let operator = match sign {
        "<" => Operator::Less,
        "<=" => Operator::LessOrEqual,
        "==" => Operator::Equal,
        "!=" => Operator::NotEqual,
        ">=" => Operator::GreaterOrEqual,
        ">" => Operator::Greater,
        other => return Err(format!("unrecognized filter operator {other}")),
    };
    found.push(Step::Filter(steps(left, depth + 1)?, Some((operator, steps(right, depth + 1)?))));
    Ok(rest)
}
