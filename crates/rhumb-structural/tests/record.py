#!/usr/bin/env python3
"""Asks a kube-apiserver what it makes of custom resources, and writes its answers to `data`.

    record.py https://127.0.0.1:26512 TOKEN

Custom resources of earlier recordings are removed first. Times, uids and versions are left out of what is written, so that recording again gives the
same files. The tests beside this file replay them.
"""

import json
import pathlib
import ssl
import sys
import time
import urllib.error
import urllib.request

from definitions import DEFINITIONS, LAX
from objects import CREATES, RATCHETS, STATUSES, TABLES

SERVER, TOKEN = sys.argv[1], sys.argv[2]
DATA = pathlib.Path(__file__).parent / "data"
TLS = ssl._create_unverified_context()
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"


def ask(method, path, body=None, accept="application/json", kind="application/json"):
    request = urllib.request.Request(SERVER + path, method=method)
    request.add_header("Authorization", "Bearer " + TOKEN)
    request.add_header("Accept", accept)
    data = None
    if body is not None:
        request.add_header("Content-Type", kind)
        data = json.dumps(body).encode()
    try:
        with urllib.request.urlopen(request, data, context=TLS) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        text = error.read()
        try:
            return error.code, json.loads(text)
        except ValueError:
            return error.code, {"message": text.decode()}


def url(crd, version=None, name=None, sub=None):
    spec = crd["spec"]
    version = version or spec["versions"][0]["name"]
    parts = ["/apis", spec["group"], version]
    if spec["scope"] == "Namespaced":
        parts += ["namespaces", "default"]
    parts.append(spec["names"]["plural"])
    return "/".join(parts + [part for part in (name, sub) if part])


def masked(answer):
    """An object or Status without what differs from one recording to the next."""
    if not isinstance(answer, dict):
        return answer
    meta = answer.get("metadata")
    if isinstance(meta, dict) and answer.get("kind") != "Status":
        for key in ("uid", "resourceVersion", "creationTimestamp", "managedFields", "generation", "namespace"):
            meta.pop(key, None)
    if answer.get("kind") == "Status":
        # The message repeats the causes; what is no list of causes is its message.
        causes = answer.get("details", {}).get("causes")
        if answer["code"] != 422 or not causes:
            return {"code": answer["code"], "message": answer["message"]}
        # Their order is not the same each time, because the server's maps have none.
        return {"causes": sorted([cause["reason"], cause["field"], cause["message"]] for cause in causes)}
    return answer


def establish(crd):
    code, answer = ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd)
    if code != 201:
        sys.exit(f"{crd['metadata']['name']}: {answer.get('message')}")
    for _ in range(200):
        if ask("GET", url(crd))[0] == 200:
            return
        time.sleep(0.1)
    sys.exit("not served: " + crd["metadata"]["name"])


def write(name, rows):
    with open(DATA / name, "w") as out:
        for row in rows:
            out.write(json.dumps(row, sort_keys=True, ensure_ascii=False) + "\n")
    print(name, len(rows))


def whole(crd, body, name, version=None):
    spec = crd["spec"]
    version = version or spec["versions"][0]["name"]
    head = {"apiVersion": spec["group"] + "/" + version, "kind": spec["names"]["kind"]}
    return {**head, "metadata": {"name": name}, **body}


def creates():
    rows = []
    for kind, bodies in CREATES.items():
        crd = DEFINITIONS[kind]
        for index, body in enumerate(bodies):
            body = whole(crd, body, f"case-{index}")
            answers = {}
            for mode in ("Strict", "Ignore"):
                path = url(crd) + f"?dryRun=All&fieldValidation={mode}"
                answers[mode.lower()] = masked(ask("POST", path, body)[1])
            if answers["strict"] == answers["ignore"]:
                del answers["strict"]
            rows.append({"kind": kind, "object": body, **answers})
    return rows


def updates(kind, cases, sub=None):
    """Cases are pairs: the object as it is, and as it is to be."""
    rows = []
    crd = DEFINITIONS[kind]
    for index, (_, new) in enumerate(cases):
        name = f"case-{index}"
        old = ask("GET", url(crd, name=name))[1]
        body = whole(crd, new, name)
        body["metadata"]["resourceVersion"] = old["metadata"]["resourceVersion"]
        answer = masked(ask("PUT", url(crd, name=name, sub=sub) + "?dryRun=All", body)[1])
        del body["metadata"]["resourceVersion"]
        rows.append({"kind": kind, "old": masked(old), "object": body, "ignore": answer})
    return rows


