//! `messages`: translated messages of a program as one Rust file.
//!
//! A directory has a file per language, named after it: `en.toml`, `de.po`, `pt_BR.po`. The English one says which
//! messages there are; where another has none, the English text is shown. A module says where they are,
//! `// +rhumb:messages=locale` at its top, or the flag `--messages-dir` does; the file stands beside the directory as
//! `locale.rs`. What languages lack is reported, and an error with `--messages-strict`.
//!
//! In TOML a message is `id = "text"`, or a table of plural forms by the names that Unicode's CLDR has for them:
//! `one`, `few`, `other`. In gettext's PO files the id is the `msgid`, behind the `msgctxt` and a bar if there is one.
//! Placeholders (`{name}`, and those of printf) must be the same in all languages.

mod catalogue;
mod check;
mod placeholders;
mod plural;
mod po;
mod toml_file;
mod write;

use std::path::{Path, PathBuf};

use crate::generator::{Context, Generator, Options, Output, Target, Tool};
use crate::problem::{Outcome, Problem, Problems};
use crate::universe::{Type, Universe};

/// The tool.
pub(super) const TOOL: Tool =
    Tool { name: "messages", about: "translated messages of a program as a table", targets };

/// Tag of a module with messages.
const TAG: &str = "rhumb:messages";

/// Fallback language.
const BASE: &str = "en";

struct Messages {
    dir: PathBuf,
    said: String,
    file_name: String,
}

fn targets(universe: &Universe, options: &Options) -> Outcome<Vec<Target>> {
    let mut targets = Vec::new();
    let mut problems = Problems::default();
    for package in universe.requested() {
        for tag in package.tags.all(TAG) {
            let said = tag.value();
            if said.is_empty() {
                let what = format!("say which directory: `// +{TAG}=DIRECTORY`");
                problems.push(Problem::at(&tag.place, what));
            } else {
                targets.push(Target::of(package, Messages::new(package.dir.join(said), said)));
            }
        }
    }
    for said in options.all("messages-dir") {
        let dir = PathBuf::from(said);
        let beside = dir.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let (beside, below) = (beside.to_path_buf(), PathBuf::new());
        let name = dir.file_name().unwrap_or(dir.as_os_str()).to_string_lossy().into_owned();
        let generators: Vec<Box<dyn Generator>> = vec![Box::new(Messages::new(dir, &name))];
        targets.push(Target { package: None, dir: beside, below, generators });
    }
    problems.or(targets)
}

impl Messages {
    fn new(dir: PathBuf, said: &str) -> Self {
        let name = said.trim_end_matches('/').rsplit('/').next().unwrap_or(said);
        let name: String = name
            .chars()
            .map(|character| if character.is_alphanumeric() { character.to_ascii_lowercase() } else { '_' })
            .collect();
        Messages { dir, said: said.to_owned(), file_name: format!("{name}.rs") }
    }
}

impl Generator for Messages {
    fn name(&self) -> &'static str {
        "messages"
    }

    fn filter(&self, _: &Context<'_>, _: &Type) -> bool {
        false
    }

    fn file_name(&self, _: &Context<'_>) -> String {
        self.file_name.clone()
    }

    fn header(&self, _: &Context<'_>) -> Vec<String> {
        vec![String::new(), format!("The messages of `{}`.", self.said)]
    }

    fn finalize(&mut self, context: &mut Context<'_>, out: &mut Output) -> Outcome<()> {
        let catalogues = catalogue::read_all(&self.dir)?;
        let missing = check::check(&catalogues)?;
        if context.options.is_on("messages-strict") {
            missing.or(())?;
        } else {
            missing.0.into_iter().for_each(|note| context.note(note));
        }
        write::write(&catalogues, out);
        Ok(())
    }
}
