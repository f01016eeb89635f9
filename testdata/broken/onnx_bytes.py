# ONNX messages as bytes, valid or not, written field by field with the standard library.
import struct


def varint(number):
    number &= (1 << 64) - 1
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(out + bytes([number]))


def integer(field, number):
    return varint(field << 3) + varint(number)


def block(field, content):
    content = content.encode() if isinstance(content, str) else content
    return varint(field << 3 | 2) + varint(len(content)) + content


def value(name, shape=(2,), element=1):
    dims = b"".join(block(1, integer(1, size) if isinstance(size, int) else block(2, size)) for size in shape)
    return block(1, name) + block(2, block(1, integer(1, element) + block(2, dims)))


def tensor(name, shape, element=1, raw=None, extra=b""):
    out = b"".join(integer(1, size) for size in shape) + integer(2, element) + block(8, name)
    return out + (block(9, raw) if raw is not None else b"") + extra


def int64s(name, numbers):
    return tensor(name, [len(numbers)], 7, struct.pack(f"<{len(numbers)}q", *numbers))


def external(name, shape, entries):
    pairs = b"".join(block(13, block(1, key) + block(2, text)) for key, text in entries)
    return tensor(name, shape, 1, None, pairs + integer(14, 1))


def ints(name, numbers):
    return block(1, name) + b"".join(integer(8, number) for number in numbers) + integer(20, 7)


def number(name, value_of):
    return block(1, name) + integer(3, value_of) + integer(20, 2)


def real(name, value_of):
    return block(1, name) + varint(2 << 3 | 5) + struct.pack("<f", value_of) + integer(20, 1)


def subgraph(name, content):
    return block(1, name) + block(6, content) + integer(20, 5)


def node(kind, inputs, outputs, attributes=(), name="", domain=""):
    out = b"".join(block(1, each) for each in inputs) + b"".join(block(2, each) for each in outputs)
    out += block(3, name) + block(4, kind) if name else block(4, kind)
    return out + b"".join(block(5, each) for each in attributes) + (block(7, domain) if domain else b"")


def graph(nodes, inputs=(), outputs=(), constants=(), more=b""):
    out = b"".join(block(1, each) for each in nodes) + block(2, "g")
    out += b"".join(block(5, each) for each in constants) + b"".join(block(11, each) for each in inputs)
    return out + b"".join(block(12, each) for each in outputs) + more


def model(content, functions=(), opset=17, more=b""):
    opsets = block(8, integer(2, opset)) + block(8, block(1, "my") + integer(2, 1))
    return integer(1, 8) + opsets + block(7, content) + b"".join(block(25, each) for each in functions) + more


def function(name, calls):
    out = block(1, name) + block(4, "v0") + block(5, f"v{len(calls)}") + block(10, "my")
    for index, called in enumerate(calls):
        out += block(7, node(called, [f"v{index}"], [f"v{index + 1}"], domain="my"))
    return out + block(9, block(1, "my") + integer(2, 1))


def one(kind, attributes=(), shape=(2,), constants=(), extra=(), outputs=("y",), domain="", element=1, **more):
    """A graph of one node named 'op' that reads x and the constants."""
    names = ["x", *extra]
    single = node(kind, names, outputs, attributes, "op", domain)
    return model(graph([single], [value("x", shape, element)], [value("y", (), element)], constants), **more)
