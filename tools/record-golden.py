#!/usr/bin/env python3
"""Writes what k8s.io/api has published: every golden object of its test data, and every kind with its releases.

    tools/record-golden.py [--first 17] [--last 36]

It writes crates/rhumb-api/tests/data/golden/objects.gz and published.txt, and needs Go and its module proxy.

Golden objects are the files testdata/*/GROUP.VERSION.KIND.{json,yaml,pb} of all releases: one object in three formats.
Many releases have the same ones, which are kept once. Beside each stands what a reader writes:
- This runs the code of the last release that has the kind over every object, old ones included, and keeps the result
  where it is another than the object.
- Objects of kinds that are gone and older than v1.22 come back as they were (see `Era` in rhumb-schema), or, if they are
  older than the first release looked at, as its files `.after_roundtrip` say.

The archive is gzip over three tables with lengths in varints: the lines of all texts, the messages, and the objects,
which name lines and messages by number. Texts are lists of lines, each given as the distance from the one after the
line before.
"""
import argparse, collections, gzip, json, os, re, shutil, subprocess, tempfile

FORMATS = ("json", "yaml", "pb")
HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.join(HERE, "../crates/rhumb-api/tests/data/golden")

READER = '''package main

import (
	"bytes"
	gojson "encoding/json"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
%(imports)s
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// Reads each object in each format and writes it in each, into DIR/FROM-TO. What can't be read gets no file.
func main() {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{%(adds)s} {
		check(add(s))
	}
	formats := map[string]runtime.Serializer{
		"json": json.NewSerializerWithOptions(json.DefaultMetaFactory, s, s, json.SerializerOptions{Pretty: true}),
		"yaml": json.NewSerializerWithOptions(json.DefaultMetaFactory, s, s, json.SerializerOptions{Yaml: true}),
		"pb":   protobuf.NewSerializer(s, s),
	}
	dirs, err := filepath.Glob(filepath.Join(os.Args[1], "*"))
	check(err)
	for _, dir := range dirs {
		stem, err := os.ReadFile(filepath.Join(dir, "stem"))
		check(err)
		parts := strings.Split(strings.TrimPrefix(string(stem), "core."), ".")
		last := len(parts) - 1
		gvk := schema.GroupVersionKind{Group: strings.Join(parts[:last-1], "."), Version: parts[last-1], Kind: parts[last]}
		for from, reader := range formats {
			data, err := os.ReadFile(filepath.Join(dir, from))
			check(err)
			if from == "json" {
				compact := &bytes.Buffer{}
				check(gojson.Compact(compact, data))
				data = compact.Bytes()
			}
			object, err := s.New(gvk)
			check(err)
			object, _, err = reader.Decode(data, &gvk, object)
			if err != nil {
				println(string(stem), from, err.Error())
				continue
			}
			for to, writer := range formats {
				out := &bytes.Buffer{}
				check(writer.Encode(object, out))
				check(os.WriteFile(filepath.Join(dir, from+"-"+to), out.Bytes(), 0o644))
			}
		}
	}
}
'''


def module(name, minor, folder):
    """The folder of a release of a module, downloaded if it is not there."""
    told = subprocess.run(["go", "mod", "download", "-json", f"{name}@v0.{minor}.0"], cwd=folder, check=True,
                          capture_output=True, text=True).stdout
    return json.loads(told)["Dir"]


def packages(root):
    found = [os.path.relpath(folder, root) for folder, _, files in os.walk(root)
             if "register.go" in files and re.search(r"/v\d\w*$", folder)]
    return sorted(found)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def triple(folder, stem, infix=""):
    """An object in its formats; where `.after_roundtrip` files are asked for, those that there are."""
    paths = [os.path.join(folder, f"{stem}{infix}.{form}") for form in FORMATS]
    return tuple(read(path) if os.path.exists(path) else None for path in paths)


def published(roots):
    """Which releases have each kind, by GROUP/VERSION KIND, as their packages register it."""
    kinds = collections.defaultdict(list)
    for minor, root in roots.items():
        for package in packages(root):
            text = read(os.path.join(root, package, "register.go")).decode()
            group = re.search(r'GroupName\s*=\s*"([^"]*)"', text).group(1)
            version = re.search(r'Version:\s*"([^"]*)"', text).group(1)
            for kind in re.findall(r"^\s*&(\w+(?:\.\w+)?)\{\}", text, re.M):
                if "." not in kind:
                    kinds[f"{group}/{version} {kind}".removeprefix("/")].append(minor)
    return kinds


def objects(roots):
    """Every golden object with the first release that has it, and which releases have each stem."""
    first, stems = {}, collections.defaultdict(set)
    for minor, root in roots.items():
        for release in sorted(os.listdir(f"{root}/testdata")):
            folder = f"{root}/testdata/{release}"
            if not os.path.isdir(folder):
                continue
            of = minor if release == "HEAD" else int(release.split(".")[1])
            for name in os.listdir(folder):
                stem = name.removesuffix(".json")
                # A frame of a watch is no object.
                if stem == name or ".after_roundtrip" in stem or stem == "core.v1.WatchEvent":
                    continue
                if release == "HEAD":
                    stems[stem].add(minor)
                formats = triple(folder, stem)
                if None not in formats:
                    first[stem, formats] = min(of, first.get((stem, formats), of))
    return first, stems


