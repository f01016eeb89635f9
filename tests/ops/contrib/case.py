# One random case of an ONNX operator: what to run it on, as an ONNX model and as text of testdata/ops.
"""A family is a file `<family>_cases.py` beside this one with a function `cases(random)` that yields `Case`s."""
import dataclasses
import random as python_random
import typing

import numpy
import onnx
from onnx import AttributeProto, GraphProto, TensorProto, helper, numpy_helper

# The version that is imported for a domain; the others' is Case.opset.
_VERSIONS = {"com.microsoft": 1, "com.microsoft.nchwc": 1, "com.microsoft.experimental": 1, "ai.onnx.contrib": 1,
             "ai.onnx.ml": 4, "ai.onnx.preview": 1, "ai.onnx.preview.training": 1}
_ONNX_DOMAINS = ("", "ai.onnx", "com.ms.internal.nhwc")
# rtol and atol of outputs of a case without a tolerance, by ONNX's element type.
_TOLERANCES = {TensorProto.DOUBLE: (1e-7, 1e-8), TensorProto.FLOAT: (1e-4, 1e-5), TensorProto.FLOAT16: (4e-3, 2e-3),
               TensorProto.BFLOAT16: (2e-2, 1e-2)}


class Random(python_random.Random):
    """Python's random numbers; methods of numpy.random.Generator work as well, and draw arrays of a given size."""

    def __init__(self, seed):
        super().__init__(seed)
        self.generator = numpy.random.default_rng(self.getrandbits(63))

    def __getattr__(self, name):
        if name == "generator":
            raise AttributeError(name)
        return getattr(self.generator, name)

    def random(self, size=None):
        return super().random() if size is None else self.generator.random(size)

    def uniform(self, low=0.0, high=1.0, size=None):
        return super().uniform(low, high) if size is None else self.generator.uniform(low, high, size)

    def choice(self, values, size=None, **options):
        if size is None and not options:
            return self.randrange(values) if isinstance(values, (int, numpy.integer)) else super().choice(values)
        return self.generator.choice(values, size, **options)


@dataclasses.dataclass
class Case:
    op: str
    inputs: list  # arrays, or None where an input is omitted
    outputs: typing.Any  # how many, or for each whether it is wanted
    attributes: dict = dataclasses.field(default_factory=dict)
    domain: str = "com.microsoft"
    opset: int = 21
    tolerance: typing.Any = None  # (rtol, atol); an atol of 1 or more holds for integers as well
    expected: typing.Any = None  # None: onnxruntime; else a function that gives the arrays of all or of the wanted outputs
    constants: typing.Any = None  # indices of the inputs that are initializers; None: drawn
    # Elements that onnxruntime leaves open: a function of ortool's outputs by index that gives masks by index.
    left_open: typing.Any = None
    sized: typing.Any = ()  # indices of the inputs whose dimensions are declared as numbers
    name: str = ""  # what it shows, for testdata/ops

    def __post_init__(self):
        self.inputs = [None if each is None else numpy.asarray(each) for each in self.inputs]
        while self.inputs and self.inputs[-1] is None:
            self.inputs.pop()
        if isinstance(self.outputs, int):
            self.outputs = [True] * self.outputs
        self.outputs = [bool(each) for each in self.outputs]
        self.attributes = {name: value for name, value in self.attributes.items() if value is not None}

    def present(self):
        return [index for index, each in enumerate(self.inputs) if each is not None]

    def wanted(self):
        return [index for index, is_wanted in enumerate(self.outputs) if is_wanted]

    def version(self):
        return self.opset if self.domain in _ONNX_DOMAINS else _VERSIONS.get(self.domain, 1)

    def size(self):
        return sum(self.inputs[index].size for index in self.present())

    def kind(self):
        """Equal for cases that differ in values and sizes alone."""
        types = [None if each is None else each.dtype.name for each in self.inputs]
        return repr((self.op, sorted(self.attributes), types, self.outputs))

    def expected_arrays(self):
        """By the index of the output."""
        arrays = list(self.expected())
        if len(arrays) == len(self.outputs):
            return {index: numpy.asarray(arrays[index]) for index in self.wanted()}
        if len(arrays) == len(self.wanted()):
            return {index: numpy.asarray(each) for index, each in zip(self.wanted(), arrays)}
        raise ValueError(f"{self.op}: expected() gives {len(arrays)} arrays, the case has {len(self.outputs)} outputs")

    def node(self):
        inputs = ["" if each is None else f"x{index}" for index, each in enumerate(self.inputs)]
        outputs = [f"y{index}" if is_wanted else "" for index, is_wanted in enumerate(self.outputs)]
        node = helper.make_node(self.op, inputs, outputs, name="node", domain=self.domain)
        node.attribute.extend(attribute_of(name, value) for name, value in sorted(self.attributes.items()))
        return node

    def describe(self, constants=()):
        """The case in one line; known_differences.txt is searched in it."""
        values = []
        for index, each in enumerate(self.inputs):
            if each is None:
                values.append("-")
            else:
                shape = ",".join(str(size) for size in each.shape)
                values.append(f"{type_name(element_type(each))}[{shape}]{' const' if index in constants else ''}")
        attributes = ", ".join(f"{name}={_literal(attribute_of(name, value))}" for name, value in sorted(self.attributes.items()))
        outputs = "" if all(self.outputs) else f" outputs {self.wanted()}"
        return f"{_qualified(self)} <{attributes}> ({', '.join(values)}) opset {self.version()}{outputs}"


