# Embeds image preprocessing into models, and compares onnxruntime on raw pixels with `ortool run` on the image.
"""Usage: check_embedding.py PROGRAM   (exit 77: nothing to check)

Each recipe is embedded in a model that returns its input. onnx's checker accepts the file, and onnxruntime computes the
same from raw pixels as `ortool run --image` from the picture: up to rounding, or to 1 in 256 where it is resized.
"""
import os
import subprocess
import sys
import tempfile

try:
    import numpy
    import onnx
    import onnxruntime
except ImportError:
    print("SKIPPED: this Python has no onnx or onnxruntime package")
    sys.exit(77)

_FLOAT, _HALF, _BYTES = onnx.TensorProto.FLOAT, onnx.TensorProto.FLOAT16, onnx.TensorProto.UINT8
_USUAL = "scale:1/255,mean:0.485/0.456/0.406,std:0.229/0.224/0.225"
_SIZES = ((100, 80), (77, 200), (20, 10))
# Shape, type, opset, the layout for run, recipe, the layout of raw pixels, width and height, largest error.
_CASES = [
    ([1, 3, 24, 32], _FLOAT, 7, "nchw", _USUAL, "nhwc", (32, 24), 1e-6),
    ([2, 3, 24, 32], _FLOAT, 13, "nchw", _USUAL, "nhwc", (32, 24), 1e-6),
    ([1, 24, 32, 3], _HALF, 13, "nhwc", "order:bgr,mean:127.5,std:127.5", "nhwc", (32, 24), 0),
    ([1, 3, 24, 32], _FLOAT, 11, "nchw", "order:bgr,mean:104/117/124", "nchw", (32, 24), 0),
    ([3, 24, 32], _FLOAT, 18, "nchw", "scale:1/255", "nhwc", (32, 24), 1e-6),
    ([24, 32], _FLOAT, 18, "nchw", "scale:1/255", "nhwc", (32, 24), 1e-6),
    ([1, 3, 24, 32], _FLOAT, 11, "nchw", "crop:32x24", "nhwc", (51, 49), 0),
]
for _size in _SIZES:
    _CASES += [
        ([1, 3, 24, 32], _FLOAT, 18, "nchw", "resize:32x24,scale:1/255", "nhwc", _size, 1.01 / 255),
        ([1, 3, 24, 32], _FLOAT, 21, "nchw", "resize:36,crop:32x24", "nhwc", _size, 1),
        ([1, 24, 32, 3], _BYTES, 18, "nhwc", "resize:36,crop:32x24", "nhwc", _size, 1),
        ([1, 24, 32, 3], _BYTES, 18, "nhwc", "resize:36,crop:32x24", "nchw", _size, 1),
        ([3, 24, 32], _FLOAT, 18, "nchw", "resize:32x24", "nhwc", _size, 1),
        ([24, 32], _FLOAT, 18, "nchw", "resize:32x24", "nhwc", _size, 1),
    ]


def write_model(path, shape, element, opset):
    value = [onnx.helper.make_tensor_value_info(name, element, shape) for name in ("x", "y")]
    graph = onnx.helper.make_graph([onnx.helper.make_node("Identity", ["x"], ["y"])], "g", value[:1], value[1:])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", opset)], ir_version=8)
    onnx.save(model, path)


def write_picture(path, pixels):
    with open(path, "wb") as file:
        kind = "P5" if pixels.shape[2] == 1 else "P6"
        file.write(f"{kind}\n{pixels.shape[1]} {pixels.shape[0]}\n255\n".encode())
        file.write(pixels.tobytes())


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"exit code {done.returncode}: {(done.stderr + done.stdout).strip()[-300:]}")


def prepared_by_run(program, folder, shape, element, layout, recipe, pixels):
    """One picture as the model's input: it appears once in a batch."""
    model, picture = os.path.join(folder, "one.onnx"), os.path.join(folder, "picture.ppm")
    write_model(model, [1] + shape[1:] if len(shape) == 4 else shape, element, 13)
    write_picture(picture, pixels)
    words = f"x=layout:{layout},{recipe}"
    run(program, "run", model, "--input", f"x={picture}", "--image", words, "--output-dir", folder, "-q")
    return numpy.load(os.path.join(folder, "output_0.npy")).astype(numpy.float64)


def check(program, folder, case, random):
    shape, element, opset, layout, recipe, pictures, (width, height), most = case
    channels = 1 if len(shape) == 2 else 3
    pixels = random.integers(0, 256, (height, width, channels), dtype=numpy.uint8)
    model, output = os.path.join(folder, "model.onnx"), os.path.join(folder, "out.onnx")
    write_model(model, shape, element, opset)
    run(program, "optimize", model, "-o", output, "-q", "--embed-preprocessing", f"x={recipe},layout:{pictures}")
    onnx.checker.check_model(output, full_check=True)
    expected = prepared_by_run(program, folder, shape, element, layout, recipe, pixels)
    given = pixels.transpose(2, 0, 1) if pictures == "nchw" else pixels
    if len(shape) == 2:
        given = pixels[..., 0]
    if len(shape) == 4:
        given = numpy.stack([given] * shape[0])
    session = onnxruntime.InferenceSession(output, providers=["CPUExecutionProvider"])
    found = session.run(None, {"x": numpy.ascontiguousarray(given)})[0].astype(numpy.float64)
    if found.shape != tuple(shape):
        return f"shape {found.shape}"
    error = numpy.abs(found - expected).max()
    return f"off by {error}" if error > most else None


def main():
    random = numpy.random.default_rng(0)
    failed = 0
    for case in _CASES:
        with tempfile.TemporaryDirectory() as folder:
            try:
                problem = check(sys.argv[1], folder, case, random)
            except Exception as error:  # onnxruntime and the checker raise many types
                problem = str(error)[:300]
        if problem:
            print(f"{case}: {problem}")
            failed += 1
    print(f"{len(_CASES)} recipes, {failed} wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
