//! The generator `embed`: what it writes, that this compiles, and what it refuses.

mod golden;

#[path = "embed/bytes.rs"]
#[rustfmt::skip]
#[allow(unreachable_pub, reason = "a library would have it public")]
mod bytes;
#[path = "embed/included.rs"]
#[rustfmt::skip]
#[allow(unreachable_pub, reason = "a library would have it public")]
mod included;
#[path = "embed/text.rs"]
#[rustfmt::skip]
#[allow(unreachable_pub, reason = "a library would have it public")]
mod text;

use std::fs;
use std::path::PathBuf;

use golden::{check, make, make_of, options, refusal, tests};

fn flags<'a>(dir: &'a str, form: &'a str, name: &'a str) -> Vec<(&'a str, &'a str)> {
    let (dir, form, name) = (("embed-dir", dir), ("embed-as", form), ("embed-name", name));
    vec![dir, form, name, ("embed-skip", "*.orig"), ("embed-skip", "guide/drafts")]
}

#[test]
fn a_directory_becomes_a_file() {
    let dir = tests().join("embed/pages").display().to_string();
    for (form, name) in [("bytes", "bytes.rs"), ("text", "text.rs"), ("include-text", "included.rs")] {
        let made = make(&["embed"], &options(&flags(&dir, form, name))).expect("it works");
        assert_eq!(made.files.len(), 1);
        check(&made.files);
    }
}

#[test]
fn files_are_found_by_their_paths() {
    let paths = ["empty.txt", "guide.txt", "guide/start.txt", "index.html"];
    assert_eq!(text::FILES.map(|file| file.path), paths);
    assert_eq!((text::COUNT, bytes::COUNT, included::COUNT), (4, 4, 4));
    assert!(text::FILES.is_sorted_by_key(|file| file.path));
    for path in paths {
        let on_disk = fs::read(tests().join("embed/pages").join(path)).expect("it works");
        assert_eq!(bytes::get(path).expect("it works"), on_disk);
        assert_eq!(text::get(path).expect("it works").as_bytes(), on_disk);
        assert_eq!(included::get(path), text::get(path));
    }
    let size: usize = bytes::FILES.iter().map(|file| file.contents.len()).sum();
    assert_eq!([bytes::SIZE, text::SIZE, included::SIZE], [size; 3]);
    for path in ["", "guide", "guide/", "guide/drafts/later.txt", ".hidden", "index.html.orig", "zzz"] {
        assert_eq!(text::get(path), None, "{path}");
    }
}

/// A directory of a test's own.
fn scratch(name: &str) -> PathBuf {
    let dir = std::env::temp_dir().join(format!("rhumb-embed-{name}-{}", std::process::id()));
    drop(fs::remove_dir_all(&dir));
    fs::create_dir_all(dir.join("files")).expect("it works");
    dir
}

fn refused(dir: &std::path::Path, form: &str) -> String {
    let files = dir.join("files").display().to_string();
    let refused = refusal(make(&["embed"], &options(&flags(&files, form, "files.rs"))));
    refused.replace(&format!("{}/", dir.display()), "")
}

#[test]
fn links_stay_inside() {
    use std::os::unix::fs::symlink;

    let dir = scratch("links");
    let files = dir.join("files");
    fs::write(dir.join("secret"), "s").expect("it works");
    fs::write(files.join("real"), "r").expect("it works");
    fs::create_dir(files.join("below")).expect("it works");
    symlink("real", files.join("inside")).expect("it works");
    let made = make(&["embed"], &options(&flags(&files.display().to_string(), "text", "files.rs")))
        .expect("it works");
    assert!(made.files.values().all(|text| text.contains("path: \"inside\"")));

    symlink("../secret", files.join("outside")).expect("it works");
    symlink(".", files.join("round")).expect("it works");
    symlink("nowhere", files.join("void")).expect("it works");
    let text = refused(&dir, "text");
    let lines: Vec<&str> = text.lines().collect();
    let mut expected = [
        "files/outside: is a link that leads out of files: put the file itself there, or skip it".to_owned(),
        "files/round: is a link to a directory: what is in it is embedded under its own path; skip the link"
            .to_owned(),
        "files/void: No such file or directory (os error 2)".to_owned(),
    ];
    expected.sort();
    let mut lines: Vec<String> =
        lines.iter().map(|line| line.replace(&dir.join("files").display().to_string(), "files")).collect();
    lines.sort();
    assert_eq!(lines, expected);
    fs::remove_dir_all(&dir).expect("it works");
}

#[test]
fn what_is_no_text_is_refused_as_text() {
    let dir = scratch("text");
    fs::write(dir.join("files/picture"), [0xff, 0]).expect("it works");
    assert_eq!(refused(&dir, "text"), "files/picture: is no UTF-8: skip it, or embed the files as bytes");
    assert_eq!(
        refused(&dir, "words"),
        "files can be embedded as `bytes`, `text`, `include` or `include-text`, not as \"words\""
    );
    fs::remove_dir_all(dir.join("files")).expect("it works");
    assert_eq!(refused(&dir, "bytes"), "files: No such file or directory (os error 2)");
    fs::remove_dir_all(&dir).expect("it works");
}

#[test]
fn names_of_files_are_names() {
    let dir = tests().join("embed/pages").display().to_string();
    for name in ["../x.rs", "a/b.rs", "x.txt", ""] {
        let text = refusal(make(&["embed"], &options(&flags(&dir, "text", name))));
        assert_eq!(text, format!("{name:?} is no name for a Rust file"));
    }
}

#[test]
fn a_module_says_what_it_embeds() {
    let dir = scratch("tag");
    fs::create_dir_all(dir.join("web/assets")).expect("it works");
    fs::write(dir.join("web/assets/a.txt"), "A").expect("it works");
    fs::write(dir.join("web/assets/a.tmp"), "B").expect("it works");
    let module = dir.join("web.rs");
    let run = |tag: &str| {
        fs::write(&module, format!("//! Pages.\n\n// +rhumb:embed={tag}\n\nuse std::fmt;\n"))
            .expect("it works");
        make_of(&["embed"], &[&module.display().to_string()], &options(&[]))
    };
    let made = run("assets,as=include,skip=*.tmp").expect("it works");
    let (path, text) = made.files.into_iter().next().expect("it works");
    assert!(path.ends_with("web/assets.rs"), "{path:?}");
    assert!(
        text.contains("include_bytes!(\"assets/a.txt\")") && text.contains("COUNT: usize = 1;"),
        "{text}"
    );
    for (tag, expected) in [
        ("", "web.rs:3: say which directory: `// +rhumb:embed=DIRECTORY`"),
        ("assets,as=words", "web.rs:3: files can be embedded as "),
        ("assets,odd", "web.rs:3: \"odd\" is none of `as=…`, `skip=…` and `name=…`"),
        ("assets,name=../x.rs", "web.rs:3: \"../x.rs\" is no name for a Rust file"),
    ] {
        let text = refusal(run(tag));
        assert!(text.contains(expected), "{text}");
    }
    fs::remove_dir_all(&dir).expect("it works");
}
