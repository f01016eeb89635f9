#!/usr/bin/env python3
# Collects the seed corpus of the fuzzers: small model files, models in text format, and a dictionary of names.
"""Usage: make_seeds.py ROOT OUTPUT: writes OUTPUT/wire_reader, load_and_infer, text_parser and OUTPUT/dictionary."""
import hashlib
import os
import re
import sys

NODE_TESTS = "/usr/share/libonnx-testdata/data"
MOST_BYTES = 8192

FIELD_WORDS = ["ai.onnx", "ai.onnx.ml", "location", "offset", "length", "checksum", "SCALE_TENSOR",
               "ZERO_POINT_TENSOR", "batch", "then_branch", "else_branch", "body"]
TEXT_WORDS = ["ir_version: ", "opset_import: [", "producer_name: ", "model_version: ", "metadata_props: [",
              "doc_string: ", "domain: ", "overload: ", "=>", "seq(", "optional(", "map(int64, ", "sparse_tensor(",
              "float[N,?]", "float16", "bfloat16", "float8e4m3fn", "int4", "uint4", "complex64", "string", "double",
              ": ints = []", ": graphs = []", ": type_proto = ", " = @", "nan", "-inf", "1e+20", "{...}", "\\\\x1b"]


def store(folder, data):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, hashlib.sha1(data).hexdigest()), "wb") as file:
        file.write(data)


def files_below(folder, ending):
    for place, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            path = os.path.join(place, name)
            if name.endswith(ending) and os.path.getsize(path) <= MOST_BYTES:
                yield path


def texts_of_cases(path):
    """The cases of an operator file as models in text format."""
    with open(path, encoding="utf-8") as file:
        cases = re.split(r"^case .*$", file.read(), flags=re.MULTILINE)[1:]
    for case in cases:
        opsets, nodes, inputs, outputs = [], [], [], []
        for line in re.sub(r"\n[ \t]+", " ", case).splitlines():
            word, _, rest = line.partition(" ")
            if word == "opset":
                domain, _, version = rest.rpartition(" ")
                opsets.append(f'"{domain}": {version}')
            elif word == "node":
                nodes.append(rest)
            elif word in ("input", "constant"):
                name, _, kind = rest.partition(" ")
                inputs.append(f"{kind.partition('=')[0].strip()} {name}")
            elif word == "output":
                outputs.append(rest.partition(" ")[0])
        yield (f"<ir_version: 10, opset_import: [{', '.join(opsets)}]>\n" +
               f"g ({', '.join(inputs)}) => ({', '.join(outputs)}) {{\n" + "\n".join(nodes) + "\n}\n")


def quoted(word):
    return '"' + word.replace('"', '\\"') + '"'


def main():
    root, output = sys.argv[1], sys.argv[2]
    words = set(FIELD_WORDS)
    for folder in (NODE_TESTS, os.path.join(root, "testdata", "broken"), os.path.join(root, "testdata", "models")):
        for path in files_below(folder, ".onnx"):
            with open(path, "rb") as file:
                data = file.read()
            for fuzzer in ("wire_reader", "load_and_infer", "run_model"):
                store(os.path.join(output, fuzzer), data)
    for path in files_below(os.path.join(root, "testdata", "ops"), ".txt"):
        for text in texts_of_cases(path):
            store(os.path.join(output, "text_parser"), text.encode()[:MOST_BYTES])
            words.update(re.findall(r"= ([A-Z][A-Za-z0-9]+)", text))
            words.update(re.findall(r"[<,] *([a-z_]+)(?::| =)", text))
    for path in files_below(os.path.join(root, "tests", "fuzz", "seeds"), ".txt"):
        with open(path, "rb") as file:
            store(os.path.join(output, "text_parser"), file.read())
    with open(os.path.join(output, "dictionary"), "w", encoding="utf-8") as file:
        file.write("\n".join(quoted(word) for word in sorted(words) + TEXT_WORDS) + "\n")


if __name__ == "__main__":
    main()
