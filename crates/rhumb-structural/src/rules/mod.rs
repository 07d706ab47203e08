//! Validation rules in CEL: what `x-kubernetes-validations` of a schema says of objects.
//!
//! The rules of a schema are compiled once ([`RuleSet::compile`]), as expressions that were accepted before. They are
//! evaluated on the tree itself, and only where the schema has rules on the way down.

mod evaluate;
mod look;

use std::fmt;
use std::sync::Arc;

use rhumb_cel::eval::Program;
use rhumb_cel_kubernetes::rules::{CompiledRule, Purposes, RuleCompiler};
use rhumb_cel_kubernetes::schema::declare;
use serde_json::Value as Json;

pub(crate) use self::evaluate::BUDGET;
pub use self::evaluate::Findings;
use self::look::{Look, Looks};
use crate::Structural;
use crate::compile::{Node, Type, Types};
use crate::field_path::{Notation, find};

/// The rules of a schema.
pub struct RuleSet {
    root: Checks,
    schema: Structural,
}

impl fmt::Debug for RuleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RuleSet").finish_non_exhaustive()
    }
}

/// Whether the root of a schema is that of a resource, which has metadata whatever the schema says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// The root of a resource.
    Resource,
    /// A value within one.
    Value,
}

/// The rules at one place of a schema, and below it.
struct Checks {
    rules: Box<[Rule]>,
    look: Arc<Look>,
    /// The schema's type as errors show it; empty if it has none.
    type_name: &'static str,
    node: Arc<Node>,
    items: Option<Box<Checks>>,
    additional: Option<Box<Checks>>,
    /// Sorted by name.
    properties: Box<[(Box<str>, Checks)]>,
}

/// A rule.
struct Rule {
    /// The program, or what is wrong with the expression.
    program: Result<Program, Box<str>>,
    uses_old_self: bool,
    optional_old_self: bool,
    message_expression: Option<Program>,
    /// The text of the expression for the message.
    message_source: Box<str>,
    /// What an object is told that breaks the rule.
    message: Box<str>,
    /// How the rule is called where something is wrong with it.
    name: Box<str>,
    reason: Reason,
    /// The field below the value that errors are about; empty for the value itself.
    field_path: Box<str>,
}

/// What kind of error a broken rule is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Reason {
    #[default]
    Invalid,
    Forbidden,
    Required,
    Duplicate,
}

impl RuleSet {
    /// Compiles the rules of an `openAPIV3Schema`; none if it has no rules. `structural` is the same schema compiled.
    pub fn compile(schema: &Json, structural: &Structural, root: Root) -> Option<Self> {
        let mut compiler = Compiler { looks: Looks::default() };
        let root = compiler.checks(schema, &structural.root, root == Root::Resource)?;
        Some(Self { root, schema: structural.clone() })
    }
}

/// Compiles the rules of a schema.
struct Compiler {
    looks: Looks,
}

impl Compiler {
    /// Returns the rules of a schema and of those below it; none if there are no rules.
    fn checks(&mut self, schema: &Json, node: &Arc<Node>, is_root: bool) -> Option<Checks> {
        let is_root = is_root || node.embedded;
        let rules = schema.get("x-kubernetes-validations").and_then(Json::as_array);
        let rules = rules.filter(|rules| !rules.is_empty());
        let items = schema.get("items").zip(node.items.as_ref());
        let items = items.and_then(|(schema, node)| self.checks(schema, node, false));
        let additional = schema.get("additionalProperties").zip(node.additional.schema());
        let additional = additional.and_then(|(schema, node)| self.checks(schema, node, false));
        let known = schema.get("properties").and_then(Json::as_object);
        let mut properties = Vec::new();
        for (name, schema) in known.into_iter().flatten() {
            let checks = node.property(name).and_then(|node| self.checks(schema, node, false));
            properties.extend(checks.map(|checks| (name.as_str().into(), checks)));
        }
        properties.sort_by(|(one, _): &(Box<str>, Checks), (other, _)| one.cmp(other));
        if rules.is_none() && items.is_none() && additional.is_none() && properties.is_empty() {
            return None;
        }
        // What expressions can't see has no rules.
        let type_ = rules.and_then(|_| declare(&schema, is_root));
        let compiled = match (rules, type_) {
            (Some(rules), Some(type_)) => {
                let mut compiler = RuleCompiler::new(&type_);
                rules.iter().filter_map(|rule| compile(&mut compiler, rule, schema)).collect()
            }
            _ => Box::default(),
        };
        Some(Checks {
            look: if compiled.is_empty() { Arc::new(Look::Plain) } else { self.looks.of(node, is_root) },
            rules: compiled,
            type_name: match node.types {
                Types::One(type_) => Type::name(type_),
                _ => "",
            },
            node: Arc::clone(node),
            items: items.map(Box::new),
            additional: additional.map(Box::new),
            properties: properties.into(),
        })
    }
}

/// Compiles a rule; none if it is empty, which servers of old took.
fn compile(compiler: &mut RuleCompiler, rule: &Json, schema: &Json) -> Option<Rule> {
    let text = |name: &str| rule.get(name).and_then(Json::as_str).unwrap_or_default();
    let (source, message) = (text("rule"), text("message").trim());
    if source.trim().is_empty() {
        return None;
    }
    let name = if text("message").is_empty() { source.trim() } else { message };
    let optional_old_self = rule.get("optionalOldSelf").and_then(Json::as_bool).unwrap_or(false);
    let asked = rhumb_cel_kubernetes::rules::Rule {
        rule: source,
        message_expression: text("messageExpression"),
        optional_old_self,
    };
    let CompiledRule { program, uses_old_self, message: expression, .. } =
        compiler.compile(&asked, Purposes::STORED);
    let field = Some(text("fieldPath")).filter(|path| !path.is_empty());
    let field = field.and_then(|path| find(schema, path, Notation::Brackets).ok());
    Some(Rule {
        program: program.map_err(|error| error.to_string().into()),
        uses_old_self,
        optional_old_self,
        message_expression: expression.and_then(Result::ok).map(|compiled| compiled.program),
        message_source: text("messageExpression").into(),
        message: if text("message").is_empty() { format!("failed rule: {name}") } else { name.to_owned() }
            .into(),
        name: name.into(),
        reason: match text("reason") {
            "FieldValueForbidden" => Reason::Forbidden,
            "FieldValueRequired" => Reason::Required,
            "FieldValueDuplicate" => Reason::Duplicate,
            _ => Reason::Invalid,
        },
        field_path: field.map(|found| found.path.to_string()).unwrap_or_default().into(),
    })
}
