//! `kustomize`: builds a kustomization.

use std::path::Path;

use rhumb_cli::command::{Action, Command, Family, Flag, Words};
use rhumb_cli::{Call, Failure, Outcome};
use rhumb_kustomize::{Built, Disk, LoadRestrictions, Notice, Options, Reorder, build};
use serde_json::Value;

/// The command.
pub(crate) static COMMAND: Command = Command {
    name: "kustomize",
    family: Family::Advanced,
    about: "Build a kustomization from a directory",
    long: "Print the objects that a kustomization comes to. Directories elsewhere must be fetched first, and Helm \
           charts are not inflated.",
    usage: "DIR [flags]",
    examples: &[
        ("The kustomization here", "kustomize"),
        ("One in a directory", "kustomize ./overlays/production"),
        ("Into a file", "kustomize ./overlays/production -o production.yaml"),
    ],
    flags: &[&[
        Flag::text("output", "A file, or a directory for one file an object, instead of standard output.")
            .short('o')
            .words(Words::Files),
        Flag::text(
            "load-restrictor",
            "Which files may be read: LoadRestrictionsNone allows those outside the directory.",
        )
        .default("LoadRestrictionsRootOnly")
        .choices(&["LoadRestrictionsRootOnly", "LoadRestrictionsNone"]),
        Flag::bool("enable-alpha-plugins", "Kept for scripts; there are no plugins."),
        Flag::bool("enable-helm", "Kept for scripts; Helm charts are refused."),
        Flag::text("helm-command", "Kept for scripts; Helm charts are refused.").default("helm"),
        Flag::list("helm-api-versions", "Kept for scripts; Helm charts are refused."),
        Flag::text("helm-kube-version", "Kept for scripts; Helm charts are refused."),
        Flag::bool("helm-debug", "Kept for scripts; Helm charts are refused."),
        Flag::bool("enable-managedby-label", "Label every object with app.kubernetes.io/managed-by.").deprecated(
            "The flag `enable-managedby-label` has been deprecated. Use the `managedByLabel` option in the \
             `buildMetadata` field instead.",
        ),
        Flag::bool("as-current-user", "Kept for scripts; there are no plugins."),
        Flag::bool("network", "Kept for scripts; there are no plugins."),
        Flag::text("network-name", "Kept for scripts; there are no plugins.").default("bridge"),
        Flag::array("mount", "Kept for scripts; there are no plugins."),
        Flag::array("env", "Kept for scripts; there are no plugins.").short('e'),
        Flag::text("reorder", "legacy puts namespaces first; none keeps the order.")
            .choices(&["legacy", "none"])
            .deprecated("use the new 'sortOptions' field in kustomization.yaml instead."),
    ]],
    words: Words::Files,
    action: Action::Plain(run),
    ..Command::EMPTY
};

fn run(call: &mut Call) -> Outcome {
    let root = match call.args.as_slice() {
        [] => ".".to_owned(),
        [root] => root.clone(),
        _ => return Err("specify one path to kustomization.yaml".into()),
    };
    let options = options(call)?;
    let built = match build(&Disk, Path::new(&root), &options) {
        Ok(built) => built,
        Err(error) => {
            tell(call, error.notices());
            return Err(Failure::message(error.to_string()));
        }
    };
    tell(call, &built.notices);
    match call.flags.text("output") {
        "" => {
            let text = built.to_yaml();
            call.text(text)
        }
        path => {
            let unwritten = |error: std::io::Error| Failure::message(format!("{path}: {error}"));
            if !Path::new(path).is_dir() {
                return std::fs::write(path, built.to_yaml()).map_err(unwritten);
            }
            for object in built.objects {
                let file = Path::new(path).join(file_name(&object.value));
                let alone = Built { objects: vec![object], ..Built::default() };
                std::fs::write(file, alone.to_yaml()).map_err(unwritten)?;
            }
            Ok(())
        }
    }
}

/// Returns the name of an object's own file: `apps_v1_deployment_web.yaml`.
fn file_name(object: &Value) -> String {
    let text = |path: &str| object.pointer(path).and_then(Value::as_str).unwrap_or_default();
    let version = text("/apiVersion");
    let parts = version.split('/').chain([text("/kind"), text("/metadata/name")]);
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    format!("{}.yaml", parts.join("_").to_lowercase())
}

fn options(call: &Call) -> Result<Options, Failure> {
    let load_restrictions = match call.flags.text("load-restrictor") {
        "LoadRestrictionsRootOnly" | "rootOnly" => LoadRestrictions::RootOnly,
        "LoadRestrictionsNone" | "none" => LoadRestrictions::None,
        other => {
            return Err(Failure::message(format!(
                "illegal flag value --load-restrictor {other}; legal values: [LoadRestrictionsRootOnly \
                 LoadRestrictionsNone]"
            )));
        }
    };
    let reorder = match call.flags.text("reorder") {
        "" => Reorder::Unspecified,
        "legacy" => Reorder::Legacy,
        "none" => Reorder::None,
        other => {
            return Err(Failure::message(format!(
                "illegal flag value --reorder {other}; legal values: [legacy none]"
            )));
        }
    };
    Ok(Options {
        load_restrictions,
        reorder,
        add_managed_by_label: call.flags.bool("enable-managedby-label"),
        enable_helm: call.flags.bool("enable-helm"),
    })
}

fn tell(call: &mut Call, notices: &[Notice]) {
    for notice in notices {
        let (Notice::Warning(text) | Notice::Log(text)) = notice;
        call.warn(text);
    }
}
