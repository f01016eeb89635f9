# Walks the source tree: its files, their text without comments, and their includes.
import os
import re

SOURCE_SUFFIXES = (".cpp", ".hpp", ".inc", ".cu", ".cuh", ".c", ".h")
CODE_FOLDERS = ("apps", "libcore", "kernels", "providers", "tests")
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)
_COMMENT_OR_TEXT = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)


def is_ignored(name):
    """True for build trees and files that tools leave behind, by the rules of .gitignore."""
    return name.startswith("build") or name in (".git", ".cache", "__pycache__")


def list_files(root):
    """All files of the tree except build trees, relative to root, sorted."""
    found = []
    for folder, folders, names in os.walk(root):
        at_top = os.path.samefile(folder, root)
        folders[:] = [name for name in folders
                      if name != "__pycache__" and not (at_top and is_ignored(name))]
        for name in names:
            if at_top and is_ignored(name):
                continue
            if not name.endswith((".swp", ".pyc")):
                found.append(os.path.relpath(os.path.join(folder, name), root))
    return sorted(found)


def list_sources(root):
    """The C++ files of the code folders."""
    return [path for path in list_files(root)
            if path.endswith(SOURCE_SUFFIXES) and path.split("/")[0] in CODE_FOLDERS]


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def strip_comments(text):
    """C++ text without comments; string and character literals are kept."""
    def keep(match):
        return " " if match.group().startswith(("//", "/*")) else match.group()
    return _COMMENT_OR_TEXT.sub(keep, text)


def list_includes(root, path):
    """(whether it is quoted, header) for each #include of a file."""
    text = strip_comments(read(root, path))
    return [(quote == '"', header) for quote, header in _INCLUDE.findall(text)]


def report(violations):
    """Prints the violations, one per line; returns the exit status: 1 if there are any."""
    for violation in violations:
        print(violation)
    print(f"{len(violations)} violations" if violations else "no violations")
    return 1 if violations else 0
