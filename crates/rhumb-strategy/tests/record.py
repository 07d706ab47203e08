#!/usr/bin/env python3
"""Records what a real API server makes of the objects in tests/cases.

    record.py SERVER TOKEN CASES.yaml...
    record.py SERVER TOKEN --facts FACTS.json CASES.yaml...

For each TOPIC.yaml it writes TOPIC.answers.json beside it: for each case a list with the answer to each step, with the
object as it was served and the warnings; where it was changed between two steps, also as it was before; for a scale
that as well. Cases in gated.yaml are of kinds that a server has only if it is told to:
    --feature-gates=ClusterTrustBundle=true,PodCertificateRequest=true,GenericWorkload=true,StorageVersionMigrator=true,
        StorageVersionAPI=true,APIServerIdentity=true,DRADeviceTaintRules=true,DRAResourcePoolStatus=true
With --facts it finds out for each kind whether an update makes an object that isn't there, whether one without a
resource version is taken, whether deletion leaves dependents behind by default, and which of the fields that are applied through the object and its subresources are owned.
Times that the server chose and uids are replaced by fixed ones; resource versions and managed fields are left out.
"""
import copy, datetime, http.client, json, re, ssl, sys, time, urllib.parse

import yaml

MOMENT = "2026-01-01T00:00:00Z"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
PLURALS = {}


class Server:
    def __init__(self, address, token):
        url = urllib.parse.urlparse(address)
        context = ssl._create_unverified_context()
        self.connection = http.client.HTTPSConnection(url.hostname, url.port, context=context)
        self.token = token

    def ask(self, verb, path, body=None):
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        self.connection.request(verb, path, json.dumps(body) if body is not None else None, headers)
        answer = self.connection.getresponse()
        warnings = [parse_warning(text) for text in answer.headers.get_all("Warning") or []]
        return answer.status, json.loads(answer.read() or b"{}"), warnings

    def apply(self, path, body):
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/apply-patch+yaml"}
        self.connection.request("PATCH", f"{path}?fieldManager=facts&force=true", json.dumps(body), headers)
        answer = self.connection.getresponse()
        return answer.status, json.loads(answer.read())

    def base(self, manifest):
        version = manifest["apiVersion"]
        root = f"/apis/{version}" if "/" in version else f"/api/{version}"
        if version not in PLURALS:
            code, listed, _ = self.ask("GET", root)
            PLURALS[version] = {one["kind"]: (one["name"], one["namespaced"])
                                for one in listed.get("resources", []) if "/" not in one["name"]}
        plural, namespaced = PLURALS[version][manifest["kind"]]
        if namespaced:
            return f"{root}/namespaces/{manifest['metadata'].get('namespace', 'default')}/{plural}"
        return f"{root}/{plural}"


def parse_warning(text):
    quoted = re.fullmatch(r'\d+ \S+ "(.*)"', text, re.S)
    return re.sub(r"\\(.)", r"\1", quoted.group(1)) if quoted else text


def merge(target, patch):
    if not isinstance(patch, dict):
        return copy.deepcopy(patch)
    target = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            target.pop(key, None)
        else:
            target[key] = merge(target.get(key), value)
    return target


def mask(tree, start, uid):
    text = json.dumps(tree)
    if uid:
        text = text.replace(uid, "00000000-0000-0000-0000-000000000000")
    def moment(match):
        then = datetime.datetime.strptime(match.group(0), "%Y-%m-%dT%H:%M:%SZ")
        return MOMENT if abs((then - start).total_seconds()) < 600 else match.group(0)
    tree = json.loads(TIME.sub(moment, text))
    if isinstance(tree, dict) and "metadata" in tree:
        tree["metadata"].pop("managedFields", None)
        tree["metadata"].pop("resourceVersion", None)
    return tree


def run(server, case):
    first = case["steps"][0]["create"]
    base = server.base(first)
    name = first["metadata"]["name"]
    delete(server, base, name)
    answers, uid = [], None
    for step in case["steps"]:
        for _ in range(5):
            code, recorded = ask(server, base, name, step, answers, uid)
            if code != 409:
                break
        if code >= 300:
            print(f"  {case['case']}: {code} {recorded['message']}", file=sys.stderr)
        answers.append(recorded)
        if code >= 300:
            break
        uid = uid or recorded.pop("uid", None)
    delete(server, base, name)
    return answers


