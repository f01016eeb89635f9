# Checks that a type's name is used once in its namespace: two types of one name make one program undefined.
import argparse
import collections
import re
import sys

import tree

_FOLDERS = ("apps/", "libcore/", "kernels/", "providers/")
_TEXT = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'')
_BRACE = re.compile(r"namespace\s*(?P<namespace>[\w:]*)\s*\{"
                    r"|(?:struct|class|enum class|enum)\s+(?:alignas\s*\([^)]*\)\s*)?(?P<type>\w+)(?:\s+final)?(?:\s*:(?!:)[^;{]*)?\s*\{"
                    r"|\{|\}")


def list_types(text):
    """(namespace, name) of the types that a file defines outside of unnamed namespaces, functions and other types."""
    # A word for each brace that is open; None for those that are no namespace's.
    open_braces = []
    for match in _BRACE.finditer(_TEXT.sub('""', tree.strip_comments(text))):
        if match.group() == "}":
            if open_braces:
                open_braces.pop()
            continue
        if match.group("type") and None not in open_braces and "" not in open_braces:
            yield "::".join(open_braces), match.group("type")
        open_braces.append(match.group("namespace"))


def check(root):
    places = collections.defaultdict(list)
    for path in tree.list_sources(root):
        if path.startswith(_FOLDERS) and not path.endswith(".inc"):
            for name in list_types(tree.read(root, path)):
                places[name].append(path)
    return [f"{' and '.join(paths)}: both define {namespace}::{name}"
            for (namespace, name), paths in sorted(places.items()) if len(paths) > 1]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", required=True)
    sys.exit(tree.report(check(parser.parse_args().root)))
