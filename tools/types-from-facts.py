#!/usr/bin/env python3
"""Writes the Rust types of one API version from a facts file (see ../shared/k8s/README.md).

    tools/types-from-facts.py FACTS.json [--kinds A,B] [--same-as FACTS.json=super::v1] [--hub super::v1]
                              [--only T,..] [--except T,..] [--split FILE=REGEX ...] --out FILE_OR_FOLDER

What it writes is a first draft to be read, documented and kept by hand: it is not run again over edited files.
Types equal to those of another version of the group are re-exported from there instead of being written again.
"""
import argparse, json, os, re, sys

SCALARS = {"string": "String", "int32": "i32", "int64": "i64", "bool": "bool", "float64": "f64",
           "interface": "serde_json::Value", "types.UID": "String", "types.NodeName": "String",
           "runtime.RawExtension": "RawJson", "api/resource.Quantity": "Quantity",
           "util/intstr.IntOrString": "IntOrString", "time.Duration": "i64"}
META_LEAVES = {"Time", "MicroTime", "Duration", "FieldsV1"}
KEYWORDS = {"type", "continue", "ref", "self", "use", "match", "where", "enum", "in", "for", "loop", "move", "static"}


def snake(name):
    name = re.sub(r"IPs\b", "Ips", name)
    name = re.sub(r"(CIDR|URL|IP|ID|URI)s(?=[A-Z]|$)", lambda m: m.group(1).title() + "s", name)
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name)
    name = re.sub(r"\W", "_", name).lower()
    return name + "_" if name in KEYWORDS else name


def camel(name):
    head, *tail = name.rstrip("_").split("_")
    return head + "".join(part[:1].upper() + part[1:] for part in tail)


class Facts:
    def __init__(self, path):
        data = json.load(open(path))
        self.path, self.group, self.version = path, data["group"], data["version"]
        self.kinds, self.types = set(data["kinds"]), data["types"]
        self.folder = os.path.dirname(path)
        self.stem = os.path.basename(path)[:-5]

    _cache = {}

    @classmethod
    def load(cls, folder, package):
        path = os.path.join(folder, package.replace("/", "_") + ".json")
        if not os.path.exists(path):
            path = os.path.join(folder, "..", package.replace("/", "_") + ".json")
        if path not in cls._cache:
            cls._cache[path] = cls(path)
        return cls._cache[path]


