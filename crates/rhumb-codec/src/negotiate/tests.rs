//! Expectations printed by Kubernetes 1.36's own negotiation for the same headers.

use super::*;

const OWN_FORMATS_OF_CUSTOM: &[Format] = &[Format::Json, Format::Yaml];

fn endpoint(name: &str) -> Box<dyn Endpoint> {
    match name {
        "discovery" => Box::new(DiscoveryEndpoint),
        "resource" => Box::new(ResourceEndpoint::default()),
        "no-table" => Box::new(ResourceEndpoint { tables: false, ..ResourceEndpoint::default() }),
        "custom" => {
            Box::new(ResourceEndpoint { own_formats: OWN_FORMATS_OF_CUSTOM, ..ResourceEndpoint::default() })
        }
        _ => Box::new(PlainEndpoint),
    }
}

fn name(format: Format) -> &'static str {
    match format {
        Format::Json => "json",
        Format::Yaml => "yaml",
        Format::Protobuf => "protobuf",
    }
}

fn describe(agreed: &Negotiated) -> String {
    let mut text = name(agreed.format).to_owned();
    if agreed.pretty {
        text += " pretty";
    }
    if !agreed.stream.is_empty() {
        text += &format!(" stream={}", agreed.stream);
    }
    if let Some(kind) = &agreed.convert {
        text += &format!(" as {}|{}|{}", kind.group, kind.version, kind.kind);
    }
    if !agreed.server_version.is_empty() {
        text += &format!(" sv={}", agreed.server_version);
    }
    if agreed.export {
        text += " export";
    }
    if !agreed.profile.is_empty() {
        text += &format!(" profile={}", agreed.profile);
    }
    if !agreed.unrecognized.is_empty() {
        let mut unknown = agreed.unrecognized.clone();
        unknown.sort();
        text += &format!(" unknown={}", unknown.join("+"));
    }
    text
}

fn accepted(place: &str, header: &str) -> String {
    let wishes = Wishes { accept: header, ..Wishes::default() };
    match output(wishes, &Format::ALL, &*endpoint(place)) {
        Ok(agreed) => describe(&agreed),
        Err(error) => error.status().code.to_string(),
    }
}

fn streamed(place: &str, header: &str) -> String {
    match output_stream(header, &Format::ALL, &*endpoint(place)) {
        Ok(agreed) => name(agreed.format).to_owned(),
        Err(error) => error.status().code.to_string(),
    }
}

fn posted(header: &str) -> String {
    match input(header, Body::Single, &Format::ALL) {
        Ok(format) => name(format).to_owned(),
        Err(error) => error.status().code.to_string(),
    }
}

#[test]
fn accept_headers() {
    for (place, header, expect) in ACCEPT {
        assert_eq!(accepted(place, header), *expect, "{place}: {header}");
    }
}

#[test]
fn accept_headers_of_watches() {
    for (place, header, expect) in STREAM {
        assert_eq!(streamed(place, header), *expect, "{place}: {header}");
    }
}

#[test]
fn content_types() {
    for (header, expect) in CONTENT_TYPE {
        assert_eq!(posted(header), *expect, "{header}");
    }
}

#[test]
fn pretty_printing() {
    for (query, user_agent, expect) in PRETTY {
        let wishes = Wishes { accept: "", query, user_agent };
        let agreed = output(wishes, &Format::ALL, &PlainEndpoint).expect("an empty header is acceptable");
        assert_eq!(agreed.pretty, *expect, "{query} {user_agent}");
        let wishes = Wishes { accept: "application/yaml", ..wishes };
        let agreed = output(wishes, &Format::ALL, &PlainEndpoint).expect("YAML is acceptable");
        assert!(!agreed.pretty, "there is no other YAML");
    }
}

