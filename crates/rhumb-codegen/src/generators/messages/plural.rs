//! Plural rules of languages, in the syntax of gettext's `Plural-Forms`.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// Plural rule of a language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rule {
    /// Number of forms.
    pub forms: usize,
    /// The names of the forms in order, as Unicode's CLDR has them; empty where nothing says them.
    pub names: Vec<&'static str>,
    expression: Expression,
}

/// Plural rules by language: language codes, names of the forms, and the rule. The first match counts.
const KNOWN: &[(&str, &[&str], &str)] = &[
    ("pt_BR fr", &["one", "other"], "n > 1"),
    (
        "en de nl sv da nb nn no fi et el es it pt bg hu ca gl eu he tr sq af eo hi",
        &["one", "other"],
        "n != 1",
    ),
    ("ja zh ko vi th id ms", &["other"], "0"),
    (
        "ru uk be sr hr bs",
        &["one", "few", "many"],
        "n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<12 || n%100>14) ? 1 : 2",
    ),
    ("pl", &["one", "few", "many"], "n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<12 || n%100>14) ? 1 : 2"),
    ("cs sk", &["one", "few", "other"], "n==1 ? 0 : n>=2 && n<=4 ? 1 : 2"),
    ("ro", &["one", "few", "other"], "n==1 ? 0 : n==0 || n%100>0 && n%100<20 ? 1 : 2"),
    ("lt", &["one", "few", "other"], "n%10==1 && n%100!=11 ? 0 : n%10>=2 && (n%100<10 || n%100>=20) ? 1 : 2"),
    ("lv", &["zero", "one", "other"], "n==0 ? 0 : n%10==1 && n%100!=11 ? 1 : 2"),
    ("sl", &["one", "two", "few", "other"], "n%100==1 ? 0 : n%100==2 ? 1 : n%100==3 || n%100==4 ? 2 : 3"),
    (
        "ar",
        &["zero", "one", "two", "few", "many", "other"],
        "n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5",
    ),
];

impl Rule {
    /// Returns the rule of a language, if it is a known one.
    pub(super) fn known(code: &str) -> Option<Rule> {
        let language = code.split('_').next().unwrap_or(code);
        let find =
            |wanted: &str| KNOWN.iter().find(|(codes, ..)| codes.split(' ').any(|code| code == wanted));
        let (_, names, expression) = find(code).or_else(|| find(language))?;
        let mut rule = Rule::parse(names.len(), expression).ok()?;
        rule.names = names.to_vec();
        Some(rule)
    }

    /// Reads a rule: an expression of C in `n`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn parse(forms: usize, text: &str) -> Result<Rule, String> {
        let tokens = tokens(text)?;
        let mut parser = Parser { tokens: &tokens, at: 0, depth: 0 };
        let expression = parser.ternary()?;
        if let Some(token) = parser.tokens.get(parser.at) {
            return Err(format!("{token:?} is not expected there"));
        }
        let rule = Rule { forms, names: Vec::new(), expression };
        // What the rule says for all small numbers is what it says for all: rules look at remainders of 100 at most.
        match (0..1000).map(|n| rule.form(n)).find(|form| *form >= forms as u64) {
            Some(form) => Err(format!("it chooses form {form}, but there are {forms}, counted from 0")),
            None => Ok(rule),
        }
    }

    /// Reads the value of gettext's header: `nplurals=2; plural=n != 1;`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn parse_header(text: &str) -> Result<Rule, String> {
        let (mut forms, mut plural) = (None, None);
        for part in text.split(';') {
            match part.split_once('=') {
                Some((name, value)) if name.trim() == "nplurals" => forms = value.trim().parse().ok(),
                Some((name, value)) if name.trim() == "plural" => plural = Some(value.trim()),
                _ if part.trim().is_empty() => {}
                _ => return Err(format!("{:?} is neither `nplurals=…` nor `plural=…`", part.trim())),
            }
        }
        let forms = forms.filter(|forms| (1..=9).contains(forms)).ok_or("`nplurals` must be 1 to 9")?;
        Rule::parse(forms, plural.ok_or("`plural=…` is missing")?)
    }

    /// Returns the form for a number.
    pub(super) fn form(&self, n: u64) -> u64 {
        self.expression.value(n)
    }

    /// Returns the rule as a Rust expression of type `u64` in `n`, and whether it has `n` in it.
    pub(super) fn rust(&self) -> (TokenStream, bool) {
        (self.expression.number(), self.expression.has_n())
    }
}

/// An expression. As in C, true is 1 and anything but 0 is true.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Expression {
    N,
    Number(u64),
    Not(Box<Expression>),
    Binary(&'static str, Box<Expression>, Box<Expression>),
    Choice(Box<Expression>, Box<Expression>, Box<Expression>),
}

