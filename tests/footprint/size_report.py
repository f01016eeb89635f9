#!/usr/bin/env python3
"""Tells what takes the space of libortool.so, by source folder, from the map of its linker.

The library is linked once more into a scratch folder, by the command of the build. Sizes are those of sections in the
stripped file: machine code, read-only data, tables of exceptions and unwinding, data with relocations. Sections of the
whole library, such as the names of the dynamic symbol table, come last. With --limit the exit code is 1 if the stripped
library and program are larger than that together.
usage: size_report.py BUILD_FOLDER [--depth 2] [--rows 40] [--limit BYTES]
"""
import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile

COLUMNS = {"code": (".text",), "constants": (".rodata",),
           "unwinding": (".eh_frame", ".gcc_except_table"),
           "relocated": (".data.rel.ro", ".data", ".init_array", ".got", ".got.plt")}
# Not in the file, or removed by strip.
LEFT_OUT = (".bss", ".tbss", ".comment", ".symtab", ".strtab", ".shstrtab")


def source_folders(root):
    """The folders of source files by the name that unity builds give their groups."""
    names = {}
    for top in ("libcore", "kernels", "providers", "apps"):
        for folder, _, files in os.walk(os.path.join(root, top)):
            relative = os.path.relpath(folder, root)
            if any(file.endswith((".cpp", ".inc")) for file in files):
                names[re.sub(r"[^A-Za-z0-9]", "_", relative)] = relative
    return names


def folder_of(path, folders):
    """The source folder of an object file, with its instruction set if it has one."""
    found = re.search(r"CMakeFiles/(\w+)\.dir/(.+)$", path)
    if not found:
        return "(compiler and C library)"
    target, path = found.groups()
    isa = re.search(r"_(avx2|avx512|vnni|vbmi|amx|bf16|amxbf16|neon|dotprod|i8mm|fp16)$", target)
    suffix = f" ({isa.group(1)})" if isa else ""
    unity = re.search(r"Unity/unity_(?:\w*?generated_)?(.+)_\d+_cxx\.cxx\.o$", path)
    if unity and unity.group(1) in folders:
        return folders[unity.group(1)] + suffix
    for name, folder in folders.items():
        if unity and unity.group(1).endswith(name):
            return folder + suffix
    if "generated/" in path:
        path = path.split("generated/")[1]
    top = {"ortool_kernels": "kernels", "ortool_provider_cuda": "providers", "ortool_provider_onednn": "providers",
           "ortool_provider_cpu": "providers", "ortool_provider_modules": "providers"}
    base = next((folder for prefix, folder in top.items() if target.startswith(prefix)), "libcore")
    folder = os.path.dirname(path)
    return (folder if folder.startswith(("kernels", "libcore", "providers")) else os.path.join(base, folder)) + suffix


def read_map(path, folders):
    """Bytes by folder and section, and by section."""
    by_folder, by_section = collections.defaultdict(collections.Counter), collections.Counter()
    section, is_map = None, False
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            is_map = is_map or line.startswith("Linker script and memory map")
            if not is_map:
                continue
            output = re.match(r"(\.[\w.]+)(\s+0x[0-9a-f]+\s+0x([0-9a-f]+))?\s*$", line)
            if output:
                section = output.group(1)
            entry = re.match(r" (?:\.\S+|COMMON)?\s+0x([0-9a-f]+)\s+0x([0-9a-f]+) (\S.*)$", line)
            if entry and section and int(entry.group(1), 16) and section not in LEFT_OUT:
                size = int(entry.group(2), 16)
                by_section[section] += size
                by_folder[folder_of(entry.group(3).strip(), folders)][section] += size
    return by_folder, by_section


def link_with_map(build, scratch):
    """The paths of the stripped library and of the map."""
    library = next(name for name in sorted(os.listdir(os.path.join(build, "lib")))
                   if re.match(r"libortool\.so\.\d+\.\d+\.\d+$", name))
    commands = subprocess.run(["ninja", "-C", build, "-t", "commands", f"lib/{library}"], check=True, text=True,
                              capture_output=True).stdout.splitlines()
    output, linked = f"-o lib/{library} ", os.path.join(scratch, library)
    command = next(line for line in reversed(commands) if output in line)
    command = command.replace(output, f"-o {linked} -Wl,-Map={scratch}/map ")
    subprocess.run(command, shell=True, check=True, cwd=build)
    subprocess.run(["strip", linked], check=True)
    return linked, os.path.join(scratch, "map")


def stripped_size(path, scratch):
    copy = os.path.join(scratch, "stripped")
    subprocess.run(["strip", "-o", copy, path], check=True)
    return os.path.getsize(copy)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--depth", type=int, default=2)
    parser.add_argument("--rows", type=int, default=40)
    parser.add_argument("--limit", type=int)
    arguments = parser.parse_args()
    build = os.path.abspath(arguments.build)
    root = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
    with tempfile.TemporaryDirectory() as scratch:
        linked, map_path = link_with_map(build, scratch)
        by_folder, by_section = read_map(map_path, source_folders(root))
        library = os.path.getsize(linked)
        program = stripped_size(os.path.join(build, "bin", "ortool"), scratch)
    rows = collections.defaultdict(collections.Counter)
    for folder, sections in by_folder.items():
        isa = re.search(r" \(\w+\)$", folder)
        parts = folder[:isa.start()] if isa else folder
        short = "/".join(parts.split("/")[:arguments.depth]) + (isa.group(0) if isa else "")
        for column, names in COLUMNS.items():
            rows[short][column] += sum(sections[name] for name in names)
    covered = {name for names in COLUMNS.values() for name in names}
    print(f"{'bytes':>10} " + " ".join(f"{column:>10}" for column in COLUMNS) + "  folder")
    for folder, row in sorted(rows.items(), key=lambda item: -sum(item[1].values()))[:arguments.rows]:
        if sum(row.values()):
            print(f"{sum(row.values()):10} " + " ".join(f"{row[column]:10}" for column in COLUMNS) + f"  {folder}")
    print("\nof the whole library")
    for section, size in by_section.most_common():
        if section not in covered and size >= 1024:
            print(f"{size:10} {section}")
    both = library + program
    print(f"\nstripped: libortool.so {library}, ortool {program}, together {both} bytes")
    if sum(sum(row.values()) for row in rows.values()) < library / 2:
        sys.exit("the map explains less than half of the library: its form is not the expected one")
    if arguments.limit and both > arguments.limit:
        sys.exit(f"larger than the limit of {arguments.limit} bytes: the folders above tell what grew")


if __name__ == "__main__":
    main()
