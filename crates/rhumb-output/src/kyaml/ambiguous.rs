//! Keys that must be quoted because they could be read as other types.

use rhumb_meta::civil;

/// Reports whether a key must stand in quotes.
pub(super) fn needs_quotes(key: &str) -> bool {
    let last = key.chars().count().saturating_sub(1);
    let is_allowed = |(at, letter): (usize, char)| {
        letter.is_alphanumeric()
            || letter == '_'
            || (at > 0 && at < last && matches!(letter, '-' | '.' | '/'))
    };
    key.is_empty()
        || is_word(key)
        || is_number(key)
        || is_date(key)
        || !key.chars().enumerate().all(is_allowed)
}

/// Reports whether some reader takes a text for null or for a truth value.
fn is_word(text: &str) -> bool {
    const WORDS: &[&str] =
        &["null", "true", "y", "yes", "on", "false", "n", "no", "off", "t", "f", "T", "F", "1", "0"];
    WORDS.contains(&text) || (text.len() > 1 && WORDS.contains(&text.to_lowercase().as_str())) || {
        text.len() == 1 && matches!(text, "Y" | "N")
    }
}

/// Reports whether some reader takes a text for a number. Underscores in numbers are nothing.
fn is_number(text: &str) -> bool {
    let text = text.replace('_', "");
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(&text);
    is_whole(unsigned, text.starts_with('-')) || is_float(&text, unsigned)
}

fn is_whole(unsigned: &str, negative: bool) -> bool {
    let prefixed = |prefix: &str| {
        let (start, rest) = unsigned.split_at_checked(2)?;
        start.eq_ignore_ascii_case(prefix).then_some(rest)
    };
    let (digits, radix) = if let Some(rest) = prefixed("0x") {
        (rest, 16)
    } else if let Some(rest) = prefixed("0b") {
        (rest, 2)
    } else if let Some(rest) = prefixed("0o") {
        (rest, 8)
    } else if unsigned.len() > 1 && unsigned.starts_with('0') {
        (unsigned, 8)
    } else {
        (unsigned, 10)
    };
    let limit = if negative { 1 << 63 } else { (1 << 63) - 1 };
    digits.chars().all(|digit| digit.is_digit(radix))
        && u64::from_str_radix(digits, radix).is_ok_and(|value| value <= limit)
}

fn is_float(text: &str, unsigned: &str) -> bool {
    let is_infinite = ["inf", "infinity"].iter().any(|word| unsigned.eq_ignore_ascii_case(word));
    if is_infinite || text.eq_ignore_ascii_case("nan") {
        return true;
    }
    if unsigned.get(..2).is_some_and(|start| start.eq_ignore_ascii_case("0x")) {
        return is_hexadecimal_float(unsigned.get(2..).unwrap_or_default());
    }
    unsigned.starts_with(|first: char| first.is_ascii_digit() || first == '.')
        && text.parse::<f64>().is_ok_and(f64::is_finite)
}

/// Reports whether a text is a float in hexadecimal: digits, perhaps with a point, and a power of two.
fn is_hexadecimal_float(text: &str) -> bool {
    let Some((mantissa, power)) = text.split_once(['p', 'P']) else { return false };
    let power = power.strip_prefix(['+', '-']).unwrap_or(power);
    let digits = mantissa.chars().filter(|letter| *letter != '.').count();
    digits > 0
        && mantissa.len() - digits <= 1
        && mantissa.chars().all(|letter| letter == '.' || letter.is_ascii_hexdigit())
        && !power.is_empty()
        && power.bytes().all(|byte| byte.is_ascii_digit())
}

/// Reports whether a text is a date, `2001-1-31`. Times have colons, which need quotes anyway.
fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return false };
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if year.len() != 4 || !digits(year) || !digits(month) || !digits(day) || day.len() > 2 || month.len() > 2
    {
        return false;
    }
    let (Ok(year), Ok(month), Ok(day)) = (year.parse::<u32>(), month.parse::<u32>(), day.parse::<u32>())
    else {
        return false;
    };
    (1..=civil::days_in_month(i64::from(year), month)).contains(&day)
}
