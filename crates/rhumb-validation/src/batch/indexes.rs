//! Indexes of Jobs as text: numbers and intervals in ascending order, as in `1,3-5,7`.

use rhumb_schema::text::quoted;

/// An interval with both of its ends.
type Interval = (i32, i32);

/// Returns how many indexes the text names, if it is well-formed and all of them are below `completions`.
pub(super) fn count(text: &str, completions: i32) -> Result<i32, String> {
    if text.is_empty() {
        return Ok(0);
    }
    let (mut last, mut total) = (None, 0i32);
    for part in text.split(',') {
        let (first, end) = interval(part, completions)?;
        if let Some(last) = last.filter(|last| *last >= first) {
            return Err(format!("non-increasing order, previous: {last}, current: {first}"));
        }
        total = total.saturating_add(end.saturating_sub(first).saturating_add(1));
        last = Some(end);
    }
    Ok(total)
}

/// Returns the lowest index found in both texts by walking along them; what is malformed is passed over, because
/// another rule tells of it.
pub(super) fn overlap(completed: &str, failed: &str, completions: i32) -> Option<i32> {
    if completed.is_empty() || failed.is_empty() {
        return None;
    }
    let intervals = |text: &str| -> Vec<Interval> {
        text.split(',').filter_map(|part| interval(part, completions).ok()).collect()
    };
    let (completed, failed) = (intervals(completed), intervals(failed));
    let (mut completed, mut failed) = (completed.iter().peekable(), failed.iter().peekable());
    while let (Some(c), Some(f)) = (completed.peek(), failed.peek()) {
        if c.0 <= f.1 && f.0 <= c.1 {
            return Some(c.0.max(f.0));
        }
        if c.0 <= f.0 {
            completed.next()
        } else {
            failed.next()
        };
    }
    None
}

fn interval(text: &str, completions: i32) -> Result<Interval, String> {
    let mut ends = text.split('-');
    let (first, last, more) = (ends.next().unwrap_or_default(), ends.next(), ends.next());
    if more.is_some() {
        return Err(format!(
            "the fragment {} violates the requirement that an index interval can have at most two parts separated \
             by '-'",
            quoted(text)
        ));
    }
    let low = index(first, completions)?;
    let Some(last) = last else { return Ok((low, low)) };
    let high = index(last, completions)?;
    if low >= high {
        return Err(format!("non-increasing order, previous: {low}, current: {high}"));
    }
    Ok((low, high))
}

fn index(text: &str, completions: i32) -> Result<i32, String> {
    let number: i64 =
        text.parse().map_err(|_| format!("cannot convert string to integer for index: {}", quoted(text)))?;
    match i32::try_from(number) {
        Ok(number) if number < completions => Ok(number),
        _ => Err(format!("too large index: {}", quoted(text))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indexes_are_counted_and_compared() {
        assert_eq!(count("0-2,4", 5), Ok(4));
        assert_eq!(count("", 0), Ok(0));
        assert!(count("1,0", 5).is_err());
        assert_eq!(overlap("0-1,x,4", "2,3-5", 9), Some(4));
        assert_eq!(overlap("0-1", "2-3", 9), None);
    }
}
