//! A shell in a container: what is typed, the size of the window, and the terminal afterwards.

use crate::Scene;

/// The terminal shows what is typed and takes lines, as a shell leaves it to others.
fn is_sane(scene: &Scene) {
    let terminal = &scene.terminal;
    terminal.enter(
        "stty -a | tr ' ;' '\\n\\n' | grep -x -E -e '-?(icanon|echo|isig|opost|icrnl)' | sort | xargs",
    );
    let screen = terminal.wait_for_prompt();
    assert!(
        screen.contains("\necho icanon icrnl isig opost\n"),
        "the terminal is left in disorder:\n{screen}"
    );
}

fn shell_in(pod: &str) {
    let scene = Scene::new(true);
    let terminal = &scene.terminal;
    terminal.enter(&format!("kubectl exec -it {pod} -c main -- sh; echo code $?"));
    terminal.wait_for("inside>");
    terminal.type_in("echo $((6*7)) is the answer");
    terminal.wait_for("inside> echo $((6*7)) is the answer");
    terminal.press(&["Enter"]);
    terminal.wait_for("\n42 is the answer");
    terminal.type_in("stty size");
    terminal.press(&["Enter"]);
    terminal.wait_for("\n30 100\n");
    terminal.resize(90, 25);
    // The container learns of it a moment later.
    terminal.type_in("until [ \"$(stty size)\" = '25 90' ]; do sleep 0.1; done; echo smaller now");
    terminal.press(&["Enter"]);
    terminal.wait_for("\nsmaller now\n");
    // What interrupts a command interrupts it there.
    terminal.type_in("sleep 1000");
    terminal.press(&["Enter"]);
    terminal.wait_for("inside> sleep 1000\n");
    terminal.press(&["C-c"]);
    terminal.wait("the prompt", |screen| screen.trim_end().lines().next_back() == Some("inside>"));
    terminal.type_in("tty");
    terminal.press(&["Enter"]);
    terminal.wait_for("\n/dev/pts/");
    terminal.press(&["C-d"]);
    terminal.wait_for("code 0");
    is_sane(&scene);

    terminal.enter(&format!("kubectl exec -it {pod} -c main -- sh -c 'exit 5'; echo code $?"));
    terminal.wait_for("code 5");
    assert!(terminal.wait_for_prompt().contains("command terminated with exit code 5"));
    is_sane(&scene);
}

#[test]
fn a_shell_runs_in_a_container_by_spdy() {
    shell_in("web-1");
}

#[test]
fn a_shell_runs_in_a_container_by_websocket() {
    shell_in("web-2");
}

#[test]
fn a_container_can_be_left_and_attached_to() {
    let scene = Scene::new(true);
    let terminal = &scene.terminal;
    std::fs::write(scene.pod.join("attached"), "echo begun; exec cat").expect("a script");
    terminal.enter("kubectl attach -it job-2 -c typed");
    terminal.wait_for("If you don't see a command prompt, try pressing enter.");
    terminal.wait_for("\nbegun\n");
    terminal.type_in("hello");
    terminal.press(&["Enter"]);
    terminal.wait_for("\nhello\nhello\n");
    terminal.press(&["C-p", "C-q"]);
    let screen = terminal.wait_for_prompt();
    let told = "Session ended, resume using 'kubectl attach job-2 -c typed -n default -i -t' command";
    assert!(screen.contains(told), "{screen}");
    is_sane(&scene);
}

/// The pod runs when its status says so, and what is typed goes to what is attached to.
#[test]
fn a_pod_can_be_made_and_typed_into() {
    let scene = Scene::new(true);
    let terminal = &scene.terminal;
    std::fs::write(scene.pod.join("attached"), "stty size; read -r line; echo \"read $line\"")
        .expect("a script");
    let place = "--overrides='{\"spec\":{\"nodeName\":\"far\"}}'";
    terminal.enter(&format!("kubectl run typed -it --rm --restart=Never --image=i {place}; echo code $?"));
    let status = |status: &str| {
        scene.run(&format!(
            "until kubectl get pod typed; do sleep 0.05; done 2>/dev/null
            kubectl patch pod typed --subresource=status --type=merge -p '{{\"status\":{{{status}}}}}'"
        ))
    };
    status(r#""phase":"Running","conditions":[{"type":"Ready","status":"True"}]"#);
    terminal.wait_for("If you don't see a command prompt, try pressing enter.");
    terminal.wait_for("\n30 100\n");
    terminal.type_in("what is typed");
    terminal.press(&["Enter"]);
    terminal.wait_for("\nread what is typed\n");
    status(r#""phase":"Succeeded""#);
    terminal.wait_for("code 0");
    assert!(terminal.wait_for_prompt().contains("pod \"typed\" deleted from default namespace"));
    is_sane(&scene);
}
