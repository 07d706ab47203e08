//! What cel-go answered of some four thousand expressions, beside what we answer: types, the text of errors, costs.
//!
//! The expressions are in `data/checked/cases.json`; `tools/record-cel` asks cel-go.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

#[path = "checked/cases.rs"]
mod cases;
#[path = "checked/environment.rs"]
mod environment;

use rhumb_cel::cost::{CostEstimator, Node, Range, estimate};
use rhumb_cel::env::Environment;

use cases::Cases;

/// The largest sizes of variables by their paths.
struct Sizes<'a>(&'a std::collections::BTreeMap<String, u64>, bool);

impl CostEstimator for Sizes<'_> {
    fn size(&self, node: &Node<'_>) -> Option<Range> {
        self.0.get(&node.path.steps().join(".")).map(|size| Range::up_to(*size))
    }

    fn presence_test(&self) -> Range {
        Range::exactly(u64::from(!self.1))
    }
}

fn answer(env: &Environment, sizes: &Sizes<'_>, expression: &str) -> String {
    match env.compile(expression) {
        Ok(checked) => {
            let cost = estimate(&checked, sizes);
            format!("{}\t{}..{}", checked.result(), cost.min, cost.max)
        }
        Err(errors) => escape(&errors.to_string()),
    }
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n").replace('\t', "\\t")
}

#[test]
fn types_errors_and_costs_are_as_cel_go_has_them() {
    let cases = Cases::read();
    let recorded = include_str!("data/checked/answers.txt");
    let mut recorded = recorded.lines();
    let mut different = Vec::new();
    let mut asked = 0;
    for group in &cases.groups {
        let described = &cases.environments[&group.environment];
        let env = environment::build(described);
        let sizes =
            Sizes(&described.sizes, described.options.iter().any(|option| option == "free-presence-tests"));
        for expression in group.expressions() {
            let ours = format!(
                "{}\t{}\t{}",
                group.environment,
                escape(&expression),
                answer(&env, &sizes, &expression)
            );
            let theirs = recorded.next().expect("cases.json has more cases than were recorded");
            asked += 1;
            if ours != theirs {
                different.push(format!("cel-go {theirs}\nours   {ours}"));
            }
        }
    }
    assert_eq!(recorded.next(), None, "more was recorded than cases.json has");
    let shown: Vec<&String> = different.iter().take(200).collect();
    assert!(different.is_empty(), "{} of {asked} differ: {shown:#?}", different.len());
}

#[test]
fn libraries_declare_what_cel_gos_declare() {
    let recorded = include_str!("data/checked/libraries.txt");
    let mut names: Vec<&str> = recorded.lines().filter_map(|line| line.split('\t').next()).collect();
    names.dedup();
    let mut different = Vec::new();
    for name in names {
        let library = environment::library(name);
        let mut theirs: Vec<String> = Vec::new();
        for line in recorded.lines().filter(|line| line.split('\t').next() == Some(name)) {
            theirs.push(match line.split('\t').collect::<Vec<_>>().as_slice() {
                [_, "variable", variable, type_] => format!("{variable}: {}", environment::parse(type_)),
                [_, kind, function, id, params, result] => {
                    let params = params.split("; ").filter(|param| !param.is_empty());
                    let params: Vec<_> = params.map(|param| environment::parse(param).to_string()).collect();
                    let result = environment::parse(result);
                    format!("{kind} {function} {id} ({}) {result}", params.join(", "))
                }
                other => panic!("{other:?}"),
            });
        }
        let mut ours: Vec<String> =
            library.variables().iter().map(|v| format!("{}: {}", v.name, v.type_)).collect();
        ours.extend(library.functions().iter().map(|function| {
            let overload = &function.overload;
            let kind = if overload.member { "member" } else { "global" };
            let params: Vec<_> = overload.params.iter().map(ToString::to_string).collect();
            format!("{kind} {} {} ({}) {}", function.name, overload.id, params.join(", "), overload.result)
        }));
        // Blocks are what cel-go's optimizer makes of expressions.
        theirs.retain(|line| !line.contains(" cel.@block "));
        theirs.sort();
        ours.sort();
        different.extend(
            theirs.iter().filter(|line| !ours.contains(line)).map(|line| format!("{name} lacks {line}")),
        );
        different.extend(
            ours.iter().filter(|line| !theirs.contains(line)).map(|line| format!("{name} adds {line}")),
        );
    }
    assert!(different.is_empty(), "{different:#?}");
}
