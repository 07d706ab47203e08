//! Meta kinds that every group version has.

use rhumb_meta::{GroupVersion, INTERNAL, v1};

use crate::builder::{RegisterError, SchemeBuilder};

/// Version in which unversioned kinds are registered, as in Kubernetes.
const UNVERSIONED: GroupVersion = GroupVersion::new_static("", "v1");

impl SchemeBuilder {
    /// Registers the meta kinds of a version, like `metav1.AddToGroupVersion`: watch events, request options and
    /// unversioned kinds.
    ///
    /// # Errors
    /// If a kind has another type already.
    pub fn add_to_group_version(&mut self, gv: &GroupVersion) -> Result<&mut Self, RegisterError> {
        let internal = GroupVersion::new(gv.group.clone(), INTERNAL);
        self.register::<v1::WatchEvent>(gv)?
            .register::<v1::WatchEvent>(&internal)?
            .register::<v1::ListOptions>(gv)?
            .register::<v1::GetOptions>(gv)?
            .register::<v1::DeleteOptions>(gv)?
            .register::<v1::CreateOptions>(gv)?
            .register::<v1::UpdateOptions>(gv)?
            .register::<v1::PatchOptions>(gv)?;
        self.register_unversioned::<v1::Status>(&UNVERSIONED)?
            .register_unversioned::<v1::APIVersions>(&UNVERSIONED)?
            .register_unversioned::<v1::APIGroupList>(&UNVERSIONED)?
            .register_unversioned::<v1::APIGroup>(&UNVERSIONED)?
            .register_unversioned::<v1::APIResourceList>(&UNVERSIONED)
    }
}
