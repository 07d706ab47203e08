//! The same group without derives: what they write stands in files.
// +groupName=stable.example.com
// +k8s:defaulter-gen=TypeMeta
// +k8s:defaulter-gen-input=v1

mod defaults;
pub mod v1;
pub mod v1beta1;
#[rustfmt::skip]
mod zz_generated_defaulter;
#[rustfmt::skip]
mod zz_generated_register;

pub use zz_generated_register::install;
