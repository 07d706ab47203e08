//! Which plugins look at what is written: `--enable-admission-plugins` and `--disable-admission-plugins`, with the
//! names and in the words of kube-apiserver.

use super::{Setting, Takes};

pub(super) const ENABLE: Setting = Setting {
    name: "enable-admission-plugins",
    takes: Takes::Values("NAME,..."),
    help: "Admission plugins to enable; all are enabled unless disabled",
    apply: |options, value| options.admission_plugins.enable(value),
};

pub(super) const DISABLE: Setting = Setting {
    name: "disable-admission-plugins",
    takes: Takes::Values("NAME,..."),
    help: "Admission plugins to disable",
    apply: |options, value| options.admission_plugins.disable(value),
};
