//! Steps that change or filter infos.

use std::pin::Pin;
use std::rc::Rc;

use rhumb_meta::labels::Selector;
use serde_json::Value;

use super::Info;
use super::info::is_list;
use crate::Failure;

/// A step applied to each info.
#[derive(Clone)]
pub enum Step {
    /// Asks for another form than the object itself, with some parameters.
    Ask(Option<String>, Vec<(&'static str, String)>),
    /// Gives those without a namespace this one.
    SetNamespace(String),
    /// Sets the namespace and refuses infos with another.
    RequireNamespace(String),
    /// Takes the namespace from what has none.
    FilterNamespace,
    /// Fetches the object, whether it is there or not.
    RetrieveLatest,
    /// Fetches the object if it is not there.
    RetrieveLazily,
    /// Leaves out objects that a selector doesn't choose.
    Select(Selector),
    /// A custom function: [`Step::filter`], [`Step::decorate`].
    Do(Decoration),
}

/// Custom function of infos. `false` drops the info.
type Decoration = Rc<dyn for<'a> Fn(&'a mut Info) -> Decorating<'a>>;

/// Future of a custom function.
type Decorating<'a> = Pin<Box<dyn Future<Output = Result<bool, Failure>> + 'a>>;

impl Step {
    /// Leaves out what a function doesn't want.
    ///
    /// ```
    /// use rhumb_cli::resource::Step;
    ///
    /// let not_of_the_system = Step::filter(|info| Ok(info.namespace != "kube-system"));
    /// ```
    pub fn filter(wants: impl Fn(&Info) -> Result<bool, Failure> + 'static) -> Self {
        Step::Do(Rc::new(move |info| {
            let wanted = wants(info);
            Box::pin(async { wanted })
        }))
    }

    /// Does something with each info on its way: changes it, or asks the server for more.
    ///
    /// ```
    /// use rhumb_cli::resource::Step;
    ///
    /// let anew = Step::decorate(async |info| info.get().await);
    /// ```
    pub fn decorate(change: impl AsyncFn(&mut Info) -> Result<(), Failure> + 'static) -> Self {
        let change = Rc::new(change);
        Step::Do(Rc::new(move |info| {
            let change = Rc::clone(&change);
            Box::pin(async move { change(info).await.map(|()| true) })
        }))
    }

    /// Does the step; `false` leaves the info out.
    pub(super) async fn apply(&self, info: &mut Info) -> Result<bool, Failure> {
        match self {
            Step::Ask(accept, params) => {
                info.accept.clone_from(accept);
                info.params.clone_from(params);
            }
            Step::SetNamespace(namespace) => {
                if info.is_namespaced() && info.namespace.is_empty() {
                    info.set_namespace(namespace);
                }
            }
            Step::RequireNamespace(namespace) => {
                if info.is_namespaced() && info.namespace.is_empty() {
                    info.set_namespace(namespace);
                } else if info.is_namespaced() && info.namespace != *namespace {
                    return Err(Failure::message(format!(
                        "the namespace from the provided object {:?} does not match the namespace {namespace:?}. You must \
                         pass '--namespace={}' to perform this operation.",
                        info.namespace, info.namespace
                    )));
                }
            }
            Step::FilterNamespace => {
                if !info.is_namespaced() {
                    info.set_namespace("");
                }
            }
            Step::RetrieveLatest => {
                if info.object.as_ref().is_some_and(is_list) {
                    return Err(Failure::message(
                        "watch is only supported on individual resources and resource collections, but a list of \
                         resources is found",
                    ));
                }
                if info.is_namespaced() && info.namespace.is_empty() && !info.name.is_empty() {
                    return Err(Failure::message(format!(
                        "no namespace set on resource {} {:?}",
                        info.mapping.resource, info.name
                    )));
                }
                if !info.name.is_empty() {
                    info.get().await?;
                }
            }
            Step::RetrieveLazily => {
                if info.object.is_none() {
                    info.get().await?;
                }
            }
            Step::Select(selector) => {
                let labels = info.object.as_ref().and_then(|object| object.get(&["metadata", "labels"]));
                let labels = labels
                    .and_then(Value::as_object)
                    .map(|labels| {
                        labels
                            .iter()
                            .filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned())))
                            .collect()
                    })
                    .unwrap_or_default();
                return Ok(selector.matches(&labels));
            }
            Step::Do(decoration) => return decoration(info).await,
        }
        Ok(true)
    }
}
