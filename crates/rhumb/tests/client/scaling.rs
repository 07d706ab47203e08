//! The scale of built-in kinds, and of what doesn't scale.

use rhumb_api::core::v1::ConfigMap;
use rhumb_client::Patch;
use rhumb_client::config::ContentType;
use rhumb_meta::Resource;
use rhumb_meta::v1::{CreateOptions, PatchOptions, UpdateOptions};
use serde_json::json;

use crate::server::Subject;
use crate::verbs::deployment;

#[tokio::test]
async fn deployments_scale() {
    let subject = Subject::new("scale").await;
    for content_type in [ContentType::Json, ContentType::Protobuf] {
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
    }
    let maps = subject.client().dynamic(&ConfigMap::gvr()).namespace(&subject.namespace);
    assert!(maps.scale().get("a").await.expect_err("it doesn't scale").is_not_found());
    subject.end().await;
}