def _qualified(case):
    return f"{case.domain}.{case.op}" if case.domain not in ("", "ai.onnx") else case.op


def attribute_of(name, value):
    if isinstance(value, (numpy.bool_, numpy.integer, numpy.floating, bool)):
        value = int(value) if isinstance(value, (bool, numpy.bool_)) else value.item()
    elif isinstance(value, (list, tuple, numpy.ndarray)):
        value = [each.item() if isinstance(each, numpy.generic) else each for each in value]
        if not value:
            return helper.make_attribute(name, value, attr_type=AttributeProto.INTS)
    return helper.make_attribute(name, value)


def element_type(array):
    return TensorProto.STRING if array.dtype.kind in "OUS" else helper.np_dtype_to_tensor_dtype(array.dtype)


def type_name(element):
    """ortool's name of an element type."""
    return {TensorProto.FLOAT: "float32", TensorProto.DOUBLE: "float64"}.get(element, TensorProto.DataType.Name(element).lower())


def is_known_to_onnxruntime(element):
    """Whether its Python interface takes and gives arrays of this type."""
    return element in (TensorProto.STRING, TensorProto.BOOL) or helper.tensor_dtype_to_np_dtype(element).kind in "iuf"


def is_float(element):
    return "FLOAT" in TensorProto.DataType.Name(element) or element == TensorProto.DOUBLE


def tolerance_of(case, element):
    """(rtol, atol) for an output of a type."""
    if not is_float(element):
        return (0, case.tolerance[1] if case.tolerance is not None and case.tolerance[1] >= 1 else 0)
    return case.tolerance or _TOLERANCES.get(element, (0.15, 0.05))


def to_tensor(array, name):
    """A TensorProto."""
    return numpy_helper.from_array(array.astype(object) if array.dtype.kind in "US" else array, name)


def to_array(tensor):
    array = numpy_helper.to_array(tensor)
    if array.dtype.kind == "O":
        array = numpy.array([each.decode("utf-8", "replace") if isinstance(each, bytes) else each for each in array.ravel()],
                            dtype=object).reshape(array.shape)
    return array


