#!/usr/bin/env python3
"""Chooses the source files of a minimal build, and generates the lists of what it contains.

Reads the list of operators; writes the catalog's families, the kernel families of the cpu provider, their tables of
kernels and the list of commands with the chosen entries only, the functions that kernels have, and follows the includes from them: a file is part of the build if it defines
what a header declares that a part of the build includes. Paths of sources are written to sources.txt, those of kernel
headers, whose rows CMake reads, to kernel_headers.txt.
usage: choose_sources.py SOURCE_FOLDER OPERATORS OUTPUT_FOLDER
"""
import glob
import os
import re
import sys

COMMANDS = ("plain_run", "inspect", "providers")
ISA_SUFFIX = re.compile(r"_(avx2|avx512|vnni|vbmi|amx|bf16|amxbf16|neon|dotprod|i8mm)$")
# What a file includes between these is not in the build.
BUILT_FUNCTIONS = "kernels/cpu/elementwise/built_functions.hpp"
BUILT_FEATURES = "kernels/cpu/isa/built_features.hpp"
BUILT_ROWS = "providers/cpu/built_rows.hpp"
# What a line 'without NAME' of the list leaves out: the constant of BUILT_FEATURES.
FEATURES = {"winograd": "has_winograd", "16-bit-floats": "has_16_bit_floats"}
# The operators for which files of these names ask for a binary function; other files that name it always ask for it.
FILES_OF_OPERATORS = ("arithmetic.cpp", "bitwise.cpp", "comparison.cpp", "variadic.cpp")
OPERATORS_OF_FUNCTIONS = {
    "add": {"Add", "Sum", "Mean"}, "subtract": {"Sub"}, "multiply": {"Mul"}, "divide": {"Div", "Mean"},
    "modulo": {"Mod"}, "remainder": {"Mod"}, "minimum": {"Min"}, "maximum": {"Max"},
    "bit_and": {"BitwiseAnd", "And"}, "bit_or": {"BitwiseOr", "Or"}, "bit_xor": {"BitwiseXor", "Xor"},
    "shift_left": {"BitShift"}, "shift_right": {"BitShift"}, "equal": {"Equal"},
    "less": {"Less", "LessOrEqual", "Greater", "GreaterOrEqual"}}
LEFT_OUT = re.compile(r"^#ifndef ORTOOL_MINIMAL\n.*?^#(?:endif|else)[^\n]*\n", re.S | re.M)
OWN_DOMAIN = "ortool"


def fail(message):
    sys.exit(f"choose_sources.py: {message}")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    """Files that do not change keep their time, so that they are not compiled again."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if not os.path.exists(path) or read(path) != text:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def read_operators(path):
    """Pairs of domain and operator, and the features that are left out; ONNX's own domain is empty."""
    chosen, without = set(), set()
    for number, line in enumerate(read(path).splitlines(), 1):
        words = line.split("#")[0].split()
        if not words:
            continue
        if words[0] == "without" and len(words) == 2:
            if words[1] not in FEATURES:
                fail(f"{path}:{number}: '{words[1]}' cannot be left out (expected one of: {', '.join(FEATURES)})")
            without.add(words[1])
            continue
        if len(words) > 2:
            fail(f"{path}:{number}: expected 'OPERATOR' or 'DOMAIN OPERATOR', found '{line.strip()}'")
        domain = words[0] if len(words) == 2 else "ai.onnx"
        chosen.add(("" if domain == "ai.onnx" else domain, words[-1]))
    if not chosen:
        fail(f"{path} lists no operator; `ortool inspect --operators MODEL.onnx` writes such a file")
    return chosen, without


