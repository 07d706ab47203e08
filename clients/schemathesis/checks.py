"""Requests made from the server's own OpenAPI documents: what is wrong with one is the sender's fault, never the
server's. Each operation gets some requests that keep to the document and some that don't."""

import base64
import itertools
import os
import sys
import tempfile
import time

import requests
import schemathesis
import yaml
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis import GenerationMode

# Requests per operation and way of making them, and how long all of it may take.
EXAMPLES = int(os.environ.get("RHUMB_EXAMPLES", "4"))
SECONDS = int(os.environ.get("RHUMB_SECONDS", "240"))

DOCUMENTS = [
    "api/v1",
    "apis/apps/v1",
    "apis/batch/v1",
    "apis/rbac.authorization.k8s.io/v1",
    "apis/networking.k8s.io/v1",
    "apis/apiextensions.k8s.io/v1",
    "apis/authorization.k8s.io/v1",
]

# Watches never end, and what is passed on to nodes is answered by nodes.
LEFT_OUT = ("/watch/", "/proxy", "/exec", "/attach", "/portforward", "/log")

# Where Kubernetes itself takes upon itself what a client got wrong, so does Rhumb: a code and a part of the answer in
# each line.
FAULTS = os.path.join(os.path.dirname(__file__), "../../crates/rhumb-server/tests/attacks/faults.txt")


def faults():
    with open(FAULTS, encoding="utf-8") as file:
        lines = (line.strip() for line in file)
        parts = (line.split(" | ") for line in lines if line and not line.startswith("#"))
        return [(int(code), phrase) for code, phrase, *_ in parts]


AS_IN_KUBERNETES = faults()


def server():
    """The address of the server and a session that it knows."""
    with open(os.environ["KUBECONFIG"], encoding="utf-8") as file:
        config = yaml.safe_load(file)
    cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
    directory = tempfile.mkdtemp()

    def kept(name, holder, key):
        path = os.path.join(directory, name)
        with open(path, "wb") as file:
            file.write(base64.b64decode(holder[key]))
        return path

    session = requests.Session()
    session.trust_env = False
    authority = "certificate-authority-data" in cluster
    session.verify = kept("ca", cluster, "certificate-authority-data") if authority else False
    if "token" in user:
        session.headers["Authorization"] = f"Bearer {user['token']}"
    else:
        session.cert = (kept("cert", user, "client-certificate-data"), kept("key", user, "client-key-data"))
    return cluster["server"], session


def told(response):
    """What an answer says, without the escapes of JSON."""
    try:
        return response.json()["message"]
    except (ValueError, KeyError, TypeError):
        return response.text


def is_refusal(response):
    """Whether the sender is told that it is the sender's fault, or is served."""
    code, text = response.status_code, told(response)
    return code < 500 or any(code == known and phrase in text for known, phrase in AS_IN_KUBERNETES)


def main():
    address, session = server()
    begun, sent, codes, failures = time.monotonic(), itertools.count(), {}, []
    until = begun

    def send(case):
        if time.monotonic() > until:
            return
        case.query = {k: v for k, v in (case.query or {}).items() if k not in ("watch", "timeoutSeconds")}
        try:
            response = case.call(base_url=address, session=session, verify=session.verify, cert=session.cert, timeout=10)
        except (requests.exceptions.InvalidHeader, requests.exceptions.InvalidURL, ValueError):
            return  # The library can't send it.
        next(sent)
        codes[response.status_code] = codes.get(response.status_code, 0) + 1
        if not is_refusal(response):
            failures.append(f"{case.method} {case.formatted_path} {case.query}: {response.status_code} {response.text[:300]}")

    operations = 0
    for document in DOCUMENTS:
        raw = session.get(f"{address}/openapi/v3/{document}", timeout=10).json()
        raw["paths"] = {path: item for path, item in raw["paths"].items() if not any(part in path for part in LEFT_OUT)}
        schema = schemathesis.openapi.from_dict(raw)
        until = time.monotonic() + SECONDS / len(DOCUMENTS)
        for result in schema.get_all_operations():
            operation = result.ok()
            operations += 1
            for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
                if time.monotonic() > until:
                    break
                try:
                    strategy = operation.as_strategy(generation_mode=mode)
                    quick = settings(
                        max_examples=EXAMPLES,
                        deadline=None,
                        database=None,
                        phases=[Phase.generate],
                        suppress_health_check=list(HealthCheck),
                    )
                    seed(1)(quick(given(case=strategy)(send)))()
                except Exception as error:  # What can't be made for an operation is no fault of the server's.
                    if "Unsatisfiable" not in type(error).__name__ and "Skip" not in type(error).__name__:
                        raise
        print(f"ok: {document}")

    ready = session.get(f"{address}/readyz", timeout=10)
    total = next(sent)
    print(f"{total} requests of {operations} operations in {time.monotonic() - begun:.0f} s: {dict(sorted(codes.items()))}")
    if ready.status_code != 200:
        failures.append(f"afterwards the server is not ready: {ready.text[:200]}")
    if total < 500:
        failures.append(f"only {total} requests were sent: too few to say anything")
    for failure in failures[:20]:
        print(f"FAILED: {failure}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
