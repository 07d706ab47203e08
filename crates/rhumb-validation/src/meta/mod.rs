//! The rules that many kinds share.
//!
//! Every function takes the value, where it stands, and the list to which errors are added.

mod conditions;
mod names;
mod object_meta;
mod options;
mod selectors;
mod values;

pub use conditions::{condition, conditions};
pub use names::{
    dns_label, dns_subdomain, dns_subdomain_with_underscore, domain_prefixed_key, domain_prefixed_path,
    fully_qualified_domain_name, fully_qualified_name, host_name, no_ip, qualified_name,
};
pub use object_meta::{
    Scope, annotations, common_object_meta, common_object_meta_update, finalizer_name, finalizers,
    immutable_annotation, managed_fields, no_new_finalizers, object_meta, object_meta_update,
    object_meta_with, owner_references, required_label, standard_finalizer_name,
};
pub use options::{
    PatchType, create_options, delete_options, dry_run, field_manager, field_validation, patch_options,
    table_options, update_options,
};
pub use selectors::{
    LabelSelectorOptions, UnknownOperators, field_selector_requirement, has_invalid_label_value, label_name,
    label_selector, label_selector_requirement, labels,
};
pub use values::{
    OldValues, all_nonnegative, at_most_100_percent, cidr, immutable_field, int_or_percent_value,
    interface_address, ip, legacy_cidr, legacy_ip, nonnegative, nonnegative_int_or_percent,
    nonnegative_quantity, percent_value, port_name, port_number, port_number_or_name, positive_quantity,
};
