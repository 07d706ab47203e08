//! `config set-cluster`: sets a cluster.

use std::path::Path;

use rhumb_cli::command::{Action, Command, Flag, Flags, Words};
use rhumb_cli::{Call, Failure, Outcome};
use rhumb_client::config::kubeconfig::Cluster;
use rhumb_client::config::{Environment, PathForm};

/// The command.
pub(super) static COMMAND: Command = Command {
    name: "set-cluster",
    about: "Set how to reach a cluster",
    long: "Set how to reach a cluster. One that is not there is created; of one that is there, what is not given stays.",
    usage: "NAME [--server=server] [--certificate-authority=path/to/certificate/authority] \
        [--insecure-skip-tls-verify=true] [--tls-server-name=example.com]",
    examples: &[
        ("Another address", "config set-cluster e2e --server=https://1.2.3.4"),
        (
            "Keep the authority in the kubeconfig itself",
            "config set-cluster e2e --certificate-authority=ca.crt --embed-certs",
        ),
        ("Go through a proxy", "config set-cluster e2e --proxy-url=socks5://localhost:1080"),
    ],
    flags: &[&[
        Flag::text("server", "The address of the API server."),
        Flag::text("tls-server-name", "The name to expect in the server's certificate."),
        Flag::bool(
            "insecure-skip-tls-verify",
            "Trust any server. A change that does not say so takes it back.",
        ),
        Flag::text("certificate-authority", "A file with the authorities to trust.").words(Words::Files),
        Flag::bool("embed-certs", "Put the content of the authority's file into the kubeconfig."),
        Flag::text("proxy-url", "The proxy to go through."),
    ]],
    action: Action::Plain(run),
    ..Command::EMPTY
};

fn run(call: &mut Call) -> Outcome {
    let name = super::only_word(call)?;
    validate(&name, &call.flags)?;
    super::edit(call, PathForm::Relative, |config| {
        let cluster = config.clusters.entry(name.clone()).or_default();
        change(&mut cluster.value, &call.flags, call.factory.environment());
        Ok(())
    })?;
    call.line(format!("Cluster {name:?} set."))
}

fn validate(name: &str, flags: &Flags) -> Outcome {
    let authority = flags.text("certificate-authority");
    if name.is_empty() {
        return Err(Failure::message("you must specify a non-empty cluster name"));
    }
    if flags.bool("insecure-skip-tls-verify") && !authority.is_empty() {
        return Err(Failure::message(
            "you cannot specify a certificate authority and insecure mode at the same time",
        ));
    }
    if flags.bool("embed-certs") {
        if authority.is_empty() {
            return Err(Failure::message("you must specify a --certificate-authority to embed"));
        }
        check_there("certificate-authority", authority)?;
    }
    Ok(())
}

/// Refuses a file that is not there.
pub(super) fn check_there(flag: &str, file: &str) -> Outcome {
    match std::fs::metadata(file) {
        Ok(_) => Ok(()),
        Err(error) => {
            let error = rhumb_client::config::os_text(&error);
            Err(Failure::message(format!("could not stat {flag} file {file}: stat {file}: {error}")))
        }
    }
}

/// Reads a file; empty if it can't be read, as in kubectl.
pub(super) fn content(file: &str) -> rhumb_schema::ByteString {
    rhumb_schema::ByteString(std::fs::read(Path::new(file)).unwrap_or_default())
}

fn change(cluster: &mut Cluster, flags: &Flags, environment: &Environment) {
    if let Some(server) = flags.given_text("server") {
        server.clone_into(&mut cluster.server);
        // The name belongs to the server that it was said for.
        cluster.tls_server_name.clear();
    }
    if let Some(name) = flags.given_text("tls-server-name") {
        name.clone_into(&mut cluster.tls_server_name);
    }
    // Any server is trusted for as long as each change says so, as with kubectl.
    cluster.insecure_skip_tls_verify = flags.bool("insecure-skip-tls-verify");
    if cluster.insecure_skip_tls_verify {
        cluster.certificate_authority.clear();
        cluster.certificate_authority_data = Default::default();
    }
    if let Some(file) = flags.given_text("certificate-authority") {
        if flags.bool("embed-certs") {
            cluster.certificate_authority_data = content(file);
            cluster.certificate_authority.clear();
        } else {
            cluster.certificate_authority = environment.absolute(file).to_string_lossy().into_owned();
            cluster.certificate_authority_data = Default::default();
        }
    }
    if let Some(proxy) = flags.given_text("proxy-url") {
        proxy.clone_into(&mut cluster.proxy_url);
    }
}