impl Expression {
    fn value(&self, n: u64) -> u64 {
        match self {
            Expression::N => n,
            Expression::Number(number) => *number,
            Expression::Not(inner) => u64::from(inner.value(n) == 0),
            Expression::Choice(condition, yes, no) => {
                if condition.value(n) != 0 {
                    yes.value(n)
                } else {
                    no.value(n)
                }
            }
            Expression::Binary(operator, left, right) => {
                let (left, right) = (left.value(n), right.value(n));
                match *operator {
                    "||" => u64::from(left != 0 || right != 0),
                    "&&" => u64::from(left != 0 && right != 0),
                    "==" => u64::from(left == right),
                    "!=" => u64::from(left != right),
                    "<" => u64::from(left < right),
                    ">" => u64::from(left > right),
                    "<=" => u64::from(left <= right),
                    ">=" => u64::from(left >= right),
                    "%" => left.checked_rem(right).unwrap_or(0),
                    _ => 0,
                }
            }
        }
    }

    fn has_n(&self) -> bool {
        match self {
            Expression::N => true,
            Expression::Number(_) => false,
            Expression::Not(inner) => inner.has_n(),
            Expression::Binary(_, left, right) => left.has_n() || right.has_n(),
            Expression::Choice(condition, yes, no) => condition.has_n() || yes.has_n() || no.has_n(),
        }
    }

    fn is_truth(&self) -> bool {
        match self {
            Expression::Not(_) => true,
            Expression::Binary(operator, ..) => *operator != "%",
            _ => false,
        }
    }

