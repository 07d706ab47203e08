#!/usr/bin/env python3
"""Records what a real API server answers to the requests of crates/rhumb-server/tests/compare/cases.

    tools/record-requests.py --url https://127.0.0.1:6443 --token TOKEN [--check] [--show] CASES.yaml...

For each AREA.yaml it writes AREA.answers.json beside it; with --check it writes nothing and tells where the server's
answers are not the recorded ones. The format of the files is described in crates/rhumb-server/tests/compare/script.rs
and what is masked in mask.rs beside it: both are done here in the same way, so a change here is a change there.

Record on a fresh server, check on a second one with the files in another order, and mask or drop what differs. The
server runs with RBAC, the default APIs, no compaction (--etcd-compaction-interval=0), the service range 10.0.0.0/24
and no admission plugin but NamespaceLifecycle, and kube-controller-manager beside it with the controllers for
namespaces, garbage collection, service accounts and the root certificate only. For the cases in
crates/rhumb-server/tests/admission the plugins that Rhumb has are on, the controller of quotas runs as well, and two
more tokens are known: node for system:node:one and nameless for system:node:, both in system:nodes and system:masters.
The cases called policies* are recorded without kube-controller-manager, which writes into the status of policies.
"""
import argparse, base64, copy, http.client, itertools, json, pathlib, re, ssl, sys, time, urllib.parse
from importlib import machinery, util

PATIENCE = 60
HEADERS = ["Allow", "Cache-Control", "Content-Encoding", "Content-Type", "Etag", "Last-Modified", "Location",
           "Retry-After", "Vary", "Warning", "Www-Authenticate", "X-Content-Type-Options"]
ONLY_PRESENCE = ["Etag", "Last-Modified"]
KEYS = {"step", "request", "headers", "body", "base64", "base", "until", "capture", "keep",
        "compare", "ignore", "size"}
