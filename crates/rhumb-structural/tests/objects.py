"""The objects that a server is asked about."""

from definitions import FORMATS, PATTERNS

TEXTS = [
    "", "a", "abc", "ABC", "a-b", "a.b", "a_b", "-a", "a-", "word", "a word b", "sword", "1", "007", "12345", "3.5", "-1",
    "aa", "aaaa", "aabc", "bc", "αβγ", "é", "a\nc", "a/c", "ABC\n", "&", "-", "[", "]", "]-a", "x{,3}", "a b", "\t", " ",
    "507f191e810c19729de860ea", "507f191e810c19729de860eg",
    "https://example.com/a?b=c", "http://[::1]:80/", "http://a b/", "/path", "path", "mailto:a@b.c", "http://a:b/", "*",
    "a@b.c", "A B <a@b.c>", "a@b", "a@", "@b", "\"a b\"@c.d", "a..b@c.d", "a@b.c,d@e.f", "<a@b.c>", "a@[127.0.0.1]", "a b@c.d",
    "example.com", "exa_mple.com", "example.c", "1.2.3", "a" * 64, "a" * 63 + ".com", "ex-.com", "-ex.com", "xn--a.com",
    "127.0.0.1", "127.0.0.01", "127.0.0.256", "::1", "::ffff:1.2.3.4", "1::2::3", "fe80::1%eth0", "10.0.0.0/8", "10.0.0.1/33",
    "::/0", "2001:db8::/129", "010.0.0.0/8",
    "01:23:45:67:89:ab", "01-23-45-67-89-AB", "0123.4567.89ab", "01:23:45:67:89", "01:23:45:67:89:ab:cd:ef", "01:23-45:67:89:ab",
    "00:00:00:00:fe:80:00:00:00:00:00:00:02:00:5e:10:00:00:00:01",
    "123e4567-e89b-12d3-a456-426614174000", "123E4567E89B12D3A456426614174000", "123e4567-e89b-32d3-a456-426614174000",
    "123e4567-e89b-42d3-a456-426614174000", "123e4567-e89b-52d3-c456-426614174000", "123e4567-e89b-52d3-B456-426614174000",
    "123e4567-e89b-12d3-a456-42661417400", "{123e4567-e89b-12d3-a456-426614174000}",
    "0321751043", "0-321-75104-3", "978-0321751041", "978 0321751041", "080442957X", "080442957x", "0321751044",
    "4111111111111111", "4111-1111-1111-1111", "4111111111111112", "5555555555554444", "378282246310005", "2221000000000009",
    "6205500000000000004", "123-45-6789", "123456789", "123 45 6789", "123-456789", "123-45-67890",
    "#fff", "fff", "#FFFFFF", "#ffff", "ffffff", "#ggg", "rgb(1,2,3)", "rgb( 255 , 255 , 255 )", "rgb(256,0,0)", "rgb(1,2)",
    "rgb(01,2,3)", "rgb(199,19,1)",
    "YWJj", "YWI=", "YQ==", "YQ=", "Y", "YWJj\n", "a+/=", "a-_=",
    "2020-02-29", "2021-02-29", "2020-2-29", "2020-13-01", "0000-01-01", "2020-02-30T00:00:00Z",
    "2020-02-29T10:00:00Z", "2020-02-29t10:00:00z", "2020-02-29T24:00:00Z", "2020-02-29T10:00:60Z", "2020-02-29T10:00:00",
    "2020-02-29T10:00:00.123Z", "2020-02-29T10:00:00+02:00", "2020-02-29T10:00:00+2:00", "2020-02-29 10:00:00Z",
    "2020-02-29T10:00:00x5Z", "2020-02-29T10:00:00,5Z",
    "1h", "1h30m", "22 ns", "1 day", "3 weeks", "5 fortnights", "1.5h", "1", "1 x", "5 years", "2 MINUTES", "1 hrs", "seconds",
    "10 µs", "9999999999999999999 s", "in 5 minutes", "5 mins",
    "short-name", "Short", "a" * 63 + "b", "long.name-1", "long..name", "a" * 250, "a." * 126 + "a", "a." * 127,
]

BAD_TYPES = [5, 1.5, True, "text", [], ["a"], {}, {"a": 1}, None, 1e30, -3, 4.0, 12345678901234567890]
SCALAR_FIELDS = [
    "text", "choice", "numbers", "floats", "whole", "small", "large", "real", "single", "double", "flag", "list", "matrix",
    "map", "open map", "needs", "nested", "nullable", "nullableChoice", "nullableThing", "items", "notNull", "port",
    "portPattern", "portAny", "oneOf", "anyOf", "allOf", "not", "mixed", "set", "keyed", "bare", "raw", "loose", "looseList",
    "template", "anything", "dotted.name",
]


