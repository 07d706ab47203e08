//! Static estimates: a walk over a checked expression that adds up what each node can cost, and follows where values
//! come from, because what a loop costs depends on the size of what it goes through.

use std::sync::Arc;

use super::sizes::{Entry, Known, Local, Locals, is_scalar, literal_size};
use super::{LIST, MAP, Node, Path, REGEX_FACTOR, Range, SELECT, STRING_FACTOR, STRUCT, libraries};
use crate::ast::{Call, Comprehension, Expr, ExprKind, List, Literal, Map, Select};
use crate::checker::CheckedAst;
use crate::parser::{ACCUMULATOR, OLD_ACCUMULATOR};
use crate::types::Type;

/// What the caller knows of sizes and functions.
pub trait CostEstimator {
    /// Returns the size of a value that the expression doesn't tell: characters, bytes, elements.
    fn size(&self, node: &Node<'_>) -> Option<Range>;

    /// Returns what a call costs without its arguments, unless it is as for functions that nothing is known of.
    fn call(
        &self,
        function: &str,
        overload: &str,
        target: Option<&Node<'_>>,
        args: &[Node<'_>],
    ) -> Option<CallEstimate> {
        let _ = (function, overload, target, args);
        None
    }

    /// Returns what `has` costs.
    fn presence_test(&self) -> Range {
        Range::exactly(SELECT)
    }
}

/// What a call costs, and how large the result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallEstimate {
    /// The cost.
    pub cost: Range,
    /// The size of the result, if it has one.
    pub result: Option<Range>,
}

impl From<Range> for CallEstimate {
    fn from(cost: Range) -> Self {
        Self { cost, result: None }
    }
}

/// Returns what evaluating an expression can cost.
pub fn estimate(checked: &CheckedAst, estimator: &dyn CostEstimator) -> Range {
    let mut walk = Walk { checked, estimator, locals: Locals::default(), known: Known::default() };
    walk.cost(checked.root())
}

const NOTHING: Range = Range::exactly(0);
const ONE: Range = Range::exactly(1);

struct Walk<'a> {
    checked: &'a CheckedAst,
    estimator: &'a dyn CostEstimator,
    locals: Locals,
    known: Known,
}

impl<'a> Walk<'a> {
    fn cost(&mut self, expr: &'a Expr) -> Range {
        if let Some(name) = self.name(expr) {
            let path = self.locals.get(name).map_or_else(|| Path::variable(name), |local| local.path.clone());
            self.known.paths.insert(expr.id, path);
            return Range::exactly(SELECT);
        }
        match &expr.kind {
            ExprKind::Unspecified | ExprKind::Literal(_) | ExprKind::Ident(_) => NOTHING,
            ExprKind::Select(select) => self.select(expr, select),
            ExprKind::Call(call) => self.call(expr, call),
            ExprKind::List(list) => self.list(expr, list),
            ExprKind::Map(map) => self.map(expr, map),
            ExprKind::Struct(message) => message
                .fields
                .iter()
                .fold(Range::exactly(STRUCT), |sum, field| sum.plus(self.cost(&field.value))),
            ExprKind::Comprehension(comprehension) if is_bind(comprehension) => {
                self.bind(expr, comprehension)
            }
            ExprKind::Comprehension(comprehension) => self.comprehension(expr, comprehension),
        }
    }

