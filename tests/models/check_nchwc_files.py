# Model files that onnxruntime saved at its level "all", with channels in blocks: ortool must undo the blocks exactly.
"""Usage: check_nchwc_files.py PROGRAM   (exit 77: nothing to check)

Convolutional models that onnxruntime saves with com.microsoft.nchwc on this processor, and models with blocks of 8 and
of 16 written here: ortool must give the outputs of the original model. Where sizes do not show whether blocks have 8 or 16
channels, weights like those of trained networks do, and drawn ones need --nchwc-block.
"""
import os
import subprocess
import sys
import tempfile

try:
    import numpy
    import onnx
    import onnxruntime
    from onnx import helper, numpy_helper
except ImportError:
    print("SKIPPED: this Python has no onnx or onnxruntime package")
    sys.exit(77)

_random = numpy.random.default_rng(0)
_UNSUPPORTED = 5


def weights(*shape):
    return (_random.standard_normal(shape) / numpy.sqrt(max(1, numpy.prod(shape[1:])))).astype(numpy.float32)


def trained_weights(*shape):
    """Weights whose filters and input channels differ in scale, as training leaves them."""
    scales = [numpy.exp(_random.standard_normal(shape[axis])) for axis in (0, 1)]
    return weights(*shape) * (scales[0].reshape(-1, 1, 1, 1) * scales[1].reshape(1, -1, 1, 1)).astype(numpy.float32)


def make_model(nodes, constants, image, outputs, domains=(), opset=17):
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, image)],
                              [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None) for name in outputs],
                              [numpy_helper.from_array(value, name) for name, value in constants.items()])
    imports = [helper.make_opsetid("", opset), *(helper.make_opsetid(domain, 1) for domain in domains)]
    return helper.make_model(graph, opset_imports=imports, ir_version=8)


