//! The scheme behind its four roles, and between threads.

use rhumb_meta::GroupVersionKind;
use rhumb_scheme::{ObjectConvertor, ObjectCreater, ObjectDefaulter, ObjectTyper, Scheme, ToInternal};

use crate::toys::{self, gv, gvk, internal, v1};

#[test]
fn each_role_is_a_trait_object_of_its_own() {
    let scheme = toys::scheme();
    let creater: &dyn ObjectCreater = &scheme;
    let typer: &dyn ObjectTyper = &scheme;
    let defaulter: &dyn ObjectDefaulter = &scheme;
    let convertor: &dyn ObjectConvertor = &scheme;

    let mut object = creater.new_object(&gvk("v1", "Widget")).expect("is registered");
    assert!(typer.recognizes(&gvk("v1", "Widget")));
    assert_eq!(typer.object_kinds(&*object), Ok((vec![gvk("v1", "Widget")].into(), false)));
    defaulter.default(&mut *object);
    assert!(object.is::<v1::Widget>());
    let hub = convertor.move_to_version(object, &ToInternal).expect("converts");
    assert!(hub.is::<internal::Widget>());
    assert!(convertor.convert_field_label(&gvk("v1", "Widget"), "metadata.name", "x").is_ok());
    assert!(creater.new_object(&GroupVersionKind::default()).is_err());
}

#[test]
fn many_threads_read_one_scheme() {
    fn shared<T: Send + Sync>(value: T) -> T {
        value
    }
    let scheme: Scheme = shared(toys::scheme());
    std::thread::scope(|threads| {
        for _ in 0..8 {
            threads.spawn(|| {
                for _ in 0..100 {
                    let object = scheme.new_object(&gvk("v1beta1", "Widget")).expect("is registered");
                    let object = scheme.move_to_version(object, &gv("v1")).expect("converts");
                    assert!(object.is::<v1::Widget>());
                }
            });
        }
    });
}