class Writer:
    def __init__(self, facts, inside_meta):
        self.facts, self.uses, self.inside_meta = facts, set(), inside_meta
        self.consts = {}

    def rust(self, go, boxed=False):
        if go.startswith("*"):
            inner = self.rust(go[1:], boxed=True)
            return f"Option<{inner}>"
        if go == "[]byte":
            self.uses.add("rhumb_schema::ByteString")
            return "ByteString"
        if go.startswith("[]"):
            return f"Vec<{self.rust(go[2:].lstrip('*'))}>"
        if go.startswith("map["):
            value = go[go.index("]") + 1:]
            self.uses.add("std::collections::BTreeMap")
            return f"BTreeMap<String, {self.rust(value)}>"
        if go in SCALARS:
            rust = SCALARS[go]
            if rust == "RawJson":
                self.uses.add("rhumb_schema::RawJson")
            elif rust in ("Quantity", "IntOrString"):
                self.uses.add(("crate::" if self.inside_meta else "rhumb_meta::") + rust)
            return rust
        package, _, name = go.rpartition(".")
        facts = self.facts
        if package:
            facts = Facts.load(self.facts.folder, package)
        if package == "apis/meta/v1" or (self.inside_meta and name in META_LEAVES):
            if name in META_LEAVES:
                if name == "FieldsV1":
                    self.uses.add("rhumb_schema::RawJson")
                    return "RawJson"
                self.uses.add(("crate::" if self.inside_meta else "rhumb_meta::") + name)
                return name
        definition = facts.types[name]
        if definition["kind"] == "alias":
            of = definition["of"]
            if of == "string" or of in SCALARS:
                return SCALARS[of]
            if of != "[]string":
                saved, self.facts = self.facts, facts
                rust = self.rust(of if "." in of or of[0] in "[m" else of)
                self.facts = saved
                return rust
        if package and package != self.here():
            if package == "apis/meta/v1":
                self.uses.add("rhumb_meta::v1::" + name)
            else:
                self.uses.add("crate::" + package.replace("/", "::") + "::" + name)
        return f"Box<{name}>" if boxed else name

    def here(self):
        return "apis/meta/v1" if self.inside_meta else self.facts.stem.replace("_", "/")

    def values(self, go):
        base = go.lstrip("*[]")
        if base in SCALARS or base.startswith("map["):
            return None
        package, _, name = base.rpartition(".")
        facts = Facts.load(self.facts.folder, package) if package else self.facts
        definition = facts.types.get(name, {})
        if definition.get("kind") == "alias" and definition.get("of") == "string" and definition.get("enum") \
                and definition.get("values"):
            const = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).upper()
            const += "" if const.endswith("S") else "S"
            if package and package != self.here():
                self.uses.add("crate::" + package.replace("/", "::") + "::" + const)
            else:
                self.consts[const] = (name, definition["values"])
            return const
        return None

    def field(self, field):
        go = field["type"]
        json_name = field.get("json")
        rust_name = snake(json_name or field["go"])
        words = [str(field.get("tag", 0))]
        if field.get("inline") and not json_name:
            words.append("inline")
        else:
            if camel(rust_name) != json_name:
                words.append(f'json = "{json_name}"')
            omit = field.get("omit") or ""
            required = field.get("required") or (not omit and not field.get("optional"))
            if "omitzero" in omit:
                words.append("omitzero")
            elif required and not omit:
                words.append("required")
            elif required:
                words.append("required_omitempty")
            elif not omit:
                words.append("shown")
            if rust_name == "items" and not omit:
                words.append("not_null")
        if field.get("listMapKeys"):
            words.append("keys(" + ", ".join(f'"{key}"' for key in field["listMapKeys"]) + ")")
        elif field.get("listType"):
            words.append(f'list = "{field["listType"]}"')
        if field.get("mapType") == "atomic" or field.get("structType") == "atomic":
            words.append("atomic")
        if field.get("patchStrategy"):
            words.append(f'merge = "{field["patchStrategy"]}"')
        if field.get("patchMergeKey"):
            words.append(f'merge_key = "{field["patchMergeKey"]}"')
        if field.get("default") is not None:
            default = field["default"]
            words.append(f"default = {default}" if re.match(r'^("[^"]*"|-?\d+|true|false)$', default)
                         else f"default = {json.dumps(default)}")
        if values := self.values(go):
            words.append(f"values = {values}")
        return f"    #[field({', '.join(words)})]\n    pub {rust_name}: {self.rust(go)},\n"

    def struct(self, name, definition, kind, convert):
        derives = "Clone, Default, Schema" + (", Object" if kind else "")
        if convert:
            derives += ", Convert"
        out = f"#[derive({derives})]\n"
        if definition.get("structType") == "atomic":
            out += "#[schema(atomic)]\n"
        if convert:
            out += f"#[convert(hub = {convert}::{name})]\n"
        out += f"pub struct {name} {{\n"
        return out + "".join(self.field(field) for field in definition.get("fields", [])) + "}\n"

    def transparent(self, name):
        return ("#[derive(Clone, Default, Schema)]\n#[schema(transparent)]\n"
                f"pub struct {name}(#[field(1)] pub Vec<String>);\n")


def imports(uses):
    """The `use` lines: one per module, in rustfmt's three blocks."""
    modules = {}
    for use in filter(None, uses):
        module, _, name = use.rpartition("::")
        modules.setdefault(module, set()).add(name)
    lines = {}
    for module, names in sorted(modules.items()):
        listed = ", ".join(sorted(names))
        block = 0 if module.startswith("std") else 2 if module.split("::")[0] in ("super", "crate") else 1
        lines.setdefault(block, []).append(
            f"use {module}::{{{listed}}};\n" if len(names) > 1 else f"use {module}::{listed};\n")
    return "".join("".join(lines[block]) + "\n" for block in sorted(lines))


def signature(facts, name, seen=()):
    """A text equal for two types exactly if they are the same in every respect that the table records."""
    definition = facts.types[name]
    if name in seen:
        return "<" + name + ">"
    parts = [name, definition["kind"], definition.get("of", ""), definition.get("structType", "")]
    for field in definition.get("fields", []):
        parts.append(json.dumps({k: v for k, v in field.items() if k not in ("markers",)}, sort_keys=True))
        base = field["type"].lstrip("*[]")
        base = base[base.index("]") + 1:] if base.startswith("map[") else base
        base = base.lstrip("*[]")
        if base in facts.types:
            parts.append(signature(facts, base, seen + (name,)))
    return "\n".join(parts)


