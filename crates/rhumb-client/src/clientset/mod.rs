//! Typed clients of all built-in resources: `client.apps_v1().deployments("default")`.
//!
//! The methods come from the table of built-in types, [`rhumb_api::built_in_resources!`]; each gives the
//! [`Api`] of its type in its version. A namespace that is empty means all.
//!
//! ```no_run
//! # async fn example(client: rhumb_client::Client) -> Result<(), rhumb_client::Error> {
//! let web = client.apps_v1().deployments("default").get("web").await?;
//! let node = client.core_v1().nodes().get("worker-1").await?;
//! let jobs = client.batch_v1().jobs("").list(&Default::default()).await?;
//! # Ok(())
//! # }
//! ```

#[cfg(test)]
mod tests;

use rhumb_meta::GroupVersionResource;

use crate::api::{Api, Target};
use crate::rest::Client;

macro_rules! clientset {
    ($($group:literal {
        $($version:literal $place:ident $client:ident $module:ident::$file:ident {
            $($how:tt $kind:ident $method:ident $plural:literal $scope:ident,)*
        })*
    })*) => {
        /// The built-in groups and versions.
        impl Client {
            $($(
                #[doc = concat!("The resources of `", stringify!($module), "/", $version, "`.")]
                #[inline]
                pub fn $place(&self) -> $client<'_> {
                    $client { client: self }
                }
            )*)*
        }

        $($(
            #[doc = concat!("The resources of `", stringify!($module), "/", $version, "`.")]
            #[derive(Clone, Copy, Debug)]
            pub struct $client<'a> {
                client: &'a Client,
            }

            impl $client<'_> {
                $(clientset!(@ $scope $module $file $kind $method $group $version $plural);)*
            }
        )*)*
    };
    (@ Namespaced
        $module:ident $file:ident $kind:ident $method:ident $group:literal $version:literal $plural:literal
    ) => {
        #[doc = concat!("The `", $plural, "` of a namespace; of all if it is empty.")]
        #[inline]
        pub fn $method(&self, namespace: &str) -> Api<rhumb_api::$module::$file::$kind> {
            let gvr = GroupVersionResource::new_static($group, $version, $plural);
            let target = Target::of::<rhumb_api::$module::$file::$kind>(gvr);
            Api::new(self.client.clone(), target).namespace(namespace)
        }
    };
    (@ Cluster
        $module:ident $file:ident $kind:ident $method:ident $group:literal $version:literal $plural:literal
    ) => {
        #[doc = concat!("The `", $plural, "` of the cluster.")]
        #[inline]
        pub fn $method(&self) -> Api<rhumb_api::$module::$file::$kind> {
            let gvr = GroupVersionResource::new_static($group, $version, $plural);
            Api::new(self.client.clone(), Target::of::<rhumb_api::$module::$file::$kind>(gvr))
        }
    };
}

rhumb_api::built_in_resources!(clientset);
