"""Quotas, and what they say to requests; each case in a namespace of its own.

There is nobody who counts what is used, so every quota starts with what its case says, by default nothing.
"""
import time


def container(name="a", requests=None, limits=None, **more):
    return {"name": name, "image": "i", "resources": {"requests": requests or {}, "limits": limits or {}}, **more}


def pod(*containers, init=(), **spec):
    spec = {"containers": list(containers) or [container()], **spec}
    if init:
        spec["initContainers"] = list(init)
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}, "spec": spec}


def claim(storage="1Gi", **spec):
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "x"},
            "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": storage}}, **spec}}


def service(type_="ClusterIP", ports=1, **spec):
    ports = [{"name": f"p{number}", "port": 80 + number} for number in range(ports)]
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "x"}, "spec": {"type": type_, "ports": ports, **spec}}


def other(kind, version="v1", **body):
    return {"apiVersion": version, "kind": kind, "metadata": {"name": "x"}, **body}


def devices(*requests):
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "x"},
            "spec": {"devices": {"requests": list(requests)}}}


def selector(name, operator, *values):
    return {"scopeSelector": {"matchExpressions": [{"scopeName": name, "operator": operator, **({"values": list(values)} if values else {})}]}}


SIDECAR = {"restartPolicy": "Always"}
SMALL = container(requests={"cpu": "100m", "memory": "64Mi"}, limits={"cpu": "200m", "memory": "128Mi"})
NEAR = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "k", "namespaces": ["n"]}]}}
FAR = {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "podAffinityTerm": {"topologyKey": "k", "namespaceSelector": {}}}]}}
OWN = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "k"}]}}
TEMPLATE = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "a", "image": "i"}]}}

