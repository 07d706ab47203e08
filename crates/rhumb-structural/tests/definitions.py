"""The custom resource definitions that answers are recorded for."""


def text(**more):
    return {"type": "string", **more}


def integer(**more):
    return {"type": "integer", **more}


def number(**more):
    return {"type": "number", **more}


def thing(properties=None, **more):
    return {"type": "object", **({"properties": properties} if properties else {}), **more}


def many(items, **more):
    return {"type": "array", "items": items, **more}


FORMATS = [
    "bsonobjectid", "uri", "email", "hostname", "ipv4", "ipv6", "cidr", "mac", "uuid", "uuid3", "uuid4", "uuid5",
    "isbn", "isbn10", "isbn13", "creditcard", "ssn", "hexcolor", "rgbcolor", "byte", "password", "date", "duration",
    "datetime", "date-time", "k8s-short-name", "k8s-long-name", "unheard-of",
]
PATTERNS = [
    r"^\d+$", r"\bword\b", r"^[\w.-]+$", r"^\s*$", r"^[[:alpha:]]+$", r"a{2,3}", r"(?i)abc", r"^(?P<x>a|b)c$",
    r"^\Qa.b\E$", r"^[^a&&b]$", r"^\p{Greek}+$", r"^\PL+$", r"x{,3}", r"^a.c$", r"(?s)^a.c$", r"^\x41\x{42}\103$",
    r"^[\]\-a]+$", r"^[+--]+$", r"^[[]$", r"^\S\D\W$", r"^a|b$", r"^\/\<\-$",
]

RULES = thing({
    "spec": thing({
        "text": text(minLength=2, maxLength=4, pattern="^[a-z]+$"),
        "short": text(maxLength=3),
        "one": text(maxLength=1),
        "choice": text(enum=["a", "b", "c d"]),
        "numbers": integer(enum=[1, 2, 3]),
        "floats": number(enum=[1.5, 2]),
        "whole": integer(minimum=2, maximum=10, multipleOf=2),
        "open": integer(minimum=2, maximum=10, exclusiveMinimum=True, exclusiveMaximum=True),
        "small": integer(format="int32"),
        "large": integer(format="int64"),
        "real": number(minimum=0.5, maximum=2.5, multipleOf=0.25),
        "edge": number(minimum=-1, maximum=1, exclusiveMinimum=True, exclusiveMaximum=True),
        "single": number(format="float"),
        "double": number(format="double"),
        "thirds": number(multipleOf=0.1),
        "flag": {"type": "boolean"},
        "list": many(text(minLength=1), minItems=1, maxItems=3),
        "matrix": many(many(integer())),
        "map": thing(additionalProperties=integer(minimum=0), minProperties=1, maxProperties=2),
        "open map": thing(additionalProperties=True),
        "needs": thing({"a": text(), "b": integer()}, required=["a", "b"]),
        "nested": thing({"deep": thing({"er": many(thing({"leaf": integer()}, required=["leaf"]))})}),
        "nullable": {**text(), "nullable": True},
        "nullableChoice": {**text(enum=["a"]), "nullable": True},
        "nullableThing": thing({"a": text()}, nullable=True),
        "items": many({**text(), "nullable": True}),
        "notNull": text(),
        "port": {"x-kubernetes-int-or-string": True},
        "portPattern": {"x-kubernetes-int-or-string": True, "pattern": "^[0-9]+%$", "maximum": 100},
        "portAny": {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}], "minimum": 1},
        "oneOf": thing({"a": text(), "b": text()}, oneOf=[{"required": ["a"]}, {"required": ["b"]}]),
        "anyOf": thing({"a": text(), "b": integer()}, anyOf=[
            {"required": ["a"], "properties": {"a": {"minLength": 3}}},
            {"required": ["b"], "properties": {"b": {"minimum": 3}}},
        ]),
        "allOf": text(allOf=[{"minLength": 2}, {"maxLength": 3}, {"pattern": "^a"}]),
        "not": text(**{"not": {"enum": ["bad"]}}),
        "mixed": integer(oneOf=[{"minimum": 10}, {"maximum": 5}, {"multipleOf": 7}], **{"not": {"enum": [0]}}),
        "deepAny": text(anyOf=[{"format": "ipv4"}, {"format": "ipv6"}, {"pattern": "^v"}]),
        "set": many(text(), **{"x-kubernetes-list-type": "set"}),
        "numberSet": many(number(), **{"x-kubernetes-list-type": "set"}),
        "keyed": many(
            thing({"name": text(), "value": integer()}, required=["name"]),
            **{"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]},
        ),
        "twoKeys": many(
            thing({"port": integer(), "protocol": text(default="TCP"), "x": text()}, required=["port"]),
            **{"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port", "protocol"]},
        ),
        "atomic": many(text(), **{"x-kubernetes-list-type": "atomic"}),
        "template": thing(
            {"spec": thing({"a": text()})},
            **{"x-kubernetes-embedded-resource": True},
        ),
        "anything": thing(**{"x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True}),
        "templates": many(thing({"spec": thing({"a": text()})}, **{"x-kubernetes-embedded-resource": True})),
        "named": thing(additionalProperties=thing({"x": text()}, **{"x-kubernetes-embedded-resource": True})),
        "loose": thing({"known": thing({"a": text()})}, **{"x-kubernetes-preserve-unknown-fields": True}),
        "raw": {"x-kubernetes-preserve-unknown-fields": True},
        "looseList": {**many(thing({"a": text()})), "x-kubernetes-preserve-unknown-fields": True},
        "bare": thing(),
        "dotted.name": integer(),
    }, maxProperties=60),
    "top": integer(default=7),
    "defaults": thing({
        "text": text(default="x"),
        "number": integer(default=3),
        "list": many(text(default="item"), default=["a"]),
        "nested": thing({"a": text(default="deep"), "b": thing({"c": integer(default=1)}, default={})}),
        "given": thing({"a": text(default="deep"), "b": text()}, default={"b": "given"}),
        "map": thing(additionalProperties=thing({"a": integer(default=4)}, default={})),
        "objects": many(thing({"a": integer(default=4), "b": text()}, default={})),
        "nullable": {**text(default="n"), "nullable": True},
        "nullableNone": {**text(), "nullable": True},
        "none": text(),
        "any": {"x-kubernetes-int-or-string": True, "default": "50%"},
    }),
    "formats": thing({name: text(format=name) for name in FORMATS}),
    "formatsOfOthers": thing({
        "a": integer(format="unheard-of"), "b": number(format="int32"), "c": thing(format="date"),
        "d": many(text(), format="date"), "e": {"x-kubernetes-int-or-string": True, "format": "date"},
        "f": {"type": "boolean", "format": "x"},
    }),
    "patterns": thing({f"p{index}": text(pattern=pattern) for index, pattern in enumerate(PATTERNS)}),
})

