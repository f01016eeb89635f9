# Writes small models whose inputs and outputs are sequences, maps, optionals and strings.
"""usage: make_models.py FOLDER

split.onnx     x float[4,2] -> parts: sequence of float[2,2]
count.onnx     parts: sequence of float -> count int64[], joined float
names.onnx     scores float[n,3] -> classes: sequence of maps from string to float
maybe.onnx     value: optional float -> there: bool
words.onnx     text: string[n] -> same: string[n]
tiny.onnx      x float[2] -> y float[2], times denormal weights
defaults.onnx  x float[2], w float[2] with a default -> y float[2] = x * -w
nothing.onnx   no inputs -> y float[2]
classes.onnx   x float[1,2,40,50] -> map int32[1,40,50], the greater channel at each position
pool.onnx      x float[a,b,c,d] -> y, the maxima of windows of 300 x 7
random.onnx    x float[2,3] -> y float[2,3], random numbers without a seed through a Reshape that changes nothing
offset.onnx    x float[4] -> y float[4], a large offset added and subtracted, out of range for float16
window.onnx    x float[n,1,h,?] -> y: a convolution with a window of 5 x 3
outlier.onnx   x float[n,64] -> y float[n,64], a product with one large weight in each column
sum.onnx       left, right float[2] -> y float[2] = left + right
whole.onnx     x int64[2,3] -> y int64[2,3], the absolute values
log.onnx       x float[n,3] -> y float[n,3], the logarithm: NaN below 0, infinite at 0
norm.onnx      x float[n,4] -> y float[n,4], a decomposed layer normalization and Gelu, an Identity, constants to fold
"""
import os
import struct
import sys

FLOAT, INT32, INT64, STRING, BOOL = 1, 6, 7, 8, 9


def varint(number):
    number &= (1 << 64) - 1
    result = b""
    while number > 127:
        result += bytes([number & 127 | 128])
        number >>= 7
    return result + bytes([number])


