//! Which of the controllers run: `--controllers`, in the words of kube-controller-manager.

use rhumb_schema::text::quoted;

/// A controller that runs within the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Controller {
    /// Empties namespaces that are going.
    Namespaces,
    /// Deletes what nobody owns any more.
    Garbage,
    /// Gives every namespace an account.
    Accounts,
    /// Gives every namespace the server's certificate.
    Certificates,
    /// Counts what quotas bound.
    Quotas,
    /// Puts roles together that are made of others.
    Aggregation,
    /// Lets go of claims that no pod uses.
    Claims,
    /// Lets go of volumes that are not bound.
    Volumes,
    /// Lets go of classes of volume attributes that nothing has.
    VolumeClasses,
}

impl Controller {
    const ALL: [Controller; 9] = [
        Controller::Namespaces,
        Controller::Garbage,
        Controller::Accounts,
        Controller::Certificates,
        Controller::Quotas,
        Controller::Aggregation,
        Controller::Claims,
        Controller::Volumes,
        Controller::VolumeClasses,
    ];

    /// Its name, and an older one that still works.
    fn names(self) -> [&'static str; 2] {
        match self {
            Controller::Namespaces => ["namespace-controller", "namespace"],
            Controller::Garbage => ["garbage-collector-controller", "garbagecollector"],
            Controller::Accounts => ["serviceaccount-controller", "serviceaccount"],
            Controller::Certificates => {
                ["root-ca-certificate-publisher-controller", "root-ca-cert-publisher"]
            }
            Controller::Quotas => ["resourcequota-controller", "resourcequota"],
            Controller::Aggregation => ["clusterrole-aggregation-controller", "clusterrole-aggregation"],
            Controller::Claims => ["persistentvolumeclaim-protection-controller", "pvc-protection"],
            Controller::Volumes => ["persistentvolume-protection-controller", "pv-protection"],
            Controller::VolumeClasses => ["volumeattributesclass-protection-controller", "vac-protection"],
        }
    }

    fn read(name: &str) -> Option<Controller> {
        Self::ALL.into_iter().find(|controller| controller.names().contains(&name))
    }
}

/// What was said about controllers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Controllers {
    /// Each that was named, and whether it runs.
    named: Vec<(Controller, bool)>,
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
            match Controller::read(name) {
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

    /// Whether a controller runs. The first word that names it decides, then the star.
    pub fn has(&self, controller: Controller) -> bool {
        let said = self.named.iter().find(|(named, _)| *named == controller);
        said.map_or(self.others, |(_, runs)| *runs)
    }
}

#[cfg(test)]
mod tests {
    use super::Controller::{Accounts, Certificates, Garbage, Namespaces};
    use super::*;

    #[test]
    fn the_first_word_about_a_controller_decides() {
        for (text, controller, expect) in [
            ("*", Namespaces, true),
            ("", Namespaces, false),
            ("*,-namespace-controller", Namespaces, false),
            ("-namespace,*", Namespaces, false),
            ("-namespace,*", Garbage, true),
            ("garbagecollector", Garbage, true),
            ("garbagecollector", Accounts, false),
            ("-garbagecollector,garbage-collector-controller", Garbage, false),
            ("root-ca-cert-publisher,-root-ca-cert-publisher", Certificates, true),
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
