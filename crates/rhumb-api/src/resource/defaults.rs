//! Defaults of the group. When a taint was added is the server's to say, because nothing here has a clock.

use std::collections::BTreeMap;

use rhumb_meta::{Format, Quantity};
use rhumb_scheme::SchemeBuilder;

use super::v1::{Device, DeviceSubRequest, ExactDeviceRequest, NodeAllocatableResourceMapping};
use super::{v1alpha2, v1beta1};

const EXACT_COUNT: &str = "ExactCount";

/// Registers the functions. The types of v1beta2 are those of v1, and so are its defaults.
pub(super) fn register(builder: &mut SchemeBuilder) {
    builder
        .defaults(exact_request)
        .defaults(sub_request)
        .defaults(device)
        .defaults(request_v1beta1)
        .defaults(sub_request_v1beta1)
        .defaults(basic_device_v1beta1)
        .defaults(claim_v1alpha2);
}

fn exact_request(request: &mut ExactDeviceRequest) {
    one_device(&mut request.allocation_mode, &mut request.count);
}

fn sub_request(request: &mut DeviceSubRequest) {
    one_device(&mut request.allocation_mode, &mut request.count);
}

fn device(device: &mut Device) {
    times_one(&mut device.node_allocatable_resource_mappings);
}

/// A request without a class has alternatives instead, and those have defaults of their own.
fn request_v1beta1(request: &mut v1beta1::DeviceRequest) {
    if !request.device_class_name.is_empty() {
        one_device(&mut request.allocation_mode, &mut request.count);
    }
}

fn sub_request_v1beta1(request: &mut v1beta1::DeviceSubRequest) {
    one_device(&mut request.allocation_mode, &mut request.count);
}

fn basic_device_v1beta1(device: &mut v1beta1::BasicDevice) {
    times_one(&mut device.node_allocatable_resource_mappings);
}

/// Claims of v1alpha2 and v1alpha1 wait for a pod.
fn claim_v1alpha2(spec: &mut v1alpha2::ResourceClaimSpec) {
    if spec.allocation_mode.is_empty() {
        "WaitForFirstConsumer".clone_into(&mut spec.allocation_mode);
    }
}

/// Someone who says nothing wants one device.
fn one_device(mode: &mut String, count: &mut i64) {
    if mode.is_empty() {
        EXACT_COUNT.clone_into(mode);
    }
    if mode == EXACT_COUNT && *count == 0 {
        *count = 1;
    }
}

fn times_one(mappings: &mut BTreeMap<String, NodeAllocatableResourceMapping>) {
    for mapping in mappings.values_mut() {
        mapping.allocation_multiplier.get_or_insert_with(|| Quantity::from_i64(1, Format::DecimalSI));
    }
}
