//! `config set-credentials`: sets a user.

use rhumb_cli::command::{Action, Command, Flag, Flags, Words};
use rhumb_cli::{Call, Failure, Outcome};
use rhumb_client::config::kubeconfig::{AuthInfo, AuthProviderConfig, ExecConfig, ExecEnvVar, SecretText};
use rhumb_client::config::{Environment, InteractiveMode, PathForm};

use super::cluster::{check_there, content};
use crate::pairs::Changes;

/// The command.
pub(super) static COMMAND: Command = Command {
    name: "set-credentials",
    about: "Set who a user is",
    long: "Set who a user is. One that is not there is created; of one that is there, what is not given stays.\n\n\
        A certificate: --client-certificate and --client-key. A token: --token. A name and a password: --username and \
        --password; a token and a password exclude each other. A program that is asked: --exec-command and what \
        belongs to it.",
    usage: "NAME [--client-certificate=path/to/certfile] [--client-key=path/to/keyfile] [--token=bearer_token] \
        [--username=basic_user] [--password=basic_password] [--auth-provider=provider_name] \
        [--auth-provider-arg=key=value] [--exec-command=exec_command] [--exec-api-version=exec_api_version] \
        [--exec-arg=arg] [--exec-env=key=value]",
    examples: &[
        ("A bearer token", "config set-credentials ci --token=$TOKEN"),
        (
            "A certificate, kept in the kubeconfig itself",
            "config set-credentials me --client-certificate=me.crt --client-key=me.key --embed-certs",
        ),
        (
            "A program that is asked for the credentials",
            "config set-credentials me --exec-command=get-token --exec-api-version=client.authentication.k8s.io/v1",
        ),
        ("Take a variable from that program", "config set-credentials me --exec-env=PROFILE-"),
    ],
    flags: &[&[
        Flag::text("client-certificate", "A file with a certificate.").words(Words::Files),
        Flag::text("client-key", "A file with the certificate's key.").words(Words::Files),
        Flag::text("token", "A bearer token."),
        Flag::text("username", "The name for basic authentication."),
        Flag::text("password", "The password for basic authentication."),
        Flag::text("auth-provider", "A way to authenticate that is built into a client."),
        Flag::list("auth-provider-arg", "A setting for it as key=value; key- takes one away."),
        Flag::text("exec-command", "A program that says the credentials."),
        Flag::text("exec-api-version", "The API version that the program speaks."),
        Flag::text("exec-interactive-mode", "Whether the program may ask a person.").choices(&[
            "IfAvailable",
            "Never",
            "Always",
        ]),
        Flag::bool("exec-provide-cluster-info", "Tell the program about the cluster."),
        Flag::list("exec-arg", "The program's arguments."),
        Flag::array("exec-env", "A variable for the program as key=value; key- takes one away."),
        Flag::bool("embed-certs", "Put the content of the files into the kubeconfig."),
    ]],
    action: Action::Plain(run),
    ..Command::EMPTY
};

fn run(call: &mut Call) -> Outcome {
    let (name, provider, env) = match parse(call) {
        Ok(parsed) => parsed,
        Err(failure) => {
            call.show_help()?;
            return Err(failure);
        }
    };
    validate(&name, &call.flags)?;
    super::edit(call, PathForm::Relative, |config| {
        let user = &mut config.users.entry(name.clone()).or_default().value;
        certificate(user, &call.flags, call.factory.environment());
        password_or_token(user, &call.flags);
        auth_provider(user, &call.flags, &provider);
        exec(user, &call.flags, &env);
        Ok(())
    })?;
    call.line(format!("User {name:?} set."))
}

fn parse(call: &Call) -> Result<(String, Changes, Changes), Failure> {
    let [name] = call.args.as_slice() else {
        return Err(Failure::message(format!("unexpected args: {}", call.listed_args())));
    };
    let provider = Changes::parse(&call.flags.list("auth-provider-arg"), "auth-provider-arg")?;
    let env = Changes::parse(&call.flags.list("exec-env"), "exec-env")?;
    Ok((name.clone(), provider, env))
}