# A case: what is hard, more of the quota's spec, what is used, the object, and then a change and its subresource.
CASES = [
    ({"pods": "1"}, {}, {}, pod()),
    ({"pods": "0"}, {}, {}, pod()),
    ({"pods": "5"}, {}, {"pods": "5"}, pod()),
    ({"count/pods": "0", "pods": "0"}, {}, {}, pod()),
    ({"cpu": "1"}, {}, {}, pod()),
    ({"cpu": "1", "memory": "1Gi", "limits.cpu": "1"}, {}, {}, pod(container(), container("b", requests={"cpu": "1"}), init=[container("z")])),
    ({"cpu": "1", "pods": "10"}, {}, {}, pod(SMALL)),
    ({"cpu": "1"}, {}, {"cpu": "950m"}, pod(SMALL)),
    ({"requests.cpu": "1", "requests.memory": "100Mi", "limits.cpu": "1", "limits.memory": "100Mi"}, {}, {}, pod(SMALL)),
    ({"requests.memory": "100Mi", "limits.memory": "100Mi"}, {}, {"requests.memory": "50Mi"}, pod(SMALL)),
    ({"requests.cpu": "1"}, {}, {}, pod(container(requests={"cpu": "400m"}), container("b", requests={"cpu": "601m"}))),
    ({"requests.cpu": "1"}, {}, {}, pod(container(requests={"cpu": "400m"}), init=[container("z", requests={"cpu": "1001m"})])),
    ({"requests.cpu": "1"}, {}, {}, pod(container(requests={"cpu": "400m"}), init=[container("z", requests={"cpu": "700m"}, **SIDECAR)])),
    ({"requests.cpu": "2"}, {}, {}, pod(container(requests={"cpu": "400m"}), init=[container("z", requests={"cpu": "700m"}, **SIDECAR), container("y", requests={"cpu": "1500m"})])),
    ({"requests.cpu": "2", "limits.cpu": "2"}, {}, {}, pod(resources={"requests": {"cpu": "1"}, "limits": {"cpu": "3"}})),
    ({"requests.cpu": "2", "memory": "1Gi"}, {}, {}, pod(resources={"requests": {"cpu": "1"}})),
    ({"requests.ephemeral-storage": "1Gi"}, {}, {}, pod()),
    ({"ephemeral-storage": "1Gi", "limits.ephemeral-storage": "2Gi"}, {}, {}, pod(container(requests={"ephemeral-storage": "2Gi"}, limits={"ephemeral-storage": "3Gi"}))),
    ({"requests.example.com/gpu": "1"}, {}, {}, pod(container(requests={"example.com/gpu": "2"}, limits={"example.com/gpu": "2"}))),
    ({"requests.example.com/gpu": "2"}, {}, {}, pod(container(requests={"example.com/gpu": "2"}, limits={"example.com/gpu": "2"}))),
    ({"hugepages-2Mi": "4Mi", "requests.hugepages-2Mi": "2Mi"}, {}, {}, pod(container(requests={"hugepages-2Mi": "4Mi", "cpu": "1"}, limits={"hugepages-2Mi": "4Mi", "cpu": "1"}))),
    ({"pods": "0"}, {"scopes": ["Terminating"]}, {}, pod()),
    ({"pods": "0"}, {"scopes": ["Terminating"]}, {}, pod(activeDeadlineSeconds=10)),
    ({"pods": "0"}, {"scopes": ["NotTerminating"]}, {}, pod()),
    ({"pods": "0"}, {"scopes": ["NotTerminating"]}, {}, pod(activeDeadlineSeconds=10)),
    ({"pods": "1"}, {"scopes": ["Terminating"]}, {}, pod(), {"spec": {"activeDeadlineSeconds": 10}}),
    ({"pods": "0"}, {"scopes": ["Terminating"]}, {}, pod(), {"spec": {"activeDeadlineSeconds": 10}}),
    ({"pods": "1"}, {"scopes": ["NotTerminating"]}, {}, pod(), {"spec": {"activeDeadlineSeconds": 10}}),
    ({"pods": "1"}, {}, {}, pod(), {"spec": {"activeDeadlineSeconds": 10}}),
    ({"pods": "1"}, {}, {}, pod(), {"metadata": {"labels": {"a": "b"}}}),
    ({"pods": "0"}, {"scopes": ["BestEffort"]}, {}, pod()),
    ({"pods": "0"}, {"scopes": ["BestEffort"]}, {}, pod(SMALL)),
    ({"pods": "0"}, {"scopes": ["NotBestEffort"]}, {}, pod()),
    ({"pods": "0", "cpu": "1"}, {"scopes": ["NotBestEffort"]}, {}, pod(SMALL)),
    ({"pods": "0"}, {"scopes": ["NotBestEffort", "NotTerminating"]}, {}, pod(SMALL)),
    ({"pods": "0"}, {"scopes": ["BestEffort"]}, {}, pod(resources={"requests": {"cpu": "1"}})),
    ({"pods": "0"}, {"scopes": ["PriorityClass"]}, {}, pod()),
    ({"pods": "0"}, {"scopes": ["PriorityClass"]}, {}, pod(priorityClassName="high")),
    ({"pods": "0"}, selector("PriorityClass", "In", "high", "low"), {}, pod(priorityClassName="high")),
    ({"pods": "0"}, selector("PriorityClass", "In", "low"), {}, pod(priorityClassName="high")),
    ({"pods": "0"}, selector("PriorityClass", "In", "low"), {}, pod()),
    ({"pods": "0"}, selector("PriorityClass", "NotIn", "low"), {}, pod(priorityClassName="high")),
    ({"pods": "0"}, selector("PriorityClass", "NotIn", "high"), {}, pod(priorityClassName="high")),
    ({"pods": "0"}, selector("PriorityClass", "NotIn", "high"), {}, pod()),
    ({"pods": "0"}, selector("PriorityClass", "DoesNotExist"), {}, pod()),
    ({"pods": "0"}, selector("PriorityClass", "DoesNotExist"), {}, pod(priorityClassName="high")),
    ({"pods": "0"}, selector("PriorityClass", "Exists"), {}, pod(priorityClassName="high")),
    ({"pods": "0"}, {"scopes": ["CrossNamespacePodAffinity"]}, {}, pod(affinity=NEAR)),
    ({"pods": "0"}, {"scopes": ["CrossNamespacePodAffinity"]}, {}, pod(affinity=FAR)),
    ({"pods": "0"}, {"scopes": ["CrossNamespacePodAffinity"]}, {}, pod(affinity=OWN)),
    ({"cpu": "250m"}, {}, {}, pod(SMALL), {"spec": {"containers": [{**SMALL, "resources": {"requests": {"cpu": "150m", "memory": "64Mi"}, "limits": {"cpu": "200m", "memory": "128Mi"}}}]}}, "resize"),
    ({"cpu": "120m"}, {}, {}, pod(SMALL), {"spec": {"containers": [{**SMALL, "resources": {"requests": {"cpu": "150m", "memory": "64Mi"}, "limits": {"cpu": "200m", "memory": "128Mi"}}}]}}, "resize"),
    ({"services": "1", "services.nodeports": "1", "services.loadbalancers": "0"}, {}, {}, service()),
    ({"services": "0", "count/services": "0"}, {}, {}, service()),
    ({"services": "1", "services.nodeports": "1"}, {}, {}, service("NodePort")),
    ({"services": "1", "services.nodeports": "1"}, {}, {}, service("NodePort", 2)),
    ({"services.nodeports": "1"}, {}, {}, service("LoadBalancer", 2)),
    ({"services.nodeports": "0", "services.loadbalancers": "1"}, {}, {}, service("LoadBalancer", 2, allocateLoadBalancerNodePorts=False)),
    ({"services.loadbalancers": "0"}, {}, {}, service("LoadBalancer")),
    ({"services.loadbalancers": "0"}, {}, {}, service(), {"spec": {"type": "LoadBalancer"}}),
    ({"services.nodeports": "3"}, {}, {}, service("NodePort"), {"spec": {"ports": [{"name": "p0", "port": 80}, {"name": "p1", "port": 81}]}}),
    ({"persistentvolumeclaims": "0"}, {}, {}, claim()),
    ({"count/persistentvolumeclaims": "0"}, {}, {}, claim()),
    ({"requests.storage": "2Gi"}, {}, {}, claim()),
    ({"requests.storage": "2Gi"}, {}, {"requests.storage": "1.5Gi"}, claim()),
    ({"requests.storage": "1Gi"}, {}, {}, claim("1100M")),
    ({"requests.storage": "1"}, {}, {}, claim("1500m")),
    ({"gold.storageclass.storage.k8s.io/requests.storage": "1Gi", "gold.storageclass.storage.k8s.io/persistentvolumeclaims": "5"}, {}, {}, claim("2Gi", storageClassName="gold")),
    ({"gold.storageclass.storage.k8s.io/requests.storage": "3Gi", "gold.storageclass.storage.k8s.io/persistentvolumeclaims": "5"}, {}, {}, claim("2Gi", storageClassName="gold")),
    ({"gold.storageclass.storage.k8s.io/persistentvolumeclaims": "0"}, {}, {}, claim("2Gi", storageClassName="silver")),
    ({"persistentvolumeclaims": "0"}, selector("VolumeAttributesClass", "In", "fast"), {}, claim(volumeAttributesClassName="fast")),
    ({"persistentvolumeclaims": "0"}, selector("VolumeAttributesClass", "In", "slow"), {}, claim(volumeAttributesClassName="fast")),
    ({"persistentvolumeclaims": "0"}, selector("VolumeAttributesClass", "DoesNotExist"), {}, claim()),
    ({"count/configmaps": "0"}, {}, {}, other("ConfigMap")),
    ({"configmaps": "1", "count/configmaps": "0"}, {}, {}, other("ConfigMap")),
    ({"secrets": "0"}, {}, {}, other("Secret")),
    ({"secrets": "3"}, {}, {}, other("Secret")),
    ({"replicationcontrollers": "0"}, {}, {}, other("ReplicationController", spec={"template": TEMPLATE})),
    ({"resourcequotas": "0"}, {}, {"resourcequotas": "1"}, other("ResourceQuota", spec={"hard": {}})),
    ({"count/deployments.apps": "0"}, {}, {}, other("Deployment", "apps/v1", spec={"selector": {"matchLabels": {"a": "b"}}, "template": TEMPLATE})),
    ({"count/deployments.apps": "1"}, {}, {}, other("Deployment", "apps/v1", spec={"selector": {"matchLabels": {"a": "b"}}, "template": TEMPLATE}), {"metadata": {"labels": {"c": "d"}}}),
    ({"count/leases.coordination.k8s.io": "0"}, {}, {}, other("Lease", "coordination.k8s.io/v1")),
    ({"count/resourceclaims.resource.k8s.io": "0"}, {}, {}, devices({"name": "r", "exactly": {"deviceClassName": "gpu"}})),
    ({"gpu.deviceclass.resource.k8s.io/devices": "2"}, {}, {}, devices({"name": "r", "exactly": {"deviceClassName": "gpu", "count": 3}})),
    ({"gpu.deviceclass.resource.k8s.io/devices": "2"}, {}, {}, devices({"name": "r", "exactly": {"deviceClassName": "gpu", "allocationMode": "All"}})),
    ({"gpu.deviceclass.resource.k8s.io/devices": "5"}, {}, {}, devices({"name": "r", "firstAvailable": [{"name": "s", "deviceClassName": "gpu", "count": 3}, {"name": "t", "deviceClassName": "gpu", "count": 2}]}, {"name": "q", "exactly": {"deviceClassName": "gpu"}})),
    ({"cpu": "1", "pods": "1"}, {}, None, pod(SMALL)),
    ({"pods": "1", "requests.storage": "1Gi"}, {}, None, service()),
]


