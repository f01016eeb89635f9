#!/usr/bin/env python3
# Unusual but valid files are accepted; links, pipes and devices as external data are not.
"""Usage: run_odd.py PROGRAM TESTDATA_BROKEN"""
import io
import os
import struct
import subprocess
import sys
import tempfile
import zipfile

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[2])
from onnx_bytes import block, external, graph, integer, model, node, one, tensor, value, varint

PROGRAM = sys.argv[1]
X, Y = [value("x")], [value("y")]
TWO = struct.pack("<2f", 1.5, 2.5)
ADD = node("Add", ["x", "w"], ["y"], name="op")


def npy(shape="(2,)", data=TWO, version=1, order="False", descr="<f4"):
    header = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n".encode()
    return (b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(header)) + header +
            data)


def save(folder, name, content):
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(content)
    return path


def run(folder, model_bytes, given, expected):
    """Runs a model on one input; returns what is wrong with the outcome, or None."""
    path = save(folder, "model.onnx", model_bytes)
    command = [PROGRAM, "run", path, "--output-dir", folder, "--input", f"x={given}"]
    result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=30, check=False)
    if result.returncode != 0:
        return f"ended with {result.returncode}: {result.stderr.decode()[:200]}"
    with open(os.path.join(folder, "output_0.npy"), "rb") as file:
        content = file.read()
    data = content[content.index(b"\n") + 1:]
    return None if data == expected else f"gave {data!r}, not {expected!r}"


def zip_of(entries, force_zip64=False, streamed=False):
    target = io.BytesIO()
    if streamed:
        target.seekable = lambda: False  # its size then follows from the data
    with zipfile.ZipFile(target, "w") as out:
        for name, content in entries:
            with out.open(name, "w", force_zip64=force_zip64) as entry:
                entry.write(content)
    return target.getvalue()


def arrays(folder):
    relu = one("Relu")
    for version in (1, 2, 3):
        yield f"npy version {version}", run(folder, relu, save(folder, "x.npy", npy(version=version)), TWO)
    matrix = one("Relu", shape=(2, 3))
    columns = struct.pack("<6f", 0, 3, 1, 4, 2, 5)
    rows = struct.pack("<6f", 0, 1, 2, 3, 4, 5)
    yield "npy in Fortran order", run(folder, matrix, save(folder, "x.npy", npy("(2, 3)", columns, order="True")), rows)
    big_endian = npy(data=struct.pack(">2f", 1.5, 2.5), descr=">f4")
    yield "npy of big-endian numbers", run(folder, relu, save(folder, "x.npy", big_endian), TWO)
    empty = one("Relu", shape=(0, 3))
    yield "npy with a dimension of 0", run(folder, empty, save(folder, "x.npy", npy("(0, 3)", b"")), b"")
    odd = struct.pack("<2f", float("inf"), float("nan"))
    yield "npy with infinity and NaN", run(folder, relu, save(folder, "x.npy", npy(data=odd)), odd)
    for kind, options in (("npz", {}), ("npz of ZIP64", {"force_zip64": True}), ("streamed npz", {"streamed": True})):
        file = save(folder, "x.npz", zip_of([("x.npy", npy())], **options))
        yield kind, run(folder, relu, file, TWO)
    climbing = save(folder, "x.npz", zip_of([("../../x.npy", npy())]))
    yield "npz whose name climbs, which is never a path", run(folder, relu, climbing, TWO)


def with_weights(content, more=b""):
    return model(graph([ADD], X, Y, [content], more))


