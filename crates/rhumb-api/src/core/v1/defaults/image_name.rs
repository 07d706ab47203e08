//! Names of container images, as far as it takes to see whether one means the latest.
//!
//! A name is `[domain/]path[:tag][@digest]`. One that breaks the rules has no tag, and so is not the latest.

/// Whether an image name has the tag `latest`, or neither tag nor digest, which means the same.
pub(super) fn is_latest(image: &str) -> bool {
    match tag(image) {
        Some(Tag::Named(tag)) => tag == "latest",
        Some(Tag::Implied) => true,
        Some(Tag::Digest) | None => false,
    }
}

enum Tag<'a> {
    Named(&'a str),
    Implied,
    Digest,
}

/// The tag of a valid name.
fn tag(image: &str) -> Option<Tag<'_>> {
    // Such a name would be taken for the ID of an image.
    if image.len() == 64 && image.bytes().all(is_lower_hex) {
        return None;
    }
    let (rest, digest) = match image.split_once('@') {
        Some((rest, digest)) => (rest, Some(digest)),
        None => (image, None),
    };
    if !digest.is_none_or(is_digest) {
        return None;
    }
    // A colon in the first part can be a port's; the tag comes after the last slash.
    let path_start = rest.rfind('/').map_or(0, |slash| slash + 1);
    let (name, tag) = match rest.get(path_start..)?.split_once(':') {
        Some((last, tag)) => (rest.get(..path_start + last.len())?, Some(tag)),
        None => (rest, None),
    };
    if !tag.is_none_or(is_tag) || !is_name(name) {
        return None;
    }
    Some(match (tag, digest) {
        (Some(tag), _) => Tag::Named(tag),
        (None, Some(_)) => Tag::Digest,
        (None, None) => Tag::Implied,
    })
}

/// The first part is a domain if it looks like one and something follows; all else is the path.
fn is_name(name: &str) -> bool {
    let (domain, path) = match name.split_once('/') {
        Some((first, rest)) if looks_like_domain(first) => (Some(first), rest),
        _ => (None, name),
    };
    // Names without a domain are looked up in Docker's library, whose name counts towards the length.
    let implied = match domain {
        None | Some("docker.io" | "index.docker.io") if !path.contains('/') => "library/".len(),
        _ => 0,
    };
    domain.is_none_or(is_domain) && path.len() + implied <= 255 && path.split('/').all(is_path_component)
}

fn looks_like_domain(first: &str) -> bool {
    first == "localhost" || first.contains(['.', ':']) || first.chars().any(char::is_uppercase)
}

/// A host name or a bracketed IPv6 address, with a port if need be.
fn is_domain(domain: &str) -> bool {
    let (host, port) = match domain.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        _ => (domain, None),
    };
    let digits = |port: &str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    let address = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let host_is_valid = match address {
        Some(address) => {
            !address.is_empty() && address.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b':')
        }
        None => host.split('.').all(|label| {
            !label.is_empty()
                && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
                && !label.starts_with('-')
                && !label.ends_with('-')
        }),
    };
    host_is_valid && port.is_none_or(digits)
}

/// Lower-case letters and digits, with `.`, `_`, `__` or any number of `-` between them.
fn is_path_component(component: &str) -> bool {
    let plain = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = component.as_bytes();
    let ends_are_plain = bytes.first().is_some_and(plain) && bytes.last().is_some_and(plain);
    let separator = |between: &[u8]| {
        matches!(between, b"" | b"." | b"_" | b"__") || between.iter().all(|byte| *byte == b'-')
    };
    ends_are_plain && bytes.split(plain).all(separator)
}

fn is_tag(tag: &str) -> bool {
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    tag.len() <= 128
        && tag.bytes().next().is_some_and(word)
        && tag.bytes().all(|byte| word(byte) || byte == b'.' || byte == b'-')
}

/// One of the algorithms in use, and as many digits as it gives.
fn is_digest(digest: &str) -> bool {
    let Some((algorithm, hex)) = digest.split_once(':') else { return false };
    let length = match algorithm {
        "sha256" => 64,
        "sha384" => 96,
        "sha512" => 128,
        _ => return false,
    };
    hex.len() == length && hex.bytes().all(is_lower_hex)
}

fn is_lower_hex(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}
