//! What can be registered, what can't, and in which words.

use rhumb_meta::{GroupVersion, INTERNAL, Object, TypeMeta};
use rhumb_schema::Schema;
use rhumb_scheme::{RegisterError, SchemeBuilder};

use crate::toys::{self, GROUP, gv, gvk, internal, v1, v1beta1};

fn refused(result: Result<&mut SchemeBuilder, RegisterError>) -> String {
    result.err().map(|error| error.to_string()).unwrap_or_default()
}

#[test]
fn a_second_type_for_a_kind_is_refused_by_the_names_of_both() {
    let mut builder = SchemeBuilder::new("toys");
    builder.register::<v1::Widget>(&gv("v1")).expect("the first");
    assert_eq!(
        refused(builder.register_as::<v1beta1::Widget>(&gvk("v1", "Widget"))),
        "Double registration of different types for toys.example/v1, Kind=Widget: old=scheme::toys::v1::Widget, \
         new=scheme::toys::v1beta1::Widget in scheme \"toys\""
    );
}

#[test]
fn the_same_type_twice_is_fine() {
    let mut builder = SchemeBuilder::new("toys");
    builder.register::<v1::Widget>(&gv("v1")).expect("the first");
    builder.register::<v1::Widget>(&gv("v1")).expect("the second");
    let scheme = builder.freeze().expect("freezes");
    let kinds = scheme.object_kinds(&v1::Widget::default()).expect("is registered");
    assert_eq!(kinds, (vec![gvk("v1", "Widget")].into(), false));
}

#[test]
fn a_type_may_have_several_kinds_and_prefers_the_one_it_carries() {
    let mut builder = SchemeBuilder::new("toys");
    for (version, kind) in [("v1", "Widget"), ("v2", "Widget"), ("v2", "Thing"), ("v3", "Widget")] {
        builder.register_as::<v1::Widget>(&gvk(version, kind)).expect("registers");
    }
    let scheme = builder.freeze().expect("freezes");
    let mut widget = v1::Widget::default();
    let names = |widget: &v1::Widget| -> Vec<String> {
        let (kinds, _) = scheme.object_kinds(widget).expect("is registered");
        kinds.iter().map(|kind| format!("{} {}", kind.version, kind.kind)).collect()
    };
    assert_eq!(names(&widget), ["v1 Widget", "v2 Widget", "v2 Thing", "v3 Widget"]);
    widget.type_meta.set("toys.example/v2", "Thing");
    assert_eq!(names(&widget), ["v2 Thing", "v1 Widget", "v2 Widget", "v3 Widget"]);
    widget.type_meta.set("toys.example/v9", "Thing");
    assert_eq!(names(&widget), ["v1 Widget", "v2 Widget", "v2 Thing", "v3 Widget"]);
}

#[test]
fn a_kind_needs_a_version() {
    let mut builder = SchemeBuilder::new("toys");
    assert_eq!(
        refused(builder.register_as::<v1::Widget>(&gvk("", "Widget"))),
        "version is required on all types: toys.example/, Kind=Widget scheme::toys::v1::Widget"
    );
}

mod other {
    use super::*;

    #[derive(Clone, Default, Schema, Object)]
    pub(super) struct Notice {
        #[field(0, inline)]
        pub(super) type_meta: TypeMeta,
    }
}

#[test]
fn an_unversioned_kind_has_one_type_in_all_groups() {
    let mut builder = SchemeBuilder::new("toys");
    builder.register_unversioned::<v1::Notice>(&GroupVersion::new_static("", "v1")).expect("the first");
    assert_eq!(
        refused(builder.register_unversioned::<other::Notice>(&gv("v1"))),
        "scheme::toys::v1::Notice has already been registered as unversioned kind \
         \"toys.example/v1, Kind=Notice\" - kind name must be unique in scheme \"toys\""
    );
}

#[test]
fn priorities_are_for_versions_that_exist() {
    let mut builder = toys::builder();
    assert_eq!(
        refused(builder.version_priority(GROUP, &["v1", INTERNAL])),
        "internal versions cannot be prioritized: toys.example/__internal"
    );
    assert!(refused(builder.version_priority(GROUP, &["v7"])).contains("toys.example/v7"));
}

#[test]
fn a_kind_that_cannot_reach_its_hub_stops_the_freeze() {
    let mut builder = SchemeBuilder::new("toys");
    builder.register_hub::<internal::Widget>(GROUP).expect("the hub");
    builder.register::<v1::Widget>(&gv("v1")).expect("v1");
    builder.register::<v1beta1::Widget>(&gv("v1beta1")).expect("v1beta1");
    builder.hub_conversion::<v1::Widget, internal::Widget>();
    let error = builder.freeze().err();
    let expected = RegisterError::NoWayToHub(gvk("v1beta1", "Widget"), "scheme::toys::v1beta1::Widget");
    assert_eq!(error, Some(expected));
}

#[test]
fn one_direction_is_no_way_to_the_hub() {
    let mut builder = SchemeBuilder::new("toys");
    builder.register_hub::<internal::Widget>(GROUP).expect("the hub");
    builder.register::<v1::Widget>(&gv("v1")).expect("v1");
    builder.conversion(|_: v1::Widget, _| Ok(internal::Widget::default()));
    assert!(builder.freeze().is_err());
}

#[test]
fn a_kind_without_a_hub_needs_no_way_to_it() {
    let mut builder = SchemeBuilder::new("toys");
    builder.register::<v1::Widget>(&gv("v1")).expect("v1");
    let scheme = builder.freeze().expect("freezes");
    assert!(scheme.recognizes(&gvk("v1", "Widget")));
}

#[derive(Clone, Default, Schema, Object)]
struct Misfit {
    #[field(0, inline)]
    type_meta: TypeMeta,
    #[field(1, default = "many")]
    replicas: Option<i32>,
}

#[test]
fn a_default_that_does_not_fit_its_field_stops_the_freeze() {
    let mut builder = SchemeBuilder::new("toys");
    builder.register::<Misfit>(&gv("v1")).expect("registers");
    let error = builder.freeze().err().map(|error| error.to_string());
    assert_eq!(error.as_deref(), Some("Misfit.replicas: default \"many\" is no int32"));
    assert!(Misfit::default().replicas.is_none());
}

#[test]
fn groups_install_one_after_the_other_and_the_first_failure_ends_it() {
    fn fails(scheme: &mut SchemeBuilder) -> Result<(), RegisterError> {
        scheme.register_as::<v1::Gadget>(&gvk("v1", "Widget")).map(|_| ())
    }
    let result = SchemeBuilder::new("toys").install(toys::install).and_then(|builder| builder.install(fails));
    assert!(matches!(result.err(), Some(RegisterError::DoubleRegistration { .. })));
}
