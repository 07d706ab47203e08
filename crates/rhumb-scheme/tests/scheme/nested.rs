//! Conversion of values that are no objects: registered in the scheme, met by derived conversions, asked for in a
//! scope.

use std::sync::Arc;

use rhumb_meta::{Object, ObjectMeta, TypeMeta, downcast};
use rhumb_schema::Schema;
use rhumb_scheme::{ConvertError, Scheme, SchemeBuilder, Scope, ToInternal};

use crate::toys::{self, GROUP, gv, internal, v1, v1beta1};

fn beta() -> Box<dyn Object> {
    let mut widget = v1beta1::Widget::default();
    let part = |name: &str| v1beta1::Part { name: name.into(), weight: "12g".into() };
    widget.spec.core = Some(Box::new(part("core")));
    widget.spec.parts = vec![part("wheel")];
    widget.spec.spares.insert("spare".into(), part("axle"));
    Box::new(widget)
}

/// The weights in a widget that went to the hub: of its core, its part and its spare one.
fn grams(scheme: &Scheme) -> [i64; 3] {
    let hub = scheme.move_to_version(beta(), &ToInternal).expect("converts");
    let hub = downcast::<internal::Widget>(hub).expect("the hub's type");
    let spare = hub.spec.spares.get("spare").map(|part| part.grams);
    [hub.spec.core.map_or(0, |core| core.grams), hub.spec.parts[0].grams, spare.unwrap_or_default()]
}

fn weighing(grams: i64) -> impl Fn(v1beta1::Part, &Scope) -> Result<internal::Part, ConvertError> {
    move |part, _| Ok(internal::Part { name: part.name, grams })
}

fn with(register: impl Fn(&mut SchemeBuilder)) -> Scheme {
    let mut builder = toys::builder();
    register(&mut builder);
    builder.freeze().expect("freezes")
}

#[test]
fn derived_conversions_take_what_is_registered_for_a_part_wherever_it_stands() {
    assert_eq!(grams(&toys::scheme()), [12; 3]);
    let scheme = with(|builder| {
        builder.value_conversion(weighing(7));
    });
    assert_eq!(grams(&scheme), [7; 3]);
}

#[test]
fn what_a_program_wrote_counts_less_than_what_the_types_say_or_somebody_registers() {
    let generated = with(|builder| {
        builder.generated_value_conversion(weighing(1));
    });
    assert_eq!(grams(&generated), [12; 3]);
    for written_first in [true, false] {
        let scheme = with(|builder| {
            if written_first {
                builder.value_conversion(weighing(7)).generated_value_conversion(weighing(1));
            } else {
                builder.generated_value_conversion(weighing(1)).value_conversion(weighing(7));
            }
        });
        assert_eq!(grams(&scheme), [7; 3]);
    }
    let last = with(|builder| {
        builder.value_conversion(weighing(7)).value_conversion(weighing(8));
    });
    assert_eq!(grams(&last), [8; 3], "of two that count alike the later one counts");
    let ignored = with(|builder| {
        builder.ignore_value_conversion::<v1beta1::Part, internal::Part>();
        builder.value_conversion(weighing(7));
    });
    assert_eq!(grams(&ignored), [0; 3]);
}

#[test]
fn a_generated_conversion_of_objects_counts_where_nobody_wrote_one() {
    let coloured = |color: &'static str| {
        move |_: v1::Widget, _: &Scope| {
            let mut hub = internal::Widget::default();
            hub.spec.color = color.into();
            Ok(hub)
        }
    };
    let color = |register: &dyn Fn(&mut SchemeBuilder)| {
        let mut builder = SchemeBuilder::new("toys");
        builder.register_hub::<internal::Widget>(GROUP).expect("the hub");
        builder.register::<v1::Widget>(&gv("v1")).expect("v1");
        builder.generated_conversion(|_: internal::Widget, _| Ok(v1::Widget::default()));
        register(&mut builder);
        let scheme = builder.freeze().expect("freezes");
        let hub = scheme.move_to_version(Box::new(v1::Widget::default()), &ToInternal).expect("converts");
        downcast::<internal::Widget>(hub).expect("the hub's type").spec.color
    };
    let alone = |builder: &mut SchemeBuilder| {
        builder.generated_conversion(coloured("generated"));
    };
    assert_eq!(color(&alone), "generated");
    let both = |builder: &mut SchemeBuilder| {
        builder.conversion(coloured("written")).generated_conversion(coloured("generated"));
    };
    assert_eq!(color(&both), "written");
    let other_order = |builder: &mut SchemeBuilder| {
        builder.generated_conversion(coloured("generated")).conversion(coloured("written"));
    };
    assert_eq!(color(&other_order), "written");
}

