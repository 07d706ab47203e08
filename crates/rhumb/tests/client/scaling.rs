//! The scale of built-in kinds, and of what doesn't scale.

use rhumb_api::autoscaling::v1::Scale;
use rhumb_api::core::v1::ConfigMap;
use rhumb_client::config::ContentType;
use rhumb_client::{Client, Patch};
use rhumb_meta::Resource;
use rhumb_meta::v1::{ApplyOptions, CreateOptions, PatchOptions, UpdateOptions};
use serde_json::json;

use crate::server::{Server, Storage, Subject};
use crate::verbs::deployment;

#[tokio::test]
async fn deployments_scale() {
    let subject = Subject::new("scale").await;
    for content_type in [ContentType::Usual, ContentType::Json, ContentType::Protobuf] {
        let api = subject.client_of(content_type).apps_v1().deployments(&subject.namespace);
        let name = format!("web-{content_type:?}").to_lowercase();
        api.create(&deployment(&name), &CreateOptions::default()).await.expect("it is made");
        let scales = api.scale();
        let mut scale = scales.get(&name).await.expect("it scales");
        assert_eq!((scale.spec.replicas, scale.status.selector.as_str()), (2, &*format!("app={name}")));
        scale.spec.replicas = 5;
        let scaled = scales.update(&name, &scale, &UpdateOptions::default()).await.expect("it is scaled");
        assert_eq!(scaled.spec.replicas, 5);
        let outdated = scales.update(&name, &scale, &UpdateOptions::default()).await;
        assert!(outdated.expect_err("it was changed").is_conflict());
        let patch = Patch::Merge(json!({"spec": {"replicas": 0}}));
        let scaled = scales.patch(&name, &patch, &PatchOptions::default()).await.expect("it is patched");
        assert_eq!(scaled.spec.replicas, 0);
        assert_eq!(api.get(&name).await.expect("it is there").spec.replicas, Some(0));
        let mut wanted = Scale::default();
        wanted.metadata.name.clone_from(&name);
        wanted.spec.replicas = 7;
        let options =
            ApplyOptions { field_manager: "tests".to_owned(), force: true, ..ApplyOptions::default() };
        let scaled = scales.apply(&name, &wanted, &options).await.expect("it is applied");
        assert_eq!(scaled.spec.replicas, 7);
    }
    let maps = subject.client().dynamic(&ConfigMap::gvr()).namespace(&subject.namespace);
    assert!(maps.scale().get("a").await.expect_err("it doesn't scale").is_not_found());
    subject.end().await;
}

/// Each old version had a kind of its own for the scale.
#[tokio::test]
async fn old_versions_scale_as_well() {
    let server = Server::start_with(Storage::InMemory, &["--runtime-config", "api/legacy=true"]);
    let mut config = server.config();
    for content_type in [ContentType::Usual, ContentType::Json, ContentType::Protobuf] {
        config.content_type = content_type;
        let client = Client::new(config.clone()).expect("a client");
        let name = format!("web-{content_type:?}").to_lowercase();
        let deployments = client.apps_v1().deployments("default");
        deployments.create(&deployment(&name), &CreateOptions::default()).await.expect("it is made");
        let scales = [
            client.apps_v1beta1().deployments("default").scale(),
            client.apps_v1beta2().deployments("default").scale(),
            client.extensions_v1beta1().deployments("default").scale(),
        ];
        for (scales, replicas) in scales.iter().zip(3..) {
            let mut scale = scales.get(&name).await.expect("it scales");
            assert_eq!(scale.status.selector, format!("app={name}"), "{scales:?}");
            assert_eq!(
                (scale.spec.replicas, &*scale.type_meta.api_version),
                (replicas - 1, "autoscaling/v1")
            );
            scale.spec.replicas = replicas;
            let scaled = scales.update(&name, &scale, &UpdateOptions::default()).await.expect("it is scaled");
            assert_eq!(scaled.spec.replicas, replicas, "{scales:?}");
        }
    }
}
