//! Instances that are offered, asked for and allocated by name.

use rhumb_meta::Quantity;
use rhumb_schema::Schema;

/// The instances on a node.
#[derive(Clone, Default, Schema)]
pub struct NamedResourcesResources {
    /// The instances.
    #[field(1, required, list = "atomic")]
    pub instances: Vec<NamedResourcesInstance>,
}

/// One instance.
#[derive(Clone, Default, Schema)]
pub struct NamedResourcesInstance {
    /// Its name, a DNS label.
    #[field(1, required)]
    pub name: String,
    /// What there is to know of it.
    #[field(2, list = "atomic")]
    pub attributes: Vec<NamedResourcesAttribute>,
}

/// One thing that there is to know of an instance.
#[derive(Clone, Default, Schema)]
pub struct NamedResourcesAttribute {
    /// What it is called.
    #[field(1, required)]
    pub name: String,
    /// The value.
    #[field(2, inline)]
    pub attribute_value: NamedResourcesAttributeValue,
}

/// A value: exactly one of these.
#[derive(Clone, Default, Schema)]
pub struct NamedResourcesAttributeValue {
    /// A quantity.
    #[field(6, json = "quantity")]
    pub quantity_value: Option<Quantity>,
    /// True or false.
    #[field(2, json = "bool")]
    pub bool_value: Option<bool>,
    /// A number.
    #[field(7, json = "int")]
    pub int_value: Option<i64>,
    /// Several numbers.
    #[field(8, json = "intSlice")]
    pub int_slice_value: Option<Box<NamedResourcesIntSlice>>,
    /// A text.
    #[field(5, json = "string")]
    pub string_value: Option<String>,
    /// Several texts.
    #[field(9, json = "stringSlice")]
    pub string_slice_value: Option<Box<NamedResourcesStringSlice>>,
    /// A semantic version.
    #[field(10, json = "version")]
    pub version_value: Option<String>,
}

/// Several numbers.
#[derive(Clone, Default, Schema)]
pub struct NamedResourcesIntSlice {
    /// The numbers.
    #[field(1, required, list = "atomic")]
    pub ints: Vec<i64>,
}

/// Several texts.
#[derive(Clone, Default, Schema)]
pub struct NamedResourcesStringSlice {
    /// The texts.
    #[field(1, required, list = "atomic")]
    pub strings: Vec<String>,
}

/// Which instances would do.
#[derive(Clone, Default, Schema)]
pub struct NamedResourcesRequest {
    /// An expression in CEL about the attributes of an instance.
    #[field(1, required)]
    pub selector: String,
}

/// What must hold for an instance as well.
#[derive(Clone, Default, Schema)]
pub struct NamedResourcesFilter {
    /// An expression in CEL about the attributes of an instance.
    #[field(1, required)]
    pub selector: String,
}

/// The instance that was allocated.
#[derive(Clone, Default, Schema)]
pub struct NamedResourcesAllocationResult {
    /// Its name.
    #[field(1, required)]
    pub name: String,
}
