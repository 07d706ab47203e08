//! Kustomizations that try to bring a build down.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use rhumb_kustomize::{Built, Files, KustomizeError, Options, build};

/// Files in memory; a directory is what has files below it.
#[derive(Default)]
struct Memory(BTreeMap<PathBuf, Vec<u8>>);

impl Memory {
    fn with(files: &[(&str, &str)]) -> Memory {
        Memory(files.iter().map(|(path, text)| (PathBuf::from(path), text.as_bytes().to_vec())).collect())
    }

    fn build(&self, root: &str) -> Result<Built, KustomizeError> {
        build(self, Path::new(root), &Options::default())
    }
}

impl Files for Memory {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.0.get(path).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn absolute(&self, path: &Path) -> io::Result<PathBuf> {
        Ok(Path::new("/").join(path))
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        if self.exists(path) { Ok(path.to_owned()) } else { Err(io::ErrorKind::NotFound.into()) }
    }

    fn is_dir(&self, path: &Path) -> bool {
        self.0.keys().any(|file| file != path && file.starts_with(path))
    }

    fn exists(&self, path: &Path) -> bool {
        self.0.contains_key(path) || self.is_dir(path)
    }
}

const CONFIG_MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n";

fn error_of(files: &Memory, root: &str) -> String {
    files.build(root).expect_err("refused").to_string()
}

#[test]
fn files_need_not_be_on_a_disk() {
    let files = Memory::with(&[("/k/kustomization.yaml", "resources: [c.yaml]"), ("/k/c.yaml", CONFIG_MAP)]);
    let built = files.build("/k").expect("built");
    assert_eq!(built.to_yaml(), "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\n");
    assert_eq!(built.objects[0].file.as_deref(), Some("/k/c.yaml"));
}

#[test]
fn a_cycle_is_refused() {
    let files = Memory::with(&[
        ("/a/kustomization.yaml", "resources: [../b]"),
        ("/b/kustomization.yaml", "components: [../c]"),
        ("/c/kustomization.yaml", "kind: Component\nresources: [../a]"),
    ]);
    assert!(error_of(&files, "/a").contains("cycle detected"));
}

#[test]
fn a_long_chain_of_bases_is_refused() {
    let files = (0..2_000).map(|at| {
        let text = format!("resources: [../d{}]", at + 1);
        (PathBuf::from(format!("/d{at}/kustomization.yaml")), text.into_bytes())
    });
    assert!(error_of(&Memory(files.collect()), "/d0").contains("too deeply"));
}

#[test]
fn bases_that_double_at_every_step_are_refused() {
    // Each level has the one below twice under other names, so that the last would be built 2^20 times.
    let mut files = BTreeMap::new();
    let mut put = |path: String, text: String| files.insert(PathBuf::from(path), text.into_bytes());
    for at in 0..20 {
        put(format!("/l{at}/kustomization.yaml"), format!("resources: [../l{at}a, ../l{at}b]"));
        for side in ["a", "b"] {
            let text = format!("resources: [../l{}]\nnamePrefix: {side}", at + 1);
            put(format!("/l{at}{side}/kustomization.yaml"), text);
        }
    }
    put("/l20/kustomization.yaml".to_owned(), "resources: []".to_owned());
    assert!(error_of(&Memory(files), "/l0").contains("too many kustomizations"));
}

#[test]
fn aliases_that_multiply_are_refused() {
    let mut text =
        String::from("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\nx0: &x0 [a, a, a, a, a, a, a]\n");
    for at in 1..30 {
        let before = format!("*x{}", at - 1);
        let items = vec![before; 9].join(", ");
        text.push_str(&format!("x{at}: &x{at} [{items}]\n"));
    }
    let files = Memory::with(&[("/k/kustomization.yaml", "resources: [c.yaml]"), ("/k/c.yaml", &text)]);
    assert!(error_of(&files, "/k").contains("excessive aliasing"));
}

#[test]
fn an_alias_within_its_own_anchor_is_refused() {
    let text = format!("{CONFIG_MAP}data: &d\n  x: *d\n");
    let files = Memory::with(&[("/k/kustomization.yaml", "resources: [c.yaml]"), ("/k/c.yaml", &text)]);
    assert!(error_of(&files, "/k").contains("contains itself"));
}

#[test]
fn deep_nesting_is_refused() {
    for (open, close) in [("[", "]"), ("{a: ", "}")] {
        let text = format!("{CONFIG_MAP}x: {}{}\n", open.repeat(5_000), close.repeat(5_000));
        let files = Memory::with(&[("/k/kustomization.yaml", "resources: [c.yaml]"), ("/k/c.yaml", &text)]);
        assert!(error_of(&files, "/k").contains("max depth"));
        let kustomization = format!("resources: {}{}", open.repeat(5_000), close.repeat(5_000));
        let files = Memory::with(&[("/k/kustomization.yaml", &kustomization)]);
        error_of(&files, "/k");
    }
}

