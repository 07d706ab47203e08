//! Fields that only one side of a conversion has: what `rhumb gen conversion` writes calls their functions, and
//! nothing is lost on the way there and back.

mod group;

use rhumb_meta::GroupVersion;
use rhumb_scheme::{Convert, Scope};

use group::{v1, v1beta1};

fn scope() -> Scope {
    let version = |name| GroupVersion::new_static("stable.example.com", name);
    Scope::new(version("v1beta1"), version("v1"))
}

#[test]
fn a_field_is_split_and_another_moves() {
    let old = v1beta1::Spec {
        schedule: "*/5 * * * *".to_owned(),
        source: "example.com/tick:7".to_owned(),
        suspend: true,
        limit: "3".to_owned(),
    };
    let new = v1::Spec {
        schedule: "*/5 * * * *".to_owned(),
        image: "example.com/tick".to_owned(),
        tag: "7".to_owned(),
        policy: v1::Policy { suspend: true },
        limit: 3,
    };
    assert_eq!(Convert::<v1::Spec>::convert(old.clone(), &scope()), Ok(new.clone()));
    assert_eq!(Convert::<v1beta1::Spec>::convert(new, &scope()), Ok(old));
}

#[test]
fn a_function_may_refuse() {
    let old = v1beta1::Spec { limit: "many".to_owned(), ..v1beta1::Spec::default() };
    assert!(Convert::<v1::Spec>::convert(old, &scope()).is_err());
}