class Tree:
    def __init__(self, root):
        self.root = root
        self.texts = {}
        for top in ("libcore", "kernels", "providers", "apps/ortool"):
            for path in glob.glob(f"{root}/{top}/**/*", recursive=True):
                if path.endswith((".cpp", ".hpp", ".inc", ".h")):
                    self.texts[os.path.relpath(path, root)] = LEFT_OUT.sub("", read(path))
        self.includes = {path: [include for include in re.findall(r'^\s*#include "([^"]+)"', text, re.M)]
                         for path, text in self.texts.items()}
        self.definers = {}
        for path in self.texts:
            if path.endswith(".cpp"):
                for header in self.headers_of(path):
                    self.definers.setdefault(header, []).append(path)

    def headers_of(self, path):
        """The headers whose functions a file defines: that of its name, otherwise those it includes of its
        folder, or of the nearest folder above, and those of its layer that declare what it defines, also if
        another of its folder includes them."""
        stem = path[:-len(".cpp")]
        while True:
            if stem + ".hpp" in self.texts:
                return [stem + ".hpp"]
            if not ISA_SUFFIX.search(stem):
                break
            stem = ISA_SUFFIX.sub("", stem)
        if path.endswith("list.cpp"):
            return []
        headers = [include for include in self.includes[path] if include.endswith(".hpp") and include in self.texts]
        defined = set(re.findall(r"^[A-Za-z][^(;=]*?\b(\w+)\(", self.texts[path], re.M))
        layer = "/".join(path.split("/")[:2]) + "/"
        reached = list(headers)
        for header in reached:
            reached += [include for include in self.includes[header] if include not in reached
                        and os.path.dirname(include) == os.path.dirname(path) and include in self.texts]
        own = [header for header in reached if header.startswith(layer) and defined
               & set(re.findall(r"^[A-Za-z][^(;=]*?\b(\w+)\(", self.texts[header], re.M))]
        folder = os.path.dirname(path)
        while folder:
            found = [header for header in headers if os.path.dirname(header) == folder]
            if found:
                break
            folder = os.path.dirname(folder)
        return list(dict.fromkeys(own + (found if folder else [])))


def domain_constants(tree):
    constants = {}
    for path, text in tree.texts.items():
        if path.startswith("libcore/ops/"):
            constants.update(re.findall(r'(\w+_domain)(?:\[\])? = "([^"]+)"', text))
    return constants


def operator_structs(tree):
    """Pairs of domain and operator, and the header, by name of the struct; two namespaces may have one of a name."""
    constants = domain_constants(tree)
    structs, headers = {}, {}
    for path, text in tree.texts.items():
        if not path.startswith("libcore/ops/"):
            continue
        if path.endswith(".hpp"):
            for name in re.findall(r"^struct (\w+)\b(?!;)", text, re.M):
                headers[name] = path
            continue
        for name, op_type, domain in re.findall(r"OpSchema\s+(?:\w+::)?(\w+)::schema\s*=\s*\{\s*\"(\w+)\",\s*([^,]+),", text):
            domain = domain.strip()
            domain = domain.strip('"') if domain.startswith('"') else constants.get(domain)
            if domain is None:
                fail(f"{path}: the domain of {name} is not a known constant")
            structs.setdefault(name, set()).add((domain, op_type))
    return structs, headers


def entry_end(text, start):
    """The end of the entry that starts there, with its comma."""
    depth = 0
    for i in range(start, len(text)):
        if text[i] in "({[":
            depth += 1
        elif text[i] in ")}]":
            depth -= 1
        if depth == 0 and text[i] == ",":
            return i + 1
        if depth < 0:
            return i
    return len(text)


def has_no_domain(tree, text, chosen):
    """Whether no chosen operator is of a domain that a list of other operators' variants names."""
    constants = domain_constants(tree)
    domains = {constants.get(name) for name in re.findall(r"\b(\w+_domain)\b", text)}
    return not any(domain in domains for domain, _ in chosen)


