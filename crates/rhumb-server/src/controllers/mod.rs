//! The small controllers that a server without kube-controller-manager can't do without: they empty
//! namespaces that are going, delete what nobody owns any more, and give every namespace its account and the
//! server's certificate, put roles together that are made of others, count what quotas bound, and let go of
//! volumes and claims that nothing uses.
//!
//! Each of them follows the store directly, so that none needs a cache to be filled, and asks the server for
//! changes through [`Inner`](crate::loopback::Inner). They end with the server.

mod aggregation;
mod garbage;
mod keeper;
mod namespaces;
mod protection;
mod quota;

use std::sync::Arc;

use crate::config::Controller;
use crate::endpoints::Api;

/// Starts the controllers that are wanted, and what belongs to the server itself.
pub(crate) fn start(api: &Arc<Api>) {
    crate::controlplane::standing::start(api);
    crate::controlplane::repair::start(api);
    let wanted = |controller| api.options.controllers.has(controller);
    if wanted(Controller::Namespaces) {
        namespaces::start(api);
    }
    if wanted(Controller::Garbage) {
        garbage::start(api);
    }
    if wanted(Controller::Accounts) {
        keeper::start(api, keeper::Kept::Account);
    }
    if wanted(Controller::Quotas) {
        quota::start(api);
    }
    if wanted(Controller::Aggregation) {
        aggregation::start(api);
    }
    let protection = [
        (Controller::Claims, protection::Protected::Claims),
        (Controller::Volumes, protection::Protected::Volumes),
        (Controller::VolumeClasses, protection::Protected::Classes),
    ];
    for (_, protected) in protection.into_iter().filter(|(controller, _)| wanted(*controller)) {
        protection::start(api, protected);
    }
    if wanted(Controller::Certificates) {
        keeper::start(api, keeper::Kept::Certificate);
    }
}