def build_model(case, constants, dimensions, casts=None):
    """The model of a case. `constants`: indices of initializers; `dimensions`: of each input, by index; `casts`: a type for
    outputs that are to be converted before they leave the model, by index."""
    nodes, outputs = [case.node()], []
    for index in case.wanted():
        name = f"y{index}"
        if casts and index in casts:
            nodes.append(helper.make_node("Cast", [name], [name + "_cast"], to=casts[index]))
            name += "_cast"
        outputs.append(helper.make_empty_tensor_value_info(name))
    inputs = [helper.make_tensor_value_info(f"x{index}", element_type(case.inputs[index]), dimensions[index])
              for index in case.present() if index not in constants]
    initializers = [to_tensor(case.inputs[index], f"x{index}") for index in case.present() if index in constants]
    opsets = {"": max(case.opset, 13), case.domain: case.version()}
    if case.domain in ("", "ai.onnx"):
        opsets = {"": case.opset}
    imports = [helper.make_opsetid(domain, version) for domain, version in opsets.items()]
    model = helper.make_model(helper.make_graph(nodes, "case", inputs, outputs, initializers), opset_imports=imports)
    model.ir_version = max(10, helper.find_min_ir_version_for(imports, True))
    return model


def _quoted(text):
    escapes = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    return '"' + "".join(escapes.get(each, f"\\x{ord(each):02x}" if ord(each) < 32 or ord(each) == 127 else each)
                         for each in text) + '"'


def _number(value, digits):
    text = f"{value:.{digits}g}"
    return text if any(each in text for each in ".en") else text + ".0"


def _literal(attribute):
    """An attribute's value in the textual syntax."""
    value = helper.get_attribute_value(attribute)
    if attribute.type == AttributeProto.FLOAT:
        return _number(value, 9)
    if attribute.type == AttributeProto.STRING:
        return _quoted(value.decode())
    if attribute.type == AttributeProto.FLOATS:
        return "[" + ", ".join(_number(each, 9) for each in value) + "]"
    if attribute.type == AttributeProto.STRINGS:
        return "[" + ", ".join(_quoted(each.decode()) for each in value) + "]"
    if attribute.type == AttributeProto.INTS:
        return str(list(value))
    if attribute.type == AttributeProto.TENSOR:
        array = to_array(value)
        shape = ",".join(str(size) for size in array.shape)
        return f"{type_name(value.data_type)}[{shape}] {{{', '.join(_elements(array))}}}"
    if attribute.type == AttributeProto.GRAPH:
        return " ".join(onnx.printer.to_text(value).split())
    return str(value)


def _elements(array):
    if array.dtype.kind in "OUS":
        return [_quoted(str(each)) for each in array.ravel()]
    if array.dtype == bool:
        return [str(bool(each)).lower() for each in array.ravel()]
    if array.dtype.kind in "iu" or "int" in array.dtype.name:
        return [str(int(each)) for each in array.ravel()]
    return [f"{float(each):.{17 if array.dtype == numpy.float64 else 9}g}" for each in array.ravel()]


def _value_line(keyword, name, array):
    shape = ",".join(str(size) for size in array.shape)
    return f"{keyword} {name} {type_name(element_type(array))}[{shape}] = {' '.join(_elements(array))}".rstrip()


def to_text(case, name, arrays):
    """The case as testdata/ops has it; `arrays` are the expected outputs by index."""
    is_of_onnx = case.domain in ("", "ai.onnx")
    lines = [f"case {name}"]
    if is_of_onnx or any(isinstance(value, GraphProto) for value in case.attributes.values()):
        lines.append(f"opset {case.opset}")
    if not is_of_onnx:
        lines.append(f"opset {case.domain} {case.version()}")
    attributes = ", ".join(f"{key} = {_literal(attribute_of(key, value))}" for key, value in sorted(case.attributes.items()))
    inputs = ", ".join("" if each is None else f"x{index}" for index, each in enumerate(case.inputs))
    outputs = ", ".join(f"y{index}" if is_wanted else "" for index, is_wanted in enumerate(case.outputs))
    lines.append(f"node {outputs.rstrip(', ')} = {_qualified(case)}{f' <{attributes}>' if attributes else ''} ({inputs})")
    for index in case.present():
        lines.append(_value_line("constant" if index in (case.constants or ()) else "input", f"x{index}", case.inputs[index]))
    lines += [_value_line("output", f"y{index}", array) for index, array in sorted(arrays.items())]
    rtol, atol = max((tolerance_of(case, element_type(array)) for array in arrays.values()), key=lambda each: each[0] + each[1])
    if rtol or atol:
        lines.append(f"tolerance rtol {rtol:g} atol {atol:g}")
    return "\n".join(lines) + "\n"