def path(object_):
    version = object_["apiVersion"]
    base = f"/api/{version}" if "/" not in version else f"/apis/{version}"
    return base, {"ConfigMap": "configmaps", "Secret": "secrets"}.get(object_["kind"], object_["kind"].lower() + "s")


def merge(into, patch):
    for key, value in patch.items():
        into[key] = merge(dict(into.get(key, {})), value) if isinstance(value, dict) else value
    return into


def trimmed(object_):
    """Without what the server gives out, but for what tells that it was stored."""
    kept = {key: value for key, value in object_["metadata"].items() if key in ("name", "labels", "annotations", "resourceVersion")}
    return {**object_, "metadata": {**kept, **({"resourceVersion": "1"} if "resourceVersion" in kept else {})}}


def quota_in(server, namespace):
    quota = server.ask("GET", f"/api/v1/namespaces/{namespace}/resourcequotas/q")[1]
    return {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"}, "spec": quota["spec"], "status": quota["status"]}


def record(server):
    stamp = int(time.time())
    for number, (hard, more, used, *_) in enumerate(CASES):
        namespace = server.namespace(f"quota-{stamp}-{number}")
        body = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"}, "spec": {"hard": hard, **more}}
        code, answer, _ = server.ask("POST", f"/api/v1/namespaces/{namespace}/resourcequotas", body)
        assert code == 201, (hard, answer)
        hard = answer["spec"]["hard"]
        answer["status"] = {"hard": hard, "used": {**{name: "0" for name in hard}, **used} if used is not None else {}}
        code, answer, _ = server.ask("PUT", f"/api/v1/namespaces/{namespace}/resourcequotas/q/status", answer)
        assert code == 200, (hard, answer)
    time.sleep(3)
    answers = []
    for number, (hard, more, used, object_, *change) in enumerate(CASES):
        namespace = f"quota-{stamp}-{number}"
        base, resource = path(object_)
        base = f"{base}/namespaces/{namespace}/{resource}"

        def step(method, url, subresource, sent, old):
            before = quota_in(server, namespace)
            code, answer, _ = server.ask(method, url, sent)
            assert code in (200, 201) or (code == 403 and " is forbidden: " in answer["message"]), (hard, sent, answer)
            answers.append({
                "case": number, "quota": before, "resource": resource, "subresource": subresource, "old": old and trimmed(old),
                "object": trimmed(sent), "text": answer["message"].split(" is forbidden: ", 1)[1] if code == 403 else "",
                "used": quota_in(server, namespace)["status"].get("used", {}),
            })
            return answer if code != 403 else None

        made = step("POST", base, "", object_, None)
        if change and made is None:
            raise AssertionError((hard, "was to be changed"))
        if change:
            subresource = change[1] if len(change) > 1 else ""
            suffix = f"/{subresource}" if subresource else ""
            made = server.ask("GET", f"{base}/x")[1]
            new = merge(server.ask("GET", f"{base}/x")[1], change[0])
            step("PUT", f"{base}/x{suffix}", subresource, new, made)
    return answers
