# More broken models: wire format, tensors, external data, graphs and functions.
import struct

from onnx_bytes import (block, external, function, graph, int64s, integer, ints, model, node, number, one, real,
                        subgraph, tensor, value, varint)

RELU = node("Relu", ["x"], ["y"], name="op")
X, Y = [value("x")], [value("y")]
PLAIN = graph([RELU], X, Y)


def with_constant(content, functions=()):
    return model(graph([RELU], X, Y, [content]), functions)


def tensor_attribute(content):
    return block(1, "value") + block(5, content) + integer(20, 4)


def body(nodes, inputs=("a",), outputs=("b",), name="f", attributes=(), opsets=((None, 17), ("my", 1))):
    out = block(1, name) + b"".join(block(4, each) for each in inputs) + b"".join(block(5, each) for each in outputs)
    out += b"".join(block(6, each) for each in attributes) + block(10, "my")
    out += b"".join(block(7, each) for each in nodes)
    return out + b"".join(block(9, (block(1, domain) if domain else b"") + integer(2, version))
                          for domain, version in opsets)


def floats(*numbers):
    return struct.pack(f"<{len(numbers)}f", *numbers)


def make_wire(add):
    add("field_number_huge", integer(1, 8) + varint(1 << 32 | 2) + b"\0", 2)
    add("wire_type_6", integer(1, 8) + b"\x0e\x01", 2, "wire type")
    add("wire_type_7", integer(1, 8) + b"\x0f\x01", 2, "wire type")
    add("group_ends_unopened", integer(1, 8) + b"\x0c", 2)
    add("group_ends_another", integer(1, 8) + b"\xfb\x06\xf4\x06", 2)
    add("varint_of_ten_high_bytes", b"\x08" + b"\xff" * 9 + b"\x7f", 2, "64 bits")
    add("varint_cut", b"\x08\x80\x80", 2, "the file ends")
    add("fixed32_cut", model(PLAIN) + b"\xfd\x06\0\0", 2, "the file ends")
    add("fixed64_cut", model(PLAIN) + b"\xf9\x06\0\0\0\0", 2, "the file ends")
    add("graph_empty_then_cut", integer(1, 8) + b"\x3a", 2, "the file ends")
    add("opset_message_cut", integer(1, 8) + block(7, PLAIN) + b"\x42\x05\x10", 2)
    add("node_message_cut", integer(1, 8) + block(7, b"\x0a\x02\x22"), 2)
    add("ints_in_bytes", model(graph([node("Transpose", ["x"], ["y"], [block(1, "perm") + block(8, b"\x80") +
                                                                      integer(20, 7)], "op")], X, Y)), 2)
    add("floats_packed_not_whole", one("Constant", [block(1, "value_floats") + block(7, bytes(6)) + integer(20, 6)]),
        2, "whole")
    for name, magic, text in (("gzip", b"\x1f\x8b\x08\0", "a gzip archive"), ("hdf5", b"\x89HDF\r\n\x1a\n", "HDF5"),
                              ("tflite", b"\x1c\0\0\0TFL3", "TensorFlow Lite"), ("gguf", b"GGUF\3\0\0\0", "GGUF"),
                              ("pickle", b"\x80\x02}q\0", "pickle"), ("png", b"\x89PNG\r\n\x1a\n", "PNG"),
                              ("numpy_array", b"\x93NUMPY\1\0", "NumPy"), ("elf", b"\x7fELF\2\1\1", "an executable"),
                              ("xz", b"\xfd7zXZ\0", "xz"), ("pdf", b"%PDF-1.4\n", "PDF"),
                              ("json", b'{"graph": [1, 2]}\n', "text"), ("html_upper", b"<HTML><body>", "a web page")):
        add("format_" + name, magic + bytes(24) if name not in ("json", "html_upper") else magic, 2, text)


