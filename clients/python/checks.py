"""Drives an API server with Python's `kubernetes`: a line per check, and an end at the first that fails."""

import logging
import os
import subprocess
import sys
import time

import yaml
from kubernetes import client, config, watch
from kubernetes.client.rest import ApiException
from kubernetes.dynamic import DynamicClient
from kubernetes.informer import SharedInformer

NAMESPACE = "python-client"
# Where every server has pods before it is used.
CROWD = "crowd"
PATIENCE = 120


def config_map(name, **labels):
    return {"metadata": {"name": name, "labels": labels}, "data": {"wind": "north"}}


def course(name, bearing):
    return {
        "apiVersion": "sea.example.com/v1",
        "kind": "Course",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {"bearing": bearing},
    }


def expect(what, got, want):
    if got != want:
        raise AssertionError(f"{what}: got {got!r}, want {want!r}")


def expect_status(code, call, *arguments, **options):
    """The call must be refused with this code."""
    try:
        call(*arguments, **options)
    except ApiException as error:
        expect(f"code of {error.body}", error.status, code)
    else:
        raise AssertionError(f"{call.__name__} was not refused with {code}")


def until(what, ask):
    """Asks again and again until the answer is yes."""
    end = time.monotonic() + PATIENCE
    while not ask():
        if time.monotonic() > end:
            raise AssertionError(f"waited in vain until {what}")
        time.sleep(0.05)


def create_and_get():
    core = client.CoreV1Api()
    core.create_namespace({"metadata": {"name": NAMESPACE}})
    made = core.create_namespaced_config_map(NAMESPACE, config_map("first"))
    got = core.read_namespaced_config_map("first", NAMESPACE)
    expect("uid", got.metadata.uid, made.metadata.uid)
    expect("data", got.data, {"wind": "north"})
    expect_status(409, core.create_namespaced_config_map, NAMESPACE, config_map("first"))
    expect_status(404, core.read_namespaced_config_map, "nobody", NAMESPACE)
    made.metadata.resource_version = "1"
    expect_status(409, core.replace_namespaced_config_map, "first", NAMESPACE, made)


def list_in_pages():
    core = client.CoreV1Api()
    for number in range(5):
        core.create_namespaced_config_map(NAMESPACE, config_map(f"page-{number}", book="log"))
    sizes, versions, more = [], set(), None
    while more != "":
        page = core.list_namespaced_config_map(NAMESPACE, label_selector="book=log", limit=2, _continue=more)
        sizes.append(len(page.items))
        versions.add(page.metadata.resource_version)
        more = page.metadata._continue or ""
    expect("sizes of the pages", sizes, [2, 2, 1])
    expect("revisions of the pages", len(versions), 1)


def watch_changes():
    core = client.CoreV1Api()
    start = core.list_namespaced_config_map(NAMESPACE).metadata.resource_version
    core.create_namespaced_config_map(NAMESPACE, config_map("watched"))
    core.patch_namespaced_config_map("watched", NAMESPACE, {"data": {"wind": "south"}})
    core.delete_namespaced_config_map("watched", NAMESPACE)
    kinds = []
    stream = watch.Watch()
    for event in stream.stream(
        core.list_namespaced_config_map,
        NAMESPACE,
        resource_version=start,
        field_selector="metadata.name=watched",
        timeout_seconds=30,
    ):
        kinds.append(event["type"])
        if event["type"] == "DELETED":
            stream.stop()
    expect("events", kinds, ["ADDED", "MODIFIED", "DELETED"])


def patch(name, body, form):
    kind = f"application/{form}"
    return client.CoreV1Api().patch_namespaced_config_map(name, NAMESPACE, body, _content_type=kind)


def patch_json():
    test = {"op": "test", "path": "/data/wind", "value": "north"}
    add = {"op": "add", "path": "/data/sea", "value": "calm"}
    expect("sea", patch("first", [test, add], "json-patch+json").data["sea"], "calm")
    remove = {"op": "remove", "path": "/data/nothing"}
    expect_status(422, patch, "first", [remove], "json-patch+json")


