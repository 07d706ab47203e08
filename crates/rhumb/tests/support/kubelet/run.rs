//! The commands that the stand-in knows, and the clients that it takes.

use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use rustls::client::danger::HandshakeSignatureValid;
use rustls::crypto::CryptoProvider;
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{DigitallySignedStruct, DistinguishedName, SignatureScheme};
use rustls_pki_types::{CertificateDer, UnixTime};
use tokio::sync::mpsc;

/// A channel, and what was said on it.
pub(super) type Said = (u8, Bytes);

/// What is to be run.
pub(super) struct Task {
    /// The command.
    pub(super) words: Vec<String>,
    /// Whether it gets input.
    pub(super) stdin: bool,
    /// Whether it gets a terminal.
    pub(super) tty: bool,
    /// Where all commands run; without it only those of the stand-in are known.
    pub(super) root: Option<PathBuf>,
}

const SUCCESS: &str = r#"{"metadata":{},"status":"Success"}"#;

/// The status of a command that ended with a code.
pub(super) fn ended(code: impl std::fmt::Display) -> String {
    format!(
        "{{\"metadata\":{{}},\"status\":\"Failure\",\"message\":\"command terminated with non-zero exit code: exit \
         status {code}\",\"reason\":\"NonZeroExitCode\",\"details\":{{\"causes\":[{{\"reason\":\"ExitCode\",\
         \"message\":\"{code}\"}}]}}}}"
    )
}

/// Runs a command to its end.
pub(super) async fn run(task: Task, mut input: mpsc::Receiver<Said>, out: mpsc::Sender<Said>) {
    if let Some(root) = &task.root {
        let status = match super::process::run(&task, root, input, &out).await {
            Ok(0) => SUCCESS.to_owned(),
            Ok(code) => ended(code),
            Err(error) => format!(
                "{{\"metadata\":{{}},\"status\":\"Failure\",\"reason\":\"InternalError\",\"message\":\"Internal error \
                 occurred: error executing command in container: {error}\",\"code\":500}}"
            ),
        };
        let _ = out.send((3, status.into())).await;
        return;
    }
    let words: Vec<&str> = task.words.iter().map(String::as_str).collect();
    let mut status = SUCCESS.to_owned();
    match *words {
        ["cat"] => {
            while let Some((channel, bytes)) = input.recv().await {
                if channel == 0 && out.send((1, bytes)).await.is_err() {
                    return;
                }
            }
        }
        ["echo", ref rest @ ..] => {
            let _ = out.send((1, format!("{}\n", rest.join(" ")).into())).await;
        }
        ["complain", ref rest @ ..] => {
            let _ = out.send((2, format!("{}\n", rest.join(" ")).into())).await;
        }
        ["size"] => {
            while let Some((channel, bytes)) = input.recv().await {
                if channel == 4 {
                    let _ = out.send((1, bytes)).await;
                    break;
                }
            }
        }
        ["exit", code] => {
            status = ended(code);
        }
        _ => {
            status =
                r#"{"metadata":{},"status":"Failure","reason":"InternalError","message":"no such command",
                "code":500}"#
                    .to_owned();
        }
    }
    let _ = out.send((3, status.into())).await;
}

/// Asks for certificates and takes all of them.
#[derive(Debug)]
pub(super) struct AnyClient(pub(super) Arc<CryptoProvider>);

impl ClientCertVerifier for AnyClient {
    fn client_auth_mandatory(&self) -> bool {
        false
    }

    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: UnixTime,
    ) -> Result<ClientCertVerified, rustls::Error> {
        Ok(ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let known = &self.0.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, certificate, signed, known)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let known = &self.0.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, certificate, signed, known)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
