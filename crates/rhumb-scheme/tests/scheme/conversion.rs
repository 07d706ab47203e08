//! Conversion of objects: between versions through the hub, without copies, with written functions before derived
//! ones.

use std::sync::{Arc, Mutex};

use rhumb_meta::{GroupVersion, GroupVersions, INTERNAL, Object, downcast};
use rhumb_scheme::{
    ConversionKind, ConvertError, RegisterError, Scheme, SchemeBuilder, Scope, ToInternal, ToNone,
    Unstructured, UnstructuredList,
};
use serde_json::json;

use crate::toys::{self, GROUP, gv, gvk, internal, v1, v1alpha1, v1beta1};

fn beta() -> Box<dyn Object> {
    let mut widget = v1beta1::Widget::default();
    widget.type_meta.set("toys.example/v1beta1", "Widget");
    widget.metadata.name = "a-name-that-lives-on-the-heap".into();
    widget.spec.colour = "red".into();
    widget.spec.parts = vec![v1beta1::Part { name: "wheel".into(), weight: "12g".into() }];
    Box::new(widget)
}

fn as_type<T: Object>(object: Box<dyn Object>) -> T {
    downcast::<T>(object).expect("another type than was asked for")
}

#[test]
fn from_one_version_to_another_through_the_hub() -> Result<(), ConvertError> {
    let scheme = toys::scheme();
    let v1 = as_type::<v1::Widget>(scheme.move_to_version(beta(), &gv("v1"))?);
    assert_eq!(v1.type_meta(), ("toys.example/v1", "Widget"));
    assert_eq!((v1.spec.color.as_str(), v1.spec.parts[0].grams), ("red", 12));
    let back = scheme.move_to_version(Box::new(v1), &gv("v1beta1"))?;
    assert!(back.equals(&*beta()));
    let alpha = as_type::<v1alpha1::Widget>(scheme.move_to_version(beta(), &gv("v1alpha1"))?);
    assert_eq!(alpha.spec.color, "red");
    Ok(())
}

#[test]
fn an_internal_result_carries_no_kind() -> Result<(), ConvertError> {
    let scheme = toys::scheme();
    for target in [&ToInternal as &dyn rhumb_scheme::GroupVersioner, &gv(INTERNAL)] {
        let hub = scheme.move_to_version(beta(), target)?;
        assert!(hub.is::<internal::Widget>());
        assert_eq!(hub.type_meta(), ("", ""));
    }
    // A kind that is its own hub changes its label only.
    let mut gadget = v1::Gadget::default();
    gadget.type_meta.set("toys.example/v1", "Gadget");
    let hub = scheme.move_to_version(Box::new(gadget), &ToInternal)?;
    assert_eq!(hub.type_meta(), ("", ""));
    assert_eq!(scheme.move_to_version(hub, &gv("v1"))?.type_meta(), ("toys.example/v1", "Gadget"));
    Ok(())
}

#[test]
fn conversion_functions_see_where_from_and_where_to() {
    let seen = Arc::new(Mutex::new(Vec::<(GroupVersion, GroupVersion)>::new()));
    let mut builder = toys::builder();
    let (there, back) = (seen.clone(), seen.clone());
    builder.conversion(move |_: v1beta1::Widget, scope: &Scope| {
        there.lock().expect("not poisoned").push((scope.source.clone(), scope.target.clone()));
        Ok(internal::Widget::default())
    });
    builder.conversion(move |_: internal::Widget, scope: &Scope| {
        back.lock().expect("not poisoned").push((scope.source.clone(), scope.target.clone()));
        Ok(v1::Widget::default())
    });
    let scheme = builder.freeze().expect("freezes");
    let scopes = |target: &GroupVersion| {
        scheme.move_to_version(beta(), target).expect("converts");
        std::mem::take(&mut *seen.lock().expect("not poisoned"))
    };
    let scope = |source, target| (gv(source), gv(target));
    assert_eq!(scopes(&gv("v1")), [scope("v1beta1", INTERNAL), scope(INTERNAL, "v1")]);
    assert_eq!(scopes(&gv(INTERNAL)), [scope("v1beta1", INTERNAL)]);
}

