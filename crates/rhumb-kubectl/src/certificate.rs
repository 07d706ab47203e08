//! `certificate`: approves and denies certificate requests.

use rhumb_api::certificates::v1::{CertificateSigningRequest, CertificateSigningRequestCondition};
use rhumb_cli::command::{Action, Command, Family, Flag, Words};
use rhumb_cli::options::{self, DryRun};
use rhumb_cli::resource::Info;
use rhumb_cli::{Call, Failure, Outcome};
use rhumb_meta::v1::UpdateOptions;

use crate::typed;

/// Maximum attempts on conflicts.
const ATTEMPTS: usize = 10;

static FLAGS: &[Flag] = &[Flag::bool("force", "Send it even if that was decided already.")];

/// The command.
pub(crate) static COMMAND: Command = Command {
    name: "certificate",
    family: Family::Cluster,
    about: "Approve or deny requests for certificates",
    usage: "SUBCOMMAND",
    examples: &[
        ("Approve a request", "certificate approve node1-kubelet"),
        ("Deny it", "certificate deny node1-kubelet"),
    ],
    commands: &[&[&APPROVE, &DENY]],
    action: Action::Plain(show_help),
    ..Command::EMPTY
};

static APPROVE: Command = Command {
    name: "approve",
    about: "Approve a request for a certificate",
    long: "Lets the signer issue the certificate. Look at what is asked for before: who has the certificate \
           has the \
           rights that it names.",
    usage: "(-f FILENAME | NAME)",
    examples: &[
        ("By name", "certificate approve node1-kubelet"),
        ("From a file", "certificate approve -f request.yaml"),
    ],
    flags: &[options::PRINT, FLAGS, options::FILES],
    words: Words::NamesOf("certificatesigningrequests"),
    action: Action::Run(|call| Box::pin(run(call, &APPROVED))),
    ..Command::EMPTY
};

static DENY: Command = Command {
    name: "deny",
    about: "Deny a request for a certificate",
    long: "Tells the signer not to issue the certificate.",
    usage: "(-f FILENAME | NAME)",
    examples: &[
        ("By name", "certificate deny node1-kubelet"),
        ("From a file", "certificate deny -f request.yaml"),
    ],
    flags: &[options::PRINT, FLAGS, options::FILES],
    words: Words::NamesOf("certificatesigningrequests"),
    action: Action::Run(|call| Box::pin(run(call, &DENIED))),
    ..Command::EMPTY
};

/// A decision about a request.
struct Decision {
    condition: &'static str,
    against: &'static str,
    reason: &'static str,
    message: &'static str,
    done: &'static str,
}

static APPROVED: Decision = Decision {
    condition: "Approved",
    against: "Denied",
    reason: "KubectlApprove",
    message: "This CSR was approved by kubectl certificate approve.",
    done: "approved",
};

static DENIED: Decision = Decision {
    condition: "Denied",
    against: "Approved",
    reason: "KubectlDeny",
    message: "This CSR was denied by kubectl certificate deny.",
    done: "denied",
};

/// Shows the help of the command group, whatever its arguments.
fn show_help(call: &mut Call) -> Outcome {
    let text = rhumb_cli::command::help(call.command(), &call.path, rhumb_cli::global::FLAGS);
    call.text(text)
}

async fn run(call: &mut Call, decision: &'static Decision) -> Outcome {
    let mut printer = call.printer(DryRun::None)?;
    let files = options::files(&call.flags);
    if call.args.is_empty() && files.filenames.is_empty() && files.kustomize.is_empty() {
        return Err("one or more CSRs must be specified as <name> or -f <filename>".into());
    }
    let builder = call.factory.builder().continue_on_error().files(false, &files, &mut call.streams);
    let infos = builder.names_of("certificatesigningrequests", &call.args).flatten().latest().build().await?;
    let mut found = false;
    infos
        .visit(async |info| {
            decide(call, info, decision).await?;
            found = true;
            printer.print(&mut call.streams, info.object()?, decision.done)
        })
        .await?;
    if found { Ok(()) } else { call.line("No resources found") }
}

async fn decide(call: &Call, info: &mut Info, decision: &Decision) -> Outcome {
    let api = call.factory.client()?.resource::<CertificateSigningRequest>();
    for attempt in 0.. {
        let kind = typed::kind_of(info.object()?).group_kind();
        if kind.group != "certificates.k8s.io" || kind.kind != "CertificateSigningRequest" {
            return Err(format!(
                "can only handle CertificateSigningRequest.certificates.k8s.io objects, got {kind}"
            )
            .into());
        }
        let mut request = match api.get(&info.name).await {
            Ok(request) => request,
            Err(error) if error.is_not_found() => {
                let why = Failure::from(error).bare();
                return Err(format!("could not find v1 version of {}: {why}", info.name).into());
            }
            Err(error) => return Err(error.into()),
        };
        let conditions = &mut request.status.conditions;
        if conditions.iter().any(|condition| condition.type_ == decision.against) {
            let text = format!("certificate signing request {:?} is already {}", info.name, decision.against);
            return Err(text.into());
        }
        let decided = conditions.iter().any(|condition| condition.type_ == decision.condition);
        if decided && !call.flags.bool("force") {
            return Ok(());
        }
        if !decided {
            conditions.push(CertificateSigningRequestCondition {
                type_: decision.condition.to_owned(),
                status: "True".to_owned(),
                reason: decision.reason.to_owned(),
                message: decision.message.to_owned(),
                last_update_time: call.factory.now(),
                ..CertificateSigningRequestCondition::default()
            });
        }
        match api.update_approval(&request, &UpdateOptions::default()).await {
            Ok(_) => return Ok(()),
            Err(error) if error.is_conflict() && attempt < ATTEMPTS => info.get().await?,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