def empty_family(text):
    function = re.search(r"std::span<const OpEntry> (\w+)\(\)", text).group(1)
    return ("// No operator of this family is in the build.\n#include \"libcore/ops/operator_lists.hpp\"\n\n"
            f"namespace ortool {{\nstd::span<const OpEntry> {function}() {{\n  return {{}};\n}}\n}}\n")


def filter_family(path, text, structs, headers, chosen):
    """A family's list with the chosen entries only; the names of the others' structs."""
    kept, pieces, last, left_out = 0, [], 0, []
    for found in re.finditer(r"^ +(op|session)_entry<(?:\w+::)?(\w+)>\(", text, re.M):
        if found.start() < last:
            continue
        kind, name = found.groups()
        if name not in structs:
            fail(f"{path}: no schema of {name} was found")
        end = entry_end(text, found.start())
        if any((OWN_DOMAIN if kind == "session" else domain, op_type) in chosen for domain, op_type in structs[name]):
            kept += 1
            continue
        left_out.append(name)
        pieces.append(text[last:found.start()])
        last = end
    text = "".join(pieces) + text[last:]
    text = re.sub(r"std::array<OpEntry, \d+>", f"std::array<OpEntry, {kept}>", text)
    if kept == 0:
        return empty_family(text)
    used = {headers[name] for name in re.findall(r"(?:op|session)_entry<(?:\w+::)?(\w+)>\(", text) if name in headers}
    unused = {headers[name] for name in left_out if name in headers} - used
    for header in unused:
        text = text.replace(f'#include "{header}"\n', "")
    return text


def kernel_files(tree):
    """File and operators of each function that returns rows."""
    files = {}
    for path, text in tree.texts.items():
        if path.startswith("providers/cpu/") and path.endswith(".cpp"):
            names = set(re.findall(r'"(\w+)"', text))
            if "any_operator" in text:
                names.add("*")
            for function in re.findall(r"^std::span<const KernelRow> (\w+)\(\) \{", text, re.M):
                files[function] = (path, names)
    return files


def filter_rows(text):
    """A file of kernels whose functions return the rows of chosen operators only. Nothing else names the functions that
    compile the others, so the compiler drops them, and the linker their kernels."""
    def filtered(found):
        rows = found.group(2)
        if not re.search(rf"^constexpr [^=;]*\b{rows}(\[\])? =", text, re.M):
            return found.group(0)
        return f"{found.group(1)}  static constexpr auto built = built_rows<{rows}>();\n  return built;\n"
    text = re.sub(r"^(std::span<const KernelRow> \w+\(\) \{\n)  return (\w+);\n", filtered, text, flags=re.M)
    return text.replace('#include "', f'#include "{BUILT_ROWS}"\n#include "', 1)


def built_rows(op_types, without):
    """The header that chooses rows by their operators, and leaves those out that are for 16-bit floats alone."""
    tests = " ||\n         ".join(f'op_type == "{op_type}"' for op_type in sorted(op_types))
    types = "row.types != fp16_type_names" if "16-bit-floats" in without else "true"
    return ("// The rows of kernels for the chosen operators.\n#pragma once\n\n#include <array>\n#include <cstddef>\n"
            "#include <string_view>\n\n#include \"providers/cpu/kernel_list.hpp\"\n"
            "#include \"providers/cpu/support/accepts.hpp\"\n\nnamespace ortool::cpu {\n\n"
            f"constexpr bool is_built(const KernelRow& row) {{\n  const std::string_view op_type = row.op_type;\n"
            f"  return ({tests}) &&\n         {types};\n}}\n\n"
            """template <const auto& rows>
consteval auto built_rows() {
  constexpr std::size_t count = [] {
    std::size_t sum = 0;
    for (const KernelRow& row : rows) {
      if (is_built(row)) ++sum;
    }
    return sum;
  }();
  std::array<KernelRow, count> result = {};
  std::size_t next = 0;
  for (const KernelRow& row : rows) {
    if (is_built(row)) result[next++] = row;
  }
  return result;
}

}  // namespace ortool::cpu
""")