def patch_merge():
    got = patch("first", {"data": {"sea": None, "sky": "clear"}}, "merge-patch+json")
    expect("data", got.data, {"wind": "north", "sky": "clear"})


def patch_strategic():
    apps = client.AppsV1Api()
    containers = [{"name": "sail", "image": "sail:1"}]
    template = {"metadata": {"labels": {"app": "ship"}}, "spec": {"containers": containers}}
    spec = {"selector": {"matchLabels": {"app": "ship"}}, "template": template}
    apps.create_namespaced_deployment(NAMESPACE, {"metadata": {"name": "ship"}, "spec": spec})
    # Containers are merged by name: one changes, one is new.
    changed = [{"name": "sail", "image": "sail:2"}, {"name": "oar", "image": "oar:1"}]
    body = {"spec": {"template": {"spec": {"containers": changed}}}}
    kind = "application/strategic-merge-patch+json"
    got = apps.patch_namespaced_deployment("ship", NAMESPACE, body, _content_type=kind)
    images = {container.name: container.image for container in got.spec.template.spec.containers}
    expect("images", images, {"sail": "sail:2", "oar": "oar:1"})


def patch_apply():
    core = client.CoreV1Api()

    def apply(manager, wind, force):
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "applied"}, "data": {"wind": wind}}
        kind = "application/apply-patch+yaml"
        return core.patch_namespaced_config_map(
            "applied", NAMESPACE, body, field_manager=manager, force=force, _content_type=kind
        )

    apply("helm", "east", False)
    expect_status(409, apply, "mate", "west", False)
    forced = apply("mate", "west", True)
    expect("data", forced.data, {"wind": "west"})
    expect("managers", [entry.manager for entry in forced.metadata.managed_fields], ["mate"])


def delete_one_and_all():
    core = client.CoreV1Api()
    core.delete_namespaced_config_map("applied", NAMESPACE)
    expect_status(404, core.read_namespaced_config_map, "applied", NAMESPACE)
    core.delete_collection_namespaced_config_map(NAMESPACE, label_selector="book=log")
    left = core.list_namespaced_config_map(NAMESPACE, label_selector="book=log").items
    expect("pages left", left, [])


def define_courses():
    extensions = client.ApiextensionsV1Api()
    with open("clients/courses.yaml", encoding="utf-8") as text:
        definition = yaml.safe_load(text)
    extensions.create_custom_resource_definition(definition)

    def established():
        got = extensions.read_custom_resource_definition(definition["metadata"]["name"])
        conditions = got.status.conditions or [] if got.status else []
        return any(one.type == "Established" and one.status == "True" for one in conditions)

    until("the definition is established", established)

    def served():
        groups = client.ApisApi().get_api_versions().groups
        return any(group.name == "sea.example.com" for group in groups)

    until("discovery names it", served)


def use_courses():
    # The dynamic client learns of the resource by discovery.
    dynamic = DynamicClient(client.ApiClient())
    courses = dynamic.resources.get(api_version="sea.example.com/v1", kind="Course")
    courses.create(body=course("home", 270), namespace=NAMESPACE)
    expect_status(422, courses.create, body=course("nowhere", 400), namespace=NAMESPACE)

    kind = "application/merge-patch+json"
    patched = courses.patch(
        name="home", namespace=NAMESPACE, body={"spec": {"bearing": 90}}, content_type=kind
    )
    expect("spec", patched.spec.to_dict(), {"bearing": 90, "north": "true"})
    updated = courses.status.patch(
        name="home", namespace=NAMESPACE, body={"status": {"held": True}}, content_type=kind
    )
    expect("held", updated.status.held, True)
    expect("generation after a new status", updated.metadata.generation, patched.metadata.generation)
    marked = course("home", 90)
    marked["spec"]["marks"] = ["light", "buoy"]
    applied = courses.server_side_apply(
        body=marked, name="home", namespace=NAMESPACE, field_manager="helm", force_conflicts=True
    )
    expect("marks", applied.spec.marks, ["light", "buoy"])
    expect("courses", len(courses.get(namespace=NAMESPACE).items), 1)