    /// Returns the name of the variable or constant that a node is.
    fn name(&self, expr: &'a Expr) -> Option<&'a str> {
        if let ExprKind::Ident(_) | ExprKind::Select(_) = &expr.kind
            && let Some(name) =
                self.checked.reference(expr.id).and_then(|reference| reference.name.as_deref())
        {
            return Some(name);
        }
        match &expr.kind {
            ExprKind::Ident(name) => Some(name),
            _ => None,
        }
    }

    fn select(&mut self, expr: &'a Expr, select: &'a Select) -> Range {
        let operand = self.cost(&select.operand);
        if select.test_only {
            return self.estimator.presence_test().plus(operand);
        }
        let has_fields = matches!(self.checked.type_of(select.operand.id), Type::Map(_) | Type::Object(_));
        let path = self.path(&select.operand).then(&select.field);
        self.known.paths.insert(expr.id, path);
        if has_fields { operand.plus(Range::exactly(SELECT)) } else { operand }
    }

    fn list(&mut self, expr: &'a Expr, list: &'a List) -> Range {
        let mut sum = Range::exactly(LIST);
        let mut value = if list.elements.is_empty() { NOTHING } else { Range::EMPTY };
        for element in &list.elements {
            sum = sum.plus(self.cost(element));
            value = value.or(self.size_or_unknown(element));
        }
        self.known.entries.insert(expr.id, Entry { list: true, key: ONE, value });
        sum
    }

    fn map(&mut self, expr: &'a Expr, map: &'a Map) -> Range {
        let mut sum = Range::exactly(MAP);
        let empty = if map.entries.is_empty() { NOTHING } else { Range::EMPTY };
        let (mut key, mut value) = (empty, empty);
        for entry in &map.entries {
            sum = sum.plus(self.cost(&entry.key)).plus(self.cost(&entry.value));
            key = key.or(self.size_or_unknown(&entry.key));
            value = value.or(self.size_or_unknown(&entry.value));
        }
        self.known.entries.insert(expr.id, Entry { list: false, key, value });
        sum
    }

    fn bind(&mut self, expr: &'a Expr, bind: &'a Comprehension) -> Range {
        let sum = self.cost(&bind.iter_range).plus(self.cost(&bind.accu_init));
        self.push_value(&bind.accu_var, &bind.accu_init);
        let sum = sum.plus(self.cost(&bind.result));
        self.locals.pop(&bind.accu_var);
        self.copy_sizes(expr, &bind.result);
        sum
    }

    fn comprehension(&mut self, expr: &'a Expr, comprehension: &'a Comprehension) -> Range {
        let range = &comprehension.iter_range;
        let mut sum = self.cost(range).plus(self.cost(&comprehension.accu_init));
        self.push_value(&comprehension.accu_var, &comprehension.accu_init);
        let entry = self.entry(range);
        let is_list = match entry {
            Some(entry) => entry.list,
            None => matches!(self.checked.type_of(range.id), Type::List(_)),
        };
        let path = self.path(range);
        let part = |list: &str, map: &str, size: Option<Range>| Local {
            path: path.then(if is_list { list } else { map }),
            size,
            entry: None,
        };
        let (key, value) = (entry.map(|entry| entry.key), entry.map(|entry| entry.value));
        match &comprehension.iter_var2 {
            Some(second) => {
                // In cel-go the second path is written over the first where the array behind them has room for it,
                // and limits are set for what cel-go finds then.
                let shared = !path.is_empty() && !path.len().is_power_of_two();
                let first = if shared { ("@items", "@values") } else { ("@indices", "@keys") };
                self.locals.push(&comprehension.iter_var, part(first.0, first.1, key));
                self.locals.push(second, part("@items", "@values", value));
            }
            None => {
                let size = if is_list { value } else { key };
                self.locals.push(&comprehension.iter_var, part("@items", "@keys", size));
            }
        }
        let each = self.cost(&comprehension.loop_condition).plus(self.cost(&comprehension.loop_step));
        self.locals.pop(&comprehension.iter_var);
        if let Some(second) = &comprehension.iter_var2 {
            self.locals.pop(second);
        }
        sum = sum.plus(self.cost(&comprehension.result));
        self.locals.pop(&comprehension.accu_var);
        let times = self.size_or_unknown(range);
        match &comprehension.accu_init.kind {
            ExprKind::Literal(_) => {
                let size = self.size(&comprehension.accu_init);
                self.set_size(expr, size);
            }
            ExprKind::List(_) | ExprKind::Map(_) => {
                self.set_size(expr, Some(times));
                if let Some(entry) = self.entry(&comprehension.loop_step) {
                    self.known.entries.insert(expr.id, entry);
                }
            }
            _ => {}
        }
        sum.plus(times.times(each))
    }

    fn call(&mut self, expr: &'a Expr, call: &'a Call) -> Range {
        if &*call.function == "dyn"
            && let [arg] = call.args.as_slice()
        {
            let cost = self.cost(arg);
            self.copy_sizes(expr, arg);
            return cost.plus(ONE);
        }
        let mut costs = Vec::with_capacity(call.args.len());
        let mut args = Vec::with_capacity(call.args.len());
        for arg in &call.args {
            costs.push(self.cost(arg));
            args.push(self.node(arg));
        }
        let Some(reference) =
            self.checked.reference(expr.id).filter(|reference| !reference.overloads.is_empty())
        else {
            return NOTHING;
        };
        let mut sum = NOTHING;
        // With a name, what stands before the dot is only the function's namespace.
        let target = call.target.as_deref().filter(|_| reference.name.is_none()).map(|target| {
            sum = self.cost(target);
            self.node(target)
        });
        let function = reference.name.as_deref().unwrap_or(&call.function);
        let mut cost = Range::EMPTY;
        let mut result: Option<Range> = None;
        for overload in &reference.overloads {
            let callee =
                Callee { expr, function, overload, target: target.as_ref(), args: &args, costs: &costs };
            let estimate = self.overload(&callee);
            cost = cost.or(estimate.cost);
            if let Some(size) = estimate.result {
                result = Some(result.map_or(size, |result| result.or(size)));
            }
            let part = match &**overload {
                "index_list" => Some("@items"),
                "index_map" => Some("@values"),
                _ => None,
            };
            if let (Some(part), Some(container)) = (part, call.args.first()) {
                result = self.entry(container).map(|entry| entry.value);
                let path = self.path(container).then(part);
                self.known.paths.insert(expr.id, path);
            }
            if result.is_none() {
                result = self.size(expr);
            }
        }
        self.set_size(expr, result);
        sum.plus(cost)
    }

    /// Returns what one overload costs, with its arguments.
    fn overload(&mut self, callee: &Callee<'_, 'a>) -> CallEstimate {
        let Callee { function, overload, target, args, costs, .. } = *callee;
        let arguments = costs.iter().fold(NOTHING, |sum, cost| sum.plus(*cost));
        let known = libraries::call(self.estimator, overload, target, args)
            .or_else(|| self.estimator.call(function, overload, target, args));
        if let Some(known) = known {
            return CallEstimate { cost: known.cost.plus(arguments), result: known.result };
        }
        let mut estimate = match (overload, args, costs) {
            ("logical_or" | "logical_and", _, [left, right]) => {
                return Range { min: left.min, max: left.plus(*right).max }.into();
            }
            ("conditional", [_, yes, no], [condition, if_yes, if_no]) => {
                let entry = self.joined_entry(yes, no);
                if let Some(entry) = entry {
                    self.known.entries.insert(callee.expr.id, entry);
                }
                let result = size_of(yes).or(size_of(no));
                return CallEstimate { cost: condition.plus(if_yes.or(*if_no)), result: Some(result) };
            }
            ("add_string" | "add_bytes" | "add_list", [left, right], _) => {
                if let Some(entry) = self.joined_entry(left, right) {
                    self.known.entries.insert(callee.expr.id, entry);
                }
                let result = size_of(left).plus(size_of(right));
                let cost = if overload == "add_list" { ONE } else { result.scaled(STRING_FACTOR) };
                CallEstimate { cost, result: Some(result) }
            }
            _ => standard(overload, target, args),
        };
        estimate.cost = estimate.cost.plus(arguments);
        estimate
    }

    fn joined_entry(&self, left: &Node<'_>, right: &Node<'_>) -> Option<Entry> {
        Some(self.entry(left.expr?)?.or(self.entry(right.expr?)?))
    }

    fn node(&mut self, expr: &'a Expr) -> Node<'a> {
        let mut path = self.path(expr);
        let hidden = matches!(path.steps().first(), Some(&(ACCUMULATOR | OLD_ACCUMULATOR)));
        if hidden {
            path = Path::default();
        }
        Node { path, type_: self.checked.type_of(expr.id), expr: Some(expr), computed: self.size(expr) }
    }

    fn path(&self, expr: &'a Expr) -> Path {
        if let Some(local) = self.name(expr).and_then(|name| self.locals.get(name)) {
            return local.path.clone();
        }
        self.known.paths.get(&expr.id).cloned().unwrap_or_default()
    }

    fn push_value(&mut self, name: &Arc<str>, value: &'a Expr) {
        let local = Local { path: self.path(value), size: self.size(value), entry: self.entry(value) };
        self.locals.push(name, local);
    }

    fn entry(&self, expr: &Expr) -> Option<Entry> {
        self.known.entries.get(&expr.id).copied().or_else(|| {
            let ExprKind::Ident(name) = &expr.kind else { return None };
            self.locals.get(name)?.entry
        })
    }

    fn copy_sizes(&mut self, to: &'a Expr, from: &'a Expr) {
        let size = self.size(from);
        self.set_size(to, size);
        if let Some(entry) = self.entry(from) {
            self.known.entries.insert(to.id, entry);
        }
    }

    fn set_size(&mut self, expr: &Expr, size: Option<Range>) {
        if let Some(size) = size {
            self.known.sizes.insert(expr.id, size);
        }
    }

    fn size_or_unknown(&mut self, expr: &'a Expr) -> Range {
        self.size(expr).unwrap_or(Range::UNKNOWN)
    }

    /// Returns the size of a value: as computed, as written down, as the caller knows, or by its type.
    fn size(&mut self, expr: &'a Expr) -> Option<Range> {
        if let Some(size) = self.known.sizes.get(&expr.id) {
            return Some(*size);
        }
        if let Some(size) = literal_size(expr) {
            return Some(size);
        }
        let type_ = self.checked.type_of(expr.id);
        let node = Node { path: self.path(expr), type_, expr: Some(expr), computed: None };
        if let Some(size) = self.estimator.size(&node) {
            self.known.sizes.insert(expr.id, size);
            return Some(size);
        }
        if is_scalar(type_) {
            return Some(ONE);
        }
        self.name(expr).and_then(|name| self.locals.get(name)?.size)
    }
}

/// One overload that a call may mean.
struct Callee<'n, 'a> {
    expr: &'a Expr,
    function: &'n str,
    overload: &'n str,
    target: Option<&'n Node<'a>>,
    args: &'n [Node<'a>],
    costs: &'n [Range],
}

fn size_of(node: &Node<'_>) -> Range {
    node.computed.unwrap_or(Range::UNKNOWN)
}

/// Returns what an overload of the standard library costs, without its arguments.
fn standard(overload: &str, target: Option<&Node<'_>>, args: &[Node<'_>]) -> CallEstimate {
    let size = |node: &Node<'_>| size_of(node);
    match (overload, target, args) {
        // The size of what is formatted can't be bounded.
        ("string_format", Some(target), _) => size(target).scaled(STRING_FACTOR).into(),
        // A character may be up to four bytes.
        ("string_to_bytes", _, [arg]) => {
            let size = size(arg);
            let result = Range { min: size.min, max: size.max.wrapping_mul(4) };
            CallEstimate { cost: size.scaled(STRING_FACTOR), result: Some(result) }
        }
        ("bytes_to_string", _, [arg]) => {
            let size = size(arg);
            let result = Range { min: size.min / 4, max: size.max };
            CallEstimate { cost: size.scaled(STRING_FACTOR), result: Some(result) }
        }
        // Each character may be escaped, and there are two quotes.
        ("strings_quote", _, [arg]) => {
            let size = size(arg);
            let result =
                Range { min: size.min.wrapping_add(2), max: size.max.wrapping_mul(2).wrapping_add(2) };
            CallEstimate { cost: size.scaled(STRING_FACTOR), result: Some(result) }
        }
        ("starts_with_string" | "ends_with_string", _, [arg]) => size(arg).scaled(STRING_FACTOR).into(),
        ("in_list", _, [_, list]) => size(list).scaled(1.0).into(),
        // An empty string may be expensive to match, too.
        ("matches_string", Some(target), [pattern]) => {
            let text = size(target).plus(ONE).scaled(STRING_FACTOR);
            text.times(size(pattern).scaled(REGEX_FACTOR)).into()
        }
        ("contains_string", Some(target), [part]) => {
            size(target).scaled(STRING_FACTOR).times(size(part).scaled(STRING_FACTOR)).into()
        }
        (
            "less_string"
            | "greater_string"
            | "less_equals_string"
            | "greater_equals_string"
            | "less_bytes"
            | "greater_bytes"
            | "less_equals_bytes"
            | "greater_equals_bytes"
            | "equals"
            | "not_equals",
            _,
            [left, right],
        ) => {
            let most = size(left).max.min(size(right).max);
            Range { min: u64::from(most > 0), max: most }.scaled(STRING_FACTOR).into()
        }
        _ => ONE.into(),
    }
}

/// Reports whether a comprehension only gives a value a name: it goes through nothing.
fn is_bind(comprehension: &Comprehension) -> bool {
    matches!(&comprehension.iter_range.kind, ExprKind::List(list) if list.elements.is_empty())
        && comprehension.loop_condition.kind == ExprKind::Literal(Literal::Bool(false))
        && &*comprehension.accu_var != OLD_ACCUMULATOR
}