/// The name in a gadget that comes out of a conversion of a widget which both a derived and a written function do.
fn winner(register: fn(&mut SchemeBuilder)) -> String {
    let mut builder = SchemeBuilder::new("toys");
    builder.register_hub::<internal::Widget>(GROUP).expect("the hub");
    builder.register::<v1::Widget>(&gv("v1")).expect("v1");
    register(&mut builder);
    let scheme = builder.freeze().expect("freezes");
    let hub = scheme.move_to_version(Box::new(v1::Widget::default()), &ToInternal).expect("converts");
    as_type::<internal::Widget>(hub).spec.color
}

fn written(builder: &mut SchemeBuilder) {
    builder.conversion(|_: v1::Widget, _| {
        let mut hub = internal::Widget::default();
        hub.spec.color = "written".into();
        Ok(hub)
    });
}

#[test]
fn a_written_conversion_wins_over_a_derived_one_in_either_order() {
    assert_eq!(
        winner(|builder| {
            written(builder);
            builder.hub_conversion::<v1::Widget, internal::Widget>();
        }),
        "written"
    );
    assert_eq!(
        winner(|builder| {
            builder.hub_conversion::<v1::Widget, internal::Widget>();
            written(builder);
        }),
        "written"
    );
}

#[test]
fn an_ignored_pair_gives_the_default_whatever_else_is_registered() {
    let ignored = |builder: &mut SchemeBuilder| {
        builder.hub_conversion::<v1::Widget, internal::Widget>();
        builder.ignore_conversion::<v1::Widget, internal::Widget>();
        written(builder);
    };
    assert_eq!(winner(ignored), "");
}

fn buffer(object: &dyn Object) -> *const u8 {
    object.metadata().map_or(std::ptr::null(), |metadata| metadata.name.as_ptr())
}

#[test]
fn nothing_is_copied_on_the_way() -> Result<(), ConvertError> {
    let scheme = toys::scheme();
    let object = beta();
    let (object_at, name_at) = (std::ptr::from_ref(&*object).cast::<u8>(), buffer(&*object));
    // The same version: the very same box.
    let object = scheme.move_to_version(object, &gv("v1beta1"))?;
    assert_eq!(std::ptr::from_ref(&*object).cast::<u8>(), object_at);
    assert_eq!(buffer(&*object), name_at);
    // Another one: the texts have moved, none was copied.
    let object = scheme.move_to_version(object, &gv("v1"))?;
    assert_eq!(buffer(&*object), name_at);
    Ok(())
}

#[test]
fn the_copying_variant_leaves_the_original_as_it_was() -> Result<(), ConvertError> {
    let scheme = toys::scheme();
    let original = beta();
    for target in ["v1", "v1beta1", INTERNAL] {
        let copy = scheme.convert_to_version(&*original, &gv(target))?;
        assert_ne!(buffer(&*copy), buffer(&*original));
        assert!(original.equals(&*beta()));
    }
    Ok(())
}

fn refusal(scheme: &Scheme, object: Box<dyn Object>, target: &dyn rhumb_scheme::GroupVersioner) -> String {
    scheme.move_to_version(object, target).err().map(|error| error.to_string()).unwrap_or_default()
}

#[test]
fn what_does_not_convert_is_told_in_kubernetes_words() {
    let scheme = toys::scheme();
    let apps = GroupVersion::new_static("apps", "v1");
    let batch = GroupVersion::new_static("batch", "v1");
    let list = Box::new(v1::WidgetList::default());
    assert_eq!(
        refusal(&scheme, list, &apps),
        r#"no kind is registered for the type v1.WidgetList in scheme "toys""#
    );
    assert_eq!(
        refusal(&scheme, beta(), &apps),
        r#"v1beta1.Widget is not suitable for converting to "apps/v1" in scheme "toys""#
    );
    assert_eq!(
        refusal(&scheme, beta(), &GroupVersions(vec![apps, batch])),
        r#"v1beta1.Widget is not suitable for converting to ["apps/v1" "batch/v1"] in scheme "toys""#
    );
    assert_eq!(
        refusal(&scheme, beta(), &ToNone),
        r#"v1beta1.Widget is not suitable for converting to {} in scheme "toys""#
    );
    assert_eq!(
        refusal(&scheme, beta(), &gv("v2")),
        r#"no kind "Widget" is registered for version "toys.example/v2" in scheme "toys""#
    );
}

