//! What the derive makes of a custom type, and that its guess of a plural is the mapper's.

use rhumb_meta::{GroupVersionKind, Object, ObjectMeta, Resource, Scope, TypeMeta};
use rhumb_schema::Schema;
use rhumb_scheme::mapper::guess_resource;

macro_rules! kinds {
    ($($kind:ident $words:tt,)*) => {
        $(
            #[derive(Clone, Default, Schema, Object, Resource)]
            #[resource $words]
            struct $kind {
                #[field(0, inline)]
                type_meta: TypeMeta,
                #[field(1)]
                metadata: ObjectMeta,
            }
        )*
    };
}

kinds! {
    CronTab (group = "stable.example.com", version = "v1", namespaced),
    Proxy (group = "example.com", version = "v1", namespaced),
    Bus (group = "example.com", version = "v1", namespaced),
    RawEndpoints (group = "example.com", version = "v1", namespaced),
    Mouse (group = "example.com", version = "v2alpha1", kind = "Rodent", plural = "mice", cluster),
}

#[test]
fn a_custom_type_names_its_resource() {
    assert_eq!(CronTab::gvk().to_string(), "stable.example.com/v1, Kind=CronTab");
    assert_eq!(CronTab::gvr().to_string(), "stable.example.com/v1, Resource=crontabs");
    assert_eq!(CronTab::group_version().to_string(), "stable.example.com/v1");
    assert_eq!(CronTab::SCOPE, Scope::Namespaced);
    assert_eq!(Mouse::gvk().to_string(), "example.com/v2alpha1, Kind=Rodent");
    assert_eq!(Mouse::gvr().to_string(), "example.com/v2alpha1, Resource=mice");
    assert_eq!(Mouse::SCOPE, Scope::Cluster);
}

#[test]
fn plurals_are_guessed_as_the_mapper_does() {
    fn check<T: Resource>(expect: &str) {
        assert_eq!(T::PLURAL, expect);
        let kind = GroupVersionKind::new_static(T::GROUP, T::VERSION, T::KIND);
        assert_eq!(guess_resource(&kind).plural, T::gvr());
    }
    check::<CronTab>("crontabs");
    check::<Proxy>("proxies");
    check::<Bus>("buses");
    check::<RawEndpoints>("rawendpoints");
}
