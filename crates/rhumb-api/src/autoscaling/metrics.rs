//! Metrics of v1 and v2beta1, which name each kind of target in a field of its own, and those of the hub,
//! which have one form of target for all sources.

use rhumb_meta::Quantity;
use rhumb_meta::v1::LabelSelector;
use rhumb_scheme::{Convert, ConvertError, Scope};

use super::{v1, v2, v2beta1};

/// The two sides of one source or status, in both directions.
macro_rules! convert_both {
    ($name:ident, $($rest:tt)*) => { convert_both!(v1 $name, $($rest)*); };
    (
        $version:ident $name:ident,
        |$old:ident, $to_scope:ident| $to_hub:expr,
        |$new:ident, $from_scope:ident| $from_hub:expr
    ) => {
        impl Convert<v2::$name> for $version::$name {
            fn convert(self, $to_scope: &Scope) -> Result<v2::$name, ConvertError> {
                let $old = self;
                Ok($to_hub)
            }
        }
        impl Convert<$version::$name> for v2::$name {
            fn convert(self, $from_scope: &Scope) -> Result<$version::$name, ConvertError> {
                let $new = self;
                Ok($from_hub)
            }
        }
    };
}

fn metric(name: String, selector: Option<Box<LabelSelector>>) -> v2::MetricIdentifier {
    v2::MetricIdentifier { name, selector }
}

/// A utilization to aim at, or else an average value.
fn resource_target(utilization: Option<i32>, average_value: Option<Quantity>) -> v2::MetricTarget {
    let type_ = if utilization.is_some() { "Utilization" } else { "AverageValue" };
    v2::MetricTarget { type_: type_.to_owned(), value: None, average_value, average_utilization: utilization }
}

fn resource_current(average_utilization: Option<i32>, average_value: Quantity) -> v2::MetricValueStatus {
    v2::MetricValueStatus { value: None, average_value: Some(average_value), average_utilization }
}

/// Where v1 must have a value of the target, an average value goes without: a zero is not a value to aim at.
fn object_target(value: Quantity, average_value: Option<Quantity>) -> v2::MetricTarget {
    let (type_, value) = match &average_value {
        None => ("Value", Some(value)),
        Some(_) => ("AverageValue", Some(value).filter(|value| !value.is_zero())),
    };
    v2::MetricTarget { type_: type_.to_owned(), value, average_value, average_utilization: None }
}

convert_both!(
    ObjectMetricSource,
    |old, scope| v2::ObjectMetricSource {
        described_object: old.target.convert(scope)?,
        target: object_target(old.target_value, old.average_value),
        metric: metric(old.metric_name, old.selector),
    },
    |new, scope| v1::ObjectMetricSource {
        target: new.described_object.convert(scope)?,
        metric_name: new.metric.name,
        target_value: new.target.value.unwrap_or_default(),
        selector: new.metric.selector,
        average_value: new.target.average_value,
    }
);

convert_both!(
    ObjectMetricStatus,
    |old, scope| v2::ObjectMetricStatus {
        metric: metric(old.metric_name, old.selector),
        current: v2::MetricValueStatus {
            value: Some(old.current_value),
            average_value: old.average_value,
            average_utilization: None,
        },
        described_object: old.target.convert(scope)?,
    },
    |new, scope| v1::ObjectMetricStatus {
        target: new.described_object.convert(scope)?,
        metric_name: new.metric.name,
        current_value: new.current.value.unwrap_or_default(),
        selector: new.metric.selector,
        average_value: new.current.average_value,
    }
);

convert_both!(
    PodsMetricSource,
    |old, _scope| v2::PodsMetricSource {
        metric: metric(old.metric_name, old.selector),
        target: resource_target(None, Some(old.target_average_value)),
    },
    |new, _scope| v1::PodsMetricSource {
        metric_name: new.metric.name,
        target_average_value: new.target.average_value.unwrap_or_default(),
        selector: new.metric.selector,
    }
);

convert_both!(
    PodsMetricStatus,
    |old, _scope| v2::PodsMetricStatus {
        metric: metric(old.metric_name, old.selector),
        current: resource_current(None, old.current_average_value),
    },
    |new, _scope| v1::PodsMetricStatus {
        metric_name: new.metric.name,
        current_average_value: new.current.average_value.unwrap_or_default(),
        selector: new.metric.selector,
    }
);