#[test]
fn a_version_without_a_hub_has_nowhere_to_go() {
    let mut builder = SchemeBuilder::new("toys");
    builder.register::<v1::Widget>(&gv("v1")).expect("v1");
    builder.register::<v1beta1::Widget>(&gv("v1beta1")).expect("v1beta1");
    let scheme = builder.freeze().expect("freezes");
    assert_eq!(
        refusal(&scheme, beta(), &ToInternal),
        r#"no kind "Widget" is registered for the internal version of group "toys.example" in scheme "toys""#
    );
    assert_eq!(
        refusal(&scheme, beta(), &gv("v1")),
        "converting (v1beta1.Widget) to (v1.Widget): unknown conversion"
    );
}

#[test]
fn an_error_of_a_conversion_is_told_as_it_is() {
    let scheme = toys::scheme();
    let mut widget = v1beta1::Widget::default();
    widget.spec.parts = vec![v1beta1::Part { weight: "heavy".into(), ..Default::default() }];
    assert_eq!(refusal(&scheme, Box::new(widget), &gv("v1")), "\"heavy\" is no weight");
}

#[test]
fn unversioned_objects_take_a_label_and_nothing_more() -> Result<(), ConvertError> {
    let scheme = toys::scheme();
    for (target, label) in [
        (GroupVersion::new_static("apps", "v1"), ("v1", "Notice")),
        (GroupVersion::new_static("", "v2"), ("v2", "Notice")),
        (GroupVersion::new_static("", INTERNAL), ("", "")),
    ] {
        let notice = scheme
            .move_to_version(Box::new(v1::Notice { text: "t".into(), ..Default::default() }), &target)?;
        assert_eq!(notice.type_meta(), label);
    }
    let notice = scheme.move_to_version(Box::new(v1::Notice::default()), &ToNone)?;
    assert_eq!(notice.type_meta(), ("v1", "Notice"));
    Ok(())
}

#[test]
fn unstructured_objects_become_typed_first() -> Result<(), ConvertError> {
    let scheme = toys::scheme();
    let tree = |tree| Box::new(Unstructured::new(tree).expect("an object"));
    let object = tree(json!({
        "apiVersion": "toys.example/v1beta1", "kind": "Widget",
        "spec": {"colour": "red", "parts": [{"name": "wheel", "weight": "12g"}]},
    }));
    let v1 = as_type::<v1::Widget>(scheme.move_to_version(object, &gv("v1"))?);
    assert_eq!(v1.spec.parts[0].grams, 12);

    assert_eq!(
        refusal(&scheme, tree(json!({"apiVersion": "toys.example/v1"})), &gv("v1")),
        "Object 'Kind' is missing in 'unstructured object has no kind'"
    );
    assert_eq!(
        refusal(&scheme, tree(json!({"apiVersion": "v1", "kind": "X"})), &gv("v1")),
        r#"no kind "X" is registered for version "v1" in scheme "toys""#
    );
    let misfit = tree(json!({"apiVersion": "toys.example/v1", "kind": "Widget", "spec": "x"}));
    let words = refusal(&scheme, misfit, &gv("v1"));
    assert!(
        words.starts_with("unable to convert unstructured object to toys.example/v1, Kind=Widget: "),
        "{words}"
    );
    Ok(())
}

