//! `apiregistration.k8s.io/v1beta1`: equal to v1.

pub use super::v1::{
    APIService, APIServiceCondition, APIServiceList, APIServiceSpec, APIServiceStatus, ServiceReference,
};