#[test]
fn errors_become_statuses() {
    let check = |error: NegotiationError, code: i32, reason: &str, message: &str| {
        let status = error.status();
        assert_eq!((status.code, &*status.reason, &*status.message), (code, reason, message));
        assert_eq!(
            (&*status.status, &*status.type_meta.kind, &*status.type_meta.api_version),
            ("Failure", "Status", "v1")
        );
    };
    let html = Wishes { accept: "text/html", ..Wishes::default() };
    check(
        output(html, &Format::ALL, &PlainEndpoint).expect_err("not a format"),
        406,
        "NotAcceptable",
        "only the following media types are accepted: application/json, application/yaml, \
         application/vnd.kubernetes.protobuf",
    );
    check(
        output_stream("text/html", &Format::ALL, &PlainEndpoint).expect_err("not a format"),
        406,
        "NotAcceptable",
        "only the following media types are accepted: application/json;stream=watch, \
         application/vnd.kubernetes.protobuf;stream=watch",
    );
    check(
        input("text/html", Body::Single, &Format::ALL).expect_err("not a format"),
        415,
        "UnsupportedMediaType",
        "the body of the request was in an unknown format - accepted media types include: application/json, \
         application/yaml, application/vnd.kubernetes.protobuf",
    );
    check(
        input("text/html", Body::Stream, &Format::ALL).expect_err("not a format"),
        415,
        "UnsupportedMediaType",
        "the body of the request was in an unknown format - accepted media types include: \
         application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch",
    );
    check(
        NegotiationError::NotAcceptableConversion {
            target: "v1.Table".into(),
            accepted: vec!["a/b".into(), "c/d".into()],
        },
        406,
        "NotAcceptable",
        "only the following media types are accepted when converting to v1.Table: a/b, c/d",
    );
}

#[test]
fn huge_headers_are_refused() {
    let clauses = |count: usize| vec!["application/json"; count].join(",");
    assert_eq!(accepted("plain", &clauses(MAX_CLAUSES)), "json");
    assert_eq!(accepted("plain", &clauses(MAX_CLAUSES + 1)), "406");
    let parameter = format!(";a={}", "b".repeat(MAX_HEADER));
    assert_eq!(accepted("plain", &format!("application/json{parameter}")), "406");
    assert_eq!(posted(&format!("application/json{parameter}")), "415");
}

#[test]
fn a_server_without_formats_accepts_nothing() {
    assert!(output(Wishes::default(), &[], &PlainEndpoint).is_err());
    assert!(input("", Body::Single, &[]).is_err());
}

#[test]
fn content_type_names_the_kind() {
    let header = "application/json;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io";
    let agreed = accept(header, &Format::ALL, &DiscoveryEndpoint).expect("discovery has this kind");
    assert_eq!(
        agreed.content_type_with_kind(),
        "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
    );
    let agreed = accept("", &Format::ALL, &PlainEndpoint).expect("an empty header is acceptable");
    assert_eq!(agreed.content_type_with_kind(), "application/json");
}

