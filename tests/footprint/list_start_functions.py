#!/usr/bin/env python3
"""Writes the list of functions that runs execute, which the linker places side by side (cmake/start_order.txt).

Each model is run once under valgrind's callgrind, with one thread; so is `inspect` of the first. Functions that more of
these runs execute come first, so that what all runs need lies in the fewest pages. The program must not be stripped.
usage: list_start_functions.py PROGRAM OUTPUT MODEL...
"""
import bisect
import collections
import os
import re
import subprocess
import sys
import tempfile

HEADER = """# Functions that runs of small models execute, by their symbols; those that more runs execute come first.
# The linker places them side by side. Written by tests/footprint/list_start_functions.py; names that are gone do no harm.
"""


def executed_addresses(path):
    """The executed addresses by object file, from callgrind's output with instructions."""
    names, addresses, current, last = {}, collections.defaultdict(set), None, 0
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            named = re.match(r"c?ob=\((\d+)\) (.+)", line)
            if named:
                names[named.group(1)] = named.group(2).strip()
            selected = re.match(r"ob=\((\d+)\)", line)
            if selected:
                current = selected.group(1)
            elif line[0] in "0+-*" and current is not None:
                word = line.split()[0]
                if word.startswith("0x"):
                    last = int(word, 16)
                elif word != "*":
                    last += int(word, 0)
                addresses[current].add(last)
    return {names[number]: found for number, found in addresses.items() if number in names}


def symbols(path):
    """Start addresses, sorted, and sizes and names by address."""
    by_address = {}
    for line in subprocess.run(["nm", "-S", path], text=True, capture_output=True, check=True).stdout.splitlines():
        fields = line.split()
        if len(fields) == 4 and fields[2] in "tTwWuUi":
            address, size, name = int(fields[0], 16), int(fields[1], 16), fields[3]
            # Of a constructor's or destructor's symbols, the section has the name of the base object's.
            if address not in by_address or re.search(r"[CD]2[EI]", name):
                by_address[address] = (size, name)
    return sorted(by_address), by_address


def executed_functions(program, arguments, known, scratch):
    output = os.path.join(scratch, "callgrind.out")
    subprocess.run(["valgrind", "--tool=callgrind", "--dump-instr=yes", f"--callgrind-out-file={output}", program,
                    *arguments], check=True, capture_output=True, env=dict(os.environ, ORTOOL_MAX_ISA="avx2"))
    functions = set()
    for path, addresses in executed_addresses(output).items():
        if not os.path.basename(path).startswith(("ortool", "libortool.so")):
            continue
        if path not in known:
            known[path] = symbols(path)
        starts, by_address = known[path]
        for address in addresses:
            place = bisect.bisect_right(starts, address) - 1
            if place >= 0 and address < starts[place] + by_address[starts[place]][0]:
                functions.add(by_address[starts[place]][1])
    return functions


def main():
    program, output, models = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3:]
    runs = [["inspect", models[0]]] + [["run", model, "--random", "--threads", "1"] for model in models]
    counts, known = collections.Counter(), {}
    with tempfile.TemporaryDirectory() as scratch:
        for arguments in runs:
            functions = executed_functions(program, arguments, known, scratch)
            print(f"{len(functions)} functions: {' '.join(arguments)}")
            counts.update(functions)
    # Parts of functions have sections of their own names only with a profile; instruction sets share sections by file.
    names = [name for name in counts if re.fullmatch(r"\w+(\.constprop\.\d+|\.isra\.\d+|\.part\.\d+)*", name)]
    with open(output, "w", encoding="ascii") as file:
        file.write(HEADER)
        file.writelines(f"{name}\n" for name in sorted(names, key=lambda name: (-counts[name], name)))
    print(f"{output}: {len(names)} functions")


if __name__ == "__main__":
    main()
