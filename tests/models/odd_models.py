# Small unusual models as exporters write them: nested functions, weights outside If, early operators, unsorted nodes.
import numpy as np
from onnx import TensorProto, helper, numpy_helper

_N = 32


def value(name, shape, element=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, element, shape)


def graph(name, nodes, inputs, outputs, constants=()):
    return helper.make_graph(nodes, name, inputs, outputs,
                             [numpy_helper.from_array(array, key) for key, array in constants])


def model(nodes, inputs, outputs, constants=(), opset=17, functions=(), domains=()):
    imports = [helper.make_opsetid("", opset)] + [helper.make_opsetid(domain, 1) for domain in domains]
    return helper.make_model(graph("g", nodes, inputs, outputs, constants), opset_imports=imports, ir_version=8,
                             functions=list(functions))


def rows(name):
    return value(name, ["n", _N])


def weights(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape or (_N, _N)).astype(np.float32) / 4


FLAG = value("c", [], TensorProto.BOOL)


def imputer():
    """Functions with If inside, called from bodies of If, each with its own values X, as in skl2onnx's KNNImputer."""
    imports = [helper.make_opsetid("", 18), helper.make_opsetid("my", 1)]
    inner = helper.make_function(
        "my", "pick", ["c", "v"], ["w"],
        [helper.make_node("If", ["c"], ["w"],
                          then_branch=graph("yes", [helper.make_node("Neg", ["v"], ["X"])], [], [rows("X")]),
                          else_branch=graph("no", [helper.make_node("Abs", ["v"], ["Y"])], [], [rows("Y")]))], imports)
    outer = helper.make_function(
        "my", "twice", ["c", "v"], ["w"],
        [helper.make_node("pick", ["c", "v"], ["X"], domain="my"),
         helper.make_node("If", ["c"], ["w"],
                          then_branch=graph("yes", [helper.make_node("pick", ["c", "X"], ["Y"], domain="my")], [],
                                            [rows("Y")]),
                          else_branch=graph("no", [helper.make_node("Sigmoid", ["X"], ["Y"])], [], [rows("Y")]))], imports)
    nodes = []
    last = "X"
    for i in range(5):
        nodes.append(helper.make_node("twice", ["c", last], [f"v{i}"], domain="my"))
        branch = graph("t", [helper.make_node("twice", ["c", f"v{i}"], ["u"], domain="my"),
                             helper.make_node("MatMul", ["u", "w"], ["t"])], [], [rows("t")])
        nodes.append(helper.make_node("If", ["c"], [f"r{i}"], then_branch=branch,
                                      else_branch=graph("e", [helper.make_node("Neg", [f"v{i}"], ["e"])], [],
                                                        [rows("e")])))
        last = f"r{i}"
    nodes.append(helper.make_node("Identity", [last], ["Y"]))
    return model(nodes, [rows("X"), FLAG], [rows("Y")], [("w", weights(1))], 18, [inner, outer], ["my"])


def branches(opset):
    """Weights of the main graph that one body, both bodies, and nested bodies multiply by."""
    deep = graph("deep", [helper.make_node("MatMul", ["a", "w"], ["d"])], [], [rows("d")])
    yes = graph("yes", [helper.make_node("MatMul", ["x", "w"], ["a"]),
                        helper.make_node("If", ["c"], ["t"], then_branch=deep,
                                         else_branch=graph("flat", [helper.make_node("Neg", ["a"], ["f"])], [],
                                                           [rows("f")]))], [], [rows("t")])
    no = graph("no", [helper.make_node("MatMul", ["x", "v"], ["b"]), helper.make_node("MatMul", ["b", "w"], ["e"])],
               [], [rows("e")])
    return model([helper.make_node("If", ["c"], ["y"], then_branch=yes, else_branch=no)], [rows("x"), FLAG],
                 [rows("y")], [("w", weights(1)), ("v", weights(2))], opset)


def loop():
    body = graph("body", [helper.make_node("Identity", ["go"], ["on"]), helper.make_node("MatMul", ["s", "w"], ["m"]),
                          helper.make_node("Tanh", ["m"], ["o"])],
                 [value("i", [], TensorProto.INT64), value("go", [], TensorProto.BOOL), rows("s")],
                 [value("on", [], TensorProto.BOOL), rows("o")])
    return model([helper.make_node("Loop", ["most", "", "x"], ["y"], body=body)],
                 [rows("x"), value("most", [], TensorProto.INT64)], [rows("y")], [("w", weights(3))])


