//! `debug`: adds debugging containers to pods, copies of pods, or nodes.

use std::collections::BTreeMap;

use rhumb_api::core::v1::{
    Container, ContainerStatus, EnvVar, EphemeralContainer, EphemeralContainerCommon, Node, Pod,
    PodLogOptions, PodSpec, Toleration,
};
use rhumb_cli::command::{Action, Command, Family, Flag, Words};
use rhumb_cli::resource::{FileOptions, Info};
use rhumb_cli::{Call, Failure, Outcome};
use rhumb_client::{Patch, WatchEvent, from_unstructured};
use rhumb_meta::ObjectMeta;
use rhumb_meta::v1::{CreateOptions, DeleteOptions, ListOptions, PatchOptions};
use rhumb_patch::strategic;
use rhumb_schema::{Struct, from_tree, to_tree};

use super::attach::{Attaching, attach};
use super::choose::{container, is_pod};
use super::logs;
use super::profile::{Profile, Style};
use crate::{image, random};

/// The command.
pub(crate) static COMMAND: Command = Command {
    name: "debug",
    family: Family::Troubleshooting,
    about: "Look around in pods and nodes with a container of your own",
    long: "Put a container with the tools of your choice into a running pod, make a copy of a pod with something \
           changed, or make a pod that sees all of a node.",
    usage: "(POD | TYPE[[.VERSION].GROUP]/NAME) [ -- COMMAND [args...] ]",
    examples: &[
        ("A shell beside the containers of a pod", "debug web-0 -it --image=busybox"),
        ("The same under a name of its own", "debug --image=tools -c helper web-0"),
        ("A copy of a pod with another container", "debug web-0 -it --image=busybox --copy-to=web-debug"),
        ("A copy with another command", "debug web-0 -it --copy-to=web-debug --container=app -- sh"),
        ("A copy with other images", "debug web-0 --copy-to=web-debug --set-image=*=busybox"),
        ("A shell on a node, whose files are under /host", "debug node/n1 -it --image=busybox"),
    ],
    flags: &[&[
        Flag::list("filename", "A file that names what to debug.").short('f').words(Words::Files),
        Flag::bool(
            "arguments-only",
            "What follows -- are arguments of the image's command, not the command.",
        ),
        Flag::bool("attach", "Attach to the container when it runs. The default with -i."),
        Flag::text("container", "The name of the container.").short('c'),
        Flag::text("copy-to", "Make a copy of the pod, with this name."),
        Flag::bool("replace", "With --copy-to, delete the original."),
        Flag::list("env", "Variables of the container, as name=value."),
        Flag::text("image", "The image of the container."),
        Flag::bool("keep-labels", "With --copy-to, keep the labels."),
        Flag::bool("keep-annotations", "With --copy-to, keep the annotations."),
        Flag::bool("keep-liveness", "With --copy-to, keep the liveness probes."),
        Flag::bool("keep-readiness", "With --copy-to, keep the readiness probes."),
        Flag::bool("keep-startup", "With --copy-to, keep the startup probes."),
        Flag::bool("keep-init-containers", "With --copy-to, run the init containers.").default("true"),
        Flag::list(
            "set-image",
            "With --copy-to, images to change, as container=image; * is every container.",
        ),
        Flag::text("image-pull-policy", "When to fetch the image.").choices(&[
            "Always",
            "IfNotPresent",
            "Never",
        ]),
        Flag::bool("stdin", "Keep the container's input open.").short('i'),
        Flag::bool("quiet", "Say nothing but what matters.").short('q'),
        Flag::bool("same-node", "With --copy-to, put the copy on the same node."),
        Flag::bool("share-processes", "With --copy-to, let the containers see each other's processes.")
            .default("true"),
        Flag::text("target", "The container whose processes an ephemeral container shall see."),
        Flag::bool("tty", "Give the container a terminal.").short('t'),
        Flag::text("profile", "What the container may do.").default("general").choices(&[
            "legacy",
            "general",
            "baseline",
            "restricted",
            "netadmin",
            "sysadmin",
        ]),
        Flag::text("custom", "A file with a part of a container, to change what the profile says.")
            .words(Words::Files),
    ]],
    words: Words::PodOrType,
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

/// Values of the flags.
struct Debug {
    args: Vec<String>,
    args_only: bool,
    attach: bool,
    container: String,
    copy_to: String,
    env: Vec<EnvVar>,
    image: String,
    images: BTreeMap<String, String>,
    pull_policy: String,
    interactive: bool,
    tty: bool,
    quiet: bool,
    target: String,
    profile: Profile,
    custom: Option<Container>,
}

async fn run(call: &mut Call) -> Outcome {
    let (names, args) = match call.dash {
        Some(at) if call.args.len() > at => {
            let (names, args) = call.args.split_at(at);
            (names.to_vec(), args.to_vec())
        }
        _ => (call.args.clone(), Vec::new()),
    };
    let (namespace, explicit) = call.factory.namespace()?;
    let filenames = call.flags.list("filename");
    let debug = complete(call, args)?;
    validate(call, &debug, names.is_empty() && filenames.is_empty())?;
    let files = FileOptions { filenames, ..FileOptions::default() };
    let infos = call
        .factory
        .builder()
        .files(explicit, &files, &mut call.streams)
        .namespace(&namespace)
        .default_namespace()
        .names_of("pods", &names)
        .build()
        .await?;
    infos
        .visit(async |info| {
            let is_node = info.mapping.kind.group.is_empty() && info.mapping.kind.kind == "Node";
            let (pod, container) = if is_node {
                debug.node(call, info, &namespace).await?
            } else if !is_pod(info) {
                return Err(Failure::message(format!("\"{}\" not supported by debug", info.mapping.kind)));
            } else if debug.copy_to.is_empty() {
                debug.ephemeral(call, info).await?
            } else {
                debug.copy(call, info).await?
            };
            match debug.attach && !container.is_empty() {
                true => debug.attach_to(call, &pod, &container).await,
                false => Ok(()),
            }
        })
        .await
}

fn complete(call: &Call, args: Vec<String>) -> Result<Debug, Failure> {
    let flags = &call.flags;
    let text = |name: &str| flags.text(name).to_owned();
    let interactive = flags.bool("stdin");
    let env = pairs(call, "env")?;
    let env = env.into_iter().map(|(name, value)| EnvVar { name, value, ..EnvVar::default() }).collect();
    let profile = Profile::of(call)?;
    let custom = match flags.text("custom") {
        "" => None,
        path => Some(custom(path)?),
    };
    Ok(Debug {
        args,
        args_only: flags.bool("arguments-only"),
        attach: if flags.is_given("attach") { flags.bool("attach") } else { interactive },
        container: text("container"),
        copy_to: text("copy-to"),
        env,
        image: text("image"),
        images: pairs(call, "set-image")?,
        pull_policy: text("image-pull-policy"),
        interactive,
        tty: flags.bool("tty"),
        quiet: flags.bool("quiet"),
        target: text("target"),
        profile,
        custom,
    })
}

/// Parses the `name=value` values of a flag.
fn pairs(call: &Call, flag: &str) -> Result<BTreeMap<String, String>, Failure> {
    let words = call.flags.list(flag);
    words
        .iter()
        .map(|word| match word.split_once('=') {
            Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
            None => Err(Failure::message(format!(
                "invalid argument {word:?} for \"--{flag}\" flag: {word} must be formatted as key=value\n\
                 See '{} --help' for usage.",
                call.path
            ))),
        })
        .collect()
}

/// Returns the part of a container that a file has.
fn custom(path: &str) -> Result<Container, Failure> {
    let bytes = std::fs::read(path).map_err(|error| {
        let reason = crate::typed::os_text(&error);
        Failure::message(format!(
            "must pass a container spec json file for custom profile: open {path}: {reason}"
        ))
    })?;
    let wrong = |error: &dyn std::fmt::Display| {
        Failure::message(format!("{path} does not contain a valid container spec: {error}"))
    };
    let mut json = Vec::new();
    rhumb_codec::yaml::to_json(&bytes, &rhumb_codec::yaml::ReadOptions::default(), &mut json)
        .map_err(|error| wrong(&error))?;
    let mut container = Container::default();
    rhumb_codec::json::decode_into(&json, &mut container, rhumb_codec::Strictness::Ignore)
        .map_err(|error| wrong(&error))?;
    Ok(container)
}

fn validate(call: &mut Call, debug: &Debug, nothing_named: bool) -> Outcome {
    let flags = &call.flags;
    if debug.attach && flags.is_given("attach") && debug.image.is_empty() && debug.container.is_empty() {
        return Err(
            "you must specify --container or create a new container using --image in order to attach.".into(),
        );
    }
    if debug.copy_to.is_empty() {
        for flag in ["replace", "same-node"] {
            if flags.bool(flag) {
                return Err(Failure::message(format!("--{flag} may only be used with --copy-to.")));
            }
        }
        if !debug.images.is_empty() {
            return Err("--set-image may only be used with --copy-to.".into());
        }
        if debug.image.is_empty() {
            return Err("you must specify --image when not using --copy-to.".into());
        }
    } else {
        if debug.image.is_empty() && debug.images.is_empty() && debug.args.is_empty() {
            return Err("you must specify --image, --set-image or command arguments.".into());
        }
        if !debug.args.is_empty() && debug.container.is_empty() && debug.image.is_empty() {
            return Err("you must specify an existing container or a new image when specifying args.".into());
        }
    }
    if !debug.image.is_empty() && !image::is_reference(&debug.image) {
        return Err(Failure::message(format!(
            "invalid image name {:?}: invalid reference format",
            debug.image
        )));
    }
    if nothing_named {
        return Err("NAME or filename is required for debug".into());
    }
    if !matches!(debug.pull_policy.as_str(), "" | "Always" | "IfNotPresent" | "Never") {
        return Err(Failure::message(format!("invalid image pull policy: {}", debug.pull_policy)));
    }
    for (name, image) in &debug.images {
        if !image::is_reference(image) {
            return Err(Failure::message(format!(
                "invalid image name {image:?} for container {name:?}: invalid reference format"
            )));
        }
    }
    if !debug.target.is_empty() {
        if !debug.copy_to.is_empty() {
            return Err("--target is incompatible with --copy-to. Use --share-processes instead.".into());
        }
        if !debug.quiet {
            call.line(format!(
                "Targeting container {:?}. If you don't see processes from this container it may be because the \
                 container runtime doesn't support this feature.",
                debug.target
            ))?;
        }
    }
    if debug.tty && !debug.interactive {
        return Err("-i/--stdin is required for containers with -t/--tty=true".into());
    }
    if let Some(custom) = &debug.custom
        && (!custom.name.is_empty()
            || !custom.command.is_empty()
            || !custom.image.is_empty()
            || custom.lifecycle.is_some()
            || !custom.volume_devices.is_empty())
    {
        return Err(
            "name, command, image, lifecycle and volume devices are not modifiable via custom profile".into(),
        );
    }
    if call.flags.text("profile") == "legacy" {
        call.warn(
            "--profile=legacy is deprecated and planned to be removed in v1.39. It is recommended to specify other \
             profile, for example \"--profile=general\".",
        );
    }
    Ok(())
}

impl Debug {
    /// Creates a pod that sees all of a node.
    async fn node(&self, call: &mut Call, info: &Info, namespace: &str) -> Result<(Pod, String), Failure> {
        let node = from_unstructured::<Node>(info.object()?)?;
        let name = if self.container.is_empty() { "debugger" } else { &self.container }.to_owned();
        let pod_name = format!("node-debugger-{}-{}", node.metadata.name, random::suffix(5));
        if !self.quiet {
            call.line(format!(
                "Creating debugging pod {pod_name} with container {name} on node {}.",
                node.metadata.name
            ))?;
        }
        let labels =
            BTreeMap::from([("app.kubernetes.io/managed-by".to_owned(), "kubectl-debug".to_owned())]);
        let (command, args) = self.command();
        let mut pod = Pod {
            metadata: ObjectMeta { name: pod_name, labels, ..ObjectMeta::default() },
            spec: PodSpec {
                containers: vec![Container {
                    name: name.clone(),
                    env: self.env.clone(),
                    image: self.image.clone(),
                    image_pull_policy: self.pull_policy.clone(),
                    stdin: self.interactive,
                    termination_message_policy: "File".to_owned(),
                    tty: self.tty,
                    command,
                    args,
                    ..Container::default()
                }],
                node_name: node.metadata.name.clone(),
                restart_policy: "Never".to_owned(),
                tolerations: vec![Toleration { operator: "Exists".to_owned(), ..Toleration::default() }],
                ..PodSpec::default()
            },
            ..Pod::default()
        };
        self.profile.apply(&mut pod, &name, Style::Node);
        self.customize(&mut pod, &name)?;
        let pods = call.factory.client()?.core_v1().pods(namespace);
        Ok((pods.create(&pod, &CreateOptions::default()).await?, name))
    }

    /// Puts a container into a running pod.
    async fn ephemeral(&self, call: &mut Call, info: &Info) -> Result<(Pod, String), Failure> {
        let pod = from_unstructured::<Pod>(info.object()?)?;
        let name = self.name_for(call, &pod)?;
        let (command, args) = self.command();
        let mut changed = pod.clone();
        changed.spec.ephemeral_containers.push(EphemeralContainer {
            ephemeral_container_common: EphemeralContainerCommon {
                name: name.clone(),
                env: self.env.clone(),
                image: self.image.clone(),
                image_pull_policy: self.pull_policy.clone(),
                stdin: self.interactive,
                termination_message_policy: "File".to_owned(),
                tty: self.tty,
                command,
                args,
                ..EphemeralContainerCommon::default()
            },
            target_container_name: self.target.clone(),
        });
        self.profile.apply(&mut changed, &name, Style::Ephemeral);
        if let Some(mut custom) = self.custom.clone()
            && let Some(last) = changed.spec.ephemeral_containers.last_mut()
        {
            custom.name.clone_from(&name);
            merge(last, &custom)?;
        }
        if let Some(last) = changed.spec.ephemeral_containers.last() {
            warn_of_user(call, last.ephemeral_container_common.security_context.as_deref(), &pod);
        }
        let table = pod.desc();
        let patch =
            strategic::create_two_way(&to_tree(&pod), &to_tree(&changed), table, &[]).map_err(|error| {
                Failure::message(format!("error creating patch to add debug container: {error}"))
            })?;
        let pods = call.factory.client()?.core_v1().pods(&pod.metadata.namespace);
        let patched = pods
            .subresource::<Pod>("ephemeralcontainers")
            .patch(&pod.metadata.name, &Patch::Strategic(patch), &PatchOptions::default())
            .await;
        match patched {
            Ok(pod) => Ok((pod, name)),
            Err(error) => {
                let details = error.status().and_then(|status| status.details.as_deref());
                let is_disabled =
                    error.is_not_found() && details.is_some_and(|details| details.name.is_empty());
                match is_disabled {
                    true => Err(Failure::message(format!(
                        "ephemeral containers are disabled for this cluster (error from server: {:?})",
                        error.to_string()
                    ))),
                    false => Err(error.into()),
                }
            }
        }
    }

    /// Creates a copy of a pod with something changed.
    async fn copy(&self, call: &mut Call, info: &Info) -> Result<(Pod, String), Failure> {
        let pod = from_unstructured::<Pod>(info.object()?)?;
        let mut copy = Pod {
            metadata: ObjectMeta {
                name: self.copy_to.clone(),
                namespace: pod.metadata.namespace.clone(),
                annotations: pod.metadata.annotations.clone(),
                labels: pod.metadata.labels.clone(),
                ..ObjectMeta::default()
            },
            spec: pod.spec.clone(),
            ..Pod::default()
        };
        copy.spec.ephemeral_containers.clear();
        if call.flags.is_given("share-processes") {
            copy.spec.share_process_namespace = Some(call.flags.bool("share-processes"));
        }
        if !call.flags.bool("same-node") {
            copy.spec.node_name.clear();
        }
        for container in &mut copy.spec.containers {
            if let Some(image) = self.images.get(&container.name).or_else(|| self.images.get("*")) {
                container.image.clone_from(image);
            }
        }
        let name = self.change_container(call, &mut copy)?;
        if !name.is_empty() {
            self.profile.apply(&mut copy, &name, Style::Copy);
            self.customize(&mut copy, &name)?;
            if let Some(container) = copy.spec.containers.iter().find(|container| container.name == name) {
                warn_of_user(call, container.security_context.as_deref(), &copy);
            }
        }
        let pods = call.factory.client()?.core_v1().pods(&copy.metadata.namespace);
        let created = pods.create(&copy, &CreateOptions::default()).await?;
        if call.flags.bool("replace") {
            let now = DeleteOptions { grace_period_seconds: Some(0), ..DeleteOptions::default() };
            pods.delete(&pod.metadata.name, &now).await?;
        }
        Ok((created, name))
    }

    /// Changes the container that is named, or adds one; empty if only images are changed.
    fn change_container(&self, call: &mut Call, copy: &mut Pod) -> Result<String, Failure> {
        let mut name = self.container.clone();
        if container(copy, &name).is_none() {
            if self.image.is_empty() {
                return match self.images.is_empty() {
                    true => Err("you must specify image when creating new container".into()),
                    false => Ok(String::new()),
                };
            }
            if name.is_empty() {
                name = self.name_for(call, copy)?;
            }
            copy.spec.containers.push(Container {
                name: name.clone(),
                termination_message_policy: "File".to_owned(),
                ..Container::default()
            });
        }
        let spec = &mut copy.spec;
        let mut containers = spec.containers.iter_mut().chain(&mut spec.init_containers);
        let Some(container) = containers.find(|container| container.name == name) else { return Ok(name) };
        if !self.args.is_empty() {
            if self.args_only {
                container.args.clone_from(&self.args);
            } else {
                container.command.clone_from(&self.args);
                container.args.clear();
            }
        }
        if !self.env.is_empty() {
            container.env.clone_from(&self.env);
        }
        if !self.image.is_empty() {
            container.image.clone_from(&self.image);
        }
        if !self.pull_policy.is_empty() {
            container.image_pull_policy.clone_from(&self.pull_policy);
        }
        container.stdin = self.interactive;
        container.tty = self.tty;
        Ok(name)
    }

    fn customize(&self, pod: &mut Pod, name: &str) -> Outcome {
        let Some(mut custom) = self.custom.clone() else { return Ok(()) };
        name.clone_into(&mut custom.name);
        match pod.spec.containers.iter_mut().find(|container| container.name == name) {
            Some(container) => merge(container, &custom),
            None => Err(Failure::message(format!(
                "unable to find the {name} container in the pod {}",
                pod.metadata.name
            ))),
        }
    }

    fn command(&self) -> (Vec<String>, Vec<String>) {
        match self.args_only {
            true => (Vec::new(), self.args.clone()),
            false => (self.args.clone(), Vec::new()),
        }
    }

    /// Returns the name of the container: the one that is given, or one that no container has.
    fn name_for(&self, call: &mut Call, pod: &Pod) -> Result<String, Failure> {
        if !self.container.is_empty() {
            return Ok(self.container.clone());
        }
        let name = loop {
            let name = format!("debugger-{}", random::suffix(5));
            if container(pod, &name).is_none() {
                break name;
            }
        };
        if !self.quiet {
            call.line(format!("Defaulting debug container name to {name}."))?;
        }
        Ok(name)
    }

    /// Attaches to the container when it runs; if it has ended, shows what it wrote.
    async fn attach_to(&self, call: &mut Call, pod: &Pod, name: &str) -> Outcome {
        let pod = self.wait_for(call, pod, name).await?;
        let has_ended = status(&pod, name).is_some_and(|status| status.state.terminated.is_some());
        if !has_ended {
            let attaching = Attaching {
                container: name.to_owned(),
                stdin: self.interactive,
                tty: self.tty,
                quiet: self.quiet,
                detach_keys: String::new(),
                command: format!("{} attach", call.program()),
            };
            match attach(call, &pod, &attaching).await {
                Ok(()) => return Ok(()),
                Err(failure) => call.warn(format!(
                    "warning: couldn't attach to pod/{}, falling back to streaming logs: {}",
                    pod.metadata.name,
                    failure.bare()
                )),
            }
        }
        let options = PodLogOptions { container: name.to_owned(), ..PodLogOptions::default() };
        logs::print(call, &pod, options).await
    }

    async fn wait_for(&self, call: &mut Call, pod: &Pod, name: &str) -> Result<Pod, Failure> {
        let pods = call.factory.client()?.core_v1().pods(&pod.metadata.namespace);
        let field_selector = format!("metadata.name={}", pod.metadata.name);
        let options = ListOptions { field_selector, ..ListOptions::default() };
        loop {
            let mut events = pods.watch(&options).await?;
            while let Some(event) = events.next().await {
                let pod = match event? {
                    WatchEvent::Added(pod) | WatchEvent::Modified(pod) => pod,
                    WatchEvent::Deleted(_) => return Err("pods \"\" not found".into()),
                    _ => continue,
                };
                let Some(status) = status(&pod, name) else { continue };
                if status.state.running.is_some() || status.state.terminated.is_some() {
                    return Ok(pod);
                }
                if let Some(waiting) =
                    status.state.waiting.as_ref().filter(|waiting| !waiting.message.is_empty())
                    && !self.quiet
                {
                    call.warn(format!("Warning: container {name}: {}", waiting.message));
                }
            }
        }
    }
}

/// Lays a part of a container over a whole one, as a strategic merge patch does.
fn merge<C: Struct + Default>(container: &mut C, custom: &Container) -> Outcome {
    let wrong = |error: &dyn std::fmt::Display| {
        Failure::message(format!("error creating three way patch to add debug container: {error}"))
    };
    let mut tree = to_tree(container);
    strategic::apply(&mut tree, &to_tree(custom), custom.desc()).map_err(|error| wrong(&error))?;
    let mut merged = C::default();
    from_tree(&tree, &mut merged).map_err(|error| wrong(&error))?;
    *container = merged;
    Ok(())
}

/// Warns if a container may need root while the pod forbids it.
fn warn_of_user(call: &mut Call, security: Option<&rhumb_api::core::v1::SecurityContext>, pod: &Pod) {
    let pod_user = pod.spec.security_context.as_ref().and_then(|security| security.run_as_user);
    let Some(security) = security else { return };
    let is_capable = security.privileged == Some(true)
        || security.capabilities.as_ref().is_some_and(|capabilities| !capabilities.add.is_empty());
    if pod_user.is_some_and(|user| user != 0) && security.run_as_user != Some(0) && is_capable {
        call.warn(
            "Warning: Non-root user is configured for the entire target Pod, and some capabilities granted by debug \
             profile may not work. Please consider using \"--custom\" with a custom profile that specifies \
             \"securityContext.runAsUser: 0\".",
        );
    }
}

fn status<'a>(pod: &'a Pod, name: &str) -> Option<&'a ContainerStatus> {
    let status = &pod.status;
    let lists =
        [&status.init_container_statuses, &status.container_statuses, &status.ephemeral_container_statuses];
    lists.into_iter().flatten().find(|status| status.name == name)
}
