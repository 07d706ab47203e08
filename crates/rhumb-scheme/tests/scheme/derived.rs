//! Derived conversions: renamed, skipped, written, missing and equal fields, and containers of converted types.

use std::collections::BTreeMap;

use rhumb_scheme::{Convert, ConvertError, Scope};

use crate::toys::{gv, internal, v1, v1alpha1, v1beta1};

fn scope() -> Scope {
    Scope::new(gv("v1"), gv("v1"))
}

fn hub_part(name: &str, grams: i64) -> internal::Part {
    internal::Part { name: name.into(), grams }
}

fn hub() -> internal::WidgetSpec {
    internal::WidgetSpec {
        replicas: Some(0),
        color: "red".into(),
        core: Some(Box::new(hub_part("core", 7))),
        parts: vec![hub_part("a", 1), hub_part("b", 2)],
        spares: BTreeMap::from([("x".into(), hub_part("c", 3)), ("y".into(), hub_part("d", 4))]),
        shared: vec![v1::Shared { key: "k".into() }],
        since_v1: "new".into(),
    }
}

#[test]
fn a_version_with_the_hubs_fields_comes_back_unchanged() -> Result<(), ConvertError> {
    let own: v1::WidgetSpec = hub().convert(&scope())?;
    assert_eq!(own.core.as_ref().map(|part| part.grams), Some(7));
    assert_eq!(own.parts.iter().map(|part| part.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(own.spares["y"].name, "d");
    let back: internal::WidgetSpec = own.convert(&scope())?;
    assert_eq!(back, hub());
    Ok(())
}

#[test]
fn renamed_written_skipped_and_missing_fields() -> Result<(), ConvertError> {
    let own: v1beta1::WidgetSpec = hub().convert(&scope())?;
    assert_eq!(own.colour, "red");
    assert_eq!(own.core.as_ref().map(|part| part.weight.as_str()), Some("7g"));
    assert_eq!(own.spares["x"].weight, "3g");
    assert_eq!(own.retired, "");

    let mut own = own;
    own.retired = "lost on the way".into();
    let back: internal::WidgetSpec = own.convert(&scope())?;
    assert_eq!(back, internal::WidgetSpec { since_v1: String::new(), ..hub() });
    Ok(())
}

#[test]
fn what_a_version_lacks_is_at_its_default() -> Result<(), ConvertError> {
    let own: v1alpha1::WidgetSpec = hub().convert(&scope())?;
    let back: internal::WidgetSpec = own.convert(&scope())?;
    let expected = internal::WidgetSpec { replicas: Some(0), color: "red".into(), ..Default::default() };
    assert_eq!(back, expected);
    Ok(())
}

#[test]
fn absent_and_empty_containers_stay_so() -> Result<(), ConvertError> {
    let own: v1beta1::WidgetSpec = internal::WidgetSpec::default().convert(&scope())?;
    assert_eq!(own, v1beta1::WidgetSpec::default());
    let back: internal::WidgetSpec = own.convert(&scope())?;
    assert_eq!(back, internal::WidgetSpec::default());
    Ok(())
}

#[test]
fn a_value_that_the_hub_cannot_say_is_an_error_wherever_it_stands() {
    let bad = || v1beta1::Part { name: "p".into(), weight: "heavy".into() };
    let specs = [
        v1beta1::WidgetSpec { core: Some(Box::new(bad())), ..Default::default() },
        v1beta1::WidgetSpec { parts: vec![bad()], ..Default::default() },
        v1beta1::WidgetSpec { spares: BTreeMap::from([("s".into(), bad())]), ..Default::default() },
    ];
    for spec in specs {
        let result: Result<internal::WidgetSpec, _> = spec.convert(&scope());
        assert_eq!(result.err(), Some(ConvertError::value("\"heavy\" is no weight")));
    }
}

#[test]
fn the_label_does_not_move_along() -> Result<(), ConvertError> {
    let mut widget = v1::Widget::default();
    widget.type_meta.set("toys.example/v1", "Widget");
    widget.metadata.name = "w".into();
    let hub: internal::Widget = widget.convert(&scope())?;
    assert_eq!(hub.type_meta.kind, "");
    assert_eq!(hub.metadata.name, "w");
    Ok(())
}