def closure(facts, roots):
    found, queue = set(), list(roots)
    while queue:
        name = queue.pop()
        if name in found or name not in facts.types:
            continue
        found.add(name)
        definition = facts.types[name]
        for go in [field["type"] for field in definition.get("fields", [])] + [definition.get("of", "")]:
            queue += re.findall(r"(?<![\w/.])[A-Z]\w*", go)
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("facts")
    parser.add_argument("--kinds", help="kinds to write with all they need; default: all of the file")
    parser.add_argument("--except", dest="leave", default="", help="types to leave out")
    parser.add_argument("--same-as", action="append", default=[], help="FACTS.json=module: re-export equal types")
    parser.add_argument("--hub", help="module of the hub's types, for #[derive(Convert)]")
    parser.add_argument("--split", action="append", default=[], help="FILE=REGEX of type names")
    parser.add_argument("--meta", action="store_true", help="the shared metadata, inside rhumb-meta")
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    facts = Facts(options.facts)
    leave = set(options.leave.split(","))
    kinds = set(options.kinds.split(",")) if options.kinds else facts.kinds
    has_type_meta = {n for n, t in facts.types.items() if any(f["go"] == "TypeMeta" for f in t.get("fields", []))}
    names = closure(facts, kinds) if options.kinds else set(facts.types)
    names = [name for name in facts.types if name in names and name not in leave]

    same, hub_types = {}, set()
    for option in options.same_as:
        path, module = option.split("=")
        other = Facts(path)
        for name in names:
            if name not in same and name in other.types and signature(facts, name) == signature(other, name):
                same[name] = module
        if module == options.hub:
            hub_types = set(other.types)
    files = {}
    for name in sorted(names):
        definition = facts.types[name]
        target = next((f for f, rule in (s.split("=", 1) for s in options.split) if re.search(rule, name)), "mod")
        writer, chunks = files.setdefault(target, (Writer(facts, options.meta), []))
        if name in same:
            continue
        if definition["kind"] == "struct":
            convert = options.hub if name in hub_types else None
            chunks.append(writer.struct(name, definition, name in has_type_meta, convert))
        elif definition.get("of") == "[]string":
            chunks.append(writer.transparent(name))
    reexports = {}
    for name, module in same.items():
        if facts.types[name]["kind"] == "struct" or facts.types[name].get("of") == "[]string":
            reexports.setdefault(module, []).append(name)

    single, shared = options.out.endswith(".rs"), {}
    if not single:
        os.makedirs(options.out, exist_ok=True)
    shown = f"{facts.group}/{facts.version}" if facts.group else facts.version
    for target, (writer, chunks) in files.items():
        text = f"//! `{shown}`.\n\n" if target == "mod" else f"//! {target.title()}s in `{shown}`.\n\n"
        uses = set(writer.uses) | {"rhumb_schema::Schema"}
        body = "\n".join(chunks)
        if ", Object" in body:
            uses.add("rhumb_meta::Object" if not options.meta else "crate::Object")
        if ", Convert" in body:
            uses.add("rhumb_scheme::Convert")
        if re.search(r"\bTypeMeta\b", body):
            uses.add("rhumb_meta::v1::TypeMeta" if not options.meta else "")
        if not single:
            uses.add("super::*")
        text += imports(uses)
        for module, members in sorted(reexports.items()) if target == "mod" else []:
            text += f"pub use {module}::{{{', '.join(sorted(members))}}};\n\n"
        if not single:
            shared.update(writer.consts)
            writer.consts = {}
        for const, (name, values) in sorted(writer.consts.items()):
            listed = ", ".join(json.dumps(value) for value in values)
            text += f"/// The values that a `{name}` has.\npub const {const}: &[&str] = &[{listed}];\n"
        if target == "mod" and not single:
            text += "".join(f"mod {f};\n" for f in sorted(files) if f != "mod")
            text += "".join(f"pub use {f}::*;\n" for f in sorted(files) if f != "mod")
        path = options.out if single else os.path.join(options.out, target + ".rs")
        open(path, "w").write(text + "\n" + body)
        print(f"{path}: {len(chunks)} types, {sum(map(len, reexports.values())) if target == 'mod' else 0} re-exported",
              file=sys.stderr)
    if shared:
        text = f"//! The values that string fields of `{shown}` may have.\n"
        for const, (name, values) in sorted(shared.items()):
            listed = ", ".join(json.dumps(value) for value in values)
            text += f"\n/// The values that a `{name}` has.\npub const {const}: &[&str] = &[{listed}];\n"
        open(os.path.join(options.out, "values.rs"), "w").write(text)


main()