CRON = thing({
    "spec": thing({
        "cronSpec": text(description="OURS: when to run", pattern=r"^(\d+|\*)(/\d+)?(\s+(\d+|\*)(/\d+)?){4}$"),
        "image": text(default="busybox"),
        "replicas": integer(minimum=1, maximum=10, default=1),
        "suspend": {"type": "boolean"},
        "ratio": number(),
        "when": text(),
        "labels": thing(additionalProperties=text()),
        "tags": many(text()),
        "a.b": text(),
        "extra": thing(**{"x-kubernetes-preserve-unknown-fields": True}),
        "optional": {**text(), "nullable": True},
    }, description="OURS: what is wanted"),
    "status": thing({
        "replicas": integer(),
        "labelSelector": text(),
        "conditions": many(
            thing({"type": text(), "status": text(enum=["True", "False", "Unknown"]), "order": integer()}, required=["type", "status"]),
            **{"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"]},
        ),
    }),
}, description="OURS: a job that runs at times", required=["spec"])


def column(name, path, kind, **more):
    return {"name": name, "jsonPath": path, "type": kind, **more}


COLUMNS = [
    column("Spec", ".spec.cronSpec", "string", description="When it runs"),
    column("Replicas", ".spec.replicas", "integer", priority=1, format="int32"),
    column("ReplicasText", ".spec.replicas", "string"),
    column("ReplicasNumber", ".spec.replicas", "number"),
    column("Suspend", ".spec.suspend", "boolean"),
    column("SuspendText", ".spec.suspend", "string"),
    column("Ratio", ".spec.ratio", "number"),
    column("RatioInteger", ".spec.ratio", "integer"),
    column("RatioText", ".spec.ratio", "string"),
    column("When", ".spec.when", "date"),
    column("WhenInteger", ".spec.when", "integer"),
    column("Ready", '.status.conditions[?(@.type=="Ready")].status', "string"),
    column("Unready", '.status.conditions[?(@.status!="True")].type', "string"),
    column("Early", ".status.conditions[?(@.order<2)].type", "string"),
    column("Late", ".status.conditions[?(@.order>=2)].type", "string"),
    column("HasOrder", ".status.conditions[?(@.order)].type", "string"),
    column("First", ".status.conditions[0].type", "string"),
    column("Last", ".status.conditions[-1].type", "string"),
    column("Slice", ".spec.tags[1:]", "string"),
    column("All", ".spec.tags[*]", "string"),
    column("Tags", ".spec.tags", "string"),
    column("Labels", ".spec.labels", "string"),
    column("App", r".spec.labels.app\.kubernetes\.io/name", "string"),
    column("Dotted", r".spec['a\.b']", "string"),
    column("Null", ".spec.optional", "string"),
    column("Extra", ".spec.extra", "string"),
    column("Deep", "..deep", "string"),
    column("Name2", ".metadata.name", "string"),
]

