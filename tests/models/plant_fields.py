# Models with contents in every field of every protobuf message, and with unknown fields added to each message.
"""Usage: plant_fields.py COPY_PROGRAM   (exit 77: no onnx package)

Builds a model that contains every message of ONNX and every field that can be present together,
once unchanged and once for each kind of unknown field, added to every message. ortool loads and
saves them; the copies must equal the originals, including unknown fields. Finally checks that the
model contains every message and field that the onnx package knows.
"""
import os
import subprocess
import sys
import tempfile

try:
    import onnx
    from onnx import TensorProto, helper
except ImportError:
    print("SKIPPED: this Python has no onnx package")
    sys.exit(77)

from compare_copies import canonical, differences

FIELD = 1000
PLANTED = {
    "varint": b"\xc0\x3e\x96\x01",
    "fixed64": b"\xc1\x3e12345678",
    "text": b"\xc2\x3e\x05later",
    "fixed32": b"\xc5\x3e1234",
    "group": b"\xc3\x3e\x08\x01\xc4\x3e",
}
# Fields that conflict with others in the model, or that no reader accepts.
LEFT_OUT = set()


def entries(message, *names):
    for name in names:
        getattr(message, "metadata_props").add(key=name, value=f"value of {name}")
    message.metadata_props.add(key="no value")
    message.metadata_props.add(value="no key")
    message.metadata_props.add()


def full_types():
    """Every kind of type, with denotations."""
    tensor = onnx.TypeProto(denotation="IMAGE")
    tensor.tensor_type.elem_type = TensorProto.FLOAT
    shape = tensor.tensor_type.shape
    shape.dim.add(dim_value=2, denotation="DATA_BATCH")
    shape.dim.add(dim_param="channels", denotation="DATA_CHANNEL")
    shape.dim.add()
    shape.dim.add(dim_param="")
    shape.dim.add(denotation="")
    scalar = onnx.TypeProto()
    scalar.tensor_type.elem_type = TensorProto.INT64
    scalar.tensor_type.shape.SetInParent()
    bare = onnx.TypeProto()
    bare.tensor_type.SetInParent()
    empty = onnx.TypeProto()
    sparse = onnx.TypeProto()
    sparse.sparse_tensor_type.elem_type = TensorProto.DOUBLE
    sparse.sparse_tensor_type.shape.dim.add(dim_value=9)
    sequence = onnx.TypeProto()
    sequence.sequence_type.elem_type.CopyFrom(tensor)
    optional = onnx.TypeProto()
    optional.optional_type.elem_type.CopyFrom(sequence)
    mapping = onnx.TypeProto()
    mapping.map_type.key_type = TensorProto.STRING
    mapping.map_type.value_type.CopyFrom(scalar)
    opaque = onnx.TypeProto()
    opaque.opaque_type.domain = "somewhere"
    opaque.opaque_type.name = "something"
    open_sequence = onnx.TypeProto()
    open_sequence.sequence_type.SetInParent()
    return [tensor, scalar, bare, empty, sparse, sequence, optional, mapping, opaque, open_sequence]


