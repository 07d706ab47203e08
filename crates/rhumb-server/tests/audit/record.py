#!/usr/bin/env python3
"""Plays requests to a kube-apiserver that has an audit log, and keeps them with the lines that they left.

Usage: record.py SERVER TOKEN LOG   (the server must have been started with policy.yaml)
"""
import http.client, json, pathlib, ssl, sys, time, urllib.parse

HERE = pathlib.Path(__file__).parent
RR, R = "/api/v1/namespaces/audit-rr", "/api/v1/namespaces/audit-r"
JSON = "application/json"


def map_(name, **data):
    return {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": name}, "data": data}


def pod(name):
    return {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": name}, "spec": {"containers": [{"name": "a", "image": "i"}]}}


OPTIONS = {"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Background"}
# Method, path, body, headers beside the token and the agent.
REQUESTS = [
    ("POST", f"{RR}/configmaps?fieldManager=test", map_("a", k="v", y="<&>"), {}),
    ("GET", f"{RR}/configmaps/a", None, {}),
    ("GET", f"{RR}/configmaps/a?pretty=true", None, {}),
    ("GET", f"{RR}/configmaps/a", None, {"Accept": "application/vnd.kubernetes.protobuf"}),
    ("GET", f"{RR}/configmaps/a", None, {"Accept": "application/yaml"}),
    ("GET", f"{RR}/configmaps?labelSelector=x%3Dy", None, {}),
    ("PUT", f"{RR}/configmaps/a?fieldManager=test", map_("a", k="w"), {}),
    ("PATCH", f"{RR}/configmaps/a?fieldManager=test", {"data": {"x": "y"}}, {"Content-Type": "application/merge-patch+json"}),
    ("PATCH", f"{RR}/configmaps/a?fieldManager=test", [{"op": "remove", "path": "/data/x"}], {"Content-Type": "application/json-patch+json"}),
    ("PATCH", f"{RR}/configmaps/b?fieldManager=test", map_("b", a="b"), {"Content-Type": "application/apply-patch+yaml"}),
    ("POST", f"{RR}/configmaps?fieldManager=test", {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "A"}}, {}),
    ("POST", f"{RR}/configmaps?fieldManager=test", map_("a"), {}),
    ("POST", f"{RR}/configmaps", "{bad", {}),
    ("GET", f"{RR}/configmaps/nope", None, {}),
    ("GET", "/apis/apps/v1/namespaces/audit-rr/deployments/x/scale", None, {}),
    ("DELETE", f"{RR}/configmaps/a", None, {}),
    ("DELETE", f"{RR}/configmaps/b", OPTIONS, {}),
    ("DELETE", f"{RR}/configmaps?labelSelector=x%3Dy", OPTIONS, {}),
    ("POST", f"{R}/configmaps?fieldManager=test", map_("a", k="v"), {}),
    ("GET", f"{R}/configmaps/a", None, {}),
    ("DELETE", f"{R}/configmaps/a", OPTIONS, {}),
    ("POST", f"{R}/pods?fieldManager=test", pod("p"), {}),
    ("DELETE", f"{R}/pods/p?gracePeriodSeconds=0", None, {}),
    ("POST", f"{R}/secrets?fieldManager=test", {"kind": "Secret", "apiVersion": "v1", "metadata": {"name": "s"}, "stringData": {"a": "b"}}, {}),
    ("GET", f"{R}/secrets/s", None, {}),
    ("PATCH", f"{R}/secrets/s", {"stringData": {"a": "c"}}, {"Content-Type": "application/merge-patch+json"}),
    ("DELETE", f"{R}/secrets/s", None, {}),
    ("POST", f"{R}/secrets?fieldManager=test", {"kind": "Secret", "apiVersion": "v1", "metadata": {"generateName": "s-"}}, {}),
    ("GET", "/version", None, {}),
    ("GET", "/healthz", None, {}),
    ("GET", "/api", None, {}),
    ("GET", f"{RR}/configmaps/a", None, {"Authorization": "Bearer wrong"}),
    ("GET", f"{RR}/configmaps/a", None, {"Impersonate-User": "bob", "Impersonate-Group": "g", "Impersonate-Extra-Why": "because"}),
    ("GET", f"{RR}/configmaps/a", None, {"X-Forwarded-For": "1.2.3.4, 5.6.7.8", "X-Real-Ip": "9.9.9.9"}),
    ("GET", f"{RR}/configmaps/a", None, {"Audit-ID": "given"}),
    ("GET", f"{RR}/configmaps?watch=true&timeoutSeconds=1&labelSelector=x%3Dy", None, {}),
]


def main(server, token, log):
    address = urllib.parse.urlparse(server)
    log = pathlib.Path(log)
    played = []
    for method, path, body, headers in REQUESTS:
        before = log.stat().st_size
        connection = http.client.HTTPSConnection(address.hostname, address.port, context=ssl._create_unverified_context())
        text = body if isinstance(body, str) else json.dumps(body) if body is not None else None
        sent = {"Authorization": f"Bearer {token}", "User-Agent": "test", "Accept": JSON, "Content-Type": JSON, **headers}
        connection.request(method, path, body=text, headers=sent)
        connection.getresponse().read()
        connection.close()
        time.sleep(0.2)
        with log.open("rb") as file:
            file.seek(before)
            lines = [line for line in file.read().decode().splitlines() if '"userAgent":"test"' in line]
        played.append({"method": method, "path": path, "body": text or "", "headers": headers, "lines": lines})
    lines = ",\n".join(json.dumps(one, ensure_ascii=False) for one in played)
    (HERE / "session.json").write_text("[\n" + lines + "\n]\n")
    print(len(played), "requests,", sum(len(one["lines"]) for one in played), "lines")


if __name__ == "__main__":
    main(*sys.argv[1:])
