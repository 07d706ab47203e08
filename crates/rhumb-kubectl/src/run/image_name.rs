//! Validation of image names: `host:port/path:tag@digest`.

/// Reports whether it can.
pub(super) fn is_valid(image: &str) -> bool {
    let (rest, digest) = image.split_once('@').map_or((image, None), |(rest, digest)| (rest, Some(digest)));
    if !digest.is_none_or(is_digest) {
        return false;
    }
    // The tag stands behind the last colon, unless that is the port of a host.
    let (name, tag) = match rest.rsplit_once(':') {
        Some((name, tag)) if !tag.contains('/') => (name, Some(tag)),
        _ => (rest, None),
    };
    (tag.is_none_or(is_tag) && is_name(name)) || (tag.is_some() && is_name(rest))
}

fn is_name(name: &str) -> bool {
    if name.split('/').all(is_component) {
        return true;
    }
    name.split_once('/').is_some_and(|(host, path)| is_host(host) && path.split('/').all(is_component))
}

/// Reports whether a text is a name component: lower-case letters and digits, separated by a dot, one or two
/// underscores or hyphens.
fn is_component(component: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = component.as_bytes();
    if !bytes.first().copied().is_some_and(is_letter) || !bytes.last().copied().is_some_and(is_letter) {
        return false;
    }
    bytes.split(|byte| is_letter(*byte)).all(|between| {
        matches!(between, b"" | b"." | b"_" | b"__") || between.iter().all(|byte| *byte == b'-')
    })
}

fn is_host(host: &str) -> bool {
    let (name, port) = match host.strip_prefix('[') {
        Some(rest) => {
            let Some((address, port)) = rest.split_once(']') else { return false };
            let is_address =
                !address.is_empty() && address.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b':');
            if !is_address {
                return false;
            }
            return port.is_empty() || port.strip_prefix(':').is_some_and(is_port);
        }
        None => host.split_once(':').map_or((host, None), |(name, port)| (name, Some(port))),
    };
    let is_part = |part: &str| {
        !part.is_empty()
            && !part.starts_with('-')
            && !part.ends_with('-')
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    name.split('.').all(is_part) && port.is_none_or(is_port)
}

fn is_port(port: &str) -> bool {
    !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_tag(tag: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    tag.len() <= 128
        && tag.bytes().next().is_some_and(is_word)
        && tag.bytes().all(|byte| is_word(byte) || byte == b'.' || byte == b'-')
}

fn is_digest(digest: &str) -> bool {
    let Some((algorithm, hex)) = digest.split_once(':') else { return false };
    let is_part = |part: &str| {
        part.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    algorithm.split(['-', '_', '+', '.']).all(is_part)
        && hex.len() >= 32
        && hex.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::is_valid;

    #[test]
    fn names_have_hosts_tags_and_digests() {
        let digest = format!("nginx@sha256:{}", "a".repeat(64));
        let good = ["nginx", "nginx:1.27", "a/b_c__d-e.f", "localhost:5000/x:y", "[::1]:5000/x", "Host.io/x"];
        for image in good.into_iter().chain([digest.as_str()]) {
            assert!(is_valid(image), "{image}");
        }
        for image in ["", "bad image", "Nginx", "a//b", "a:", "a@b", "a_-b", "nginx:-1", "/a"] {
            assert!(!is_valid(image), "{image}");
        }
    }
}
