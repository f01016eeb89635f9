# Writes ONNX's file format field by field, for scripts that make models without the onnx package.
"""varint and field of protobuf's wire format: https://protobuf.dev/programming-guides/encoding/"""


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(number, content):
    """A protobuf field: an integer, or length-delimited text or bytes."""
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    content = content.encode() if isinstance(content, str) else content
    return varint(number << 3 | 2) + varint(len(content)) + content