VARIABLE = re.compile(r"\$\{(\w+)\}")
UID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
TIME = re.compile(r"\b20(?:2[1-9]|[3-9]\d)-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
TOKEN = re.compile(r"\beyJ[\w-]+\.[\w-]+\.[\w-]+")
CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----[\s\S]*-----END CERTIFICATE-----\n?")
SELF_TYPE = re.compile(r"\bselfType\d+")
VOLUME = re.compile(r"\b(kube-api-access-)[bcdfghjklmnpqrstvwxz2456789]{5}\b")
HASH = re.compile(r"\b(hash=)[0-9A-Fa-f]{32,}")
ADDRESS = re.compile(r"\b10\.0\.0\.\d+\b")
PORT = re.compile(r"\b3[0-2]\d\d\d\b")
AGE = re.compile(r"(\d+[smhdy])+(?: ago)?")
RANDOM = re.compile(r"[bcdfghjklmnpqrstvwxz2456789]{5}")
REVISIONS = [re.compile(r"(current: )\d+"), re.compile(r"(too old resource version: )\d+ \(\d+\)"),
             re.compile(r"(in object meta: )\d+"), re.compile(r"(ResourceVersion in record \()\d+"),
             re.compile(r"(resourceVersion\\?\"?: ?\\?\")\d+")]
NEVER_MASKED = {"10.0.0.0", "10.0.0.1"}


def loader():
    """The strict YAML reader of the other recorder: what parsers disagree about must be quoted."""
    path = pathlib.Path(__file__).with_name("record-answers.py")
    source = machinery.SourceFileLoader("record_answers", str(path))
    module = util.module_from_spec(util.spec_from_loader("record_answers", source))
    source.exec_module(module)
    return module


ANSWERS = loader()


class Steps(ANSWERS.Cases):
    """Refuses one more thing that parsers disagree about."""

    def construct_scalar(self, node):
        if isinstance(node, ANSWERS.yaml.ScalarNode) and node.style is None and node.value in ("y", "Y", "n", "N"):
            raise ANSWERS.yaml.constructor.ConstructorError(None, None, f"quote {node.value!r}", node.start_mark)
        return super().construct_scalar(node)


def filled(value, variables):
    """Puts variables in: a string that is nothing but one becomes its value, of whatever type."""
    if isinstance(value, dict):
        return {filled_text(key, variables): filled(inner, variables) for key, inner in value.items()}
    if isinstance(value, list):
        return [filled(inner, variables) for inner in value]
    if isinstance(value, str):
        whole = VARIABLE.fullmatch(value)
        if whole and whole[1] in variables:
            return copy.deepcopy(variables[whole[1]])
        return filled_text(value, variables)
    return value


def filled_text(text, variables):
    def one(match):
        value = variables.get(match[1], match[0])
        return value if isinstance(value, str) else json.dumps(value)
    return VARIABLE.sub(one, text)


def expanded(entries, variables=None):
    """The steps of a file, with the groups taken apart."""
    for entry in entries:
        if "steps" in entry:
            if "each" in entry:
                rounds = entry["each"]
            else:
                names = sorted(entry["matrix"])
                combinations = itertools.product(*(entry["matrix"][name] for name in names))
                rounds = [dict(zip(names, values)) for values in combinations]
            for one in rounds:
                scope = {**(variables or {}), **one}
                yield from expanded(entry["steps"], scope)
        else:
            strange = set(entry) - KEYS
            if strange:
                raise SystemExit(f"{entry.get('step')}: unknown keys {sorted(strange)}")
            yield filled(entry, variables or {})


class Mask:
    """Replaces in one answer what differs from one run to the next."""

    def __init__(self, script, captured, host, prefix=None):
        self.script, self.captured, self.host = script, captured, host
        self.made = re.compile(f"({re.escape(prefix)}){RANDOM.pattern}") if prefix else None
        self.uids, self.revisions = {}, {}

    def numbered(self, known, value, sort):
        return f"<{sort}{known.setdefault(value, len(known) + 1)}>"

    def text(self, text):
        for name, value in sorted(self.captured.items(), key=lambda pair: (-len(pair[1]), pair[0])):
            if len(value) >= 8 and not value.isdigit():
                text = text.replace(value, "${" + name + "}")
        text = UID.sub(lambda m: m[0] if m[0] in self.script else self.numbered(self.uids, m[0], "uid"), text)
        text = TIME.sub(lambda m: "<time>" if m[1] is None else f"<time.{'0' * 6 if len(m[1]) == 7 else 'n'}>", text)
        text = TOKEN.sub("<token>", text)
        if self.made:
            text = self.made.sub(r"\1<random>", text)
        text = CERTIFICATE.sub("<certificate>", text)
        text = HASH.sub(r"\1<hash>", text)
        text = VOLUME.sub(r"\1<random>", text)
        text = SELF_TYPE.sub("selfType", text)
        text = ADDRESS.sub(lambda m: m[0] if m[0] in NEVER_MASKED or m[0] in self.script else "<ip>", text)
        text = text.replace(self.host, "<host>")
        for pattern in REVISIONS:
            text = pattern.sub(r"\1<rv>", text)
        return text

    def revision(self, value):
        if not value.isdigit() or value == "0":
            return value
        for name, captured in sorted(self.captured.items()):
            if captured == value:
                return "${" + name + "}"
        return self.numbered(self.revisions, value, "rv")

    def claims(self, token):
        """What a service account's token says; the signature is not compared."""
        try:
            claims = json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))
        except (ValueError, IndexError):
            return "<token>"
        return {"<token>": self.value(claims)}

    def value(self, value, key="", parent=None):
        if isinstance(value, dict):
            return {self.text(name): self.value(value[name], name, value) for name in sorted(value)}
        if isinstance(value, list):
            cells = key == "cells"
            if key == "managedFields":
                # The server orders them by the second in which they were written, among others.
                part = lambda entry, name: str(entry.get(name, "")) if isinstance(entry, dict) else ""
                names = ("operation", "manager", "subresource", "apiVersion")
                value = sorted(value, key=lambda entry: [part(entry, name) for name in names])
            conflicts = [isinstance(e, dict) and e.get("reason") == "FieldManagerConflict" for e in value]
            if key in ("resourceRules", "nonResourceRules") or (key == "causes" and all(conflicts)):
                # Here the server walks a map.
                value = sorted(value, key=compact)
            return ["<age>" if cells and isinstance(inner, str) and AGE.fullmatch(inner) else self.value(inner, key)
                    for inner in value]
        if isinstance(value, bool) or value is None:
            return value
        if isinstance(value, (int, float)):
            is_port = key in ("nodePort", "healthCheckNodePort") and PORT.fullmatch(str(value))
            if is_port and str(value) not in self.script:
                return "<port>"
            return "<seconds>" if key in ("exp", "iat", "nbf", "warnafter") else value
        if key == "resourceVersion":
            # A list's revision is the newest of the whole server, to which others write as well.
            return self.revision(value) if "uid" in (parent or {}) else re.sub("[1-9][0-9]*", "<rv>", value)
        if key == "continue" and value:
            return self.position(value)
        if key == "token" and TOKEN.fullmatch(value):
            return self.claims(value)
        if key == "serverAddress":
            return "<address>"
        prefix = (parent or {}).get("generateName")
        if key == "name" and prefix and value.startswith(prefix) and RANDOM.fullmatch(value[len(prefix):]):
            return prefix + "<random>"
        return self.text(value)

    def position(self, token):
        """Where a continue token goes on."""
        try:
            position = json.loads(base64.urlsafe_b64decode(token + "=="))
            return f"<continue {position['v']} {self.text(position['start'])}>"
        except (ValueError, KeyError, TypeError):
            return "<continue>"

    def protobuf(self, data):
        if data[:4] != b"k8s\0":
            return shown(data)
        fields = wire(data[4:])
        kind = wire_text(fields, 1, 2)
        return shown(b"k8s\0" + masked_wire(data[4:], {2: LIST if kind.endswith("List") else OBJECT}))


