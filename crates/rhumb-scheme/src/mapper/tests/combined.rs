//! Mappers made of other mappers.

use rhumb_meta::GroupVersionKind;

use super::registered::{farm, register};
use super::*;

const ANSWERS: &str = include_str!("../testdata/mappers_answers.txt");

/// A mapper whose server is away.
struct Broken(&'static str);

impl Broken {
    fn fail<T>(&self) -> Result<T, MapperError> {
        Err(MapperError::Unavailable(self.0.into()))
    }
}

impl RestMapper for Broken {
    fn kinds_for(&self, _: &GroupVersionResource) -> Result<Vec<GroupVersionKind>, MapperError> {
        self.fail()
    }

    fn resources_for(&self, _: &GroupVersionResource) -> Result<Vec<GroupVersionResource>, MapperError> {
        self.fail()
    }

    fn rest_mapping(&self, _: &GroupKind, _: &[&str]) -> Result<RestMapping, MapperError> {
        self.fail()
    }

    fn rest_mappings(&self, _: &GroupKind, _: &[&str]) -> Result<Vec<RestMapping>, MapperError> {
        self.fail()
    }

    fn resource_singularizer(&self, _: &str) -> Result<String, MapperError> {
        self.fail()
    }
}

fn members(list: impl IntoIterator<Item = Box<dyn RestMapper>>) -> Vec<Arc<dyn RestMapper>> {
    list.into_iter().map(Arc::from).collect()
}

fn wolves() -> DefaultRestMapper {
    register("apps/v1", &["apps/v1 Deployment N", "apps/v1 Wolf C wolves wolf"])
}

fn foxes() -> DefaultRestMapper {
    let kinds = ["apps/v1 Deployment N", "apps/v2 Deployment C", "apps/v2 Fox C foxes fox"];
    register("apps/v2 apps/v1", &kinds)
}

fn whole() -> Vec<Arc<dyn RestMapper>> {
    members([Box::new(wolves()) as Box<dyn RestMapper>, Box::new(foxes())])
}

fn broken() -> Vec<Arc<dyn RestMapper>> {
    members([
        Box::new(wolves()) as Box<dyn RestMapper>,
        Box::new(Broken("first")),
        Box::new(Broken("second")),
        Box::new(Broken("first")),
    ])
}

fn nested() -> Vec<Arc<dyn RestMapper>> {
    members([
        Box::new(MultiRestMapper::new(broken())) as Box<dyn RestMapper>,
        Box::new(wolves()),
        Box::new(Broken("third")),
    ])
}

fn priority() -> PriorityRestMapper<DefaultRestMapper> {
    let resource = GroupVersionResource::new_static;
    let kind = GroupVersionKind::new_static;
    PriorityRestMapper::new(
        farm(),
        vec![resource("nope", ANY, ANY), resource(ANY, "v1", ANY), resource("apps", ANY, "sheep")],
        vec![kind(ANY, "v2", ANY), kind("apps", ANY, "Sheep"), kind(ANY, "v1beta1", ANY)],
    )
}

#[test]
fn mappers_answer_as_those_of_kubernetes() {
    let mappers: [(&str, Box<dyn RestMapper>); 7] = [
        ("default", Box::new(farm())),
        ("multi", Box::new(MultiRestMapper::new(whole()))),
        ("firsthit", Box::new(FirstHitRestMapper::new(whole()))),
        ("multi_broken", Box::new(MultiRestMapper::new(broken()))),
        ("firsthit_broken", Box::new(FirstHitRestMapper::new(broken()))),
        ("nested", Box::new(MultiRestMapper::new(nested()))),
        ("priority", Box::new(priority())),
    ];
    for line in ANSWERS.lines() {
        let [name, operation, input, expected] = line.splitn(4, '\t').collect::<Vec<_>>()[..] else {
            panic!("not a question and an answer: {line:?}");
        };
        let (_, mapper) =
            mappers.iter().find(|(known, _)| *known == name).expect("the mapper is in the list");
        assert_eq!(ask(mapper, operation, input), expected, "{name} {operation} {input}");
    }
}

#[test]
fn patterns_narrow_until_one_is_left() {
    let mapper = priority();
    assert_eq!(ask(&mapper, "resource_for", "||sheep"), "apps/v1, Resource=sheep");
    assert_eq!(ask(&mapper, "resource_for", "apps||sheep"), "apps/v1, Resource=sheep");
}

#[test]
fn no_mappers_find_nothing() {
    let (multi, first) = (MultiRestMapper::default(), FirstHitRestMapper::default());
    for mapper in [&multi as &dyn RestMapper, &first] {
        assert_eq!(ask(mapper, "kind_for", "||pods"), "error: no matches for /, Resource=pods");
        assert_eq!(ask(mapper, "resource_for", "||pods"), "error: no matches for /, Resource=pods");
        assert_eq!(ask(mapper, "mapping", "|Pod|v1"), r#"error: no matches for kind "Pod" in version "v1""#);
        assert_eq!(ask(mapper, "singular", "pods"), "error: no singular of resource pods has been defined");
    }
}

#[test]
fn several_failures_count_as_each_of_them() {
    let nothing = || MapperError::NoResourceMatch { partial: GroupVersionResource::default() };
    let broken = || MapperError::Unavailable("away".into());
    assert!(MapperError::Aggregate(vec![broken(), nothing()]).is_no_match());
    assert!(!MapperError::Aggregate(vec![broken()]).is_no_match());
    let ambiguous = MapperError::AmbiguousKind { partial: GroupVersionKind::default(), kinds: Vec::new() };
    assert_eq!(ambiguous.to_string(), "/, Kind= matches multiple resources or kinds");
    assert!(MapperError::Aggregate(vec![ambiguous]).is_ambiguous());
    assert!(!nothing().is_ambiguous());
}

#[test]
fn a_server_that_is_away_is_not_a_missing_resource_type() {
    assert_eq!(ask(&Broken("connection refused"), "arg", "pods"), "error: connection refused");
}
