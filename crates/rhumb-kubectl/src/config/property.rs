//! `config set` and `config unset`: change one value by its dotted path.
//!
//! A path names a field (`current-context`, `preferences.colors`), or a list, an entry's name and a field
//! (`clusters.my-cluster.server`). A name may have dots: it ends where a field of the entry follows.

use rhumb_cli::command::{Action, Command, Flag};
use rhumb_cli::{Call, Failure, Outcome};
use rhumb_client::config::kubeconfig::{AuthInfo, Cluster, Context, SecretText};
use rhumb_client::config::{ConfigError, Kubeconfig, PathForm};
use rhumb_schema::ByteString;
use rhumb_schema::text::decode_base64;

/// `config set`
pub(super) static SET: Command = Command {
    name: "set",
    about: "Set one value in a kubeconfig file",
    long: "Set one value in a kubeconfig file.\n\n\
        PROPERTY_NAME is a path with dots, of names of fields and of entries. PROPERTY_VALUE is the new value; that \
        of certificates and keys is in base64 unless --set-raw-bytes is given.",
    usage: "PROPERTY_NAME PROPERTY_VALUE",
    examples: &[
        ("A cluster's address", "config set clusters.my-cluster.server https://1.2.3.4"),
        ("A context's cluster", "config set contexts.my-context.cluster my-cluster"),
        ("A key as it is", "config set users.me.client-key-data \"$(cat me.key)\" --set-raw-bytes"),
    ],
    flags: &[&[Flag::bool("set-raw-bytes", "Take a value that is bytes as it is, not as base64.")]],
    action: Action::Plain(set),
    ..Command::EMPTY
};

/// `config unset`
pub(super) static UNSET: Command = Command {
    name: "unset",
    about: "Take one value out of a kubeconfig file",
    long: "Take one value out of a kubeconfig file.\n\n\
        PROPERTY_NAME is a path with dots, of names of fields and of entries.",
    usage: "PROPERTY_NAME",
    examples: &[
        ("Have no current context", "config unset current-context"),
        ("A context's namespace", "config unset contexts.foo.namespace"),
    ],
    action: Action::Plain(unset),
    ..Command::EMPTY
};

fn set(call: &mut Call) -> Outcome {
    let [path, value] = call.args.as_slice() else {
        let message = format!("Unexpected args: {}", call.listed_args());
        return Err(call.help_and(message));
    };
    if value.is_empty() {
        return Err(Failure::message("you cannot use set to unset a property"));
    }
    if path.is_empty() {
        return Err(Failure::message("you must specify a property"));
    }
    let (path, value) = (path.clone(), value.clone());
    let raw = call.flags.bool("set-raw-bytes");
    change(call, &path, Some(Value { text: &value, raw }))?;
    call.line(format!("Property {path:?} set."))
}

fn unset(call: &mut Call) -> Outcome {
    let path = super::only_word(call)?;
    if path.is_empty() {
        return Err(Failure::message("you must specify a property"));
    }
    change(call, &path, None)?;
    call.line(format!("Property {path:?} unset."))
}

fn change(call: &Call, path: &str, value: Option<Value<'_>>) -> Outcome {
    // What is wrong is told before the files are locked.
    let property = Property::parse(path).map_err(Failure::message)?;
    property.apply(&mut super::starting(call)?, value).map_err(Failure::message)?;
    super::edit(call, PathForm::AsGiven, |config| property.apply(config, value).map_err(ConfigError::Other))
}

/// A value to set.
#[derive(Clone, Copy)]
struct Value<'a> {
    text: &'a str,
    /// Whether bytes are the text itself, not in base64.
    raw: bool,
}

/// A list of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum List {
    Clusters,
    Users,
    Contexts,
}

/// Target of a path.
#[derive(Debug, PartialEq, Eq)]
enum Property {
    CurrentContext,
    /// `kind` and `apiVersion`, which are what they are.
    Fixed,
    Preferences,
    Colors,
    PreferenceExtensions,
    Extensions,
    All(List),
    Entry(List, String),
    Field(List, String, String),
}

