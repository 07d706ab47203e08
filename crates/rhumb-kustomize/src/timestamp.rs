//! Unquoted timestamps, which go-yaml v3 parses as times.

/// Returns the time as it is printed when the document is written again, or nothing if the text is no time.
pub(crate) fn normalize(text: &str) -> Option<String> {
    let (year, rest) = number(text, 4, 4)?;
    let (month, rest) = number(rest.strip_prefix('-')?, 1, 2)?;
    let (day, rest) = number(rest.strip_prefix('-')?, 1, 2)?;
    if !(1..=12).contains(&month) || day < 1 || day > days_in(year, month) {
        return None;
    }
    let date = format!("{year:04}-{month:02}-{day:02}");
    if rest.is_empty() {
        return Some(format!("{date}T00:00:00Z"));
    }
    let with_zone = rest.starts_with(['T', 't']);
    let rest = rest.strip_prefix(['T', 't', ' '])?;
    let (hour, rest) = number(rest, 1, 2)?;
    let (minute, rest) = number(rest.strip_prefix(':')?, 1, 2)?;
    let (second, rest) = number(rest.strip_prefix(':')?, 1, 2)?;
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let (fraction, rest) = match rest.strip_prefix(['.', ',']) {
        Some(rest) => {
            let end = rest.find(|character: char| !character.is_ascii_digit()).unwrap_or(rest.len());
            let digits = rest.get(..end).filter(|digits| !digits.is_empty())?;
            (digits.get(..9).unwrap_or(digits).trim_end_matches('0'), rest.get(end..)?)
        }
        None => ("", rest),
    };
    let zone = if with_zone { zone(rest)? } else { rest.is_empty().then(|| "Z".to_owned())? };
    let point = if fraction.is_empty() { "" } else { "." };
    Some(format!("{date}T{hour:02}:{minute:02}:{second:02}{point}{fraction}{zone}"))
}

fn zone(text: &str) -> Option<String> {
    if text == "Z" {
        return Some("Z".to_owned());
    }
    let sign = text.chars().next().filter(|sign| matches!(sign, '+' | '-'))?;
    let (hours, rest) = number(text.get(1..)?, 2, 2)?;
    let (minutes, rest) = number(rest.strip_prefix(':')?, 2, 2)?;
    if !rest.is_empty() || hours > 24 || minutes > 60 {
        return None;
    }
    if hours == 0 && minutes == 0 {
        return Some("Z".to_owned());
    }
    Some(format!("{sign}{hours:02}:{minutes:02}"))
}

/// Returns a number of so many digits at the beginning of a text, and the rest.
fn number(text: &str, least: usize, most: usize) -> Option<(u32, &str)> {
    let digits = text.bytes().take(most).take_while(u8::is_ascii_digit).count();
    if digits < least {
        return None;
    }
    Some((text.get(..digits)?.parse().ok()?, text.get(digits..)?))
}

fn days_in(year: u32, month: u32) -> u32 {
    match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}