def spec(**fields):
    return {"spec": fields}


RULES = (
    [{}, {"spec": {}}, {"spec": None}, {"spec": []}, {"spec": "x"}, {"unknown": 1, "spec": {"unknown": {"x": [1]}, "needs": {"a": "a", "b": 1, "c": 2}}}]
    + [{"spec": {field: value for field in SCALAR_FIELDS}} for value in BAD_TYPES]
    + [spec(text=value) for value in ["a", "ab", "abcd", "abcde", "AB", "αβ", "a<b>"]]
    + [spec(short="abcd", one="ab")]
    + [spec(choice=value) for value in ["a", "c d", "d", "", "<&>", "\"q\""]]
    + [spec(numbers=value, floats=value) for value in [1, 2, 1.5, 2.0, 4, -1]]
    + [spec(whole=value, open=value, large=value, small=value) for value in [1, 2, 3, 4, 10, 11, 12, 2147483648, -2147483649, 9223372036854775807]]
    + [spec(real=value, edge=value, single=value, double=value, thirds=value) for value in [0, 0.5, 0.3, 2.5, 3, 1, -1, 1e39, 1e-7, 123456789.5, -0.75]]
    + [spec(list=value) for value in [["a"], [], ["a", "b", "c", "d"], ["", 5, None], ["a", "a"]]]
    + [spec(matrix=value) for value in [[[1, 2], [3]], [[1, "x"], 5], [[None]]]]
    + [spec(map=value) for value in [{"a": 1}, {}, {"a": 1, "b": 2, "c": 3}, {"a": -1}, {"a": "x", "b.c": None}]]
    + [spec(**{"open map": value}) for value in [{"a": 1}, {"a": {"b": None, "c": [{}]}}]]
    + [spec(needs=value) for value in [{}, {"a": "x"}, {"a": "x", "b": 1}, {"a": None, "b": None}]]
    + [spec(nested=value) for value in [{"deep": {"er": [{"leaf": 1}, {}, {"leaf": "x", "more": 1}]}}, {"deep": {"er": {}}}, {"deep": {"er": [None, 5]}}]]
    + [spec(nullable=None, nullableChoice=None, nullableThing=None, items=["a", None], notNull=None)]
    + [spec(nullableThing={"a": None, "b": 1})]
    + [spec(port=value, portPattern=value, portAny=value) for value in [80, "80", "80%", 101, -5, 1.5, 2.0, None, "", [80]]]
    + [spec(oneOf=value) for value in [{}, {"a": "x"}, {"b": "x"}, {"a": "x", "b": "y"}, {"a": 5}]]
    + [spec(anyOf=value) for value in [{}, {"a": "x"}, {"a": "xxx"}, {"b": 1}, {"b": 5}, {"a": "x", "b": 1}, {"a": "x", "b": 5}]]
    + [spec(allOf=value) for value in ["a", "ab", "abcd", "b", "bcde", ""]]
    + [{"spec": {"not": value}} for value in ["bad", "good", 5]]
    + [spec(mixed=value) for value in [0, 6, 7, 14, 12, 3, -7, "x"]]
    + [spec(deepAny=value) for value in ["1.2.3.4", "::1", "v1", "x"]]
    + [spec(set=value) for value in [["a", "b"], ["a", "a"], ["a", "a", "a", "b", "b"], ["a", None, None]]]
    + [spec(numberSet=value) for value in [[1, 1.0], [1, 1], [1.5, 1.5, 2]]]
    + [spec(keyed=value) for value in [
        [{"name": "a"}, {"name": "b"}], [{"name": "a"}, {"name": "a", "value": 1}], [{"value": 1}], [{"value": 1}, {}],
        ["x", {"name": "a"}], [None, None], [None], [{"name": 5}, {"name": 5}], [{"name": None}, {"name": None}],
        [{"name": "a"}, {"name": "a"}, {"name": "a"}, {"name": "b"}, {"name": "b"}],
    ]]
    + [spec(twoKeys=value) for value in [
        [{"port": 1}, {"port": 1, "protocol": "UDP"}], [{"port": 1}, {"port": 1}], [{"port": 1, "protocol": "TCP"}, {"port": 1, "x": "y"}],
        [{}, {}], [{"port": 1}, None],
    ]]
    + [spec(atomic=["a", "a"])]
    + [spec(template=value, anything=value) for value in [
        {}, {"apiVersion": "v1", "kind": "Pod"}, {"apiVersion": "v1"}, {"kind": "Pod"}, {"apiVersion": "", "kind": ""},
        {"apiVersion": "a/b/c", "kind": "Bad Kind"}, {"apiVersion": "v1", "kind": "Pod", "spec": {"a": "x", "b": 1}, "status": {}},
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x", "labels": {"a": "b"}, "unknown": 1}},
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"creationTimestamp": None, "generateName": "x-"}},
        {"apiVersion": "v1", "kind": "Pod", "metadata": {}}, {"apiVersion": "v1", "kind": "Pod", "metadata": None},
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "x", "uid": "y", "zzz": 1}]}},
    ]]
    + [{"spec": {"template": {"apiVersion": "v1", "kind": "Pod", "metadata": value}}} for value in [
        "x", 5, [], {"labels": 5}, {"labels": {"a": 5}}, {"labels": {"a": True}}, {"name": 5}, {"finalizers": "x"}, {"finalizers": [5]},
        {"generation": "x"}, {"generation": 1.5}, {"creationTimestamp": "x"}, {"creationTimestamp": 5}, {"ownerReferences": [{"name": 5}]},
        {"ownerReferences": {}}, {"labels": {"a b": "x y"}}, {"name": "a/b"}, {"name": ".."},
    ]]
    + [{"spec": {"template": {"apiVersion": 5, "kind": "Pod"}}}, {"spec": {"template": {"apiVersion": "v1", "kind": {}}}}]
    + [spec(templates=[{"apiVersion": "v1", "kind": "Pod", "metadata": {"x": 1}}, {"kind": "Pod"}], named={
        "a": {"apiVersion": "v1", "kind": "Pod", "metadata": {"y": 1}}, "b.c": {"apiVersion": "v1"}})]
    + [spec(named={"a": {"apiVersion": "v1", "kind": "Pod", "metadata": {"labels": []}}})]
    + [spec(loose={"known": {"a": "x", "b": 1}, "other": {"c": None}}, raw={"a": [None, {"b": 1}]}, looseList=[{"a": "x", "b": 2}], bare={"a": 1})]
    + [spec(raw=value) for value in [1, "x", None, [1, [2]], False]]
    + [{"defaults": value} for value in [
        {}, {"text": None, "number": None, "list": None, "nested": None, "given": None}, {"list": [], "map": {}, "objects": []},
        {"list": [None, "b"], "map": {"a": {}, "b": None}, "objects": [{}, None, {"a": 1}]}, {"nested": {}, "given": {}},
        {"nested": {"b": None}, "given": {"a": None, "b": None}}, {"nullable": None, "nullableNone": None, "none": None},
        {"nested": {"b": {"c": None}}}, {"list": "x", "nested": []}, {"any": None}, {"any": 5}, {"unknown": {"a": None}},
    ]]
    + [{"top": None}, {"top": 5}, {"defaults": None}]
    + [{"formats": {name: value for name in FORMATS}} for value in TEXTS]
    + [{"patterns": {f"p{index}": value for index in range(len(PATTERNS))}} for value in TEXTS]
    + [{"formatsOfOthers": {name: value for name in "abcdef"}} for value in [5, 1.5, "x", "2020-01-01", [], ["x"], {}, True, None]]
    + [{"metadata": {"name": "x", **value}} for value in [
        {"labels": 5}, {"labels": {"a": 5}}, {"labels": {"a": None}}, {"annotations": {"a": {}}}, {"annotations": []}, {"finalizers": {}},
        {"generation": "x"}, {"ownerReferences": [{"controller": "x"}]}, {"unknown": 1, "labels": {}}, {"creationTimestamp": "x"},
        {"managedFields": 5}, {"labels": {"a": "b"}, "annotations": {}, "finalizers": []}, {"deletionGracePeriodSeconds": 1.5},
        {"ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "x", "uid": "y", "bad": 1}]}, {"namespace": 5}, {"generateName": 7},
        {"selfLink": True}, {"labels": ["x"]}, {"labels": "x"}, {"finalizers": ["a.b/c", 5]}, {"creationTimestamp": {}},
        {"managedFields": [{"manager": "m", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1", "what": 1}]},
        {"Labels": {"a": "b"}, "uid": 7},
    ]]
    + [{"metadata": value} for value in [5, "x", []]]
)

CRONS = [
    {}, {"spec": {}}, {"spec": {"cronSpec": "* * * * */5", "image": "x", "replicas": 3}}, {"spec": {"cronSpec": "bad"}},
    {"spec": {"replicas": 0}}, {"spec": {"replicas": 11}}, {"spec": {"replicas": "1"}}, {"spec": {"replicas": 1.5}},
    {"spec": {"replicas": -1}}, {"spec": {"replicas": 3000000000}}, {"spec": {"replicas": None}},
    {"spec": {}, "status": {"replicas": "x"}}, {"spec": {}, "status": 5}, {"spec": {}, "status": {"replicas": -1}},
    {"spec": {"labels": {"a": 1}, "tags": "x"}},
]
LOOSES = [{}, {"a": 1, "spec": {"b": None}}, {"spec": None}, {"spec": [None, {"x": 1e3}]}, {"metadata": {"name": "x", "odd": 1}}]
EMPTIES = [{}, {"spec": {"a": 1}}, {"status": {"x": 1}, "more": None}]
NULLABLES = [{}, {"spec": {"a": None}}, {"spec": {}}, {"spec": {"a": "x", "list": None, "deep": {"x": None}, "map": {"a": None}}}, {"spec": {"a": 5, "list": [None]}}]

CREATES = {"Rule": RULES, "CronTab": CRONS, "Loose": LOOSES, "Empty": EMPTIES, "Nullable": NULLABLES}


def pair(old, new):
    return {"spec": old}, {"spec": new}


RATCHETS = [
    pair({"a": "bad"}, {"a": "bad"}), pair({"a": "bad"}, {"a": "worse"}), pair({"a": "bad", "b": 1}, {"a": "bad", "b": 2}),
    pair({"a": "bad", "b": 1}, {"a": "x", "b": 1}), pair({"a": "bad"}, {"a": "bad", "b": 5}), pair({"a": "x"}, {"a": "bad"}),
    pair({"need": {"m": "1"}}, {"need": {"m": "1"}}), pair({"need": {"m": "1"}}, {"need": {"m": "2"}}),
    pair({"need": {"m": 5}}, {"need": {"m": 5}, "untouched": "x"}), pair({"need": {}}, {"need": {}, "untouched": "x"}),
    pair({"list": [{"v": 9}]}, {"list": [{"v": 9}]}), pair({"list": [{"v": 9}]}, {"list": [{"v": 9}, {"v": 1}]}),
    pair({"list": [{"v": 9}]}, {"list": [{"v": 9}], "untouched": "x"}),
    pair({"keyed": [{"name": "a", "v": 9}]}, {"keyed": [{"name": "a", "v": 9}, {"name": "b"}]}),
    pair({"keyed": [{"name": "a", "v": 9}]}, {"keyed": [{"name": "b", "v": 9}]}),
    pair({"keyed": [{"name": "a", "v": 9}, {"name": "b", "v": 8}]}, {"keyed": [{"name": "b", "v": 8}, {"name": "a", "v": 9}]}),
    pair({"keyed": [{"name": "a", "v": 9, "w": "abc"}]}, {"keyed": [{"name": "a", "v": 8, "w": "abc"}]}),
    pair({"keyed": [{"name": "a", "v": 9, "w": "abc"}]}, {"keyed": [{"name": "a", "v": 1, "w": "abc"}]}),
    pair({"keyed": [{"name": "a"}, {"name": "a"}]}, {"keyed": [{"name": "a"}, {"name": "a"}, {"name": "a"}]}),
    pair({"keyed": [{"name": "a"}]}, {"keyed": [{"name": "a"}, {"name": "a"}]}),
    pair({"keyed": [{"v": 9}]}, {"keyed": [{"v": 9}], "untouched": "x"}), pair({"keyed": ["x"]}, {"keyed": ["x"], "untouched": "x"}),
    pair({"two": [{"k": 1, "l": "a", "v": 9}]}, {"two": [{"k": 2, "l": "a"}, {"k": 1, "l": "a", "v": 9}]}),
    pair({"two": [{"k": 1, "l": "a", "v": 9}]}, {"two": [{"k": 1, "l": "b", "v": 9}]}),
    pair({"two": [{"k": "x", "l": 5, "v": 9}]}, {"two": [{"k": "x", "l": 5, "v": 9}, {"k": 1, "l": "a"}]}),
    pair({"set": ["a", "a"]}, {"set": ["a", "a"]}), pair({"set": ["a", "a"]}, {"set": ["a", "a", "b", "b"]}), pair({"set": ["a"]}, {"set": ["a", "a"]}),
    pair({"set": ["a", 5]}, {"set": ["a", 5, "b"]}),
    pair({"map": {"a": {"v": 9}}}, {"map": {"a": {"v": 9}, "b": {"v": 1}}}), pair({"map": {"a": {"v": 9}}}, {"map": {"b": {"v": 9}}}),
    pair({"any": "q"}, {"any": "q", "untouched": "x"}), pair({"any": "q"}, {"any": "r"}),
    pair({"all": {"p": 1}}, {"all": {"p": 1}, "untouched": "x"}), pair({"all": {"p": 1}}, {"all": {"p": 2}}),
    pair({"loose": {"v": 9, "other": 1}}, {"loose": {"v": 9, "other": 1}, "untouched": "x"}),
    pair({"loose": {"v": 9, "other": 1}}, {"loose": {"v": 9, "other": 2}}), pair({"loose": {"other": 1}}, {"loose": {"other": 1}, "untouched": "x"}),
    pair({"size": {"a": "x", "b": "y"}}, {"size": {"a": "x", "b": "y"}, "untouched": "x"}),
    pair({"size": {"a": "long", "b": "y"}}, {"size": {"a": "long", "b": "z"}}),
    pair({"b": "text"}, {"b": "text", "a": "x"}), pair({"b": 5}, {"b": 5.0}), pair({"a": "bad"}, {}), pair({}, {"b": 3}),
    ({"spec": {"a": "bad"}}, {"spec": {"a": "bad"}, "metadata": {"name": "x", "labels": {"a": "b"}}}),
]
for index, (_, new) in enumerate(RATCHETS):
    if "metadata" in new:
        new["metadata"]["name"] = f"case-{index}"

STATUSES = [
    ({}, {"spec": {}, "status": {"replicas": 3, "labelSelector": "a=b"}}), ({}, {"spec": {}, "status": {"replicas": "x"}}),
    ({}, {"spec": {}, "status": {"replicas": -1}}), ({}, {"spec": {}, "status": {"replicas": 3000000000}}), ({}, {"spec": {}, "status": 5}),
    ({}, {"spec": {}, "status": None}), ({}, {"spec": {"replicas": 99}, "status": {"replicas": 1}}),
    ({}, {"spec": {}, "status": {"labelSelector": 5}}), ({}, {"spec": {}, "status": {"conditions": [{"type": "a"}]}}),
    ({}, {"spec": {}, "status": {"conditions": [{"type": "a", "status": "Odd"}]}}),
    ({}, {"spec": {}, "status": {"conditions": [{"type": "a", "status": "True"}, {"type": "a", "status": "False"}]}}),
    ({}, {"spec": {}, "status": {"unknown": 1}}), ({"status": {"replicas": 1}}, {"spec": {}}),
    ({}, {"spec": {}, "status": {"replicas": 1.5}}), ({}, {"spec": {}, "status": []}), ({}, {"status": {"replicas": 2}}),
]

TABLES = [
    {"spec": {}},
    {"spec": {"cronSpec": "* * * * *", "replicas": 3, "suspend": True, "ratio": 0.5, "when": "2020-01-01T00:00:00Z"}},
    {"spec": {"ratio": 3, "when": "garbage", "suspend": False}}, {"spec": {"ratio": 1e21, "when": ""}}, {"spec": {"ratio": -2.75, "when": "null"}},
    {"spec": {"ratio": 1234567.5, "tags": ["a", "b", "c"], "labels": {"app.kubernetes.io/name": "web", "<": ">"}, "a.b": "dotted"}},
    {"spec": {"tags": [], "labels": {}, "optional": None, "extra": {"deep": {"x": [1, 2.5, None, "<&>"]}, "z": True}}},
    {"spec": {"tags": ["only"], "extra": {}, "optional": "there"}},
    {"spec": {}, "status": {"conditions": []}},
    {"spec": {}, "status": {"conditions": [{"type": "Ready", "status": "True", "order": 1}]}},
    {"spec": {}, "status": {"conditions": [{"type": "A", "status": "False", "order": 2}, {"type": "Ready", "status": "False", "order": 3}]}},
    {"spec": {}, "status": {"conditions": [{"type": "A", "status": "True"}, {"type": "B", "status": "Unknown", "order": 0}]}},
]