def conv_net(channels):
    """A model with every operator that onnxruntime has on blocks."""
    c0, c1, c2, c3 = channels
    constants = {"w0": weights(c1, c0, 3, 3), "b0": weights(c1), "w1": weights(c1, 1, 3, 3), "b1": weights(c1), "lo": numpy.float32(0),
                 "hi": numpy.float32(6), "w2": weights(c2, c1, 1, 1), "b2": weights(c2), "w3": weights(c2, c2, 3, 3),
                 "w4": weights(c3, 2 * c2, 1, 1), "b4": weights(c3), "w5": weights(c3, c3 // 2, 3, 3),
                 "scales": numpy.array([1, 1, 2, 2], numpy.float32)}
    node = helper.make_node
    nodes = [node("Conv", ["x", "w0", "b0"], ["a0"], pads=[1] * 4, strides=[2, 2]), node("Relu", ["a0"], ["a1"]),
             node("MaxPool", ["a1"], ["a2"], kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4),
             node("Conv", ["a2", "w1", "b1"], ["a3"], group=c1, pads=[1] * 4), node("Clip", ["a3", "lo", "hi"], ["a4"]),
             node("Conv", ["a4", "w2", "b2"], ["a5"]), node("Conv", ["a5", "w3"], ["a6"], pads=[1] * 4),
             node("Add", ["a5", "a6"], ["a7"]), node("Relu", ["a7"], ["a8"]),
             node("AveragePool", ["a8"], ["p"], kernel_shape=[2, 2], strides=[1, 1], pads=[0, 0, 1, 1]),
             node("Concat", ["a8", "p"], ["c"], axis=1), node("Conv", ["c", "w4", "b4"], ["a9"]),
             node("GlobalAveragePool", ["a9"], ["g"]), node("GlobalMaxPool", ["a9"], ["m"]), node("Add", ["g", "m"], ["z"]),
             node("Resize", ["a9", "", "scales"], ["u"], mode="nearest", coordinate_transformation_mode="asymmetric",
                  nearest_mode="floor"),
             node("Conv", ["u", "w5"], ["v"], group=2, pads=[1] * 4), node("Sigmoid", ["v"], ["s"]), node("Mul", ["v", "s"], ["y"])]
    return make_model(nodes, constants, [1, c0, 32, 32], ["y", "z"])


def old_net():
    """Pools of an opset that lacks attributes which onnxruntime states in the file."""
    node = helper.make_node
    nodes = [node("Conv", ["x", "w0"], ["a"]), node("MaxPool", ["a"], ["m"], kernel_shape=[2, 2], strides=[2, 2]),
             node("AveragePool", ["m"], ["p"], kernel_shape=[2, 2]), node("Conv", ["p", "w1"], ["y"])]
    return make_model(nodes, {"w0": weights(24, 3, 3, 3), "w1": weights(40, 24, 1, 1)}, [1, 3, 12, 12], ["y"], opset=8)


def blocked(w, block, has_blocked_inputs):
    """Weights M x C x K1 x K2 in blocks; M, and C if it is blocked, are filled up with zeros."""
    def up(count):
        return -(-count // block) * block
    m, c = up(w.shape[0]), up(w.shape[1]) if has_blocked_inputs else w.shape[1]
    padded = numpy.zeros((m, c, *w.shape[2:]), numpy.float32)
    padded[:w.shape[0], :w.shape[1]] = w
    inner = block if has_blocked_inputs else 1
    parts = padded.reshape(m // block, block, c // inner, inner, *w.shape[2:])
    return numpy.ascontiguousarray(parts.transpose(0, 2, 4, 5, 3, 1)).reshape(padded.shape)


def written_net(block, channels, image_channels=3, draw=weights):
    """The same model plain and with blocks of this size."""
    c1, c2 = channels
    constants = {"w0": draw(c1, image_channels, 3, 3), "b0": weights(c1), "w1": draw(c1, 1, 3, 3), "w2": draw(c2, c1, 1, 1)}
    node = helper.make_node
    plain = [node("Conv", ["x", "w0", "b0"], ["a"], pads=[1] * 4), node("Relu", ["a"], ["r"]),
             node("Conv", ["r", "w1"], ["d"], group=c1, pads=[1] * 4), node("MaxPool", ["d"], ["p"], kernel_shape=[2, 2], strides=[2, 2]),
             node("Conv", ["p", "w2"], ["y"])]
    wide = -(-c1 // block) * block
    stored = {"w0": blocked(constants["w0"], block, False), "b0": numpy.pad(constants["b0"], (0, wide - c1)),
              "w1": blocked(constants["w1"], block, False), "w2": blocked(constants["w2"], block, True)}
    domain = "com.microsoft.nchwc"
    nodes = [node("Conv", ["x", "w0", "b0"], ["r"], domain=domain, pads=[1] * 4, activation="Relu"),
             node("Conv", ["r", "w1"], ["d"], domain=domain, group=wide, pads=[1] * 4),
             node("ReorderOutput", ["d"], ["o"], domain=domain, channels=c1), node("MaxPool", ["o"], ["q"], kernel_shape=[2, 2], strides=[2, 2]),
             node("ReorderInput", ["q"], ["p"], domain=domain), node("Conv", ["p", "w2"], ["f"], domain=domain),
             node("ReorderOutput", ["f"], ["y"], domain=domain, channels=c2)]
    image = [1, image_channels, 8, 8]
    return make_model(plain, constants, image, ["y"]), make_model(nodes, stored, image, ["y"], [domain])


def saved(model, folder):
    """The model as onnxruntime saves it at its level "all"."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.optimized_model_filepath = os.path.join(folder, "saved.onnx")
    options.log_severity_level = 4
    onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return onnx.load(options.optimized_model_filepath)


def run_ortool(program, model, image, count, folder, options=()):
    path, data = os.path.join(folder, "model.onnx"), os.path.join(folder, "x.npy")
    onnx.save(model, path)
    numpy.save(data, image)
    out = os.path.join(folder, "out")
    done = subprocess.run([program, "run", path, "--input", f"x={data}", "--output-dir", out, "--output-format", "npy", *options],
                          capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0:
        return done.returncode, done.stderr
    return 0, [numpy.load(os.path.join(out, f"output_{index}.npy")) for index in range(count)]


def check(program, name, original, file, arguments=()):
    image = _random.standard_normal([each.dim_value for each in original.graph.input[0].type.tensor_type.shape.dim]).astype(numpy.float32)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    expected = onnxruntime.InferenceSession(original.SerializeToString(), options, providers=["CPUExecutionProvider"]).run(None, {"x": image})
    blocks = sum(node.domain == "com.microsoft.nchwc" for node in file.graph.node)
    with tempfile.TemporaryDirectory() as folder:
        code, found = run_ortool(program, file, image, len(original.graph.output), folder, arguments)
    if code != 0:
        print(f"{name}: exit {code}: {found}")
        return False
    worst = max(float(abs(a - b).max() / max(1e-6, abs(b).max())) for a, b in zip(found, expected))
    print(f"{name}: {blocks} nodes on blocks, difference {worst:.1e} of the largest element")
    return worst < 1e-5


def is_refused(program, model, options, reason):
    with tempfile.TemporaryDirectory() as folder:
        code, message = run_ortool(program, model, weights(1, 3, 8, 8), 1, folder, options)
    print(f"blocks of a size that nothing shows, options {options}: exit {code}")
    return code == _UNSUPPORTED and reason in str(message)


def main():
    program = sys.argv[1]
    good = True
    for channels in ((3, 24, 40, 64), (8, 32, 64, 64), (12, 16, 48, 32), (3, 20, 36, 64)):
        model = conv_net(channels)
        with tempfile.TemporaryDirectory() as folder:
            good &= check(program, f"saved by onnxruntime, channels {channels}", model, saved(model, folder))
    with tempfile.TemporaryDirectory() as folder:
        model = old_net()
        good &= check(program, "saved by onnxruntime, opset 8", model, saved(model, folder))
    for block, channels in ((8, (24, 40)), (16, (24, 40)), (8, (20, 56)), (16, (20, 56)), (8, (8, 64)), (16, (64, 16 + 8))):
        good &= check(program, f"blocks of {block}, channels {channels}", *written_net(block, channels))
    for block in (8, 16):
        good &= check(program, f"blocks of {block} that the weights show", *written_net(block, (32, 64), draw=trained_weights))
        drawn = written_net(block, (32, 64))
        good &= check(program, f"blocks of {block}, stated", *drawn, ("--nchwc-block", str(block)))
        good &= is_refused(program, drawn[1], (), "--nchwc-block 16")
    good &= is_refused(program, written_net(8, (24, 40))[1], ("--nchwc-block", "16"), "16, does not fit")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
