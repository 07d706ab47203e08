//! The cases of a file: an expression, what it may use, and what it must come to.

use rhumb_cel::types::Type;
use rhumb_cel::value::Value;

use crate::textproto::{Field, Message};
use crate::values;

/// One case.
pub(crate) struct Case {
    /// The file, the section and the case's own name.
    pub(crate) name: String,
    pub(crate) expr: String,
    pub(crate) container: String,
    pub(crate) macros: bool,
    pub(crate) check: bool,
    pub(crate) evaluate: bool,
    /// What is not understood of the case, because it needs messages.
    pub(crate) unsupported: Option<String>,
    pub(crate) variables: Vec<(String, Type)>,
    pub(crate) functions: Vec<Message>,
    pub(crate) bindings: Vec<(String, Value<'static>)>,
    pub(crate) type_: Option<Type>,
    pub(crate) expected: Expected,
}

/// What a case must come to.
pub(crate) enum Expected {
    Value(Value<'static>),
    Error,
    Nothing,
}

/// Reads the cases of a file.
pub(crate) fn cases(file: &Message) -> Vec<Case> {
    let mut cases = Vec::new();
    for section in file.messages("section") {
        for test in section.messages("test") {
            let name = format!("{}/{}/{}", file.text("name"), section.text("name"), test.text("name"));
            cases.push(case(name, test));
        }
    }
    cases
}

fn case(name: String, test: &Message) -> Case {
    let mut case = Case {
        name,
        expr: test.text("expr"),
        container: test.text("container"),
        macros: !test.flag("disable_macros"),
        check: !test.flag("disable_check"),
        evaluate: !test.flag("check_only"),
        unsupported: None,
        variables: Vec::new(),
        functions: Vec::new(),
        bindings: Vec::new(),
        type_: None,
        expected: Expected::Nothing,
    };
    if let Err(reason) = fill(&mut case, test) {
        case.unsupported = Some(reason);
    }
    case
}

fn fill(case: &mut Case, test: &Message) -> Result<(), String> {
    for declaration in test.messages("type_env") {
        let name = declaration.text("name");
        if let Some(ident) = declaration.message("ident") {
            let type_ = ident.message("type").ok_or("a variable has no type")?;
            case.variables.push((name, values::type_(type_)?));
        }
        if declaration.message("function").is_some() {
            case.functions.push(declaration.clone());
        }
    }
    for binding in test.messages("bindings") {
        let value =
            binding.message("value").and_then(|value| value.message("value")).ok_or("no value is bound")?;
        case.bindings.push((binding.text("key"), values::value(value)?));
    }
    case.expected = if let Some(value) = test.message("value") {
        Expected::Value(values::value(value)?)
    } else if let Some(typed) = test.message("typed_result") {
        case.type_ = typed.message("deduced_type").map(values::type_).transpose()?;
        match typed.message("result") {
            Some(value) if case.evaluate => Expected::Value(values::value(value)?),
            _ => Expected::Nothing,
        }
    } else if test.one("eval_error").is_some() || test.one("any_eval_errors").is_some() {
        Expected::Error
    } else if let Some((name, Field::Message(_))) =
        test.fields.iter().find(|(name, _)| name.contains("unknown"))
    {
        return Err(format!("{name} is expected"));
    } else {
        Expected::Value(Value::Bool(true))
    };
    Ok(())
}
