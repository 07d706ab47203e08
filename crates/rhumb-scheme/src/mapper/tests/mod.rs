//! Lookups compared with what Kubernetes 1.36 answers.
//!
//! The files in `testdata` hold servers and questions with their answers. A server is written as its groups, their
//! versions (a star marks the preferred one) and a line for each resource: plural, singular, kind, scope, short
//! names, categories. `kubernetes.txt` is what Kubernetes serves with every built-in version switched on;
//! `crowded.txt` is made up so that names clash.

mod combined;
mod documents;
mod registered;

use std::fmt::Display;
use std::sync::{Arc, Mutex};

use rhumb_meta::{GroupKind, GroupVersionResource};

use super::*;
use documents::Server;

const KUBERNETES: &str = include_str!("../testdata/kubernetes.txt");
const KUBERNETES_ANSWERS: &str = include_str!("../testdata/kubernetes_answers.txt");
const CROWDED: &str = include_str!("../testdata/crowded.txt");
const CROWDED_ANSWERS: &str = include_str!("../testdata/crowded_answers.txt");

/// What a kubectl has that talks to a server.
struct Client {
    mapper: ShortcutExpander<DiscoveryRestMapper>,
    categories: Categories,
    warnings: Arc<Mutex<Vec<String>>>,
}

impl Client {
    fn new(discovery: &Discovery) -> Self {
        let warnings = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&warnings);
        let mapper = ShortcutExpander::new(discovery.rest_mapper(), discovery.shortcuts())
            .on_warning(move |text| sink.lock().expect("no thread panics").push(format!(" !{text}")));
        Self { mapper, categories: discovery.categories(), warnings }
    }

    fn ask(&self, operation: &str, input: &str) -> String {
        self.warnings.lock().expect("no thread panics").clear();
        if operation == "aliases" {
            return self.categories.replace_aliases(input);
        }
        let answer = ask(&self.mapper, operation, input);
        if operation != "resource_for" {
            return answer;
        }
        answer + &self.warnings.lock().expect("no thread panics").concat()
    }

    fn check(&self, answers: &str) {
        for line in answers.lines() {
            let [operation, input, expected] = line.splitn(3, '\t').collect::<Vec<_>>()[..] else {
                panic!("not a question and an answer: {line:?}");
            };
            assert_eq!(self.ask(operation, input), expected, "{operation} {input}");
        }
    }
}

/// Carries out one lookup. The parts of the input are separated by bars, as in `group|version|resource`.
fn ask(mapper: &dyn RestMapper, operation: &str, input: &str) -> String {
    let parts: Vec<&str> = input.split('|').collect();
    match operation {
        "arg" => show(mapping_for_arg(mapper, input).map(|mapping| show_mapping(&mapping))),
        "singular" => show(mapper.resource_singularizer(input)),
        "mapping" => {
            let kind = GroupKind::new(parts[0].to_owned(), parts[1].to_owned());
            show(mapper.rest_mapping(&kind, &parts[2..]).map(|mapping| show_mapping(&mapping)))
        }
        "mappings" => {
            let kind = GroupKind::new(parts[0].to_owned(), parts[1].to_owned());
            let mappings = mapper.rest_mappings(&kind, &parts[2..]);
            show(mappings.map(|list| list.iter().map(show_mapping).collect::<Vec<_>>().join("; ")))
        }
        _ => {
            let resource =
                GroupVersionResource::new(parts[0].to_owned(), parts[1].to_owned(), parts[2].to_owned());
            match operation {
                "kind_for" => show(mapper.kind_for(&resource)),
                "kinds_for" => {
                    show(mapper.kinds_for(&resource).map(|kinds| quote::Listed(&kinds).to_string()))
                }
                "resource_for" => show(mapper.resource_for(&resource)),
                "resources_for" => {
                    show(mapper.resources_for(&resource).map(|list| quote::Listed(&list).to_string()))
                }
                _ => panic!("unknown operation {operation}"),
            }
        }
    }
}

fn show(answer: Result<impl Display, impl Display>) -> String {
    match answer {
        Ok(answer) => answer.to_string(),
        Err(error) => format!("error: {error}"),
    }
}

fn show_mapping(mapping: &RestMapping) -> String {
    format!("{} <- {} ({})", mapping.resource, mapping.kind, mapping.scope)
}

#[test]
fn kubernetes_resources_are_found_as_kubectl_finds_them() {
    Client::new(&Server::parse(KUBERNETES).classic()).check(KUBERNETES_ANSWERS);
}

#[test]
fn aggregated_documents_give_the_same_answers() {
    let server = Server::parse(KUBERNETES);
    Client::new(&server.aggregated()).check(KUBERNETES_ANSWERS);
    Client::new(&server.aggregated_v2beta1()).check(KUBERNETES_ANSWERS);
}

#[test]
fn clashing_names_are_resolved_as_kubectl_resolves_them() {
    Client::new(&Server::parse(CROWDED).classic()).check(CROWDED_ANSWERS);
}

#[test]
fn a_full_name_claimed_twice_means_one_resource() {
    // `mouse` is the singular of `mice` and a plural of its own.
    let client = Client::new(&Server::parse(CROWDED).classic());
    assert_eq!(
        client.ask("resources_for", "clash.example.com|v1|mouse"),
        "[clash.example.com/v1, Resource=mice]"
    );
}

#[test]
fn an_empty_server_knows_nothing() {
    let client = Client::new(&Discovery::default());
    assert_eq!(client.ask("arg", "pods"), r#"error: the server doesn't have a resource type "pods""#);
    assert_eq!(client.ask("kind_for", "||pods"), "error: no matches for /, Resource=pods");
    assert_eq!(client.ask("mapping", "|Pod"), r#"error: no matches for kind "Pod" in group """#);
    assert_eq!(client.ask("aliases", "all"), "all");
}

#[test]
fn mappers_can_be_shared_between_threads() {
    fn shareable<T: Send + Sync + 'static>() {}
    shareable::<ShortcutExpander<DiscoveryRestMapper>>();
    shareable::<MultiRestMapper>();
    shareable::<Arc<dyn RestMapper>>();
    shareable::<MapperError>();
}

#[test]
fn categories_list_each_resource_once() {
    let categories = Server::parse(CROWDED).classic().categories();
    assert_eq!(categories.names(), ["all", "example"]);
    let autoscalers = categories.expand("all").into_iter().flatten();
    assert_eq!(autoscalers.filter(|resource| resource.group == "autoscaling").count(), 1);
    assert_eq!(categories.expand("nothing"), None);
}
