//! Controllers: the few of kube-controller-manager that a server can't do without. They empty
//! namespaces that are going, delete what nobody owns any more, and give every namespace its account and the
//! server's certificate, put roles together that are made of others, count what quotas bound, and let go of
//! volumes and claims that nothing uses.
//!
//! Each of them follows the store directly, so that none needs a cache to be filled, and asks the server for
//! changes through [`Client`](crate::loopback::Client). They end with the server.

mod aggregation;
mod garbage;
mod keeper;
mod namespaces;
mod options;
mod protection;
mod quota;

use crate::loopback::Loopback;
use protection::Protected;

pub use options::Controllers;

/// What controllers are told about the server.
pub(crate) struct Settings {
    /// The certificate that clients check the server's by.
    pub(crate) authority: String,
}

/// A controller: what `--controllers` calls it, and how it starts.
pub(crate) struct Controller {
    name: &'static str,
    /// An older name that still works.
    alias: &'static str,
    start: fn(&Loopback, &Settings),
}

/// All controllers.
const CONTROLLERS: &[Controller] = &[
    Controller { name: "namespace-controller", alias: "namespace", start: |api, _| namespaces::start(api) },
    Controller {
        name: "garbage-collector-controller",
        alias: "garbagecollector",
        start: |api, _| garbage::start(api),
    },
    Controller {
        name: "serviceaccount-controller",
        alias: "serviceaccount",
        start: |api, settings| keeper::start(api, keeper::Kept::Account, &settings.authority),
    },
    Controller {
        name: "resourcequota-controller",
        alias: "resourcequota",
        start: |api, _| quota::start(api),
    },
    Controller {
        name: "clusterrole-aggregation-controller",
        alias: "clusterrole-aggregation",
        start: |api, _| aggregation::start(api),
    },
    Controller {
        name: "persistentvolumeclaim-protection-controller",
        alias: "pvc-protection",
        start: |api, _| protection::start(api, Protected::Claims),
    },
    Controller {
        name: "persistentvolume-protection-controller",
        alias: "pv-protection",
        start: |api, _| protection::start(api, Protected::Volumes),
    },
    Controller {
        name: "volumeattributesclass-protection-controller",
        alias: "vac-protection",
        start: |api, _| protection::start(api, Protected::Classes),
    },
    Controller {
        name: "root-ca-certificate-publisher-controller",
        alias: "root-ca-cert-publisher",
        start: |api, settings| keeper::start(api, keeper::Kept::Certificate, &settings.authority),
    },
];

/// Starts the controllers that are wanted.
pub(crate) fn start(api: &Loopback, wanted: &Controllers, settings: &Settings) {
    for controller in CONTROLLERS.iter().filter(|controller| wanted.has(controller.name)) {
        (controller.start)(api, settings);
    }
}