def rule_files(tree):
    """File of each function that makes a rewrite rule, the operators that the rule makes, and the one that its pattern
    ends with; None if the pattern is put together otherwise."""
    files = {}
    for path, text in tree.texts.items():
        if not re.match(r"libcore/optimize/rules/\w+\.cpp$", path):
            continue
        starts = [found.start() for found in re.finditer(r"^Rule \w+\(\) \{", text, re.M)] + [len(text)]
        for start, end in zip(starts, starts[1:]):
            name = re.match(r"Rule (\w+)", text[start:]).group(1)
            makes = re.findall(r"\.makes = \{([^}]*)\}", text[start:end])
            last = re.search(r"\.pattern = (?:any_)?op\(\"(\w+)\"", text[start:end])
            files[name] = (path, (set(re.findall(r'"(\w+)"', " ".join(makes))), last.group(1) if last else None))
    return files


def decomposition_files(tree):
    """File of each function that returns a table of decompositions, and the operators of its rows."""
    files = {}
    for path, text in tree.texts.items():
        for name in re.findall(r"^std::span<const DecompositionRow> (\w+)\(\) \{", text, re.M):
            files[name] = (path, set(re.findall(r'\{\s*(?:\w+|""),\s*"(\w+)",', text)))
    return files


def filter_control_flow(tree, text, chosen):
    """The table of operators that the runtime runs itself, and the files of its chosen rows."""
    constants, files, rows = domain_constants(tree), [], []
    for row, domain, op_type, function in re.findall(r'(\{([\w"]+), "(\w+)", (make_\w+)\})', text):
        if (constants.get(domain, domain.strip('"')), op_type) in chosen:
            rows.append(row)
            files += [path for path, other in tree.texts.items() if path.startswith("libcore/runtime/")
                      and path.endswith(".cpp") and re.search(rf"^\S.* {function}\(const Node& node,", other, re.M)]
    table = re.compile(r"constexpr std::array<ControlFlowKind, \d+> control_flow_kinds = \{.*?\}\};", re.S)
    if not table.search(text):
        fail("libcore/runtime/control_flow/control_flow.cpp: control_flow_kinds is not found")
    listed = f" = {{{{{', '.join(rows)}}}}}" if rows else " = {}"
    return table.sub(f"constexpr std::array<ControlFlowKind, {len(rows)}> control_flow_kinds{listed};", text), files


def built_functions(tree, found, op_types):
    """The header that says which binary functions the files of the build need."""
    wanted = set()
    for path in found:
        is_user = path.startswith(("kernels/", "providers/")) and path.endswith((".cpp", ".hpp"))
        if not is_user or path in (BUILT_FUNCTIONS, "kernels/cpu/elementwise/binary.cpp"):
            continue
        for kind, name in re.findall(r"\b(BinaryOp|Comparison)::(\w+)", tree.texts.get(path, "")):
            name = "less" if kind == "Comparison" and name != "equal" else name
            of_operators = path.startswith("providers/") and os.path.basename(path) in FILES_OF_OPERATORS
            if not of_operators or name not in OPERATORS_OF_FUNCTIONS or OPERATORS_OF_FUNCTIONS[name] & op_types:
                wanted.add((kind, name))
    functions = []
    for kind, variable in (("BinaryOp", "op"), ("Comparison", "comparison")):
        tests = [f"{variable} == {kind}::{name}" for of, name in sorted(wanted) if of == kind]
        functions.append(f"consteval bool is_built({kind} {variable if tests else ''}) {{\n"
                         f"  return {' || '.join(tests) or 'false'};\n}}\n")
    return ("// The binary functions that the chosen operators need.\n#pragma once\n\n"
            "#include \"kernels/cpu/elementwise/binary_op.hpp\"\n\nnamespace ortool::cpu {\n\n"
            + "\n".join(functions) + "\n}  // namespace ortool::cpu\n")


