#!/usr/bin/env python3
"""Records what a real API server answers to the cases of crates/rhumb-validation/tests/cases.

    tools/record-answers.py --kubeconfig FILE [--only CASE,..] [--show] CASES.yaml...
    tools/record-answers.py --kubeconfig FILE --tables [--only CASE,..] [--show] CASES.yaml...

For each TOPIC.yaml it writes TOPIC.answers.json beside it. A case is a mapping with
    case         its name, unique in the file
    create       the manifest that is POSTed
    requires     manifests that must exist before (created and deleted with the case)
    status       a merge patch that is PUT to /status after the create, to bring the object into a state
    update       a merge patch onto the object as served; the result is PUT
    subresource  where `update` is PUT or `post` is POSTed instead of the object itself
    post         the body for a subresource that is POSTed
    ignore, because   are for the test, and not read here
With --tables a case has `case`, `create`, `requires` and `status` only, and the answer is the table a client gets that
asks for the object as one.

Objects are created for real, because a dry run skips some of what a create does, and deleted again. What an earlier
run left behind is known by its field manager. One file at a time runs against a server; others wait for a lock.
Times and uids that the server chose are replaced by fixed ones, so that recording twice gives the same file. Where the
server's order of causes changes from answer to answer (it walks a map), the answer with the lowest order is kept.
"""
import argparse, base64, copy, datetime, fcntl, http.client, json, os, re, ssl, sys, tempfile, time, urllib.parse

import yaml

MANAGER = "record-answers"
UID = "00000000-0000-0000-0000-000000000000"
MOMENT = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
TIME = re.compile(r"(\d{4}-\d\d-\d\d)([T ])(\d\d:\d\d:\d\d)(\.\d+)?(Z| \+0000 UTC)")
SELF_TYPE = re.compile(r"\bselfType\d+")
AMBIGUOUS = re.compile(r"(?i)yes|no|on|off|[-+]?0[0-9_]+|[-+]?0[xob]\w+|[-+]?\d+(_\d+)+|[-+]?\d+(:[0-5]?\d)+(\.\d*)?|<<")


class Cases(yaml.SafeLoader):
    """Reads YAML so that no two parsers can disagree: what YAML 1.1 and 1.2 read differently must be quoted."""

    def construct_scalar(self, node):
        if isinstance(node, yaml.ScalarNode) and node.style is None and AMBIGUOUS.fullmatch(node.value):
            raise yaml.constructor.ConstructorError(None, None, f"quote or rewrite {node.value!r}", node.start_mark)
        return super().construct_scalar(node)

    def construct_mapping(self, node, deep=False):
        seen = set()
        for key, _ in node.value:
            if key.value in seen:
                raise yaml.constructor.ConstructorError(None, None, f"{key.value!r} is there twice", key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)

    def flatten_mapping(self, node):
        """Merge keys (`<<`) are refused by construct_scalar, not merged."""


Cases.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(("timestamp", "merge", "value"))]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()}