def full_tensors():
    """A tensor for each data field and each element type."""
    tensors = []

    def add(name, kind, dims, **data):
        tensors.append(TensorProto(name=name, data_type=kind, dims=dims, doc_string=f"about {name}", **data))
        entries(tensors[-1], name)

    add("floats", TensorProto.FLOAT, [2], float_data=[1.5, float("nan")])
    add("complexes", TensorProto.COMPLEX64, [1], float_data=[1.5, -0.0])
    add("doubles", TensorProto.DOUBLE, [1], double_data=[2.5])
    add("ints", TensorProto.INT32, [3], int32_data=[1, -2, 3])
    add("longs", TensorProto.INT64, [2], int64_data=[-1, 1 << 60])
    add("unsigned", TensorProto.UINT64, [1], uint64_data=[(1 << 64) - 1])
    add("texts", TensorProto.STRING, [2], string_data=[b"", b"\xff\x00"])
    add("bools", TensorProto.BOOL, [2], int32_data=[0, 7])
    add("raw_bools", TensorProto.BOOL, [2], raw_data=b"\x00\x02")
    add("nothing", TensorProto.FLOAT, [0], raw_data=b"")
    add("inside", TensorProto.INT8, [1], raw_data=b"\x01", data_location=TensorProto.DEFAULT)
    add("large", TensorProto.UINT8, [3000], raw_data=bytes(3000))
    add("segment", TensorProto.FLOAT, [2], raw_data=bytes(8))
    tensors[-1].segment.begin = 0
    tensors[-1].segment.end = 2
    bits = {TensorProto.FLOAT: 32, TensorProto.DOUBLE: 64, TensorProto.COMPLEX64: 64, TensorProto.COMPLEX128: 128,
            TensorProto.INT64: 64, TensorProto.UINT64: 64, TensorProto.INT32: 32, TensorProto.UINT32: 32,
            TensorProto.INT16: 16, TensorProto.UINT16: 16, TensorProto.FLOAT16: 16, TensorProto.BFLOAT16: 16,
            TensorProto.UINT4: 4, TensorProto.INT4: 4, TensorProto.FLOAT4E2M1: 4, TensorProto.UINT2: 2,
            TensorProto.INT2: 2}
    for name, number in TensorProto.DataType.items():
        if name.startswith("FLOAT6"):
            bits[number] = 6
        if number not in (TensorProto.UNDEFINED, TensorProto.STRING):
            add(f"type {number}", number, [5], raw_data=bytes((5 * bits.get(number, 8) + 7) // 8))
    return tensors


def outside(name, side):
    tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=[2], data_location=TensorProto.EXTERNAL)
    for key, value in (("location", side), ("offset", "4"), ("length", "8"), ("checksum", "abc"), ("later", "1")):
        tensor.external_data.add(key=key, value=value)
    return tensor


def sparse(name):
    tensor = onnx.SparseTensorProto(dims=[3, 4])
    tensor.values.CopyFrom(TensorProto(name=name, data_type=TensorProto.FLOAT, dims=[2], float_data=[5, 6]))
    tensor.indices.CopyFrom(TensorProto(data_type=TensorProto.INT64, dims=[2, 2], int64_data=[0, 1, 2, 3]))
    return tensor


def annotate(node):
    node.device_configurations.add(configuration_id="two", pipeline_stage=1)
    spec = node.device_configurations[0].sharding_spec.add(tensor_name="x", device=[0, 1])
    spec.index_to_device_group_map.add(key=0, value=[0, 1])
    dim = spec.sharded_dim.add(axis=-1)
    dim.simple_sharding.add(dim_value=2, num_shards=2)
    dim.simple_sharding.add(dim_param="n", num_shards=2)


def inner_graph(name, *nodes):
    graph = onnx.GraphProto(name=name, doc_string="inside")
    graph.node.extend(nodes)
    graph.output.add(name=nodes[-1].output[0])
    entries(graph, name)
    return graph


def full_attributes(side):
    types, tensors = full_types(), full_tensors()
    inner = inner_graph("one", onnx.NodeProto(op_type="Relu", input=["x"], output=["inner"]))
    values = {
        "f": (1, {"f": -0.0}), "i": (2, {"i": 0}), "s": (3, {"s": b"\xff"}), "t": (4, {"t": outside("", side)}),
        "g": (5, {"g": inner}), "floats": (6, {"floats": [1.5, float("inf")]}), "ints": (7, {"ints": [-1, 2]}),
        "strings": (8, {"strings": [b"", b"a"]}), "tensors": (9, {"tensors": tensors}),
        "graphs": (10, {"graphs": [inner, inner]}), "sparse_tensor": (11, {"sparse_tensor": sparse("")}),
        "sparse_tensors": (12, {"sparse_tensors": [sparse("a"), sparse("b")]}), "tp": (13, {"tp": types[0]}),
        "type_protos": (14, {"type_protos": types}), "no value": (2, {}), "no values": (7, {}), "no text": (3, {}),
        "of another kind": (2, {"i": 3, "floats": [2]}),
    }
    attributes = [onnx.AttributeProto(name=f"{name} attribute", type=kind, doc_string=f"about {name}", **value)
                  for name, (kind, value) in values.items()]
    attributes.append(onnx.AttributeProto(name="untyped", i=4))
    attributes.append(onnx.AttributeProto(name="no text about it", type=2, i=4, doc_string=""))
    return attributes


def full_node(side):
    node = onnx.NodeProto(op_type="Everything", domain="custom", overload="second", name="everything",
                          doc_string="does it all", input=["x", "", "w", "sparse", ""], output=["y", "", "z"])
    node.attribute.extend(full_attributes(side))
    entries(node, "namespace")
    annotate(node)
    return node


def full_function():
    function = onnx.FunctionProto(name="Twice", domain="custom", overload="second", doc_string="x + x",
                                  input=["a", "b"], output=["c"], attribute=["needed"])
    function.attribute_proto.add(name="given", type=1, f=2, doc_string="a default")
    function.opset_import.add(domain="ai.onnx", version=20)
    function.opset_import.add(domain="custom", version=1)
    node = function.node.add(op_type="Add", domain="ai.onnx", input=["a", "a"], output=["c"])
    node.attribute.add(name="from outside", type=1, ref_attr_name="needed", doc_string="a reference")
    info = function.value_info.add(name="c", doc_string="the sum")
    info.type.CopyFrom(full_types()[0])
    function.value_info.add(name="of nobody")
    entries(function, "function")
    return function


def full_model(side):
    model = onnx.ModelProto(ir_version=13, producer_name="plant", producer_version="", domain="here", model_version=0,
                            doc_string="a model")
    model.opset_import.add(domain="ai.onnx", version=20)
    model.opset_import.add(domain="custom", version=1)
    model.opset_import.add(domain="", version=20)
    graph = model.graph
    graph.name, graph.doc_string = "main", "a graph"
    for index, kind in enumerate(full_types()):
        graph.value_info.add(name=f"declared {index}", doc_string="").type.CopyFrom(kind)
        if kind.WhichOneof("value") and kind.tensor_type.elem_type:
            graph.input.add(name=f"input {index}").type.CopyFrom(kind)
    # Inputs of non-tensor types, too.
    for index, kind in enumerate(full_types()[4:9]):
        graph.input.add(name=f"other {index}").type.CopyFrom(kind)
    entries(graph.input.add(name="x", doc_string="the input", type=full_types()[0]), "input")
    graph.input.add(name="w", type=helper.make_tensor_type_proto(TensorProto.FLOAT, [2]))
    graph.initializer.extend(full_tensors())
    graph.initializer.append(outside("w", side))
    graph.initializer.append(outside("v", side))
    graph.sparse_initializer.append(sparse("sparse"))
    graph.node.append(full_node(side))
    graph.node.add(op_type="Twice", domain="custom", overload="second", input=["y", "x"], output=["out"],
                   name="", doc_string="")
    graph.node.add(op_type="Relu", input=["out"], output=["last"])
    for name in ("out", "x", "last", "out", "v"):
        graph.output.add(name=name, doc_string=f"about {name}").type.CopyFrom(full_types()[0])
    for name in ("y", "y", "z", "v", "x", "out", "last"):
        entries(graph.value_info.add(name=name, type=full_types()[0]), name)
    annotation = graph.quantization_annotation.add(tensor_name="x")
    annotation.quant_parameter_tensor_names.add(key="SCALE_TENSOR", value="w")
    entries(graph, "graph")
    entries(model, "model")
    model.functions.append(full_function())
    training = model.training_info.add()
    training.initialization.CopyFrom(inner_graph("start", onnx.NodeProto(op_type="Constant", output=["first"])))
    training.algorithm.CopyFrom(inner_graph("step", onnx.NodeProto(op_type="Relu", input=["w"], output=["next"])))
    training.initialization_binding.add(key="w", value="first")
    training.update_binding.add(key="w", value="next")
    model.configuration.add(name="two", num_devices=2, device=["one", "other"])
    return model


def each_message(message):
    for field, value in message.ListFields():
        if field.message_type:
            for each in value if field.is_repeated else [value]:
                yield from each_message(each)
    yield message


def check_is_full(model):
    """Checks that every field of every message occurs in the model."""
    seen = {(message.DESCRIPTOR.full_name, field.name) for message in each_message(model)
            for field, _ in message.ListFields()}
    wanted, open_types, done = set(), [model.DESCRIPTOR], set()
    while open_types:
        kind = open_types.pop()
        if kind.full_name in done:
            continue
        done.add(kind.full_name)
        wanted |= {(kind.full_name, field.name) for field in kind.fields}
        open_types += [field.message_type for field in kind.fields if field.message_type]
    missing = sorted(".".join(each) for each in wanted - seen - LEFT_OUT)
    if missing:
        print("the model lacks: " + ", ".join(missing))
    return not missing


def main():
    program, failed = sys.argv[1], 0
    with tempfile.TemporaryDirectory() as scratch:
        with open(os.path.join(scratch, "side.data"), "wb") as file:
            file.write(bytes(range(64)))
        plain = full_model("side.data")
        failed += not check_is_full(plain)
        models = {"plain": plain}
        for name, field in PLANTED.items():
            model = onnx.ModelProto()
            model.CopyFrom(plain)
            count = 0
            for message in list(each_message(model)):
                message.MergeFromString(field)
                count += 1
            models[name] = model
        print(f"{count} messages a model")
        for name, model in models.items():
            path, copy = os.path.join(scratch, f"{name}.onnx"), os.path.join(scratch, f"{name}.copy")
            with open(path, "wb") as file:
                file.write(model.SerializeToString())
            result = subprocess.run([program, path, copy], capture_output=True, text=True, check=False)
            if result.returncode != 0:
                print(f"{name}: {result.stdout}{result.stderr}")
                failed += 1
                continue
            with open(copy, "rb") as file:
                after = onnx.ModelProto.FromString(file.read())
            if canonical(model) != canonical(after):
                print(f"{name}: " + "; ".join(list(differences(model, after, "model"))[:5]))
                failed += 1
    print(f"{len(models)} models, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