def make_tensors(add):
    def bad(name, content, text="", code=2):
        add("tensor_" + name, with_constant(content), code, text)
    bad("floats_short", tensor("w", [3], 1, None, block(4, floats(1, 2))), "2 values")
    bad("floats_long", tensor("w", [1], 1, None, block(4, floats(1, 2))), "2 values")
    bad("int32_long", tensor("w", [1], 6, None, block(5, b"\1\2")), "2 values")
    bad("int64_unpacked_short", tensor("w", [3], 7, None, integer(7, 1)), "1 values")
    bad("doubles_short", tensor("w", [2], 11, None, block(10, bytes(8))), "1 values")
    bad("uint64_long", tensor("w", [1], 13, None, block(11, b"\1\2")), "2 values")
    bad("uint32_above", tensor("w", [1], 12, None, block(11, varint(1 << 32))), "4294967296")
    bad("strings_short", tensor("w", [2], 8, None, block(6, "a")), "1 values")
    bad("strings_in_floats", tensor("w", [1], 8, None, block(4, floats(1))))
    bad("complex64_odd", tensor("w", [1], 14, None, block(4, floats(1))))
    bad("complex128_short", tensor("w", [2], 15, bytes(24)), "24 bytes")
    bad("float16_above", tensor("w", [1], 10, None, integer(5, 70000)), "70000")
    bad("int8_below", tensor("w", [1], 3, None, integer(5, -129)), "-129")
    bad("int16_above", tensor("w", [1], 5, None, integer(5, 40000)), "40000")
    bad("int4_above", tensor("w", [1], 22, None, integer(5, 300)), "300")
    bad("int4_too_long", tensor("w", [3], 22, bytes(3)), "3 bytes")
    bad("uint2_too_short", tensor("w", [9], 25, bytes(2)), "2 bytes")
    bad("float4_too_long", tensor("w", [2], 23, bytes(2)), "2 bytes")
    bad("float8_short", tensor("w", [4], 17, bytes(3)), "3 bytes")
    bad("raw_not_whole", tensor("w", [1], 1, bytes(5)), "5 bytes")
    bad("scalar_of_two", tensor("w", [], 1, bytes(8)), "8 bytes")
    bad("empty_with_bytes", tensor("w", [0], 1, bytes(4)), "4 bytes")
    bad("dims_product_2_63", tensor("w", [1 << 31, 1 << 32], 1, bytes(4)), "limit")
    bad("dims_least", tensor("w", [-(1 << 63)], 1, bytes(4)), "negative")
    bad("strings_huge_count", tensor("w", [1 << 40], 8), "")
    bad("type_negative", tensor("w", [1], -1, bytes(4)), "-1", 5)
    bad("location_unknown", tensor("w", [1], 1, bytes(4), integer(14, 7)), "location")
    bad("external_and_raw", tensor("w", [1], 1, bytes(4), integer(14, 1) + block(13, block(1, "location") +
                                                                              block(2, "weights.bin"))))
    bad("without_name", b"".join([integer(1, 1), integer(2, 1), block(9, bytes(4))]), "no name")
    values = tensor("w", [1], 1, bytes(4))

    def sparse(name, content, text=""):
        add("sparse_" + name, model(graph([RELU], X, Y, more=block(15, content))), 2, text)
    sparse("without_values", block(2, int64s("i", [0])) + integer(3, 4))
    sparse("without_indices", block(1, values) + integer(3, 4))
    sparse("negative_index", block(1, values) + block(2, int64s("i", [-1])) + integer(3, 4), "outside")
    sparse("negative_dimension", block(1, values) + block(2, int64s("i", [0])) + integer(3, -4), "negative")
    sparse("float_indices", block(1, values) + block(2, tensor("i", [1], 1, bytes(4))) + integer(3, 4))
    sparse("more_indices", block(1, values) + block(2, int64s("i", [0, 1])) + integer(3, 4))
    sparse("index_rank_3", block(1, values) + block(2, tensor("i", [1, 1, 1], 7, bytes(8))) + integer(3, 4))
    sparse("index_columns", block(1, values) + block(2, tensor("i", [1, 3], 7, bytes(24))) + integer(3, 4) +
           integer(3, 4))
    sparse("unsorted", block(1, tensor("w", [2], 1, bytes(8))) + block(2, int64s("i", [3, 1])) + integer(3, 4))
    sparse("index_twice", block(1, tensor("w", [2], 1, bytes(8))) + block(2, int64s("i", [1, 1])) + integer(3, 4))
    sparse("dims_huge", block(1, values) + block(2, int64s("i", [0])) + integer(3, 1 << 62) + integer(3, 1 << 62))


