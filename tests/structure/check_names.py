# Checks names: established terms in identifiers, files and types, and unique type names.
#
# Two types with the same name in one namespace violate the one-definition rule. Nobody searches for private terms.
import argparse
import collections
import io
import keyword
import os
import re
import sys
import tokenize

import tree
import vocabulary

_FOLDERS = ("apps/", "libcore/", "kernels/", "providers/")
_GLOSSARY = "docs/contributing/glossary.md"
# Dated records keep their wording, and so do models that tests read.
_LEFT_OUT = ("tests/structure/vocabulary.py", "testdata/broken/", "testdata/digits/", "docs/benchmarks/", "docs/changelog.md")
# Documents that are not about what users see.
_RECORDS = ("docs/contributing/decisions/",)
_TEXT = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'')
_RAW_TEXT = re.compile(r'R"(\w*)\(.*?\)\1"', re.DOTALL)
_ARGUMENTS = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
_ATTRIBUTES = rf"(?:(?:alignas\s*{_ARGUMENTS}|__attribute__\s*{_ARGUMENTS}|\[\[[^\]]*\]\])\s*)*"
_BRACE = re.compile(r"namespace\s*(?P<namespace>[\w:]*)\s*\{"
                    rf"|(?:struct|class|enum class|enum)\s+{_ATTRIBUTES}"
                    r"(?P<type>\w+)(?:\s+final)?(?:\s*:(?!:)[^;{]*)?\s*\{"
                    r"|\{|\}")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_BRITISH = re.compile("|".join(f"(?:{stem})" for stem in vocabulary.BRITISH))


def without_texts(text):
    return _TEXT.sub('""', tree.strip_comments(_RAW_TEXT.sub('""', text)))


def list_types(text):
    """(namespace, name) of the types that a file defines outside unnamed namespaces, functions and other types."""
    # A name for each open brace; None for braces that do not open a namespace.
    open_braces = []
    for match in _BRACE.finditer(without_texts(text)):
        if match.group() == "}":
            if open_braces:
                open_braces.pop()
            continue
        if match.group("type") and None not in open_braces and "" not in open_braces:
            yield "::".join(open_braces), match.group("type")
        open_braces.append(match.group("namespace"))


def list_types_of_tree(root):
    """(path, namespace, name) of the types that are visible to other files."""
    for path in tree.list_sources(root):
        if path.startswith(_FOLDERS) and not path.endswith(".inc"):
            for namespace, name in list_types(tree.read(root, path)):
                yield path, namespace, name


def check_types(root):
    places = collections.defaultdict(list)
    for path, namespace, name in list_types_of_tree(root):
        places[namespace, name].append(path)
    # Definitions in one file are those of several architectures: of any others, the compiler refuses the second.
    return [f"{' and '.join(paths)}: both define {namespace}::{name}"
            for (namespace, name), paths in sorted(places.items()) if len(set(paths)) > 1]


def split_words(name):
    """The words of snake_case and CamelCase names in lower case."""
    return [word.lower() for word in _WORD.findall(name)]


def find_american(word):
    """The American form of a word in British spelling; None for other words."""
    if not _BRITISH.match(word):
        return None
    for stem, american in vocabulary.BRITISH.items():
        if re.match(stem, word):
            # The text that the stem's pattern only looks ahead at is kept.
            written = re.match(stem.split("(")[0], word)
            return american + word[written.end():]
    return None


def find_refused(name):
    """(word, replacement) for the first refused word in a name; None if there is none."""
    for word in split_words(name):
        wanted = vocabulary.BANNED.get(word) or find_american(word)
        if wanted:
            return word, wanted
    return None


def list_identifiers(root, path):
    text = tree.read(root, path)
    if path.endswith(tree.SOURCE_SUFFIXES):
        return set(re.findall(r"\b[A-Za-z_]\w*", re.sub(r"^[ \t]*#[ \t]*include[^\n]*", "", without_texts(text), flags=re.MULTILINE)))
    if path.endswith(".py"):
        return {token.string for token in tokenize.generate_tokens(io.StringIO(text).readline)
                if token.type == tokenize.NAME and not keyword.iskeyword(token.string)}
    return set()


def check_words(root):
    violations = []
    for path in tree.list_files(root):
        if path.startswith(_LEFT_OUT):
            continue
        refused = find_refused(os.path.basename(path))
        if refused:
            violations.append(f"{path}: the file's name has '{refused[0]}': write {refused[1]}")
        for name in sorted(list_identifiers(root, path)):
            refused = find_refused(name)
            if refused:
                violations.append(f"{path}: {name} has the word '{refused[0]}': write {refused[1]}")
    return violations


def list_glossary(root):
    """The words of the terms in the glossary."""
    if not os.path.exists(os.path.join(root, _GLOSSARY)):
        return set()
    terms = re.findall(r"^\|([^|]+)\|", tree.read(root, _GLOSSARY), re.MULTILINE)
    return {word.lower() for term in terms for word in re.findall(r"[A-Za-z]\w*", term)}


