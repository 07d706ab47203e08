//! Finalizers that the server itself sets and takes away.

/// What keeps a claim that is used.
pub(crate) const CLAIM_FINALIZER: &str = "kubernetes.io/pvc-protection";
/// What keeps a volume that is used.
pub(crate) const VOLUME_FINALIZER: &str = "kubernetes.io/pv-protection";
/// What keeps a class of volume attributes that is used.
pub(crate) const CLASS_FINALIZER: &str = "kubernetes.io/vac-protection";
/// The finalizer that keeps an object until its dependents are let go.
pub(crate) const ORPHAN: &str = "orphan";
/// The finalizer that keeps an object until its dependents are gone.
pub(crate) const FOREGROUND: &str = "foregroundDeletion";
