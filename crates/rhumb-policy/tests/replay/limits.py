"""Limit ranges, and what they make of pods and claims."""


def container(name="a", requests=None, limits=None, **more):
    return {"name": name, "image": "i", "resources": {"requests": requests or {}, "limits": limits or {}}, **more}


def pod(*containers, init=(), **spec):
    spec = {"containers": list(containers) or [container()], **spec}
    if init:
        spec["initContainers"] = list(init)
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec}


def claim(storage, **resources):
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "p"},
            "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": storage}, **resources}}}


def item(type_="Container", **bounds):
    return {"type": type_, **bounds}


SIDECAR = {"restartPolicy": "Always"}
CPU_MEMORY = {"cpu": "100m", "memory": "64Mi"}
DEFAULTS = [item(default={"cpu": "500m", "memory": "512Mi"}, defaultRequest=CPU_MEMORY)]
RANGES = {
    "defaults": (DEFAULTS, [
        pod(), pod(container(), container("b")), pod(container(requests={"cpu": "1m"})), pod(container(limits={"cpu": "1"})),
        pod(container(requests={"cpu": "1m", "memory": "1Mi"}, limits={"cpu": "1", "memory": "1Gi"})),
        pod(container(requests=CPU_MEMORY), init=[container("z")]), pod(init=[container("z", limits={"memory": "1Gi"}), container("y", **SIDECAR)]),
        pod(container(requests={"example.com/gpu": "1"}, limits={"example.com/gpu": "1"})),
    ]),
    "default limits only": ([item(default={"cpu": "2"})], [pod(), pod(container(requests={"cpu": "1"}))]),
    "default requests only": ([item(defaultRequest={"cpu": "200m", "ephemeral-storage": "1Gi"})], [pod(), pod(container(limits={"cpu": "3"}))]),
    "of max": ([item(max={"cpu": "2"}, min={"cpu": "100m"})], [
        pod(), pod(container(limits={"cpu": "3"})), pod(container(limits={"cpu": "2000m"})), pod(container(limits={"cpu": "50m"})),
        pod(container(requests={"cpu": "50m"}, limits={"cpu": "200m"})), pod(container(requests={"cpu": "2500m"}, limits={"cpu": "2500m"})),
        pod(container(limits={"cpu": "3"}), container("b", limits={"cpu": "4"})), pod(container(limits={"cpu": "3"}), container("b", limits={"cpu": "3"})),
        pod(init=[container("z", limits={"cpu": "5"})]), pod(container(limits={"cpu": "1"}), init=[container("z", limits={"cpu": "5"}, **SIDECAR)]),
    ]),
    "min of memory": ([item(min={"memory": "100Mi"})], [
        pod(), pod(container(requests={"memory": "99Mi"})), pod(container(requests={"memory": "104857600"})), pod(container(requests={"memory": "0.1G"})),
        pod(container(requests={"memory": "1Mi"}, limits={"memory": "2Mi"})),
    ]),
    "max without default": ([item("Pod", max={"cpu": "2", "memory": "1Gi"})], [
        pod(), pod(container(limits={"cpu": "1", "memory": "1Gi"})), pod(container(limits={"cpu": "1", "memory": "600Mi"}), container("b", limits={"cpu": "1001m", "memory": "600Mi"})),
        pod(container(limits={"cpu": "1", "memory": "1Gi"}), init=[container("z", limits={"cpu": "3", "memory": "1Gi"})]),
        pod(container(limits={"cpu": "1", "memory": "512Mi"}), init=[container("z", limits={"cpu": "1500m", "memory": "1Mi"}, **SIDECAR)]),
        pod(container(limits={"cpu": "100m", "memory": "1Mi"}), init=[container("z", limits={"cpu": "1500m", "memory": "1Mi"}, **SIDECAR), container("y", limits={"cpu": "1500m", "memory": "1Mi"})]),
        pod(container(limits={"cpu": "100m", "memory": "1Mi"}), init=[container("y", limits={"cpu": "1500m", "memory": "1Mi"}), container("z", limits={"cpu": "1500m", "memory": "1Mi"}, **SIDECAR)]),
        pod(container(limits={"cpu": "1"})), pod(resources={"limits": {"cpu": "4", "memory": "2Gi"}}), pod(resources={"limits": {"cpu": "1", "memory": "1Gi"}}),
        pod(container(requests={"cpu": "1", "memory": "1Mi"})),
    ]),
    "min of pods": ([item("Pod", min={"cpu": "1"})], [
        pod(), pod(container(requests={"cpu": "400m"}), container("b", requests={"cpu": "599m"})), pod(container(requests={"cpu": "400m"}), container("b", requests={"cpu": "600m"})),
        pod(container(requests={"cpu": "1"}, limits={"cpu": "2"})), pod(container(requests={"cpu": "100m"}, limits={"cpu": "200m"})),
        pod(resources={"requests": {"cpu": "2"}}), pod(resources={"requests": {"cpu": "200m"}, "limits": {"cpu": "300m"}}),
    ]),
    "ratio": ([item(maxLimitRequestRatio={"cpu": "2"})], [
        pod(), pod(container(requests={"cpu": "1"}, limits={"cpu": "2"})), pod(container(requests={"cpu": "1"}, limits={"cpu": "3"})),
        pod(container(requests={"cpu": "300m"}, limits={"cpu": "1"})), pod(container(requests={"cpu": "1"})), pod(container(limits={"cpu": "1"})),
        pod(container(requests={"cpu": "0"}, limits={"cpu": "1"})), pod(container(requests={"cpu": "7m"}, limits={"cpu": "50m"})),
    ]),
    "ratio of pods": ([item("Pod", maxLimitRequestRatio={"memory": "1500m"})], [
        pod(container(requests={"memory": "100Mi"}, limits={"memory": "150Mi"})), pod(container(requests={"memory": "100Mi"}, limits={"memory": "151Mi"})),
        pod(container(requests={"memory": "8Ei"}, limits={"memory": "9Ei"})),
    ]),
    "huge": ([item(max={"memory": "9Pi"}, min={"memory": "1"})], [
        pod(container(limits={"memory": "9Pi"})), pod(container(limits={"memory": "10Pi"})), pod(container(limits={"memory": "7Ei"})), pod(container(requests={"memory": "500m"}, limits={"memory": "1"})),
    ]),
    "claims": ([item("PersistentVolumeClaim", min={"storage": "1Gi"}, max={"storage": "2Gi"})], [
        claim("1Gi"), claim("1023Mi"), claim("2Gi"), claim("2049Mi"), claim("2500M"), claim("1.5Gi"), claim("0.1Gi"), claim("3Gi", limits={"storage": "3Gi"}),
    ]),
    "claims with more": ([item("PersistentVolumeClaim", max={"storage": "2Gi", "cpu": "1"})], [claim("1Gi"), claim("3Gi")]),
    "two bounds": ([item(max={"cpu": "1", "memory": "1Gi"}, min={"cpu": "100m"}), item("Pod", max={"cpu": "1"})], [
        pod(container(limits={"cpu": "2", "memory": "2Gi"})), pod(container(requests={"cpu": "10m"}, limits={"cpu": "2", "memory": "2Gi"})),
        pod(container(limits={"cpu": "600m", "memory": "1Gi"}), container("b", limits={"cpu": "600m", "memory": "1Gi"})),
    ]),
}


def record(server):
    answers = []
    for number, (name, (items, objects)) in enumerate(RANGES.items()):
        namespace = server.namespace(f"limits-{number}")
        body = {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "l"}, "spec": {"limits": items}}
        code, answer, _ = server.ask("POST", f"/api/v1/namespaces/{namespace}/limitranges", body)
        assert code in (201, 409), answer
        served = server.ask("GET", f"/api/v1/namespaces/{namespace}/limitranges/l")[1]
        limits = {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "l"}, "spec": served["spec"]}
        for object_ in objects:
            resource = "pods" if object_["kind"] == "Pod" else "persistentvolumeclaims"
            texts = set()
            for _ in range(30):
                # The server goes through maps, in another order each time.
                code, answer, _ = server.ask("POST", f"/api/v1/namespaces/{namespace}/{resource}?dryRun=All", object_)
                if code == 201:
                    break
                assert code == 403, (name, object_, answer)
                texts.add(answer["message"].split(" is forbidden: ", 1)[1])
                if "[" not in answer["message"]:
                    break
            made = {"spec": answer["spec"], "annotations": answer["metadata"].get("annotations", {})} if code == 201 else None
            answers.append({"case": name, "range": limits, "object": object_, "made": made, "texts": sorted(texts)})
    return answers