def messages(folder):
    zeros = save(folder, "x.npy", npy(data=bytes(8)))
    plain = tensor("w", [2], 1, TWO)
    unknown = varint(999 << 3 | 2) + varint(3) + b"abc" + varint(998 << 3) + b"\x07"
    group = varint(997 << 3 | 3) + b"\x08\x01" + varint(997 << 3 | 4)
    for kind, content in (
            ("unknown fields in a tensor", with_weights(plain + unknown + group)),
            ("unknown fields in the graph", with_weights(plain, unknown + group)),
            ("unknown fields in the model", with_weights(plain) + unknown),
            ("unpacked dimensions and numbers",
             with_weights(integer(1, 2) + integer(2, 1) + block(8, "w") + b"\x25" + TWO[:4] + b"\x25" + TWO[4:])),
            ("packed dimensions and numbers",
             with_weights(block(1, b"\x02") + integer(2, 1) + block(8, "w") + block(4, TWO))),
            ("numbers packed in two pieces",
             with_weights(integer(1, 2) + integer(2, 1) + block(8, "w") + block(4, TWO[:4]) + block(4, TWO[4:]))),
            ("fields in reverse order of a tensor",
             with_weights(block(9, TWO) + block(8, "w") + integer(2, 1) + integer(1, 2))),
            ("fields in reverse order of the model", block(7, graph([ADD], X, Y, [plain])) + block(8, integer(2, 17)) +
             integer(1, 8)),
            ("nodes out of order", model(graph([node("Add", ["a", "w"], ["y"]), node("Abs", ["x"], ["a"])], X, Y,
                                               [plain]))),
            ("a varint longer than it must be", b"\x08\x88\x80\x80\x00" + with_weights(plain)[2:]),
            ("IR version 0", block(8, integer(2, 17)) + block(7, graph([ADD], X, Y, [plain]))),
            ("an attribute nobody needs to know", model(graph([ADD], X, Y, [plain])) + block(26, b"")),
            ("an initializer nobody reads", model(graph([ADD], X, Y, [plain, tensor("v", [0, 1 << 40], 1, b"")])))):
        yield kind, run(folder, content, zeros, TWO)


def side_files(folder):
    zeros = save(folder, "x.npy", npy(data=bytes(8)))

    def at(location, offset):
        return with_weights(external("w", [2], [("location", location), ("offset", str(offset)), ("color", "red")]))
    save(folder, "weights.bin", b"abc" + TWO)
    yield "external data not aligned", run(folder, at("weights.bin", 3), zeros, TWO)
    os.makedirs(os.path.join(folder, "deep"), exist_ok=True)
    save(folder, "deep/weights.bin", TWO)
    yield "external data in a folder", run(folder, at("./deep//weights.bin", 0), zeros, TWO)
    os.link(os.path.join(folder, "weights.bin"), os.path.join(folder, "hard"))
    yield "external data as a hard link", run(folder, at("hard", 3), zeros, TWO)
    huge = os.path.join(folder, "huge.bin")
    try:
        with open(huge, "wb") as file:
            file.truncate(1 << 40)
            file.seek((1 << 40) - 8)
            file.write(TWO)
        yield "external data in a sparse file of 1 TB", run(folder, at("huge.bin", (1 << 40) - 8), zeros, TWO)
        os.unlink(huge)
    except OSError as problem:
        print(f"SKIPPED: a file of 1 TB: {problem}")

    def refused(kind, location, word):
        path = save(folder, "model.onnx", at(location, 0))
        result = subprocess.run([PROGRAM, "inspect", path], stdin=subprocess.DEVNULL, capture_output=True, timeout=10,
                                check=False)
        is_refused = result.returncode == 2 and word in result.stderr
        return kind, None if is_refused else f"ended with {result.returncode}: {result.stderr[:200]!r}"
    os.symlink("weights.bin", os.path.join(folder, "link"))
    yield refused("external data as a link", "link", b"symbolic link")
    os.symlink("deep", os.path.join(folder, "deep_link"))
    yield refused("external data behind a link", "deep_link/weights.bin", b"symbolic link")
    os.symlink("/dev/zero", os.path.join(folder, "device_link"))
    yield refused("external data as a link to a device", "device_link", b"symbolic link")
    os.mkfifo(os.path.join(folder, "pipe"))
    yield refused("external data as a pipe", "pipe", b"pipe")
    try:
        os.mknod(os.path.join(folder, "device"), 0o20600, os.makedev(1, 5))
        yield refused("external data as a device", "device", b"device")
    except OSError as problem:
        print(f"SKIPPED: external data as a device: {problem}")


def main():
    failures = count = 0
    with tempfile.TemporaryDirectory() as folder:
        for part in (arrays, messages, side_files):
            for kind, problem in part(folder):
                count += 1
                if problem:
                    failures += 1
                    print(f"{kind}: {problem}")
    print(f"{count} odd files, {failures} with a wrong outcome")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
