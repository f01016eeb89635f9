#!/usr/bin/env python3
"""Writes a folder of models of one operator each, with inputs, for compare_peers.py: operators that move, pick, pool and
convert, at sizes that occur in detectors, segmentation and decoders.
usage: make_operators.py FOLDER [SEED]
"""
import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Folder:
    def __init__(self, path, seed):
        self.path = path
        self.random = np.random.default_rng(seed)

    def floats(self, *shape):
        return (self.random.standard_normal(shape) * 50).astype(np.float32)

    def indices(self, high, *shape):
        return self.random.integers(0, high, shape)

    def write(self, name, op_type, inputs, constants=(), outputs=1, empty=(), **attributes):
        """`inputs` and then `constants` are those of the node; `empty` are the positions of omitted ones."""
        data = os.path.join(self.path, name, "test_data_set_0")
        os.makedirs(data, exist_ok=True)
        names, given, stored = [], [], []
        arrays = [(array, False) for array in inputs] + [(array, True) for array in constants]
        while arrays:
            if len(names) in empty:
                names.append("")
                continue
            array, is_constant = arrays.pop(0)
            tensor = numpy_helper.from_array(np.asarray(array), f"i{len(names)}")
            names.append(tensor.name)
            if is_constant:
                stored.append(tensor)
                continue
            with open(os.path.join(data, f"input_{len(given)}.pb"), "wb") as file:
                file.write(tensor.SerializeToString())
            given.append(helper.make_tensor_value_info(tensor.name, tensor.data_type, np.asarray(array).shape))
        results = [f"o{i}" for i in range(outputs)]
        node = helper.make_node(op_type, names, results, **attributes)
        graph = helper.make_graph([node], name, given, [helper.make_empty_tensor_value_info(each) for each in results], stored)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        onnx.save(onnx.shape_inference.infer_shapes(model), os.path.join(self.path, name, "model.onnx"))


