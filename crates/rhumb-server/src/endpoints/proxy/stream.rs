//! Streams to containers and to ports of pods: what is wanted, whether it may be, and by which protocol it goes.

use super::log::with_query;
use super::upgrade::{Channels, pass};
use crate::base::failure::{Failure, Outcome};
use crate::base::response::Response;
use crate::endpoints::context::RequestContext;
use crate::endpoints::handlers::admit;
use crate::endpoints::proxy::{Passing, location, translate, tunnel};
use rhumb_api::core::v1::{PodAttachOptions, PodExecOptions, PodPortForwardOptions};
use rhumb_api::resources::Verb;
use rhumb_meta::Object;
use rhumb_schema::Struct;

/// What a client wants of a pod.
struct Wanted {
    /// Nothing if it is ports.
    channels: Option<Channels>,
    parameters: Vec<(String, String)>,
    container: String,
}

impl Wanted {
    /// Reads what is wanted, and has plugins look at it.
    async fn read(call: &mut RequestContext<'_>) -> Outcome<Self> {
        match call.path.subresource.as_str() {
            "exec" => {
                let options: PodExecOptions = admitted(call).await?;
                let PodExecOptions { stdin, stdout, stderr, tty, .. } = options;
                let words = options.command.into_iter().map(|word| ("command".to_owned(), word));
                Ok(Wanted {
                    channels: Some(Channels { stdin, stdout, stderr, tty }),
                    parameters: words.collect(),
                    container: options.container,
                })
            }
            "attach" => {
                let options: PodAttachOptions = admitted(call).await?;
                let PodAttachOptions { stdin, stdout, stderr, tty, .. } = options;
                Ok(Wanted {
                    channels: Some(Channels { stdin, stdout, stderr, tty }),
                    parameters: Vec::new(),
                    container: options.container,
                })
            }
            _ => {
                let options: PodPortForwardOptions = admitted(call).await?;
                let ports: Vec<String> = options.ports.iter().map(ToString::to_string).collect();
                let parameters =
                    if ports.is_empty() { Vec::new() } else { vec![("port".to_owned(), ports.join(","))] };
                Ok(Wanted { channels: None, parameters, container: String::new() })
            }
        }
    }
}

/// The options of a request, with what plugins made of them.
async fn admitted<T: Object + Struct + Default>(call: &mut RequestContext<'_>) -> Outcome<T> {
    let mut options: T = call.options()?;
    admit::connect(call, &mut options).await?;
    Ok(options)
}

/// A stream to a container or to the ports of a pod.
pub(super) async fn answer(call: &mut RequestContext<'_>, passing: Passing) -> Outcome<Response> {
    // To read a pod is less than to act in it, whatever the method.
    let wanted = call.path.attributes(call.user, Some(Verb::Create), "");
    call.api.authorizer.allow(&wanted).await?;
    let Wanted { channels, mut parameters, container: wanted } = Wanted::read(call).await?;
    let name = call.path.subresource.as_str();
    let pod = location::pod(call, &call.path.name).await?;
    let mut path = match channels {
        None => "/portForward".to_owned(),
        Some(_) => format!("/{name}"),
    };
    let container = match channels {
        None => String::new(),
        Some(_) => format!("/{}", location::container(&pod, &wanted)?),
    };
    path.push_str(&format!("/{}/{}{container}", pod.metadata.namespace, pod.metadata.name));
    parameters.extend(channels.map(Channels::parameters).unwrap_or_default());
    let asked = with_query(&path, &parameters);
    let kubelet = location::kubelet_of(call, &pod).await?;
    if !kubelet.speaks_websocket {
        match channels {
            Some(channels) if translate::concerns(&passing.headers) => {
                return translate::answer(call, passing, &kubelet.target, &asked, channels).await;
            }
            None if tunnel::concerns(&passing.headers) => {
                return tunnel::answer(call, passing, &kubelet.target, &asked).await;
            }
            _ => {}
        }
    }
    if !passing.wants_upgrade() {
        return Err(Failure::bad_request("Upgrade request required"));
    }
    pass(call, passing, &kubelet.target, &asked).await
}