/// Type of an entry's field, with Go's name for unsupported ones.
enum Field<'a> {
    Text(&'a mut String),
    Secret(&'a mut SecretText),
    Bool(&'a mut bool),
    Bytes(&'a mut ByteString),
    /// Can only be unset.
    Other(&'static str, Box<dyn FnMut() + 'a>),
}

impl List {
    fn fields(self) -> &'static [&'static str] {
        match self {
            List::Clusters => &[
                "server",
                "tls-server-name",
                "insecure-skip-tls-verify",
                "certificate-authority",
                "certificate-authority-data",
                "proxy-url",
                "disable-compression",
                "extensions",
            ],
            List::Users => &[
                "client-certificate",
                "client-certificate-data",
                "client-key",
                "client-key-data",
                "token",
                "tokenFile",
                "act-as",
                "act-as-uid",
                "act-as-groups",
                "act-as-user-extra",
                "username",
                "password",
                "auth-provider",
                "exec",
                "extensions",
            ],
            List::Contexts => &["cluster", "user", "namespace", "extensions"],
        }
    }
}

impl Property {
    fn parse(path: &str) -> Result<Self, String> {
        let parts: Vec<&str> = path.split('.').collect();
        let (first, rest) = parts.split_first().map_or(("", &[][..]), |(first, rest)| (*first, rest));
        let too_deep = || Err(format!("unable to parse one or more field values of {path}"));
        let list = match (first, rest) {
            ("current-context", []) => return Ok(Property::CurrentContext),
            ("kind" | "apiVersion", []) => return Ok(Property::Fixed),
            ("current-context" | "kind" | "apiVersion", _) => return too_deep(),
            ("preferences", []) => return Ok(Property::Preferences),
            ("preferences", ["colors"]) => return Ok(Property::Colors),
            ("preferences", ["extensions"]) => return Ok(Property::PreferenceExtensions),
            ("preferences", ["colors", ..]) => return too_deep(),
            ("preferences", ["extensions", ..]) => return Err(no_extension(path)),
            ("preferences", _) => {
                return Err(format!(
                    "unable to parse {path} after [{{preferences api.Preferences}}] at api.Preferences"
                ));
            }
            ("extensions", []) => return Ok(Property::Extensions),
            ("extensions", _) => return Err(no_extension(path)),
            ("clusters", _) => List::Clusters,
            ("users", _) => List::Users,
            ("contexts", _) => List::Contexts,
            _ => return Err(format!("unable to parse {path} after [] at api.Config")),
        };
        if rest.is_empty() {
            return Ok(Property::All(list));
        }
        let known = rest.iter().skip(1).position(|part| list.fields().contains(part));
        let Some(at) = known.map(|at| at + 1) else { return Ok(Property::Entry(list, rest.join("."))) };
        let (name, field) = rest.split_at(at);
        match field {
            [field] => Ok(Property::Field(list, name.join("."), (*field).to_owned())),
            ["extensions", ..] => Err(no_extension(path)),
            ["act-as-user-extra", ..] => Err("string is not of type struct".to_owned()),
            _ => too_deep(),
        }
    }

    /// Sets it, or unsets it if there is no value.
    fn apply(&self, config: &mut Kubeconfig, value: Option<Value<'_>>) -> Result<(), String> {
        match self {
            Property::Fixed => Ok(()),
            Property::CurrentContext => assign(Field::Text(&mut config.current_context), value),
            Property::Colors => assign(Field::Bool(&mut config.preferences.colors), value),
            Property::Preferences if value.is_some() => Err(format!(
                "unable to locate path config.navigationStep{{stepValue:\"\", stepType:reflect.Type(nil)}} \
                 under {{{} map[]}}",
                config.preferences.colors
            )),
            Property::Preferences => {
                config.preferences = Default::default();
                Ok(())
            }
            Property::PreferenceExtensions => {
                no_map(value, Vec::new())?;
                config.preferences.extensions.clear();
                Ok(())
            }
            Property::Extensions => {
                no_map(value, config.extensions.keys().collect())?;
                config.extensions.clear();
                Ok(())
            }
            Property::All(list) => {
                no_map(value, names(config, *list))?;
                match list {
                    List::Clusters => config.clusters.clear(),
                    List::Users => config.users.clear(),
                    List::Contexts => config.contexts.clear(),
                }
                Ok(())
            }
            Property::Entry(list, name) => {
                no_map(value, names(config, *list))?;
                match list {
                    List::Clusters => drop(config.clusters.remove(name)),
                    List::Users => drop(config.users.remove(name)),
                    List::Contexts => drop(config.contexts.remove(name)),
                }
                Ok(())
            }
            Property::Field(list, name, field) => {
                if value.is_none() && !names(config, *list).contains(&name) {
                    return Err(format!("current map key `{name}` is invalid"));
                }
                let name = name.clone();
                let field = match list {
                    List::Clusters => {
                        cluster_field(&mut config.clusters.entry(name).or_default().value, field)
                    }
                    List::Users => user_field(&mut config.users.entry(name).or_default().value, field),
                    List::Contexts => {
                        context_field(&mut config.contexts.entry(name).or_default().value, field)
                    }
                };
                field.map_or(Ok(()), |field| assign(field, value))
            }
        }
    }
}

fn no_extension(path: &str) -> String {
    format!("extensions can't be changed one by one: {path}")
}

fn names(config: &Kubeconfig, list: List) -> Vec<&String> {
    match list {
        List::Clusters => config.clusters.keys().collect(),
        List::Users => config.users.keys().collect(),
        List::Contexts => config.contexts.keys().collect(),
    }
}

/// Refuses a value for something that has entries.
fn no_map(value: Option<Value<'_>>, names: Vec<&String>) -> Result<(), String> {
    if value.is_none() {
        return Ok(());
    }
    let names: Vec<&str> = names.into_iter().map(String::as_str).collect();
    Err(format!("can't set a map to a value: map[{}]", names.join(" ")))
}

fn cluster_field<'a>(cluster: &'a mut Cluster, field: &str) -> Option<Field<'a>> {
    Some(match field {
        "server" => Field::Text(&mut cluster.server),
        "tls-server-name" => Field::Text(&mut cluster.tls_server_name),
        "insecure-skip-tls-verify" => Field::Bool(&mut cluster.insecure_skip_tls_verify),
        "certificate-authority" => Field::Text(&mut cluster.certificate_authority),
        "certificate-authority-data" => Field::Bytes(&mut cluster.certificate_authority_data),
        "proxy-url" => Field::Text(&mut cluster.proxy_url),
        "disable-compression" => Field::Bool(&mut cluster.disable_compression),
        "extensions" => Field::Other("map[]", Box::new(|| cluster.extensions.clear())),
        _ => return None,
    })
}

