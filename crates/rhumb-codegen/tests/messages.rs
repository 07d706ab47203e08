//! The generator `messages`: what it writes, that this compiles and speaks, and what it refuses.

mod golden;

#[path = "messages/locale.rs"]
#[rustfmt::skip]
#[allow(unreachable_pub, reason = "a library would have it public")]
mod locale;

use std::fs;

use golden::{check, make, make_of, options, refusal, relative, tests};
use locale::{Language, fill, plural, text};

#[test]
fn languages_become_a_table() {
    let dir = tests().join("messages/locale").display().to_string();
    let made = make(&["messages"], &options(&[("messages-dir", &dir)])).expect("it works");
    check(&made.files);
    let notes: Vec<String> = made.notes.iter().map(|note| relative(&note.to_string())).collect();
    let lacks = [
        "messages/locale/de.toml: 1 of 4 messages are not translated: waiting",
        "messages/locale/ja.po: 3 of 4 messages are not translated: deleted, not found, waiting",
        "messages/locale/ru.po: 2 of 4 messages are not translated: deleted, not found",
    ];
    assert_eq!(notes, lacks);
    let strict = options(&[("messages-dir", &dir), ("messages-strict", "true")]);
    assert_eq!(refusal(make(&["messages"], &strict)), lacks.join("\n"));
}

#[test]
fn texts_are_found_and_fall_back() {
    assert_eq!(text(Language::De, "deleted"), Some("{kind} „{name}“ gelöscht"));
    assert_eq!(text(Language::De, "waiting"), text(Language::En, "waiting"));
    assert_eq!(text(Language::Ru, "deleted"), Some("{kind} \"{name}\" deleted"));
    assert_eq!(text(Language::Ru, "waiting"), Some("ожидание {{{name}}}"));
    assert_eq!(text(Language::En, "no such message"), None);
    assert!(locale::MESSAGES.is_sorted_by_key(|message| message.id));
}

#[test]
fn plurals_follow_their_language() {
    let forms = |language, numbers: &[u64]| -> Vec<&str> {
        numbers.iter().map(|n| plural(language, "pods", *n).expect("it works")).collect()
    };
    assert_eq!(forms(Language::En, &[0, 1]), ["{count} pods in {namespace}", "one pod in {namespace}"]);
    assert_eq!(forms(Language::De, &[1, 2]), ["ein Pod in {namespace}", "{count} Pods in {namespace}"]);
    assert_eq!(
        forms(Language::Ru, &[1, 3, 5, 12, 21]),
        ["под", "пода", "подов", "подов", "под"].map(|word| format!("{{count}} {word} в {{namespace}}"))
    );
    assert_eq!(forms(Language::Ja, &[1, 7]), ["{namespace} のポッド {count} 個"; 2]);
    // A message that another language lacks has that of English, with English plurals.
    assert_eq!(plural(Language::Ja, "deleted", 7), text(Language::En, "deleted"));
}

#[test]
fn placeholders_are_filled() {
    let pods = plural(Language::De, "pods", 2).expect("it works");
    assert_eq!(fill(pods, &[("count", &2), ("namespace", &"web")]), "2 Pods in web");
    let waiting = text(Language::En, "waiting").expect("it works");
    assert_eq!(fill(waiting, &[("name", &"x")]), "waiting until {x} is there");
    assert_eq!(fill("{a}{b}", &[("a", &"{b}")]), "{b}{b}");
    for odd in ["{", "}", "{a", "a}", "é{é"] {
        assert_eq!(fill(odd, &[]), odd);
    }
}

#[test]
fn a_language_is_found_by_its_locale() {
    let find = Language::of_locale;
    assert_eq!(find("de_AT.UTF-8"), Some(Language::De));
    assert_eq!(find("ru@cyrillic"), Some(Language::Ru));
    assert_eq!(find("en-GB"), Some(Language::En));
    assert_eq!((find("C"), find("")), (None, None));
    assert_eq!(Language::ALL.map(Language::code), ["en", "de", "ja", "ru"]);
    assert_eq!(Language::default(), Language::En);
}

#[test]
fn a_module_says_where_its_messages_are() {
    let dir = std::env::temp_dir().join(format!("rhumb-messages-tag-{}", std::process::id()));
    fs::create_dir_all(dir.join("cli/texts")).expect("it works");
    fs::write(dir.join("cli/texts/en.toml"), "hello = \"Hello\"\n").expect("it works");
    let module = dir.join("cli.rs");
    fs::write(&module, "//! A program.\n\n// +rhumb:messages=texts\n\nuse std::fmt;\n").expect("it works");
    let made = make_of(&["messages"], &[&module.display().to_string()], &options(&[])).expect("it works");
    let (path, text) = made.files.into_iter().next().expect("it works");
    assert!(path.ends_with("cli/texts.rs"), "{path:?}");
    assert!(text.contains("id: \"hello\""), "{text}");
    fs::remove_dir_all(&dir).expect("it works");
}

