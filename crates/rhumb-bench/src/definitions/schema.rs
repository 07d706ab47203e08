//! Definitions like those of operators: some hundred properties with descriptions.

use std::fmt::Write;

/// Schema size in bytes of JSON.
const SIZE: usize = 81_000;

/// A definition.
pub(super) struct Definition {
    pub(super) group: String,
    pub(super) plural: String,
    kind: String,
    number: usize,
}

impl Definition {
    /// Creates one of many definitions, spread over some groups.
    pub(super) fn new(number: usize, groups: usize) -> Self {
        let group = format!("group{}.bench.example.com", number % groups);
        Definition { group, plural: format!("kind{number}s"), kind: format!("Kind{number}"), number }
    }

    /// Returns the path of its objects.
    pub(super) fn path(&self) -> String {
        format!("/apis/{}/v1/{}", self.group, self.plural)
    }

    /// Returns its name.
    pub(super) fn name(&self) -> String {
        format!("{}.{}", self.plural, self.group)
    }

    /// Returns its creation request.
    pub(super) fn body(&self) -> String {
        let Definition { group, plural, kind, .. } = self;
        let names =
            format!(r#"{{"plural":"{plural}","singular":"{}","kind":"{kind}"}}"#, kind.to_lowercase());
        let version = format!(
            r#"{{"name":"v1","served":true,"storage":true,"subresources":{{"status":{{}}}},{schema}}}"#,
            schema = format_args!(r#""schema":{{"openAPIV3Schema":{}}}"#, schema(self.number))
        );
        let spec =
            format!(r#"{{"group":"{group}","names":{names},"scope":"Namespaced","versions":[{version}]}}"#);
        format!(
            r#"{{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",{metadata},"spec":{spec}}}"#,
            metadata = format_args!(r#""metadata":{{"name":"{}"}}"#, self.name())
        )
    }
}

/// Generates a schema of the wanted size.
fn schema(number: usize) -> String {
    let mut words = Words(number as u64);
    let described = words.sentence();
    let mut out = format!(
        r#"{{"type":"object","description":"{described}","properties":{{"spec":{{"type":"object","properties":{{"#
    );
    let mut count = 0;
    while out.len() < SIZE {
        if count > 0 {
            out.push(',');
        }
        section(&mut out, count, &mut words);
        count += 1;
    }
    out.push_str(r#"}},"status":{"type":"object","properties":{"phase":{"type":"string"},"#);
    out.push_str(r#""replicas":{"type":"integer","format":"int32"}}}}}"#);
    out
}

/// A section: an object with properties of all types, a list of objects and a map among them.
fn section(out: &mut String, number: usize, words: &mut Words) {
    let described = words.sentence();
    let _ = write!(out, r#""section{number}":{{"type":"object","description":"{described}","properties":{{"#);
    for place in 0..8 {
        let name = words.name(place);
        property(out, &name, place, words);
        out.push(',');
    }
    for (name, begin, end) in [
        ("items", r#""type":"array","items":{"type":"object","required":["name"],"properties":{"#, "}}"),
        ("templates", r#""type":"object","additionalProperties":{"type":"object","properties":{"#, "}}"),
    ] {
        let described = words.sentence();
        let _ = write!(out, r#""{name}":{{"description":"{described}",{begin}"#);
        property(out, "name", 0, words);
        for place in 1..6 {
            out.push(',');
            let name = words.name(place);
            property(out, &name, place, words);
        }
        out.push_str(end);
        out.push_str(if name == "items" { "}," } else { "}" });
    }
    out.push_str("}}");
}

fn property(out: &mut String, name: &str, place: usize, words: &mut Words) {
    let described = words.sentence();
    let _ = write!(out, r#""{name}":{{"description":"{described}","#);
    out.push_str(match place % 8 {
        0 => r#""type":"string","minLength":1,"maxLength":253"#,
        1 => r#""type":"string","enum":["Always","IfNotPresent","Never"],"default":"Always""#,
        2 => r#""type":"integer","format":"int32","minimum":0,"maximum":65535"#,
        3 => r#""type":"array","items":{"type":"string"}"#,
        4 => r#""type":"object","additionalProperties":{"type":"string"}"#,
        5 => r#""type":"boolean","default":false"#,
        6 => r#""anyOf":[{"type":"integer"},{"type":"string"}],"x-kubernetes-int-or-string":true"#,
        _ => r#""type":"string","format":"date-time","nullable":true"#,
    });
    out.push('}');
}

/// Deterministic words.
struct Words(u64);

const WORDS: &str = "service volume replica policy backend certificate interval endpoint storage selector \
    template schedule network cluster timeout strategy resource secret gateway listener budget condition \
    reference version";

impl Words {
    fn next(&mut self) -> &'static str {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let count = WORDS.split_whitespace().count();
        WORDS.split_whitespace().nth((self.0 >> 33) as usize % count).unwrap_or_default()
    }

    /// Returns a name that no other property beside it has.
    fn name(&mut self, place: usize) -> String {
        format!("{}{place}{}", self.next(), self.next())
    }

    fn sentence(&mut self) -> String {
        let [one, two, three, four] = [self.next(), self.next(), self.next(), self.next()];
        format!("The {one} of the {two} that its {three} refers to; without one the {four} is taken.")
    }
}