#[test]
fn unstructured_lists_become_typed_too() -> Result<(), Box<dyn std::error::Error>> {
    let mut builder = toys::builder();
    builder.register::<v1::WidgetList>(&gv("v1"))?;
    let scheme = builder.freeze()?;
    let mut list = UnstructuredList::default();
    list.set_type_meta("toys.example/v1", "WidgetList");
    list.push_item(beta()).expect("takes anything");
    let typed = as_type::<v1::WidgetList>(scheme.move_to_version(Box::new(list), &gv("v1"))?);
    assert_eq!(typed.items.len(), 1);
    assert_eq!(typed.items[0].metadata.name, "a-name-that-lives-on-the-heap");
    Ok(())
}

#[test]
fn values_convert_by_their_types() -> Result<(), ConvertError> {
    let scheme = toys::scheme();
    let scope = Scope::new(gv("v1beta1"), gv("v1"));
    let own = as_type::<v1beta1::Widget>(beta());
    let v1: v1::Widget = scheme.convert(own, &scope)?;
    assert_eq!(v1.spec.color, "red");
    let failed: Result<v1::Gadget, _> = scheme.convert(v1, &scope);
    let words = failed.err().map(|error| error.to_string());
    assert_eq!(words.as_deref(), Some("converting (v1.Widget) to (v1.Gadget): unknown conversion"));
    Ok(())
}

#[test]
fn the_registry_says_how_a_kind_reaches_its_hub() {
    let scheme = toys::scheme();
    assert_eq!(scheme.conversion_kind(&gvk("v1", "Widget")), ConversionKind::Function);
    assert_eq!(scheme.conversion_kind(&gvk("v1", "Gadget")), ConversionKind::SameType);
    assert_eq!(scheme.conversion_kind(&gvk("v1", "Nothing")), ConversionKind::None);
}

#[test]
fn a_kind_that_moved_between_groups_passes_the_hub_of_the_other() -> Result<(), RegisterError> {
    let mut builder = toys::builder();
    let old = GroupVersion::new_static("attic.example", "v1");
    builder.register::<v1::Gadget>(&old)?;
    let seen = Arc::new(Mutex::new(None));
    let note = seen.clone();
    builder.conversion(|_: v1::Gadget, _| Ok(internal::Widget::default()));
    builder.conversion(move |_: internal::Widget, scope: &Scope| {
        *note.lock().expect("not poisoned") = Some((scope.source.clone(), scope.target.clone()));
        Ok(v1beta1::Widget::default())
    });
    let scheme = builder.freeze()?;
    let scope = Scope::new(old, gv("v1beta1"));
    let converted: Result<v1beta1::Widget, _> = scheme.convert(v1::Gadget::default(), &scope);
    assert!(converted.is_ok());
    let expected = (gv(INTERNAL), gv("v1beta1"));
    assert_eq!(*seen.lock().expect("not poisoned"), Some(expected));
    Ok(())
}

#[test]
fn field_labels_of_selectors() {
    let mut builder = toys::builder();
    builder.field_labels(&gvk("v1", "Widget"), |label, value| match label {
        "spec.colour" => Ok(("spec.color".into(), value.to_lowercase())),
        other => Err(format!("field label not supported: {other}")),
    });
    let scheme = builder.freeze().expect("freezes");
    let convert = |version, label| {
        let kind = gvk(version, "Widget");
        scheme.convert_field_label(&kind, label, "RED").map_err(|error| error.to_string())
    };
    let pair = |label: &str, value: &str| Ok((label.to_owned(), value.to_owned()));
    assert_eq!(convert("v1", "spec.colour"), pair("spec.color", "red"));
    assert_eq!(convert("v1", "spec.size"), Err("field label not supported: spec.size".into()));
    // Without a function there are two.
    assert_eq!(convert("v1beta1", "metadata.name"), pair("metadata.name", "RED"));
    assert_eq!(convert("v1beta1", "metadata.namespace"), pair("metadata.namespace", "RED"));
    let words =
        r#""spec.node\x00Name" is not a known field selector: only "metadata.name", "metadata.namespace""#;
    assert_eq!(convert("v1beta1", "spec.node\0Name"), Err(words.into()));
}
