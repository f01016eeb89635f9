# Checks the C interface: libortool_c.so exports the functions of its header and nothing else, and no declaration that a
# program may have been built with has changed.
import argparse
import os
import re
import subprocess
import sys

_HEADERS = ["apps/c/ortool/ortool.h"]
_MAP = "apps/c/exports.map"
_KEPT = "tests/c/declarations.txt"


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


def declarations(text):
    """The declarations of a header, one per line: functions, typedefs, constants and members of structs."""
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r"^\s*#\s*define\s+ORTOOL_\w+\s*$|^\s*#(?!\s*define ORTOOL_).*$", "", text, flags=re.MULTILINE)
    text = re.sub(r'extern "C" \{', "", text)
    found = re.findall(r"^\s*#\s*define .*$", text, re.MULTILINE)
    text = re.sub(r"^\s*#.*$", "", text, flags=re.MULTILINE)
    lines = [re.sub(r"\s+", " ", line).strip() for line in found]
    for body, name in re.findall(r"typedef struct \w+ \{(.*?)\} (\w+);", text, re.DOTALL):
        members = [re.sub(r"\s+", " ", member).strip() for member in body.split(";") if member.strip()]
        lines += [f"{name} {position}: {member}" for position, member in enumerate(members)]
    for body in re.findall(r"enum \{(.*?)\}", text, re.DOTALL):
        lines += [re.sub(r"\s+", " ", constant).strip() for constant in body.split(",") if constant.strip()]
    text = re.sub(r"typedef struct \w+ \{.*?\} \w+;|enum \{.*?\};", "", text, flags=re.DOTALL)
    lines += [re.sub(r"\s+", " ", line).strip() for line in text.replace("}", "").split(";") if line.strip()]
    return lines


def functions(lines):
    return {match.group(1) for line in lines for match in [re.match(r"[^(:=]*?\b(ortool_\w+)\(", line)]
            if match and not line.startswith("typedef")}


def exported(library):
    text = subprocess.run(["nm", "--dynamic", "--defined-only", library], check=True, stdout=subprocess.PIPE,
                          text=True).stdout
    return {line.split()[2].split("@")[0] for line in text.splitlines() if line.split()[1] != "A"}


def check(root, library):
    lines = [line for header in _HEADERS for line in declarations(read(root, header))]
    declared = functions(lines)
    listed = set(re.findall(r"^\s+(ortool_\w+);", read(root, _MAP), re.MULTILINE))
    found = exported(library)
    kept = read(root, _KEPT).splitlines()
    problems = [f"{name}: {where}" for names, where in
                ((declared - listed, f"declared, but not in {_MAP}"), (listed - declared, "exported, but not declared"),
                 (found - listed, f"exported, but not in {_MAP}"), (listed - found, "not in the library"))
                for name in sorted(names)]
    changed = [line for line in kept if line not in lines and not line.startswith("#define ORTOOL_ABI_VERSION")]
    problems += [f"{line}: was declared so, and programs rely on it" for line in changed]
    problems += [f"{line}: is new: raise ORTOOL_ABI_VERSION if a release lacks it, and run this script with --write"
                 for line in lines if line not in kept]
    return problems, len(found)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("root")
    parser.add_argument("library")
    parser.add_argument("--write", action="store_true", help="append new declarations to the kept list")
    arguments = parser.parse_args()
    if arguments.write:
        kept_path = os.path.join(arguments.root, _KEPT)
        old = read(arguments.root, _KEPT).splitlines() if os.path.exists(kept_path) else []
        old = [line for line in old if not line.startswith("#define ORTOOL_ABI_VERSION")]
        current = [line for header in _HEADERS for line in declarations(read(arguments.root, header))]
        with open(kept_path, "w", encoding="utf-8") as file:
            file.write("\n".join(old + [line for line in current if line not in old]) + "\n")
    found_problems, count = check(arguments.root, arguments.library)
    for problem in found_problems:
        print(problem)
    print(f"{count} exported functions, {len(found_problems)} problems")
    sys.exit(1 if found_problems or count == 0 else 0)
