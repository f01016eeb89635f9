#!/usr/bin/env python3
# Makes small broken and hostile model files, and the table of the error that each must give.
"""Usage: make_broken.py [FOLDER]   (default: the folder of this script). Standard library only.

expected.tsv has one line per file: name, how it is opened, exit code, and a part of the error line. Ways to open it:
load: loading fails. look: it loads, and inspect refuses it. run: it fails when run, or earlier.
check: inspect --check ends with the code and reports the rule given in place of the error text.
input: given as the input x of good.onnx.
"""
import os
import sys

sys.dont_write_bytecode = True
import broken_inputs
import broken_models
import broken_new_operators
import broken_operators
from onnx_bytes import (block, external, function, graph, int64s, integer, model, node, one, real, subgraph, tensor,
                        value, varint)

FOLDER = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
ROWS = []


def write(name, content):
    with open(os.path.join(FOLDER, name), "wb") as file:
        file.write(content)


def add(name, content, code, text="", how="load"):
    name = name if "." in name else name + ".onnx"
    write(name, content)
    ROWS.append(f"{name}\t{how}\t{code}\t{text}")


WHOLE = one("Relu")
RELU = node("Relu", ["x"], ["y"], name="op")
X, Y = [value("x")], [value("y")]


def with_constant(content):
    return model(graph([RELU], X, Y, [content]))


def nested(depth):
    inner = graph([], (), [value("x")])
    for level in range(depth):
        outputs = [value(f"y{level}")]
        inputs = [value("x", (), 9)] if level + 1 == depth else []
        inner = graph([node("If", ["x"], [f"y{level}"], [subgraph("then_branch", inner)])], inputs, outputs)
    return inner


def make_wire():
    add("empty", b"", 2, "the file is empty")
    for cut in (1, 5, 12, 20, 40):
        add(f"cut_at_{cut}", WHOLE[:cut], 2, "")
    add("cut_at_end", WHOLE[:-1], 2, "the file ends here")
    add("zeros", bytes(64), 2, "field number 0")
    add("garbage", bytes((i * 73 + 41) % 251 for i in range(300)), 2, "")
    add("text", b"just some words\n", 2, "text")
    add("web_page", b"<!DOCTYPE html><html></html>", 2, "a web page")
    add("lfs_pointer", b"version https://git-lfs.github.com/spec/v1\nsize 5\n", 2, "Git LFS")
    add("zip", b"PK\x03\x04" + bytes(30), 2, "a zip archive")
    add("varint_too_long", b"\x08" + b"\xff" * 11, 2, "64 bits")
    add("length_past_file", integer(1, 8) + b"\x3a\xff\xff\xff\xff\x0f", 2, "declared")
    add("length_2_63", integer(1, 8) + b"\x3a" + varint(1 << 63), 2, "declared")
    add("length_past_message", integer(1, 8) + block(7, b"\x0a\x7f") + block(111, bytes(200)), 2, "declared")
    add("wrong_wire_type", integer(1, 8) + integer(7, 1), 2, "wire type")
    add("graph_twice", WHOLE + block(7, graph([], X, X)), 2, "given twice")
    add("groups_deep", WHOLE + b"\xfb\x06" * 5000, 2, "nest")
    add("group_unended", WHOLE + b"\xfb\x06", 2, "ends")
    add("no_graph", integer(1, 8), 2, "no graph")
    add("ir_version_negative", integer(1, -1) + block(7, graph([RELU], X, Y)), 2, "IR version")
    add("opset_zero", model(graph([RELU], X, Y), opset=0), 2, "opset")
    add("types_deep", model(graph([RELU], [block(1, "x") + block(2, sequence(200))], Y)), 2, "nest")


def sequence(depth):
    content = block(1, integer(1, 1))
    for _ in range(depth):
        content = block(4, block(1, content))
    return content


def make_tensors():
    add("raw_too_short", with_constant(tensor("w", [4], raw=bytes(15))), 2, "15 bytes")
    add("raw_too_long", with_constant(tensor("w", [4], raw=bytes(17))), 2, "17 bytes")
    add("raw_missing", with_constant(tensor("w", [4])), 2, "0 values")
    add("dims_huge", with_constant(tensor("w", [1 << 40, 1 << 40], raw=bytes(4))), 2, "limit")
    add("dims_wrap_to_zero", with_constant(tensor("w", [1 << 32, 1 << 32], raw=b"")), 2, "limit")
    add("dims_big_but_legal", with_constant(tensor("w", [1 << 36], raw=bytes(4))), 2, "4 bytes")
    add("dims_negative", with_constant(tensor("w", [-4], raw=bytes(16))), 2, "negative")
    add("rank_65", with_constant(tensor("w", [1] * 65, raw=bytes(4))), 2, "dimensions")
    add("type_unknown", with_constant(tensor("w", [1], 99, bytes(4))), 5, "element type 99")
    add("type_missing", with_constant(tensor("w", [1], 0, bytes(4))), 2, "no element type")
    add("input_type_unknown", model(graph([RELU], [value("x", (2,), 77)], Y)), 5, "element type 77")
    add("input_type_missing", model(graph([RELU], [block(1, "x")], Y)), 2, "no type")
    add("input_dimension_negative", model(graph([RELU], [value("x", (-7,))], Y)), 2, "negative")
    add("data_in_wrong_field", with_constant(tensor("w", [1], 1, None, integer(7, 5))), 2, "float_data")
    add("data_twice", with_constant(tensor("w", [1], 1, bytes(4), block(4, bytes(4)))), 2, "both")
    add("typed_data_short", with_constant(tensor("w", [3], 7, None, block(7, b"\1\2"))), 2, "2 values")
    add("packed_not_whole", with_constant(tensor("w", [1], 1, None, block(4, bytes(5)))), 2, "whole")
    add("int4_too_short", with_constant(tensor("w", [9], 22, bytes(4))), 2, "4 bytes")
    add("uint8_out_of_range", with_constant(tensor("w", [1], 2, None, integer(5, 300))), 2, "300")
    add("strings_in_raw", with_constant(tensor("w", [1], 8, bytes(4))), 2, "string")
    add("segment", with_constant(tensor("w", [1], 1, bytes(4), block(3, integer(1, 0)))), 5, "segment")
    sparse = block(1, tensor("w", [1], 1, bytes(4))) + block(2, int64s("i", [9])) + integer(3, 4)
    add("sparse_index_outside", model(graph([RELU], X, Y, more=block(15, sparse))), 2, "outside")
    bomb = block(1, tensor("w", [1], 1, bytes(4))) + block(2, int64s("i", [0])) + integer(3, 1 << 37)
    add("sparse_bomb", model(graph([RELU], X, Y, more=block(15, bomb))), 6, "sparse")


