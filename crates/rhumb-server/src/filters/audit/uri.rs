//! The URI of a request as it is written: without tokens that stand in its query.

/// Parameters whose values are credentials.
const CREDENTIALS: [&str; 2] = ["access_token", "token"];
/// What stands in place of them.
const MASK: &str = "<redacted>";

/// A path with its query, the credentials in it masked.
pub(super) fn masked(path_and_query: &str) -> String {
    let Some((path, query)) = path_and_query.split_once('?') else { return path_and_query.to_owned() };
    let pairs = query.split('&').map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        // Escapes in the name don't hide it.
        let named = rhumb_codec::query::parse(name);
        match CREDENTIALS.iter().any(|known| named.first(known).is_some()) && !value.is_empty() {
            true => format!("{name}={MASK}"),
            false => pair.to_owned(),
        }
    });
    format!("{path}?{}", pairs.collect::<Vec<_>>().join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_in_a_query_are_masked_and_nothing_else() {
        assert_eq!(masked("/api?access_token=abc&a=b"), "/api?access_token=<redacted>&a=b");
        assert_eq!(masked("/api?a=b&access%5Ftoken=abc"), "/api?a=b&access%5Ftoken=<redacted>");
        assert_eq!(masked("/api?token="), "/api?token=");
        assert_eq!(masked("/access_token=abc"), "/access_token=abc");
        assert_eq!(masked("/api?watch=true&&x"), "/api?watch=true&&x");
    }
}
