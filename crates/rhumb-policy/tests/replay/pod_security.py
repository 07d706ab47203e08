"""Pods, and what each level of each release with a change says about them."""
import copy

RELEASES = ["v1.0", "v1.7", "v1.8", "v1.18", "v1.19", "v1.21", "v1.22", "v1.23", "v1.24", "v1.25", "v1.26", "v1.27",
            "v1.28", "v1.29", "v1.30", "v1.31", "v1.32", "v1.33", "v1.34", "v1.35", "v1.36", "v1.99", "latest"]
POLICIES = [f"{level}:{release}" for level in ("privileged", "baseline", "restricted") for release in RELEASES]

HARD = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
HARD_POD = {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}


def box(name="a", **security):
    return {"name": name, "image": "i", "securityContext": {**copy.deepcopy(HARD), **security}}


def hard(*containers, init=(), annotations=None, security=None, **spec):
    """A pod that keeps to all levels but for what is given."""
    pod = {"containers": list(containers) or [box()], "securityContext": {**HARD_POD, **(security or {})}, **spec}
    if init:
        pod["initContainers"] = list(init)
    return {"metadata": {"annotations": annotations or {}}, "spec": pod}


def plain(*containers, **spec):
    containers = list(containers) or [{"name": "a", "image": "i"}]
    return {"metadata": {}, "spec": {"containers": containers, **spec}}


def volume(kind, **source):
    return hard(volumes=[{"name": "v", kind: source}])


def probe(kind, **handler):
    return hard({**box(), kind: handler, "ports": [{"containerPort": 80}]})


