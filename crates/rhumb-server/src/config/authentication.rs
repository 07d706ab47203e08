//! How clients are known: tokens of service accounts, ID tokens of an issuer elsewhere, proxies in front, and what
//! nobody in particular may ask.

use super::{Setting, Takes, parts, path, truth};
use crate::authentication::Anonymous;
use crate::authentication::jwt::Algorithm;
use rhumb_schema::text::quoted;

/// Adds names to a list, as Kubernetes reads lists of headers: none may be blank.
fn names(list: &mut Vec<String>, flag: &str, value: &str) -> Result<(), String> {
    for name in value.split(',').map(str::trim) {
        if name.is_empty() {
            return Err(format!("empty value in {}", quoted(flag)));
        }
        list.push(name.to_owned());
    }
    Ok(())
}

fn url(name: &str, value: &str) -> Result<(), String> {
    match rhumb_meta::url::Url::parse(value) {
        Ok(url) if url.scheme == "https" && !url.host.is_empty() => Ok(()),
        _ => Err(format!("{name} must be an https URL, not {}", quoted(value))),
    }
}

pub(super) const ANONYMOUS: Setting = Setting {
    name: "anonymous-auth",
    takes: Takes::Nothing,
    help: "Allow requests without credentials as system:anonymous; false refuses them all [default: only health \
           checks and /version]",
    apply: |options, value| {
        options.authentication.anonymous =
            if truth(value)? { Anonymous::Everything } else { Anonymous::Nothing };
        Ok(())
    },
};

pub(super) const ACCOUNT_KEYS: Setting = Setting {
    name: "service-account-key-file",
    takes: Takes::Values("FILE"),
    help: "PEM file with keys to verify service account tokens, in addition to the signing key",
    apply: |options, value| {
        for part in value.split(',') {
            options.authentication.accounts.key_files.push(path(part)?);
        }
        Ok(())
    },
};

pub(super) const ACCOUNT_SIGNING_KEY: Setting = Setting {
    name: "service-account-signing-key-file",
    takes: Takes::Value("FILE"),
    help: "Private key to sign service account tokens [default: generated]",
    apply: |options, value| {
        options.authentication.accounts.signing_key_file = Some(path(value)?);
        Ok(())
    },
};

pub(super) const ACCOUNT_ISSUERS: Setting = Setting {
    name: "service-account-issuer",
    takes: Takes::Values("URL"),
    help: "Issuer of service account tokens; the first one is used for new tokens, all are accepted [default: \
           https://kubernetes.default.svc]",
    apply: |options, value| {
        for issuer in value.split(',') {
            let known = &mut options.authentication.accounts.issuers;
            if issuer.is_empty() {
                return Err("service-account-issuer should not be an empty string".to_owned());
            }
            if issuer.contains(':')
                && let Err(error) = rhumb_meta::url::Url::parse(issuer)
            {
                let issuer = quoted(issuer);
                let why =
                    format!("service-account-issuer {issuer} contained a ':' but was not a valid URL: ");
                return Err(format!("{why}{error}"));
            }
            if known.iter().any(|known| known == issuer) {
                return Err(format!("service-account-issuer {} is already specified", quoted(issuer)));
            }
            known.push(issuer.to_owned());
        }
        Ok(())
    },
};

pub(super) const ACCOUNT_KEYS_URL: Setting = Setting {
    name: "service-account-jwks-uri",
    takes: Takes::Value("URL"),
    help: "URL of the JSON Web Key Set in the service account issuer's discovery document",
    apply: |options, value| {
        url("service-account-jwks-uri", value)?;
        options.authentication.accounts.keys_url = Some(value.to_owned());
        Ok(())
    },
};

pub(super) const AUDIENCES: Setting = Setting {
    name: "api-audiences",
    takes: Takes::Values("NAME,..."),
    help: "Audiences of the API that tokens must have one of [default: the service account issuers]",
    apply: |options, value| {
        options.authentication.accounts.audiences.extend(parts(value));
        Ok(())
    },
};

pub(super) const CONFIG: Setting = Setting {
    name: "authentication-config",
    takes: Takes::Value("FILE"),
    help: "AuthenticationConfiguration file with the JWT issuers to accept and the paths open to anonymous requests; \
           read again when it changes; can't be combined with --oidc-* flags",
    apply: |options, value| {
        options.authentication.config_file = Some(path(value)?);
        Ok(())
    },
};

pub(super) const OIDC_ISSUER: Setting = Setting {
    name: "oidc-issuer-url",
    takes: Takes::Value("URL"),
    help: "URL of an OpenID Connect issuer whose ID tokens are accepted",
    apply: |options, value| {
        url("oidc-issuer-url", value)?;
        options.authentication.oidc.issuer = value.to_owned();
        Ok(())
    },
};

pub(super) const OIDC_CLIENT: Setting = Setting {
    name: "oidc-client-id",
    takes: Takes::Value("NAME"),
    help: "Client ID that OpenID Connect ID tokens must have as their audience",
    apply: |options, value| {
        options.authentication.oidc.client_id = value.to_owned();
        Ok(())
    },
};