const ACCEPT: &[(&str, &str, &str)] = &[
    ("plain", "", "json"),
    ("plain", "application/json", "json"),
    ("plain", "application/yaml", "yaml"),
    ("plain", "application/vnd.kubernetes.protobuf", "protobuf"),
    ("plain", "application/cbor", "406"),
    ("plain", "text/html", "406"),
    ("plain", "*/*", "json"),
    ("plain", "*", "json"),
    ("plain", "*/", "json"),
    ("plain", "*/json", "406"),
    ("plain", "application/*", "json"),
    ("plain", "text/*", "406"),
    ("plain", "application", "406"),
    ("plain", "application/", "406"),
    ("plain", "application/json/", "json"),
    ("plain", "application/json/x", "406"),
    ("plain", "*//", "406"),
    ("plain", "APPLICATION/JSON", "406"),
    ("plain", " application / yaml ", "yaml"),
    ("plain", "\tapplication/yaml", "406"),
    ("plain", ",", "406"),
    ("plain", ",,application/yaml,", "yaml"),
    ("plain", "application/cbor,application/json", "json"),
    ("plain", "application/cbor, */*", "json"),
    ("plain", "application/yaml,application/json", "yaml"),
    ("plain", "application/json,application/yaml", "json"),
    ("plain", "application/vnd.kubernetes.protobuf,application/json", "protobuf"),
    ("plain", "application/json;q=0.5,application/yaml;q=0.9", "yaml"),
    ("plain", "application/json;q=0.5,application/yaml", "yaml"),
    ("plain", "application/json;q=0,application/yaml;q=0", "json"),
    ("plain", "application/json;q=0", "json"),
    ("plain", "application/json;q=x,application/yaml;q=0.1", "yaml"),
    ("plain", "application/json;q= 1,application/yaml;q=0.1", "yaml"),
    ("plain", "application/json; q =1,application/yaml;q=0.1", "json"),
    ("plain", "application/json;q=nan,application/yaml;q=1", "json"),
    ("plain", "application/yaml;q=1,application/json;q=inf", "json"),
    ("plain", "application/yaml;q=1,application/json;q=+nan", "yaml"),
    ("plain", "application/yaml;q=0.3,application/json;q=1e-99", "yaml"),
    ("plain", "application/yaml;q=7,application/json;q=1e99", "json"),
    ("plain", "application/yaml;q=0.30000001,application/json;q=0.3", "yaml"),
    ("plain", "*/*;q=1,application/yaml;q=0.1", "yaml"),
    ("plain", "application/yaml;q=0.1,*/*;q=1", "json"),
    ("plain", "*/*;q=0.8,application/*;q=0.9,application/yaml;q=0.1", "yaml"),
    ("plain", "application/*;q=0.2,*/*,text/html,application/yaml;q=0.1", "yaml"),
    (
        "plain",
        "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
        "json",
    ),
    (
        "plain",
        "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8,application/yaml;q=0.1",
        "yaml",
    ),
    ("plain", "application/json;pretty=1", "json pretty"),
    ("plain", "application/json;pretty=true", "json"),
    ("plain", "application/json;pretty=0", "json"),
    ("plain", "application/yaml;pretty=1", "yaml"),
    ("plain", "application/json;export=1", "json export"),
    ("plain", "application/json;export=true", "json"),
    ("plain", "application/json;stream=watch", "json stream=watch"),
    ("plain", "application/json;stream=other", "406"),
    ("plain", "application/yaml;stream=watch", "406"),
    ("plain", "application/yaml;stream=", "yaml"),
    ("plain", "*/*;stream=watch", "json stream=watch"),
    ("plain", "application/vnd.kubernetes.protobuf;stream=watch", "protobuf stream=watch"),
    ("plain", "application/json;sv=v1", "406"),
    ("plain", "application/json;sv=", "json"),
    ("plain", "application/json;sv==", "json"),
    ("plain", "application/json;as=Table;g=meta.k8s.io;v=v1", "406"),
    ("plain", "application/json;as=", "json"),
    ("plain", "application/json;as==", "406"),
    ("plain", "application/json;x=1;y=2;x=3", "json unknown=x+y"),
    ("plain", "application/json;=z", "json unknown="),
    ("plain", "application/json;a=b=c", "json"),
    ("plain", "application/json;a=b=", "json unknown=a"),
    ("plain", "application/json;profile=local", "json profile=local"),
    ("plain", "application/json;Pretty=1", "json unknown=Pretty"),
    ("plain", "application/json;pretty=1;pretty=0", "json"),
    ("plain", "application/json; pretty = 1 ", "json pretty"),
    ("plain", "application/json;pretty=\"1\"", "json"),
    ("resource", "application/json;as=Table;g=meta.k8s.io;v=v1", "json as meta.k8s.io|v1|Table"),
    ("resource", "application/json;as=Table;v=v1;g=meta.k8s.io", "json as meta.k8s.io|v1|Table"),
    ("resource", "application/json; v=v1 ; g=meta.k8s.io;  as=Table", "json as meta.k8s.io|v1|Table"),
    ("resource", "application/json;as=Table;g=meta.k8s.io;v=v1beta1", "json as meta.k8s.io|v1beta1|Table"),
    ("resource", "application/json;as=Table;g=meta.k8s.io;v=v2", "406"),
    ("resource", "application/json;as=Table;g=meta.k8s.io", "406"),
    ("resource", "application/json;as=Table;v=v1", "406"),
    ("resource", "application/json;as=Table", "406"),
    ("resource", "application/json;as=\"Table\";g=meta.k8s.io;v=v1", "406"),
    ("resource", "application/json;as=table;g=meta.k8s.io;v=v1", "406"),
    ("resource", "application/json;g=meta.k8s.io;v=v1", "406"),
    ("resource", "application/json;v=v1", "406"),
    ("resource", "application/yaml;as=Table;g=meta.k8s.io;v=v1", "yaml as meta.k8s.io|v1|Table"),
    ("resource", "application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1", "406"),
    ("resource", "*/*;as=Table;g=meta.k8s.io;v=v1", "json as meta.k8s.io|v1|Table"),
    ("resource", "application/*;as=Table;g=meta.k8s.io;v=v1,application/yaml", "yaml"),
    (
        "resource",
        "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json",
        "json as meta.k8s.io|v1|Table",
    ),
    (
        "resource",
        "application/json;as=Table;v=v2;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json",
        "json as meta.k8s.io|v1beta1|Table",
    ),
    ("resource", "application/json;as=Table;v=v2;g=meta.k8s.io,application/json", "json"),
    (
        "resource",
        "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
        "json as meta.k8s.io|v1|PartialObjectMetadata",
    ),
    (
        "resource",
        "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
        "protobuf as meta.k8s.io|v1|PartialObjectMetadata",
    ),
    (
        "resource",
        "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json",
        "protobuf as meta.k8s.io|v1|PartialObjectMetadataList",
    ),
    (
        "resource",
        "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1beta1",
        "json as meta.k8s.io|v1beta1|PartialObjectMetadataList",
    ),
    ("resource", "application/json;as=APIGroupDiscoveryList;g=apidiscovery.k8s.io;v=v2", "406"),
    ("resource", "application/json;as=Pod;g=;v=v1", "406"),
    ("resource", "application/json;sv=v1", "json sv=v1"),
    ("resource", "application/json;sv=v2", "406"),
    (
        "resource",
        "application/json;as=Table;g=meta.k8s.io;v=v1;stream=watch;pretty=1",
        "json pretty stream=watch as meta.k8s.io|v1|Table",
    ),
    ("no-table", "application/json;as=Table;g=meta.k8s.io;v=v1", "406"),
    ("no-table", "application/json;as=Table;g=meta.k8s.io;v=v1,application/json", "json"),
    (
        "no-table",
        "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
        "json as meta.k8s.io|v1|PartialObjectMetadata",
    ),
    ("custom", "application/vnd.kubernetes.protobuf", "406"),
    ("custom", "application/vnd.kubernetes.protobuf,application/json", "json"),
    (
        "custom",
        "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
        "protobuf as meta.k8s.io|v1|PartialObjectMetadata",
    ),
    ("custom", "application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1", "406"),
    ("custom", "*/*", "json"),
    ("discovery", "application/json", "406"),
    ("discovery", "", "json"),
    ("discovery", "*/*", "406"),
    (
        "discovery",
        "application/json;as=APIGroupDiscoveryList;g=apidiscovery.k8s.io;v=v2",
        "json as apidiscovery.k8s.io|v2|APIGroupDiscoveryList",
    ),
    (
        "discovery",
        "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList;profile=local",
        "json as apidiscovery.k8s.io|v2|APIGroupDiscoveryList profile=local",
    ),
    ("discovery", "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList", "406"),
    (
        "discovery",
        "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json",
        "json as apidiscovery.k8s.io|v2|APIGroupDiscoveryList",
    ),
    (
        "discovery",
        "application/vnd.kubernetes.protobuf;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
        "protobuf as apidiscovery.k8s.io|v2|APIGroupDiscoveryList",
    ),
];

