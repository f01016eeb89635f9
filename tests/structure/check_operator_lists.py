# Checks that lists of operator names occur only in libcore/ops: operators are classified by their traits.
import argparse
import re
import sys

import tree

_FOLDERS = ("apps/", "libcore/", "kernels/", "providers/")
_FAMILIES = "libcore/ops/"
_SCHEMA = re.compile(r'OpSchema\s+[\w:]+\s*=\s*\{\s*"(\w+)"')
_NAME = re.compile(r'"(\w+)"')
_COMPARISON = re.compile(r'[=!]=\s*"(\w+)"')
_STATEMENT = re.compile(r"[^;{}]+")
# More names than this in one initializer, or compared in one condition, make a list.
_MOST_NAMES = 3
# Tables that bind operators to their code, with one row each by design.
_BINDING_TYPES = ("KernelRow", "DecompositionRow", "OperatorRow", "ElementRow")
# Files with a list that no trait could express, each with the reason.
EXCEPTIONS = {
    "libcore/inspect/preprocessing.cpp": "reports what each of the four arithmetic operators does to a picture",
    "libcore/optimize/rules/channel_affine.cpp": "a pattern of the arithmetic that it folds into weights",
    "libcore/optimize/opset/opset_adapters.cpp": "binds each operator to the function that converts it",
    "libcore/optimize/rewrite/pattern.cpp": "lists the ways to write one division",
    "libcore/optimize/rules/fuse_matmul_add_reshape.cpp": "follows the steps of one mask pattern of onnxruntime",
    "libcore/optimize/rules/fuse_attention_mask.cpp": "lists the ways to write one comparison of positions",
    "providers/openvino/openvino_claims.cpp": "modules do not see the catalog, and OpenVINO's results are no trait",
    "providers/openvino/result_rules.cpp": "modules do not see the catalog, and OpenVINO's results are no trait",
    "libcore/runtime/control_flow/control_flow.cpp": "binds each control-flow operator to what runs it",
}


def list_operators(root):
    """The names of the operators defined by the families."""
    names = set()
    for path in tree.list_sources(root):
        if path.startswith(_FAMILIES) and path.endswith(".cpp"):
            names.update(_SCHEMA.findall(tree.strip_comments(tree.read(root, path))))
    return names


def list_initializers(text):
    """(start, end) of the outermost braces without statements inside."""
    found = []
    opened = []
    for index, letter in enumerate(text):
        if letter == "{":
            opened.append(index)
        elif letter == "}" and opened:
            start = opened.pop()
            if ";" not in text[start:index]:
                found = [(a, b) for a, b in found if a < start] + [(start, index)]
    return found


def list_lists(text, operators):
    """(line, names) of each list of operator names in a file."""
    text = tree.strip_comments(text)
    for start, end in list_initializers(text):
        declaration = text[max(text.rfind(mark, 0, start) for mark in ";{}") + 1:start]
        if any(word in declaration for word in _BINDING_TYPES):
            continue
        names = {name for name in _NAME.findall(text[start:end]) if name in operators}
        if len(names) > _MOST_NAMES:
            yield text.count("\n", 0, start) + 1, sorted(names)
    for statement in _STATEMENT.finditer(text):
        names = {name for name in _COMPARISON.findall(statement.group()) if name in operators}
        if len(names) > _MOST_NAMES:
            yield text.count("\n", 0, statement.start()) + 1, sorted(names)


def check(root, exceptions=None):
    exceptions = EXCEPTIONS if exceptions is None else exceptions
    operators = list_operators(root)
    violations = []
    needed = set()
    for path in tree.list_sources(root):
        if not path.startswith(_FOLDERS) or path.startswith(_FAMILIES):
            continue
        for line, names in list_lists(tree.read(root, path), operators):
            needed.add(path)
            if path not in exceptions:
                violations.append(f"{path}:{line}: a list of operators ({', '.join(names)}); "
                                  "make it a trait of the operators' entries in libcore/ops")
    violations += [f"check_operator_lists.py: {path} needs no exception"
                   for path in sorted(set(exceptions) - needed)]
    return violations


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", required=True)
    sys.exit(tree.report(check(parser.parse_args().root)))