/// What is refused about some files, without the directory's name.
fn refused(name: &str, files: &[(&str, &str)]) -> String {
    let dir = std::env::temp_dir().join(format!("rhumb-messages-{name}-{}", std::process::id()));
    fs::create_dir_all(&dir).expect("it works");
    for (file, text) in files {
        fs::write(dir.join(file), text).expect("it works");
    }
    let flags = [("messages-dir", &*dir.display().to_string())];
    let text = refusal(make(&["messages"], &options(&flags)));
    fs::remove_dir_all(&dir).expect("it works");
    text.replace(&dir.display().to_string(), ".")
}

#[test]
fn placeholders_must_agree() {
    let english = "greet = \"Hi {name}, %d new\"\n[pods]\none = \"one\"\nother = \"{count} of {all}\"\n";
    let german = "greet = \"Na {nam}\"\n[pods]\none = \"einer von {all}\"\nother = \"{count}\"\n";
    assert_eq!(
        refused("placeholders", &[("en.toml", english), ("de.toml", german)]),
        r#"./de.toml:1: "greet": "Na {nam}" must have the placeholder %d as often as en has it
      1 | greet = "Na {nam}"
./de.toml:1: "greet": "Na {nam}" must have the placeholder {name} as often as en has it
      1 | greet = "Na {nam}"
./de.toml:1: "greet": "Na {nam}" has the placeholder {nam}, which en doesn't have
      1 | greet = "Na {nam}"
./de.toml:2: "pods": "{count}" must have the placeholder {all} as often as en has it
      2 | [pods]
./en.toml:2: "pods": "one" must have the placeholder {all} as often as en has it
      2 | [pods]"#
    );
}

#[test]
fn mistakes_have_their_places() {
    let base = ("en.toml", "a = \"A\"\n[b]\none = \"1\"\nother = \"2\"\n");
    for (name, other, expected) in [
        (
            "stale",
            ("de.toml", "c = \"C\"\n"),
            "./de.toml:1: \"c\" is no message of ./en.toml: remove it, or add it",
        ),
        (
            "single",
            ("de.toml", "\nb = \"B\"\n"),
            "./de.toml:2: \"b\" has plural forms in en, and needs them here",
        ),
        (
            "many",
            ("de.toml", "[a]\none=\"1\"\nother=\"2\"\n"),
            "./de.toml:1: \"a\" has no plural forms in en, and",
        ),
        (
            "form",
            ("pl.toml", "[b]\none=\"1\"\nfew=\"2\"\n"),
            "./pl.toml:1: \"b\": the plural form \"many\" is missing: ",
        ),
        (
            "name",
            ("de.toml", "[b]\ntwo=\"1\"\n"),
            "./de.toml:1: \"b\": \"two\" is no plural form of de: there are one",
        ),
        (
            "rule",
            ("tlh.toml", "[b]\none=\"1\"\n"),
            "./tlh.toml:1: \"b\": the plural rule of tlh is not known: say it",
        ),
        (
            "kind",
            ("de.toml", "a = 5\n"),
            "./de.toml:1: \"a\": a message is a string, or a table or list of plural",
        ),
        ("toml", ("de.toml", "a = \"A\"\nb = \n"), "./de.toml:2: "),
        (
            "code",
            ("German.toml", ""),
            "./German.toml: the file is not named after a language, as `de.toml` and",
        ),
        ("twice", ("en.po", ""), "./en.toml: ./en.po is of the same language"),
        (
            "quote",
            ("de.po", "msgid \"a\"\nmsgstr \"A\n"),
            "./de.po:2: a string in quotes is expected, not \"\\\"A\"",
        ),
        (
            "word",
            ("de.po", "msgid \"a\"\nmsgtext \"A\"\n"),
            "./de.po:2: \"msgtext\" is no keyword of PO files",
        ),
        ("early", ("de.po", "\"a\"\n"), "./de.po:1: no `msgid` stands before this"),
        ("escape", ("de.po", "msgid \"a\\x\"\n"), "./de.po:1: `\\x` is not known: there are `\\n`, `\\t`, "),
        (
            "double",
            ("de.po", "msgid \"a\"\nmsgstr \"1\"\nmsgid \"a\"\nmsgstr \"2\"\n"),
            "./de.po:3: \"a\" is there twice",
        ),
        (
            "part",
            ("de.po", "msgid \"b\"\nmsgid_plural \"b\"\nmsgstr[1] \"2\"\n"),
            "./de.po:1: \"b\" is translated in part",
        ),
        (
            "count",
            ("ja.po", "msgid \"b\"\nmsgid_plural \"b\"\nmsgstr[0] \"1\"\nmsgstr[1] \"2\"\n"),
            "./ja.po:1: \"b\" has 2 plural forms, but ja has 1",
        ),
        (
            "header",
            ("de.po", "msgid \"\"\nmsgstr \"Plural-Forms: nplurals=2; plural=n+1;\\n\"\n"),
            "./de.po:1: Plural-Forms: '+' can't stand in a plural rule",
        ),
    ] {
        let text = refused(name, &[base, other]);
        assert!(text.contains(expected), "{name}: {text}");
    }
    assert_eq!(
        refused("base", &[("de.toml", "a = \"A\"\n")]),
        ".: there is no en.toml or en.po, which the other languages fall back to"
    );
}
