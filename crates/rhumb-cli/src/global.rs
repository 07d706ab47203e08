//! Global flags.

use crate::command::{Flag, Words};

/// Global flags.
pub static FLAGS: &[Flag] = &[
    Flag::text("as", "Act as this user, who may be a service account."),
    Flag::array("as-group", "Act as a member of this group. May be given several times."),
    Flag::text("as-uid", "Act as the user with this uid."),
    Flag::array("as-user-extra", "Act as a user with this extra, as key=value. May be given several times."),
    Flag::text("cache-dir", "Where to keep what the server said about its API.").words(Words::Files),
    Flag::text(
        "certificate-authority",
        "A file with the authorities that the server's certificate may come from.",
    )
    .words(Words::Files),
    Flag::text("client-certificate", "A file with a client certificate.").words(Words::Files),
    Flag::text("client-key", "A file with the key of the client certificate.").words(Words::Files),
    Flag::text("cluster", "The cluster of the kubeconfig to use.").words(Words::Clusters),
    Flag::text("context", "The context of the kubeconfig to use.").words(Words::Contexts),
    Flag::bool("disable-compression", "Ask the server not to compress its answers."),
    Flag::bool(
        "insecure-skip-tls-verify",
        "Trust any server, whatever its certificate. Others may then listen in.",
    ),
    Flag::text("kubeconfig", "The kubeconfig file to use.").words(Words::Files),
    Flag::text("kuberc", "The file with your preferences. KUBERC=off uses none.").words(Words::Files),
    Flag::duration("log-flush-frequency", "5s", "Kept for scripts; nothing is buffered."),
    Flag::bool("match-server-version", "Refuse to work with a server of another version."),
    Flag::text("namespace", "The namespace to work in.").short('n').words(Words::NamesOf("namespaces")),
    Flag::text("password", "The password for basic authentication."),
    Flag::text("profile", "Kept for scripts; no profile is written.").default("none"),
    Flag::text("profile-output", "Kept for scripts; no profile is written.").default("profile.pprof"),
    Flag::text("request-timeout", "How long one request may take: 1s, 2m, 3h; 0 is for ever.").default("0"),
    Flag::text("server", "The address of the API server.").short('s'),
    Flag::text(
        "tls-server-name",
        "The name to expect in the server's certificate, if it is not that of its address.",
    ),
    Flag::text("token", "A bearer token."),
    Flag::text("user", "The user of the kubeconfig to be.").words(Words::Users),
    Flag::text("username", "The name for basic authentication."),
    Flag::int32("v", "0", "How much to tell about what is done: 6 shows requests, 8 their bodies.")
        .short('v'),
    Flag::levels("vmodule", "Kept for scripts."),
    Flag::bool("warnings-as-errors", "Fail if the server sent a warning."),
];