def make_external(add):
    def bad(name, entries, text="external data", code=2):
        add("external_" + name, with_constant(external("w", [2], entries)), code, text)
    weights = ("location", "weights.bin")
    for name, location in (("dot_then_climb", "./../secret"), ("climb_only", ".."), ("two_slashes", "//etc/passwd"),
                           ("deep_climb", "a/b/../../../secret"), ("climb_at_end", "a/.."), ("zero_first", "\0"),
                           ("memory_marker", "*/_ORT_MEM_ADDR_/*"), ("drive", "C:\\Windows\\win.ini"),
                           ("home", "~/.profile"), ("below_a_file", "weights.bin/x"), ("slash_at_end", "weights.bin/"),
                           ("dot", "./."), ("control_bytes", "a\x1b[2Jb"), ("proc", "/proc/self/mem"),
                           ("device", "/dev/zero"), ("backslash_climb", "..\\secret"), ("url", "http://localhost/w")):
        bad(name, [("location", location)])
    for name, text in (("plus", "+4"), ("hex", "0x4"), ("space", " 4"), ("nothing", ""), ("point", "4.0"),
                       ("exponent", "1e1"), ("minus_zero", "-0"), ("zero_byte", "4\0")):
        bad("offset_" + name, [weights, ("offset", text)], "not an integer")
    bad("length_negative", [weights, ("length", "-1")], "not an integer")
    bad("length_2_64", [weights, ("length", str(1 << 64))], "not an integer")
    bad("length_huge", [weights, ("length", str((1 << 64) - 1))], "8")
    bad("offset_at_end", [weights, ("offset", "8")], "too few")
    bad("offset_twice", [weights, ("offset", "0"), ("offset", "0")], "two entries")
    climb = external("w", [2], [("location", "../secret")])
    add("external_in_constant", one("Constant", [tensor_attribute(climb)]), 2, "external data")
    inner = graph([], (), [value("w")], [climb])
    add("external_in_subgraph", model(graph([node("If", ["x"], ["y"], [subgraph("then_branch", inner)], "op")],
                                            [value("x", (), 9)], Y)), 2, "external data")
    constant = node("Constant", [], ["b"], [tensor_attribute(climb)])
    add("external_in_function", model(PLAIN, [body([constant])]), 2, "external data")
    add("external_in_sparse", model(graph([RELU], X, Y, more=block(15, block(1, climb) +
                                                                  block(2, int64s("i", [0, 1])) + integer(3, 4)))), 2,
        "external data")
    strings = tensor("w", [2], 8, None, integer(14, 1) + block(13, block(1, "location") + block(2, "weights.bin")))
    add("external_strings", with_constant(strings), 2, "")
    add("external_huge_shape", with_constant(external("w", [1 << 50], [weights])), 2)


