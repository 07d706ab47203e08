//! Which admission plugins are on: what `--enable-admission-plugins` and `--disable-admission-plugins` say, with the
//! names and in the words of kube-apiserver.

use std::collections::BTreeSet;

use rhumb_schema::text::quoted;

use super::plugins::{ELSEWHERE, NAMES};

/// What was said about admission plugins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AdmissionPlugins {
    enabled: BTreeSet<String>,
    disabled: BTreeSet<String>,
}

impl AdmissionPlugins {
    /// None but those that are named, all of which must be known.
    pub fn only(wanted: &[&str]) -> Self {
        let others = NAMES.iter().filter(|name| !wanted.contains(name));
        AdmissionPlugins {
            enabled: BTreeSet::new(),
            disabled: others.map(|name| (*name).to_owned()).collect(),
        }
    }

    /// Names plugins that are to be there, with commas between them.
    ///
    /// # Errors
    /// If there is no such plugin, or it was said to be off.
    pub fn enable(&mut self, text: &str) -> Result<(), String> {
        let named = names(text, "enable")?;
        if let Some(name) = named.iter().find(|name| !NAMES.contains(&name.as_str())) {
            let name = quoted(name);
            return Err(format!("enable-admission-plugins plugin {name} is not part of this server"));
        }
        self.enabled.extend(named);
        self.check()
    }

    /// Names plugins that are to be off, with commas between them.
    ///
    /// # Errors
    /// If there is no such plugin, or it was said to be on.
    pub fn disable(&mut self, text: &str) -> Result<(), String> {
        self.disabled.extend(names(text, "disable")?);
        self.check()
    }

    fn check(&self) -> Result<(), String> {
        let both: Vec<&str> = self.enabled.intersection(&self.disabled).map(String::as_str).collect();
        if both.is_empty() {
            return Ok(());
        }
        let both = both.join(" ");
        Err(format!("[{both}] in enable-admission-plugins and disable-admission-plugins overlapped"))
    }

    /// Whether a plugin is on: each of the server's own, unless it was said to be off.
    pub fn has(&self, name: &str) -> bool {
        !self.disabled.contains(name)
    }
}

/// The names in a text. All that kube-apiserver knows are known.
fn names(text: &str, what: &str) -> Result<Vec<String>, String> {
    let named: Vec<&str> = text.split(',').filter(|name| !name.is_empty()).collect();
    let unknown = named.iter().filter(|name| !NAMES.contains(name) && !ELSEWHERE.contains(name));
    let unknown: Vec<String> =
        unknown.map(|name| format!("{what}-admission-plugins plugin {} is unknown", quoted(name))).collect();
    match unknown.as_slice() {
        [] => Ok(named.into_iter().map(str::to_owned).collect()),
        [one] => Err(one.clone()),
        all => Err(format!("[{}]", all.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plugins_are_on_unless_they_are_disabled() {
        let mut said = AdmissionPlugins::default();
        assert!(NAMES.iter().all(|name| said.has(name)));
        said.disable("ServiceAccount,RuntimeClass").expect("known names");
        said.enable("Priority").expect("a known name");
        assert!(!said.has("ServiceAccount") && said.has("Priority") && said.has("LimitRanger"));
        let only = AdmissionPlugins::only(&["NamespaceLifecycle"]);
        assert!(only.has("NamespaceLifecycle") && !only.has("ServiceAccount"));
    }

    #[test]
    fn names_that_nobody_knows_are_refused() {
        let mut said = AdmissionPlugins::default();
        let mut refused = |what: &str, text: &str| match what {
            "enable" => said.enable(text).expect_err("a refusal"),
            _ => said.disable(text).expect_err("a refusal"),
        };
        assert_eq!(refused("enable", "Nope"), "enable-admission-plugins plugin \"Nope\" is unknown");
        assert_eq!(
            refused("disable", "a,b"),
            "[disable-admission-plugins plugin \"a\" is unknown, disable-admission-plugins plugin \"b\" is \
             unknown]"
        );
        assert_eq!(
            refused("enable", "AlwaysDeny"),
            "enable-admission-plugins plugin \"AlwaysDeny\" is not part of this server"
        );
        said.disable("Priority").expect("a known name");
        assert_eq!(
            said.enable("Priority"),
            Err("[Priority] in enable-admission-plugins and disable-admission-plugins overlapped".to_owned())
        );
    }
}
