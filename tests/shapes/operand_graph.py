# Builds the ONNX model of a case: operands as inputs, constants or results, and consumers of the node.
import numpy as np
from onnx import TensorProto, helper, numpy_helper

_TYPES = {np.dtype(np.float32): TensorProto.FLOAT, np.dtype(np.float64): TensorProto.DOUBLE,
          np.dtype(np.int64): TensorProto.INT64, np.dtype(np.int32): TensorProto.INT32,
          np.dtype(np.uint8): TensorProto.UINT8}


class GraphBuilder:
    """Collects nodes, and the inputs of a run in `feeds`."""

    def __init__(self, draw):
        self.draw = draw
        self.nodes, self.inputs, self.initializers, self.feeds = [], [], [], {}

    def constant(self, name, array):
        self.initializers.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def input(self, name, array):
        """An input declared with its shape, with symbols, or without rank."""
        way = self.draw.random.randrange(4)
        shape = list(array.shape) if way < 2 else [f"{name}_{i}" for i in range(array.ndim)] if way == 2 else None
        self.inputs.append(helper.make_tensor_value_info(name, _TYPES[array.dtype], shape))
        self.feeds[name] = array
        return name

    def node(self, op_type, inputs, outputs, **attributes):
        self.nodes.append(helper.make_node(op_type, inputs, outputs, **attributes))

    def runtime(self, operand):
        """An operand whose contents are known when the graph is loaded, when it is run, or only once computed."""
        array, name = operand.array, operand.name
        way = self.draw.random.randrange(7)
        if way == 0:
            return self.constant(name, array)
        if way < 4:
            return self.input(name, array)
        if way == 4 and array.dtype == np.int64 and (array.size == 0 or np.abs(array.astype(float)).max() < 2**31):
            self.node("Cast", [self.input(name + "_given", array.astype(np.int32))], [name], to=TensorProto.INT64)
            return name
        # Integers wrap around, so that every number keeps its value.
        one = self.constant(name + "_zero", np.zeros((), dtype=array.dtype))
        self.node("Add", [self.input(name + "_given", array), one], [name])
        return name


def _add_reader(builder, expected, operands):
    """Adds a consumer of output 0 that rewriting may fuse; returns the expected outputs with it."""
    way = builder.draw.random.randrange(8)
    first = expected[0] if isinstance(expected, list) else None

    def apply(compute):
        return expected if first is None else [compute(first)] + expected[1:]

    if way == 0:
        builder.node("Identity", ["made"], ["y0"])
        return expected
    if way == 1:
        builder.node("Reshape", ["made", builder.constant("flat", np.array([-1]))], ["y0"])
        return apply(lambda value: value.reshape(-1))
    if way == 2:
        builder.node("Unsqueeze", ["made", builder.constant("front", np.array([0]))], ["y0"])
        return apply(lambda value: value[None])
    if way == 3:
        builder.node("Expand", ["made", builder.constant("ones", np.array([1]))], ["y0"])
        return apply(lambda value: value.reshape(value.shape or [1]))
    x = next((each.array for each in operands if each is not None and each.name == "x"), None)
    if way == 4 and x is not None and x.dtype in (np.float32, np.int64) and (first is None or first.dtype == x.dtype):
        builder.node("Add", ["x", "made"], ["y0"])
        try:
            return apply(lambda value: x + value)
        except ValueError:
            return "refused"
    if way == 5:
        builder.node("Shape", ["made"], ["y0"])
        # If the shape is inferred without the node, rewriting removes it as dead.
        if expected == "refused":
            return "refused where read"
        return apply(lambda value: np.array(value.shape, dtype=np.int64))
    return None


def build(case, draw):
    """The model, its inputs, and the expected outputs (as in Case.expected)."""
    builder = GraphBuilder(draw)
    names = []
    for operand in case.operands:
        if operand is None:
            names.append("")
        elif operand.is_runtime:
            names.append(builder.runtime(operand))
        else:
            names.append(builder.input(operand.name, operand.array))
    outputs = [f"y{i}" for i in range(case.outputs)]
    place = len(builder.nodes)
    # Before opset 13, the axes of Unsqueeze are an attribute.
    has_reader = case.opset >= 13 and not case.shape_only and draw.chance(0.6)
    expected = _add_reader(builder, case.expected, case.operands) if has_reader else None
    made = outputs
    if expected is None:
        expected = case.expected
    else:
        made = ["made"] + outputs[1:]
    builder.nodes.insert(place, helper.make_node(case.op_type, names, made, **case.attributes))
    # Types of outputs may be omitted: inference finds them.
    values = [helper.make_empty_tensor_value_info(name) for name in outputs]
    graph = helper.make_graph(builder.nodes, "operands", builder.inputs, values, builder.initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", case.opset)])
    model.ir_version = 9
    return model, builder.feeds, expected


def describe(model):
    """A short description of the nodes."""
    return "; ".join(f"{', '.join(node.output)} = {node.op_type}({', '.join(node.input)})" for node in model.graph.node)
