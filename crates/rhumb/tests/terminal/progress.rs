//! Colour and progress: in a terminal, and never elsewhere.

use crate::Scene;

#[test]
fn differences_are_coloured() {
    let scene = Scene::new(false);
    scene.run("kubectl create configmap a --from-literal=key=before");
    scene.run("kubectl create configmap a --from-literal=key=after --dry-run=client -o yaml >a.yaml");
    let terminal = &scene.terminal;
    terminal.enter("kubectl diff -f a.yaml; echo code $?");
    terminal.wait_for("code 1");
    let screen = terminal.coloured();
    assert!(screen.contains("\u{1b}[31m-  key: before"), "{screen}");
    assert!(screen.contains("\u{1b}[32m+  key: after"), "{screen}");
    terminal.enter("kubectl diff -f a.yaml | cat");
    terminal.wait_for("+  key: after");
    terminal.wait_for_prompt();
    let screen = terminal.coloured();
    assert!(!screen.contains("\u{1b}[3"), "{screen}");
}

#[test]
fn long_work_shows_how_far_it_is() {
    let scene = Scene::new(true);
    let terminal = &scene.terminal;

    scene.run("kubectl create configmap a --from-literal=key=before");
    let wait = "kubectl wait cm/a --for=jsonpath='{.data.key}'=after";
    terminal.enter(&format!("{wait} --timeout=60s"));
    terminal.wait_for("\nWaiting for configmaps/a (");
    scene.run(r#"kubectl patch cm a -p '{"data":{"key":"after"}}'"#);
    terminal.wait_for("configmap/a condition met");
    let screen = terminal.wait_for_prompt();
    assert!(!screen.contains("Waiting"), "the line stays:\n{screen}");
    let (out, err) = scene.run(r#"kubectl wait cm/a --for=jsonpath='{.data.key}'=never --timeout=1s"#);
    assert_eq!((&*out, &*err), ("", "error: timed out waiting for the condition on configmaps/a"));

    scene.run("kubectl patch cm a --type=merge -p '{\"metadata\":{\"finalizers\":[\"example.com/held\"]}}'");
    terminal.enter("kubectl delete cm a");
    terminal.wait_for("\nWaiting until configmaps/a is gone (");
    scene.run("kubectl patch cm a --type=merge -p '{\"metadata\":{\"finalizers\":null}}'");
    let screen = terminal.wait_for_prompt();
    assert!(
        screen.contains("\nconfigmap \"a\" deleted from default namespace\n$"),
        "the line stays:\n{screen}"
    );

    scene.run("kubectl create deployment web --image=i --replicas=2");
    terminal.enter("kubectl rollout status deployment web");
    terminal.wait_for("Waiting for deployment spec update to be observed...\nWaiting for deployments/web (");
    let status = |ready: u32| {
        let status = format!(
            "{{\"status\":{{\"observedGeneration\":1,\"replicas\":2,\"updatedReplicas\":2,\"readyReplicas\":{ready},\
             \"availableReplicas\":{ready}}}}}"
        );
        scene.run(&format!("kubectl patch deployment web --subresource=status --type=merge -p '{status}'"));
    };
    status(1);
    terminal.wait_for("1 of 2 updated replicas are available...");
    status(2);
    terminal.wait_for("deployment \"web\" successfully rolled out");
    let screen = terminal.wait_for_prompt();
    assert!(!screen.contains("Waiting for deployments/web"), "the line stays:\n{screen}");

    terminal.enter("kubectl drain far --force");
    terminal.wait_for("\nWaiting until 2 more pods are gone (");
    scene.run("kubectl delete pod web-1 job-2 --force --grace-period=0");
    terminal.wait_for("node/far drained");
    let screen = terminal.wait_for_prompt();
    assert!(!screen.contains("more pods"), "the line stays:\n{screen}");
}

#[test]
fn an_apply_of_many_objects_counts_them() {
    let scene = Scene::new(false);
    let terminal = &scene.terminal;
    let manifest: String = (1..=12)
        .map(|number| {
            format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c{number}\ndata: {{k: v}}\n---\n")
        })
        .collect();
    std::fs::write(scene.place.root.join("work/many.yaml"), manifest).expect("a file");
    let record = scene.place.root.join("record");
    terminal.record(&record);
    terminal.enter("kubectl apply -f many.yaml");
    terminal.wait_for("configmap/c12 created");
    let screen = terminal.wait_for_prompt();
    assert!(!screen.contains("of 12"), "the line stays:\n{screen}");
    terminal.wait("the count", |_| {
        let shown = std::fs::read_to_string(&record).unwrap_or_default();
        shown.contains("\r\u{1b}[K7 of 12: configmaps/c7")
    });
    let (out, err) = scene.run("kubectl apply -f many.yaml");
    assert_eq!((out.lines().count(), &*err), (12, ""));
}
