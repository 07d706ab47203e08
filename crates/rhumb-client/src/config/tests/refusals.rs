//! What kubectl 1.36 said about configurations that it could not use.

use super::Dir;
use crate::config::{ConfigError, LoadingRules, Overrides};

#[test]
fn kubectls_words_for_what_is_wrong() {
    let cases: serde_json::Value = serde_json::from_str(include_str!("data/refusals.json")).unwrap();
    let cases = cases.as_array().unwrap();
    for case in cases {
        let dir = Dir::new();
        let file = dir.write("config", case["config"].as_str().unwrap());
        let environment = dir.environment().with_variable("KUBECONFIG", file.to_str().unwrap());
        let mut overrides = Overrides::default().with_default_server(&environment);
        for (flag, value) in case["flags"].as_object().unwrap() {
            let value = value.as_str().unwrap();
            match flag.as_str() {
                "context" => overrides.current_context = value.to_owned(),
                "user" => overrides.context.user = value.to_owned(),
                "cluster" => overrides.context.cluster = value.to_owned(),
                "token" => overrides.user.token = value.into(),
                "username" => overrides.user.username = value.to_owned(),
                "certificate-authority" => overrides.cluster.certificate_authority = value.to_owned(),
                "request-timeout" => overrides.timeout = value.to_owned(),
                other => panic!("what is {other}?"),
            }
        }
        let found = LoadingRules::new(&environment).config(&overrides).err().map(shown).unwrap_or_default();
        let found = found.replace(dir.path().to_str().unwrap(), "$DIR");
        assert_eq!(found, case["stderr"].as_str().unwrap(), "{case}");
    }
    assert_eq!(cases.len(), 37);
}

/// An error as kubectl prints it.
fn shown(error: ConfigError) -> String {
    match error {
        ConfigError::Invalid(problems) => match problems.as_slice() {
            [one] if one.starts_with("context was not found") => format!("Error in configuration: {one}\n"),
            [one] => format!("error: {one}\n"),
            many => format!("Error in configuration: \n* {}\n", many.join("\n* ")),
        },
        other => format!("error: {other}\n"),
    }
}
