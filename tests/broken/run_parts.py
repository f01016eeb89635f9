# Parts of models that take much time or memory to run: data generated at run time, and loop bodies.
import struct

from onnx_bytes import block, graph, integer, node, tensor

FLOAT, INT32, INT64, STRING, BOOL, DOUBLE = 1, 6, 7, 8, 9, 11


def text(name, content):
    return block(1, name) + block(4, content) + integer(20, 3)


def whole(name, numbers, shape=None):
    shape = [len(numbers)] if shape is None else shape
    return tensor(name, shape, INT64, struct.pack(f"<{len(numbers)}q", *numbers))


def filled(name, shape, element=FLOAT, raw=None):
    """A node that makes `name` at run time, too large for constant folding, from a constant called NAME_shape."""
    raw = struct.pack("<f", 0.5) if raw is None else raw
    fill = block(1, "value") + block(5, tensor("v", [1], element, raw)) + integer(20, 4)
    return node("ConstantOfShape", [f"{name}_shape"], [name], [fill]), whole(f"{name}_shape", shape)


def counted(name, count):
    """A node that makes `name` = 0, 1, 2 ... at run time."""
    constants = [tensor(f"{name}_{part}", [], INT64, struct.pack("<q", part_value))
                 for part, part_value in (("first", 0), ("end", count), ("step", 1))]
    return node("Range", [f"{name}_first", f"{name}_end", f"{name}_step"], [name]), constants


def body(nodes, inputs, outputs, constants=()):
    return block(1, "body") + block(6, graph(nodes, inputs, outputs, constants)) + integer(20, 5)
