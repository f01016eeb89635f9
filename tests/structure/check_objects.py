# Checks compiled objects: no code runs before main, and instruction-set files share no symbols.
import argparse
import json
import os
import re
import shlex
import subprocess
import sys

import tree

CHECKED_FOLDERS = ("apps/", "libcore/", "kernels/", "providers/")
# W and V: weak definitions; u: unique ones. Undefined weak references (w, v) are defined elsewhere.
_SHARED_KINDS = "WVu"
# CLI11's header constructs its validators before main wherever it is included; nothing else may do so.
_THIRD_PARTY_VARIABLES = "CLI::"
_THIRD_PARTY_HELPERS = ("std::__ioinit",)


def list_objects(build):
    """Existing objects of the program and its library in this build tree, and whether each is compiled for one
    instruction set."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    objects = {}
    for entry in commands:
        words = shlex.split(entry["command"])
        output = words[words.index("-o") + 1] if "-o" in words else ""
        path = os.path.join(entry["directory"], output)
        if output.startswith(CHECKED_FOLDERS) and os.path.isfile(path):
            objects[output] = any(word.startswith("-mavx") for word in words)
    return dict(sorted(objects.items()))


def run(*command, cwd=None):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=cwd).stdout


def check_isa_object(path, name):
    violations = []
    for line in run("nm", "--demangle", path).splitlines():
        match = re.match(r"^[0-9a-f]* +([A-Za-z]) (.*)$", line)
        if match and match.group(1) in _SHARED_KINDS:
            violations.append(f"{name}: weak symbol {match.group(2)}: the linker may take this "
                              "instruction set's copy for the whole program")
    return violations


def has_only_third_party_variables(path):
    variables = [line.split(" ", 2)[2] for line in run("nm", "--demangle", path).splitlines()
                 if re.match(r"^[0-9a-f]+ [bBdD] ", line)]
    others = [name for name in variables
              if not name.startswith(_THIRD_PARTY_VARIABLES) and name not in _THIRD_PARTY_HELPERS]
    return not others and any(name.startswith(_THIRD_PARTY_VARIABLES) for name in variables)


def objects_with_initializers(build, objects):
    """Objects with code that runs before main."""
    # The first one is repeated, since readelf omits the name of a single file.
    text = run("readelf", "--sections", "--wide", *objects, objects[0], cwd=build)
    return sorted({part.split("\n", 1)[0] for part in re.split(r"^File: ", text, flags=re.MULTILINE)
                   if re.search(r"\s\.(init_array|ctors)\b", part)})


def check_initializers(path, name):
    if has_only_third_party_variables(path):
        return []
    symbols = [line.split()[-1] for line in run("nm", path).splitlines()
               if "_GLOBAL__sub_I" in line or "_static_initialization" in line]
    return [f"{name}: runs code before main ({', '.join(symbols) or 'an init_array section'})"]


def check(build):
    objects = list_objects(build)
    if not objects:
        return [f"{build}: no objects found, so nothing was checked"]
    violations = []
    for name in objects_with_initializers(build, list(objects)):
        violations += check_initializers(os.path.join(build, name), name)
    for name in (name for name, for_one_set in objects.items() if for_one_set):
        violations += check_isa_object(os.path.join(build, name), name)
    print(f"{len(objects)} objects, {sum(objects.values())} of them for one instruction set")
    return violations


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    sys.exit(tree.report(check(parser.parse_args().build)))