PODS = {
    "hardened": hard(),
    "plain": plain(),
    "two plain": plain({"name": "a", "image": "i"}, {"name": "b", "image": "i"}),
    "with init containers": plain(initContainers=[{"name": "z", "image": "i"}]),
    "escalation true": hard(box(allowPrivilegeEscalation=True)),
    "escalation true in two": hard(box(allowPrivilegeEscalation=True), box("b"), init=[box("c", allowPrivilegeEscalation=True)]),
    "escalation unset": hard({"name": "a", "image": "i", "securityContext": {"capabilities": {"drop": ["ALL"]}}}),
    "apparmor unconfined pod": hard(security={"appArmorProfile": {"type": "Unconfined"}}),
    "apparmor unconfined containers": hard(box(appArmorProfile={"type": "Unconfined"}), box("b", appArmorProfile={"type": "Unconfined"})),
    "apparmor unconfined both": hard(box(appArmorProfile={"type": "Unconfined"}), security={"appArmorProfile": {"type": "Unconfined"}}),
    "apparmor default": hard(box(appArmorProfile={"type": "RuntimeDefault"})),
    "apparmor localhost": hard(box(appArmorProfile={"type": "Localhost", "localhostProfile": "x"})),
    "apparmor annotation": hard(annotations={"container.apparmor.security.beta.kubernetes.io/a": "unconfined"}),
    "apparmor annotations": hard(box(), box("b"), annotations={
        "container.apparmor.security.beta.kubernetes.io/b": "unconfined",
        "container.apparmor.security.beta.kubernetes.io/a": "unconfined"}),
    "apparmor annotation allowed": hard(annotations={"container.apparmor.security.beta.kubernetes.io/a": "localhost/p"}),
    "apparmor annotation default": hard(annotations={"container.apparmor.security.beta.kubernetes.io/a": "runtime/default"}),
    "capability added": hard(box(capabilities={"drop": ["ALL"], "add": ["SYS_ADMIN"]})),
    "capabilities added": hard(box(capabilities={"drop": ["ALL"], "add": ["SYS_TIME", "NET_ADMIN"]}), box("b", capabilities={"drop": ["ALL"], "add": ["NET_RAW"]})),
    "capability by default": hard(box(capabilities={"drop": ["ALL"], "add": ["CHOWN"]})),
    "all defaults added": hard(box(capabilities={"drop": ["ALL"], "add": [
        "AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE", "SETFCAP",
        "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"]})),
    "capability to bind": hard(box(capabilities={"drop": ["ALL"], "add": ["NET_BIND_SERVICE"]})),
    "capability with prefix": hard(box(capabilities={"drop": ["ALL"], "add": ["CAP_CHOWN"]})),
    "no drop": hard(box(capabilities={})),
    "drops some": hard(box(capabilities={"drop": ["CHOWN"]}), box("b")),
    "drops some, adds some": hard(box(capabilities={"drop": ["CHOWN"], "add": ["KILL"]}), init=[box("b", capabilities={})]),
    "drop in small letters": hard(box(capabilities={"drop": ["all"]})),
    "host network": hard(hostNetwork=True),
    "host pid": hard(hostPID=True),
    "host ipc": hard(hostIPC=True),
    "all host namespaces": hard(hostNetwork=True, hostPID=True, hostIPC=True),
    "host path": volume("hostPath", path="/x"),
    "host paths": hard(volumes=[{"name": "v", "hostPath": {"path": "/x"}}, {"name": "w", "hostPath": {"path": "/y"}}, {"name": "e", "emptyDir": {}}]),
    "host port": hard({**box(), "ports": [{"containerPort": 80, "hostPort": 80}]}),
    "host ports": hard({**box(), "ports": [{"containerPort": 80, "hostPort": 9000}, {"containerPort": 81, "hostPort": 10000}]},
                       {**box("b"), "ports": [{"containerPort": 82, "hostPort": 82}]}),
    "host port and network": hard({**box(), "ports": [{"containerPort": 80}]}, hostNetwork=True),
    "probe http host": probe("livenessProbe", httpGet={"port": 80, "host": "example.com"}),
    "probe tcp host": probe("readinessProbe", tcpSocket={"port": 80, "host": "127.0.0.1"}),
    "startup probe host": probe("startupProbe", httpGet={"port": 80, "host": "h"}),
    "probe without host": probe("livenessProbe", httpGet={"port": 80}),
    "lifecycle hosts": hard({**box(), "lifecycle": {"postStart": {"httpGet": {"port": 80, "host": "a"}}, "preStop": {"tcpSocket": {"port": 80, "host": "b"}}}}),
    "hosts in two": hard({**box(), "livenessProbe": {"httpGet": {"port": 80, "host": "z"}}, "readinessProbe": {"httpGet": {"port": 80, "host": "y"}}},
                         {**box("b"), "livenessProbe": {"httpGet": {"port": 80, "host": "z"}}}),
    "privileged": hard(box(privileged=True, allowPrivilegeEscalation=True)),
    "privileged in two": hard(box(privileged=True, allowPrivilegeEscalation=True), init=[box("c", privileged=True, allowPrivilegeEscalation=True)]),
    "privileged false": hard(box(privileged=False)),
    "proc mount default": hard(box(procMount="Default")),
    "proc mount unmasked in user namespace": hard(box(procMount="Unmasked"), hostUsers=False),
    "own users as root": hard(box(runAsUser=0, runAsNonRoot=False), security={"runAsNonRoot": False}, hostUsers=False),
    "gce disk": volume("gcePersistentDisk", pdName="x"),
    "aws disk": volume("awsElasticBlockStore", volumeID="x"),
    "git": volume("gitRepo", repository="r"),
    "nfs": volume("nfs", server="s", path="/p"),
    "iscsi": volume("iscsi", targetPortal="1.2.3.4", iqn="iqn.2001-04.com.example:storage.kube.sys1.xyz", lun=1),
    "glusterfs": volume("glusterfs", endpoints="e", path="p"),
    "rbd": volume("rbd", monitors=["m"], image="i"),
    "flex": volume("flexVolume", driver="d/e"),
    "cinder": volume("cinder", volumeID="x"),
    "cephfs": volume("cephfs", monitors=["m"]),
    "flocker": volume("flocker", datasetName="d"),
    "fc": volume("fc", targetWWNs=["w"], lun=1),
    "azure file": volume("azureFile", secretName="s", shareName="x"),
    "vsphere": volume("vsphereVolume", volumePath="p"),
    "quobyte": volume("quobyte", registry="r:1", volume="v"),
    "azure disk": volume("azureDisk", diskName="d", diskURI="https://blob.example/d"),
    "photon": volume("photonPersistentDisk", pdID="x"),
    "portworx": volume("portworxVolume", volumeID="x"),
    "scale io": volume("scaleIO", gateway="g", system="s", secretRef={"name": "s"}, volumeName="v"),
    "storageos": volume("storageos", volumeName="v", volumeNamespace="n"),
    "config map": volume("configMap", name="c"),
    "csi": volume("csi", driver="d"),
    "downward": volume("downwardAPI", items=[]),
    "empty": volume("emptyDir"),
    "no source": hard(volumes=[{"name": "v"}]),
    "ephemeral": volume("ephemeral", volumeClaimTemplate={"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}),
    "image": volume("image", reference="r"),
    "claim": volume("persistentVolumeClaim", claimName="c"),
    "projected": volume("projected", sources=[]),
    "secret": volume("secret", secretName="s"),
    "mixed volumes": hard(volumes=[{"name": "n", "nfs": {"server": "s", "path": "/p"}}, {"name": "h", "hostPath": {"path": "/"}}, {"name": "r", "rbd": {"monitors": ["m"], "image": "i"}}]),
    "non root false": hard(security={"runAsNonRoot": False}),
    "non root false in containers": hard(box(runAsNonRoot=False), box("b", runAsNonRoot=False)),
    "non root false in both": hard(box(runAsNonRoot=False), security={"runAsNonRoot": False}),
    "non root unset": hard(box(), box("b"), security={"runAsNonRoot": None}),
    "non root by container": hard(box(runAsNonRoot=True), security={"runAsNonRoot": None}),
    "non root overruled": hard(box(runAsNonRoot=True), security={"runAsNonRoot": False}),
    "root user": hard(security={"runAsUser": 0}),
    "root user in container": hard(box(runAsUser=0)),
    "root user in both": hard(box(runAsUser=0), box("b", runAsUser=0), security={"runAsUser": 0}),
    "other user": hard(box(runAsUser=1000)),
    "selinux type": hard(security={"seLinuxOptions": {"type": "spc_t"}}),
    "selinux types": hard(box(seLinuxOptions={"type": "b_t"}), box("b", seLinuxOptions={"type": "a_t"}), security={"seLinuxOptions": {"type": "spc_t"}}),
    "selinux user": hard(box(seLinuxOptions={"user": "u"})),
    "selinux role": hard(box(seLinuxOptions={"role": "r"})),
    "selinux all": hard(box(seLinuxOptions={"role": "r", "user": "u", "type": "t", "level": "s0"}), security={"seLinuxOptions": {"user": "u"}}),
    "selinux allowed": hard(box(seLinuxOptions={"type": "container_t"}), box("b", seLinuxOptions={"type": "container_init_t"}), box("c", seLinuxOptions={"type": "container_kvm_t"})),
    "selinux engine": hard(box(seLinuxOptions={"type": "container_engine_t"})),
    "selinux level": hard(box(seLinuxOptions={"level": "s0:c1"})),
    "seccomp unconfined": hard(security={"seccompProfile": {"type": "Unconfined"}}),
    "seccomp unconfined in container": hard(box(seccompProfile={"type": "Unconfined"})),
    "seccomp unconfined in all": hard(box(seccompProfile={"type": "Unconfined"}), box("b", seccompProfile={"type": "Unconfined"}), security={"seccompProfile": {"type": "Unconfined"}}),
    "seccomp localhost": hard(box(seccompProfile={"type": "Localhost", "localhostProfile": "p"}), security={"seccompProfile": None}),
    "seccomp unset": hard(box(), box("b"), security={"seccompProfile": None}),
    "seccomp partly set": hard(box(seccompProfile={"type": "RuntimeDefault"}), box("b"), security={"seccompProfile": None}),
    "seccomp annotation": hard(security={"seccompProfile": {"type": "Unconfined"}}, annotations={"seccomp.security.alpha.kubernetes.io/pod": "unconfined"}),
    "seccomp annotations": hard(box(seccompProfile={"type": "Unconfined"}), annotations={
        "seccomp.security.alpha.kubernetes.io/pod": "runtime/default",
        "container.seccomp.security.alpha.kubernetes.io/a": "unconfined",
        "container.seccomp.security.alpha.kubernetes.io/b": "unconfined"}),
    "seccomp annotation with quotes": hard(annotations={"seccomp.security.alpha.kubernetes.io/pod": "runtime/default", "container.seccomp.security.alpha.kubernetes.io/a": "docker/default"}),
    "sysctl": hard(security={"sysctls": [{"name": "kernel.msgmax", "value": "1"}]}),
    "sysctls": hard(security={"sysctls": [{"name": "net.ipv4.tcp_mem", "value": "1"}, {"name": "kernel.msgmax", "value": "1"}, {"name": "kernel.shm_rmid_forced", "value": "1"}]}),
    "sysctl 1.27": hard(security={"sysctls": [{"name": "net.ipv4.ip_local_reserved_ports", "value": "1"}]}),
    "sysctls 1.29": hard(security={"sysctls": [{"name": "net.ipv4.tcp_keepalive_time", "value": "1"}, {"name": "net.ipv4.tcp_fin_timeout", "value": "1"}, {"name": "net.ipv4.tcp_keepalive_intvl", "value": "1"}, {"name": "net.ipv4.tcp_keepalive_probes", "value": "1"}]}),
    "sysctls 1.32": hard(security={"sysctls": [{"name": "net.ipv4.tcp_rmem", "value": "1"}, {"name": "net.ipv4.tcp_wmem", "value": "1"}]}),
    "safe sysctls": hard(security={"sysctls": [{"name": name, "value": "1"} for name in (
        "kernel.shm_rmid_forced", "net.ipv4.ip_local_port_range", "net.ipv4.tcp_syncookies", "net.ipv4.ping_group_range", "net.ipv4.ip_unprivileged_port_start")]}),
    "windows": {"metadata": {}, "spec": {"os": {"name": "windows"}, "containers": [{"name": "a", "image": "i"}], "securityContext": {"runAsNonRoot": True}}},
    "windows plain": {"metadata": {}, "spec": {"os": {"name": "windows"}, "containers": [{"name": "a", "image": "i"}]}},
    "linux": hard(os={"name": "linux"}),
    "host process": {"metadata": {}, "spec": {"hostNetwork": True, "os": {"name": "windows"}, "containers": [{"name": "a", "image": "i"}],
                                              "securityContext": {"windowsOptions": {"hostProcess": True}}}},
    "host process in containers": {"metadata": {}, "spec": {"hostNetwork": True, "containers": [
        {"name": "a", "image": "i", "securityContext": {"windowsOptions": {"hostProcess": True}}},
        {"name": "b", "image": "i", "securityContext": {"windowsOptions": {"hostProcess": True}}}]}},
    "host process in both": {"metadata": {}, "spec": {"hostNetwork": True, "containers": [
        {"name": "a", "image": "i", "securityContext": {"windowsOptions": {"hostProcess": True}}}],
        "securityContext": {"windowsOptions": {"hostProcess": True}}}},
    "everything wrong": {"metadata": {"annotations": {"container.apparmor.security.beta.kubernetes.io/a": "unconfined"}}, "spec": {
        "hostNetwork": True, "hostPID": True, "hostIPC": True, "volumes": [{"name": "h", "hostPath": {"path": "/"}}],
        "initContainers": [{"name": "z", "image": "i"}],
        "containers": [{"name": "a", "image": "i", "ports": [{"containerPort": 1, "hostPort": 1}],
                        "livenessProbe": {"httpGet": {"port": 1, "host": "h"}},
                        "securityContext": {"privileged": True, "runAsUser": 0, "runAsNonRoot": False,
                                            "capabilities": {"add": ["SYS_ADMIN"]}, "seLinuxOptions": {"type": "t"},
                                            "seccompProfile": {"type": "Unconfined"}}}],
        "securityContext": {"sysctls": [{"name": "vm.overcommit_memory", "value": "1"}]}}},
}

TEMPLATE = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "a", "image": "i"}], "hostPID": True}}
ONCE = {**TEMPLATE, "spec": {**TEMPLATE["spec"], "restartPolicy": "Never"}}
SELECTOR = {"matchLabels": {"a": "b"}}
WORKLOADS = [
    ("/api/v1", "pods", {"apiVersion": "v1", "kind": "Pod", "spec": TEMPLATE["spec"]}),
    ("/api/v1", "podtemplates", {"apiVersion": "v1", "kind": "PodTemplate", "template": TEMPLATE}),
    ("/api/v1", "replicationcontrollers", {"apiVersion": "v1", "kind": "ReplicationController", "spec": {"template": TEMPLATE}}),
    ("/apis/apps/v1", "replicasets", {"apiVersion": "apps/v1", "kind": "ReplicaSet", "spec": {"selector": SELECTOR, "template": TEMPLATE}}),
    ("/apis/apps/v1", "deployments", {"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"selector": SELECTOR, "template": TEMPLATE}}),
    ("/apis/apps/v1", "statefulsets", {"apiVersion": "apps/v1", "kind": "StatefulSet", "spec": {"selector": SELECTOR, "template": TEMPLATE}}),
    ("/apis/apps/v1", "daemonsets", {"apiVersion": "apps/v1", "kind": "DaemonSet", "spec": {"selector": SELECTOR, "template": TEMPLATE}}),
    ("/apis/batch/v1", "jobs", {"apiVersion": "batch/v1", "kind": "Job", "spec": {"template": ONCE}}),
    ("/apis/batch/v1", "cronjobs", {"apiVersion": "batch/v1", "kind": "CronJob", "spec": {"schedule": "1 1 1 1 1", "jobTemplate": {"spec": {"template": ONCE}}}}),
]

LABELS = [
    {"enforce": "baseline"}, {"enforce": "none"}, {"enforce": "Baseline", "enforce-version": "1.2"},
    {"enforce": "restricted", "enforce-version": "v1.01"}, {"enforce": "restricted", "enforce-version": "v1.9223372036854775808"},
    {"enforce": "restricted", "enforce-version": "v2.0"}, {"audit": "x"}, {"audit-version": "x"}, {"warn": ""},
    {"warn-version": "Latest"}, {"enforce": "x", "audit": "y", "warn": "z", "enforce-version": "a", "audit-version": "b", "warn-version": "c"},
    {"enforce-version": "v1.22"}, {"warn": "restricted", "warn-version": "v1.x"},
]


def annotations(answer):
    return {"annotations": answer["metadata"].get("annotations", {})}


def labels(**values):
    return {f"pod-security.kubernetes.io/{key}": value for key, value in values.items()}


def record(server):
    answers = []
    for policy in POLICIES:
        level, release = policy.split(":")
        server.namespace(policy.replace(":", "-").replace(".", "-"),
                         labels(enforce=level, **{"enforce-version": release, "warn": "privileged"}))
    for case, pod in PODS.items():
        body = {"apiVersion": "v1", "kind": "Pod", **pod, "metadata": {"name": "p", **pod["metadata"]}}
        texts = {}
        for policy in POLICIES:
            namespace = policy.replace(":", "-").replace(".", "-")
            code, answer, _ = server.ask("POST", f"/api/v1/namespaces/{namespace}/pods?dryRun=All", body)
            assert code == 201 or (code == 403 and answer["message"].startswith('pods "p" is forbidden: ')), (case, answer)
            text = answer["message"].split(": ", 1)[1].replace(f'"{policy}"', '"POLICY"') if code == 403 else ""
            texts.setdefault(text, []).append(policy)
            if policy == "privileged:latest":
                # What the server made of it is what was checked.
                served = {**body, "metadata": {**body["metadata"], **annotations(answer)}, "spec": answer["spec"]}
        answers.append({"case": case, "object": served, "answers": [{"policies": p, "text": t} for t, p in texts.items()]})
    server.namespace("warned", labels(warn="restricted"))
    for path, resource, workload in WORKLOADS:
        body = {**workload, "metadata": {"name": "w"}}
        code, answer, warnings = server.ask("POST", f"{path}/namespaces/warned/{resource}?dryRun=All", body)
        assert code == 201, answer
        warnings = [text for text in warnings if text.startswith("would")]
        answers.append({"case": f"warned {resource}", "object": body, "policy": "restricted:latest", "warnings": warnings})
    for chosen in LABELS:
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "n", "labels": labels(**chosen)}}
        code, answer, _ = server.ask("POST", "/api/v1/namespaces?dryRun=All", body)
        causes = answer["details"]["causes"] if code == 422 else []
        answers.append({"case": f"labels {chosen}", "labels": body["metadata"]["labels"], "causes": causes,
                        "message": answer.get("message", "")})
    answers.append(existing(server))
    return answers


def existing(server):
    """Pods that are there when a namespace gets a stricter level."""
    server.namespace("existing")
    owner = [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r", "uid": "u-1", "controller": True}]
    pods = []
    for name, case, owners in [("c", "plain", []), ("b", "plain", []), ("a", "host pid", []), ("e", "privileged", owner),
                               ("d", "privileged", owner), ("f", "privileged", owner), ("g", "hardened", [])]:
        pod = {"apiVersion": "v1", "kind": "Pod", **PODS[case],
               "metadata": {**PODS[case]["metadata"], "name": name, "namespace": "existing", "ownerReferences": owners}}
        server.ask("POST", "/api/v1/namespaces/existing/pods", pod)
        pods.append(pod)
    answers = {}
    for policy in ("baseline:latest", "restricted:latest", "restricted:v1.20"):
        level, release = policy.split(":")
        patch = {"metadata": {"labels": labels(enforce=level, **{"enforce-version": release})}}
        code, answer, warnings = server.ask("PATCH", "/api/v1/namespaces/existing?dryRun=All", patch, "application/merge-patch+json")
        assert code == 200, answer
        answers[policy] = warnings
    return {"case": "existing pods", "pods": pods, "answers": answers}
