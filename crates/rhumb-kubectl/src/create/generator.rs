//! Common parts of generators: flags, name, creation and output.

use rhumb_cli::command::Flag;
use rhumb_cli::options::{self, DryRun};
use rhumb_cli::{Call, Failure, Outcome, ResultPrinter};
use rhumb_client::{Error, Readable};
use rhumb_meta::v1::CreateOptions;
use rhumb_meta::{Object, Resource, Scope};
use serde_json::{Value, json};

use crate::{last_applied, typed};

/// Field manager of generated objects.
pub(crate) static MANAGER: &[Flag] = &[options::field_manager("kubectl-create")];

/// Values of a generator's flags.
pub(crate) struct Generator {
    /// The name of the object.
    pub name: String,
    /// The words behind the name: a command for containers.
    pub command: Vec<String>,
    namespace: String,
    enforces_namespace: bool,
    dry_run: DryRun,
    printer: ResultPrinter,
    validation: &'static str,
    manager: String,
    saves_config: bool,
}

impl Generator {
    /// Reads the flags that generators share.
    pub(crate) fn of(call: &mut Call) -> Result<Self, Failure> {
        let name = one_name(call)?;
        let (namespace, enforces_namespace) = call.factory.namespace()?;
        let dry_run = DryRun::of(call)?;
        let printer = call.printer(dry_run)?;
        Ok(Generator {
            name,
            command: call.args.get(1..).unwrap_or_default().to_vec(),
            namespace,
            enforces_namespace,
            dry_run,
            printer,
            validation: options::field_validation(&call.flags)?,
            manager: call.flags.text("field-manager").to_owned(),
            saves_config: call.flags.bool("save-config"),
        })
    }

    /// Returns the namespace to work in.
    pub(crate) fn namespace(&self) -> &str {
        &self.namespace
    }

    /// Ignores `--save-config`, as kubectl does here.
    pub(crate) fn without_saved_config(mut self) -> Self {
        self.saves_config = false;
        self
    }

    /// Returns the metadata of a new object: its name, and the namespace if a flag named it.
    pub(crate) fn metadata(&self) -> Value {
        match self.enforces_namespace {
            true => json!({"name": self.name, "namespace": self.namespace}),
            false => json!({"name": self.name}),
        }
    }

    /// Returns the metadata of a new object with labels.
    pub(crate) fn metadata_with_labels(&self, labels: Value) -> Value {
        let mut metadata = self.metadata();
        if let Some(fields) = metadata.as_object_mut() {
            fields.insert("labels".to_owned(), labels);
        }
        metadata
    }

    /// Creates an object, unless it is a dry run, and prints it. What a refusal begins with is said before
    /// it.
    pub(crate) async fn create<K: Resource + Readable>(
        mut self,
        call: &mut Call,
        tree: Value,
        refusal: &str,
    ) -> Outcome {
        let mut object: K = typed::from_tree(tree)?;
        label::<K>(&mut object);
        last_applied::keep_typed(&mut object, self.saves_config);
        if self.dry_run != DryRun::Client {
            let api = call.factory.client()?.resource::<K>();
            let api = match K::SCOPE {
                Scope::Namespaced => api.namespace(&self.namespace),
                Scope::Cluster => api,
            };
            let options = CreateOptions {
                dry_run: self.dry_run.param(),
                field_manager: self.manager.clone(),
                field_validation: self.validation.to_owned(),
                ..CreateOptions::default()
            };
            object = api.create(&object, &options).await.map_err(|error| refused(refusal, error))?;
            label::<K>(&mut object);
        }
        self.printer.print_typed(&mut call.streams, &object, "created")
    }
}

fn label<K: Resource>(object: &mut K) {
    let object: &mut dyn Object = object;
    object.set_gvk(&K::gvk());
}

/// Adds a prefix to the server's refusal; connection errors stay unchanged.
pub(crate) fn refused(refusal: &str, error: Error) -> Failure {
    match error {
        Error::Status(status) if !refusal.is_empty() => {
            Failure::message(format!("{refusal}{}", status.message))
        }
        Error::Request(text) if !refusal.is_empty() => Failure::message(format!("{refusal}{text}")),
        error => Failure::from(error),
    }
}

/// Returns the one name that stands before any `--`.
pub(crate) fn one_name(call: &Call) -> Result<String, Failure> {
    let count = call.dash.unwrap_or(call.args.len());
    match (count, call.args.first()) {
        (1, Some(name)) => Ok(name.clone()),
        _ => Err(call.usage(format!("exactly one NAME is required, got {count}"))),
    }
}
