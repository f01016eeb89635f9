#!/usr/bin/env python3
# Memory bombs: small models that grow large at run time; --max-memory must hold for every kind of growth.
"""Usage: run_bombs.py PROGRAM TESTDATA_BROKEN [--only TEXT]

Each model runs with a limit and must end with the exit code for it, or within the given time, without taking much more
memory than the limit plus 128 MB for the process itself.
"""
import os
import struct
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[2])
from onnx_bytes import block, graph, integer, model, node, number, tensor, value
from run_parts import BOOL, FLOAT, INT64, STRING, body, text, whole

PROGRAM = os.path.abspath(sys.argv[1])
LIMIT_MB = 256
OWN_MB = 128
BIG = 1 << 34
GO = tensor("go", [], BOOL, b"\x01")


def words(name, texts):
    return tensor(name, [len(texts)], STRING, None, b"".join(block(6, each) for each in texts))


def sequence_of(name, element):
    """A declared value: a sequence of tensors."""
    return block(1, name) + block(2, block(4, block(1, block(1, integer(1, element)))))


def unranked(name, element):
    return block(1, name) + block(2, block(1, integer(1, element)))


def shaped(name, kind, inputs, constants, attributes=(), made=(), opset=20):
    """One operator whose result is large because of a number known only at run time."""
    nodes = [part for part, _ in made] + [node(kind, inputs, ["y"], attributes, kind), node("Size", ["y"], ["n"])]
    every = list(constants) + [each for _, own in made for each in (own if isinstance(own, list) else [own])]
    size = node("Identity", ["given"], ["big"])
    return name, model(graph([size, *nodes], [value("given", (1,), INT64)], [value("n", (), INT64)],
                             [*every, whole("given", [BIG])]), opset=opset), 6


def loop(name, first, declared_in, declared_out, nodes, constants=(), scanned=(), code=6, made=()):
    """An endless loop over one carried value."""
    inside = body([node("Identity", ["c"], ["c2"]), *nodes],
                  [value("i", (), INT64), value("c", (), BOOL), declared_in],
                  [value("c2", (), BOOL), declared_out, *scanned], constants)
    outputs = ["y", *(f"all{index}" for index in range(len(scanned)))]
    run = node("Loop", ["", "go", "s0"], outputs, [inside], "loop")
    builders, initial = first
    return name, model(graph([*builders, run], [], [declared_out_of(declared_out)], [GO, *initial]), opset=20), code


def declared_out_of(declared):
    """The same declaration under the name of the graph's output."""
    return declared.replace(block(1, "s2"), block(1, "y"), 1)