fn validate(name: &str, flags: &Flags) -> Outcome {
    if name.is_empty() {
        return Err(Failure::message("you must specify a non-empty user name"));
    }
    let is_set = |flag: &str| !flags.text(flag).is_empty();
    if is_set("token") && (is_set("username") || is_set("password")) {
        return Err(Failure::message(
            "you cannot specify more than one authentication method at the same time: --token, --username/--password",
        ));
    }
    if flags.bool("embed-certs") {
        if !is_set("client-certificate") && !is_set("client-key") {
            return Err(Failure::message("you must specify a --client-certificate or --client-key to embed"));
        }
        for flag in ["client-certificate", "client-key"].into_iter().filter(|flag| is_set(flag)) {
            check_there(flag, flags.text(flag))?;
        }
    }
    match flags.given_text("exec-interactive-mode").map(InteractiveMode::parse) {
        Some(None) => {
            Err(Failure::message("invalid interactive mode type, can be only IfAvailable, Never, Always"))
        }
        _ => Ok(()),
    }
}

fn certificate(user: &mut AuthInfo, flags: &Flags, environment: &Environment) {
    let embed = flags.bool("embed-certs");
    let both = [
        ("client-certificate", &mut user.client_certificate, &mut user.client_certificate_data),
        ("client-key", &mut user.client_key, &mut user.client_key_data),
    ];
    for (flag, path, data) in both {
        let Some(file) = flags.given_text(flag) else { continue };
        if embed {
            *data = content(file);
            path.clear();
        } else {
            *path = environment.absolute(file).to_string_lossy().into_owned();
            *data = Default::default();
        }
    }
}

/// Sets a token or a password; each replaces the other.
fn password_or_token(user: &mut AuthInfo, flags: &Flags) {
    if let Some(token) = flags.given_text("token") {
        user.token = SecretText::from(token);
    }
    if let Some(name) = flags.given_text("username") {
        name.clone_into(&mut user.username);
    }
    if let Some(password) = flags.given_text("password") {
        user.password = SecretText::from(password);
    }
    let given = |flag: &str| flags.given_text(flag).is_some_and(|text| !text.is_empty());
    match (given("token"), given("username") || given("password")) {
        (true, false) => {
            user.username.clear();
            user.password = SecretText::default();
        }
        (false, true) => user.token = SecretText::default(),
        _ => {}
    }
}

fn auth_provider(user: &mut AuthInfo, flags: &Flags, args: &Changes) {
    if let Some(name) = flags.given_text("auth-provider")
        && user.auth_provider.as_ref().is_none_or(|provider| provider.name != name)
    {
        user.auth_provider =
            Some(AuthProviderConfig { name: name.to_owned(), ..AuthProviderConfig::default() });
    }
    if let Some(provider) = &mut user.auth_provider {
        for key in &args.remove {
            provider.config.remove(key);
        }
        for (key, value) in &args.set {
            provider.config.insert(key.clone(), SecretText::from(value.as_str()));
        }
    }
}

fn exec(user: &mut AuthInfo, flags: &Flags, env: &Changes) {
    if let Some(command) = flags.given_text("exec-command") {
        let exec = user.exec.get_or_insert_with(ExecConfig::default);
        command.clone_into(&mut exec.command);
        // The arguments were those of the old program.
        exec.args.clear();
    }
    let Some(exec) = &mut user.exec else { return };
    if let Some(version) = flags.given_text("exec-api-version") {
        version.clone_into(&mut exec.api_version);
    }
    let args = flags.list("exec-arg");
    if !args.is_empty() {
        exec.args = args;
    }
    if let Some(mode) = flags.given_text("exec-interactive-mode") {
        mode.clone_into(&mut exec.interactive_mode);
    }
    if flags.is_given("exec-provide-cluster-info") {
        exec.provide_cluster_info = flags.bool("exec-provide-cluster-info");
    }
    exec.env.retain(|variable| !env.remove.contains(&variable.name));
    for (name, value) in &env.set {
        let value = SecretText::from(value.as_str());
        match exec.env.iter_mut().find(|variable| variable.name == *name) {
            Some(variable) => variable.value = value,
            None => exec.env.push(ExecEnvVar { name: name.clone(), value }),
        }
    }
}
