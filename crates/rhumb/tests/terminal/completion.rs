//! Completion in bash, without the package that other programs' completions need.

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