fn user_field<'a>(user: &'a mut AuthInfo, field: &str) -> Option<Field<'a>> {
    Some(match field {
        "client-certificate" => Field::Text(&mut user.client_certificate),
        "client-certificate-data" => Field::Bytes(&mut user.client_certificate_data),
        "client-key" => Field::Text(&mut user.client_key),
        "client-key-data" => Field::Bytes(&mut user.client_key_data),
        "token" => Field::Secret(&mut user.token),
        "tokenFile" => Field::Text(&mut user.token_file),
        "act-as" => Field::Text(&mut user.impersonate),
        "act-as-uid" => Field::Text(&mut user.impersonate_uid),
        "act-as-groups" => Field::Other("[]string", Box::new(|| user.impersonate_groups.clear())),
        "act-as-user-extra" => Field::Other("map[]", Box::new(|| user.impersonate_user_extra.clear())),
        "username" => Field::Text(&mut user.username),
        "password" => Field::Secret(&mut user.password),
        "auth-provider" => Field::Other("*api.AuthProviderConfig", Box::new(|| user.auth_provider = None)),
        "exec" => Field::Other("*api.ExecConfig", Box::new(|| user.exec = None)),
        "extensions" => Field::Other("map[]", Box::new(|| user.extensions.clear())),
        _ => return None,
    })
}

fn context_field<'a>(context: &'a mut Context, field: &str) -> Option<Field<'a>> {
    Some(match field {
        "cluster" => Field::Text(&mut context.cluster),
        "user" => Field::Text(&mut context.user),
        "namespace" => Field::Text(&mut context.namespace),
        "extensions" => Field::Other("map[]", Box::new(|| context.extensions.clear())),
        _ => return None,
    })
}

fn assign(field: Field<'_>, value: Option<Value<'_>>) -> Result<(), String> {
    let text = value.map_or("", |value| value.text);
    match field {
        Field::Text(field) => text.clone_into(field),
        Field::Secret(field) => *field = SecretText::from(text),
        Field::Bool(field) => {
            *field = match text {
                "1" | "t" | "T" | "TRUE" | "true" | "True" => true,
                "" | "0" | "f" | "F" | "FALSE" | "false" | "False" => false,
                other => return Err(format!("strconv.ParseBool: parsing {other:?}: invalid syntax")),
            };
        }
        Field::Bytes(field) => {
            field.0 = match value {
                Some(Value { raw: false, text }) => decode(text)?,
                _ => text.as_bytes().to_vec(),
            };
        }
        Field::Other(what, mut clear) => match (value, what) {
            (None, _) => clear(),
            (Some(_), "[]string") => return Err("unrecognized slice type. string".to_owned()),
            (Some(_), "map[]") => return Err("can't set a map to a value: map[]".to_owned()),
            (Some(_), what) => return Err(format!("unrecognized type: {what}")),
        },
    }
    Ok(())
}

fn decode(text: &str) -> Result<Vec<u8>, String> {
    decode_base64(text).map_err(|error| format!("error decoding input value: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_ends_where_a_field_follows() {
        let field = |list, name: &str, field: &str| Property::Field(list, name.to_owned(), field.to_owned());
        for (path, expect) in [
            ("clusters.10.1.server", field(List::Clusters, "10.1", "server")),
            ("users.me.token", field(List::Users, "me", "token")),
            ("contexts.a.b", Property::Entry(List::Contexts, "a.b".to_owned())),
            ("users", Property::All(List::Users)),
            // A field's name right behind the list is an entry's name.
            ("clusters.server", Property::Entry(List::Clusters, "server".to_owned())),
        ] {
            assert_eq!(Property::parse(path), Ok(expect), "{path}");
        }
        for path in ["", "a", "current-context.x", "clusters.a.server.x", "users.a.exec.command"] {
            assert!(Property::parse(path).is_err(), "{path}");
        }
    }
}