class Server:
    """A kept-alive connection to the API server that a kubeconfig's current context names."""

    def __init__(self, kubeconfig):
        config = yaml.safe_load(open(kubeconfig))
        by_name = lambda key, name: next(entry for entry in config[key] if entry["name"] == name)
        context = by_name("contexts", config["current-context"])["context"]
        cluster = by_name("clusters", context["cluster"])["cluster"]
        user = by_name("users", context["user"])["user"]
        self.url = urllib.parse.urlsplit(cluster["server"])
        self.tls = ssl.create_default_context()
        if "certificate-authority" in cluster:
            self.tls.load_verify_locations(cluster["certificate-authority"])
        if "certificate-authority-data" in cluster:
            self.tls.load_verify_locations(cadata=base64.b64decode(cluster["certificate-authority-data"]).decode())
        if cluster.get("insecure-skip-tls-verify"):
            self.tls.check_hostname, self.tls.verify_mode = False, ssl.CERT_NONE
        if "client-certificate" in user:
            self.tls.load_cert_chain(user["client-certificate"], user["client-key"])
        self.headers = {"Accept": "application/json", "Content-Type": "application/json", "User-Agent": MANAGER}
        if "token" in user:
            self.headers["Authorization"] = "Bearer " + user["token"]
        self.connection, self.resources = None, {}

    def request(self, method, path, body=None, **headers):
        headers = {**self.headers, **{name.replace("_", "-"): value for name, value in headers.items()}}
        for attempt in range(6):
            try:
                if self.connection is None:
                    self.connection = self.connect()
                self.connection.request(method, path, None if body is None else json.dumps(body), headers)
                response = self.connection.getresponse()
                text = response.read()
            except (http.client.HTTPException, OSError):
                self.connection = None
                if attempt == 5:
                    raise
                time.sleep(0.2 * attempt)
                continue
            if response.status == 429 and response.headers.get("Retry-After") and attempt < 5:
                time.sleep(1)
                continue
            try:
                return response.status, json.loads(text)
            except ValueError:
                return response.status, {"message": text.decode(errors="replace").strip()}

    def connect(self):
        if self.url.scheme == "http":
            return http.client.HTTPConnection(self.url.hostname, self.url.port)
        return http.client.HTTPSConnection(self.url.hostname, self.url.port, context=self.tls)

    def resource(self, manifest):
        """The discovery entry of a manifest's kind, with the path of its version and the kinds of its subresources."""
        version, kind = manifest.get("apiVersion"), manifest.get("kind")
        if (version, kind) not in self.resources:
            base = f"/apis/{version}" if "/" in str(version) else f"/api/{version}"
            code, listed = self.request("GET", base)
            entries = listed.get("resources", []) if code == 200 else []
            found = next((e for e in entries if e["kind"] == kind and "/" not in e["name"]), None)
            if found is None:
                raise LookupError(f"this server does not serve {kind} of {version}")
            subresources = {e["name"].split("/")[1]: e for e in entries if e["name"].startswith(found["name"] + "/")}
            self.resources[version, kind] = {**found, "base": base, "subresources": subresources}
        return self.resources[version, kind]

    def path(self, manifest, *tail):
        resource, meta = self.resource(manifest), manifest.get("metadata") or {}
        parts = [resource["base"]]
        if resource["namespaced"]:
            parts += ["namespaces", quoted(meta.get("namespace") or "default")]
        return "/".join(parts + [resource["name"]] + [quoted(part) for part in tail])


def quoted(part):
    return urllib.parse.quote(str(part), safe=":")


def merged(target, patch):
    """RFC 7386."""
    if not isinstance(patch, dict):
        return copy.deepcopy(patch)
    result = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result


def delete(server, manifest, name):
    """Deletes an object and returns when it is gone; finalizers get a moment, then they are removed."""
    path = server.path(manifest, name)
    options = {"gracePeriodSeconds": 0, "propagationPolicy": "Background"}
    is_namespace = (manifest["apiVersion"], manifest["kind"]) == ("v1", "Namespace")
    patience = 20 if manifest["kind"] == "CustomResourceDefinition" else 0
    for attempt in range(100):
        code, answer = server.request("DELETE", path, options)
        if code == 404 or (code == 200 and answer.get("kind") == "Status"):
            return
        code, current = server.request("GET", path)
        if code == 404:
            return
        if attempt >= patience:
            if is_namespace and (current.get("spec") or {}).get("finalizers"):
                server.request("PUT", path + "/finalize", merged(current, {"spec": {"finalizers": []}}))
            elif current["metadata"].get("finalizers"):
                server.request("PATCH", path, {"metadata": {"finalizers": None}},
                               Content_Type="application/merge-patch+json")
        time.sleep(min(0.02 * attempt, 0.2))
    print(f"  ! {path} does not go away: {answer.get('message')}", file=sys.stderr)


def sweep(server, cases):
    """Deletes what an earlier run left behind, of the kinds that these cases create."""
    kinds = {}
    for case in cases:
        for manifest in [case.get("create"), *(case.get("requires") or [])]:
            try:
                resource = server.resource(manifest)
            except (LookupError, AttributeError):
                continue
            if {"list", "delete"} <= set(resource["verbs"]):
                kinds[manifest["apiVersion"], manifest["kind"]] = resource
    for (version, kind), resource in kinds.items():
        _, listed = server.request("GET", f"{resource['base']}/{resource['name']}")
        for item in listed.get("items") or []:
            meta = item["metadata"]
            if any(entry.get("manager") == MANAGER for entry in meta.get("managedFields", [])):
                delete(server, {"apiVersion": version, "kind": kind, "metadata": meta}, meta["name"])


