# Checks the source tree's files: top-level entries, first lines, folder sizes, and machine-specific paths.
import argparse
import collections
import os
import re
import sys

import layer_table
import tree

TOP_LEVEL = {"CMakeLists.txt", "CMakePresets.json", "README.md", "LICENSE", "cmake", "apps", "libcore",
             "kernels", "providers", "tests", "testdata", "docs"}
_HASH_SUFFIXES = (".cmake", ".sh", ".py")
# Assembled from parts, so that this file passes its own check.
_MACHINE_PATHS = ["/" + "/".join(parts) for parts in
                  (["work", ""], ["root", ""], ["home", ""])]
_MACHINE_PATH = re.compile(r"(?<![\w.$}~*-])(" + "|".join(map(re.escape, _MACHINE_PATHS)) + ")")


def check_top_level(root):
    return [f"{name}: has no place at the top level" for name in sorted(os.listdir(root))
            if name not in TOP_LEVEL and not name.startswith(".") and not tree.is_ignored(name)]


def comment_mark(path, first_line):
    """The comment mark of the file's first sentence, or None for files without one."""
    name = os.path.basename(path)
    if path.startswith("testdata/") and not path.endswith(".py"):
        return None
    if path.endswith(tree.SOURCE_SUFFIXES) or path.endswith(".cpp.in"):
        return "//"
    if path.endswith(_HASH_SUFFIXES) or path.endswith(".cmake.in") or name == "CMakeLists.txt":
        return "#"
    return "#" if first_line.startswith("#!") else None


def check_first_line(root, path):
    with open(os.path.join(root, path), "rb") as file:
        lines = file.read(4096).decode("utf-8", errors="replace").split("\n")
    mark = comment_mark(path, lines[0])
    if mark is None:
        return None
    line = lines[1] if lines[0].startswith("#!") and len(lines) > 1 else lines[0]
    if path.endswith(".py") and line.startswith('"""'):
        return None
    if not re.match(rf"{mark} \S+ .*\S", line):
        return f"{path}: does not begin with a sentence after '{mark}' (found: {line[:60]!r})"
    return None


def check_machine_paths(root, path):
    with open(os.path.join(root, path), "rb") as file:
        content = file.read()
    if b"\0" in content:
        return []
    text = content.decode("utf-8", errors="replace")
    return [f"{path}:{text.count(chr(10), 0, match.start()) + 1}: names {match.group(1)}, a path of "
            "one machine" for match in _MACHINE_PATH.finditer(text)]


def check_folder_sizes(root):
    """Folders of code hold at most MOST_FILES files."""
    counts = collections.Counter(os.path.dirname(path) for path in tree.list_sources(root))
    full = layer_table.FULL_FOLDERS
    most = layer_table.MOST_FILES
    violations = [f"{folder}: holds {count} files of code (at most {most})"
                  for folder, count in sorted(counts.items()) if count > most and folder not in full]
    return violations + [f"{folder}: holds {counts[folder]} files of code now; drop it from FULL_FOLDERS of layer_table.py"
                         for folder in full if 0 < counts[folder] <= most]


def check(root):
    violations = check_top_level(root) + check_folder_sizes(root)
    for path in tree.list_files(root):
        violations.append(check_first_line(root, path))
        violations += check_machine_paths(root, path)
    return [violation for violation in violations if violation]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", required=True)
    sys.exit(tree.report(check(parser.parse_args().root)))