def write_all(folder):
    square, image = folder.floats(1000, 1000), folder.floats(1, 64, 112, 112)
    for name, to in (("int32", TensorProto.INT32), ("int64", TensorProto.INT64), ("uint8", TensorProto.UINT8),
                     ("bool", TensorProto.BOOL)):
        folder.write(f"cast-float32-{name}", "Cast", [np.abs(square) if name == "uint8" else square], to=to)
    folder.write("cast-int64-float32", "Cast", [square.astype(np.int64)], to=TensorProto.FLOAT)
    folder.write("cumsum-columns", "CumSum", [folder.floats(512, 1024)], [np.int64(0)])
    folder.write("cumsum-rows", "CumSum", [folder.floats(512, 1024)], [np.int64(1)])
    folder.write("gather-elements-rows", "GatherElements", [square, folder.indices(1000, 1000, 1000)], axis=1)
    folder.write("gather-elements-columns", "GatherElements", [square, folder.indices(1000, 1000, 1000)], axis=0)
    folder.write("topk-100-of-100000", "TopK", [folder.floats(1, 100000)], [np.array([100])], outputs=2)
    folder.write("topk-10-of-1000", "TopK", [square], [np.array([10])], outputs=2)
    folder.write("topk-300-of-8400", "TopK", [folder.floats(1, 8400)], [np.array([300])], outputs=2)
    small = folder.floats(1, 64, 80, 80)
    double = [np.array([1, 1, 2, 2], np.float32)]
    folder.write("resize-nearest-twice", "Resize", [small], double, empty=[1], mode="nearest",
                 coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    folder.write("resize-nearest-1.5", "Resize", [small], [np.array([1, 1, 1.5, 1.5], np.float32)], empty=[1], mode="nearest")
    folder.write("resize-linear-twice", "Resize", [small], double, empty=[1], mode="linear")
    folder.write("conv-transpose-2x2", "ConvTranspose", [folder.floats(1, 64, 64, 64)], [folder.floats(64, 32, 2, 2)],
                 strides=[2, 2])
    folder.write("conv-transpose-4x4", "ConvTranspose", [folder.floats(1, 64, 64, 64)], [folder.floats(64, 32, 4, 4)],
                 strides=[2, 2], pads=[1] * 4)
    grid = folder.random.uniform(-1, 1, (1, 64, 64, 2)).astype(np.float32)
    folder.write("grid-sample", "GridSample", [folder.floats(1, 32, 64, 64), grid])
    folder.write("max-pool-2x2", "MaxPool", [image], kernel_shape=[2, 2], strides=[2, 2])
    folder.write("max-pool-5x5", "MaxPool", [folder.floats(1, 128, 20, 20)], kernel_shape=[5, 5], pads=[2] * 4)
    folder.write("average-pool-2x2", "AveragePool", [image], kernel_shape=[2, 2], strides=[2, 2])
    folder.write("global-average-pool", "GlobalAveragePool", [folder.floats(1, 512, 14, 14)])
    folder.write("transpose-to-nhwc", "Transpose", [image], perm=[0, 2, 3, 1])
    folder.write("concat-channels", "Concat", [small, folder.floats(1, 64, 80, 80)], axis=1)
    folder.write("concat-columns", "Concat", [small, folder.floats(1, 64, 80, 80)], axis=3)
    folder.write("where", "Where", [square > 0, square, folder.floats(1000, 1000)])
    folder.write("argmax-channels", "ArgMax", [folder.floats(1, 21, 256, 256)], axis=1)
    folder.write("reduce-sum-columns", "ReduceSum", [square], [np.array([0])])
    folder.write("reduce-max-rows", "ReduceMax", [square], axes=[1])
    folder.write("softmax-channels", "Softmax", [folder.floats(1, 21, 128, 128)], axis=1)
    folder.write("scatter-nd", "ScatterND", [folder.floats(1000, 100), folder.indices(1000, 500, 1), folder.floats(500, 100)])
    folder.write("nonzero", "NonZero", [(square > 60).astype(np.float32)])
    folder.write("pad-reflect", "Pad", [image], [np.array([0, 0, 1, 1, 0, 0, 1, 1])], mode="reflect")
    folder.write("einsum-scores", "Einsum", [folder.floats(1, 8, 128, 64), folder.floats(1, 8, 128, 64)],
                 equation="bhid,bhjd->bhij")
    folder.write("depth-to-space", "DepthToSpace", [small], blocksize=2, mode="CRD")
    folder.write("slice-every-second", "Slice", [image],
                 [np.array([0, 0]), np.array([112, 112]), np.array([2, 3]), np.array([2, 2])])
    folder.write("expand", "Expand", [folder.floats(1000, 1)], [np.array([1000, 1000])])
    folder.write("tile", "Tile", [folder.floats(100, 100)], [np.array([10, 10])])
    folder.write("instance-normalization", "InstanceNormalization", [image], [folder.floats(64), folder.floats(64)])
    folder.write("lrn", "LRN", [folder.floats(1, 64, 56, 56)], size=5)
    folder.write("pow-2", "Pow", [square], [np.float32(2)])
    folder.write("pow-0.7", "Pow", [np.abs(square)], [np.float32(0.7)])
    folder.write("mod-float32", "Mod", [square], [np.float32(3)], fmod=1)
    folder.write("equal-int64", "Equal", [folder.indices(5, 1000, 1000), folder.indices(5, 1000, 1000)])
    folder.write("sin", "Sin", [square])
    folder.write("round", "Round", [square])
    folder.write("one-hot", "OneHot", [folder.indices(100, 10000)], [np.int64(100), np.array([0, 1], np.float32)])
    corners = np.sort(folder.random.uniform(0, 1, (1, 2000, 2, 2)), axis=2).reshape(1, 2000, 4).astype(np.float32)
    scores = folder.random.uniform(0, 1, (1, 1, 2000)).astype(np.float32)
    folder.write("non-max-suppression", "NonMaxSuppression", [corners, scores],
                 [np.array([100]), np.array([0.5], np.float32), np.array([0.2], np.float32)])


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    write_all(Folder(sys.argv[1], int(sys.argv[2]) if len(sys.argv) == 3 else 1))