def field(number, value):
    """A field of a message: a number, or text or the bytes of a nested message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def tensor_type(element, sizes=None):
    shape = b""
    if sizes is not None:
        dims = b"".join(field(1, b"" if size is None else field(2 if isinstance(size, str) else 1, size)) for size in sizes)
        shape = field(2, dims)
    return field(1, field(1, element) + shape)


def sequence_type(element):
    return field(4, field(1, element))


def map_type(key, value):
    return field(5, field(1, key) + field(2, value))


def optional_type(element):
    return field(9, field(1, element))


def node(op_type, inputs, outputs, attributes=b"", domain=""):
    return field(1, b"".join(field(1, name) for name in inputs) + b"".join(field(2, name) for name in outputs)
                 + field(3, outputs[0]) + field(4, op_type) + (field(7, domain) if domain else b"") + attributes)


def integer_attribute(name, value):
    return field(5, field(1, name) + field(3, value) + field(20, 2))


def integers_attribute(name, values):
    return field(5, field(1, name) + b"".join(field(8, value) for value in values) + field(20, 7))


def string_attribute(name, value):
    return field(5, field(1, name) + field(4, value) + field(20, 3))


def strings_attribute(name, values):
    return field(5, field(1, name) + b"".join(field(9, value) for value in values) + field(20, 8))


def constant(name, number):
    return field(5, field(2, INT64) + field(8, name) + field(9, struct.pack("<q", number)))


def float_constant(name, numbers):
    return field(5, field(1, len(numbers)) + field(2, FLOAT) + field(8, name)
                 + field(9, struct.pack(f"<{len(numbers)}f", *numbers)))


def window_constant(name, sizes):
    numbers = [1.0] * (sizes[-2] * sizes[-1])
    return field(5, b"".join(field(1, size) for size in sizes) + field(2, FLOAT) + field(8, name)
                 + field(9, struct.pack(f"<{len(numbers)}f", *numbers)))


def outlier_constant(name, size):
    """Small weights beside one of 100 in each column: int4 makes them zero."""
    numbers = [100.0] * size + [(i % 7 - 3) / 10 for i in range(size * (size - 1))]
    return field(5, field(1, size) + field(1, size) + field(2, FLOAT) + field(8, name)
                 + field(9, struct.pack(f"<{len(numbers)}f", *numbers)))


def model(nodes, inputs, outputs, constants=b"", domain="ai.onnx.ml", version=3):
    graph = nodes + field(2, "small") + constants
    graph += b"".join(field(11, field(1, name) + field(2, kind)) for name, kind in inputs)
    graph += b"".join(field(12, field(1, name) + field(2, kind)) for name, kind in outputs)
    opsets = field(8, field(1, "") + field(2, 18)) + field(8, field(1, domain) + field(2, version))
    return field(1, 8) + field(7, graph) + opsets


def models():
    floats = tensor_type(FLOAT)
    yield "split", model(node("SplitToSequence", ["x", "two"], ["parts"], integer_attribute("axis", 0)),
                         [("x", tensor_type(FLOAT, [4, 2]))], [("parts", sequence_type(floats))], constant("two", 2))
    yield "count", model(
        node("SequenceLength", ["parts"], ["count"])
        + node("ConcatFromSequence", ["parts"], ["joined"], integer_attribute("axis", 0)),
        [("parts", sequence_type(floats))], [("count", tensor_type(INT64, [])), ("joined", floats)])
    yield "names", model(
        node("ZipMap", ["scores"], ["classes"], strings_attribute("classlabels_strings", ["ant", "bee", "cat"]),
             "ai.onnx.ml"),
        [("scores", tensor_type(FLOAT, ["n", 3]))], [("classes", sequence_type(map_type(STRING, tensor_type(FLOAT))))])
    yield "maybe", model(node("OptionalHasElement", ["value"], ["there"]), [("value", optional_type(floats))],
                         [("there", tensor_type(BOOL, []))])
    yield "words", model(node("Identity", ["text"], ["same"]), [("text", tensor_type(STRING, ["n"]))],
                         [("same", tensor_type(STRING, ["n"]))])
    yield "tiny", model(node("Mul", ["x", "w"], ["y"]), [("x", tensor_type(FLOAT, [2]))], [("y", tensor_type(FLOAT, [2]))],
                        float_constant("w", [1e-40, 1e-41]))
    yield "defaults", model(node("Neg", ["w"], ["n"]) + node("Mul", ["x", "n"], ["y"]),
                            [("x", tensor_type(FLOAT, [2])), ("w", tensor_type(FLOAT, [2]))],
                            [("y", tensor_type(FLOAT, [2]))], float_constant("w", [1, 2]))
    yield "nothing", model(node("Neg", ["w"], ["y"]), [], [("y", tensor_type(FLOAT, [2]))], float_constant("w", [1, 2]))
    yield "classes", model(
        node("ArgMax", ["x"], ["c"], integer_attribute("axis", 1) + integer_attribute("keepdims", 0))
        + node("Cast", ["c"], ["map"], integer_attribute("to", INT32)),
        [("x", tensor_type(FLOAT, [1, 2, 40, 50]))], [("map", tensor_type(INT32, [1, 40, 50]))])
    yield "pool", model(
        node("MaxPool", ["x"], ["y"], integers_attribute("kernel_shape", [300, 7])),
        [("x", tensor_type(FLOAT, ["a", "b", "c", "d"]))], [("y", tensor_type(FLOAT, ["a", "b", "p", "q"]))])
    yield "random", model(
        node("RandomUniformLike", ["x"], ["r"]) + node("Reshape", ["r", "same"], ["y"]),
        [("x", tensor_type(FLOAT, [2, 3]))], [("y", tensor_type(FLOAT, [2, 3]))],
        field(5, field(1, 2) + field(2, INT64) + field(8, "same") + field(9, struct.pack("<qq", 2, 3))))
    yield "offset", model(
        node("Relu", ["x"], ["r"]) + node("Exp", ["r"], ["e"]) + node("Add", ["e", "far"], ["a"])
        + node("Sub", ["a", "w"], ["s"]) + node("Tanh", ["s"], ["t"]) + node("Neg", ["t"], ["y"]),
        [("x", tensor_type(FLOAT, [4])), ("w", tensor_type(FLOAT, [4]))], [("y", tensor_type(FLOAT, [4]))],
        float_constant("far", [4096]) + float_constant("w", [4097] * 4))
    yield "window", model(node("Conv", ["x", "k"], ["y"]), [("x", tensor_type(FLOAT, ["n", 1, "h", None]))],
                          [("y", tensor_type(FLOAT))], window_constant("k", [1, 1, 5, 3]))
    yield "outlier", model(node("MatMul", ["x", "w"], ["y"]), [("x", tensor_type(FLOAT, ["n", 64]))],
                           [("y", tensor_type(FLOAT))], outlier_constant("w", 64))
    yield "sum", model(node("Add", ["left", "right"], ["y"]),
                       [("left", tensor_type(FLOAT, [2])), ("right", tensor_type(FLOAT, [2]))],
                       [("y", tensor_type(FLOAT, [2]))])
    yield "whole", model(node("Abs", ["x"], ["y"]), [("x", tensor_type(INT64, [2, 3]))],
                         [("y", tensor_type(INT64, [2, 3]))])
    yield "log", model(node("Log", ["x"], ["y"]), [("x", tensor_type(FLOAT, ["n", 3]))],
                       [("y", tensor_type(FLOAT, ["n", 3]))])
    yield "norm", model(
        node("Identity", ["x"], ["i"]) + node("ReduceMean", ["i", "last"], ["m"]) + node("Sub", ["i", "m"], ["d"])
        + node("Mul", ["d", "d"], ["q"]) + node("ReduceMean", ["q", "last"], ["v"]) + node("Add", ["v", "e"], ["a"])
        + node("Sqrt", ["a"], ["s"]) + node("Div", ["d", "s"], ["t"]) + node("Add", ["w", "w"], ["ww"])
        + node("Mul", ["t", "ww"], ["u"]) + node("Div", ["u", "r"], ["p"]) + node("Erf", ["p"], ["f"])
        + node("Add", ["f", "o"], ["g"]) + node("Mul", ["u", "g"], ["h"]) + node("Mul", ["h", "k"], ["y"]),
        [("x", tensor_type(FLOAT, ["n", 4]))], [("y", tensor_type(FLOAT, ["n", 4]))],
        float_constant("w", [1, 2, 3, 4]) + float_constant("e", [1e-5]) + float_constant("r", [1.41421356])
        + float_constant("o", [1]) + float_constant("k", [0.5])
        + field(5, field(1, 1) + field(2, INT64) + field(8, "last") + field(9, struct.pack("<q", -1))))
    pair = [("x", tensor_type(FLOAT, [2]))], [("y", tensor_type(FLOAT, [2]))]
    yield "compiled", model(
        node("EPContext", ["x"], ["y"], string_attribute("source", "QNNExecutionProvider")
             + string_attribute("partition_name", "part_0") + string_attribute("ep_cache_context", "blob"), "com.microsoft"),
        *pair, domain="com.microsoft", version=1)
    yield "paged", model(node("PagedAttention", ["x"], ["a"], domain="com.microsoft")
                         + node("PagedAttention", ["a"], ["y"], domain="com.microsoft"), *pair, domain="com.microsoft", version=1)


def main():
    for name, content in models():
        with open(os.path.join(sys.argv[1], name + ".onnx"), "wb") as file:
            file.write(content)


if __name__ == "__main__":
    main()
