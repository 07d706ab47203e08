#!/usr/bin/env python3
"""Asks a kube-apiserver with PodSecurity, LimitRanger and ResourceQuota on, and writes its answers.

Usage: record.py SERVER TOKEN [TOPIC...]   (SERVER as https://127.0.0.1:6443)

Each topic is a module beside this file with a function `record(server)`; what it returns is written to
`answers/TOPIC.json`. The tests read nothing else, so they need no server.
"""
import http.client, importlib, json, pathlib, re, ssl, sys, urllib.parse

HERE = pathlib.Path(__file__).parent
WARNING = re.compile(r'299 - "((?:[^"\\]|\\.)*)"')


class Server:
    """A connection to the server."""

    def __init__(self, url, token):
        address = urllib.parse.urlparse(url)
        context = ssl._create_unverified_context()
        self.connection = http.client.HTTPSConnection(address.hostname, address.port, context=context)
        self.token = token

    def ask(self, method, path, body=None, content="application/json"):
        """The status code, the answer, and the warnings that came with it."""
        headers = {"Authorization": "Bearer " + self.token, "Content-Type": content}
        self.connection.request(method, path, body=json.dumps(body) if body is not None else None, headers=headers)
        response = self.connection.getresponse()
        answer = json.loads(response.read())
        found = [text for value in response.headers.get_all("Warning", []) for text in WARNING.findall(value)]
        warnings = [text.replace('\\"', '"').replace("\\\\", "\\") for text in found]
        return response.status, answer, warnings

    def namespace(self, name, labels=None):
        """Makes a namespace."""
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels or {}}}
        code, answer, _ = self.ask("POST", "/api/v1/namespaces", body)
        assert code in (201, 409), answer
        return name


def write(topic, answers):
    lines = ",\n".join(json.dumps(answer, sort_keys=True, ensure_ascii=False) for answer in answers)
    (HERE / "answers" / f"{topic}.json").write_text("[\n" + lines + "\n]\n")
    print(topic, len(answers))


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    sys.dont_write_bytecode = True
    for topic in sys.argv[3:] or ["pod_security", "limits", "quota"]:
        write(topic, importlib.import_module(topic).record(Server(sys.argv[1], sys.argv[2])))
