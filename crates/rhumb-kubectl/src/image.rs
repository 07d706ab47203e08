//! Image names.

/// Reports whether a text is the name of an image: `[HOST[:PORT]/]PATH[:TAG][@DIGEST]`.
pub(crate) fn is_reference(text: &str) -> bool {
    let (text, digest) = text.split_once('@').map_or((text, None), |(name, digest)| (name, Some(digest)));
    if digest.is_some_and(|digest| !is_digest(digest)) {
        return false;
    }
    let last = text.rfind('/').map_or(0, |at| at + 1);
    let (path, tag) = match text.get(last..).and_then(|part| part.split_once(':')) {
        Some((name, tag)) => (text.get(..last + name.len()).unwrap_or_default(), Some(tag)),
        None => (text, None),
    };
    if tag.is_some_and(|tag| !is_tag(tag)) {
        return false;
    }
    let mut parts: Vec<&str> = path.split('/').collect();
    if let [first, _, ..] = parts.as_slice()
        && is_host(first)
        && !is_component(first)
    {
        parts.remove(0);
    }
    parts.iter().all(|part| is_component(part))
}

fn is_digest(text: &str) -> bool {
    let Some((algorithm, hex)) = text.split_once(':') else { return false };
    let is_named = algorithm.split(['+', '.', '-', '_']).all(|part| {
        part.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && part.chars().all(|letter| letter.is_ascii_alphanumeric())
    });
    is_named && hex.len() >= 32 && hex.chars().all(|letter| letter.is_ascii_hexdigit())
}

fn is_tag(text: &str) -> bool {
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    text.len() <= 128
        && text.starts_with(is_word)
        && text.chars().all(|letter| is_word(letter) || letter == '.' || letter == '-')
}

fn is_host(text: &str) -> bool {
    let (host, port) = text.split_once(':').map_or((text, None), |(host, port)| (host, Some(port)));
    let is_label = |label: &str| {
        let is_inner = |letter: char| letter.is_ascii_alphanumeric();
        label.starts_with(is_inner)
            && label.ends_with(is_inner)
            && label.chars().all(|letter| is_inner(letter) || letter == '-')
    };
    host.split('.').all(is_label)
        && port.is_none_or(|port| !port.is_empty() && port.chars().all(|digit| digit.is_ascii_digit()))
}

/// Reports whether a text is a name component: lower-case words joined by a dot, one or two underscores, or hyphens.
fn is_component(text: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit();
    let mut rest = text;
    loop {
        let word = rest.find(|letter| !is_letter(letter)).unwrap_or(rest.len());
        if word == 0 {
            return false;
        }
        rest = rest.get(word..).unwrap_or_default();
        if rest.is_empty() {
            return true;
        }
        let joint = rest.find(is_letter).unwrap_or(rest.len());
        let (between, after) = rest.split_at(joint);
        if !matches!(between, "." | "_" | "__") && !between.chars().all(|letter| letter == '-') {
            return false;
        }
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use super::is_reference;

    #[test]
    fn names_of_images_are_told_from_others() {
        for good in [
            "nginx",
            "nginx:1.25",
            "a/b",
            "ghcr.io/x/y:z",
            "localhost:5000/a",
            "a__b",
            "a--b",
            "10.0.0.1:5/x",
        ] {
            assert!(is_reference(good), "{good}");
        }
        for bad in ["", "A", "a:b:c", "bad:image:x", "a..b", "a//b", "a@sha256:12", "-a", "a_"] {
            assert!(!is_reference(bad), "{bad}");
        }
    }
}
