//! Validation of service accounts: those of their metadata only.

use rhumb_api::core::v1::ServiceAccount;
use rhumb_meta::validation::name_is_dns_subdomain;
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Rules};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use crate::meta::{Scope, object_meta, object_meta_update};

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules::<ServiceAccount>(Rules::create(create).update(update))?;
    Ok(())
}

fn create(account: &ServiceAccount, _: &Context, errors: &mut FieldErrors) {
    let path = FieldPath::new("metadata");
    object_meta(&account.metadata, Scope::Namespaced, name_is_dns_subdomain, &path, errors);
}

fn update(new: &ServiceAccount, old: &ServiceAccount, context: &Context, errors: &mut FieldErrors) {
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    create(new, context, errors);
}
