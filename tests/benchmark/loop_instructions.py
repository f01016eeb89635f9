#!/usr/bin/env python3
"""Instructions of innermost loops in an object file of aarch64: how many multiply and add, by function.

Usage: loop_instructions.py OBJECT FUNCTION_PATTERN INSTRUCTION[,INSTRUCTION...] [--objdump PROGRAM]

The pattern is a regular expression for demangled names. For each innermost loop with at least four of the instructions
(fmla, sdot, usmmla) it prints all instructions, those, their share of all and of what the vector units execute, and
accesses to the stack, which in such a loop are spilled registers.
"""
import argparse
import re
import subprocess

# Loads, stores and prefetches have pipelines of their own, and so has integer arithmetic.
NOT_VECTOR = re.compile(r"^(ld|st|prfm|b$|b\.|cb|tb|add|sub|cmp|mov[kz]$|lsl|subs$)")
BRANCH = re.compile(r"^(b|b\..*|cbn?z|tbn?z)$")


def list_functions(objdump, path):
    """(name, [(address, mnemonic, operands)]) of each function."""
    text = subprocess.run([objdump, "-d", "--no-show-raw-insn", "-C", path], capture_output=True, text=True,
                          check=True).stdout
    name, instructions = None, []
    for line in text.splitlines():
        start = re.match(r"^[0-9a-f]+ <(.*)>:$", line)
        if start:
            if name:
                yield name, instructions
            name, instructions = start.group(1), []
            continue
        instruction = re.match(r"^\s*([0-9a-f]+):\t(\S+)\s*(.*)$", line)
        if instruction:
            instructions.append((int(instruction.group(1), 16), instruction.group(2), instruction.group(3)))
    if name:
        yield name, instructions


def list_innermost_loops(instructions):
    places = {address: i for i, (address, _, _) in enumerate(instructions)}
    loops = []
    for last, (_, mnemonic, operands) in enumerate(instructions):
        target = re.search(r"\b([0-9a-f]+) <", operands)
        if not BRANCH.match(mnemonic) or not target:
            continue
        first = places.get(int(target.group(1), 16), last + 1)
        if first <= last:
            loops.append((first, last))
    for first, last in loops:
        if not any((a, b) != (first, last) and first <= a and b <= last for a, b in loops):
            yield instructions[first:last + 1]


def uses_vectors(mnemonic, operands):
    return not NOT_VECTOR.match(mnemonic) or (mnemonic in ("add", "sub", "mov") and re.match(r"v\d", operands))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("object")
    parser.add_argument("pattern")
    parser.add_argument("instructions")
    parser.add_argument("--objdump", default="aarch64-linux-gnu-objdump")
    arguments = parser.parse_args()
    wanted = arguments.instructions.split(",")
    for name, instructions in list_functions(arguments.objdump, arguments.object):
        if not re.search(arguments.pattern, name):
            continue
        for loop in list_innermost_loops(instructions):
            products = sum(mnemonic in wanted for _, mnemonic, _ in loop)
            if products < 4:
                continue
            vector = sum(bool(uses_vectors(mnemonic, operands)) for _, mnemonic, operands in loop)
            stack = sum("[sp" in operands for _, _, operands in loop)
            print(f"{name.replace('ortool::cpu::', '').replace('(anonymous namespace)::', '')}: {len(loop)} instructions, "
                  f"{products} {arguments.instructions}, {products / len(loop):.0%} of all, {products / vector:.0%} of "
                  f"vector instructions, {stack} with the stack")


if __name__ == "__main__":
    main()