def create(server, manifest, made):
    """POSTs a manifest; what was stored is put on `made`, to be deleted afterwards."""
    code, answer = refusal_in_lowest_order(lambda: server.request("POST", server.path(manifest), manifest))
    resource = server.resource(manifest)
    if code in (200, 201) and {"get", "delete"} <= set(resource["verbs"]):
        made.append((manifest, answer["metadata"]["name"]))
    return code, answer


def refusal_in_lowest_order(ask):
    """Asks again when several causes came back, since a refused request changes nothing."""
    best = ask()
    # A closing bracket sorts first, so that `[.]` comes before `[..]` as `.` comes before `..`.
    order = lambda answer: [[cause.get("field", "").replace("]", "\0"), cause.get("message", "")]
                            for cause in causes(answer)]
    for _ in range(11):
        if best[0] != 422 or len(causes(best[1])) < 2:
            break
        again = ask()
        varies = best[1].get("varies") or order(best[1]) != order(again[1])
        best = min(best, again, key=lambda pair: (pair[0] != 422, order(pair[1])))
        best[1]["varies"] = varies
    return best


def causes(answer):
    return (answer.get("details") or {}).get("causes") or []


def put(server, manifest, name, subresource, patch, created):
    """Patches the object as served and PUTs it. Something in the server may have written to it meanwhile (a
    controller for its status): then the newer object is the one that is updated, and recorded as created."""
    tail = [name] + ([subresource] if subresource else [])
    entry = server.resource(manifest)["subresources"].get(subresource, {})
    other_kind = entry.get("kind", manifest["kind"]) != manifest["kind"]
    for _ in range(10):
        current = server.request("GET", server.path(manifest, *tail))[1] if other_kind else created
        body = merged(current, patch)
        path = server.path(manifest, *tail)
        code, answer = refusal_in_lowest_order(lambda: server.request("PUT", path, body))
        if code != 409 or "the object has been modified" not in answer.get("message", ""):
            break
        created = server.request("GET", server.path(manifest, name))[1]
    return code, answer, created, current if other_kind else None


def run(server, case, tables):
    started, made = time.time(), []
    manifest = case["create"]
    try:
        for required in case.get("requires") or []:
            code, answer = create(server, required, made)
            if code not in (200, 201):
                return {"code": code, "message": "requires: " + answer.get("message", "")}, ["a required object was refused"]
        code, answer = create(server, manifest, made)
        result, name, notes = {"code": code}, ((answer.get("metadata") or {}).get("name")), []
        follows = "update" in case or "post" in case or "status" in case or tables
        if code not in (200, 201):
            if follows:
                notes.append("the create was refused, what follows was not tried")
            return steady(refused(code, answer), None, manifest, started), notes
        created = answer
        if "status" in case:
            code, answer, created, _ = put(server, manifest, name, "status", {"status": case["status"]}, created)
            if code not in (200, 201):
                return steady(refused(code, answer), created, manifest, started), ["the status was refused"]
            created = server.request("GET", server.path(manifest, name))[1]
            answer = created
        if tables:
            code, table = server.request("GET", server.path(manifest, name), Accept=TABLE)
            return table_answer(code, table), notes
        scale = None
        if "update" in case:
            code, answer, created, scale = put(server, manifest, name, case.get("subresource"), case["update"], created)
        elif "post" in case:
            path = server.path(manifest, name, case["subresource"])
            code, answer = refusal_in_lowest_order(lambda: server.request("POST", path, case["post"]))
        result = {"code": code, "object": answer} if code < 300 else refused(code, answer)
        if "update" in case or "post" in case:
            result["created"] = created
        if scale is not None:
            result["current"] = scale
        return steady(result, created, manifest, started), notes
    finally:
        for manifest, name in reversed(made):
            delete(server, manifest, name)


def refused(code, answer):
    result = {"code": code, "message": answer.get("message", "")}
    if code == 422 or causes(answer):
        result["causes"] = [{key: cause[key] for key in ("reason", "message", "field") if key in cause}
                            for cause in causes(answer)]
    if answer.get("varies"):
        result["varies"] = True
    return result


def table_answer(code, table):
    if code != 200:
        return refused(code, table)
    columns = [{key: value for key, value in column.items() if key != "description"}
               for column in table["columnDefinitions"]]
    return {"code": code, "columnDefinitions": columns, "rows": [{"cells": row["cells"]} for row in table["rows"]]}