class Seen:
    """Which pods of the crowd arrived; clients/crowd/fill tells what they are like. Each may come once, as it was made."""

    def __init__(self):
        self.size = int(os.environ["RHUMB_CROWD"])
        self.numbers = set()

    def add(self, name, labels, image):
        number = labels["number"]
        if number in self.numbers or not 0 <= int(number) < self.size:
            raise AssertionError(f"{name} is none of the pods, or came twice")
        expect("name", name, f"web-7d4b9c6f5d-{number}")
        expect("image", image, f"registry.example.com/shop/web:1.27.{number}")
        self.numbers.add(number)

    def add_pod(self, pod):
        self.add(pod.metadata.name, pod.metadata.labels, pod.spec.containers[0].image)

    def all(self):
        expect("pods", len(self.numbers), self.size)


def crowd_listed():
    seen = Seen()
    for pod in client.CoreV1Api().list_namespaced_pod(CROWD).items:
        seen.add_pod(pod)
    seen.all()


def crowd_in_pages():
    # Plain values and no models, which is how the dynamic client has them.
    pods = DynamicClient(client.ApiClient()).resources.get(api_version="v1", kind="Pod")
    seen, more = Seen(), None
    while more != "":
        page = pods.get(namespace=CROWD, limit=500, _continue=more).to_dict()
        for pod in page["items"]:
            seen.add(pod["metadata"]["name"], pod["metadata"]["labels"], pod["spec"]["containers"][0]["image"])
        more = page["metadata"].get("continue") or ""
    seen.all()


def crowd_watched():
    # A watch without a version begins with all that is there.
    pods = DynamicClient(client.ApiClient()).resources.get(api_version="v1", kind="Pod")
    seen, watcher = Seen(), watch.Watch()
    for event in pods.watch(namespace=CROWD, timeout=PATIENCE, watcher=watcher):
        pod = event["raw_object"]
        expect("event", event["type"], "ADDED")
        seen.add(pod["metadata"]["name"], pod["metadata"]["labels"], pod["spec"]["containers"][0]["image"])
        if len(seen.numbers) == seen.size:
            watcher.stop()
    seen.all()


def informer_over_a_restart():
    core = client.CoreV1Api()
    informer = SharedInformer(core.list_namespaced_config_map, namespace=NAMESPACE)
    informer.start()
    for name in ["before", "after"]:
        if name == "after":
            subprocess.run(os.environ["RHUMB_RESTART"], shell=True, check=True)
        core.create_namespaced_config_map(NAMESPACE, config_map(name))
        until(f"the informer knows {name}", lambda: f"{NAMESPACE}/{name}" in informer.cache.list_keys())
    expect("the informer still knows", f"{NAMESPACE}/before" in informer.cache.list_keys(), True)
    got = client.CustomObjectsApi().get_namespaced_custom_object(
        "sea.example.com", "v1", NAMESPACE, "courses", "home"
    )
    expect("the course after the restart", got["spec"]["bearing"], 90)
    informer.stop()


CHECKS = [
    ("create and get", create_and_get),
    ("list in pages", list_in_pages),
    ("watch", watch_changes),
    ("patch: JSON", patch_json),
    ("patch: merge", patch_merge),
    ("patch: strategic", patch_strategic),
    ("patch: apply", patch_apply),
    ("delete", delete_one_and_all),
    ("custom resource: definition", define_courses),
    ("custom resource: instances", use_courses),
    ("crowd: list", crowd_listed),
    ("crowd: list in pages", crowd_in_pages),
    ("crowd: watch", crowd_watched),
    ("an informer over a restart", informer_over_a_restart),
]


def main():
    # While the server is away the informer complains at length, as it should.
    logging.disable(logging.CRITICAL)
    config.load_kube_config()
    for name, check in CHECKS:
        try:
            check()
        except Exception as error:  # Whatever it is, it is the answer.
            print(f"FAIL {name}: {type(error).__name__}: {error}", flush=True)
            sys.exit(1)
        print(f"ok   {name}", flush=True)


if __name__ == "__main__":
    main()
