#!/usr/bin/env python3
"""Checks the script that chooses the sources of a minimal build, on the source tree as it is, without compiling.

With all operators in the list, the catalog and the kernel families must stay whole; with a few, only theirs may be
left, and no file of what a minimal build never has; a wrong list must be refused with the line or the operator.
usage: check_choice.py SOURCE_FOLDER
"""
import os
import re
import subprocess
import sys
import tempfile

ENTRY = re.compile(r"\b\w*entry<(?:\w+::)?(\w+)>\(\)|\b\w*entry<(?:\w+::)?(\w+)>\(\s*\{")
BUILT_FUNCTIONS = "kernels/cpu/elementwise/built_functions.hpp"
BUILT_FEATURES = "kernels/cpu/isa/built_features.hpp"
BUILT_ROWS = "providers/cpu/built_rows.hpp"
NEVER = ("libcore/quantize/", "libcore/verify/", "libcore/generate/", "libcore/graph/diff/", "apps/ortool/run/model_run.cpp",
         "providers/cuda/", "providers/onednn/", "providers/modules/", "providers/cpu/custom/", "apps/ortool/bench/",
         "apps/ortool/quantize/", "apps/ortool/optimize/")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def choose(root, lines, folder):
    operators = os.path.join(folder, "operators.txt")
    with open(operators, "w", encoding="utf-8") as file:
        file.write(lines)
    script = os.path.join(root, "cmake", "minimal", "choose_sources.py")
    return subprocess.run([sys.executable, "-B", script, root, operators, os.path.join(folder, "out")], text=True,
                          capture_output=True, check=False)


def family_lists(folder, top, name):
    for path, _, files in sorted(os.walk(os.path.join(folder, top))):
        for file in sorted(files):
            if re.fullmatch(name, file):
                full = os.path.join(path, file)
                yield os.path.relpath(full, folder), read(full)


def entries(text):
    return {first or second for first, second in ENTRY.findall(text)} - {"Op"}


def kernel_functions(text):
    return set(re.findall(r"\bfile\((\w+_kernels)\)", text))


def built_binary_functions(out):
    """The epilogue of convolutions adds; nothing else of three operators without arithmetic needs a function."""
    return set(re.findall(r"(?:BinaryOp|Comparison)::(\w+)", read(os.path.join(out, BUILT_FUNCTIONS))))


def expect(condition, message):
    if not condition:
        sys.exit(f"check_choice.py: {message}")


def all_operators(root):
    """Every operator, by the script's own reading of the schemas."""
    sys.dont_write_bytecode = True
    sys.path.insert(0, os.path.join(root, "cmake", "minimal"))
    import choose_sources  # pylint: disable=import-outside-toplevel
    tree = choose_sources.Tree(root)
    structs, _ = choose_sources.operator_structs(tree)
    session = re.findall(r"session_entry<(\w+)>\(", tree.texts["libcore/ops/session/list.cpp"])
    chosen = set().union(*structs.values())
    chosen |= {("ortool", op_type) for name in session for _, op_type in structs.get(name, ())}
    return "\n".join(f"{domain or 'ai.onnx'} {op_type}" for domain, op_type in sorted(chosen))


def check_whole(root):
    with tempfile.TemporaryDirectory() as folder:
        result = choose(root, all_operators(root), folder)
        expect(result.returncode == 0, f"with all operators: {result.stderr}")
        out, count = os.path.join(folder, "out"), 0
        for path, text in family_lists(root, "libcore/ops", r"\w*list\.cpp"):
            kept = entries(read(os.path.join(out, path)))
            expect(kept == entries(text), f"{path}: lacks {sorted(entries(text) - kept)} with all operators chosen")
            count += len(kept)
        for path, text in family_lists(root, "providers/cpu", r"list\.cpp"):
            kept = kernel_functions(read(os.path.join(out, path)))
            expect(kept == kernel_functions(text),
                   f"{path}: lacks {sorted(kernel_functions(text) - kept)} with all operators chosen")
        functions = read(os.path.join(out, BUILT_FUNCTIONS))
        names = re.findall(r"^  (\w+),?", read(os.path.join(root, "kernels/cpu/elementwise/binary_op.hpp")), re.M)
        lacking = [name for name in names if f"BinaryOp::{name}" not in functions]
        expect(len(names) == 14 and not lacking, f"{BUILT_FUNCTIONS}: lacks {lacking} with all operators chosen")
        expect("Comparison::equal" in functions and "Comparison::less" in functions,
               f"{BUILT_FUNCTIONS}: lacks comparisons with all operators chosen")
        features = read(os.path.join(out, BUILT_FEATURES))
        names = re.findall(r"^  (\w+),", read(os.path.join(root, "kernels/cpu/isa/unary_op.hpp")), re.M)
        lacking = [name for name in names if f"UnaryOp::{name}" not in features]
        expect(len(names) > 40 and not lacking, f"{BUILT_FEATURES}: lacks {lacking} with all operators chosen")
        expect("has_winograd = true" in features and "has_16_bit_floats = true" in features
               and "has_all_tiles = false" in features,
               f"{BUILT_FEATURES}: kernels are left out without a line that says so")
        expect(count > 400, f"only {count} operators were found in the lists: their form has changed")
        return count


