#!/usr/bin/env python3
"""Records what the real kubectl prints, for crates/rhumb-output/tests/cases.

usage: tools/record-output.py KUBECTL [FILE...]

Every file of cases, or those that are named, is read and written back with what kubectl printed. A server made for this answers kubectl: it
knows pods and deployments, and gives for them whatever the case has, so that a case can have any table it likes.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlparse

CASES = os.path.join(os.path.dirname(__file__), "..", "crates", "rhumb-output", "tests", "cases")


def resources(group_version, kinds):
    return {
        "kind": "APIResourceList",
        "apiVersion": "v1",
        "groupVersion": group_version,
        "resources": [
            {
                "name": kind.lower() + "s",
                "singularName": kind.lower(),
                "namespaced": True,
                "kind": kind,
                "verbs": ["get", "list", "watch", "create"],
            }
            for kind in kinds
        ],
    }


DISCOVERY = {
    "/api": {"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": []},
    "/apis": {
        "kind": "APIGroupList",
        "apiVersion": "v1",
        "groups": [
            {
                "name": "apps",
                "versions": [{"groupVersion": "apps/v1", "version": "v1"}],
                "preferredVersion": {"groupVersion": "apps/v1", "version": "v1"},
            }
        ],
    },
    "/api/v1": resources("v1", ["Pod"]),
    "/apis/apps/v1": resources("apps/v1", ["Deployment"]),
}


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.case = {}
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        url = urlparse(self.path)
        query = parse_qs(url.query)
        if url.path in DISCOVERY:
            return self.answer(DISCOVERY[url.path])
        case = self.server.case
        if "watch" in query:
            return self.answer(*case.get("events", []))
        if "pages" in case:
            page = int(query.get("continue", ["0"])[0])
            body = dict(case["pages"][page])
            if page + 1 < len(case["pages"]):
                body["metadata"] = {**body.get("metadata", {}), "continue": str(page + 1)}
            return self.answer(body)
        self.answer(case["list"])

    def answer(self, *bodies):
        data = b"".join(json.dumps(body).encode() + b"\n" for body in bodies)
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


class Recorder:
    def __init__(self, kubectl):
        self.kubectl = kubectl
        self.home = tempfile.mkdtemp(prefix="record-output")
        self.server = Server()

    def run(self, args):
        env = {"HOME": self.home, "PATH": os.environ["PATH"]}
        server = f"http://127.0.0.1:{self.server.server_address[1]}"
        command = [self.kubectl, "--server", server, *args]
        done = subprocess.run(command, env=env, capture_output=True, stdin=subprocess.DEVNULL, cwd=self.home)
        return done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")

    def write(self, name, text):
        path = os.path.join(self.home, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def create(self, case, inputs):
        args = ["create", "--dry-run=client"]
        args += case["typed"] if "typed" in case else ["--validate=false", "-f", inputs[case["input"]]]
        if "output" in case:
            args += ["-o", case["output"]]
        if "template" in case:
            args += ["--template", case["template"]]
        if case.get("missing") == "refuse":
            args += ["--allow-missing-template-keys=false"]
        if case.get("managed"):
            args += ["--show-managed-fields"]
        case["stdout"], case["stderr"] = self.run(args)

    def get(self, case):
        self.server.case = case
        args = ["get", case.get("resource", "pods"), *case.get("args", [])]
        case["stdout"], case["stderr"] = self.run(args)


def main():
    recorder = Recorder(sys.argv[1])
    inputs = {}
    folder = os.path.join(CASES, "inputs")
    for name in sorted(os.listdir(folder)):
        documents = json.load(open(os.path.join(folder, name)))
        text = "\n---\n".join(json.dumps(document) for document in documents)
        inputs[name.removesuffix(".json")] = recorder.write(name, text)
    for name in ("headers", "paths", "template", "columns"):
        source = os.path.join(CASES, "files", name)
        if os.path.exists(source):
            recorder.write(name, open(source).read())
    for name in sorted(os.listdir(CASES)):
        if not name.endswith(".json") or (sys.argv[2:] and name not in sys.argv[2:]):
            continue
        path = os.path.join(CASES, name)
        cases = json.load(open(path))
        if "input" in cases[0] or "typed" in cases[0]:
            recorder.create(dict(cases[0]), inputs)
            with ThreadPoolExecutor(4) as pool:
                list(pool.map(lambda case: recorder.create(case, inputs), cases))
        else:
            for case in cases:
                recorder.get(case)
        with open(path, "w") as file:
            json.dump(cases, file, indent=1, ensure_ascii=False)
            file.write("\n")
        print(name, len(cases))


main()
