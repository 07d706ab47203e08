#!/usr/bin/env python3
"""Records what cel-go's parser makes of expressions, good and bad ones.

    tools/record-parses.py

It reads crates/rhumb-cel/tests/data/expressions.txt (one expression per line; `\\n`, `\\t`, `\\r` and `\\\\` stand for
themselves; a line that begins with `#:` is a comment), makes bad ones of the good ones (a token left out, doubled,
exchanged or put in, always the same ones), asks the Go program in tools/cel with and without the extensions of the
syntax, and writes crates/rhumb-cel/tests/data/parses.json: a list of [text, extended, tree, unparsed] or
[text, extended, error]. It needs Go and, the first time, a registry of Go modules.
"""
import json, pathlib, random, re, subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ROOT / "crates/rhumb-cel/tests/data"
TOKEN = re.compile(r"\s+|[A-Za-z_]\w*|[0-9][0-9.]*|'[^']*'|\"[^\"]*\"|&&|\|\||[=!<>]=|.", re.S)
PUT_IN = [".", ",", "?", ":", "(", ")", "[", "]", "{", "}", "-", "!", "+", "*", "&&", "||", "<", "in", "a", "1", "1.5", "2u",
          "'s'", "b's'", "true", "null", "`f`", "#", "&", "'", "if"]
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\"}


def broken(text, choose):
    """Some texts that differ in a token or two."""
    for _ in range(2):
        tokens = TOKEN.findall(text)
        for _ in range(choose.choice([1, 1, 1, 2])):
            at = choose.randrange(len(tokens))
            change = choose.randrange(4)
            if change == 0 and len(tokens) > 1:
                del tokens[at]
            elif change == 1:
                tokens.insert(at, tokens[at])
            elif change == 2:
                tokens[at] = choose.choice(PUT_IN)
            else:
                tokens.insert(at, choose.choice(PUT_IN))
        yield "".join(tokens)


def main():
    lines = (DATA / "expressions.txt").read_text().splitlines()
    texts = [re.sub(r"\\([ntr\\])", lambda found: ESCAPES[found[1]], line) for line in lines if not line.startswith("#:")]
    choose = random.Random(23)
    for text in list(texts):
        texts += [] if len(text) > 200 else broken(text or " ", choose)
    questions, seen = [], set()
    for text in texts:
        for extended in (True, False):
            if (text, extended) not in seen and (extended or len(seen) % 3 == 0):
                questions.append({"text": text, "extended": extended})
            seen.add((text, extended))
    answered = subprocess.run(["go", "run", "."], cwd=ROOT / "tools/cel", input=json.dumps(questions), text=True,
                              stdout=subprocess.PIPE, check=True)
    rows = []
    for question, answer in zip(questions, json.loads(answered.stdout)):
        row = [question["text"], question["extended"]]
        rows.append(row + ([answer["error"]] if "error" in answer else [answer["tree"], answer["unparsed"]]))
    out = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    (DATA / "parses.json").write_text(f"[\n{out}\n]\n")
    print(len(rows), "answers,", sum(len(row) == 3 for row in rows), "of them errors")


main()