#[test]
fn nesting_that_is_allowed_is_walked() {
    let deep = format!("x: {}1{}", "{a: [".repeat(190), "]}".repeat(190));
    let kustomization = format!(
        "resources: [c.yaml]\nnamePrefix: p\nimages: [{{name: a, newTag: b}}]\npatches:\n- patch: |-\n    \
         {}    {deep}\n- target: {{kind: .*}}\n  \
         patch: '[{{\"op\": \"add\", \"path\": \"/y\", \"value\": 1}}]'\n",
        CONFIG_MAP.replace('\n', "\n    ").trim_end_matches(' ')
    );
    let text = format!("{CONFIG_MAP}{deep}\n");
    let files = Memory::with(&[("/k/kustomization.yaml", &kustomization), ("/k/c.yaml", &text)]);
    assert!(files.build("/k").expect("built").to_yaml().contains("name: pc"));
}

#[test]
fn remote_bases_are_refused_with_advice() {
    for path in [
        "https://example.com/deploy.yaml",
        "github.com/org/repo/deploy?ref=v1",
        "git@github.com:org/repo.git",
        "ssh://git@example.com/org/repo",
    ] {
        let text = format!("resources: ['{path}']");
        let error = error_of(&Memory::with(&[("/k/kustomization.yaml", &text)]), "/k");
        assert!(error.contains("fetch it first"), "{error}");
    }
}

/// A kustomization that touches whatever there is.
const ALL_SORTS: &str = r#"
resources: [c.yaml]
namePrefix: p
namespace: n
commonAnnotations: {a: b}
labels: [{pairs: {a: b}, includeSelectors: true}]
images: [{name: a, newTag: b}]
patches: [{target: {kind: .*}, patch: '[{"op": "add", "path": "/x", "value": 1}]'}]
"#;

#[test]
fn odd_documents_give_errors_and_no_panic() {
    let kustomizations = [
        "",
        "---",
        "null",
        "5",
        "[]",
        "a",
        "resources: null",
        "resources: [null]",
        "resources: ['']",
        "{",
        "patches: [null]",
        "patches: [{}]",
        "patches: [{patch: ' '}]",
        "images: [null]",
        "images: [{name: '('}]",
        "replacements: [{}]",
        "replacements: [{source: {}, targets: [{}]}]",
        "vars: [{}]",
        "labels: [{}]",
        "configMapGenerator: [{}]",
        "secretGenerator: [{name: a, literals: ['=', '']}]",
        "crds: [c.yaml]",
        "openapi: {path: c.yaml}",
        "openapi: {version: v9}",
        "configurations: [c.yaml]",
        "generators: ['', x]",
        "transformers: [c.yaml]",
        "validators: [c.yaml]",
        "sortOptions: {}",
        "buildMetadata: [x]",
        "resources: [c.yaml]\nreplacements: [{source: {kind: ConfigMap, fieldPath: '-'}, targets: \
         [{select: {}, \
         fieldPaths: ['a.[=', '[x=', 'a.-1', '[a=(]']}]}]",
        "resources: [c.yaml]\npatches: [{target: {kind: '('}, patch: '[]'}]",
        "resources: [c.yaml]\npatches: [{patch: \"{kind: ConfigMap, apiVersion: v1, metadata: {name: c}, \
         $patch: x}\"}]",
        "resources: [c.yaml]\nlabels: [{pairs: {a: b}, fields: [{path: ''}, {path: 'a//b', create: true}]}]",
        "resources: [c.yaml]\nnamespace: \"\\0\"",
        "resources: [c.yaml]\nreplacements: [{sourceValue: x, targets: [{select: {}, fieldPaths: \
         ['l.[name=^$].y'], options: {create: true}}]}]",
    ];
    for text in kustomizations {
        let files = Memory::with(&[("/k/kustomization.yaml", text), ("/k/c.yaml", CONFIG_MAP)]);
        let _ = files.build("/k");
    }
    let resources = [
        "\u{feff}",
        "%YAML 9",
        "? a",
        "- - -",
        "{{{{",
        "a: *b",
        "<<: 5",
        "<<: [[]]",
        "!!int x",
        "\"",
        "'",
        "|",
        "a: |9",
        "kind: List\nitems: 5",
        "kind: FooList\nitems: 5\nmetadata: {name: x}",
        "kind: [a]\nmetadata: [b]",
        "apiVersion: v1\nkind: A\nmetadata: {name: [x]}",
        "apiVersion: v1\nkind: A\nmetadata: {name: x, labels: 5}",
        "apiVersion: v1\nkind: A\nmetadata: {name: x, labels: {a: {b: c}}}\nspec: !!binary '###'",
        "apiVersion: v1\nkind: A\nmetadata: {name: x}\nn: .nan",
        "\n--- x\n",
        "\n---",
        "a\u{0}b",
    ];
    for text in resources {
        let files = Memory::with(&[("/k/kustomization.yaml", ALL_SORTS), ("/k/c.yaml", text)]);
        let _ = files.build("/k");
    }
}
