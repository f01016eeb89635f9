#!/usr/bin/env python3
# Endless streams and decompression bombs: every reader rejects them within --max-memory.
"""Usage: run_endless.py PROGRAM TESTDATA_BROKEN [--only TEXT]

Standard input is /dev/zero, or a process that writes text endlessly. Each case must end with the right exit code and
take no more memory than the limit plus 128 MB for the process itself. Arrays and pictures that unpack to hundreds of
megabytes are refused based on their headers.
"""
import os
import resource
import struct
import subprocess
import sys
import tempfile
import time
import zipfile
import zlib

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[2])
from onnx_bytes import graph, model, node, tensor, value

PROGRAM = os.path.abspath(sys.argv[1])
LIMIT_MB = 100
OWN_MB = 128
PACKED_BYTES = 400 << 20


def npy_header(shape, descr="<f4"):
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


def write_npz(path, name, shape, data_bytes):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        with archive.open(name + ".npy", "w", force_zip64=True) as entry:
            entry.write(npy_header(shape))
            for begin in range(0, data_bytes, 1 << 20):
                entry.write(bytes(min(1 << 20, data_bytes - begin)))


def write_png(path, side):
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
    packer = zlib.compressobj(1)
    packed = b"".join(packer.compress(bytes(3 * side + 1)) for _ in range(side)) + packer.flush()
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)))
        file.write(chunk(b"IDAT", packed) + chunk(b"IEND", b""))


def make_files(folder):
    os.chdir(folder)
    relu = [node("Relu", ["x"], ["y"])]
    with open("small.onnx", "wb") as file:
        file.write(model(graph(relu, [value("x", (2, 3))], [value("y", (2, 3))]), opset=17))
    with open("open.onnx", "wb") as file:
        file.write(model(graph(relu, [value("x", ("N",))], [value("y", ("N",))]), opset=17))
    with open("picture.onnx", "wb") as file:
        file.write(model(graph(relu, [value("x", (1, 3, 8, 8))], [value("y", (1, 3, 8, 8))]), opset=17))
    with open("linear.onnx", "wb") as file:
        weights = tensor("w", [8, 8], raw=struct.pack("<64f", *range(64)))
        file.write(model(graph([node("MatMul", ["x", "w"], ["y"])], [value("x", (4, 8))], [value("y", (4, 8))], [weights]), opset=17))
    write_npz("other_shape.npz", "x", (PACKED_BYTES // 4,), PACKED_BYTES)
    write_npz("other_rank.npz", "x", (2, PACKED_BYTES // 8), PACKED_BYTES)
    write_png("large.png", 8192)
    with open("flat.npy", "wb") as file:
        file.write(npy_header((PACKED_BYTES // 4,), ">f4"))
        file.truncate(file.tell() + PACKED_BYTES)
    with open("odd.npy", "wb") as file:
        header = npy_header((PACKED_BYTES // 4,)).replace(b", }", b",  }")
        file.write(header[:8] + struct.pack("<H", len(header) - 10) + header[10:])
        file.truncate(file.tell() + PACKED_BYTES)
    with open("texts.npy", "wb") as file:
        file.write(npy_header((1 << 30,), "<U0"))


# Name, arguments, standard input, accepted exit codes.
CASES = [
    ("model to run", ["run", "-"], "zeros", {6}),
    ("model to inspect", ["inspect", "-"], "zeros", {6}),
    ("model to check", ["inspect", "-", "--check"], "zeros", {6}),
    ("model to compare with", ["inspect", "small.onnx", "--diff", "-"], "zeros", {6}),
    ("model to optimize", ["optimize", "-", "-o", "out.onnx", "--force"], "zeros", {6}),
    ("model to quantize", ["quantize", "-", "-o", "out.onnx", "--force", "--mode", "dynamic"], "zeros", {6}),
    ("model to bench", ["bench", "-"], "zeros", {6}),
    ("input", ["run", "small.onnx", "--input", "x=-"], "zeros", {6}),
    ("labels", ["run", "small.onnx", "--top", "1", "--labels", "-"], "text", {6}),
    ("config", ["run", "small.onnx", "--config", "-"], "text", {6}),
    ("plan", ["quantize", "linear.onnx", "-o", "out.onnx", "--force", "--plan", "-"], "text", {6}),
    ("baseline", ["bench", "small.onnx", "--baseline", "-", "--duration", "0.01"], "text", {6}),
    ("rules", ["optimize", "small.onnx", "-o", "out.onnx", "--force", "--rules", "-"], "text", {6}),
    ("device as a model", ["run", "/dev/zero"], None, {2}),
    ("device as an input", ["run", "small.onnx", "--input", "x=/dev/zero"], None, {2}),
    ("device as labels", ["run", "small.onnx", "--top", "1", "--labels", "/dev/zero"], None, {2}),
    ("device as a configuration", ["run", "small.onnx", "--config", "/dev/zero"], None, {2}),
    ("metric that prints without end",
     ["quantize", "linear.onnx", "-o", "out.onnx", "--force", "--allow-random-calibration",
      "--metric", "cmd:yes 0123456789012345678901234567890123456789", "--timeout", "5"], None, {124}),
    ("array of another shape", ["run", "small.onnx", "--input", "x=other_shape.npz"], None, {2}),
    ("archive with an array of another shape", ["run", "small.onnx", "--inputs", "other_shape.npz"], None, {2}),
    ("array of another rank", ["run", "open.onnx", "--input", "x=other_rank.npz"], None, {2}),
    ("array of the right shape, too large", ["run", "open.onnx", "--input", "x=other_shape.npz"], None, {6}),
    ("array in the other byte order", ["run", "open.onnx", "--input", "x=flat.npy"], None, {6}),
    ("array that is not aligned", ["run", "open.onnx", "--input", "x=odd.npy"], None, {6}),
    ("texts without characters", ["run", "open.onnx", "--input", "x=texts.npy"], None, {2}),
    ("picture", ["run", "picture.onnx", "--input", "x=large.png"], None, {6}),
]


def run(arguments, stream):
    source = writer = None
    if stream == "zeros":
        source = open("/dev/zero", "rb")
    elif stream == "text":
        writer = subprocess.Popen(["yes", "a line of text"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        source = writer.stdout
    limit = [] if "--max-memory" in arguments else ["--max-memory", f"{LIMIT_MB}MB"]
    # An unbounded reader must not exhaust the machine's memory.
    process = subprocess.Popen([PROGRAM, *arguments, *limit], stdin=source or subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30)))
    error = process.stderr.read().decode(errors="replace")
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stderr.close()
    if source is not None:
        source.close()
    if writer is not None:
        writer.wait()
    return process.returncode, usage.ru_maxrss // 1024, error


def main():
    options = dict(zip(sys.argv[3::2], sys.argv[4::2]))
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        # In a separate process: a child's peak memory includes what its parent held at the fork.
        if os.fork() == 0:
            make_files(folder)
            os._exit(0)
        if os.wait()[1] != 0:
            return 1
        os.chdir(folder)
        write_npz("rows.npz", "x", (4, 8), 128)
        for name, arguments, stream, codes in CASES:
            if options.get("--only", "") not in name:
                continue
            begin = time.monotonic()
            code, memory_mb, error = run(arguments, stream)
            seconds = time.monotonic() - begin
            is_right = code in codes and memory_mb <= LIMIT_MB + OWN_MB and "error:" in error
            print(f"{'' if is_right else 'WRONG: '}{name}: ended with {code} (expected {sorted(codes)}), {memory_mb} MB, "
                  f"{seconds:.1f} s: {error.strip()[-200:]}", flush=True)
            failures += not is_right
    print(f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
