//! Completion in shells: in bash without the package that other programs' completions need, in zsh and in fish.
//! `cargo xtask setup` installs them.

use crate::Scene;
use crate::tmux::Terminal;

/// Types the beginning of a line, lets it be completed as far as it goes, and shows what there is.
fn complete(terminal: &Terminal, line: &str, common: &str, words: &[&str]) {
    terminal.clear();
    terminal.type_in(line);
    terminal.press(&["Tab"]);
    terminal.wait(common, |screen| screen.trim_end().ends_with(common.trim_end()));
    if !words.is_empty() {
        terminal.press(&["Tab", "Tab"]);
    }
    for word in words {
        terminal.wait(word, |screen| screen.split_whitespace().any(|known| known == *word));
    }
    // The line is taken back, because an interrupt would meet a completion that is still under way.
    terminal.press(&["C-u"]);
    terminal.wait_for_prompt();
}

#[test]
fn words_are_completed_in_bash() {
    let scene = Scene::new(true);
    let terminal = &scene.terminal;
    terminal.enter("source <(kubectl completion bash)");
    terminal.wait_for_prompt();
    complete(terminal, "kubectl get po", "$ kubectl get pod", &["pods", "podtemplates"]);
    complete(terminal, "kubectl get pods we", "$ kubectl get pods web-", &["web-1", "web-2"]);
    complete(terminal, "kubectl -n kube", "$ kubectl -n kube-", &["kube-system", "kube-public"]);
    complete(terminal, "kubectl api-ver", "$ kubectl api-versions", &[]);
    complete(terminal, "kubectl get pods --show-l", "$ kubectl get pods --show-labels", &[]);
    complete(terminal, "kubectl logs lo", "$ kubectl logs lost-1", &[]);
    complete(terminal, "kubectl exec web-2 -c ", "$ kubectl exec web-2 -c", &["main", "side"]);
    complete(terminal, "kubectl delete pod/we", "$ kubectl delete pod/web-", &["pod/web-1", "pod/web-2"]);
    complete(terminal, "kubectl get --output=js", "$ kubectl get --output=json", &["json", "jsonpath"]);
}

/// Fails if a shell is not there, and says where it comes from.
fn demand(shell: &str) {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).any(|directory| directory.join(shell).is_file());
    assert!(found, "there is no {shell}; `cargo xtask setup` installs it");
}

#[test]
fn words_are_completed_in_zsh() {
    demand("zsh");
    let scene = Scene::new(true);
    let terminal = &scene.terminal;
    terminal.enter("exec zsh -f");
    terminal.wait_for_prompt();
    terminal.type_in("autoload -U compinit && compinit -D -u; source <(kubectl completion zsh); clear");
    terminal.press(&["Enter"]);
    terminal.wait("an empty screen", |screen| screen.trim_end() == "$");
    complete(terminal, "kubectl get po", "$ kubectl get pod", &["pods", "podtemplates"]);
    complete(terminal, "kubectl get pods we", "$ kubectl get pods web-", &["web-1", "web-2"]);
    complete(terminal, "kubectl -n kube", "$ kubectl -n kube-", &["kube-system", "kube-public"]);
    complete(terminal, "kubectl api-ver", "$ kubectl api-versions", &[]);
    complete(terminal, "kubectl get pods --show-l", "$ kubectl get pods --show-labels", &[]);
    complete(terminal, "kubectl delete pod/we", "$ kubectl delete pod/web-", &["pod/web-1", "pod/web-2"]);
    complete(terminal, "kubectl get --output=js", "$ kubectl get --output=json", &["json", "jsonpath"]);
}

/// Fish tells what it would complete, so that it needs no terminal.
#[test]
fn words_are_completed_in_fish() {
    demand("fish");
    let scene = Scene::new(true);
    let check = |line: &str, expect: &[&str]| {
        let script = format!("fish -c \"kubectl completion fish | source; complete -C '{line}'\"");
        let (out, err) = scene.run(&script);
        let mut words: Vec<&str> = out.lines().filter_map(|line| line.split('\t').next()).collect();
        words.sort_unstable();
        assert_eq!(words, expect, "{line}: {err}");
    };
    check("kubectl get po", &["poddisruptionbudgets.policy", "pods", "podtemplates"]);
    check("kubectl get pods we", &["web-1", "web-2"]);
    check("kubectl -n kube", &["kube-node-lease", "kube-public", "kube-system"]);
    check("kubectl api-ver", &["api-versions"]);
    check("kubectl get pods --show-l", &["--show-labels"]);
    check("kubectl exec web-2 -c ", &["main", "side"]);
    check("kubectl delete pod/we", &["pod/web-1", "pod/web-2"]);
    let forms =
        ["json", "jsonpath", "jsonpath-as-json", "jsonpath-file"].map(|form| format!("--output={form}"));
    check("kubectl get --output=js", &forms.each_ref().map(String::as_str));
}

/// Scripts are at least what their shells can read.
#[test]
fn scripts_are_what_shells_can_read() {
    let scene = Scene::new(false);
    let readers =
        [("bash", "bash -n script"), ("zsh", "zsh -n script"), ("fish", "fish --no-execute script")];
    for (shell, reader) in readers {
        demand(shell);
        for name in ["kubectl", "rhumb"] {
            let rhumb = scene.place.root.join("bin/kubectl");
            let (_, err) = scene.run(&format!(
                "mkdir -p called; ln -sf {} called/{name}; called/{name} completion {shell} >script && {reader}",
                rhumb.display()
            ));
            assert_eq!(err, "", "{shell}");
        }
    }
}

/// There is no PowerShell to be had from a registry, so that its script is looked at and not run: whatever is opened
/// in it is closed, in order, and it asks the program that it is for.
#[test]
fn the_script_for_powershell_closes_what_it_opens() {
    let scene = Scene::new(false);
    let (script, err) = scene.run("kubectl completion powershell");
    assert_eq!(err, "");
    assert!(script.contains("Register-ArgumentCompleter -Native -CommandName 'kubectl'"), "{script}");
    assert!(script.contains("& 'kubectl' __complete @words"), "{script}");
    let mut open = Vec::new();
    for line in script.lines() {
        let mut quote = None;
        for character in line.chars() {
            match (quote, character) {
                (Some(begun), _) if begun == character => quote = None,
                (Some(_), _) => {}
                (None, '#') => break,
                (None, '\'' | '"') => quote = Some(character),
                (None, '(' | '[' | '{') => open.push(character),
                (None, ')' | ']' | '}') => {
                    let expect = if character == ')' {
                        '('
                    } else if character == ']' {
                        '['
                    } else {
                        '{'
                    };
                    assert_eq!(open.pop(), Some(expect), "{line}");
                }
                _ => {}
            }
        }
        assert_eq!(quote, None, "{line}");
    }
    assert!(open.is_empty(), "{open:?} is never closed");
}