def written(found, root, minor, folder):
    """What a release writes for each object. All formats must agree; those that it can't read are left out."""
    imports = "\n".join(f'\tp{n} "k8s.io/api/{package}"' for n, package in enumerate(packages(root)))
    adds = ", ".join(f"p{n}.AddToScheme" for n in range(len(packages(root))))
    folder = os.path.join(folder, str(minor))
    program = os.path.join(folder, "reader")
    os.makedirs(program)
    with open(f"{program}/main.go", "w") as file:
        file.write(READER % {"imports": imports, "adds": adds})
    with open(f"{program}/go.mod", "w") as file:
        modules = "\n".join(f"\tk8s.io/{name} v0.{minor}.0" for name in ("api", "apimachinery"))
        file.write(f"module reader\n\ngo 1.24\n\nrequire (\n{modules}\n)\n")
    for command in (["go", "mod", "tidy"], ["go", "build", "-o", "reader", "."]):
        subprocess.run(command, cwd=program, check=True)
    places = os.path.join(folder, "objects")
    for n, (stem, formats) in enumerate(found):
        os.makedirs(f"{places}/{n:05}")
        for name, content in zip(("stem", *FORMATS), (stem.encode(), *formats)):
            with open(f"{places}/{n:05}/{name}", "wb") as file:
                file.write(content)
    subprocess.run([f"{program}/reader", places], check=True)
    result = {}
    for n, key in enumerate(found):
        ways = [[f"{places}/{n:05}/{source}-{target}" for source in FORMATS] for target in FORMATS]
        if not all(os.path.exists(path) for way in ways for path in way):
            continue
        contents = [{read(path) for path in way} for way in ways]
        assert all(len(same) == 1 for same in contents), f"formats of {key[0]} disagree"
        result[key] = tuple(same.pop() for same in contents)
    return result


def as_it_was(key, roots, first):
    """An object that comes back as it was, in the form that the first release looked at gives it."""
    stem, formats = key
    oldest = min(roots)
    if first[key] >= oldest:
        return formats
    after = triple(f"{roots[oldest]}/testdata/v1.{first[key]}.0", stem, ".after_roundtrip")
    return tuple(own if then is None else then for own, then in zip(formats, after))


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def archive(rows):
    lines, messages, table = {}, {}, bytearray()

    def text(content):
        parts, expected = content.split(b"\n"), 0
        table.extend(varint(len(parts)))
        for part in parts:
            number = lines.setdefault(part, len(lines))
            distance = number - expected
            table.extend(varint(distance * 2 if distance >= 0 else -distance * 2 - 1))
            expected = number + 1

    def formats(contents):
        text(contents[0])
        text(contents[1])
        table.extend(varint(messages.setdefault(contents[2], len(messages))))

    for stem, release, given, written in rows:
        name = f"{stem} v1.{release}".encode()
        table.extend(varint(len(name)) + name)
        formats(given)
        table.append(given != written)
        if given != written:
            formats(written)
    out = bytearray()
    for contents in (lines, messages):
        out.extend(varint(len(contents)))
        for content in contents:
            out.extend(varint(len(content)) + content)
    return bytes(out + varint(len(rows)) + table)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=17)
    parser.add_argument("--last", type=int, default=36)
    arguments = parser.parse_args()
    folder = tempfile.mkdtemp()
    with open(f"{folder}/go.mod", "w") as file:
        file.write("module modules\n\ngo 1.24\n")
    releases = range(arguments.first, arguments.last + 1)
    roots = {minor: module("k8s.io/api", minor, folder) for minor in releases}
    kinds = published(roots)
    registered = {}
    for kind, minors in kinds.items():
        version, name = kind.split(" ")
        group = version if "/" in version else f"core/{version}"
        registered[f"{group.replace('/', '.')}.{name}"] = set(minors)
    first, stems = objects(roots)
    # Some files were forgotten when their kind went, and edited since without anyone to read them. What is in every
    # version is registered elsewhere.
    is_elsewhere = lambda stem: stem.startswith("core.v1.") or stem.endswith(".Status")
    until = {stem: max(registered.get(stem, minors if is_elsewhere(stem) else [0])) for stem, minors in stems.items()}
    order = sorted((key for key in first if first[key] <= until[key[0]]), key=lambda key: (key[0], first[key], key[1]))
    # Flow control's types are those of later versions, which are not as old.
    is_old = {stem: until[stem] < arguments.last and min(minors) < 22 and not stem.startswith("flowcontrol.")
              for stem, minors in stems.items()}
    by_release = collections.defaultdict(list)
    for key in order:
        if not is_old[key[0]]:
            by_release[until[key[0]]].append(key)
    results = {key: as_it_was(key, roots, first) for key in order if is_old[key[0]]}
    for minor, keys in sorted(by_release.items()):
        results.update(written(keys, roots[minor], minor, folder))
    rows = [(key[0], first[key], key[1], results[key]) for key in order if key in results]
    os.makedirs(OUT, exist_ok=True)
    with open(f"{OUT}/objects.gz", "wb") as file:
        file.write(gzip.compress(archive(rows), 9, mtime=0))
    with open(f"{OUT}/published.txt", "w") as file:
        for kind, minors in sorted(kinds.items()):
            file.write(f"{kind} 1.{min(minors)}-1.{max(minors)}\n")
    shutil.rmtree(folder)
    print(f"{len(rows)} objects, {len(kinds)} kinds")


if __name__ == "__main__":
    main()