def make_graphs(add):
    def bad(name, content, text="", code=2):
        add(name, content, code, text)
    bad("initializer_without_name", with_constant(int64s("", [1])), "no name")
    bad("output_without_name", model(graph([RELU], X, [value("")])), "graph output ''")
    bad("input_without_name", model(graph([RELU], X + [value("")], Y)), "no name")
    long_cycle = [node("Relu", [f"v{(i + 1) % 500}"], [f"v{i}"]) for i in range(500)]
    bad("cycle_of_500", model(graph(long_cycle, X, [value("v0")])), "cycle")
    loop_capture = graph([node("Relu", ["later"], ["b"])], (), [value("b")])
    bad("cycle_through_subgraph",
        model(graph([node("If", ["x"], ["y"], [subgraph("then_branch", loop_capture)], "op"),
                     node("Relu", ["y"], ["later"])], [value("x", (), 9)], Y)), "cycle")
    hidden = graph([node("Relu", ["nothing"], ["b"])], (), [value("b")])
    bad("undefined_in_subgraph", model(graph([node("If", ["x"], ["y"], [subgraph("then_branch", hidden)], "op")],
                                             [value("x", (), 9)], Y)), "'nothing'")
    bad("undefined_subgraph_output",
        model(graph([node("If", ["x"], ["y"], [subgraph("then_branch", graph([], (), [value("q")]))], "op")],
                    [value("x", (), 9)], Y)), "'q'")
    twice = graph([node("Relu", ["x"], ["b"]), node("Abs", ["x"], ["b"])], (), [value("b")])
    bad("value_twice_in_subgraph", model(graph([node("If", ["x"], ["y"], [subgraph("then_branch", twice)], "op")],
                                               [value("x", (), 9)], Y)), "'b'")
    bad("attribute_graph_missing", one("If", [block(1, "then_branch") + integer(20, 5)]), "")
    bad("attributes_600", one("Relu", [number(f"a{i}", i) for i in range(600)]), "attributes")
    bad("input_rank_65", model(graph([RELU], [value("x", [1] * 65)], Y)), "dimensions")
    bad("input_dimension_least", model(graph([RELU], [value("x", (-(1 << 63),))], Y)), "negative")
    bad("input_element_negative", model(graph([RELU], [value("x", (2,), -3)], Y)), "", 5)
    bad("opset_negative", model(PLAIN, opset=-5), "opset")
    bad("opset_two_versions", model(PLAIN, more=block(8, integer(2, 13))), "versions")
    bad("function_undefined_value", model(PLAIN, [body([node("Relu", ["q"], ["b"])])]), "'q'")
    bad("function_undefined_output", model(PLAIN, [body([node("Relu", ["a"], ["c"])])]), "'b'")
    bad("function_input_twice", model(PLAIN, [body([node("Relu", ["a"], ["b"])], inputs=("a", "a"))]), "already")
    bad("function_without_name", model(PLAIN, [body([node("Relu", ["a"], ["b"])], name="")]), "no name")
    bad("function_cycle_of_50", model(PLAIN, [function(f"f{i}", [f"f{(i + 1) % 50}"]) for i in range(50)]), "cycle")
    bad("function_cycle_in_subgraph",
        model(PLAIN, [body([node("If", ["a"], ["b"], [subgraph("then_branch", graph(
            [node("f", ["a"], ["c"], domain="my")], (), [value("c")]))])])]), "cycle")
    wide = [node("f1", ["a"], [f"b{i}"], domain="my") for i in range(1000)]
    many = [node("Relu", ["a"], [f"b{i}"]) for i in range(1100)]
    bad("function_wide", model(graph([node("f0", ["x"], ["y"], name="op", domain="my")], X, Y),
                               [body(wide, outputs=("b0",), name="f0"), body(many, outputs=("b0",), name="f1")]),
        "nodes")
    add("type_map_of_floats", model(graph([RELU], [block(1, "x") + block(2, block(5, integer(1, 1) + block(2, b"")))], Y)),
        2, "does not accept", "look")
    add("type_sequence_empty", model(graph([RELU], [block(1, "x") + block(2, block(4, b""))], Y)),
        2, "does not accept", "look")


