//! Path and query parameters, and the names of those that version 2 shares.

use rhumb_schema::{Shape, StructDesc};

/// Location of a parameter, in the order of documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum In {
    Path,
    Query,
}

/// A path or query parameter.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) place: In,
    pub(crate) type_name: &'static str,
    pub(crate) description: &'static str,
    /// The options it comes from; empty for those that all requests share.
    owner: &'static str,
}

impl Parameter {
    /// `pretty`.
    pub(crate) const PRETTY: Self =
        Self::text("pretty", In::Query, "Indent the answer. On by default for browsers, curl and wget.");
    /// `name`.
    pub(crate) const NAME: Self = Self::text("name", In::Path, "The name of the object.");
    /// `namespace`.
    pub(crate) const NAMESPACE: Self =
        Self::text("namespace", In::Path, "The namespace that the objects are in.");
    /// `path` of a proxied object.
    pub(crate) const PATH: Self = Self::text("path", In::Path, "The path to ask for at the other side.");
    /// `logpath`.
    pub(crate) const LOG_PATH: Self = Self::text("logpath", In::Path, "The path of the log file.");

    const fn text(name: &'static str, place: In, description: &'static str) -> Self {
        Parameter { name, place, type_name: "string", description, owner: "" }
    }

    /// Returns the name in the list of shared parameters; none for those that stand where they are used.
    ///
    /// `name` is described by its kind, and old releases of kubectl look for `dryRun` and `fieldValidation`
    /// in operations, so these are never shared.
    pub(crate) fn shared_name(&self) -> Option<String> {
        let (name, _, mark) = SHARED.iter().find(|(name, owner, _)| {
            *name == self.name && (owner.is_empty() || *owner == self.owner) && self.is_marked_here(owner)
        })?;
        Some(format!("{name}-{mark}"))
    }

    /// `path` is a parameter of paths and of queries; only the one in paths belongs to no options.
    fn is_marked_here(&self, owner: &str) -> bool {
        !owner.is_empty() || self.name != "path" || self.place == In::Path
    }

    pub(crate) fn key(&self) -> (&'static str, In) {
        (self.name, self.place)
    }
}

/// Returns the parameters that options become in a query: fields that hold one simple value or a list of them.
pub(crate) fn of_options(desc: &'static StructDesc) -> impl Iterator<Item = Parameter> {
    desc.fields.iter().filter(|field| !field.inline).filter_map(|field| {
        Some(Parameter {
            name: field.json,
            place: In::Query,
            type_name: simple(&field.shape)?,
            description: field.doc,
            owner: desc.name,
        })
    })
}

fn simple(shape: &Shape) -> Option<&'static str> {
    match shape {
        Shape::Bool => Some("boolean"),
        Shape::Int32 | Shape::Int64 => Some("integer"),
        Shape::Double => Some("number"),
        Shape::Str => Some("string"),
        Shape::Option(inner) | Shape::List(inner) => simple(inner),
        _ => None,
    }
}

/// Name of the shared body of deletions.
pub(crate) const DELETE_BODY: &str = "body-2Y1dVQaQ";
/// Name of the shared body of patches.
pub(crate) const PATCH_BODY: &str = "body-78PwaGsr";

/// Shared parameters: name, options type if ambiguous, and the suffix by which Kubernetes distinguishes variants.
/// Clients refer to them by these names.
const SHARED: &[(&str, &str, &str)] = &[
    ("allowWatchBookmarks", "", "HC2hJt-J"),
    ("command", "", "Py3eQybp"),
    ("container", "PodLogOptions", "1GeXxFDC"),
    ("container", "PodAttachOptions", "_Q-EJ3nR"),
    ("container", "PodExecOptions", "i5dOmRiM"),
    ("continue", "", "QfD61s0i"),
    ("fieldManager", "PatchOptions", "7c6nTn1T"),
    ("fieldManager", "", "Qy4HdaTW"),
    ("fieldSelector", "", "xIcQKXFG"),
    ("follow", "", "9OIXh_2R"),
    ("force", "", "tOGGb0Yi"),
    ("gracePeriodSeconds", "", "-K5HaBOS"),
    ("ignoreStoreReadErrorWithClusterBreakingPotential", "", "QbNkfIqj"),
    ("insecureSkipTLSVerifyBackend", "", "gM00jVbe"),
    ("labelSelector", "", "5Zw57w4C"),
    ("limit", "", "1NfNmdNH"),
    ("limitBytes", "", "zwd1RXuc"),
    ("logpath", "", "Noq7euwC"),
    ("namespace", "", "vgWSWtn3"),
    ("orphanDependents", "", "uRB25kX5"),
    ("path", "ServiceProxyOptions", "QCf0eosM"),
    ("path", "PodProxyOptions", "oPbzgLUj"),
    ("path", "NodeProxyOptions", "rFDtV0x9"),
    ("path", "", "z6Ciiujn"),
    ("ports", "", "91KROJmm"),
    ("pretty", "", "tJGM1-ng"),
    ("previous", "", "1jxDPu3y"),
    ("propagationPolicy", "", "6jk3prlO"),
    ("resourceVersion", "", "5WAnf1kx"),
    ("resourceVersionMatch", "", "t8XhRHeC"),
    ("sendInitialEvents", "", "rLXlEK_k"),
    ("shardSelector", "", "Kgyki_3_"),
    ("sinceSeconds", "", "vE2NLdnP"),
    ("stderr", "PodAttachOptions", "26jJhFUR"),
    ("stderr", "PodExecOptions", "W_1TNlWc"),
    ("stdin", "PodExecOptions", "PSzNhyUC"),
    ("stdin", "PodAttachOptions", "sEFnN3IS"),
    ("stdout", "PodExecOptions", "-EZLRwV1"),
    ("stdout", "PodAttachOptions", "005YMKE6"),
    ("stream", "", "l-48cgXv"),
    ("tailLines", "", "9xQLWHMV"),
    ("timeoutSeconds", "", "yvYezaOC"),
    ("timestamps", "", "c17fW1w_"),
    ("tty", "PodAttachOptions", "g7MlET_l"),
    ("tty", "PodExecOptions", "s0flW37O"),
    ("watch", "", "XNNPZGbK"),
];
