//! What a server is told about who its clients are: keys of service accounts, an OpenID issuer, proxies in front, and
//! what nobody in particular may ask.

use std::path::PathBuf;

use rhumb_schema::text::quoted;

/// How clients are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuthenticationOptions {
    /// What requests without credentials may ask for.
    pub anonymous: Anonymous,
    /// Who signs tokens of service accounts.
    pub accounts: AccountFiles,
    /// Whose ID tokens are taken.
    pub oidc: OidcOptions,
    /// A file that says whose ID tokens are taken, in place of what is said here.
    pub config_file: Option<PathBuf>,
    /// Which proxies may say whom they speak for.
    pub proxy: ProxyOptions,
}

/// What requests without credentials may ask for, before anybody looks at what the anonymous user may do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Anonymous {
    /// How the server is, and its version. This holds as long as nothing else is said.
    #[default]
    Health,
    /// Everything that the anonymous user may.
    Everything,
    /// Everything that the anonymous user may at these paths.
    Paths(Vec<String>),
    /// Nothing.
    Nothing,
}

/// The files and names by which tokens of service accounts are signed and checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccountFiles {
    /// The key that signs; without it, the server's own.
    pub signing_key_file: Option<PathBuf>,
    /// Further keys that tokens are checked with.
    pub key_files: Vec<PathBuf>,
    /// Who tokens are from: the first one signs, and those of the others are taken.
    pub issuers: Vec<String>,
    /// Who the server is, among those that tokens are for.
    pub audiences: Vec<String>,
    /// Where others are told to find the keys.
    pub keys_url: Option<String>,
}

/// Whose ID tokens are taken, and how users come of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OidcOptions {
    /// The issuer's URL; empty if no ID tokens are taken.
    pub issuer: String,
    /// Who tokens must be for.
    pub client_id: String,
    /// The file of those who vouch for the issuer; without it, those whom the machine trusts.
    pub authority_file: Option<PathBuf>,
    /// The claim that names the user; `sub` if it is empty.
    pub username_claim: String,
    /// What goes before names of users: without it the issuer, and nothing for `-`.
    pub username_prefix: String,
    /// The claim that names the groups; none if it is empty.
    pub groups_claim: String,
    /// What goes before names of groups.
    pub groups_prefix: String,
    /// Claims that a token must have, with these values.
    pub required_claims: Vec<(String, String)>,
    /// How tokens may be signed; `RS256` if there are none.
    pub signing_algorithms: Vec<String>,
}

/// Which proxies may say whom they speak for, and in which headers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProxyOptions {
    /// The file of those who vouch for proxies; without it there are none.
    pub authority_file: Option<PathBuf>,
    /// The names that certificates of proxies may have; any, if there are none.
    pub allowed_names: Vec<String>,
    /// The headers that name the user.
    pub username_headers: Vec<String>,
    /// The headers that have the user's UID.
    pub uid_headers: Vec<String>,
    /// The headers that name groups.
    pub group_headers: Vec<String>,
    /// What names of headers begin with that tell more about the user.
    pub extra_prefixes: Vec<String>,
}

impl AuthenticationOptions {
    /// Whether what was said fits together.
    ///
    /// # Errors
    /// If it doesn't, with the reason.
    pub fn check(&self) -> Result<(), String> {
        let OidcOptions { issuer, client_id, .. } = &self.oidc;
        if self.config_file.is_some() && self.oidc != OidcOptions::default() {
            return Err("authentication-config file and oidc-* flags are mutually exclusive".to_owned());
        }
        if self.oidc != OidcOptions::default() && (issuer.is_empty() || client_id.is_empty()) {
            let why = "oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags \
                       are set";
            return Err(why.to_owned());
        }
        if !issuer.is_empty() && self.accounts.issuers.contains(issuer) {
            return Err(format!("oidc-issuer-url {} is the issuer of service accounts", quoted(issuer)));
        }
        if self.proxy.authority_file.is_none() && self.proxy != ProxyOptions::default() {
            return Err("requestheader-* flags need requestheader-client-ca-file".to_owned());
        }
        Ok(())
    }
}
