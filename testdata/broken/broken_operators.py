# Nodes whose attributes or inputs violate an operator's rules, one operator per model.
from onnx_bytes import graph, int64s, ints, model, node, number, one, real, tensor, value

Y = [value("y")]


def make_first(add):
    def run(name, content, code, text=""):
        add(name, content, code, text, "run")
    image, kernel = (1, 1, 5, 5), [tensor("w", [1, 1, 3, 3], raw=bytes(36))]
    run("unknown_operator", one("NoSuchOperator"), 5, "NoSuchOperator")
    run("unknown_domain", one("Relu", domain="nowhere"), 5, "nowhere")
    run("unknown_opset", one("Relu", opset=9999), 5, "Relu-9999")
    run("unknown_attribute", one("Relu", [number("colour", 3)]), 2, "colour")
    run("attribute_of_wrong_kind", one("Softmax", [real("axis", 1)]), 2, "axis")
    run("attribute_missing", one("Cast"), 2, "to")
    run("too_many_inputs", one("Relu", extra=["x"]), 2)
    run("too_few_inputs", one("Add"), 2)
    run("too_many_outputs", one("Relu", outputs=("y", "z")), 2)
    run("axis_outside", one("Softmax", [number("axis", 5)]), 2, "axis 5")
    run("axis_least", one("Softmax", [number("axis", -(1 << 63))]), 2, "axis")
    run("add_of_other_shape", one("Add", constants=[tensor("w", [3], raw=bytes(12))], extra=["w"]), 2)
    run("add_of_other_type", one("Add", constants=[int64s("w", [1, 2])], extra=["w"]), 2)
    run("conv_stride_zero", one("Conv", [ints("strides", [0, 0])], image, kernel, ["w"]), 2, "strid")
    run("conv_dilation_huge", one("Conv", [ints("dilations", [1 << 40] * 2)], image, kernel, ["w"]), 2)
    run("conv_pads_huge", one("Conv", [ints("pads", [1 << 62] * 4)], image, kernel, ["w"]), 2)
    run("conv_dilations_short", one("Conv", [ints("dilations", [1])], image, kernel, ["w"]), 2)
    run("conv_group_zero", one("Conv", [number("group", 0)], image, kernel, ["w"]), 2)
    run("pool_kernel_huge", one("MaxPool", [ints("kernel_shape", [1 << 40] * 2)], image), 2)
    run("reshape_huge", one("Reshape", constants=[int64s("w", [1 << 40])], extra=["w"]), 2)
    run("reshape_two_unknown", one("Reshape", constants=[int64s("w", [-1, -1])], extra=["w"]), 2)
    run("expand_huge", one("Expand", shape=(1,), constants=[int64s("w", [1 << 40])], extra=["w"]), 2, "limit")
    run("tile_huge", one("Tile", constants=[int64s("w", [1 << 60])], extra=["w"]), 2)
    fill = model(graph([node("ConstantOfShape", ["w"], ["y"], name="op")], (), Y, [int64s("w", [1 << 37])]))
    run("constant_of_shape_huge", fill, 6, "bytes")
    run("gather_outside", one("Gather", constants=[int64s("w", [7])], extra=["w"]), 2)
    run("transpose_twice_same", one("Transpose", [ints("perm", [0, 0])], (2, 2)), 2, "perm")
    run("concat_axis_outside", one("Concat", [number("axis", 3)]), 2, "axis")
    run("split_by_zero", one("Split", [number("axis", 0), number("num_outputs", 0)], opset=18), 2)
    run("matmul_mismatch", one("MatMul", shape=(2, 3), constants=[tensor("w", [4, 2], raw=bytes(32))], extra=["w"]), 2)
    run("divide_by_zero", one("Div", constants=[int64s("w", [0])], extra=["w"], element=7), 2)
    run("depth_to_space_huge", one("DepthToSpace", [number("blocksize", 1 << 32)], (1, 4, 1, 1)), 2)

def make(add):
    make_first(add)
