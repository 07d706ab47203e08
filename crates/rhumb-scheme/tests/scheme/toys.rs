//! The group `toys.example`: widgets in an internal version, `v1`, `v1beta1` and `v1alpha1`.

use rhumb_meta::{GroupVersion, GroupVersionKind, INTERNAL};
use rhumb_scheme::{RegisterError, Scheme, SchemeBuilder};

pub(crate) const GROUP: &str = "toys.example";

pub(crate) fn gv(version: &'static str) -> GroupVersion {
    GroupVersion::new_static(GROUP, version)
}

pub(crate) fn gvk(version: &'static str, kind: &'static str) -> GroupVersionKind {
    gv(version).with_kind(kind)
}

/// Registers all of the group.
pub(crate) fn install(scheme: &mut SchemeBuilder) -> Result<(), RegisterError> {
    scheme.register_hub::<internal::Widget>(GROUP)?;
    scheme.register::<v1::Widget>(&gv("v1"))?;
    scheme.register::<v1beta1::Widget>(&gv("v1beta1"))?;
    scheme.register::<v1alpha1::Widget>(&gv("v1alpha1"))?;
    scheme.hub_conversion::<v1::Widget, internal::Widget>();
    scheme.hub_conversion::<v1beta1::Widget, internal::Widget>();
    scheme.hub_conversion::<v1alpha1::Widget, internal::Widget>();
    // A gadget's only version is its own hub.
    scheme.register::<v1::Gadget>(&gv("v1"))?;
    scheme.register::<v1::Gadget>(&gv(INTERNAL))?;
    scheme.register_unversioned::<v1::Notice>(&GroupVersion::new_static("", "v1"))?;
    Ok(())
}

pub(crate) fn builder() -> SchemeBuilder {
    SchemeBuilder::new("toys").install(install).expect("the toys register")
}

pub(crate) fn scheme() -> Scheme {
    builder().freeze().expect("the toys freeze")
}

pub(crate) mod internal {
    use std::collections::BTreeMap;

    use rhumb_meta::{Object, ObjectMeta, TypeMeta};
    use rhumb_schema::Schema;

    use super::v1::Shared;

    #[derive(Clone, Default, Schema, Object)]
    pub(crate) struct Widget {
        #[field(0, inline)]
        pub(crate) type_meta: TypeMeta,
        #[field(1)]
        pub(crate) metadata: ObjectMeta,
        #[field(2)]
        pub(crate) spec: WidgetSpec,
    }

    #[derive(Clone, Default, Schema)]
    pub(crate) struct WidgetSpec {
        #[field(1)]
        pub(crate) replicas: Option<i32>,
        #[field(2)]
        pub(crate) color: String,
        #[field(3)]
        pub(crate) core: Option<Box<Part>>,
        #[field(4)]
        pub(crate) parts: Vec<Part>,
        #[field(5)]
        pub(crate) spares: BTreeMap<String, Part>,
        #[field(6)]
        pub(crate) shared: Vec<Shared>,
        #[field(7)]
        pub(crate) since_v1: String,
    }

    #[derive(Clone, Default, Schema)]
    pub(crate) struct Part {
        #[field(1)]
        pub(crate) name: String,
        #[field(2)]
        pub(crate) grams: i64,
    }
}

pub(crate) mod v1 {
    use std::collections::BTreeMap;

    use rhumb_meta::{ListMeta, Object, ObjectMeta, TypeMeta};
    use rhumb_schema::Schema;
    use rhumb_scheme::Convert;

    use super::internal;

    #[derive(Clone, Default, Schema, Object, Convert)]
    #[convert(hub = internal::Widget)]
    pub(crate) struct Widget {
        #[field(0, inline)]
        pub(crate) type_meta: TypeMeta,
        #[field(1)]
        pub(crate) metadata: ObjectMeta,
        #[field(2)]
        pub(crate) spec: WidgetSpec,
    }

    #[derive(Clone, Default, Schema, Convert)]
    #[convert(hub = internal::WidgetSpec)]
    pub(crate) struct WidgetSpec {
        #[field(1)]
        pub(crate) replicas: Option<i32>,
        #[field(2)]
        pub(crate) color: String,
        #[field(3)]
        pub(crate) core: Option<Box<Part>>,
        #[field(4)]
        pub(crate) parts: Vec<Part>,
        #[field(5)]
        pub(crate) spares: BTreeMap<String, Part>,
        #[field(6)]
        #[convert(same)]
        pub(crate) shared: Vec<Shared>,
        #[field(7)]
        pub(crate) since_v1: String,
    }

