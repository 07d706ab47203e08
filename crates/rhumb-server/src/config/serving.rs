//! How requests are taken: certificates, plain HTTP, and how many at a time.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;

use super::{Setting, Takes, path};

/// How requests are taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServingOptions {
    /// The file of the certificate that clients see; without it, one of the server's own authority.
    pub certificate_file: Option<PathBuf>,
    /// The file of that certificate's key.
    pub key_file: Option<PathBuf>,
    /// The port of a listener without TLS, on this machine alone.
    pub insecure_port: Option<u16>,
    /// The address of that listener, which must be one of this machine alone.
    pub insecure_address: IpAddr,
    /// The address at which members of the cluster reach the server; without it, one is chosen.
    pub advertise_address: Option<IpAddr>,
    /// How many requests that read are answered at a time; 0 for any number.
    pub reading: usize,
    /// How many requests that may change something are answered at a time; 0 for any number.
    pub mutating: usize,
    /// How many watches there are at a time; 0 for any number.
    pub watches: usize,
    /// How many watches a user has at a time; 0 for any number.
    pub watches_per_user: usize,
}

impl Default for ServingOptions {
    fn default() -> Self {
        ServingOptions {
            certificate_file: None,
            key_file: None,
            insecure_port: None,
            insecure_address: IpAddr::V4(Ipv4Addr::LOCALHOST),
            advertise_address: None,
            reading: 400,
            mutating: 200,
            watches: 30_000,
            watches_per_user: 10_000,
        }
    }
}

impl ServingOptions {
    /// Whether what was said fits together.
    ///
    /// # Errors
    /// If it doesn't, with the reason.
    pub fn check(&self) -> Result<(), String> {
        match (&self.certificate_file, &self.key_file) {
            (Some(_), None) | (None, Some(_)) => {
                Err("tls-cert-file and tls-private-key-file belong together".to_owned())
            }
            _ if !self.insecure_address.is_loopback() => Err(not_loopback(self.insecure_address)),
            _ => Ok(()),
        }
    }
}

fn not_loopback(address: IpAddr) -> String {
    format!("{address} is reached from other machines; without TLS the server listens on loopback alone")
}

fn count(value: &str) -> Result<usize, String> {
    value.parse().map_err(|_| format!("{value:?} is not a number of requests"))
}

fn watches(value: &str) -> Result<usize, String> {
    value.parse().map_err(|_| format!("{value:?} is not a number of watches"))
}

pub(super) const CERTIFICATE: Setting = Setting {
    name: "tls-cert-file",
    takes: Takes::Value("FILE"),
    help: "Serving certificate in PEM, reloaded when it changes [default: issued by the server's own CA]",
    apply: |options, value| {
        options.serving.certificate_file = Some(path(value)?);
        Ok(())
    },
};

pub(super) const KEY: Setting = Setting {
    name: "tls-private-key-file",
    takes: Takes::Value("FILE"),
    help: "Private key of --tls-cert-file",
    apply: |options, value| {
        options.serving.key_file = Some(path(value)?);
        Ok(())
    },
};

pub(super) const INSECURE_PORT: Setting = Setting {
    name: "insecure-port",
    takes: Takes::Value("PORT"),
    help: "Port for plain HTTP on a loopback address; requests must be authenticated [default: none]",
    apply: |options, value| {
        let port: u16 = value.parse().map_err(|_| format!("{value:?} is not a port"))?;
        options.serving.insecure_port = Some(port);
        Ok(())
    },
};

pub(super) const INSECURE_ADDRESS: Setting = Setting {
    name: "insecure-bind-address",
    takes: Takes::Value("ADDR"),
    help: "Loopback address of --insecure-port [default: 127.0.0.1]",
    apply: |options, value| {
        let address: IpAddr = value.parse().map_err(|_| format!("{value:?} is not an address"))?;
        if !address.is_loopback() {
            return Err(not_loopback(address));
        }
        options.serving.insecure_address = address;
        Ok(())
    },
};

pub(super) const ADVERTISED: Setting = Setting {
    name: "advertise-address",
    takes: Takes::Value("ADDR"),
    help: "IP address advertised to members of the cluster [default: the listening address; if that is a loopback or \
           unspecified address, that of the host's default interface]",
    apply: |options, value| {
        let address: IpAddr = value.parse().map_err(|_| format!("{value:?} is not an address"))?;
        options.serving.advertise_address = Some(address);
        Ok(())
    },
};

pub(super) const READING: Setting = Setting {
    name: "max-requests-inflight",
    takes: Takes::Value("COUNT"),
    help: "Maximum number of read requests in flight; 0 disables the limit [default: 400]",
    apply: |options, value| {
        options.serving.reading = count(value)?;
        Ok(())
    },
};

pub(super) const MUTATING: Setting = Setting {
    name: "max-mutating-requests-inflight",
    takes: Takes::Value("COUNT"),
    help: "Maximum number of mutating requests in flight; 0 disables the limit [default: 200]",
    apply: |options, value| {
        options.serving.mutating = count(value)?;
        Ok(())
    },
};

pub(super) const WATCHES: Setting = Setting {
    name: "max-watches",
    takes: Takes::Value("COUNT"),
    help: "Maximum number of watches; 0 disables the limit [default: 30000]",
    apply: |options, value| {
        options.serving.watches = watches(value)?;
        Ok(())
    },
};

pub(super) const WATCHES_PER_USER: Setting = Setting {
    name: "max-watches-per-user",
    takes: Takes::Value("COUNT"),
    help: "Maximum number of watches per user, except system:masters; 0 disables the limit [default: 10000]",
    apply: |options, value| {
        options.serving.watches_per_user = watches(value)?;
        Ok(())
    },
};