#[test]
fn a_scope_converts_parts_and_objects_by_their_types() -> Result<(), ConvertError> {
    let scheme = with(|builder| {
        builder.value_conversion(weighing(7));
    });
    let scope = scheme.scope(gv("v1beta1"), gv("__internal"));
    let own = v1beta1::Part { name: "wheel".into(), weight: "12g".into() };
    let mut hub = internal::Part::default();
    scope.convert(&own, &mut hub)?;
    assert_eq!((hub.name.as_str(), hub.grams), ("wheel", 7));
    let hub: internal::Part = scope.convert_value(own)?;
    assert_eq!(hub.grams, 7);
    // An object is a value too: what was derived for it is registered.
    let mut widget = v1::Widget::default();
    widget.spec.color = "red".into();
    let mut hub = internal::Widget::default();
    scope.convert(&widget, &mut hub)?;
    assert_eq!(hub.spec.color, "red");
    // What is the same on both sides needs nothing.
    let mut text = String::new();
    scope.convert(&"as it is".to_owned(), &mut text)?;
    assert_eq!(text, "as it is");
    Ok(())
}

#[test]
fn a_pair_that_nobody_registered_is_told_as_kubernetes_tells_it() {
    let scheme = toys::scheme();
    let mut hub = internal::Part { name: "as it was".into(), grams: 1 };
    let part = v1beta1::Part::default();
    for scope in [scheme.scope(gv("v1beta1"), gv("v1")), Scope::new(gv("v1beta1"), gv("v1"))] {
        let error = scope.convert(&part, &mut hub).expect_err("nobody registered it");
        assert_eq!(error.to_string(), "converting (v1beta1.Part) to (internal.Part): unknown conversion");
    }
    assert_eq!(hub.name, "as it was");
}

/// What conversions are to be told by whoever starts them.
struct Unit(&'static str);

#[test]
fn whoever_starts_a_conversion_can_tell_it_something() -> Result<(), ConvertError> {
    let scheme = with(|builder| {
        builder.value_conversion(|part: internal::Part, scope: &Scope| {
            let unit = scope.context::<Unit>().map_or("?", |unit| unit.0);
            Ok(v1beta1::Part { name: part.name, weight: format!("{}{unit}", part.grams) })
        });
    });
    let mut widget = v1::Widget::default();
    widget.spec.parts = vec![v1::Part { name: "wheel".into(), grams: 12 }];
    // The value travels through the hub and into parts.
    let weight = |converted: Box<dyn Object>| {
        downcast::<v1beta1::Widget>(converted).expect("its type").spec.parts[0].weight.clone()
    };
    let context = Arc::new(Unit(" grams"));
    let told = scheme.move_to_version_with(Box::new(widget.clone()), &gv("v1beta1"), context.clone())?;
    assert_eq!(weight(told), "12 grams");
    let untold = scheme.move_to_version(Box::new(widget.clone()), &gv("v1beta1"))?;
    assert_eq!(weight(untold), "12?");
    let scope = scheme.scope(gv("v1"), gv("v1beta1")).with_context(context);
    let converted: v1beta1::Widget = scheme.convert(widget, &scope)?;
    assert_eq!(converted.spec.parts[0].weight, "12 grams");
    Ok(())
}

#[derive(Clone, Default, Schema, Object)]
struct Kite {
    #[field(0, inline)]
    type_meta: TypeMeta,
    #[field(1)]
    metadata: ObjectMeta,
    #[field(2)]
    line: internal::Part,
}

/// The types of its field have no conversion by themselves.
#[derive(Clone, Default, Schema, Object, rhumb_scheme::Convert)]
#[convert(hub = Kite)]
struct OldKite {
    #[field(0, inline)]
    type_meta: TypeMeta,
    #[field(1)]
    metadata: ObjectMeta,
    #[field(2)]
    #[convert(rename = line, with = rhumb_scheme::registered)]
    string: OldLine,
}

#[derive(Clone, Default, Schema)]
struct OldLine {
    #[field(1)]
    weight: i64,
}

#[test]
fn a_field_can_leave_its_conversion_to_the_scheme() -> Result<(), Box<dyn std::error::Error>> {
    let mut builder = SchemeBuilder::new("kites");
    builder.register_as::<Kite>(&gv("__internal").with_kind("Kite"))?;
    builder.register_as::<OldKite>(&gv("v1").with_kind("Kite"))?;
    builder.hub_conversion::<OldKite, Kite>();
    builder
        .value_conversion(|line: OldLine, _| Ok(internal::Part { grams: line.weight, ..Default::default() }));
    builder.value_conversion(|line: internal::Part, _| Ok(OldLine { weight: line.grams }));
    let scheme = builder.freeze()?;
    let kite = OldKite { string: OldLine { weight: 5 }, ..OldKite::default() };
    let hub = scheme.move_to_version(Box::new(kite), &ToInternal)?;
    assert_eq!(hub.downcast_ref::<Kite>().map(|hub| hub.line.grams), Some(5));
    let back = scheme.move_to_version(hub, &gv("v1"))?;
    assert_eq!(back.downcast_ref::<OldKite>().map(|kite| kite.string.weight), Some(5));
    Ok(())
}