    #[derive(Clone, Default, Schema, Convert)]
    #[convert(hub = internal::Part)]
    pub(crate) struct Part {
        #[field(1)]
        pub(crate) name: String,
        #[field(2)]
        pub(crate) grams: i64,
    }

    /// One type for all versions.
    #[derive(Clone, Default, Schema)]
    pub(crate) struct Shared {
        #[field(1)]
        pub(crate) key: String,
    }

    #[derive(Clone, Default, Schema, Object)]
    pub(crate) struct Gadget {
        #[field(0, inline)]
        pub(crate) type_meta: TypeMeta,
        #[field(1)]
        pub(crate) metadata: ObjectMeta,
        #[field(2)]
        pub(crate) label: String,
    }

    #[derive(Clone, Default, Schema, Object)]
    pub(crate) struct WidgetList {
        #[field(0, inline)]
        pub(crate) type_meta: TypeMeta,
        #[field(1)]
        pub(crate) metadata: ListMeta,
        #[field(2, required, not_null)]
        pub(crate) items: Vec<Widget>,
    }

    /// The same in every group and version.
    #[derive(Clone, Default, Schema, Object)]
    pub(crate) struct Notice {
        #[field(0, inline)]
        pub(crate) type_meta: TypeMeta,
        #[field(1)]
        pub(crate) text: String,
    }
}

pub(crate) mod v1beta1 {
    use std::collections::BTreeMap;

    use rhumb_meta::{Object, ObjectMeta, TypeMeta};
    use rhumb_schema::Schema;
    use rhumb_scheme::Convert;

    use super::internal;
    use super::v1::Shared;

    #[derive(Clone, Default, Schema, Object, Convert)]
    #[convert(hub = internal::Widget)]
    pub(crate) struct Widget {
        #[field(0, inline)]
        pub(crate) type_meta: TypeMeta,
        #[field(1)]
        pub(crate) metadata: ObjectMeta,
        #[field(2)]
        pub(crate) spec: WidgetSpec,
    }

    #[derive(Clone, Default, Schema, Convert)]
    #[convert(hub = internal::WidgetSpec, lacks(since_v1))]
    pub(crate) struct WidgetSpec {
        #[field(1)]
        pub(crate) replicas: Option<i32>,
        /// Spelled differently in the hub.
        #[field(2)]
        #[convert(rename = color)]
        pub(crate) colour: String,
        #[field(3)]
        pub(crate) core: Option<Box<Part>>,
        #[field(4)]
        pub(crate) parts: Vec<Part>,
        #[field(5)]
        pub(crate) spares: BTreeMap<String, Part>,
        #[field(6)]
        #[convert(same)]
        pub(crate) shared: Vec<Shared>,
        /// Gone since `v1`.
        #[field(8)]
        #[convert(skip)]
        pub(crate) retired: String,
    }

    #[derive(Clone, Default, Schema, Convert)]
    #[convert(hub = internal::Part)]
    pub(crate) struct Part {
        #[field(1)]
        pub(crate) name: String,
        /// `12g`, where the hub has the number.
        #[field(2)]
        #[convert(rename = grams, with = super::weight)]
        pub(crate) weight: String,
    }
}

/// Between `12g` and 12.
pub(crate) mod weight {
    use rhumb_scheme::{ConvertError, Scope};

    pub(crate) fn to_hub(weight: String, _scope: &Scope) -> Result<i64, ConvertError> {
        let digits = weight.strip_suffix('g').unwrap_or(&weight);
        digits.parse().map_err(|_| ConvertError::value(format!("{weight:?} is no weight")))
    }

    pub(crate) fn from_hub(grams: i64, _scope: &Scope) -> Result<String, ConvertError> {
        Ok(format!("{grams}g"))
    }
}

pub(crate) mod v1alpha1 {
    use rhumb_meta::{Object, ObjectMeta, TypeMeta};
    use rhumb_schema::Schema;
    use rhumb_scheme::Convert;

    use super::internal;

    #[derive(Clone, Default, Schema, Object, Convert)]
    #[convert(hub = internal::Widget)]
    pub(crate) struct Widget {
        #[field(0, inline)]
        pub(crate) type_meta: TypeMeta,
        #[field(1)]
        pub(crate) metadata: ObjectMeta,
        #[field(2)]
        pub(crate) spec: WidgetSpec,
    }

    #[derive(Clone, Default, Schema, Convert)]
    #[convert(hub = internal::WidgetSpec, lacks(core, parts, spares), lacks(shared, since_v1))]
    pub(crate) struct WidgetSpec {
        #[field(1)]
        pub(crate) replicas: Option<i32>,
        #[field(2)]
        pub(crate) color: String,
    }
}
