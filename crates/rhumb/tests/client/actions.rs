//! Tokens, evictions and other actions.

use rhumb_api::authentication::v1::TokenRequest;
use rhumb_api::core::v1::{Binding, Container, EphemeralContainer, Pod, PodLogOptions, ServiceAccount};
use rhumb_client::config::ContentType;
use rhumb_meta::v1::{CreateOptions, DeleteOptions, UpdateOptions};

use crate::server::Subject;

fn pod(name: &str) -> Pod {
    let mut pod = Pod::default();
    pod.metadata.name = name.to_owned();
    pod.spec.service_account_name = "worker".to_owned();
    pod.spec.automount_service_account_token = Some(false);
    let container =
        Container { name: "main".to_owned(), image: "example.com/image".to_owned(), ..Container::default() };
    pod.spec.containers.push(container);
    pod
}

#[tokio::test]
async fn pods_are_bound_extended_and_evicted() {
    let subject = Subject::new("actions").await;
    let mut account = ServiceAccount::default();
    account.metadata.name = "worker".to_owned();
    let accounts = subject.client().core_v1().service_accounts(&subject.namespace);
    accounts.create(&account, &CreateOptions::default()).await.expect("it is made");
    for content_type in [ContentType::Usual, ContentType::Json, ContentType::Protobuf] {
        let client = subject.client_of(content_type);
        let accounts = client.core_v1().service_accounts(&subject.namespace);
        let mut request = TokenRequest::default();
        request.spec.expiration_seconds = Some(3600);
        let token =
            accounts.create_token("worker", &request, &CreateOptions::default()).await.expect("a token");
        assert_eq!(token.status.token.split('.').count(), 3);

        let pods = client.core_v1().pods(&subject.namespace);
        let name = format!("pod-{content_type:?}").to_lowercase();
        pods.create(&pod(&name), &CreateOptions::default()).await.expect("it is made");
        let mut binding = Binding::default();
        binding.metadata.name.clone_from(&name);
        binding.target.kind = "Node".to_owned();
        binding.target.name = "node".to_owned();
        pods.bind(&binding, &CreateOptions::default()).await.expect("it is bound");
        let mut bound = pods.get(&name).await.expect("it is there");
        assert_eq!(bound.spec.node_name, "node");
        assert!(pods.bind(&binding, &CreateOptions::default()).await.expect_err("it is bound").is_conflict());

        let mut container = EphemeralContainer::default();
        container.ephemeral_container_common.name = "debugger".to_owned();
        container.ephemeral_container_common.image = "example.com/debugger".to_owned();
        bound.spec.ephemeral_containers.push(container);
        let options = UpdateOptions::default();
        let extended = pods.update_ephemeral_containers(&bound, &options).await.expect("it is extended");
        assert_eq!(extended.spec.ephemeral_containers.len(), 1);

        let log = pods.log(&name, &PodLogOptions::default()).await;
        assert!(log.is_err(), "there is no node that could tell");
        let at_once = DeleteOptions { grace_period_seconds: Some(0), ..DeleteOptions::default() };
        pods.evict(&name, &at_once).await.expect("it goes");
        assert!(pods.find(&name).await.expect("an answer").is_none());
        assert!(pods.evict(&name, &at_once).await.expect_err("it is gone").is_not_found());
    }
    subject.end().await;
}
