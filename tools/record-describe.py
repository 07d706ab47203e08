#!/usr/bin/env python3
"""Records what the real kubectl describes, for crates/rhumb-describe/tests/recorded.

usage: tools/record-describe.py KUBECTL [NAME...]

A record NAME.json says what is described and what a server answers. Such a server is started for each, kubectl asks it,
and what kubectl prints becomes NAME.txt; the time at which it did becomes the record's `now`. For a new record it is
enough to write the JSON file, with the answers to all requests that kubectl makes; those it misses are named.
"""

import datetime
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlparse

RECORDS = os.path.join(os.path.dirname(__file__), "..", "crates", "rhumb-describe", "tests", "recorded")


def normalized(target):
    """A request without what doesn't matter: the order of parameters, and of the terms of a selector."""
    url = urlparse(target)
    pairs = [(key, ",".join(sorted(value.split(",")))) for key, value in parse_qsl(url.query)]
    return url.path, tuple(sorted(pair for pair in pairs if pair != ("limit", "0")))


def group_version(record):
    return "/".join(part for part in (record["group"], record["version"]) if part)


def discovery(record):
    """What kubectl has to know to find the resource."""
    resource = {
        "name": record["resource"],
        "singularName": record["kind"].lower(),
        "namespaced": record["namespaced"],
        "kind": record["kind"],
        "verbs": ["get", "list"],
    }
    resources = {"kind": "APIResourceList", "groupVersion": group_version(record), "resources": [resource]}
    version = {"groupVersion": group_version(record), "version": record["version"]}
    group = {"name": record["group"], "versions": [version], "preferredVersion": version}
    core = {"kind": "APIResourceList", "groupVersion": "v1", "resources": []}
    documents = {
        "/api": {"kind": "APIVersions", "versions": ["v1"]},
        "/apis": {"kind": "APIGroupList", "groups": [group] if record["group"] else []},
        "/api/v1": core,
    }
    documents["/apis/" + group_version(record) if record["group"] else "/api/v1"] = resources
    return documents


def handler(record):
    documents = discovery(record)
    answers = {normalized(target): answer for target, answer in record["answers"].items()}

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            path = urlparse(self.path).path
            if path in documents:
                status, body = 200, documents[path]
            elif normalized(self.path) in answers:
                answer = answers[normalized(self.path)]
                status, body = answer["status"], answer["body"]
            else:
                print("not recorded:", self.path, file=sys.stderr)
                status, body = 500, {"kind": "Status", "apiVersion": "v1", "message": "not recorded", "code": 500}
            content = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            pass

    return Handler


def described(kubectl, record, directory):
    """What kubectl prints, or what it complains about."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler(record))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    resource = ".".join(part for part in (record["resource"], record["group"] and record["version"], record["group"]) if part)
    command = [kubectl, "--server", f"http://127.0.0.1:{server.server_port}", "--cache-dir", directory]
    command += ["describe", resource, record["name"], f"--chunk-size={record['chunkSize']}"]
    command += ["--namespace", record["namespace"]] if record["namespaced"] else []
    command += [] if record["showEvents"] else ["--show-events=false"]
    zone = os.path.abspath(os.path.join(RECORDS, record["zone"])) if "zone" in record else "UTC"
    environment = {"HOME": directory, "KUBECONFIG": "/dev/null", "TZ": zone}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    server.shutdown()
    if done.returncode == 0:
        return done.stdout
    text = re.sub(r"^(Error from server \(\w+\): |error: )", "", done.stderr)
    # The terms of a selector come out of a Go map, in any order.
    return "error: " + re.sub(r'involvedObject\.[^"]*', lambda found: ",".join(sorted(found[0].split(","))), text)


def main():
    kubectl, names = sys.argv[1], sys.argv[2:]
    for file in sorted(os.listdir(RECORDS)):
        name, extension = os.path.splitext(file)
        if extension != ".json" or (names and name not in names):
            continue
        path = os.path.join(RECORDS, file)
        with open(path, encoding="utf-8") as source:
            record = json.load(source)
        record["now"] = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        with tempfile.TemporaryDirectory() as directory:
            text = described(kubectl, record, directory)
        with open(path, "w", encoding="utf-8") as target:
            json.dump(record, target, indent=1, ensure_ascii=False)
            target.write("\n")
        with open(os.path.join(RECORDS, name + ".txt"), "w", encoding="utf-8") as target:
            target.write(text)


if __name__ == "__main__":
    main()
