# Sample models with the names and metadata of exporters: scopes, values named like scopes, modules visited twice.
import numpy
from onnx import StringStringEntryProto, helper, numpy_helper

from sample_models import make_model, value

_SHAPE = (1, 4, 8, 8)


def _with_weight(nodes, inputs, outputs):
    weight = numpy_helper.from_array(numpy.linspace(-1, 1, 16, dtype=numpy.float32).reshape(4, 4, 1, 1), "w")
    return make_model(nodes, [value(name, _SHAPE) for name in inputs], [value(name, _SHAPE) for name in outputs], [weight])


def _add_metadata(node, key, text):
    """NodeProto.metadata_props is field 9, which older onnx packages do not know but keep."""
    entry = StringStringEntryProto(key=key, value=text).SerializeToString()
    length = len(entry)
    size = b""
    while length > 127:
        size += bytes([length & 127 | 128])
        length >>= 7
    node.MergeFromString(b"\x4a" + size + bytes([length]) + entry)


def value_names_model():
    """As PyTorch 1.11 and 1.12 name values: "onnx::Conv_123" and "input.4", while nodes are only numbered."""
    nodes = []
    previous = "image"

    def add(op_type, inputs):
        number = len(nodes)
        result = f"input.{number}" if number % 3 == 1 else f"onnx::{op_type}_{number + 100}"
        nodes.append(helper.make_node(op_type, inputs, [result], name=f"{op_type}_{number}"))
        return result

    for block in range(20):
        branch = add("Relu", [add("Conv", [previous, "w"])])
        if block % 4 == 3:
            branch = add("Sigmoid", [branch])
        previous = add("Add", [add("Conv", [branch, "w"]), previous])
    return _with_weight(nodes, ["image"], [previous])


def metadata_model(key="pkg.torch.onnx.name_scopes"):
    """As torch.export writes modules: in the metadata of nodes, which have flat names."""
    nodes = []
    previous = "image"
    for layer in range(3):
        for part, op_type in (("conv", "Conv"), ("act", "Relu"), ("gate", "Sigmoid"), ("out", "Conv")):
            module = f"encoder.layer.{layer}"
            name = f"{part}_{len(nodes)}"
            node = helper.make_node(op_type, [previous, "w"] if op_type == "Conv" else [previous], [name], name="node_" + name)
            names = ["", "encoder", module, f"{module}.{part}", name]
            classes = ["models.Net", "models.Encoder", "models.Layer", "torch.nn.modules.X", f"aten.{part}.default"]
            if key == "namespace":
                metadata = {key: "/".join(f"{one}: {type_name}" for one, type_name in zip(names, classes))}
            else:
                metadata = {key: str(names), "pkg.torch.onnx.class_hierarchy": str(classes)}
            for one, text in metadata.items():
                _add_metadata(node, one, text)
            nodes.append(node)
            previous = name
    return _with_weight(nodes, ["image"], [previous])


def visits_model(visits):
    """A module "shared" that runs `visits` times, with modules between its runs; two runs make a cycle of scopes."""
    nodes = []
    previous = "image"
    for visit in range(visits):
        for scope in ("shared", "other"):
            for op_type in ("Relu", "Tanh", "Sigmoid", "Elu"):
                name = f"/{scope}/{op_type}_{visit}"
                nodes.append(helper.make_node(op_type, [previous], [name + "_output_0"], name=name))
                previous = nodes[-1].output[0]
    return _with_weight(nodes, ["image"], [previous])


def wide_model(count):
    """Parallel branches of different lengths between one source and one sum."""
    nodes = [helper.make_node("Relu", ["image"], ["start"], name="start")]
    ends = []
    for branch in range(count):
        previous = "start"
        for step, op_type in enumerate(("Sigmoid", "Tanh", "Elu")[:1 + branch % 3]):
            nodes.append(helper.make_node(op_type, [previous], [f"b{branch}_{step}"], name=f"branch{branch}_{step}"))
            previous = f"b{branch}_{step}"
        ends.append(previous)
    nodes.append(helper.make_node("Sum", ends, ["end"], name="end"))
    return _with_weight(nodes, ["image"], ["end"])


def unscoped_weights_model():
    """Quantized weights whose dequantization has no scope of its own, as quantizers name it."""
    nodes = []
    previous = "image"
    for layer in range(6):
        scope = f"/features/features.{layer}/"
        nodes.append(helper.make_node("DequantizeLinear", [f"w{layer}", "scale"], [f"w{layer}_f"], name=f"w{layer}_DequantizeLinear"))
        for op_type, inputs in (("Conv", [previous, f"w{layer}_f"]), ("Relu", None), ("Sigmoid", None)):
            result = scope + op_type + "_output_0"
            nodes.append(helper.make_node(op_type, inputs or [previous], [result], name=scope + op_type))
            previous = result
    weights = [numpy_helper.from_array(numpy.ones((4, 4, 1, 1), numpy.int8), f"w{layer}") for layer in range(6)]
    weights.append(numpy_helper.from_array(numpy.array(0.1, numpy.float32), "scale"))
    return make_model(nodes, [value("image", _SHAPE)], [value(previous, _SHAPE)], weights)