SUBRESOURCES = {
    "status": {},
    "scale": {
        "specReplicasPath": ".spec.replicas",
        "statusReplicasPath": ".status.replicas",
        "labelSelectorPath": ".status.labelSelector",
    },
}


def definition(group, kind, plural, schema, scope="Namespaced", **version):
    names = {"plural": plural, "singular": kind.lower(), "kind": kind, "listKind": kind + "List"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": plural + "." + group},
        "spec": {
            "group": group, "names": names, "scope": scope,
            "versions": [
                {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}, **version}
            ],
        },
    }


RATCHET = thing({
    "spec": thing({
        "a": text(enum=["x", "y"]),
        "b": integer(minimum=10),
        "need": thing({"m": text(), "n": text()}, required=["m", "n"]),
        "list": many(thing({"v": integer(maximum=5)})),
        "keyed": many(
            thing({"name": text(), "v": integer(maximum=5), "w": text(maxLength=2)}, required=["name"]),
            **{"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]},
        ),
        "two": many(
            thing({"k": integer(), "l": text(), "v": integer(maximum=5)}, required=["k", "l"]),
            **{"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k", "l"]},
        ),
        "set": many(text(), **{"x-kubernetes-list-type": "set"}),
        "map": thing(additionalProperties=thing({"v": integer(maximum=5)})),
        "any": text(anyOf=[{"minLength": 5}, {"pattern": "^z"}]),
        "all": thing({"p": integer()}, allOf=[{"properties": {"p": {"minimum": 3}}}]),
        "loose": thing({"v": integer(maximum=5)}, required=["v"], **{"x-kubernetes-preserve-unknown-fields": True}),
        "size": thing(additionalProperties=text(maxLength=2), maxProperties=1),
        "untouched": text(),
    }),
})
LAX = {"openAPIV3Schema": thing({"spec": thing(**{"x-kubernetes-preserve-unknown-fields": True})})}

NULLABLES = thing({
    "spec": thing({
        "a": {**text(), "nullable": True, "description": "OURS: may be nothing"},
        "list": {**many(integer()), "nullable": True},
        "deep": thing({"x": thing({"y": text()}, nullable=True)}, required=["x"]),
        "map": thing(additionalProperties={**text(), "nullable": True}),
    }, required=["a"]),
    "title": text(title="OURS", example="x", externalDocs={"description": "OURS: more", "url": "https://example.com"}),
})

DEFINITIONS = {
    "CronTab": definition(
        "stable.example.com", "CronTab", "crontabs", CRON, additionalPrinterColumns=COLUMNS, subresources=SUBRESOURCES,
        selectableFields=[{"jsonPath": ".spec.image"}, {"jsonPath": ".spec.replicas"}],
    ),
    "Rule": definition("rules.example.com", "Rule", "rules", RULES, "Cluster"),
    "Ratchet": definition("rules.example.com", "Ratchet", "ratchets", RATCHET),
    "Loose": definition(
        "rules.example.com", "Loose", "looses", thing(**{"x-kubernetes-preserve-unknown-fields": True}), "Cluster"
    ),
    "Empty": definition("rules.example.com", "Empty", "empties", thing(), subresources={"status": {}}),
    "Nullable": definition("other.example.com", "Nullable", "nullables", NULLABLES),
}
