//! Header of an edited file: instructions and errors.

use std::io::Write;

use rhumb_cli::resource::Info;
use rhumb_client::Error;
use rhumb_schema::text::quoted;

use super::{Mode, Results};

/// Error that requires another edit.
pub(super) struct Reason {
    pub(super) head: String,
    pub(super) others: Vec<String>,
}

/// Errors that require another edit.
#[derive(Default)]
pub(super) struct Header {
    pub(super) reasons: Vec<Reason>,
}

impl Header {
    pub(super) fn write(&self, mode: Mode, out: &mut Vec<u8>) {
        let text: &[u8] = match mode {
            Mode::LastApplied => {
                b"# Please edit the 'last-applied-configuration' annotations below.\n\
                  # Lines beginning with a '#' will be ignored, and an empty file will abort the edit.\n#\n"
            }
            Mode::Normal | Mode::BeforeCreate => {
                b"# Please edit the object below. Lines beginning with a '#' will be ignored,\n\
                  # and an empty file will abort the edit. If an error occurs while saving this file will be\n\
                  # reopened with the relevant failures.\n#\n"
            }
        };
        out.extend_from_slice(text);
        for reason in &self.reasons {
            let colon = if reason.others.is_empty() { "" } else { ":" };
            let _ = writeln!(out, "# {}{colon}", commented(&reason.head));
            for other in &reason.others {
                let _ = writeln!(out, "# * {}", commented(other));
            }
            out.extend_from_slice(b"#\n");
        }
    }
}

/// Returns a text whose further lines are comments, too.
fn commented(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((line, more)) = rest.split_once('\n') {
        out.push_str(line);
        out.push('\n');
        if !more.is_empty() && !more.starts_with('#') {
            out.push_str("# ");
        }
        rest = more;
    }
    out + rest
}

impl Results {
    /// Notes what the server didn't like, and gives the message about it.
    pub(super) fn refused(&mut self, error: &Error, info: &Info) -> String {
        let resource = info.mapping.resource.group_resource().to_string();
        if error.is_invalid() {
            let details = error.status().and_then(|status| status.details.as_deref());
            let causes = details.map(|details| details.causes.as_slice()).unwrap_or_default();
            let causes = causes.iter().map(|cause| format!("{}: {}", cause.field, cause.message)).collect();
            return self.invalid(info, causes);
        }
        if error.is_not_found() {
            self.not_found = true;
            return format!("error: {resource} {} could not be found on the server", quoted(&info.name));
        }
        self.retryable = true;
        let text = match error {
            Error::Status(status) => status.message.clone(),
            other => other.chain(),
        };
        format!("error: {resource} {} could not be patched: {text}", quoted(&info.name))
    }

    /// Notes that an object breaks rules, and gives the message about it.
    pub(super) fn invalid(&mut self, info: &Info, others: Vec<String>) -> String {
        let resource = info.mapping.resource.group_resource().to_string();
        let name = quoted(&info.name);
        self.again = true;
        self.header.reasons.push(Reason { head: format!("{resource} {name} was not valid"), others });
        format!("error: {resource} {name} is invalid")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_lines_of_a_reason_are_comments() {
        let header =
            Header { reasons: vec![Reason { head: "a\nb".to_owned(), others: vec!["c\n# d\n".to_owned()] }] };
        let mut out = Vec::new();
        header.write(Mode::LastApplied, &mut out);
        let text = String::from_utf8_lossy(&out);
        assert!(text.ends_with("# a\n# b:\n# * c\n# d\n\n#\n"), "{text}");
    }
}
