//! What a claim asks for: requests, what their devices have in common, and settings.

use rhumb_api::resource::v1::{
    DeviceClaim, DeviceConstraint, DeviceRequest, DeviceSelector, DeviceToleration,
};
use rhumb_scheme::validation::{FieldErrors, FieldPath, Named, Shown, Wanted};

use super::configuration::{MAX_CONFIGS, Origin, configuration, selectors};
use super::lists::{list, set};
use super::names::{RequestNames, fully_qualified_name};
use super::taints::toleration;
use crate::meta::{dns_label, dns_subdomain};

/// The most requests in a claim, and the most references to them in one place.
pub(super) const MAX_REQUESTS: usize = 32;
const MAX_CONSTRAINTS: usize = 32;
const MAX_ALTERNATIVES: usize = 8;

/// The devices that a claim asks for.
pub(super) fn device_claim(claim: &DeviceClaim, path: &FieldPath, errors: &mut FieldErrors) {
    let names = RequestNames::of(claim);
    set(&claim.requests, MAX_REQUESTS, |it| it.name.as_str(), &path.child("requests"), errors, request);
    let at = path.child("constraints");
    list(&claim.constraints, MAX_CONSTRAINTS, &at, errors, |it, path, errors| {
        constraint(it, &names, path, errors);
    });
    list(&claim.config, MAX_CONFIGS, &path.child("config"), errors, |it, path, errors| {
        references(&it.requests, &names, &path.child("requests"), errors);
        configuration(&it.device_configuration, Origin::New, path, errors);
    });
}

/// References to requests, each once.
pub(super) fn references(
    requests: &[String],
    names: &RequestNames,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    set(
        requests,
        MAX_REQUESTS,
        |name| name.as_str(),
        path,
        errors,
        |name, path, errors| {
            names.reference(name, path, errors);
        },
    );
}

fn request(request: &DeviceRequest, path: &FieldPath, errors: &mut FieldErrors) {
    dns_label(&request.name, &path.child("name"), errors);
    match (&request.exactly, request.first_available.as_slice()) {
        (None, []) => errors.required(path, "exactly one of `exactly` or `firstAvailable` is required"),
        (Some(exactly), []) => {
            let wish = Wish {
                class: &exactly.device_class_name,
                selectors: &exactly.selectors,
                mode: &exactly.allocation_mode,
                count: exactly.count,
                tolerations: &exactly.tolerations,
            };
            wish.check(&path.child("exactly"), errors);
        }
        (None, alternatives) => {
            let at = path.child("firstAvailable");
            set(
                alternatives,
                MAX_ALTERNATIVES,
                |it| it.name.as_str(),
                &at,
                errors,
                |it, path, errors| {
                    dns_label(&it.name, &path.child("name"), errors);
                    let wish = Wish {
                        class: &it.device_class_name,
                        selectors: &it.selectors,
                        mode: &it.allocation_mode,
                        count: it.count,
                        tolerations: &it.tolerations,
                    };
                    wish.check(path, errors);
                },
            );
        }
        (Some(_), _) => {
            let detail =
                "exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set";
            errors.invalid(path, &Shown("null".to_owned()), detail);
        }
    }
}

/// What a request for one class and an alternative have in common.
struct Wish<'a> {
    class: &'a str,
    selectors: &'a [DeviceSelector],
    mode: &'a str,
    count: i64,
    tolerations: &'a [DeviceToleration],
}

impl Wish<'_> {
    fn check(&self, path: &FieldPath, errors: &mut FieldErrors) {
        if self.class.is_empty() {
            errors.required(&path.child("deviceClassName"), "");
        } else {
            dns_subdomain(self.class, &path.child("deviceClassName"), errors);
        }
        selectors(self.selectors, &path.child("selectors"), errors);
        let count = path.child("count");
        match self.mode {
            "All" if self.count != 0 => {
                errors.invalid(&count, &self.count, "must not be specified when allocationMode is 'All'");
            }
            "ExactCount" if self.count <= 0 => {
                errors.invalid(&count, &self.count, "must be greater than zero");
            }
            "All" | "ExactCount" => {}
            mode => errors.not_supported(&path.child("allocationMode"), &Named(mode), &["All", "ExactCount"]),
        }
        for (index, each) in self.tolerations.iter().enumerate().wanted() {
            toleration(each, &path.child("tolerations").index(index), errors);
        }
    }
}

fn constraint(
    constraint: &DeviceConstraint,
    names: &RequestNames,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    references(&constraint.requests, names, &path.child("requests"), errors);
    match (&constraint.match_attribute, &constraint.distinct_attribute) {
        (Some(name), _) => fully_qualified_name(name, &path.child("matchAttribute"), errors),
        (None, Some(name)) => fully_qualified_name(name, &path.child("distinctAttribute"), errors),
        // The words are Kubernetes', although none is set.
        (None, None) => errors.required(
            path,
            r#"exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set"#,
        ),
    }
}