def wire(data):
    """The fields of a protobuf message: number, wire type, value, in order."""
    fields, at = [], 0
    while at < len(data):
        tag, at = varint(data, at)
        number, sort = tag >> 3, tag & 7
        if sort == 0:
            value, at = varint(data, at)
        elif sort == 2:
            size, at = varint(data, at)
            if at + size > len(data):
                raise ValueError("cut off")
            value, at = data[at:at + size], at + size
        else:
            raise ValueError(f"wire type {sort}")
        fields.append((number, sort, value))
    return fields


def wire_text(fields, *path):
    for number, sort, value in fields:
        if number == path[0] and sort == 2:
            return value.decode() if len(path) == 1 else wire_text(wire(value), *path[1:])
    return ""


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def as_varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


META = {5: b"<uid>", 6: b"<rv>", 8: b"<time>", 9: b"<time>", 17: b"<managed>"}
OBJECT = {1: META}
LIST = {1: {2: b"<rv>"}, 2: OBJECT}


def masked_wire(data, plan):
    """Writes a message anew with some of its fields replaced."""
    out = b""
    for number, sort, value in wire(data):
        inner = plan.get(number)
        out += as_varint(number << 3 | sort)
        if sort == 0:
            out += as_varint(value)
            continue
        if isinstance(inner, bytes) and value:
            value = inner
        elif isinstance(inner, dict):
            try:
                value = masked_wire(value, inner)
            except (ValueError, IndexError):
                pass  # Discovery has strings where objects have their metadata.
        out += as_varint(len(value)) + value
    return out


def shown(data):
    return "".join(chr(byte) if 32 <= byte < 127 and byte != 92 else f"\\x{byte:02x}" for byte in data)


