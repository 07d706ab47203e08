//! Programs that are asked for credentials and may ask a person.

use crate::Scene;

/// A program that gives the token of a service account and writes down whether it may ask.
const SETTING: &str = r#"
kubectl create deployment web --image=i
kubectl create serviceaccount p
kubectl create clusterrolebinding p --clusterrole=cluster-admin --serviceaccount=default:p
token=$(kubectl create token p)
cat >plugin <<X
echo "\$KUBERNETES_EXEC_INFO" | grep -o '"interactive":[a-z]*' >>told
echo '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"$token"}}'
X
kubectl config set-credentials p --exec-command=sh --exec-arg=$PWD/plugin \
    --exec-api-version=client.authentication.k8s.io/v1 --exec-interactive-mode=IfAvailable
"#;

#[test]
fn a_command_that_reads_what_is_typed_lets_no_program_ask() {
    let scene = Scene::new(false);
    let (_, problems) = scene.run(SETTING);
    assert_eq!(problems, "");
    let terminal = &scene.terminal;
    // The shell must have given the terminal away before something is typed that is not for it.
    terminal.enter("echo now; kubectl --user=p set env deployment/web -");
    terminal.wait_for("\nnow\n");
    terminal.type_in("A=b");
    terminal.press(&["Enter", "C-d"]);
    terminal.wait_for("deployment.apps/web env updated");
    terminal.wait_for_prompt();
    assert_eq!(scene.run("sort -u told").0, "\"interactive\":false");
    terminal.enter("kubectl --user=p get deployment web -o jsonpath='{..env[0].value} is there{\"\\n\"}'");
    terminal.wait_for("b is there");
    assert_eq!(scene.run("tail -1 told").0, "\"interactive\":true");
}