convert_both!(
    ResourceMetricSource,
    |old, _scope| v2::ResourceMetricSource {
        name: old.name,
        target: resource_target(old.target_average_utilization, old.target_average_value),
    },
    |new, _scope| v1::ResourceMetricSource {
        name: new.name,
        target_average_utilization: new.target.average_utilization,
        target_average_value: new.target.average_value,
    }
);

convert_both!(
    ResourceMetricStatus,
    |old, _scope| v2::ResourceMetricStatus {
        name: old.name,
        current: resource_current(old.current_average_utilization, old.current_average_value),
    },
    |new, _scope| v1::ResourceMetricStatus {
        name: new.name,
        current_average_utilization: new.current.average_utilization,
        current_average_value: new.current.average_value.unwrap_or_default(),
    }
);

convert_both!(
    ContainerResourceMetricSource,
    |old, _scope| v2::ContainerResourceMetricSource {
        name: old.name,
        target: resource_target(old.target_average_utilization, old.target_average_value),
        container: old.container,
    },
    |new, _scope| v1::ContainerResourceMetricSource {
        name: new.name,
        target_average_utilization: new.target.average_utilization,
        target_average_value: new.target.average_value,
        container: new.container,
    }
);

convert_both!(
    ContainerResourceMetricStatus,
    |old, _scope| v2::ContainerResourceMetricStatus {
        name: old.name,
        current: resource_current(old.current_average_utilization, old.current_average_value),
        container: old.container,
    },
    |new, _scope| v1::ContainerResourceMetricStatus {
        name: new.name,
        current_average_utilization: new.current.average_utilization,
        current_average_value: new.current.average_value.unwrap_or_default(),
        container: new.container,
    }
);

convert_both!(
    ExternalMetricSource,
    |old, _scope| v2::ExternalMetricSource {
        target: v2::MetricTarget {
            type_: if old.target_value.is_some() { "Value" } else { "AverageValue" }.to_owned(),
            value: old.target_value,
            average_value: old.target_average_value,
            average_utilization: None,
        },
        metric: metric(old.metric_name, old.metric_selector),
    },
    |new, _scope| v1::ExternalMetricSource {
        metric_name: new.metric.name,
        metric_selector: new.metric.selector,
        target_value: new.target.value,
        target_average_value: new.target.average_value,
    }
);

convert_both!(
    ExternalMetricStatus,
    |old, _scope| v2::ExternalMetricStatus {
        metric: metric(old.metric_name, old.metric_selector),
        current: v2::MetricValueStatus {
            value: Some(old.current_value),
            average_value: old.current_average_value,
            average_utilization: None,
        },
    },
    |new, _scope| v1::ExternalMetricStatus {
        metric_name: new.metric.name,
        metric_selector: new.metric.selector,
        current_value: new.current.value.unwrap_or_default(),
        current_average_value: new.current.average_value,
    }
);

// In v2beta1 a value that is zero is a value too.
convert_both!(
    v2beta1 ObjectMetricSource,
    |old, _scope| v2::ObjectMetricSource {
        described_object: old.target,
        target: v2::MetricTarget {
            type_: if old.average_value.is_some() { "AverageValue" } else { "Value" }.to_owned(),
            value: Some(old.target_value),
            average_value: old.average_value,
            average_utilization: None,
        },
        metric: metric(old.metric_name, old.selector),
    },
    |new, _scope| v2beta1::ObjectMetricSource {
        target: new.described_object,
        metric_name: new.metric.name,
        target_value: new.target.value.unwrap_or_default(),
        selector: new.metric.selector,
        average_value: new.target.average_value,
    }
);

convert_both!(
    v2beta1 ObjectMetricStatus,
    |old, _scope| v2::ObjectMetricStatus {
        metric: metric(old.metric_name, old.selector),
        current: v2::MetricValueStatus {
            value: Some(old.current_value),
            average_value: old.average_value,
            average_utilization: None,
        },
        described_object: old.target,
    },
    |new, _scope| v2beta1::ObjectMetricStatus {
        target: new.described_object,
        metric_name: new.metric.name,
        current_value: new.current.value.unwrap_or_default(),
        selector: new.metric.selector,
        average_value: new.current.average_value,
    }
);

convert_both!(
    v2beta1 ContainerResourceMetricSource,
    |old, _scope| v2::ContainerResourceMetricSource {
        name: old.name,
        target: resource_target(old.target_average_utilization, old.target_average_value),
        container: old.container,
    },
    |new, _scope| v2beta1::ContainerResourceMetricSource {
        name: new.name,
        target_average_utilization: new.target.average_utilization,
        target_average_value: new.target.average_value,
        container: new.container,
    }
);