def compact(value):
    """JSON as the player writes it. Where a field is raw JSON the server keeps it as it came."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def dig(value, path):
    for part in path.split("."):
        if isinstance(value, list) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        elif isinstance(value, dict):
            value = value.get(part)
        else:
            return None
    return value


def drop(value, path):
    """Replaces what the path leads to; `*` stands for every key or element."""
    head, _, rest = path.partition(".")
    keys = range(len(value)) if isinstance(value, list) else list(value) if isinstance(value, dict) else []
    for key in keys:
        if head in ("*", str(key)):
            if rest:
                drop(value[key], rest)
            else:
                value[key] = "<ignored>"


class Server:
    """Sends steps one after the other."""

    def __init__(self, url, token):
        self.url, self.token, self.connection = urllib.parse.urlsplit(url), token, None
        self.tls = ssl.create_default_context()
        self.tls.check_hostname, self.tls.verify_mode = False, ssl.CERT_NONE

    def send(self, method, path, headers, body):
        for attempt in range(2):
            try:
                if self.connection is None:
                    host = self.url.hostname, self.url.port
                    self.connection = http.client.HTTPSConnection(*host, context=self.tls, timeout=90) \
                        if self.url.scheme == "https" else http.client.HTTPConnection(*host, timeout=90)
                self.connection.request(method, path, body, headers)
                response = self.connection.getresponse()
                data = response.read()
                if response.will_close:
                    self.connection.close()
                    self.connection = None
                return response.status, response.headers, data
            except (http.client.HTTPException, OSError):
                self.connection = None
                if attempt:
                    raise


class Run:
    """One file against one server."""

    def __init__(self, server, path):
        self.server, self.script = server, path.read_text()
        self.steps = list(expanded(ANSWERS.yaml.load(self.script, Loader=Steps)))
        self.captured, self.kept = {}, {}

    def ask(self, step):
        step = {key: filled(value, self.captured) for key, value in step.items() if key not in ("step", "capture")}
        method, path = step["request"].split(" ", 1)
        body = None
        if "base64" in step:
            body = base64.b64decode(step["base64"])
        elif "base" in step:
            body = compact(ANSWERS.merged(self.kept.get(step["base"]), step.get("body", {}))).encode()
        elif "body" in step:
            body = (step["body"] if isinstance(step["body"], str) else compact(step["body"])).encode()
        if "size" in step:
            body = body.ljust(step["size"])
        headers = {"Accept": "application/json", "User-Agent": "compare"}
        headers["Authorization"] = "Bearer " + self.server.token
        if body is not None:
            headers["Content-Type"] = "application/json"
        headers.update(step.get("headers", {}))
        headers = {name: str(value) for name, value in headers.items() if value is not None}
        return self.server.send(method, path, headers, body)

    def answer(self, step):
        deadline = time.time() + PATIENCE
        while True:
            status, headers, data = self.ask(step)
            until = step.get("until")
            if until is None or until == status or (isinstance(until, str) and until.encode() in data):
                break
            if time.time() > deadline:
                print(f"  ! {step['step']}: waited in vain for {until}", file=sys.stderr)
                break
            time.sleep(0.1)
        prefix = dig(step.get("body"), "metadata.generateName")
        mask = Mask(self.script, self.captured, f"{self.server.url.hostname}:{self.server.url.port}", prefix)
        sort = step.get("compare", "body")
        result = {"status": status}
        recorded = {}
        for name in HEADERS:
            values = headers.get_all(name)
            if values:
                # Python reads headers as Latin-1, and warnings are in UTF-8.
                values = [value.encode("latin-1").decode(errors="replace") for value in values]
                recorded[name] = ["<present>"] if name in ONLY_PRESENCE else [mask.text(v) for v in values]
        if recorded:
            result["headers"] = recorded
        parsed = None
        try:
            parsed = json.loads(data)
        except ValueError:
            pass
        content = headers.get("Content-Type", "")
        is_event = "watch=" in step["request"] and isinstance(parsed, dict) and "type" in parsed
        if sort == "status" or not data:
            pass
        elif sort == "body" and content.startswith("application/vnd.kubernetes.protobuf"):
            result["protobuf"] = mask.protobuf(data)
        elif sort == "body" and isinstance(parsed, (dict, list)) and not is_event:
            result["body"] = mask.value(parsed)
        elif sort == "body" and content.startswith("application/json") and data.startswith(b"{"):
            events = [json.loads(line) for line in data.splitlines() if line]
            result["events"] = [mask.value(e) for e in events if e["type"] != "BOOKMARK" or "bookmark" in step["step"]]
        else:
            result["text"] = mask.text(data.decode(errors="replace"))
        for path in step.get("ignore", []):
            drop(result, path)
        for name, path in step.get("capture", {}).items():
            value = dig(parsed, path)
            self.captured[name] = value if isinstance(value, str) else json.dumps(value)
        if "keep" in step:
            self.kept[step["keep"]] = parsed
        return result

    def answers(self, show):
        answers = {}
        for step in self.steps:
            name = step["step"]
            if name in answers:
                raise SystemExit(f"{name}: there are two of this name")
            answers[name] = self.answer(step)
            if show:
                bodies = (answers[name].get(key) for key in ("body", "events", "text", "protobuf"))
                body = next((body for body in bodies if body is not None), "")
                brief = body.get("message") if isinstance(body, dict) and body.get("kind") == "Status" else None
                print(f"{name}: {answers[name]['status']} {brief or json.dumps(body)[:show]}")
        return answers


def differences(old, new, where=""):
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(set(old) | set(new)):
            yield from differences(old.get(key, "<absent>"), new.get(key, "<absent>"), f"{where}.{key}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, pair in enumerate(zip(old, new)):
            yield from differences(*pair, f"{where}.{index}")
    elif old != new:
        yield where, old, new


def written(answers):
    """One line per answer and one per body, so that a change shows as a few lines."""
    text = lambda value: json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    lines = []
    for name, answer in answers.items():
        parts = ",\n  ".join(f"{text(key)}: {text(value)}" for key, value in answer.items())
        lines.append(f" {text(name)}: {{\n  {parts}\n }}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--url", required=True)
    arguments.add_argument("--token", required=True)
    arguments.add_argument("--check", action="store_true")
    arguments.add_argument("--show", type=int, default=0, metavar="WIDTH")
    arguments.add_argument("cases", nargs="+", type=pathlib.Path)
    options = arguments.parse_args()
    total = strange = 0
    for path in options.cases:
        started = time.time()
        answers = Run(Server(options.url, options.token), path).answers(options.show)
        target = path.with_suffix(".answers.json")
        total += len(answers)
        if options.check:
            recorded = json.loads(target.read_text())
            for name in answers:
                for where, old, new in differences(recorded.get(name), answers[name]):
                    strange += 1
                    print(f"{path.stem} | {name} | {where} | {json.dumps(old)[:300]} | {json.dumps(new)[:300]}")
        else:
            target.write_text(written(answers))
        print(f"{path.name}: {len(answers)} requests, {time.time() - started:.0f} s", file=sys.stderr)
    print(f"{total} requests, {strange} differences", file=sys.stderr)
    sys.exit(1 if strange else 0)


if __name__ == "__main__":
    main()