def ratchets():
    crd = json.loads(json.dumps(DEFINITIONS["Ratchet"]))
    for index, (old, _) in enumerate(RATCHETS):
        code, answer = ask("POST", url(crd), whole(crd, old, f"case-{index}"))
        if code != 201:
            sys.exit(f"ratchet {index}: {answer.get('message')}")
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/" + crd["metadata"]["name"]
    current = ask("GET", path)[1]
    current["spec"] = crd["spec"]
    ask("PUT", path, current)
    for _ in range(200):
        if ask("POST", url(crd) + "?dryRun=All", whole(crd, {"spec": {"a": "refused"}}, "probe"))[0] == 422:
            break
        time.sleep(0.1)
    return updates("Ratchet", RATCHETS)


def statuses():
    crd = DEFINITIONS["CronTab"]
    for index, (old, _) in enumerate(STATUSES):
        name = f"case-{index}"
        code, answer = ask("POST", url(crd), whole(crd, {"spec": old.get("spec", {})}, name))
        if code != 201:
            sys.exit(f"status {index}: {answer.get('message')}")
        if "status" in old:
            answer["status"] = old["status"]
            code, answer = ask("PUT", url(crd, name=name, sub="status"), answer)
            if code != 200:
                sys.exit(f"status {index}: {answer.get('message')}")
    return updates("CronTab", STATUSES, "status")


def tables():
    crd = DEFINITIONS["CronTab"]
    rows = []
    for index, body in enumerate(TABLES):
        name = f"row-{index}"
        code, answer = ask("POST", url(crd), whole(crd, {"spec": body["spec"]}, name))
        if code != 201:
            sys.exit(f"table {index}: {answer.get('message')}")
        if "status" in body:
            answer["status"] = body["status"]
            code, answer = ask("PUT", url(crd, name=name, sub="status"), answer)
            if code != 200:
                sys.exit(f"table {index}: {answer.get('message')}")
        table = ask("GET", url(crd, name=name), accept=TABLE)[1]
        rows.append({"object": masked(answer), "cells": table["rows"][0]["cells"]})
        header = table["columnDefinitions"]
    for definition in header:
        # The words are ours to choose where they are the server's own.
        if definition["name"] == "Name":
            del definition["description"]
    write("columns.jsonl", header)
    return rows


# What the definitions of the server's own types say is not recorded: only that they are there.
def without_words(tree):
    if isinstance(tree, list):
        return [without_words(item) for item in tree]
    if isinstance(tree, dict):
        words = tree.get("description")
        return {
            key: without_words(value)
            for key, value in tree.items()
            if not (key == "description" and isinstance(words, str) and not words.startswith("OURS:"))
        }
    return tree


def documents():
    time.sleep(8)
    groups = sorted({(crd["spec"]["group"], v["name"]) for crd in DEFINITIONS.values() for v in crd["spec"]["versions"]})
    for group, version in groups:
        document = without_words(ask("GET", f"/openapi/v3/apis/{group}/{version}")[1])
        for name, schema in document["components"]["schemas"].items():
            if name.startswith("io.k8s."):
                document["components"]["schemas"][name] = references(schema)
        (DATA / f"v3-{group}-{version}.json").write_text(json.dumps(document, indent=1, sort_keys=True) + "\n")
    swagger = without_words(ask("GET", "/openapi/v2")[1])
    ours = tuple("/apis/" + group + "/" for group, _ in groups)
    mine = tuple(".".join(reversed(group.split("."))) + "." for group, _ in groups)
    small = {
        "paths": {path: item for path, item in swagger["paths"].items() if path.startswith(ours)},
        "definitions": {name: item for name, item in swagger["definitions"].items() if name.startswith(mine)},
    }
    (DATA / "v2.json").write_text(json.dumps(small, indent=1, sort_keys=True) + "\n")


def references(schema):
    """What a schema of the server's own refers to: enough to see which of them a document needs."""
    found = set()

    def look(tree):
        if isinstance(tree, dict):
            if isinstance(tree.get("$ref"), str):
                found.add(tree["$ref"])
            for value in tree.values():
                look(value)
        elif isinstance(tree, list):
            for value in tree:
                look(value)

    look(schema)
    return {"allOf": [{"$ref": name} for name in sorted(found)]} if found else {}


def clear():
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    ask("DELETE", path)
    for _ in range(200):
        if not ask("GET", path)[1]["items"]:
            return
        time.sleep(0.1)


def main():
    clear()
    for kind, crd in DEFINITIONS.items():
        if kind == "Ratchet":
            crd = {**crd, "spec": {**crd["spec"], "versions": [{**crd["spec"]["versions"][0], "schema": LAX}]}}
        establish(crd)
    DATA.mkdir(exist_ok=True)
    (DATA / "definitions.json").write_text(json.dumps(DEFINITIONS, indent=1, sort_keys=True) + "\n")
    write("creates.jsonl", creates())
    write("updates.jsonl", ratchets())
    write("statuses.jsonl", statuses())
    write("rows.jsonl", tables())
    documents()


main()