def make_external():
    def with_entries(*entries):
        return with_constant(external("w", [2], entries))
    for name, location in (("traversal", "../secret"), ("traversal_inside", "a/../../secret"),
                           ("absolute", "/etc/hostname"), ("zero_byte", "a\0b"), ("long", "a" * 5000),
                           ("empty", "")):
        add(f"external_{name}", with_entries(("location", location)), 2, "external data")
    add("external_missing", with_entries(("location", "no-such-file.bin")), 2, "missing")
    add("external_folder", with_entries(("location", ".")), 2, "folder")
    add("external_without_location", with_entries(), 2, "no location")
    weights = ("location", "weights.bin")
    add("external_past_end", with_entries(weights, ("offset", "4")), 2, "too few")
    add("external_offset_wraps", with_entries(weights, ("offset", str((1 << 64) - 4))), 2, "too few")
    add("external_offset_negative", with_entries(weights, ("offset", "-8")), 2, "not an integer")
    add("external_offset_too_big", with_entries(weights, ("offset", "9" * 30)), 2, "not an integer")
    add("external_length_wrong", with_entries(weights, ("length", "4")), 2, "4 bytes")
    add("external_length_text", with_entries(weights, ("length", "8 ")), 2, "not an integer")
    add("external_location_twice", with_entries(weights, weights), 2, "two entries")
    write("weights.bin", bytes(8))


def make_graphs():
    add("cycle", model(graph([node("Add", ["x", "b"], ["a"], name="one"), node("Relu", ["a"], ["b"], name="two")],
                             X, [value("b")])), 2, "cycle")
    add("self_loop", model(graph([node("Add", ["x", "y"], ["y"], name="op")], X, Y)), 2, "itself")
    add("undefined_input", one("Add", extra=["nothing"]), 2, "'nothing'")
    add("undefined_output", model(graph([RELU], X, [value("z")])), 2, "'z'")
    add("output_name_twice", model(graph([RELU, node("Abs", ["x"], ["y"])], X, Y)), 2, "'Abs_1' (Abs): the name 'y'")
    add("input_name_twice", model(graph([RELU], X + X, Y)), 2, "already")
    weights = int64s("w", [1])
    add("initializer_twice", model(graph([RELU], X, Y, [weights, weights])), 2, "already")
    add("output_named_as_input", model(graph([node("Relu", ["x"], ["x"])], X, X)), 2, "'Relu_0' (Relu): the name 'x'")
    add("default_of_other_type", model(graph([RELU], X, Y, [int64s("x", [1])])), 2, "default")
    add("no_operator_type", model(graph([node("", ["x"], ["y"])], X, Y)), 2, "operator type")
    add("attribute_twice", one("LeakyRelu", [real("alpha", 1), real("alpha", 2)]), 2, "twice")
    add("attribute_kind_confused", one("LeakyRelu", [block(1, "alpha") + integer(3, 1) + integer(20, 1)]), 2,
        "holds int")
    add("attribute_kind_99", one("LeakyRelu", [block(1, "alpha") + integer(20, 99)]), 2, "type 99")
    add("attribute_without_name", one("LeakyRelu", [real("", 1)]), 2, "no name")
    add("subgraphs_deep", model(nested(60)), 2, "deeper")
    add("subgraph_reads_own_output",
        model(graph([node("If", ["x"], ["y"], [subgraph("then_branch", graph([], (), Y))], "op")],
                    [value("x", (), 9)], Y)), 2, "itself")
    relu = graph([RELU], X, Y)
    add("function_cycle", model(relu, [function("f", ["g"]), function("g", ["f"])]), 2, "cycle")
    add("function_calls_itself", model(relu, [function("f", ["f"])]), 2, "cycle")
    add("function_twice", model(relu, [function("f", []), function("f", [])]), 2, "twice")
    add("function_doubling", model(relu, [function(f"f{i}", [f"f{i + 1}"] * 2) for i in range(40)]), 2, "nodes")
    add("function_deep", model(relu, [function(f"f{i}", [f"f{i + 1}"]) for i in range(300)]), 2, "deep")
    add("control_bytes", one("Add", extra=["\x1b[31mred\n"]), 2, "\\x1b")
    add("name_of_100_kb", one("Add", extra=["n" * 100000]), 2, "...")


def main():
    make_wire()
    make_tensors()
    make_external()
    make_graphs()
    broken_operators.make(add)
    broken_new_operators.make(add)
    broken_inputs.make(add, write)
    broken_models.make(add)
    with open(os.path.join(FOLDER, "expected.tsv"), "w", encoding="utf-8") as file:
        file.write("\n".join(ROWS) + "\n")
    print(f"{len(ROWS)} files")


if __name__ == "__main__":
    main()
