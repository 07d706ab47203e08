//! What is generated for built-in groups beside the clientset of the client.

use rhumb_client::{Api, Client, Config};
use rhumb_meta::{GroupVersionResource, Scope};

use super::apps::v1::AppsV1Ext;
use super::core::v1::CoreV1Ext;

/// Where a method leads to.
type Facts = (&'static str, GroupVersionResource, Option<Scope>, Option<String>, Option<String>);

fn facts<K>(method: &'static str, api: &Api<K>) -> Facts {
    let owned = |text: Option<&str>| text.map(str::to_owned);
    (method, api.gvr().clone(), api.scope(), owned(api.kind()), owned(api.current_namespace()))
}

/// The methods of the groups that are generated here, by the client's own table of them: as the client has them and as
/// the generated code has them. What one side lacks doesn't compile.
macro_rules! both {
    ($($group:literal {
        $($version:literal $place:ident $client:ident $module:ident::$file:ident {
            $($how:tt $kind:ident $method:ident $plural:literal $scope:ident,)*
        })*
    })*) => {
        fn both(client: &Client) -> (Vec<Facts>, Vec<Facts>) {
            let (mut own, mut generated) = (Vec::new(), Vec::new());
            $($($(both!(@ $place $scope $method client own generated);)*)*)*
            (own, generated)
        }
    };
    (@ apps_v1 $scope:ident $method:ident $client:ident $own:ident $generated:ident) => {
        $own.push(facts(stringify!($method), &both!(@call $scope $method $client.apps_v1())));
        $generated.push(facts(stringify!($method), &both!(@call $scope $method AppsV1Ext::apps_v1($client))));
    };
    (@ core_v1 $scope:ident $method:ident $client:ident $own:ident $generated:ident) => {
        $own.push(facts(stringify!($method), &both!(@call $scope $method $client.core_v1())));
        $generated.push(facts(stringify!($method), &both!(@call $scope $method CoreV1Ext::core_v1($client))));
    };
    (@ $place:ident $($rest:ident)*) => {};
    (@call Namespaced $method:ident $group:expr) => { $group.$method("x") };
    (@call Cluster $method:ident $group:expr) => { $group.$method() };
}

rhumb_api::built_in_resources!(both);

#[tokio::test]
async fn generated_methods_of_built_in_groups_are_the_clients_own() {
    let client = Client::new(Config::new(http::Uri::from_static("http://127.0.0.1:1"))).unwrap();
    let (own, generated) = both(&client);
    assert_eq!(own.len(), 22);
    assert_eq!(own, generated);
}
