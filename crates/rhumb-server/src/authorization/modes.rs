//! Which authorizers there are, and in which order they are asked: what `--authorization-mode` says, in the words of
//! kube-apiserver.

use rhumb_schema::text::quoted;

/// Somebody who decides what may be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthorizationMode {
    /// Nodes may do what they need for their pods.
    Node,
    /// Roles say what those may do to whom they are bound.
    Rbac,
    /// Everybody may do everything.
    AlwaysAllow,
    /// Nobody may do anything.
    AlwaysDeny,
}

/// Those who decide, in the order in which they are asked: what the first allows is allowed. Members of
/// `system:masters` may do everything, whoever decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthorizationModes(Vec<AuthorizationMode>);

impl Default for AuthorizationModes {
    fn default() -> Self {
        AuthorizationModes(vec![AuthorizationMode::Node, AuthorizationMode::Rbac])
    }
}

impl AuthorizationModes {
    /// Reads names with commas between them.
    ///
    /// # Errors
    /// If there is none, one is not known, not part of this server, or there twice.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut modes = Vec::new();
        for name in text.split(',') {
            let mode = match name {
                "Node" => AuthorizationMode::Node,
                "RBAC" => AuthorizationMode::Rbac,
                "AlwaysAllow" => AuthorizationMode::AlwaysAllow,
                "AlwaysDeny" => AuthorizationMode::AlwaysDeny,
                "" => return Err("at least one authorization-mode must be passed".to_owned()),
                "ABAC" | "Webhook" => {
                    let name = quoted(name);
                    return Err(format!("authorization-mode {name} is not part of this server"));
                }
                other => return Err(format!("authorization-mode {} is not a valid mode", quoted(other))),
            };
            if modes.contains(&mode) {
                let all: Vec<String> = text.split(',').map(|name| quoted(name).to_string()).collect();
                let all = all.join(" ");
                return Err(format!("authorization-mode [{all}] has mode specified more than once"));
            }
            modes.push(mode);
        }
        Ok(AuthorizationModes(modes))
    }

    /// Those who decide, in their order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = AuthorizationMode> {
        self.0.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_read_in_their_order() {
        let read = |text: &str| AuthorizationModes::parse(text).map(|modes| modes.0);
        use AuthorizationMode::{AlwaysAllow, AlwaysDeny, Node, Rbac};
        assert_eq!(read("RBAC,Node"), Ok(vec![Rbac, Node]));
        assert_eq!(read("AlwaysAllow"), Ok(vec![AlwaysAllow]));
        assert_eq!(read("AlwaysDeny,RBAC"), Ok(vec![AlwaysDeny, Rbac]));
        for (text, why) in [
            ("", "at least one authorization-mode must be passed"),
            ("rbac", "authorization-mode \"rbac\" is not a valid mode"),
            ("RBAC,Webhook", "authorization-mode \"Webhook\" is not part of this server"),
            ("ABAC", "authorization-mode \"ABAC\" is not part of this server"),
            ("RBAC,RBAC", "authorization-mode [\"RBAC\" \"RBAC\"] has mode specified more than once"),
        ] {
            assert_eq!(read(text), Err(why.to_owned()), "{text}");
        }
    }
}