pub(super) const OIDC_AUTHORITY: Setting = Setting {
    name: "oidc-ca-file",
    takes: Takes::Value("FILE"),
    help: "CA bundle for verifying the OpenID Connect issuer [default: the host's root CAs]",
    apply: |options, value| {
        options.authentication.oidc.authority_file = Some(path(value)?);
        Ok(())
    },
};

pub(super) const OIDC_USERNAME: Setting = Setting {
    name: "oidc-username-claim",
    takes: Takes::Value("CLAIM"),
    help: "ID token claim with the user name [default: sub]",
    apply: |options, value| {
        options.authentication.oidc.username_claim = value.to_owned();
        Ok(())
    },
};

pub(super) const OIDC_USERNAME_PREFIX: Setting = Setting {
    name: "oidc-username-prefix",
    takes: Takes::Value("PREFIX"),
    help: "Prefix for user names from ID tokens; - disables it [default: the issuer URL, unless names are e-mail \
           addresses]",
    apply: |options, value| {
        options.authentication.oidc.username_prefix = value.to_owned();
        Ok(())
    },
};

pub(super) const OIDC_GROUPS: Setting = Setting {
    name: "oidc-groups-claim",
    takes: Takes::Value("CLAIM"),
    help: "ID token claim with the user's groups",
    apply: |options, value| {
        options.authentication.oidc.groups_claim = value.to_owned();
        Ok(())
    },
};

pub(super) const OIDC_GROUPS_PREFIX: Setting = Setting {
    name: "oidc-groups-prefix",
    takes: Takes::Value("PREFIX"),
    help: "Prefix for group names from ID tokens",
    apply: |options, value| {
        options.authentication.oidc.groups_prefix = value.to_owned();
        Ok(())
    },
};

pub(super) const OIDC_REQUIRED: Setting = Setting {
    name: "oidc-required-claim",
    takes: Takes::Values("CLAIM=VALUE"),
    help: "Required claim of ID tokens, as KEY=VALUE",
    apply: |options, value| {
        for pair in parts(value) {
            let (name, value) = pair
                .split_once('=')
                .ok_or_else(|| format!("malformed pair, expect string=string: {pair}"))?;
            options.authentication.oidc.required_claims.push((name.to_owned(), value.to_owned()));
        }
        Ok(())
    },
};

pub(super) const OIDC_ALGORITHMS: Setting = Setting {
    name: "oidc-signing-algs",
    takes: Takes::Values("NAME,..."),
    help: "Allowed signing algorithms of ID tokens: RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384 [default: \
           RS256]",
    apply: |options, value| {
        for name in parts(value) {
            if Algorithm::of(&name).is_none() {
                return Err(format!("oidc: unsupported signing alg: {}", quoted(&name)));
            }
            options.authentication.oidc.signing_algorithms.push(name);
        }
        Ok(())
    },
};

pub(super) const PROXY_AUTHORITY: Setting = Setting {
    name: "requestheader-client-ca-file",
    takes: Takes::Value("FILE"),
    help: "CA bundle for verifying client certificates of authenticating proxies",
    apply: |options, value| {
        options.authentication.proxy.authority_file = Some(path(value)?);
        Ok(())
    },
};

pub(super) const PROXY_NAMES: Setting = Setting {
    name: "requestheader-allowed-names",
    takes: Takes::Values("NAME,..."),
    help: "Allowed common names of authenticating proxies [default: any]",
    apply: |options, value| {
        names(&mut options.authentication.proxy.allowed_names, "requestheader-allowed-names", value)
    },
};

pub(super) const PROXY_USERNAMES: Setting = Setting {
    name: "requestheader-username-headers",
    takes: Takes::Values("HEADER,..."),
    help: "Request headers with the user name, such as X-Remote-User",
    apply: |options, value| {
        names(&mut options.authentication.proxy.username_headers, "requestheader-username-headers", value)
    },
};

pub(super) const PROXY_UIDS: Setting = Setting {
    name: "requestheader-uid-headers",
    takes: Takes::Values("HEADER,..."),
    help: "Request headers with the user's UID, such as X-Remote-Uid",
    apply: |options, value| {
        names(&mut options.authentication.proxy.uid_headers, "requestheader-uid-headers", value)
    },
};

pub(super) const PROXY_GROUPS: Setting = Setting {
    name: "requestheader-group-headers",
    takes: Takes::Values("HEADER,..."),
    help: "Request headers with the groups, such as X-Remote-Group",
    apply: |options, value| {
        names(&mut options.authentication.proxy.group_headers, "requestheader-group-headers", value)
    },
};

pub(super) const PROXY_EXTRA: Setting = Setting {
    name: "requestheader-extra-headers-prefix",
    takes: Takes::Values("PREFIX,..."),
    help: "Prefix of request headers with extra attributes, such as X-Remote-Extra-",
    apply: |options, value| {
        names(&mut options.authentication.proxy.extra_prefixes, "requestheader-extra-headers-prefix", value)
    },
};