def ask(server, base, name, step, answers, uid):
    start = datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)
    recorded = {}
    if "create" in step:
        code, answer, warnings = server.ask("POST", base, step["create"])
        uid = answer.get("metadata", {}).get("uid")
        recorded["uid"] = uid
    else:
        _, served, _ = server.ask("GET", f"{base}/{name}")
        before = mask(served, start, uid)
        if before != answers[-1]["object"]:
            recorded["before"] = before
        if "bind" in step:
            code, answer, warnings = server.ask("POST", f"{base}/{name}/binding", step["bind"])
            if code < 300:
                _, answer, _ = server.ask("GET", f"{base}/{name}")
                return code, {"code": code, "warnings": warnings, "object": mask(answer, start, uid)}
            return code, {"code": code, "message": answer.get("message")}
        if "delete" in step:
            code, answer, warnings = server.ask("DELETE", f"{base}/{name}", step["delete"])
            return code, recorded | {"code": code, "warnings": warnings, "object": mask(answer, start, uid)}
        part = step.get("subresource")
        path = f"{base}/{name}/{part}" if part else f"{base}/{name}"
        if part == "scale":
            _, served, _ = server.ask("GET", path)
        served["metadata"].pop("managedFields", None)
        code, answer, warnings = server.ask("PUT", path, merge(served, step["update"]))
        if part == "scale" and code < 300:
            recorded["scale"] = mask(answer, start, uid)
            _, answer, _ = server.ask("GET", f"{base}/{name}")
    if code >= 300:
        return code, {"code": code, "message": answer.get("message")}
    recorded |= {"code": code, "warnings": warnings, "object": mask(answer, start, uid)}
    return code, recorded


def delete(server, base, name):
    code, _, _ = server.ask("GET", f"{base}/{name}")
    if code == 200:
        server.ask("DELETE", f"{base}/{name}", {"gracePeriodSeconds": 0, "propagationPolicy": "Background"})
        code, served, _ = server.ask("GET", f"{base}/{name}")
        if code == 200 and served["metadata"].get("finalizers"):
            served["metadata"]["finalizers"] = []
            server.ask("PUT", f"{base}/{name}", served)
        if code == 200 and served["kind"] == "Namespace":
            served["spec"]["finalizers"] = []
            server.ask("PUT", f"{base}/{name}/finalize", served)


def facts(server, case):
    manifest = case["steps"][0]["create"]
    base, name = server.base(manifest), manifest["metadata"]["name"]
    path = f"{base}/{name}"
    delete(server, base, name)
    found = {"apiVersion": manifest["apiVersion"], "kind": manifest["kind"], "applied": []}
    code, _, _ = server.ask("PUT", path, manifest)
    found["create_on_update"] = code == 201
    delete(server, base, name)
    server.ask("POST", base, manifest)
    _, served, _ = server.ask("GET", path)
    served["metadata"].pop("managedFields", None)
    served["metadata"].pop("resourceVersion")
    code, _, _ = server.ask("PUT", path, served)
    found["unconditional_update"] = code == 200
    # Service accounts and the like have no fields to apply beside those of their metadata.
    parts = [(None, {"metadata": {"labels": {"c": "d"}}})]
    parts += [(step["subresource"], step["update"]) for step in case["steps"]
              if step.get("subresource") not in (None, "scale")]
    for part, patch in parts:
        delete(server, base, name)
        server.ask("POST", base, manifest)
        body = merge(manifest, patch)
        body["metadata"].pop("generation", None)
        code, answer = server.apply(f"{path}/{part}" if part else path, body)
        if code >= 300:
            print(f"  {case['case']} {part}: {code} {answer.get('message')}", file=sys.stderr)
            continue
        owned = [entry["fieldsV1"] for entry in answer["metadata"].get("managedFields", [])
                 if entry["manager"] == "facts"]
        sent = [key for key in ("spec", "status") if key in body] + ["labels"] * ("labels" in body["metadata"])
        owned = owned[0] if owned else {}
        keys = [key for key in ("spec", "status") if "f:" + key in owned]
        keys += ["labels"] * ("f:labels" in owned.get("f:metadata", {}))
        found["applied"].append({"subresource": part, "sent": sent, "owned": keys})
    delete(server, base, name)
    server.ask("POST", base, manifest)
    server.ask("DELETE", path)
    code, served, _ = server.ask("GET", path)
    found["orphans"] = code == 200 and "orphan" in served["metadata"].get("finalizers", [])
    delete(server, base, name)
    return found


def main():
    address, token, *files = sys.argv[1:]
    server = Server(address, token)
    if files[0] == "--facts":
        kinds = {}
        for case in (case for file in files[2:] for case in yaml.safe_load(open(file))):
            manifest = case["steps"][0]["create"]
            if (manifest["apiVersion"], manifest["kind"]) not in kinds:
                kinds[manifest["apiVersion"], manifest["kind"]] = facts(server, case)
        with open(files[1], "w") as out:
            json.dump([kinds[key] for key in sorted(kinds)], out, indent=1, sort_keys=True)
            out.write("\n")
        return
    for file in files:
        cases = yaml.safe_load(open(file))
        answers = {case["case"]: run(server, case) for case in cases}
        with open(file.replace(".yaml", ".answers.json"), "w") as out:
            json.dump(answers, out, indent=1, sort_keys=True)
            out.write("\n")


main()