const STREAM: &[(&str, &str, &str)] = &[
    ("resource", "", "json"),
    ("resource", "application/json", "json"),
    ("resource", "application/json;stream=watch", "json"),
    ("resource", "application/vnd.kubernetes.protobuf;stream=watch", "protobuf"),
    ("resource", "application/vnd.kubernetes.protobuf", "protobuf"),
    (
        "resource",
        "application/vnd.kubernetes.protobuf;stream=watch,application/json;stream=watch",
        "protobuf",
    ),
    ("resource", "application/yaml", "406"),
    ("resource", "application/yaml,application/json", "406"),
    ("resource", "application/yaml;stream=watch,application/json", "json"),
    ("resource", "*/*", "json"),
    ("resource", "text/html", "406"),
    ("resource", "application/json;as=Table;g=meta.k8s.io;v=v1;stream=watch", "json"),
    ("resource", "application/cbor-seq", "406"),
];

const CONTENT_TYPE: &[(&str, &str)] = &[
    ("", "json"),
    ("application/json", "json"),
    ("application/yaml", "yaml"),
    ("application/vnd.kubernetes.protobuf", "protobuf"),
    ("application/cbor", "415"),
    ("application/json; charset=utf-8", "json"),
    ("application/json;charset=\"utf-8\"", "json"),
    ("application/json ; charset = UTF-8", "json"),
    ("Application/JSON", "json"),
    (" application/json ", "json"),
    ("application/json;", "json"),
    ("application/json; ;", "415"),
    ("application/json;;charset=utf-8", "415"),
    ("application/json; charset", "415"),
    ("application/json; charset=", "415"),
    ("application/json; charset=\"\"", "json"),
    ("application/json; charset=\"utf", "415"),
    ("application/json; =utf-8", "415"),
    ("application/json; a=b; a=b", "json"),
    ("application/json; a=b; A=c", "415"),
    ("application/json; a=b; a=\"b\"", "json"),
    ("application/json; a*0=b; a*0=c", "415"),
    ("application/json; a=b c", "415"),
    ("application/json; a=\"b;c\"", "json"),
    ("application/json; a=\"b\\\"c\"; a=\"b\\\"d\"", "415"),
    ("application/json; a=\"b\\c\"; a=\"b\\\\c\"", "json"),
    ("application/json; a=\u{e9}", "415"),
    ("application/json; a=\"\u{e9}\"", "json"),
    ("application/json,application/yaml", "415"),
    ("application/json/x", "415"),
    ("application/", "415"),
    ("application", "415"),
    ("/json", "415"),
    ("json", "415"),
    ("*/*", "415"),
    ("text/html", "415"),
    ("application/json-patch+json", "415"),
    ("application/x-www-form-urlencoded", "415"),
    ("\tapplication/yaml;\ta=b", "yaml"),
];

