# Compares quantized weights with numpy, and blockwise weights with ONNX Runtime's MatMulNBits.
"""usage: compare_weights.py PROGRAM PEERS_PYTHON"""
import os
import subprocess
import sys
import tempfile

import numpy as np

_TYPES = {"int8-symmetric": (-127, 127), "int8": (-128, 127), "uint8": (0, 255), "int4-symmetric": (-7, 7),
          "uint4": (0, 15), "int8-symmetric-reduced": (-64, 64), "int16-symmetric": (-32767, 32767)}

# Run by the Python with onnxruntime: MatMulNBits times the identity matrix gives the unpacked weights.
_PEER = r"""
import sys
import numpy as np, onnx, onnxruntime
from onnx import helper, TensorProto
blocks = np.load(sys.argv[1]); bits, size = int(sys.argv[2]), int(sys.argv[3])
worst = 0.0
for name in sorted({key.split('.')[0] for key in blocks.files}):
    back = blocks[name + '.back']
    k, n = back.shape
    constants = {'b': blocks[name + '.packed'], 's': blocks[name + '.scales']}
    if name + '.zero_points' in blocks.files: constants['z'] = blocks[name + '.zero_points']
    node = helper.make_node('MatMulNBits', ['a', *constants], ['y'], domain='com.microsoft', K=k, N=n, bits=bits, block_size=size)
    graph = helper.make_graph([node], 'g', [helper.make_tensor_value_info('a', TensorProto.FLOAT, [k, k])],
                              [helper.make_tensor_value_info('y', TensorProto.FLOAT, [k, n])],
                              [onnx.numpy_helper.from_array(array, key) for key, array in constants.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid('', 21), helper.make_opsetid('com.microsoft', 1)])
    model.ir_version = 10
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=['CPUExecutionProvider'])
    found = session.run(None, {'a': np.eye(k, dtype=np.float32)})[0]
    worst = max(worst, float(np.abs(found - back).max() / np.abs(back).max()))
print(worst)
"""


def quantize(weights, kind, axis):
    """Codes, scales and zero points, channel by channel."""
    lowest, highest = _TYPES[kind]
    channels = [weights] if axis is None else [weights.take(i, axis) for i in range(weights.shape[axis])]
    scales, zeros = [], []
    for channel in channels:
        low, high = min(channel.min(), 0), max(channel.max(), 0)
        if "symmetric" in kind:
            scales.append(np.float32(2 * np.float64(max(-low, high)) / (highest - lowest)))
            zeros.append((lowest + highest) // 2)
        else:
            scales.append(np.float32((np.float64(high) - np.float64(low)) / (highest - lowest)))
            zeros.append(int(np.clip(np.rint(lowest - np.float64(low) / np.float64(scales[-1])), lowest, highest)))
    shape = [1] * weights.ndim
    if axis is not None:
        shape[axis] = -1
    by, zero = np.array(scales, np.float32).reshape(shape), np.array(zeros).reshape(shape)
    levels = np.clip(np.rint(weights / by).astype(np.int64) + zero, lowest, highest)
    return levels, np.array(scales), np.array(zeros), (levels - zero).astype(np.float32) * by


def main():
    program, peers = sys.argv[1:]
    random = np.random.default_rng(3)
    weights = {"matrix": random.standard_normal((24, 10)).astype(np.float32),
               "filters": (random.laplace(size=(8, 3, 3, 3)) * 0.1).astype(np.float32)}
    failures = 0
    with tempfile.TemporaryDirectory() as scratch:
        path, out = os.path.join(scratch, "weights.npz"), os.path.join(scratch, "out.npz")
        np.savez(path, **weights)
        for kind in _TYPES:
            for axis in ("none", "0", "1"):
                subprocess.run([program, "weights", path, out, kind, axis, "whole"], check=True)
                found = np.load(out)
                for name, array in weights.items():
                    expected = quantize(array, kind, None if axis == "none" else int(axis))
                    for part, wanted in zip(("levels", "scales", "zero_points", "back"), expected):
                        if not np.array_equal(found[f"{name}.{part}"].reshape(wanted.shape), wanted):
                            failures += 1
                            print("WRONG:", name, kind, axis, part)
        np.savez(path, a=random.standard_normal((64, 6)).astype(np.float32),
                 b=random.standard_normal((100, 3)).astype(np.float32))
        has_peer = os.path.exists(peers)
        for bits in (4, 8) if has_peer else ():
            for size in (16, 32, 64):
                for symmetry in ("symmetric", "asymmetric"):
                    subprocess.run([program, "blocks", path, out, str(bits), str(size), symmetry], check=True)
                    worst = float(subprocess.run([peers, "-c", _PEER, out, str(bits), str(size)], check=True,
                                                 capture_output=True, text=True).stdout)
                    if worst > 1e-5:
                        failures += 1
                        print("WRONG:", bits, "bits in blocks of", size, symmetry, worst)
    print("blocks compared with onnxruntime" if has_peer else "SKIPPED: no onnxruntime for blocks", failures, "wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