def cases():
    big = ["big"]
    yield shaped("ConstantOfShape", "ConstantOfShape", big, [])
    yield shaped("Expand", "Expand", ["v", "big"], [tensor("v", [1], raw=bytes(4))])
    yield shaped("Tile", "Tile", ["v", "big"], [tensor("v", [2], raw=bytes(8))])
    yield shaped("Resize", "Resize", ["v", "", "", "big"], [tensor("v", [2], raw=bytes(8))], [text("mode", "linear")])
    yield shaped("Pad", "Pad", ["v", "p"], [tensor("v", [2], raw=bytes(8))], [],
                 [(node("Concat", ["big", "big"], ["p"], [number("axis", 0)]), [])])
    yield shaped("OneHot", "OneHot", ["i", "big", "values"],
                 [whole("i", [1, 2, 3]), tensor("values", [2], raw=bytes(8))])
    yield shaped("Range", "Range", ["zero", "end", "one"],
                 [tensor("zero", [], INT64, bytes(8)), tensor("one", [], INT64, struct.pack("<q", 1)), whole("axes", [0])], [],
                 [(node("Squeeze", ["big", "axes"], ["end"]), [])])
    yield shaped("Tile of texts", "Tile", ["v", "big"], [words("v", ["some text"])])
    yield shaped("Expand of texts", "Expand", ["v", "big"], [words("v", ["some text"])])
    floats = ([], [tensor("s0", [2], raw=bytes(8))])
    yield loop("a tensor doubled in a loop", floats, unranked("s", FLOAT), unranked("s2", FLOAT),
               [node("Concat", ["s", "s"], ["s2"], [number("axis", 0)])])
    yield loop("results kept by a loop", ([], [tensor("s0", [4096], raw=bytes(16384))]), value("s", (4096,)),
               value("s2", (4096,)), [node("Relu", ["s"], ["s2"]), node("Identity", ["s2"], ["z"])],
               scanned=[value("z", (4096,))])
    yield loop("a sequence that grows", ([node("SequenceConstruct", ["v"], ["s0"])], [tensor("v", [4096], raw=bytes(16384))]),
               sequence_of("s", FLOAT), sequence_of("s2", FLOAT),
               [node("Cast", ["i"], ["f"], [number("to", FLOAT)]), node("Add", ["w", "f"], ["more"]), node("SequenceInsert", ["s", "more"], ["s2"])],
               [tensor("w", [65536], raw=bytes(1 << 18))])
    yield loop("scalars kept by a loop", ([], [tensor("s0", [2], raw=bytes(8))]), value("s"), value("s2"),
               [node("Relu", ["s"], ["s2"]), node("Cast", ["i"], ["z"], [number("to", FLOAT)])], scanned=[value("z", ())])
    yield loop("a sequence of small tensors", ([node("SequenceConstruct", ["v"], ["s0"])], [tensor("v", [1], raw=bytes(4))]),
               sequence_of("s", FLOAT), sequence_of("s2", FLOAT),
               [node("Cast", ["i"], ["f"], [number("to", FLOAT)]), node("SequenceInsert", ["s", "f"], ["s2"])], code=124)
    yield loop("a text doubled in a loop", ([], [words("s0", ["some text"])]), unranked("s", STRING), unranked("s2", STRING),
               [node("StringConcat", ["s", "s"], ["s2"])])
    yield loop("texts kept by a loop", ([], [words("s0", ["x" * 60_000])]), unranked("s", STRING), unranked("s2", STRING),
               [node("StringConcat", ["s", "e"], ["s2"]), node("Identity", ["s2"], ["z"])], [words("e", [""])],
               scanned=[value("z", (1,), STRING)])
    yield loop("texts in a sequence", ([node("SequenceConstruct", ["v"], ["s0"])], [words("v", ["x" * 60_000])]),
               sequence_of("s", STRING), sequence_of("s2", STRING),
               [node("StringConcat", ["w", "e"], ["more"]), node("SequenceInsert", ["s", "more"], ["s2"])],
               [words("w", ["x" * 60_000]), words("e", [""])])
    yield loop("a plan for each of many shapes", ([], [tensor("s0", [1], raw=bytes(4))]), unranked("s", FLOAT),
               unranked("s2", FLOAT), [node("Concat", ["s", "one"], ["t"], [number("axis", 0)]), node("Relu", ["t"], ["u"]),
                                       node("Softmax", ["u"], ["v"]), node("Exp", ["v"], ["s2"])],
               [tensor("one", [1], raw=bytes(4))], code=124)
    yield loop("a resizing for each of many shapes", ([], [tensor("s0", [1], raw=bytes(4))]), unranked("s", FLOAT),
               unranked("s2", FLOAT), [node("Concat", ["s", "one"], ["t"], [number("axis", 0)]),
                                       node("Resize", ["t", "", "twice"], ["u"], [text("mode", "linear")]),
                                       node("Slice", ["u", "from", "to"], ["cut"]), node("Relu", ["t"], ["s2"])],
               [tensor("one", [1], raw=bytes(4)), tensor("twice", [1], raw=struct.pack("<f", 2)), whole("from", [0]),
                whole("to", [1])], code=124)


def measure(path, folder, code):
    # Endless growth gets 15 s; models that must be refused are refused on the slowest machine.
    seconds = "15" if code == 124 else "120"
    command = [PROGRAM, "run", path, "-q", "--skip-pass", "freeze-defaults", "--max-memory", f"{LIMIT_MB}MB", "--timeout", seconds]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=folder)
    error = process.stderr.read().decode(errors="replace")
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stderr.close()
    return process.returncode, usage.ru_maxrss // 1024, error


def main():
    options = dict(zip(sys.argv[3::2], sys.argv[4::2]))
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.onnx")
        for name, content, code in cases():
            if options.get("--only", "") not in name:
                continue
            with open(path, "wb") as file:
                file.write(content)
            begin = time.monotonic()
            found, memory_mb, error = measure(path, folder, code)
            seconds = time.monotonic() - begin
            is_right = found == code and memory_mb <= LIMIT_MB + OWN_MB
            print(f"{'' if is_right else 'WRONG: '}{name}: ended with {found} (expected {code}), {memory_mb} MB, "
                  f"{seconds:.1f} s{'' if is_right else ': ' + error[:300]}", flush=True)
            failures += not is_right
    print(f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
