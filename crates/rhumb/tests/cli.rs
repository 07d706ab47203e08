//! The commands from end to end: the binary is run as a person runs it, and judged by what it prints and how it ends.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

#[path = "cli/cel.rs"]
mod cel;

/// Runs a command line.
fn rhumb(arguments: &[&str]) -> Output {
    rhumb_reading(arguments, b"")
}

/// Runs a command line with something on standard input.
fn rhumb_reading(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_rhumb"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut stdin = child.stdin.take().expect("standard input is a pipe");
    let input = input.to_vec();
    // A command that doesn't read its input closes the pipe, which is no failure.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().expect("the binary ends");
    writer.join().expect("the writer ends");
    output
}

/// What a command line prints, if it ends well and has nothing to say on standard error.
fn printed(arguments: &[&str], input: &[u8]) -> Vec<u8> {
    let output = rhumb_reading(arguments, input);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()), "{arguments:?}");
    output.stdout
}

/// What a command line says when it fails with an exit code; it prints nothing then.
fn said(code: i32, arguments: &[&str], input: &str) -> String {
    let output = rhumb_reading(arguments, input.as_bytes());
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", text(&output.stderr));
    assert_eq!(text(&output.stdout), "", "{arguments:?}");
    text(&output.stderr).trim_end().to_owned()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn data(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(path)
}

fn path(path: &Path) -> &str {
    path.to_str().expect("the path is text")
}

/// A file of a test's own.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str, content: &[u8]) -> Self {
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("cli-{name}"));
        std::fs::write(&file, content).expect("the file can be written");
        Scratch(file)
    }

    fn name(&self) -> &str {
        path(&self.0)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        drop(std::fs::remove_file(&self.0));
    }
}

const FORMATS: [(&str, &str); 3] = [("json", "json"), ("yaml", "yaml"), ("pb", "protobuf")];