/// Query, user agent, whether the answer is indented.
const PRETTY: &[(&str, &str, bool)] = &[
    ("", "", false),
    ("pretty=1", "", true),
    ("pretty=true", "", true),
    ("pretty=T", "", true),
    ("pretty=yes", "", false),
    ("pretty=tRue", "", false),
    ("pretty", "", false),
    ("pretty=", "", false),
    ("pretty=", "curl/8.0", true),
    ("pretty=0", "curl/8.0", false),
    ("pretty=false", "curl/8.0", false),
    ("pretty=x", "curl/8.0", false),
    ("a=b&pretty=1", "", true),
    ("pretty=1&pretty=0", "", true),
    ("pretty=0&pretty=1", "", false),
    ("pretty=&pretty=1", "", false),
    ("%70retty=1", "", false),
    ("prett%79=1", "", false),
    ("x=pretty&%70retty=1", "", true),
    ("pretty=%31", "", true),
    ("pretty=%zz", "curl/8.0", true),
    ("pretty=1;a=b", "", false),
    ("notpretty=1", "", false),
    ("", "curl/8.0", true),
    ("", "Curl/8.0", false),
    ("", "Wget/1.2", true),
    ("", "wget/1.2", false),
    ("", "Mozilla/5.0 (X11)", true),
    ("", "Mozilla/4.0", false),
    ("", "kubectl/v1.36.0", false),
    ("", "my-curl", false),
];
