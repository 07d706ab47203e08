//! `edit` with a real editor: vi where there is one.

use crate::Scene;

/// Without vi, a script that asks what to put in the place of what.
const SCRIPT: &str = "#!/bin/sh
cat \"$1\"
while printf 'replace: ' && read -r from && [ \"$from\" ]; do
    printf 'with: '; read -r to
    sed -i \"s/$from/$to/\" \"$1\"
done
";

/// An editor in the terminal, which replaces texts.
struct Editor<'a> {
    scene: &'a Scene,
    is_vi: bool,
}

impl Editor<'_> {
    /// Replaces a text by another, saves and leaves.
    fn replace(&self, from: &str, to: &str) {
        let terminal = &self.scene.terminal;
        if self.is_vi {
            terminal.type_in(&format!(":%s/{from}/{to}/"));
            terminal.press(&["Enter"]);
            terminal.type_in(":wq");
            terminal.press(&["Enter"]);
        } else {
            terminal.wait_for("replace:");
            terminal.type_in(from);
            terminal.press(&["Enter"]);
            terminal.wait_for("with:");
            terminal.type_in(to);
            terminal.press(&["Enter", "Enter"]);
        }
    }
}

#[test]
fn changes_in_an_editor_are_saved() {
    let scene = Scene::new(false);
    scene.run("kubectl create configmap a --from-literal=key=before");
    let is_vi = !scene.run("command -v vi").0.is_empty();
    let editor = Editor { scene: &scene, is_vi };
    let terminal = &scene.terminal;
    if is_vi {
        terminal.enter("export EDITOR=vi");
    } else {
        std::fs::write(scene.place.root.join("bin/replace"), SCRIPT).expect("an editor");
        scene.run("chmod +x ../bin/replace");
        terminal.enter("export EDITOR=replace");
    }
    terminal.wait_for_prompt();

    terminal.enter("kubectl edit configmap a");
    terminal.wait_for("key: before");
    editor.replace("key: before", "key: after");
    terminal.wait_for("configmap/a edited");
    terminal.wait_for_prompt();
    assert_eq!(scene.run("kubectl get cm a -o jsonpath={.data}").0, r#"{"key":"after"}"#);

    // What is no YAML comes back with the reason.
    terminal.enter("kubectl edit configmap a; echo code $?");
    terminal.wait_for("key: after");
    editor.replace("key: after", "key: [again");
    let screen = terminal.wait_for("was not valid:");
    assert!(
        screen.contains("# * <nil>: Invalid value: \"The edited file failed validation\": yaml: "),
        "{screen}"
    );
    terminal.wait_for("key: [again");
    editor.replace("key: .again", "key: again");
    terminal.wait_for("configmap/a edited");
    terminal.wait_for("code 0");
    assert_eq!(scene.run("kubectl get cm a -o jsonpath={.data}").0, r#"{"key":"again"}"#);

    // Nothing is saved when nothing was changed.
    terminal.enter("kubectl edit configmap a; echo code $?");
    terminal.wait_for("key: again");
    editor.replace("key: again", "key: again");
    terminal.wait_for("Edit cancelled, no changes made.");
    terminal.wait_for("code 0");
}
