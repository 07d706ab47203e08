//! YAML output of generators, written by the YAML codec.

use rhumb_codegen::file_type::{FileDraft, FileType, boilerplate_lines, comment};
use rhumb_codegen::generator::Part;
use rhumb_codegen::problem::{Outcome, Problem};

/// Writes a header of comments and one document per value.
pub(crate) struct Yaml;

impl FileType for Yaml {
    fn assemble(&self, draft: &FileDraft) -> Outcome<String> {
        let mut text = String::new();
        let boilerplate = boilerplate_lines(&draft.boilerplate)?;
        comment(&mut text, "#", &boilerplate);
        if !boilerplate.is_empty() {
            text.push('\n');
        }
        comment(&mut text, "#", &draft.header);
        for part in &draft.body.parts {
            let Part::Value(value) = part else {
                return Err(Problem::new(format!("{}: only values can stand in YAML", draft.name)).into());
            };
            let mut document = Vec::new();
            rhumb_codec::yaml::from_json_value(value, &mut document);
            text.push_str("---\n");
            text.push_str(&String::from_utf8_lossy(&document));
        }
        Ok(text)
    }
}