def shared_by_many():
    """More bodies than quantized weights may be copied to."""
    nodes = []
    for i in range(5):
        before = "x" if i == 0 else f"r{i - 1}"
        nodes.append(helper.make_node(
            "If", ["c"], [f"r{i}"],
            then_branch=graph(f"t{i}", [helper.make_node("MatMul", [before, "w"], [f"t{i}"])], [], [rows(f"t{i}")]),
            else_branch=graph(f"e{i}", [helper.make_node("Neg", [before], [f"e{i}"])], [], [rows(f"e{i}")])))
    nodes.append(helper.make_node("Identity", ["r4"], ["y"]))
    return model(nodes, [rows("x"), FLAG], [rows("y")], [("w", weights(4))])


def between_products(node, opset, constants):
    """`node` reads a and produces b."""
    return model([helper.make_node("MatMul", ["x", "w"], ["a"]), node, helper.make_node("MatMul", ["b", "w"], ["y"])],
                 [rows("x")], [rows("y")], [("w", weights(5)), *constants], opset)


def layer_norm(opset):
    return between_products(helper.make_node("LayerNormalization", ["a", "s", "o"], ["b"], axis=-1), opset,
                            [("s", weights(6, _N)), ("o", weights(7, _N))])


def simplified_norm(opset):
    return between_products(helper.make_node("SimplifiedLayerNormalization", ["a", "s"], ["b"], axis=-1,
                                             epsilon=1e-5, stash_type=1), opset, [("s", weights(6, _N))])


def wrapped_pad(opset):
    node = helper.make_node("Pad", ["a", "p"], ["b"], mode="wrap")
    return between_products(node, opset, [("p", np.array([1, 0, 1, 0]))])


def scatter(op_type, reduction, opset):
    attributes = {"axis": 1} if op_type == "ScatterElements" else {}
    indices, updates = (([[0, 1, 0]], weights(8, 1, 3)) if op_type == "ScatterElements"
                        else ([[0], [0]], weights(8, 2, _N)))
    node = helper.make_node(op_type, ["a", "i", "u"], ["b"], reduction=reduction, **attributes)
    return between_products(node, opset, [("i", np.array(indices)), ("u", updates)])


def image(node, opset):
    return model([node], [value("x", [1, 2, 4, 4])], [value("y", [1, 2, "h", "w"])],
                 [("s", np.array([1, 1, 2, 2], np.float32))], opset)


def unsorted():
    """A Cast placed after its consumer, as conversions to float16 do."""
    nodes = [helper.make_node("MatMul", ["a", "w"], ["m"]), helper.make_node("Cast", ["h"], ["a"], to=1),
             helper.make_node("Cast", ["x"], ["h"], to=10), helper.make_node("Tanh", ["m"], ["y"])]
    return model(nodes, [rows("x")], [rows("y")], [("w", weights(9))])


def unsorted_body():
    """onnxruntime refuses this one, although its nodes can be sorted."""
    yes = graph("yes", [helper.make_node("Tanh", ["m"], ["t"]), helper.make_node("MatMul", ["a", "w"], ["m"])], [],
                [rows("t")])
    no = graph("no", [helper.make_node("Neg", ["a"], ["e"])], [], [rows("e")])
    return model([helper.make_node("If", ["c"], ["y"], then_branch=yes, else_branch=no),
                  helper.make_node("Relu", ["x"], ["a"])], [rows("x"), FLAG], [rows("y")], [("w", weights(9))])


def valid_models():
    """Name and model; onnx.checker accepts them and must accept everything written from them."""
    yield "imputer", imputer()
    for opset in (13, 17, 21):
        yield f"branches-{opset}", branches(opset)
    yield "loop", loop()
    yield "shared-by-many", shared_by_many()
    for opset in (11, 13, 18):
        yield f"wrapped-pad-{opset}", wrapped_pad(opset)
    for op_type in ("ScatterElements", "ScatterND"):
        for reduction in ("max", "min"):
            for opset in (16, 17):
                yield f"{op_type}-{reduction}-{opset}", scatter(op_type, reduction, opset)
    yield "cubic-upsample", image(helper.make_node("Upsample", ["x", "s"], ["y"], mode="cubic"), 9)
    yield "cubic-resize-10", image(helper.make_node("Resize", ["x", "s"], ["y"], mode="cubic"), 10)
    symmetric = helper.make_node("Resize", ["x", "", "s"], ["y"], mode="linear",
                                 coordinate_transformation_mode="half_pixel_symmetric")
    yield "symmetric-resize-13", image(symmetric, 13)


def accepted_models():
    """Name and model; onnx.checker refuses them, onnxruntime accepts all but the last."""
    for opset in (11, 13, 16):
        yield f"layer-norm-{opset}", layer_norm(opset)
    for opset in (11, 13, 21):
        yield f"simplified-norm-{opset}", simplified_norm(opset)
    yield "mean-variance-8", model([helper.make_node("MeanVarianceNormalization", ["x"], ["y"])],
                                   [value("x", [2, 3, 4, 5])], [value("y", [2, 3, 4, 5])], (), 8)
    yield "unsorted", unsorted()
    yield "unsorted-body", unsorted_body()
