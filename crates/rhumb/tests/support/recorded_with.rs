//! The server that recorded answers came from.

/// The plugins that were off there: those that need controllers, nodes or classes which it had not.
pub(crate) const PLUGINS_OFF: &str = "LimitRanger,ServiceAccount,NodeRestriction,TaintNodesByCondition,PodSecurity,\
                                      Priority,DefaultTolerationSeconds,DefaultStorageClass,\
                                      StorageObjectInUseProtection,OwnerReferencesPermissionEnforcement,\
                                      CertificateApproval,CertificateSigning,CertificateSubjectRestriction,\
                                      ResourceQuota";