def steady(result, created, manifest, started):
    """Replaces what differs from one recording to the next: the server's times, uids, revisions and random names."""
    uid = ((created or {}).get("metadata") or {}).get("uid")
    prefix = (manifest.get("metadata") or {}).get("generateName")
    random_name = prefix and re.compile(re.escape(str(prefix)) + r"[bcdfghjklmnpqrstvwxz2456789]{5}(?![a-z0-9])")
    first, last = started - 2, time.time() + 2

    def moment(match):
        day, between, clock, fraction, zone = match.groups()
        try:
            at = datetime.datetime.fromisoformat(f"{day}T{clock}+00:00").timestamp()
        except ValueError:
            return match.group()
        if not first <= at <= last:
            return match.group()
        digits = "." + "0" * (len(fraction) - 1) if fraction else ""
        return MOMENT.strftime(f"%Y-%m-%d{between}%H:%M:%S{digits}{zone}")

    def text(value):
        value = SELF_TYPE.sub("selfType", TIME.sub(moment, value.replace(uid, UID) if uid else value))
        return random_name.sub(lambda _: prefix + "xxxxx", value) if random_name else value

    def walk(value):
        if isinstance(value, dict):
            return {text(key): walk(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [walk(inner) for inner in value]
        return text(value) if isinstance(value, str) else value

    result = walk(result)
    for key in ("object", "created", "current"):
        meta = (result.get(key) or {}).get("metadata") if isinstance(result.get(key), dict) else None
        if isinstance(meta, dict):
            meta.pop("managedFields", None)
            if "resourceVersion" in meta:
                meta["resourceVersion"] = "1"
    return result


def record(server, path, tables, only, show):
    try:
        cases = yaml.load(open(path), Loader=Cases) or []
    except yaml.YAMLError as error:
        sys.exit(str(error))
    names = [case["case"] for case in cases]
    if doubled := {name for name in names if names.count(name) > 1}:
        sys.exit(f"{path}: not unique: {', '.join(sorted(doubled))}")
    target = re.sub(r"\.ya?ml$", "", path) + ".answers.json"
    answers, odd = {}, 0
    if only:
        if os.path.exists(target):
            answers = {name: answer for name, answer in json.load(open(target)).items() if name in names}
        cases = [case for case in cases if case["case"] in only]
    lock = os.path.join(tempfile.gettempdir(), f"{MANAGER}-{server.url.hostname}-{server.url.port}.lock")
    with open(lock, "a") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        print(path)
        sweep(server, cases)
        for case in cases:
            try:
                answer, notes = run(server, case, tables)
            except LookupError as error:
                print(f"  ! {case['case']}: {error}, NOT RECORDED")
                answers.pop(case["case"], None)
                odd += 1
                continue
            answers[case["case"]] = answer
            message = answer.get("message", "")
            if not (answer["code"] < 300 or answer["code"] == 422):
                notes.append("unusual code")
            if answer.pop("varies", False):
                notes.append("the order of causes varies, this is the lowest one seen")
            if re.search(r"0x[0-9a-f]{8,}", message):
                notes.append("the message has an address in it")
            odd += bool(notes)
            first_line = message.split("\n")[0]
            print(f"  {'!' if notes else ' '} {answer['code']} {case['case']}"
                  + (f": {first_line}" if message else "") + (f"   [{'; '.join(notes)}]" if notes else ""))
            if show:
                print(json.dumps(answer, indent=1, sort_keys=True, ensure_ascii=False))
    with open(target, "w") as out:
        json.dump(answers, out, indent=1, sort_keys=True, ensure_ascii=False)
        out.write("\n")
    return odd


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kubeconfig", required=True)
    parser.add_argument("--tables", action="store_true", help="record tables instead of objects")
    parser.add_argument("--only", default="", help="names of cases; the other answers of the file stay as they are")
    parser.add_argument("--show", action="store_true", help="print whole answers as well")
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    server = Server(arguments.kubeconfig)
    only = {name for name in arguments.only.split(",") if name}
    odd = sum(record(server, path, arguments.tables, only, arguments.show) for path in arguments.files)
    if odd:
        print(f"{odd} cases marked with ! above")


if __name__ == "__main__":
    main()
