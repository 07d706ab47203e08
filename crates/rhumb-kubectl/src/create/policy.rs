//! `create quota`, `create poddisruptionbudget` and `create priorityclass`.

use rhumb_api::core::v1::ResourceQuota;
use rhumb_api::policy::v1::PodDisruptionBudget;
use rhumb_api::scheduling::v1::PriorityClass;
use rhumb_cli::command::{Action, Command, Flag};
use rhumb_cli::{Call, Failure, Outcome, options};
use rhumb_meta::IntOrString;
use rhumb_meta::labels::{Operator, Selector};
use serde_json::{Map, Value, json};

use super::generator::{Generator, MANAGER};
use crate::set::quantities;

static QUOTA_FLAGS: &[Flag] = &[
    Flag::text("hard", "What may be used at most: resource=quantity,resource=quantity."),
    Flag::text("scopes", "Which objects count: Scope1,Scope2."),
];

/// `create quota`.
pub(super) static QUOTA: Command = Command {
    name: "quota",
    aliases: &["resourcequota"],
    about: "Create a quota for a namespace",
    usage: "NAME [--hard=key1=value1,key2=value2] [--scopes=Scope1,Scope2] [--dry-run=server|client|none]",
    examples: &[
        ("Ten pods and two processors", "create quota small --hard=pods=10,cpu=2"),
        ("Pods without requests only", "create quota loose --hard=pods=100 --scopes=BestEffort"),
    ],
    flags: &[options::PRINT, options::SAVE_CONFIG, options::VALIDATE, options::DRY_RUN, QUOTA_FLAGS, MANAGER],
    action: Action::Run(|call| Box::pin(quota(call))),
    ..Command::EMPTY
};

static BUDGET_FLAGS: &[Flag] = &[
    Flag::text("min-available", "How many pods must stay, as a number or a percentage."),
    Flag::text("max-unavailable", "How many pods may go, as a number or a percentage."),
    Flag::text("selector", "The pods that are meant, by their labels."),
];

/// `create poddisruptionbudget`.
pub(super) static DISRUPTION_BUDGET: Command = Command {
    name: "poddisruptionbudget",
    aliases: &["pdb"],
    about: "Create a budget of pods that may be missing at once",
    usage: "NAME --selector=SELECTOR --min-available=N [--dry-run=server|client|none]",
    examples: &[
        ("One pod must stay", "create pdb web --selector=app=web --min-available=1"),
        ("Half of them may go", "create pdb web --selector=app=web --max-unavailable=50%"),
    ],
    flags: &[
        options::PRINT,
        options::SAVE_CONFIG,
        options::VALIDATE,
        options::DRY_RUN,
        BUDGET_FLAGS,
        MANAGER,
    ],
    action: Action::Run(|call| Box::pin(disruption_budget(call))),
    ..Command::EMPTY
};

static PRIORITY_FLAGS: &[Flag] = &[
    Flag::int32("value", "0", "The priority: more is more important."),
    Flag::bool("global-default", "Give it to all pods that name no class."),
    Flag::text("description", "What the class is for."),
    Flag::text("preemption-policy", "Whether its pods drive others away: PreemptLowerPriority or Never.")
        .default("PreemptLowerPriority")
        .choices(&["PreemptLowerPriority", "Never"]),
];

/// `create priorityclass`.
pub(super) static PRIORITY_CLASS: Command = Command {
    name: "priorityclass",
    aliases: &["pc"],
    about: "Create a priority class",
    usage: "NAME --value=VALUE --global-default=BOOL [--dry-run=server|client|none]",
    examples: &[
        ("Important pods", "create priorityclass high --value=1000 --description='important pods'"),
        ("The class of pods that name none", "create priorityclass usual --value=10 --global-default=true"),
    ],
    flags: &[
        options::PRINT,
        options::SAVE_CONFIG,
        options::VALIDATE,
        options::DRY_RUN,
        PRIORITY_FLAGS,
        MANAGER,
    ],
    action: Action::Run(|call| Box::pin(priority_class(call))),
    ..Command::EMPTY
};

