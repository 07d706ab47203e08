//! The plan of names, fields and indices.

use std::sync::Arc;

use super::{PlanError, Planner, number};
use crate::ast::{ExprId, Select};
use crate::eval::attribute::invalid_qualifier;
use crate::eval::program::{Attribute, Base, Candidate, Name, Node, NodeId, Qualifier};
use crate::types::Type;
use crate::value::Value;

impl Planner<'_> {
    pub(super) fn ident(&mut self, id: ExprId, name: &Arc<str>) -> Result<NodeId, PlanError> {
        if let Some((_, local)) = self.taking.iter().find(|(taking, _)| *taking == id) {
            let local = *local;
            return Ok(self.push(id, Node::Take(local)));
        }
        if let Some(node) = self.checked_ident(id) {
            return Ok(node);
        }
        let names = self.candidates(name);
        Ok(self.push_attribute(id, Base::Maybe(vec![Candidate { names, qualifiers: 0 }])))
    }

    /// Plans a name whose meaning the checker found.
    fn checked_ident(&mut self, id: ExprId) -> Option<NodeId> {
        let reference = self.reference(id)?;
        if let Some(value) = &reference.value {
            return Some(self.push_constant(id, Value::from(value.clone())));
        }
        let name = reference.name.as_ref()?;
        if let Some(local) = self.local(name) {
            return Some(self.push_attribute(id, Base::Local(local)));
        }
        if let Some(Type::Type(Some(of))) = self.checked.map(|checked| checked.type_of(id)) {
            return Some(self.push_constant(id, Value::Type((**of).clone())));
        }
        let variable = self.variable(name);
        Some(self.push_attribute(id, Base::Variable(variable)))
    }

    fn local(&self, name: &str) -> Option<u32> {
        self.scope.iter().rev().find(|(other, _)| **other == *name).map(|(_, local)| *local)
    }

    fn variable(&mut self, name: &Arc<str>) -> u32 {
        if let Some(variable) = self.variables.get(name) {
            return *variable;
        }
        self.program.variables.push(name.clone());
        let variable = number(self.program.variables.len() - 1);
        self.variables.insert(name.clone(), variable);
        variable
    }

    /// Lists what an unchecked name may mean, from the innermost namespace to the outermost.
    fn candidates(&mut self, name: &str) -> Vec<(Arc<str>, Name)> {
        let mut full: Vec<Arc<str>> = Vec::new();
        self.environment.container().resolve(name, |candidate| {
            full.push(candidate.into());
            None::<()>
        });
        let mut names = Vec::new();
        for name in full {
            self.meanings(name, &mut names);
        }
        names
    }

    fn meanings(&mut self, name: Arc<str>, names: &mut Vec<(Arc<str>, Name)>) {
        if let Some(local) = self.local(&name) {
            names.push((name, Name::Local(local)));
            return;
        }
        let variable = self.variable(&name);
        names.push((name.clone(), Name::Variable(variable)));
        let Some(found) = self.environment.lookup_name(&name) else { return };
        let value = match (found.value, found.type_) {
            (Some(value), _) => Value::from(value),
            (None, Type::Type(Some(of))) => Value::Type((*of).clone()),
            _ => return,
        };
        let constant = self.constant(value);
        names.push((name, Name::Type(constant)));
    }

    pub(super) fn push_attribute(&mut self, id: ExprId, base: Base) -> NodeId {
        let attribute = self.new_attribute(base);
        self.push(id, Node::Attribute(attribute))
    }

    fn new_attribute(&mut self, base: Base) -> u32 {
        self.program.attributes.push(Attribute { base, qualifiers: Vec::new(), test: false });
        number(self.program.attributes.len() - 1)
    }

    /// Returns the attribute of a node, or one that begins with the node's value.
    pub(super) fn attribute_of(&mut self, node: NodeId) -> u32 {
        match self.program.nodes.get(node as usize) {
            Some(Node::Attribute(attribute)) => *attribute,
            _ => self.new_attribute(Base::Node(node)),
        }
    }

    pub(super) fn select(&mut self, id: ExprId, select: &Select) -> Result<NodeId, PlanError> {
        if let Some(node) = self.checked_ident(id) {
            return Ok(node);
        }
        let operand = self.plan(&select.operand)?;
        let attribute = self.attribute_of(operand);
        let key = self.constant(Value::from(select.field.clone()));
        if select.test_only
            && let Some(attribute) = self.program.attributes.get_mut(attribute as usize)
        {
            attribute.test = true;
        }
        self.qualify(attribute, Qualifier::Constant { key, optional: false, test: select.test_only });
        Ok(self.push(id, Node::Attribute(attribute)))
    }

    /// Plans `a[b]`, `a[?b]` and `a.?b`.
    pub(super) fn index(&mut self, id: ExprId, args: &[NodeId], optional: bool) -> Result<NodeId, PlanError> {
        let [operand, index] = args else {
            return Err(PlanError("index without operands".to_owned()));
        };
        let attribute = self.attribute_of(*operand);
        let qualifier = match self.program.nodes.get(*index as usize) {
            Some(Node::Constant(key)) => {
                let key = *key;
                match self.program.constants.get(key as usize) {
                    Some(
                        Value::String(_) | Value::Int(_) | Value::Uint(_) | Value::Bool(_) | Value::Double(_),
                    )
                    | None => Qualifier::Constant { key, optional, test: false },
                    Some(other) => return Err(PlanError(invalid_qualifier(other).to_string())),
                }
            }
            Some(Node::Attribute(index)) => Qualifier::Attribute { attribute: *index, optional },
            _ => Qualifier::Node { node: *index, optional },
        };
        self.qualify(attribute, qualifier);
        Ok(self.push(id, Node::Attribute(attribute)))
    }

    /// Plans `a ? b : c`.
    pub(super) fn conditional(&mut self, id: ExprId, args: &[NodeId]) -> Result<NodeId, PlanError> {
        let [condition, truthy, falsy] = args else {
            return Err(PlanError("condition without operands".to_owned()));
        };
        let truthy = self.attribute_of(*truthy);
        let falsy = self.attribute_of(*falsy);
        Ok(self.push_attribute(id, Base::Conditional { condition: *condition, truthy, falsy }))
    }

    /// Adds what is looked up to an attribute.
    fn qualify(&mut self, id: u32, qualifier: Qualifier) {
        let text = match qualifier {
            Qualifier::Constant { key, .. } => match self.program.constants.get(key as usize) {
                Some(Value::String(text)) => Some(text.to_shared()),
                _ => None,
            },
            _ => None,
        };
        let Some(attribute) = self.program.attributes.get_mut(id as usize) else { return };
        match &attribute.base {
            Base::Conditional { truthy, falsy, .. } => {
                let (truthy, falsy) = (*truthy, *falsy);
                self.qualify(truthy, qualifier);
                self.qualify(falsy, qualifier);
            }
            Base::Maybe(candidates) => {
                // Names and fields can't be told apart: `a.b` may be one name.
                let longest =
                    candidates.first().filter(|first| first.qualifiers == attribute.qualifiers.len());
                let longer = longest.zip(text).map(|(longest, text)| {
                    let whole = |(name, kind): &(Arc<str>, Name)| match kind {
                        Name::Type(_) => None,
                        _ => Some(Arc::from(format!("{name}.{text}"))),
                    };
                    longest.names.iter().filter_map(whole).collect::<Vec<Arc<str>>>()
                });
                attribute.qualifiers.push(qualifier);
                let qualifiers = attribute.qualifiers.len();
                let Some(longer) = longer else { return };
                let mut names = Vec::new();
                for name in longer {
                    self.meanings(name, &mut names);
                }
                if let Some(Attribute { base: Base::Maybe(candidates), .. }) =
                    self.program.attributes.get_mut(id as usize)
                {
                    candidates.insert(0, Candidate { names, qualifiers });
                }
            }
            _ => attribute.qualifiers.push(qualifier),
        }
    }
}
