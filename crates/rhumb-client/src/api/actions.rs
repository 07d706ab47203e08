//! Typed actions of some kinds, easier to call than the subresources behind them.

use rhumb_api::authentication::v1::TokenRequest;
use rhumb_api::certificates::v1::CertificateSigningRequest;
use rhumb_api::core::v1::{Binding, Namespace, Pod, PodLogOptions, ServiceAccount};
use rhumb_api::policy::v1::Eviction;
use rhumb_meta::v1::{CreateOptions, DeleteOptions, UpdateOptions};

use super::Api;
use super::verbs::own_namespace;
use crate::Error;
use crate::rest::ByteStream;

impl Api<Pod> {
    /// Streams the log of a pod's container. With `follow` in the options the stream continues with the log.
    ///
    /// # Errors
    /// If there is no such pod or container, and whenever there is no answer.
    pub async fn log(&self, name: &str, options: &PodLogOptions) -> Result<ByteStream, Error> {
        self.subresource::<Pod>("log").stream(name, options).await
    }

    /// Evicts a pod. A disruption budget may refuse it for now with "too many requests".
    ///
    /// # Errors
    /// If it is refused or there is no such pod, and whenever there is no answer.
    pub async fn evict(&self, name: &str, options: &DeleteOptions) -> Result<(), Error> {
        let mut eviction = Eviction::default();
        name.clone_into(&mut eviction.metadata.name);
        eviction.metadata.namespace = self.current_namespace().unwrap_or_default().to_owned();
        if *options != DeleteOptions::default() {
            eviction.delete_options = Some(Box::new(options.clone()));
        }
        self.subresource::<Eviction>("eviction").create(name, &eviction, &CreateOptions::default()).await?;
        Ok(())
    }

    /// Binds a pod to a node. The binding has the name of the pod.
    ///
    /// # Errors
    /// If there is no such pod or it is on a node already, and whenever there is no answer.
    pub async fn bind(&self, binding: &Binding, options: &CreateOptions) -> Result<(), Error> {
        let name = &binding.metadata.name;
        self.subresource::<Binding>("binding").create(name, binding, options).await?;
        Ok(())
    }

    /// Adds the ephemeral containers of the given pod to a pod.
    ///
    /// # Errors
    /// If anything else was changed or the pod in the meantime, and whenever there is no answer.
    pub async fn update_ephemeral_containers(
        &self,
        pod: &Pod,
        options: &UpdateOptions,
    ) -> Result<Pod, Error> {
        self.in_namespace_of(pod)
            .subresource::<Pod>("ephemeralcontainers")
            .update(&pod.metadata.name, pod, options)
            .await
    }

    /// Changes the resources of a running pod's containers.
    ///
    /// # Errors
    /// If anything else was changed or the pod in the meantime, and whenever there is no answer.
    pub async fn resize(&self, pod: &Pod, options: &UpdateOptions) -> Result<Pod, Error> {
        self.in_namespace_of(pod).subresource::<Pod>("resize").update(&pod.metadata.name, pod, options).await
    }

    fn in_namespace_of(&self, pod: &Pod) -> Self {
        match (self.current_namespace(), own_namespace(pod)) {
            (None, Some(namespace)) => self.clone().namespace(&namespace),
            _ => self.clone(),
        }
    }
}

impl Api<ServiceAccount> {
    /// Requests a token of a service account.
    ///
    /// # Errors
    /// If there is no such account or the request breaks a rule, and whenever there is no answer.
    pub async fn create_token(
        &self,
        name: &str,
        request: &TokenRequest,
        options: &CreateOptions,
    ) -> Result<TokenRequest, Error> {
        let answer = self.subresource::<TokenRequest>("token").create(name, request, options).await?;
        answer.object().ok_or_else(|| Error::Unexpected("the server sent no token".to_owned()))
    }
}

impl Api<Namespace> {
    /// Replaces the finalizers of a namespace, which it needs to be deleted.
    ///
    /// # Errors
    /// If it was changed in the meantime, and whenever there is no answer.
    pub async fn finalize(&self, namespace: &Namespace, options: &UpdateOptions) -> Result<Namespace, Error> {
        let name = &namespace.metadata.name;
        self.subresource::<Namespace>("finalize").update(name, namespace, options).await
    }
}

impl Api<CertificateSigningRequest> {
    /// Replaces the conditions of a certificate request: approves or denies it.
    ///
    /// # Errors
    /// If it was changed in the meantime, and whenever there is no answer.
    pub async fn update_approval(
        &self,
        request: &CertificateSigningRequest,
        options: &UpdateOptions,
    ) -> Result<CertificateSigningRequest, Error> {
        let name = &request.metadata.name;
        self.subresource::<CertificateSigningRequest>("approval").update(name, request, options).await
    }
}