async fn quota(call: &mut Call) -> Outcome {
    let generator = Generator::of(call)?;
    if generator.name.is_empty() {
        return Err("name must be specified".into());
    }
    let hard = quantities(call.flags.text("hard"))?;
    let scopes: Vec<&str> = match call.flags.text("scopes") {
        "" => Vec::new(),
        scopes => scopes.split(',').collect(),
    };
    if scopes.contains(&"") {
        return Err("invalid resource quota scope \"\"".into());
    }
    let tree = json!({"metadata": generator.metadata(), "spec": {"hard": hard, "scopes": scopes}});
    generator.create::<ResourceQuota>(call, tree, "failed to create quota: ").await
}

async fn disruption_budget(call: &mut Call) -> Outcome {
    let generator = Generator::of(call)?;
    let flags = &call.flags;
    let (least, most) = (flags.text("min-available"), flags.text("max-unavailable"));
    let selector = flags.text("selector");
    if generator.name.is_empty() {
        return Err("name must be specified".into());
    }
    if selector.is_empty() {
        return Err("a selector must be specified".into());
    }
    let (flag, field, value) = match (least, most) {
        ("", "") => return Err("one of min-available or max-unavailable must be specified".into()),
        (value, "") => ("min-available", "minAvailable", value),
        ("", value) => ("max-unavailable", "maxUnavailable", value),
        _ => return Err("min-available and max-unavailable cannot be both specified".into()),
    };
    let digits = value.strip_suffix('%').unwrap_or(value);
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return Err(format!("invalid format specified for {flag}").into());
    }
    let value = match IntOrString::parse(value) {
        IntOrString::Int(number) => json!(number),
        IntOrString::String(text) => json!(text),
    };
    let spec = json!({field: value, "selector": label_selector(selector)?});
    let tree = json!({"metadata": generator.metadata(), "spec": spec});
    generator.create::<PodDisruptionBudget>(call, tree, "failed to create poddisruptionbudgets: ").await
}

/// Returns a selector of the command line in the form that objects have.
pub(crate) fn label_selector(text: &str) -> Result<Value, Failure> {
    let selector = Selector::parse(text).map_err(|error| {
        Failure::message(format!("couldn't parse the selector string \"{text}\": {error}"))
    })?;
    let (mut labels, mut expressions) = (Map::new(), Vec::new());
    for requirement in selector.requirements().unwrap_or_default() {
        let operator = match requirement.operator() {
            Operator::Equals | Operator::DoubleEquals => {
                let value = requirement.exact_value().unwrap_or_default();
                labels.insert(requirement.key().to_owned(), value.into());
                continue;
            }
            Operator::In => "In",
            Operator::NotIn => "NotIn",
            Operator::Exists => "Exists",
            Operator::DoesNotExist => "DoesNotExist",
            other @ (Operator::GreaterThan | Operator::LessThan) => {
                return Err(format!("{:?} isn't supported in label selectors", other.as_str()).into());
            }
            other => {
                return Err(format!("{:?} is not a valid label selector operator", other.as_str()).into());
            }
        };
        let mut values = requirement.values().to_vec();
        values.sort();
        expressions.push(json!({"key": requirement.key(), "operator": operator, "values": values}));
    }
    Ok(json!({"matchLabels": labels, "matchExpressions": expressions}))
}

async fn priority_class(call: &mut Call) -> Outcome {
    let generator = Generator::of(call)?;
    let flags = &call.flags;
    let tree = json!({
        "metadata": {"name": generator.name},
        "value": flags.int("value"),
        "globalDefault": flags.bool("global-default"),
        "description": flags.text("description"),
        "preemptionPolicy": flags.text("preemption-policy"),
    });
    generator.create::<PriorityClass>(call, tree, "failed to create priorityclass: ").await
}
