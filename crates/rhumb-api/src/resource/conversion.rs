//! Between v1beta1 or v1alpha3 and the hub: what a device is inside `basic`, what a request for one class is in the
//! request itself, and what is empty where the hub has nothing.

use rhumb_scheme::{Convert, ConvertError, Scope};

use super::{v1, v1alpha3, v1beta1};

impl Convert<v1::Device> for v1beta1::Device {
    fn convert(self, _scope: &Scope) -> Result<v1::Device, ConvertError> {
        let v1beta1::BasicDevice {
            attributes,
            capacity,
            consumes_counters,
            node_name,
            node_selector,
            all_nodes,
            taints,
            binds_to_node,
            binding_conditions,
            binding_failure_conditions,
            allow_multiple_allocations,
            node_allocatable_resource_mappings,
        } = self.basic.map(|basic| *basic).unwrap_or_default();
        Ok(v1::Device {
            name: self.name,
            attributes,
            capacity,
            consumes_counters,
            node_name,
            node_selector,
            all_nodes,
            taints,
            binds_to_node,
            binding_conditions,
            binding_failure_conditions,
            allow_multiple_allocations,
            node_allocatable_resource_mappings,
        })
    }
}

/// Every device of the hub is a basic one, even if there is nothing to say about it.
impl Convert<v1beta1::Device> for v1::Device {
    fn convert(self, _scope: &Scope) -> Result<v1beta1::Device, ConvertError> {
        let v1::Device {
            name,
            attributes,
            capacity,
            consumes_counters,
            node_name,
            node_selector,
            all_nodes,
            taints,
            binds_to_node,
            binding_conditions,
            binding_failure_conditions,
            allow_multiple_allocations,
            node_allocatable_resource_mappings,
        } = self;
        let basic = v1beta1::BasicDevice {
            attributes,
            capacity,
            consumes_counters,
            node_name,
            node_selector,
            all_nodes,
            taints,
            binds_to_node,
            binding_conditions,
            binding_failure_conditions,
            allow_multiple_allocations,
            node_allocatable_resource_mappings,
        };
        Ok(v1beta1::Device { name, basic: Some(Box::new(basic)) })
    }
}

/// In v1alpha3 a capacity is no more than its value.
impl Convert<v1::Device> for v1alpha3::Device {
    fn convert(self, _scope: &Scope) -> Result<v1::Device, ConvertError> {
        let v1alpha3::BasicDevice {
            attributes,
            capacity,
            consumes_counters,
            node_name,
            node_selector,
            all_nodes,
            taints,
        } = self.basic.map(|basic| *basic).unwrap_or_default();
        let with_value = |value| v1::DeviceCapacity { value, ..v1::DeviceCapacity::default() };
        Ok(v1::Device {
            name: self.name,
            attributes,
            capacity: capacity.into_iter().map(|(name, value)| (name, with_value(value))).collect(),
            consumes_counters,
            node_name,
            node_selector,
            all_nodes,
            taints,
            ..v1::Device::default()
        })
    }
}

/// What v1alpha3 has no place for is left out, as Kubernetes v1.33 does.
impl Convert<v1alpha3::Device> for v1::Device {
    fn convert(self, _scope: &Scope) -> Result<v1alpha3::Device, ConvertError> {
        let basic = v1alpha3::BasicDevice {
            attributes: self.attributes,
            capacity: self.capacity.into_iter().map(|(name, capacity)| (name, capacity.value)).collect(),
            consumes_counters: self.consumes_counters,
            node_name: self.node_name,
            node_selector: self.node_selector,
            all_nodes: self.all_nodes,
            taints: self.taints,
        };
        Ok(v1alpha3::Device { name: self.name, basic: Some(Box::new(basic)) })
    }
}

/// Anything said in the request itself makes it one for a class, also beside alternatives: that is then refused,
/// not lost.
impl Convert<v1::DeviceRequest> for v1beta1::DeviceRequest {
    fn convert(self, scope: &Scope) -> Result<v1::DeviceRequest, ConvertError> {
        let v1beta1::DeviceRequest {
            name,
            device_class_name,
            selectors,
            allocation_mode,
            count,
            admin_access,
            first_available,
            tolerations,
            capacity,
        } = self;
        let exactly = v1::ExactDeviceRequest {
            device_class_name,
            selectors,
            allocation_mode,
            count,
            admin_access,
            tolerations,
            capacity,
        };
        let alternatives = first_available.into_iter().map(|alternative| alternative.convert(scope));
        Ok(v1::DeviceRequest {
            name,
            exactly: (exactly != v1::ExactDeviceRequest::default()).then(|| Box::new(exactly)),
            first_available: alternatives.collect::<Result<_, _>>()?,
        })
    }
}

impl Convert<v1beta1::DeviceRequest> for v1::DeviceRequest {
    fn convert(self, scope: &Scope) -> Result<v1beta1::DeviceRequest, ConvertError> {
        let v1::DeviceRequest { name, exactly, first_available } = self;
        let v1::ExactDeviceRequest {
            device_class_name,
            selectors,
            allocation_mode,
            count,
            admin_access,
            tolerations,
            capacity,
        } = exactly.map(|exactly| *exactly).unwrap_or_default();
        let alternatives = first_available.into_iter().map(|alternative| alternative.convert(scope));
        Ok(v1beta1::DeviceRequest {
            name,
            device_class_name,
            selectors,
            allocation_mode,
            count,
            admin_access,
            first_available: alternatives.collect::<Result<_, _>>()?,
            tolerations,
            capacity,
        })
    }
}

/// The node of a slice: no name is an empty one in v1beta1.
pub(super) mod node_name {
    use super::{ConvertError, Scope};

    pub(in super::super) fn to_hub(name: String, _scope: &Scope) -> Result<Option<String>, ConvertError> {
        Ok((!name.is_empty()).then_some(name))
    }

    pub(in super::super) fn from_hub(name: Option<String>, _scope: &Scope) -> Result<String, ConvertError> {
        Ok(name.unwrap_or_default())
    }
}

/// Whether a slice is for all nodes: nothing said is false in v1beta1.
pub(super) mod all_nodes {
    use super::{ConvertError, Scope};

    pub(in super::super) fn to_hub(all: bool, _scope: &Scope) -> Result<Option<bool>, ConvertError> {
        Ok(all.then_some(true))
    }

    pub(in super::super) fn from_hub(all: Option<bool>, _scope: &Scope) -> Result<bool, ConvertError> {
        Ok(all.unwrap_or_default())
    }
}
