# Checks every #include against the table of layers and the permitted places of heavy headers.
import argparse
import os
import re
import sys

import layer_table
import tree


def folder_of(path):
    """The folder that the rules refer to: 'libcore/ops', 'kernels/cpu', 'apps/ortool', 'tests'."""
    parts = path.split("/")
    if parts[0] == "tests":
        return "tests/"
    return "/".join(parts[:2]) + "/" if len(parts) > 2 else path


def kernel_rooms(path):
    """Prefixes of the kernels that a kernel may include; None if its family is missing in the table."""
    parts = path.split("/")
    if parts[1] != "cpu":
        return [folder_of(path)]
    family = parts[2]
    shared = layer_table.KERNEL_ROOMS
    if family in shared:
        rooms = shared[:shared.index(family) + 1]
    elif family in layer_table.KERNEL_FAMILIES:
        rooms = [family, *shared, *layer_table.KERNEL_FAMILIES[family]]
    else:
        return None
    return [f"kernels/cpu/{room}/" for room in rooms]


def allowed_prefixes(path):
    """Prefixes of the headers that the file may include, including its own folder's."""
    parts = path.split("/")
    own = [folder_of(path)]
    if parts[0] == "libcore":
        layer = parts[1]
        if layer not in layer_table.LIBCORE:
            return None
        return own + [f"libcore/{name}/" for name in layer_table.LIBCORE[layer]]
    if parts[0] == "kernels":
        rooms = kernel_rooms(path)
        return None if rooms is None else rooms + layer_table.KERNELS
    if parts[0] == "providers":
        if parts[1] in layer_table.PROVIDER_MODULES:
            return own + layer_table.MODULE_INTERFACE
        is_list = len(parts) == 2
        return own + (layer_table.PROVIDER_LIST if is_list else layer_table.PROVIDERS)
    if parts[:2] == ["apps", "python"]:
        return own + layer_table.PYTHON
    if parts[0] == "apps":
        return own + layer_table.APPS + (layer_table.C_INTERFACE if parts[1] == "c" else [])
    return own + layer_table.TESTS


def check_layers(root, path, is_quoted, header):
    if not is_quoted:
        return None
    prefixes = allowed_prefixes(path)
    if prefixes is None:
        return f"{path}: its layer is missing in tests/structure/layer_table.py"
    if not os.path.exists(os.path.join(root, header)):
        return f'{path}: "{header}" is not relative to the root of the tree'
    if not header.startswith(tuple(prefixes)):
        return f'{path}: may not include "{header}" (allowed: {", ".join(prefixes)})'
    return None


def check_heavy(path, header):
    if path.startswith("tests/"):
        if header.startswith("catch2/") or path.endswith(".cpp"):
            return None
    elif header in layer_table.FORBIDDEN_HEADERS:
        return f"{path}: <{header}> is not used here: {layer_table.FORBIDDEN_HEADERS[header]}"
    for pattern, home in layer_table.HEAVY_HEADERS:
        if re.fullmatch(pattern, header) and not re.fullmatch(home, path):
            return f"{path}: may not include <{header}>; it belongs in {home}"
    return None


def check_isa_file(root, path):
    """Instruction-set files may reach only C headers, intrinsics and headers without inline code."""
    seen = set()
    waiting = [path]
    violations = []
    while waiting:
        current = waiting.pop()
        if current in seen or not os.path.exists(os.path.join(root, current)):
            continue
        seen.add(current)
        for is_quoted, header in tree.list_includes(root, current):
            if is_quoted:
                waiting.append(header)
            elif header not in layer_table.ISA_SYSTEM_HEADERS:
                violations.append(f"{path}: reaches <{header}> through {current}")
        # Files that end in .inc are compiled for this instruction set only.
        if current.endswith(".hpp"):
            text = tree.strip_comments(tree.read(root, current))
            for word in ("inline", "template", "constexpr auto", "std::"):
                if re.search(rf"\b{re.escape(word)}", text):
                    violations.append(f"{path}: {current} holds '{word}', plain structs only")
    return violations


def check(root):
    violations = []
    for path in tree.list_sources(root):
        for is_quoted, header in tree.list_includes(root, path):
            violations.append(check_layers(root, path, is_quoted, header))
            violations.append(check_heavy(path, header))
        if re.search(r"_(avx2|avx512|vnni|vbmi|amx|bf16|amxbf16|neon|dotprod|i8mm)\.cpp$|\.inc$", path):
            violations += check_isa_file(root, path)
    return [violation for violation in violations if violation]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", required=True)
    sys.exit(tree.report(check(parser.parse_args().root)))