def check_few(root):
    with tempfile.TemporaryDirectory() as folder:
        result = choose(root, "# a comment\nConv\nai.onnx Relu  # another\nortool Reorder\n", folder)
        expect(result.returncode == 0, f"with three operators: {result.stderr}")
        out = os.path.join(folder, "out")
        kept = set().union(*(entries(text) for _, text in family_lists(out, "libcore/ops", r"list\.cpp")))
        expect(kept == {"Conv", "Relu", "Reorder"}, f"the catalog has {sorted(kept)} instead of Conv, Relu and Reorder")
        sources = read(os.path.join(out, "sources.txt")).splitlines()
        relative = [os.path.relpath(path, out if path.startswith(out) else root) for path in sources]
        for prefix in NEVER:
            wrong = [path for path in relative if path.startswith(prefix)]
            expect(not wrong, f"{wrong[:1]} is in a minimal build")
        for wanted in ("providers/cpu/conv/conv_nchw.cpp", "libcore/runtime/session.cpp", "apps/ortool/main.cpp"):
            expect(wanted in relative, f"{wanted} is missing from the build")
        expect(built_binary_functions(out) == {"add"}, f"binary functions besides add: {built_binary_functions(out)}")
        expect("providers/cpu/gemm/matmul.cpp" not in relative, "a build without MatMul has its kernels")
        rows = set(re.findall(r'op_type == "([^"]+)"', read(os.path.join(out, BUILT_ROWS))))
        expect(rows == {"*", "Conv", "Relu", "Reorder"}, f"{BUILT_ROWS}: the rows of {sorted(rows)} are built")
        check_rows(out)
        features = read(os.path.join(out, BUILT_FEATURES))
        expect("UnaryOp::relu" in features and "UnaryOp::tanh" not in features,
               f"{BUILT_FEATURES}: expected relu, but not tanh, for Relu and a convolution's epilogue")
        return len(sources)


def check_without(root):
    """Lines that leave out kernels."""
    with tempfile.TemporaryDirectory() as folder:
        result = choose(root, "Conv\nwithout winograd\nwithout 16-bit-floats\n", folder)
        expect(result.returncode == 0, f"without two kinds of kernels: {result.stderr}")
        features = read(os.path.join(folder, "out", BUILT_FEATURES))
        expect("has_winograd = false" in features and "has_16_bit_floats = false" in features,
               f"{BUILT_FEATURES}: what the list leaves out is built: {features}")
        rows = read(os.path.join(folder, "out", BUILT_ROWS))
        expect("row.types != fp16_type_names" in rows, f"{BUILT_ROWS}: rows for 16-bit floats are built")


def check_rows(out):
    """Each file of kernels returns the rows of chosen operators."""
    count = 0
    for path, text in family_lists(out, "providers/cpu", r"\w+\.cpp"):
        for body in re.findall(r"^std::span<const KernelRow> \w+\(\) \{\n(.*?)^\}", text, re.M | re.S):
            expect("built_rows<" in body, f"{path}: returns all rows: {body}")
            count += 1
    expect(count > 2, f"only {count} files of kernels were found: their form has changed")


def check_refused(root):
    for lines, words in (("Conv\nai.onnx Conv twice\n", ":2: expected"), ("Convolution\n", "'ai.onnx Convolution'"),
                         ("# nothing\n", "lists no operator"), ("Conv\nwithout winograds\n", ":2: 'winograds' cannot")):
        with tempfile.TemporaryDirectory() as folder:
            result = choose(root, lines, folder)
            expect(result.returncode != 0 and words in result.stderr, f"{lines!r} gave {result.stderr!r}")
            expect(not os.path.exists(os.path.join(folder, "out", "sources.txt")), f"{lines!r} left files")


def main():
    root = os.path.abspath(sys.argv[1])
    count = check_whole(root)
    files = check_few(root)
    check_without(root)
    check_refused(root)
    print(f"{count} operators with all chosen, {files} files with three")


if __name__ == "__main__":
    main()