def unary_functions(text, op_types):
    """The unary functions that a file names, but those of rows, of which it has one a line, of other operators."""
    operators = {}
    for line in text.splitlines():
        found = re.search(r"function_of\(const (\w+)&", line)
        for name in re.findall(r"\bUnaryOp::(\w+)", line) if found else ():
            operators.setdefault(name, set()).add(found.group(1))
    for name, op_type in re.findall(r'\bUnaryOp::(\w+)>\((?:"\w+", )?"(\w+)"\)', text):
        operators.setdefault(name, set()).add(op_type)
    return {name for name in re.findall(r"\bUnaryOp::(\w+)", text)
            if name not in operators or operators[name] & op_types}


def built_features(tree, found, op_types, without):
    """The header that says which kernels are built that only some models need."""
    names = set()
    for path in found:
        if path.startswith(("kernels/", "providers/")) and path != "kernels/cpu/elementwise/unary.cpp":
            if not path.startswith("kernels/cpu/isa/unary_"):
                names |= unary_functions(tree.texts.get(path, ""), op_types)
    text = tree.texts[BUILT_FEATURES]
    for constant in ["has_all_tiles"] + [FEATURES[feature] for feature in without]:
        text, count = re.subn(rf"\b{constant} = true;", f"{constant} = false;", text)
        if count != 1:
            fail(f"{BUILT_FEATURES}: {constant} is not found")
    tests = " || ".join(f"op == UnaryOp::{name}" for name in sorted(names))
    return re.sub(r"is_built\(UnaryOp /\*op\*/\) \{\n  return true;",
                  f"is_built(UnaryOp{' op' if names else ''}) {{\n  return {tests or 'false'};", text)


def is_chosen(kernel_file, op_types):
    return bool(kernel_file[1] & op_types)


