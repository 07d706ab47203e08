//! Role rules: splitting, comparing, merging.

use serde_json::{Map, Value, json};

/// A rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Rule {
    pub(super) verbs: Vec<String>,
    pub(super) groups: Vec<String>,
    pub(super) resources: Vec<String>,
    pub(super) names: Vec<String>,
    pub(super) urls: Vec<String>,
}

impl Rule {
    /// Reads a rule as objects have it.
    pub(super) fn read(tree: &Value) -> Self {
        let list = |field: &str| {
            let items = tree.get(field).and_then(Value::as_array).into_iter().flatten();
            items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
        };
        Rule {
            verbs: list("verbs"),
            groups: list("apiGroups"),
            resources: list("resources"),
            names: list("resourceNames"),
            urls: list("nonResourceURLs"),
        }
    }

    /// Parses all rules of a list.
    pub(super) fn read_all(list: Option<&Value>) -> Vec<Self> {
        list.and_then(Value::as_array).into_iter().flatten().map(Rule::read).collect()
    }

    /// Returns the rule as objects have it.
    pub(super) fn tree(&self) -> Value {
        let mut fields = Map::new();
        let lists = [
            ("verbs", &self.verbs),
            ("apiGroups", &self.groups),
            ("resources", &self.resources),
            ("resourceNames", &self.names),
            ("nonResourceURLs", &self.urls),
        ];
        for (field, list) in lists.into_iter().filter(|(field, list)| *field == "verbs" || !list.is_empty()) {
            fields.insert(field.to_owned(), json!(list));
        }
        Value::Object(fields)
    }

    /// Returns the rule as Go shows it with the names of its fields, parted by something.
    pub(super) fn shown(&self, separator: &str) -> String {
        let parts = [
            ("Verbs", &self.verbs),
            ("APIGroups", &self.groups),
            ("Resources", &self.resources),
            ("ResourceNames", &self.names),
            ("NonResourceURLs", &self.urls),
        ];
        let parts: Vec<String> =
            parts.into_iter().map(|(field, list)| format!("{field}:[{}]", list.join(" "))).collect();
        parts.join(separator)
    }

    /// Rules with one verb and one resource, name or path each, which say the same together.
    pub(super) fn taken_apart(&self) -> Vec<Self> {
        let mut parts = Vec::new();
        let one = |text: &String| vec![text.clone()];
        for group in &self.groups {
            for resource in &self.resources {
                for verb in &self.verbs {
                    let part = Rule {
                        verbs: one(verb),
                        groups: one(group),
                        resources: one(resource),
                        ..Rule::default()
                    };
                    match self.names.is_empty() {
                        true => parts.push(part),
                        false => parts
                            .extend(self.names.iter().map(|name| Rule { names: one(name), ..part.clone() })),
                    }
                }
            }
        }
        for url in &self.urls {
            for verb in &self.verbs {
                parts.push(Rule { verbs: one(verb), urls: one(url), ..Rule::default() });
            }
        }
        parts
    }

    /// Reports whether all that a part allows is allowed by this rule.
    fn covers(&self, part: &Rule) -> bool {
        let has = |list: &[String], item: &str| list.iter().any(|known| known == item);
        let has_all = |list: &[String], items: &[String]| items.iter().all(|item| has(list, item));
        let star_or_all = |list: &[String], items: &[String]| has(list, "*") || has_all(list, items);
        let resources = has(&self.resources, "*")
            || part.resources.iter().all(|resource| {
                let any = resource.split_once('/').map(|(_, subresource)| format!("*/{subresource}"));
                has(&self.resources, resource) || any.is_some_and(|any| has(&self.resources, &any))
            });
        let urls = part.urls.iter().all(|url| {
            self.urls
                .iter()
                .any(|own| own == url || (own.ends_with('*') && url.starts_with(own.trim_end_matches('*'))))
        });
        let names = self.names.is_empty() || (!part.names.is_empty() && has_all(&self.names, &part.names));
        star_or_all(&self.verbs, &part.verbs)
            && star_or_all(&self.groups, &part.groups)
            && resources
            && names
            && urls
    }
}

/// Returns the split rules of one list that another doesn't cover.
pub(super) fn uncovered(owner: &[Rule], servant: &[Rule]) -> Vec<Rule> {
    let parts = servant.iter().flat_map(Rule::taken_apart);
    parts.filter(|part| !owner.iter().any(|rule| rule.covers(part))).collect()
}

/// Puts rules about the same resource together that differ by verbs only. The others come first.
pub(super) fn compacted(rules: Vec<Rule>) -> Vec<Rule> {
    let (mut others, mut simple): (Vec<Rule>, Vec<Rule>) = (Vec::new(), Vec::new());
    for rule in rules {
        if rule.names.len() > 1
            || !rule.urls.is_empty()
            || rule.groups.len() != 1
            || rule.resources.len() != 1
        {
            others.push(rule);
            continue;
        }
        let same = |known: &&mut Rule| {
            known.groups == rule.groups && known.resources == rule.resources && known.names == rule.names
        };
        match simple.iter_mut().find(same) {
            Some(known) => {
                for verb in rule.verbs {
                    if !known.verbs.contains(&verb) {
                        known.verbs.push(verb);
                    }
                }
            }
            None => simple.push(rule),
        }
    }
    others.extend(simple);
    others
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(verbs: &[&str], resources: &[&str]) -> Rule {
        let own = |list: &[&str]| list.iter().map(|&text| text.to_owned()).collect();
        Rule { verbs: own(verbs), groups: own(&[""]), resources: own(resources), ..Rule::default() }
    }

    #[test]
    fn what_is_not_covered_is_taken_apart() {
        let missing = uncovered(&[rule(&["get"], &["pods"])], &[rule(&["get", "list"], &["pods"])]);
        assert_eq!(missing, [rule(&["list"], &["pods"])]);
        assert!(uncovered(&[rule(&["*"], &["*"])], &[rule(&["get"], &["pods/log"])]).is_empty());
        assert!(uncovered(&[rule(&["*"], &["*/log"])], &[rule(&["get"], &["pods/log"])]).is_empty());
    }

    #[test]
    fn rules_about_one_resource_are_put_together() {
        let rules = compacted(vec![rule(&["get"], &["pods"]), rule(&["list"], &["pods"])]);
        assert_eq!(rules, [rule(&["get", "list"], &["pods"])]);
    }
}