def list_operators(root):
    """Names of operators from the operator lists, as defined by ONNX."""
    return {name for path in tree.list_sources(root) if path.startswith("libcore/ops/") and path.endswith("/list.cpp")
            for name in re.findall(r"\b[A-Z]\w+", without_texts(tree.read(root, path)))}


def is_known(word, nouns):
    """Whether a noun or its singular is known."""
    singular = [word]
    for plural, ending in (("s", ""), ("es", ""), ("es", "is"), ("ies", "y"), ("ices", "ix"), ("ices", "ex")):
        if word.endswith(plural):
            singular.append(word[:len(word) - len(plural)] + ending)
    return any(form in nouns for form in singular)


def check_nouns(root):
    """The last word of a type name says what it is: a noun of the glossary, or a general one."""
    nouns = list_glossary(root) | vocabulary.GENERAL_NOUNS
    operators = list_operators(root)
    violations = []
    for path, _, name in list_types_of_tree(root):
        words = [word for word in split_words(name) if len(word) > 1]
        if name not in operators and words and not is_known(words[-1], nouns):
            violations.append(f"{path}: the type {name} ends with '{words[-1]}', which {_GLOSSARY} does not explain: "
                              "add a row there, or name the type with a word of the field")
    return violations


def list_prose(root, path):
    """(line, text) of a document's lines, or of a file's comment lines."""
    lines = tree.read(root, path).split("\n")
    if path.endswith(".md"):
        return list(enumerate(lines, 1))
    if path.endswith(tree.SOURCE_SUFFIXES + (".js",)):
        mark = re.compile(r"//.*$")
    elif path.endswith((".py", ".cmake", ".sh", "CMakeLists.txt")):
        mark = re.compile(r"(?:^|\s)#.*$")
    else:
        return []
    found = []
    for number, line in enumerate(lines, 1):
        match = mark.search(_TEXT.sub('""', line))
        if match:
            found.append((number, match.group()))
    return found


def check_prose(root):
    phrases = re.compile(r"\b(" + "|".join(map(re.escape, vocabulary.PROSE)) + r")\b", re.IGNORECASE)
    violations = []
    for path in tree.list_files(root):
        if path.startswith(_LEFT_OUT):
            continue
        for number, line in list_prose(root, path):
            for phrase in phrases.findall(line):
                violations.append(f"{path}:{number}: '{phrase}': write {vocabulary.PROSE[phrase.lower()]}")
            for word in re.findall(r"[A-Za-z]+", line):
                american = find_american(word.lower())
                if american:
                    violations.append(f"{path}:{number}: '{word}': write {american}")
    return violations


def list_shown(root, path):
    """(line, text) of what users see: texts in the code, documents for users, schemas, pages and transcripts."""
    if path.startswith("testdata/cli/") or path.startswith("docs/") and path.endswith((".md", ".json")) or path == "README.md":
        return list(enumerate(tree.read(root, path).split("\n"), 1))
    if not path.startswith(_FOLDERS):
        return []
    if path.endswith(".html"):
        return list(enumerate(tree.read(root, path).split("\n"), 1))
    if not path.endswith(tree.SOURCE_SUFFIXES + (".js",)):
        return []
    lines = tree.strip_comments(re.sub(r"^[ \t]*#[ \t]*include[^\n]*", "", tree.read(root, path), flags=re.MULTILINE)).split("\n")
    return [(number, text[1:-1]) for number, line in enumerate(lines, 1) for text in _TEXT.findall(line)]


def check_shown(root):
    phrases = {re.compile(rf"\b{pattern}\b" if pattern[-1].isalnum() else rf"\b{pattern}", re.IGNORECASE): wanted
               for pattern, wanted in vocabulary.SHOWN.items()}
    violations = []
    for path in tree.list_files(root):
        if path.startswith(_LEFT_OUT + _RECORDS):
            continue
        for number, line in list_shown(root, path):
            for phrase, wanted in phrases.items():
                found = phrase.search(line)
                if found:
                    violations.append(f"{path}:{number}: '{found.group()}' is shown to users: write {wanted}")
            for word in [] if path.endswith(".md") else re.findall(r"[A-Za-z]+", line):
                american = find_american(word.lower())
                if american and (path, word) not in vocabulary.FOREIGN:
                    violations.append(f"{path}:{number}: '{word}' is shown to users: write {american}")
    return violations


def check_first_lines(root):
    """The first line of a source file contains a word that a reader would search for: a term of the glossary, a general
    noun, or an operator's name."""
    nouns = list_glossary(root) | vocabulary.GENERAL_NOUNS
    operators = list_operators(root)
    violations = []
    for path in tree.list_sources(root):
        line = tree.read(root, path).split("\n", 1)[0]
        words = re.findall(r"[A-Za-z]\w*", line)
        if not any(word in operators or word.lower() in nouns or any(is_known(part, nouns) for part in split_words(word)) for word in words):
            violations.append(f"{path}: the first line has no term of {_GLOSSARY}: say in the field's words what the file holds")
    return violations


def check(root):
    return check_types(root) + check_words(root) + check_nouns(root) + check_prose(root) + check_shown(root) + check_first_lines(root)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", required=True)
    sys.exit(tree.report(check(parser.parse_args().root)))
