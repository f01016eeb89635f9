# Checks that no file-local function captures calls that another file of a unity build intends for a header's function.
import argparse
import collections
import os
import re
import sys

import tree

_TEXT = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'')
_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", re.MULTILINE)
_NAMESPACE = re.compile(r"\bnamespace\s*([\w:]*)\s*$")
# The last name before a function's parameters, if unqualified.
_LAST_NAME = re.compile(r"(?:^|[\s*&>])(?P<name>[a-z_]\w*)\s*$")
_NO_FUNCTION = re.compile(r"^\s*(?:using|typedef|return|extern\s*$|friend)\b")
_SET = re.compile(r"_(avx2|avx512|vnni|vbmi|amx|bf16|amxbf16|neon|dotprod|i8mm)\.cpp$")
# Not a member, not qualified, and not the name in a declaration.
_CALL = r"(?<![\w.>:~])(?<!\w ){}\s*\("
_KEYWORD_BEFORE = re.compile(r"\b(return|throw|else|case|co_return)\s+")


def plain_text(root, path):
    """The file's code without comments, string literals and directives."""
    text = _DIRECTIVE.sub("", tree.strip_comments(tree.read(root, path)))
    return _TEXT.sub('""', text)


def list_functions(text):
    """(whether it is file-local, namespaces, name) of each function that a file declares or defines outside types."""
    scopes = []  # For each open brace: its namespace, "" for an unnamed one, None for other braces.
    start = 0
    for match in re.finditer(r"[{};]", text):
        mark = match.group()
        head = text[start:match.start()]
        start = match.end()
        if mark == "}":
            if scopes:
                scopes.pop()
            continue
        if None not in scopes:
            name = name_of_function(head)
            if name is not None:
                is_own = "" in scopes or re.match(r"\s*(?:\[\[\w+\]\]\s*)?static\b", head) is not None
                yield is_own, "::".join(scope for scope in scopes if scope), name
        if mark == "{":
            namespace = _NAMESPACE.search(head)
            scopes.append(namespace.group(1) if namespace else None)


def name_of_function(head):
    """The name of the function that this declares or begins, or None."""
    head = re.sub(r"\[\[.*?\]\]", " ", head).strip()
    if _NO_FUNCTION.match(head) or "(" not in head:
        return None
    before = head[:head.index("(")]
    if "=" in before.replace("operator=", "") or re.search(r"\b(struct|class|enum|union)\s+\w+\s*$", before):
        return None
    match = _LAST_NAME.search(before)
    # A type precedes the name, except for constructors and macros.
    return match.group("name") if match and before[:match.start("name")].strip() else None


def group_of(path):
    """The key of files that may be compiled together: a folder's files, separately for each instruction set."""
    suffix = _SET.search(path)
    return os.path.dirname(path), suffix.group(1) if suffix else ""


def includes_of(root, sources):
    """For each file, the headers of the tree that it includes, directly or indirectly."""
    direct = {path: [header for is_quoted, header in tree.list_includes(root, path) if is_quoted and header in sources]
              for path in sources}
    closures = {}
    for path in sources:
        seen = set()
        waiting = list(direct[path])
        while waiting:
            header = waiting.pop()
            if header not in seen:
                seen.add(header)
                waiting.extend(direct[header])
        closures[path] = seen
    return closures


def is_around(outer, inner):
    """Whether a call in the namespace `inner` finds a name in `inner` before, or along with, one in `outer`."""
    return f"{inner}::".startswith(f"{outer}::") or not outer


def check(root):
    sources = {path for path in tree.list_sources(root) if path.endswith((".cpp", ".hpp"))}
    texts = {path: plain_text(root, path) for path in sources}
    declared = collections.defaultdict(set)  # By name: (namespace, header).
    own = {}  # By file: the namespace of each file-local function.
    groups = collections.defaultdict(list)
    for path in sorted(sources):
        functions = list(list_functions(texts[path]))
        if path.endswith(".hpp"):
            for is_own, namespace, name in functions:
                if not is_own:
                    declared[name].add((namespace, path))
        else:
            own[path] = {name: namespace for is_own, namespace, name in functions if is_own}
            groups[group_of(path)].append(path)
    includes = includes_of(root, sources)
    violations = []
    for paths in groups.values():
        for path in paths:
            for name, namespace in sorted(own[path].items()):
                headers = {header for outer, header in declared.get(name, ()) if is_around(outer, namespace)}
                call = re.compile(_CALL.format(name))
                for other in paths if headers else ():
                    meant = headers & includes[other]
                    if other != path and name not in own[other] and meant and \
                            call.search(_KEYWORD_BEFORE.sub(" = ", texts[other])):
                        violations.append(f"{path}: {name}() is file-local and could capture calls in {other} that are "
                                          f"meant for {min(meant)}; give it another name")
                        break
    return violations


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", required=True)
    sys.exit(tree.report(check(parser.parse_args().root)))