def main():
    if len(sys.argv) != 4:
        fail(__doc__.splitlines()[-1])
    root, operators, output = sys.argv[1:]
    tree = Tree(root)
    chosen, without = read_operators(operators)
    structs, headers = operator_structs(tree)
    known = set().union(*structs.values())
    session_only = set(re.findall(r"session_entry<(\w+)>\(", tree.texts["libcore/ops/session/list.cpp"]))
    known |= {(OWN_DOMAIN, op_type) for name in session_only for _, op_type in structs.get(name, ())}
    for domain, op_type in sorted(chosen - known):
        fail(f"{operators}: the operator '{domain or 'ai.onnx'} {op_type}' does not exist")
    op_types = {op_type for _, op_type in chosen} | {"*"}

    generated = {}
    for path in [path for path in tree.texts if re.match(r"libcore/ops/.*list\.cpp$", path)]:
        if path.endswith("/list.cpp"):
            generated[path] = filter_family(path, tree.texts[path], structs, headers, chosen)
        else:
            is_empty = has_no_domain(tree, tree.texts[path], chosen)
            generated[path] = empty_family(tree.texts[path]) if is_empty else tree.texts[path]
    kernels, wanted = kernel_files(tree), []
    for path in [path for path in tree.texts if re.match(r"providers/cpu/.*/list\.cpp$", path)]:
        functions = re.findall(r"^ +file\((\w+)\)", tree.texts[path], re.M)
        kept = [function for function in functions if is_chosen(kernels[function], op_types)]
        wanted += [kernels[function][0] for function in kept]
        family = re.search(r"ORTOOL_KERNEL_FAMILY\((\w+)\)", tree.texts[path]).group(1)
        text = "// The chosen kernels of a family.\n#include \"providers/cpu/kernel_family.hpp\"\n\n"
        if kept:
            text += "#define ORTOOL_KERNEL_FILES(file) " + " ".join(f"file({name})" for name in kept)
            text += f"\n\nORTOOL_KERNEL_FAMILY({family})\n"
        else:
            text += f"namespace ortool::cpu {{\nstd::span<const KernelFile> {family}() {{\n  return {{}};\n}}\n}}\n"
        generated[path] = text
    for path in wanted:
        generated[path] = filter_rows(tree.texts[path])
    path = "providers/cpu/bf16_kernels.cpp"
    text = tree.texts[path]
    for function in set(re.findall(r"\b(bf16_\w+_kernels)\(\)", text)):
        if not is_chosen(kernels[function], op_types):
            text = re.sub(rf"std::span<const KernelRow> {function}\(\);\n", "", text)
            text = re.sub(rf"\b{function}\(\),?", "", text)
    generated[path] = text
    apart = {file for file, _ in kernels.values()} - set(wanted)
    for path, function_of, is_kept in (
            ("libcore/optimize/pipeline.cpp", rule_files(tree),
             lambda rule: rule[0] <= op_types and (rule[1] is None or rule[1] in op_types)),
            ("libcore/optimize/contrib/decompose_contrib.cpp", decomposition_files(tree),
             lambda rows: bool(rows & op_types))):
        text, kept_files = tree.texts[path], set()
        for function, (file, operators_of) in function_of.items():
            if is_kept(operators_of):
                kept_files.add(file)
            else:
                text = re.sub(rf"\b{function}(\(\))?,\s*|,?\s*\b{function}(\(\))?(?=[}}\s])", "", text)
        # An array has at least one element.
        generated[path] = re.sub(r"constexpr Table tables\[\] = \{\s*\}", "constexpr std::span<const Table> tables", text)
        wanted += sorted(kept_files)
        apart |= {file for file, _ in function_of.values()} - kept_files
    path = "libcore/runtime/control_flow/control_flow.cpp"
    text, files = filter_control_flow(tree, tree.texts[path], chosen)
    generated[path] = text
    wanted += files
    path = "apps/ortool/commands/commands.cpp"
    generated[path] = re.sub(r"  commands\.push_back\(make_(?!" + "|".join(f"{name}_" for name in COMMANDS)
                             + r")\w+_command\(\)\);\n", "",
                             tree.texts[path].replace("make_run_command", "make_plain_run_command"))

    for path, text in generated.items():
        write(os.path.join(output, path), text)
        tree.texts[path] = text
        tree.includes[path] = re.findall(r'^\s*#include "([^"]+)"', text, re.M)
    sources = ["apps/ortool/main.cpp", "libcore/base/delay_loading.cpp"] + list(generated) + wanted
    sources += [f"apps/ortool/commands/{name}.cpp" for name in COMMANDS]
    found, open_files = set(sources), list(sources)
    apart |= {path for path in tree.texts if path.startswith("apps/ortool/commands/")} - set(sources)
    while open_files:
        path = open_files.pop()
        if path not in tree.texts:
            continue
        more = list(tree.includes[path])
        if path.endswith(".hpp"):
            more += tree.definers.get(path, [])
            if path[:-len(".hpp")] + ".inc" in tree.texts:
                more.append(path[:-len(".hpp")] + ".inc")
        for other in more:
            if other in tree.texts and other not in found:
                if other in apart:
                    continue
                found.add(other)
                open_files.append(other)
    files = sorted(os.path.join(output, path) if path in generated else os.path.join(root, path)
                   for path in found if path.endswith(".cpp"))
    write(os.path.join(output, BUILT_FUNCTIONS), built_functions(tree, found, op_types))
    write(os.path.join(output, BUILT_FEATURES), built_features(tree, found, op_types, without))
    write(os.path.join(output, BUILT_ROWS), built_rows(op_types, without))
    write(os.path.join(output, "sources.txt"), "\n".join(files) + "\n")
    write(os.path.join(output, "kernel_headers.txt"),
          "\n".join(os.path.join(root, path) for path in sorted(found)
                    if path.startswith("kernels/") and path.endswith(".hpp")) + "\n")


if __name__ == "__main__":
    main()