    /// Generates a Rust expression of type `u64`.
    fn number(&self) -> TokenStream {
        match self {
            Expression::N => quote!(n),
            Expression::Number(number) => {
                let number = Literal::u64_unsuffixed(*number);
                quote!(#number)
            }
            Expression::Binary("%", left, right) => {
                let (left, right) = (left.operand(), right.operand());
                quote!(#left % #right)
            }
            Expression::Choice(condition, yes, no) => {
                let (condition, yes) = (condition.truth(), yes.number());
                let (rest, is_choice) = (no.number(), matches!(**no, Expression::Choice(..)));
                let rest = if is_choice { rest } else { quote!({ #rest }) };
                quote!(if #condition { #yes } else #rest)
            }
            truth => {
                let truth = truth.truth();
                quote!(u64::from(#truth))
            }
        }
    }

    /// Generates a Rust expression of type `bool`.
    fn truth(&self) -> TokenStream {
        match self {
            Expression::Not(inner) => {
                let inner = inner.truth();
                quote!(!(#inner))
            }
            Expression::Binary(operator @ ("&&" | "||"), left, right) => {
                let side = |side: &Expression| {
                    let truth = side.truth();
                    match side {
                        Expression::Binary(inner @ ("&&" | "||"), ..) if inner != operator => {
                            quote!((#truth))
                        }
                        _ => truth,
                    }
                };
                let (left, right) = (side(left), side(right));
                if *operator == "&&" { quote!(#left && #right) } else { quote!(#left || #right) }
            }
            Expression::Binary(operator, left, right) if self.is_truth() => {
                let (left, right) = (left.operand(), right.operand());
                match *operator {
                    "==" => quote!(#left == #right),
                    "!=" => quote!(#left != #right),
                    "<" => quote!(#left < #right),
                    ">" => quote!(#left > #right),
                    "<=" => quote!(#left <= #right),
                    _ => quote!(#left >= #right),
                }
            }
            number => {
                let number = number.operand();
                quote!(#number != 0)
            }
        }
    }

    /// Generates a `u64` operand of an operator.
    fn operand(&self) -> TokenStream {
        let number = self.number();
        match self {
            Expression::Choice(..) => quote!((#number)),
            _ => number,
        }
    }
}

const OPERATORS: [&str; 14] = ["||", "&&", "==", "!=", "<=", ">=", "<", ">", "%", "!", "?", ":", "(", ")"];

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    N,
    Number(u64),
    Operator(&'static str),
}

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if let Some(operator) = OPERATORS.iter().find(|operator| rest.starts_with(**operator)) {
            tokens.push(Token::Operator(operator));
            operator.len()
        } else if first == 'n' {
            tokens.push(Token::N);
            1
        } else if first.is_ascii_digit() {
            let end = rest.find(|character: char| !character.is_ascii_digit()).unwrap_or(rest.len());
            let digits = rest.get(..end).unwrap_or_default();
            tokens.push(Token::Number(digits.parse().map_err(|_| format!("{digits} is too great"))?));
            end
        } else {
            return Err(format!("{first:?} can't stand in a plural rule"));
        };
        rest = rest.get(length..).unwrap_or_default().trim_start();
    }
    Ok(tokens)
}

/// Operators by precedence, loosest first.
const LEVELS: [&[&str]; 5] = [&["||"], &["&&"], &["==", "!="], &["<", ">", "<=", ">="], &["%"]];

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn takes(&mut self, among: &[&'static str]) -> Option<&'static str> {
        let Some(Token::Operator(operator)) = self.tokens.get(self.at) else { return None };
        let operator = among.iter().copied().find(|wanted| wanted == operator)?;
        self.at += 1;
        Some(operator)
    }

    fn needs(&mut self, operator: &'static str) -> Result<(), String> {
        self.takes(&[operator]).map(drop).ok_or_else(|| format!("a {operator:?} is missing"))
    }

    fn ternary(&mut self) -> Result<Expression, String> {
        self.depth += 1;
        if self.depth > 50 {
            return Err("it is nested too deeply".to_owned());
        }
        let condition = self.level(0)?;
        let expression = if self.takes(&["?"]).is_some() {
            let yes = self.ternary()?;
            self.needs(":")?;
            Expression::Choice(Box::new(condition), Box::new(yes), Box::new(self.ternary()?))
        } else {
            condition
        };
        self.depth -= 1;
        Ok(expression)
    }

    fn level(&mut self, level: usize) -> Result<Expression, String> {
        let Some(operators) = LEVELS.get(level) else { return self.atom() };
        let mut left = self.level(level + 1)?;
        while let Some(operator) = self.takes(operators) {
            let right = self.level(level + 1)?;
            if operator == "%" && !matches!(right, Expression::Number(1..)) {
                return Err("a remainder is taken of a number above 0".to_owned());
            }
            left = Expression::Binary(operator, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn atom(&mut self) -> Result<Expression, String> {
        if self.takes(&["!"]).is_some() {
            self.depth += 1;
            if self.depth > 50 {
                return Err("it is nested too deeply".to_owned());
            }
            let inner = self.atom()?;
            self.depth -= 1;
            return Ok(Expression::Not(Box::new(inner)));
        }
        if self.takes(&["("]).is_some() {
            let inner = self.ternary()?;
            self.needs(")")?;
            return Ok(inner);
        }
        let atom = match self.tokens.get(self.at) {
            Some(Token::N) => Expression::N,
            Some(Token::Number(number)) => Expression::Number(*number),
            Some(token) => return Err(format!("{token:?} is not expected there")),
            None => return Err("it ends too early".to_owned()),
        };
        self.at += 1;
        Ok(atom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forms(rule: &Rule, numbers: &[u64]) -> Vec<u64> {
        numbers.iter().map(|n| rule.form(*n)).collect()
    }

    #[test]
    fn every_known_rule_is_one() {
        for (codes, names, expression) in KNOWN {
            let rule = Rule::parse(names.len(), expression).unwrap();
            let used: std::collections::BTreeSet<u64> = (0..1000).map(|n| rule.form(n)).collect();
            assert_eq!(used.len(), names.len(), "{codes}");
        }
        assert_eq!(Rule::known("pt_BR").unwrap(), Rule::known("fr_CA").unwrap());
        assert_ne!(Rule::known("pt_PT"), Rule::known("pt_BR"));
        assert_eq!(Rule::known("tlh"), None);
    }

    #[test]
    fn rules_choose_as_gettext_does() {
        let russian = Rule::known("ru").unwrap();
        assert_eq!(forms(&russian, &[0, 1, 2, 5, 11, 12, 21, 22, 111]), [2, 0, 1, 2, 2, 2, 0, 1, 2]);
        let arabic = Rule::known("ar").unwrap();
        assert_eq!(forms(&arabic, &[0, 1, 2, 3, 11, 100, 102, 103]), [0, 1, 2, 3, 4, 5, 5, 3]);
        let header = Rule::parse_header("nplurals=2; plural=(n != 1);").unwrap();
        assert_eq!(forms(&header, &[0, 1, 2]), [1, 0, 1]);
    }

    #[test]
    fn what_is_no_rule_is_refused() {
        for (text, expected) in [
            ("nplurals=0; plural=0", "`nplurals` must be 1 to 9"),
            ("nplurals=2;", "`plural=…` is missing"),
            ("nplurals=1; plural=n", "it chooses form 1, but there are 1, counted from 0"),
            ("nplurals=2; plural=n ? 1", "a \":\" is missing"),
            ("nplurals=2; plural=n % 0", "a remainder is taken of a number above 0"),
            ("nplurals=2; plural=n + 1", "'+' can't stand in a plural rule"),
            ("nplurals=2; plural=(n", "a \")\" is missing"),
            ("nplurals=2; plural=", "it ends too early"),
            ("nplurals=2; plural=99999999999999999999", "99999999999999999999 is too great"),
            ("forms=2", "\"forms=2\" is neither `nplurals=…` nor `plural=…`"),
        ] {
            assert_eq!(Rule::parse_header(text).unwrap_err(), expected, "{text}");
        }
        let deep = format!("nplurals=2; plural={}n{}", "(".repeat(5000), ")".repeat(5000));
        assert_eq!(Rule::parse_header(&deep).unwrap_err(), "it is nested too deeply");
        let deep = format!("nplurals=2; plural={}n", "!".repeat(5000));
        assert_eq!(Rule::parse_header(&deep).unwrap_err(), "it is nested too deeply");
    }
}
