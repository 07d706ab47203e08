//! Which of the controllers run: `--controllers`, in the words of kube-controller-manager.

use rhumb_schema::text::quoted;

use super::CONTROLLERS;

/// What was said about controllers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Controllers {
    /// Each that was named, and whether it runs.
    named: Vec<(&'static str, bool)>,
    /// Whether all others run.
    others: bool,
}

impl Default for Controllers {
    fn default() -> Self {
        Controllers { named: Vec::new(), others: true }
    }
}

impl Controllers {
    /// Reads words with commas between them: names, names with a minus before them, and a star for all others.
    ///
    /// # Errors
    /// If names are none of controllers; it says so of each.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut said = Controllers { named: Vec::new(), others: false };
        let mut unknown = Vec::new();
        for word in text.split(',').filter(|word| !word.is_empty()) {
            let (name, runs) = word.strip_prefix('-').map_or((word, true), |name| (name, false));
            match known(name) {
                _ if word == "*" => said.others = true,
                Some(controller) => said.named.push((controller, runs)),
                None => unknown.push(format!("{} is not in the list of known controllers", quoted(name))),
            }
        }
        match unknown.as_slice() {
            [] => Ok(said),
            [one] => Err(one.clone()),
            all => Err(format!("[{}]", all.join(", "))),
        }
    }

    /// Whether a controller runs, by its name. The first word that names it decides, then the star.
    pub fn has(&self, controller: &str) -> bool {
        let said = self.named.iter().find(|(named, _)| *named == controller);
        said.map_or(self.others, |(_, runs)| *runs)
    }
}

/// The name of a controller that is called so.
fn known(name: &str) -> Option<&'static str> {
    let found = CONTROLLERS.iter().find(|controller| controller.name == name || controller.alias == name);
    found.map(|controller| controller.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMESPACES: &str = "namespace-controller";
    const GARBAGE: &str = "garbage-collector-controller";
    const ACCOUNTS: &str = "serviceaccount-controller";
    const CERTIFICATES: &str = "root-ca-certificate-publisher-controller";

    #[test]
    fn the_first_word_about_a_controller_decides() {
        for (text, controller, expect) in [
            ("*", NAMESPACES, true),
            ("", NAMESPACES, false),
            ("*,-namespace-controller", NAMESPACES, false),
            ("-namespace,*", NAMESPACES, false),
            ("-namespace,*", GARBAGE, true),
            ("garbagecollector", GARBAGE, true),
            ("garbagecollector", ACCOUNTS, false),
            ("-garbagecollector,garbage-collector-controller", GARBAGE, false),
            ("root-ca-cert-publisher,-root-ca-cert-publisher", CERTIFICATES, true),
        ] {
            let said = Controllers::parse(text).expect("known names");
            assert_eq!(said.has(controller), expect, "{text} {controller:?}");
        }
    }

    #[test]
    fn names_that_nobody_knows_are_refused() {
        let refused = |text: &str| Controllers::parse(text).expect_err("an unknown name");
        assert_eq!(refused("*,-nope,namespace"), "\"nope\" is not in the list of known controllers");
        assert_eq!(
            refused("a,-b"),
            "[\"a\" is not in the list of known controllers, \"b\" is not in the list of known controllers]"
        );
        assert_eq!(refused("-*"), "\"*\" is not in the list of known controllers");
    }
}
