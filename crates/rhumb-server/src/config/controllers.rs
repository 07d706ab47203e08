//! Which of the controllers run: `--controllers`, in the words of kube-controller-manager.

/// What was said about controllers: names, names with a minus before them, and a star for all others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Controllers {
    words: Vec<String>,
}

impl Default for Controllers {
    fn default() -> Self {
        Controllers { words: vec!["*".to_owned()] }
    }
}

impl Controllers {
    /// Reads words with commas between them.
    pub fn parse(text: &str) -> Self {
        Controllers { words: text.split(',').filter(|word| !word.is_empty()).map(str::to_owned).collect() }
    }

    /// The words as they were said.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// Whether a controller runs. The first word that names it decides, then the star.
    pub fn is_enabled(&self, name: &str) -> bool {
        let said = self.words.iter().find_map(|word| match word.strip_prefix('-') {
            Some(off) => (off == name).then_some(false),
            None => (word == name).then_some(true),
        });
        said.unwrap_or_else(|| self.words.iter().any(|word| word == "*"))
    }

    /// Errors for the words that name none of these controllers.
    pub fn unknown(&self, known: &[&str]) -> Vec<String> {
        self.words
            .iter()
            .filter(|word| *word != "*")
            .map(|word| word.strip_prefix('-').unwrap_or(word))
            .filter(|name| !known.contains(name))
            .map(|name| {
                format!("{} is not in the list of known controllers", rhumb_schema::text::quoted(name))
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_word_about_a_controller_decides() {
        for (text, name, expect) in [
            ("*", "garbage-collector", true),
            ("*,-garbage-collector", "garbage-collector", false),
            ("-garbage-collector,garbage-collector", "garbage-collector", false),
            ("namespace", "namespace", true),
            ("namespace", "garbage-collector", false),
            ("", "namespace", false),
        ] {
            assert_eq!(Controllers::parse(text).is_enabled(name), expect, "{text} {name}");
        }
        let unknown = Controllers::parse("*,-nope,namespace").unknown(&["namespace"]);
        assert_eq!(unknown, ["\"nope\" is not in the list of known controllers"]);
    }
}
