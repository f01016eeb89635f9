# Checks Markdown documents: relative links and their anchors resolve, and the commands in them exist.
import argparse
import glob
import json
import os
import re
import shlex
import subprocess
import sys

import tree

_FENCE = re.compile(r"^(```+|~~~+)(\w*)[^\n]*\n(.*?)^\1[ \t]*$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<!\\)\[[^\]\n]*\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)")
_OWN_FOLDERS = ("apps/", "cmake/", "docs/", "kernels/", "libcore/", "providers/", "testdata/", "tests/",
                ".ci/")


def anchors_of(text):
    """The anchors that Markdown viewers generate for the headings of a text."""
    headings = re.findall(r"^#+ +(.*?)\s*$", _FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def check_links(root, path):
    violations = []
    text = tree.read(root, path)
    without_code = re.sub(r"`[^`\n]*`", "", _FENCE.sub("", text))
    for target in _LINK.findall(without_code):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        goal = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
        if not os.path.exists(os.path.join(root, goal)):
            violations.append(f"{path}: link to {target}, which does not exist")
        elif anchor and goal.endswith(".md") and anchor not in anchors_of(tree.read(root, goal)):
            violations.append(f"{path}: link to {target}, and {goal} has no such heading")
    return violations


def check_listings(root, path):
    """A fenced C, C++ or Python block after a line that ends with a link to a file and a colon must equal that file."""
    violations = []
    listing = re.compile(r"\]\(([^)\s]+\.(?:cpp|c|py))\):\n+```(?:cpp|c|python)\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
    for target, body in listing.findall(tree.read(root, path)):
        goal = os.path.normpath(os.path.join(os.path.dirname(path), target))
        if os.path.exists(os.path.join(root, goal)) and tree.read(root, goal) != body:
            violations.append(f"{path}: the listing of {goal} is not the file's text")
    return violations


def list_commands(text):
    """The shell commands in a document's fenced blocks, with continued lines joined."""
    commands = []
    for _, language, body in _FENCE.findall(text):
        lines = body.replace("\\\n", " ").split("\n")
        if language == "console":
            commands += [line[2:] for line in lines if line.startswith("$ ")]
        elif language in ("sh", "bash", "shell"):
            commands += [line for line in lines if line.strip() and not line.startswith("#")]
    return commands


def check_command(root, path, command, program):
    """Everything that a command names must exist: scripts, files, presets, subcommands of ortool."""
    words = shlex.split(command.split(" | ")[0], comments=True)
    while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
        words.pop(0)
    if not words:
        return []
    missing = []
    for word in words:
        name = word.split("=", 1)[-1]
        if name.startswith(_OWN_FOLDERS) and not glob.glob(os.path.join(root, name)):
            missing.append(name)
    if words[0] in ("cmake", "ctest") and "--preset" in words:
        with open(os.path.join(root, "CMakePresets.json"), encoding="utf-8") as file:
            presets = json.load(file)
        kind = "testPresets" if words[0] == "ctest" else (
            "buildPresets" if "--build" in words else "configurePresets")
        preset = words[words.index("--preset") + 1]
        if preset not in [entry["name"] for entry in presets[kind]]:
            missing.append(f"preset {preset}")
    if os.path.basename(words[0]) == "ortool" and program and len(words) > 1:
        if not words[1].startswith("-"):
            answer = subprocess.run([program, words[1], "--help"], stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False)
            if answer.returncode != 0:
                missing.append(f"ortool {words[1]}")
    return [f"{path}: `{command}` names {name}, which does not exist" for name in missing]


def check_rules(root):
    """docs/reference/checks.md lists the rules of libcore/check/rules.cpp with the same wording."""
    source, page = "libcore/check/rules.cpp", "docs/reference/checks.md"
    if not os.path.exists(os.path.join(root, source)):
        return []
    text = r'"((?:[^"\\]|\\.)*)"'
    rows = re.findall(rf'\{{{text},\s*(\w+),\s*((?:{text}\s*)+),\s*((?:{text}\s*)+)\}},', tree.read(root, source))
    rules = [(row[0], row[1], "".join(re.findall(text, row[2])), "".join(re.findall(text, row[4]))) for row in rows]
    listed = re.findall(r"^\| `([\w.]+)` \| (\w+) \| (.*) \| (.*) \|$", tree.read(root, page), re.MULTILINE)
    violations = [f"{page}: the rule {row[0]} differs from {source}" for row in sorted(set(rules) ^ set(listed))]
    if rules != sorted(rules):
        violations.append(f"{source}: the rules are not sorted by id")
    return violations


def check(root, program=None):
    violations = check_rules(root)
    for path in tree.list_files(root):
        if path.endswith(".md"):
            violations += check_links(root, path)
            violations += check_listings(root, path)
            if path == "README.md" or path.startswith("docs/"):
                for command in list_commands(tree.read(root, path)):
                    violations += check_command(root, path, command, program)
    if not os.path.exists(os.path.join(root, "README.md")):
        violations.append("README.md: does not exist")
    return violations


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", required=True)
    parser.add_argument("--program")
    arguments = parser.parse_args()
    sys.exit(tree.report(check(arguments.root, arguments.program)))
