//! Who decides what may be done: `--authorization-mode`, in the words of kube-apiserver.

use super::{Setting, Takes};
use crate::authorization::AuthorizationModes;

pub(super) const MODES: Setting = Setting {
    name: "authorization-mode",
    takes: Takes::Value("MODE,..."),
    help: "Authorizers in order: Node, RBAC, AlwaysAllow, AlwaysDeny [default: Node,RBAC]",
    apply: |options, value| {
        options.authorization = AuthorizationModes::parse(value)?;
        Ok(())
    },
};