#[test]
fn transcode_writes_golden_files_in_every_pair_of_formats() {
    let mut stems: Vec<String> = std::fs::read_dir(data("golden"))
        .expect("the folder can be read")
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.strip_suffix(".json").map(str::to_owned))
        .collect();
    stems.sort();
    let mut failures = Vec::new();
    for (index, stem) in stems.iter().enumerate() {
        let file = |extension: &str| data(&format!("golden/{stem}.{extension}"));
        for (from, _) in FORMATS {
            for (to, output) in FORMATS {
                let want = std::fs::read(file(to)).expect("the golden file is there");
                // Files and standard input take turns.
                let got = if index % 2 == 0 {
                    printed(&["transcode", "-f", path(&file(from)), "-o", output], b"")
                } else {
                    let input = std::fs::read(file(from)).expect("the golden file is there");
                    printed(&["transcode", "--filename", "-", "--output", output], &input)
                };
                if got != want {
                    failures.push(format!("{stem} from {from} to {to}"));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn transcode_reads_several_documents_and_passes_over_comments() {
    let stream = "# before\n---\napiVersion: v1\nkind: ConfigMap # behind\nmetadata: {name: a}\n---\n# nothing\n---\n\
                  kind: Namespace\napiVersion: v1\nmetadata:\n  name: b\n";
    let yaml = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n---\napiVersion: v1\nkind: Namespace\n\
                metadata:\n  name: b\nspec: {}\nstatus: {}\n";
    assert_eq!(text(&printed(&["transcode", "-f", "-"], stream.as_bytes())), yaml);
    let json = text(&printed(&["transcode", "-f", "-", "-o", "json"], stream.as_bytes()));
    assert_eq!(text(&printed(&["transcode", "-f", "-"], json.as_bytes())), yaml);
    // Several files are read one after the other.
    let (first, second) = (
        Scratch::new("a.yaml", b"{kind: Namespace, apiVersion: v1}"),
        Scratch::new("b.json", json.as_bytes()),
    );
    let both = text(&printed(&["transcode", "-f", first.name(), "-f", second.name()], b""));
    assert_eq!(
        both,
        format!("apiVersion: v1\nkind: Namespace\nmetadata: {{}}\nspec: {{}}\nstatus: {{}}\n---\n{yaml}")
    );
}

/// A mapping in braces begins like JSON.
#[test]
fn what_begins_like_json_may_be_yaml() {
    let namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {}\nspec: {}\nstatus: {}\n";
    let two = format!("{namespace}---\n{namespace}");
    let check = |input: &str, want: &str| {
        assert_eq!(text(&printed(&["transcode", "-f", "-"], input.as_bytes())), want, "{input}");
    };
    check("{kind: Namespace, apiVersion: v1}", namespace);
    check("{kind: Namespace, apiVersion: v1}\n---\n{kind: Namespace, apiVersion: v1}\n", &two);
    check("{\"kind\": \"Namespace\", \"apiVersion\": \"v1\"}\n---\nkind: Namespace\napiVersion: v1\n", &two);
    check("kind: Namespace\napiVersion: v1\n---\n{\"kind\": \"Namespace\", \"apiVersion\": \"v1\"}\n", &two);
    let late = "{\"kind\":\"Namespace\",\"apiVersion\":\"v1\"}\n".repeat(2) + "---\nkind: Pod\n";
    assert_eq!(
        said(1, &["transcode", "-f", "-"], &late),
        "error: STDIN, line 3: invalid character '-' in numeric literal"
    );
}

#[test]
fn transcode_keeps_lists_as_they_are() {
    let list = "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Pod\n- apiVersion: example.com/v1\n  kind: Unknown\n\
                kind: List\nmetadata: {}\n";
    assert_eq!(text(&printed(&["transcode", "-f", "-"], list.as_bytes())), list);
    let protobuf = printed(&["transcode", "-f", "-", "-o", "protobuf"], list.as_bytes());
    assert!(protobuf.starts_with(b"k8s\0"));
    assert_eq!(text(&printed(&["transcode", "-f", "-"], &protobuf)), list);
}

#[test]
fn what_cannot_be_read_is_told_with_its_place() {
    let check = |input: &str, want: &str| assert_eq!(said(1, &["transcode", "-f", "-"], input), want);
    check("", "error: no objects found in STDIN");
    check("# nothing\n---\n# at all\n", "error: no objects found in STDIN");
    check("kind: Pod", "error: STDIN: Object 'apiVersion' is missing in 'kind: Pod'");
    check("a: b", "error: STDIN: Object 'Kind' is missing in 'a: b'");
    check(
        "{kind: Toaster, apiVersion: kitchen.example.com/v1}",
        "error: STDIN: no kind \"Toaster\" is registered for version \"kitchen.example.com/v1\" in scheme \"rhumb\"",
    );
    check(
        "kind: Namespace\napiVersion: v1\n---\nkind: Pod\napiVersion: v1\nmetadata: [",
        "error: STDIN, document at line 4: yaml: line 3: did not find expected node content",
    );
    check("kind: Pod\n--- no\n", "error: STDIN, line 2: invalid Yaml document separator: no");
    check("{\n\"kind\":\n]}", "error: STDIN, line 3: invalid character ']' looking for beginning of value");
    let bad = Scratch::new("bad.yaml", b"kind: Pod\nmetadata:\n  name: a\n bad: x\n");
    assert_eq!(
        said(1, &["transcode", "-f", bad.name()], ""),
        format!("error: {}: yaml: line 3: did not find expected key", bad.name())
    );
    let wrong = "kind: Pod\napiVersion: v1\nmetadata: {name: 5}";
    let words = "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string";
    check(wrong, &format!("error: STDIN: {words}"));
    let missing = said(1, &["transcode", "-f", "no/such/file.yaml"], "");
    assert!(missing.starts_with("error: cannot read \"no/such/file.yaml\": "), "{missing}");
    let folder = said(1, &["transcode", "-f", env!("CARGO_TARGET_TMPDIR")], "");
    assert!(folder.contains(env!("CARGO_TARGET_TMPDIR")), "{folder}");
}

#[test]
fn protobuf_holds_one_object() {
    let two = "{kind: Namespace, apiVersion: v1}\n---\n{kind: Namespace, apiVersion: v1}\n";
    assert_eq!(
        said(1, &["transcode", "-f", "-", "-o", "protobuf"], two),
        "error: protobuf output holds one object, but there are 2; use -o json or -o yaml"
    );
}

#[test]
fn wrong_command_lines_end_with_one() {
    for arguments in [
        &["transcode"][..],
        &["transcode", "-f", "-", "-o", "xml"],
        &["convert"],
        &["scheme", "show", "apps/v1"],
        &["scheme", "paint"],
        &["sail"],
    ] {
        let words = said(1, arguments, "");
        assert!(words.starts_with("error: "), "{arguments:?}: {words}");
    }
    assert_eq!(rhumb(&["--help"]).status.code(), Some(0));
}

/// As in `rhumb scheme graph | head -c 1`.
#[test]
fn a_reader_that_stops_early_is_no_error() {
    // More than a pipe holds, so that writing fails.
    let long = format!("{{kind: ConfigMap, apiVersion: v1, data: {{a: {}}}}}", "x".repeat(1 << 20));
    let file = Scratch::new("long.yaml", long.as_bytes());
    let mut child = Command::new(env!("CARGO_BIN_EXE_rhumb"))
        .args(["transcode", "-f", file.name()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the binary ends");
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()));
}

/// Every file `INPUT@VERSION.FORMAT.expected` is what kubectl-convert 1.36 printed for `INPUT.yaml` or `INPUT.json`
/// with that `--output-version`, or without one, and that `-o`.
#[test]
fn convert_prints_what_kubectl_convert_prints() {
    let folder = data("data/convert");
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .expect("the folder can be read")
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.strip_suffix(".expected").map(str::to_owned))
        .collect();
    names.sort();
    assert_eq!(names.len(), 159);
    let mut failures = Vec::new();
    for name in names {
        let (stem, rest) = name.split_once('@').expect("INPUT@VERSION.FORMAT");
        let (version, format) = rest.rsplit_once('.').expect("VERSION.FORMAT");
        let [yaml, json] = ["yaml", "json"].map(|extension| folder.join(format!("{stem}.{extension}")));
        let input = if yaml.exists() { yaml } else { json };
        let mut arguments = vec!["convert", "-f", path(&input), "-o", format];
        let version = version.replace('_', "/");
        if version != "preferred" {
            arguments.extend(["--output-version", &version]);
        }
        let output = rhumb(&arguments);
        let want = std::fs::read(folder.join(format!("{name}.expected"))).expect("the file can be read");
        if output.stdout != want || output.status.code() != Some(0) {
            let (got, want) = (text(&output.stdout), text(&want));
            let differing = got.lines().zip(want.lines()).enumerate().find(|(_, (got, want))| got != want);
            failures.push(format!("{name}: {differing:?} {}", text(&output.stderr)));
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

const NAMESPACE: &str =
    "kind: Namespace\napiVersion: v1\nmetadata:\n  name: ns\n  managedFields: [{manager: m}]\n";

/// Like kubectl-convert, which lists whatever it reads from standard input or from several files.
#[test]
fn convert_prints_a_list_unless_there_is_one_object_in_one_file() {
    let file = Scratch::new("namespace.yaml", NAMESPACE.as_bytes());
    let alone = text(&printed(&["convert", "-f", file.name()], b""));
    assert!(alone.starts_with("apiVersion: v1\nkind: Namespace\n"), "{alone}");
    let listed = text(&printed(&["convert", "-f", "-"], NAMESPACE.as_bytes()));
    assert!(listed.starts_with("apiVersion: v1\nitems:\n- apiVersion: v1\n"), "{listed}");
    let twice = text(&printed(&["convert", "-f", file.name(), "-f", file.name(), "-o", "json"], b""));
    assert_eq!(twice.matches("\"kind\": \"Namespace\"").count(), 2);
    let names = text(&printed(&["convert", "-f", file.name(), "-f", file.name(), "-o", "name"], b""));
    assert_eq!(names, "namespace/ns\nnamespace/ns\n");
}

#[test]
fn convert_leaves_managed_fields_out_unless_they_are_asked_for() {
    let without = text(&printed(&["convert", "-f", "-"], NAMESPACE.as_bytes()));
    assert!(!without.contains("managedFields"), "{without}");
    let with = text(&printed(&["convert", "-f", "-", "--show-managed-fields"], NAMESPACE.as_bytes()));
    assert!(with.contains("managedFields:\n    - manager: m\n"), "{with}");
}

#[test]
fn transcode_takes_the_frame_of_a_watch_and_forgets_its_layout() {
    let json = b"{\n  \"type\": \"ADDED\",\n  \"object\": {\n    \"kind\": \"Pod\"\n  }\n}";
    let yaml = b"object:\n  kind: Pod\ntype: ADDED\n";
    let protobuf =
        b"k8s\0\x0a\x04\x0a\0\x12\0\x12\x19\x0a\x05ADDED\x12\x10\x0a\x0e{\"kind\":\"Pod\"}\x1a\0\"\0";
    for input in [&json[..], yaml, protobuf] {
        assert_eq!(text(&printed(&["transcode", "-f", "-", "-o", "json"], input)), text(json));
        assert_eq!(text(&printed(&["transcode", "-f", "-", "-o", "yaml"], input)), text(yaml));
        assert_eq!(text(&printed(&["transcode", "-f", "-", "-o", "protobuf"], input)), text(protobuf));
    }
    let words = said(1, &["transcode", "-f", "-", "-o", "json"], "{type: ADDED}");
    assert!(words.starts_with("error: STDIN: Object 'Kind' is missing in "), "{words}");
}

#[test]
fn convert_tells_what_it_leaves_out_and_which_versions_there_are() {
    let output = rhumb_reading(&["convert", "-f", "-", "--output-version", "apps/v1"], NAMESPACE.as_bytes());
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stdout), "apiVersion: v1\nitems: []\nkind: List\nmetadata: {}\n");
    assert_eq!(
        text(&output.stderr),
        "warning: STDIN: Namespace \"ns\" is left out: apps/v1 has no Namespace\n"
    );
    assert_eq!(
        said(1, &["convert", "-f", "-", "--output-version", "apps/v9"], NAMESPACE),
        "error: unknown version \"apps/v9\". Known versions of this group are: apps/v1, apps/v1beta2, apps/v1beta1"
    );
    let words = said(1, &["convert", "-f", "-", "--output-version", "tools/v1"], NAMESPACE);
    assert!(
        words.starts_with("error: unknown version \"tools/v1\". Known are: v1, admission.k8s.io/v1, "),
        "{words}"
    );
    let words = said(1, &["convert", "-f", "-", "--output-version", "a/b/c"], NAMESPACE);
    assert!(
        words.starts_with("error: \"a/b/c\" is not a version; expected GROUP/VERSION. Known are: v1, "),
        "{words}"
    );
    assert_eq!(
        said(1, &["convert", "-f", "-"], "{kind: List, apiVersion: v1}"),
        "error: no objects passed to convert: none found in STDIN"
    );
    let refused = "{kind: Deployment, apiVersion: apps/v1, metadata: {annotations: {deprecated.deployment.rollback.to: x}}}";
    assert_eq!(
        said(1, &["convert", "-f", "-"], refused),
        "error: STDIN: failed to parse annotation[deprecated.deployment.rollback.to]=x as int64: strconv.ParseInt: \
         parsing \"x\": invalid syntax"
    );
}

#[test]
fn scheme_kinds_lists_kinds_by_group() {
    let all = text(&printed(&["scheme", "kinds"], b""));
    let apps = text(&printed(&["scheme", "kinds", "--group", "apps"], b""));
    let core = text(&printed(&["scheme", "kinds", "--group", ""], b""));
    assert!(
        all.starts_with("KIND ") && all.lines().count() > apps.lines().count() + core.lines().count() - 4
    );
    let row = |table: &str, kind: &str| -> Vec<String> {
        let line = table.lines().find(|line| line.split_whitespace().next() == Some(kind));
        line.unwrap_or_default().split_whitespace().map(str::to_owned).collect()
    };
    assert_eq!(row(&apps, "Deployment"), ["Deployment", "apps", "v1,v1beta2,v1beta1*", "v1.Deployment"]);
    assert_eq!(row(&core, "Pod"), ["Pod", "v1", "v1.Pod"]);
    assert!(row(&apps, "Pod").is_empty() && row(&core, "Deployment").is_empty());
    let words = said(1, &["scheme", "kinds", "--group", "tools"], "");
    assert!(
        words.starts_with("error: no group \"tools\" is registered. Known are: \"\", \"admission.k8s.io\", "),
        "{words}"
    );
}

#[test]
fn scheme_kinds_are_there_for_programs() {
    let all: serde_json::Value =
        serde_json::from_slice(&printed(&["scheme", "kinds", "-o", "json"], b"")).expect("it is JSON");
    let deployment = all
        .as_array()
        .into_iter()
        .flatten()
        .find(|kind| kind["group"] == "apps" && kind["kind"] == "Deployment")
        .expect("it is listed");
    assert_eq!(
        *deployment,
        serde_json::json!({
            "group": "apps",
            "kind": "Deployment",
            "versions": [
                {"name": "v1", "conversion": "SameType"},
                {"name": "v1beta2", "conversion": "SameType"},
                {"name": "v1beta1", "conversion": "Function"},
            ],
            "hub": "v1.Deployment",
        })
    );
    let apps = printed(&["scheme", "kinds", "--output=json", "--group", "apps"], b"");
    let apps: Vec<serde_json::Value> = serde_json::from_slice(&apps).expect("it is JSON");
    assert!(apps.iter().all(|kind| kind["group"] == "apps"));
    let words = said(1, &["scheme", "kinds", "-o", "yaml"], "");
    assert!(
        words.starts_with("error: invalid value \"yaml\" for --output; allowed values: table, json"),
        "{words}"
    );
}

#[test]
fn scheme_show_tells_the_fields_of_a_kind() {
    let shown = text(&printed(&["scheme", "show", "apps/v1", "Deployment"], b""));
    assert!(shown.starts_with("apps/v1, Kind=Deployment\n"), "{shown}");
    for part in ["\nalso: v1beta2, v1beta1\n", "\nDeploymentSpec\n", "\nPodSpec\n", "map[string]Quantity"] {
        assert!(shown.contains(part), "{part:?} is not shown");
    }
    let in_other_case = text(&printed(&["scheme", "show", "Apps/V1", "deployment"], b""));
    assert_eq!(in_other_case, shown, "case doesn't matter");
    let words = said(1, &["scheme", "show", "apps/v9", "Deployment"], "");
    assert!(
        words.starts_with("error: unknown version \"apps/v9\". Known are: v1, admission.k8s.io/v1, "),
        "{words}"
    );
    let words = said(1, &["scheme", "show", "apps/v1", "Deploymnet"], "");
    assert!(
        words.starts_with("error: no kind \"Deploymnet\" in apps/v1. Known are: ControllerRevision, "),
        "{words}"
    );
    let words = said(1, &["scheme", "show", "a/b/c", "Pod"], "");
    assert_eq!(words, "error: \"a/b/c\" is not a version; expected GROUP/VERSION, such as apps/v1");
}

#[test]
fn scheme_graph_is_well_formed_and_shows_every_version() {
    let svg = text(&printed(&["scheme", "graph"], b""));
    let texts = texts_of_xml(&svg);
    let scheme = rhumb_api::scheme().expect("the built-in scheme freezes");
    for gv in scheme.prioritized_versions_all_groups() {
        let group = if gv.group.is_empty() { "core" } else { &gv.group };
        assert!(texts.contains(group), "{group} is not in the picture");
        assert!(texts.contains(&*gv.version), "{gv} is not in the picture");
    }
    assert_eq!(svg.matches("<title>").count(), 1);
    let versions = scheme.prioritized_versions_all_groups().len();
    assert!(texts.contains(&*format!("{} groups, {versions} versions", scheme.preferred_versions().len())));
}

#[test]
fn scheme_graph_shows_the_kinds_of_a_group() {
    let svg = text(&printed(&["scheme", "graph", "--group", "apps"], b""));
    let texts = texts_of_xml(&svg);
    for part in
        ["apps", "Deployment", "Scale", "v1", "v1beta1", "preferred", "served", "not served", "stored"]
    {
        assert!(texts.contains(part), "{part} is not in the picture");
    }
    for other in ["DeleteOptions", "WatchEvent", "DeploymentList"] {
        assert!(!texts.contains(other), "{other} says nothing");
    }
    // Five kinds are stored, each in one version.
    assert_eq!(svg.matches(">stored<").count(), 5, "{svg}");
    assert_eq!(svg.matches(">preferred<").count(), 1);
    let core = text(&printed(&["scheme", "graph", "--group", ""], b""));
    assert!(texts_of_xml(&core).contains("Pod"));
    let words = said(1, &["scheme", "graph", "--group", "tools"], "");
    assert!(words.starts_with("error: no group \"tools\" is registered. Known are: \"\","), "{words}");
    // The overview counts what is a version's own: five kinds, a Scale and a rollback, whatever every version has.
    let all = text(&printed(&["scheme", "graph"], b""));
    assert!(texts_of_xml(&all).contains("5 kinds"), "{all}");
}

/// The texts between the tags of an XML document, which must be closed in the order they were opened, with all
/// attributes in quotes and each only once.
fn texts_of_xml(document: &str) -> BTreeSet<String> {
    let (mut texts, mut open) = (BTreeSet::new(), Vec::new());
    let mut rest = document;
    while let Some((before, behind)) = rest.split_once('<') {
        assert!(!before.contains('>') && !before.contains("& "), "{before:?}");
        if !before.trim().is_empty() {
            assert!(!open.is_empty(), "{before:?} is outside of everything");
            texts.insert(before.trim().to_owned());
        }
        let (tag, behind) = behind.split_once('>').expect("every tag has an end");
        rest = behind;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "closed in another order than opened");
            continue;
        }
        let body = tag.strip_suffix('/').unwrap_or(tag);
        let (name, mut attributes) = body.split_once(' ').unwrap_or((body, ""));
        let mut seen = BTreeSet::new();
        while let Some((key, value)) = attributes.trim_start().split_once("=\"") {
            assert!(key.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'), "attribute {key:?}");
            assert!(seen.insert(key), "{key} twice in {tag:?}");
            attributes = value.split_once('"').expect("every attribute has an end").1;
        }
        assert_eq!(attributes.trim(), "", "what is left of {tag:?}");
        if !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert!(open.is_empty() && rest.trim().is_empty(), "{open:?} is never closed");
    texts
}

/// `cargo run` without a name refuses to choose between binaries, so the workspace must name ours.
#[test]
fn the_first_command_of_the_readme_does_what_it_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |name: &str| std::fs::read_to_string(root.join(name)).expect("the file can be read");
    assert!(read("Cargo.toml").contains("default-members = [\"crates/rhumb\"]"));
    let readme = read("README.md");
    let command = readme.lines().find_map(|line| line.strip_prefix("$ cargo run --release -- "));
    let command = command.expect("the README has a command");
    assert_eq!(command, "serve");
    // The same in a directory of its own, and on a port that nobody has.
    let home = std::env::temp_dir().join(format!("rhumb-readme-{}", std::process::id()));
    let mut server = Command::new(env!("CARGO_BIN_EXE_rhumb"))
        .args([command, "--listen", "127.0.0.1:0"])
        .env("XDG_DATA_HOME", &home)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the server starts");
    let mut line = String::new();
    let out = server.stdout.take().expect("the server's output");
    std::io::BufRead::read_line(&mut std::io::BufReader::new(out), &mut line).expect("a line");
    server.kill().expect("the server ends");
    server.wait().expect("the server has ended");
    let kubeconfig = line.trim_end().rsplit_once("kubeconfig ").map(|(_, path)| path.to_owned());
    let written =
        kubeconfig.is_some_and(|path| Path::new(&path).starts_with(&home) && Path::new(&path).exists());
    std::fs::remove_dir_all(&home).expect("the directory can go");
    assert!(line.starts_with("ready at https://127.0.0.1:") && written, "{line}");
}

/// The type that a file says it has, in the head of ELF: a program at a fixed address, and not one that is loaded
/// anywhere.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn the_program_is_loaded_where_it_was_linked_for() {
    const FIXED: u8 = 2;
    let program = std::fs::read(env!("CARGO_BIN_EXE_rhumb")).expect("the binary can be read");
    assert_eq!((program.get(..4), program.get(16)), (Some(&b"\x7fELF"[..]), Some(&FIXED)));
}
