//! What the generators `client`, `lister` and `informer` write, against a server.
//!
//! The files are written by `rhumb gen client,lister,informer crates/rhumb/tests/client/generated/stable/v1.rs` and
//! `rhumb gen client` for the groups beside it; that they are not stale is tested where the generators are.

mod apps;
mod built_in;
mod core;
mod stable;

use std::time::Duration;

use rhumb_api::apiextensions::v1::CustomResourceDefinition;
use rhumb_client::informer::Informers;
use rhumb_client::{Client, Patch, from_unstructured};
use rhumb_meta::labels::Selector;
use rhumb_meta::v1::{CreateOptions, DeleteOptions, GetOptions, ListOptions, PatchOptions, UpdateOptions};
use rhumb_meta::{Resource, Scope};
use rhumb_scheme::Unstructured;
use serde_json::json;

use crate::server::Subject;
use stable::v1::{
    Chart, ChartLister, CronTab, CronTabExt, CronTabLister, Logbook, LogbookClient, StableV1Ext,
    StableV1InformersExt,
};

/// Defines the resource of a type, and waits until it is served.
async fn define<K: Resource + Default + Clone>(client: &Client) {
    let scope = if K::SCOPE == Scope::Namespaced { "Namespaced" } else { "Cluster" };
    let tree = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{}.{}", K::PLURAL, K::GROUP)},
        "spec": {
            "group": K::GROUP,
            "scope": scope,
            "names": {"kind": K::KIND, "plural": K::PLURAL, "singular": K::KIND.to_lowercase()},
            "versions": [{
                "name": K::VERSION, "served": true, "storage": true,
                "subresources": {
                    "status": {},
                    "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"},
                },
                "schema": {"openAPIV3Schema": {
                    "type": "object", "x-kubernetes-preserve-unknown-fields": true,
                    "properties": {
                        "spec": {"type": "object", "properties": {
                            "cronSpec": {"type": "string"}, "replicas": {"type": "integer"},
                        }},
                        "status": {"type": "object", "properties": {"replicas": {"type": "integer"}}},
                    },
                }},
            }],
        },
    });
    let definition: CustomResourceDefinition =
        from_unstructured(&Unstructured::new(tree).expect("an object")).expect("a definition");
    let definitions = client.resource::<CustomResourceDefinition>();
    definitions.create(&definition, &CreateOptions::default()).await.expect("it is made");
    let served = client.resource::<K>();
    while served.list(&ListOptions::default()).await.is_err() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn a_generated_clientset_has_the_verbs_of_its_kinds() {
    let subject = Subject::new("generated").await;
    let client = subject.client();
    define::<CronTab>(&client).await;
    define::<Chart>(&client).await;
    define::<Logbook>(&client).await;

    let mut cron_tab = CronTab::default();
    cron_tab.metadata.name = "hourly".to_owned();
    cron_tab.spec.replicas = Some(2);
    let cron_tabs = client.stable_v1().cron_tabs(&subject.namespace);
    let made = cron_tabs.create(&cron_tab, &CreateOptions::default()).await.unwrap();
    assert_eq!((made.metadata.namespace, made.spec.replicas), (subject.namespace.clone(), Some(2)));
    let everywhere = client.stable_v1().cron_tabs("").list(&ListOptions::default()).await.unwrap();
    assert_eq!(everywhere.items.len(), 1);

    // The methods that tags ask for.
    let mut scale = cron_tabs.get_scale("hourly", &GetOptions::default()).await.unwrap();
    assert_eq!(scale.spec.replicas, 2);
    scale.spec.replicas = 3;
    cron_tabs.update_scale("hourly", &scale, &UpdateOptions::default()).await.unwrap();
    let patch = Patch::Merge(json!({"status": {"replicas": 3}}));
    let patched = cron_tabs.patch_status("hourly", &patch, &PatchOptions::default()).await.unwrap();
    assert_eq!((patched.spec.replicas, patched.status.replicas), (Some(3), 3));

    // A kind of the cluster, whose resource only tags say.
    let mut chart = Chart::default();
    chart.metadata.name = "north-sea".to_owned();
    chart.scale = 150_000;
    let charts = client.stable_v1().charts();
    assert_eq!(charts.create(&chart, &CreateOptions::default()).await.unwrap().scale, 150_000);
    assert_eq!((Chart::KIND, Chart::PLURAL, Chart::SCOPE), ("Chart", "charts", Scope::Cluster));

    // A kind with few verbs.
    let mut logbook = Logbook::default();
    logbook.metadata.name = "monday".to_owned();
    logbook.entry = "calm".to_owned();
    let logbooks: LogbookClient = client.stable_v1().logbooks(&subject.namespace);
    logbooks.create(&logbook, &CreateOptions::default()).await.unwrap();
    assert_eq!(logbooks.get("monday").await.unwrap().entry, "calm");
    assert!(logbooks.find("tuesday").await.unwrap().is_none());
    logbooks.delete("monday", &DeleteOptions::default()).await.unwrap();
    assert_eq!(logbooks.gvr().resource, "logbooks");

    informers(&client, &subject.namespace).await;
    let definitions = client.resource::<CustomResourceDefinition>();
    for name in [CronTab::PLURAL, Chart::PLURAL, Logbook::PLURAL] {
        let name = format!("{name}.stable.generated.example.com");
        definitions.delete(&name, &DeleteOptions::default()).await.expect("it goes");
    }
    subject.end().await;
}

async fn informers(client: &Client, namespace: &str) {
    let informers = Informers::new(client.clone()).namespace(namespace);
    let cron_tabs = informers.stable_v1().cron_tabs();
    let charts = informers.stable_v1().charts();
    informers.start();
    informers.wait_for_sync().await.expect("they are in step");
    // Who asks again is given the same one.
    assert!(informers.stable_v1().cron_tabs().has_synced());

    let lister = CronTabLister::from(&cron_tabs);
    let all = Selector::default();
    assert_eq!(lister.list(&all).len(), 1);
    assert_eq!(lister.cron_tabs(namespace).get("hourly").expect("it is there").spec.replicas, Some(3));
    assert!(lister.cron_tabs("elsewhere").list(&all).is_empty());
    let lister = ChartLister::new(charts.indexer().clone());
    assert_eq!(lister.get("north-sea").expect("it is there").scale, 150_000);
    assert!(lister.get("south-sea").is_none());
    informers.shutdown().await;
}
