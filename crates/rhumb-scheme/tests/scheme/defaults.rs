//! Defaults: of field tables and of functions, in whatever stands in an object.

use std::collections::BTreeMap;

use rhumb_meta::{Object, TypeMeta};
use rhumb_schema::Schema;
use rhumb_scheme::{Scheme, SchemeBuilder};

use crate::toys::gv;

#[derive(Clone, Default, Schema, Object)]
struct Train {
    #[field(0, inline)]
    type_meta: TypeMeta,
    #[field(1)]
    name: String,
    #[field(2)]
    engine: Wagon,
    #[field(3)]
    wagons: Vec<Wagon>,
    #[field(4)]
    depots: BTreeMap<String, Wagon>,
    #[field(5)]
    tender: Option<Box<Wagon>>,
    #[field(6)]
    caboose: Option<Wagon>,
    #[field(7)]
    by_platform: BTreeMap<String, Lane>,
}

#[derive(Clone, Default, Schema)]
#[schema(transparent)]
struct Lane {
    #[field(1)]
    wagons: Vec<Wagon>,
}

#[derive(Clone, Default, Schema)]
struct Wagon {
    /// How often the function was here.
    #[field(1)]
    visits: i32,
    /// What the parent's function has left before.
    #[field(2)]
    seen: String,
    #[field(3, default = "TCP")]
    protocol: String,
    #[field(4, default = 3)]
    seats: Option<i32>,
    #[field(5, default = true)]
    heated: Option<bool>,
    #[field(6, default = "red")]
    color: Option<String>,
    #[field(7, default = "[\"a\",\"b\"]")]
    doors: Vec<String>,
    #[field(8, default = "{\"brake\":5}")]
    levers: BTreeMap<String, i32>,
    #[field(9)]
    axle: Option<Axle>,
    #[field(10, default = "{}")]
    coupling: Axle,
}

#[derive(Clone, Default, Schema)]
struct Axle {
    #[field(1, default = 2)]
    wheels: i32,
}

fn scheme() -> Scheme {
    let mut builder = SchemeBuilder::new("trains");
    builder.register::<Train>(&gv("v1")).expect("registers");
    builder.defaults::<Train>(|train| {
        if train.name.is_empty() {
            train.name = "local".into();
        }
        train.engine.seen = "parent".into();
        train.wagons.iter_mut().for_each(|wagon| wagon.seen = "parent".into());
    });
    builder.defaults::<Wagon>(|wagon| {
        wagon.visits += 1;
        if wagon.seen == "parent" {
            wagon.seen = "parent, then child".into();
        }
    });
    builder.freeze().expect("freezes")
}

fn defaulted(mut train: Train) -> Train {
    scheme().default(&mut train);
    train
}

/// A wagon after the defaults.
fn full() -> Wagon {
    Wagon {
        visits: 1,
        protocol: "TCP".into(),
        seats: Some(3),
        heated: Some(true),
        color: Some("red".into()),
        doors: vec!["a".into(), "b".into()],
        levers: BTreeMap::from([("brake".into(), 5)]),
        coupling: Axle { wheels: 2 },
        ..Wagon::default()
    }
}

#[test]
fn everything_in_an_object_gets_its_defaults_once() {
    let one = || BTreeMap::from([("x".to_owned(), Wagon::default())]);
    let train = defaulted(Train {
        wagons: vec![Wagon::default(), Wagon::default()],
        depots: one(),
        tender: Some(Box::default()),
        caboose: Some(Wagon::default()),
        by_platform: BTreeMap::from([("p".into(), Lane { wagons: vec![Wagon::default()] })]),
        ..Train::default()
    });
    let after_parent = Wagon { seen: "parent, then child".into(), ..full() };
    assert_eq!(train.name, "local");
    assert_eq!(train.engine, after_parent);
    assert_eq!(train.wagons, [after_parent.clone(), after_parent]);
    assert_eq!(train.depots["x"], full());
    assert_eq!(train.tender.as_deref(), Some(&full()));
    assert_eq!(train.caboose, Some(full()));
    assert_eq!(train.by_platform["p"].wagons, [full()]);
}

#[test]
fn what_is_absent_stays_absent() {
    let train = defaulted(Train::default());
    assert_eq!((train.tender, train.caboose, train.engine.axle), (None, None, None));
    assert!(train.wagons.is_empty() && train.depots.is_empty());
}

#[test]
fn given_values_stay_even_when_they_are_empty() {
    let given = Wagon {
        protocol: "UDP".into(),
        seats: Some(0),
        heated: Some(false),
        color: Some(String::new()),
        doors: vec!["only".into()],
        levers: BTreeMap::from([("horn".into(), 0)]),
        axle: Some(Axle { wheels: 4 }),
        coupling: Axle { wheels: 1 },
        ..Wagon::default()
    };
    let train = defaulted(Train { name: "express".into(), caboose: Some(given.clone()), ..Train::default() });
    assert_eq!(train.name, "express");
    assert_eq!(train.caboose, Some(Wagon { visits: 1, ..given }));
}

#[test]
fn defaulting_twice_changes_tables_no_more() {
    let once = defaulted(Train { caboose: Some(Wagon::default()), ..Train::default() });
    let twice = defaulted(once.clone());
    let caboose = once.caboose.map(|wagon| Wagon { visits: 2, ..wagon });
    assert_eq!(twice.caboose, caboose);
}

#[test]
fn functions_of_one_type_run_in_the_order_of_registration() {
    let mut builder = SchemeBuilder::new("trains");
    builder.register::<Train>(&gv("v1")).expect("registers");
    builder.defaults::<Train>(|train| train.name.push('a'));
    builder.defaults::<Train>(|train| train.name.push('b'));
    let scheme = builder.freeze().expect("freezes");
    let mut train = Train::default();
    scheme.default(&mut train);
    assert_eq!(train.name, "ab");
}

#[test]
fn objects_that_are_not_registered_are_left_alone() {
    let scheme = SchemeBuilder::new("empty").freeze().expect("freezes");
    let mut train = Train::default();
    scheme.default(&mut train);
    assert_eq!(train, Train::default());
}