def make_checks(add):
    def check(name, content, code, rule):
        add("check_" + name, content, code, rule, "check")
    check("two_undefined", model(graph([node("Add", ["p", "q"], ["y"])], X, Y)), 2, "graph.undefined")
    check("unsorted", model(graph([node("Relu", ["a"], ["y"]), node("Abs", ["x"], ["a"])], X, Y)), 0, "graph.order")
    check("opset_missing", one("Op", domain="other"), 2, "opset.missing")
    check("opset_twice", model(PLAIN, more=block(8, integer(2, 17))), 0, "opset.doubled")
    check("opset_newer", model(PLAIN, opset=99), 0, "opset.newer")
    check("ir_newer", integer(1, 99) + block(8, integer(2, 17)) + block(7, PLAIN), 0, "model.ir_newer")
    check("ir_missing", block(8, integer(2, 17)) + block(7, PLAIN), 0, "model.ir_missing")
    check("no_opset", integer(1, 8) + block(7, graph([RELU], X, Y)), 0, "opset.none")
    check("functions_too_early", integer(1, 7) + block(8, integer(2, 17)) + block(7, PLAIN) +
          block(25, body([node("Relu", ["a"], ["b"])])), 0, "model.ir_feature")
    check("function_unused", model(PLAIN, [body([node("Relu", ["a"], ["b"])])]), 0, "function.unused")
    check("function_opset", model(PLAIN, [body([node("Relu", ["a"], ["b"])], opsets=((None, 13),))]), 0,
          "function.opset")
    reference = block(1, "alpha") + block(21, "beta") + integer(20, 1)
    check("reference_unknown", model(PLAIN, [body([node("LeakyRelu", ["a"], ["b"], [reference])])]), 2,
          "function.attribute")
    check("reference_outside", one("LeakyRelu", [reference]), 2, "attribute.reference")
    check("function_too_many_inputs", model(graph([node("f", ["x", "x"], ["y"], domain="my")], X, Y),
                                            [body([node("Relu", ["a"], ["b"])])]), 2, "node.arity")
    check("metadata_twice", model(PLAIN, more=block(14, block(1, "k")) * 2), 2, "model.metadata")
    check("name_not_utf8", model(graph([node("Relu", ["x"], ["y"])], X, Y) + block(10, b"")).replace(b"\x12\x01g",
                                                                                                 b"\x12\x01\xff"), 0,
          "name.utf8")
    check("name_control", model(graph([node("Relu", ["x"], ["y"], name="a\tb")], X, Y)), 0, "name.control")
    check("node_name_twice", model(graph([node("Relu", ["x"], ["a"], name="n"), node("Abs", ["a"], ["y"], name="n")],
                                         X, Y)), 0, "name.node_repeated")
    check("shape_missing", model(graph([RELU], [block(1, "x") + block(2, block(1, integer(1, 1)))], Y)), 0,
          "graph.shape_missing")
    check("output_type_missing", model(graph([RELU], X, [block(1, "y")])), 0, "graph.output_type")
    check("initializer_unused", with_constant(int64s("w", [1])), 0, "initializer.unused")
    check("node_unused", model(graph([RELU, node("Abs", ["x"], ["z"])], X, Y)), 0, "node.unused")
    check("input_unused", model(graph([RELU], X + [value("z")], Y)), 0, "input.unused")
    check("shape_contradicts", model(graph([RELU], X, [value("y", (3,))])), 0, "value.shape")
    check("type_contradicts", model(graph([RELU], X, [value("y", (2,), 7)])), 2, "value.type")
    check("value_info_unknown", model(graph([RELU], X, Y, more=block(13, value("ghost")))), 0, "value_info.unknown")
    check("value_info_twice", model(graph([RELU], X, Y, more=block(13, value("y")) * 2)), 0, "value_info.repeated")
    inner = graph([node("Abs", ["x"], ["a"])], (), [value("a")])
    holder = node("Op", ["x"], ["y"], [subgraph("inner", inner)], "op", "my")
    check("redefined", model(graph([node("Abs", ["x"], ["a"]), holder], X, Y)), 2, "value.redefined")
    check("shadowed", model(graph([holder, node("Abs", ["x"], ["a"])], X, Y)), 0, "value.shadowed")
    check("early_operator", one("SimplifiedLayerNormalization", constants=[tensor("w", [2], 1, floats(1, 2))],
                                extra=["w"]), 0, "node.operator.early")
    wrap = block(1, "mode") + block(4, "wrap") + integer(20, 3)
    check("early_value", one("Pad", [wrap], constants=[int64s("p", [1, 0])], extra=["p"]), 0, "node.attribute.early")
    check("operator_foreign", model(graph([node("PagedAttention", ["x"], ["y"], (), "op", "com.microsoft")], X, Y),
                                    more=block(8, block(1, "com.microsoft") + integer(2, 1))), 0, "node.operator.foreign")
    check("operator_later", one("Gelu"), 2, "node.operator.unknown")
    check("operator_gone", one("Upsample", constants=[tensor("w", [1], 1, floats(2))], extra=["w"]), 2,
          "node.operator.deprecated")
    check("attributes_both_wrong", one("LeakyRelu", [number("alpha", 1), number("colour", 1)]), 2,
          "node.attribute.unknown")
    check("input_left_out", one("Add", extra=[""]), 2, "node.arity")
    check("types_differ", one("Add", constants=[int64s("w", [1, 2])], extra=["w"]), 2, "node.type")
    check("external_all", model(graph([RELU], X, Y, [external("w", [2], [("location", "../a")]),
                                                    external("v", [2], [("location", "nowhere")])])), 2,
          "external.missing")
    check("attribute_and_order", model(graph([node("Softmax", ["a"], ["y"], [number("axis", 9)], "op"),
                                              node("Abs", ["x"], ["a"])], X, Y)), 2, "node.invalid")
    check("ints_unsorted_perm", one("Transpose", [ints("perm", [0, 0])], (2, 2)), 2, "node.invalid")


def make(add):
    make_wire(add)
    make_tensors(add)
    make_external(add)
    make_graphs(add)
    make_checks(add)
