"""Trains a small convolutional network on handwritten digits with numpy and writes it as ONNX.

    python3 testdata/digits/train.py [--output FOLDER]

Needs Debian's python3-numpy, python3-sklearn (it holds the pictures), python3-onnx, python3-pil.
The network, for 8x8 grayscale pictures with pixels from 0 to 255, white ink on black:

    image [batch,1,8,8] -> Mul 1/255 -> Conv 3x3 -> Relu -> MaxPool 2x2 -> Conv 3x3 -> Relu
                        -> Flatten -> Gemm -> Softmax -> scores [batch,10]

Everything that is random comes from the two seeds below, so a second run on the
same machine writes the same bytes (another linear algebra library may round differently).
"""

import argparse
import io
import json
import os
import pathlib
import zipfile

# A threaded matrix product sums in no fixed order; numpy reads these variables when imported.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np
import onnx
from numpy.lib.stride_tricks import sliding_window_view
from onnx import TensorProto, helper, numpy_helper
from PIL import Image
from sklearn.datasets import load_digits

SPLIT_SEED = 1797
TRAINING_SEED = 64
HELD_OUT_FRACTION = 0.3
EPOCHS = 40
BATCH_SIZE = 32
LEARNING_RATE = 2e-3
WEIGHT_DECAY = 1e-2
FIRST_CHANNELS = 16
SECOND_CHANNELS = 32
CLASS_NAMES = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
PIXEL_SCALE = np.float32(1.0 / 255.0)
# Pictures for tests are classified with high confidence, so that small errors cannot change their class.
PICTURE_SCORE = 0.999


def load_pictures():
    """Returns images [samples,1,8,8], float32 whole numbers 0..255, and labels [samples], int64."""
    digits = load_digits()
    ink = digits.images.astype(np.int64)  # 0..16: how many of 4x4 finer pixels were black
    grey = (ink * 255 + 8) // 16  # rounded to whole numbers, so that a PNG holds them exactly
    return grey.astype(np.float32)[:, None, :, :], digits.target.astype(np.int64)


def split_by_class(labels, random):
    """Returns the sorted indices of (training, held-out) samples: the same share of every class."""
    held_out = []
    for digit in range(10):
        members = random.permutation(np.flatnonzero(labels == digit))
        held_out.extend(members[: round(HELD_OUT_FRACTION * len(members))])
    held_out = np.sort(held_out)
    training = np.setdiff1d(np.arange(len(labels)), held_out)
    return training, held_out


def convolve(x, weight, bias):
    """3x3 convolution that keeps the size: x [N,C,H,W], weight [M,C,3,3], bias [M] -> [N,M,H,W]."""
    windows = windows_of(x)
    y = np.tensordot(windows, weight, axes=([1, 4, 5], [1, 2, 3]))  # [N,H,W,M]
    return y.transpose(0, 3, 1, 2) + bias[:, None, None]


def convolve_backward(x, weight, gradient):
    """Returns the gradients of x, weight and bias; `gradient` is the one of the result."""
    weight_gradient = np.tensordot(gradient, windows_of(x), axes=([0, 2, 3], [0, 2, 3]))
    bias_gradient = gradient.sum(axis=(0, 2, 3))
    # The gradient of x is a convolution with the kernel rotated by 180 degrees.
    turned = weight[:, :, ::-1, ::-1].transpose(1, 0, 2, 3)
    x_gradient = convolve(gradient, turned, np.zeros(turned.shape[0], np.float32))
    return x_gradient, weight_gradient, bias_gradient


def windows_of(x):
    """The 3x3 neighborhood of every pixel, zero-padded: [N,C,H,W] -> [N,C,H,W,3,3]."""
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    return sliding_window_view(padded, (3, 3), axis=(2, 3))


def relu(x):
    return np.maximum(x, 0)


def relu_backward(x, gradient):
    return gradient * (x > 0)


def pool(x):
    """Largest of each 2x2 block: [N,C,H,W] -> [N,C,H/2,W/2]."""
    return blocks_of(x).max(axis=4)


def pool_backward(x, gradient):
    """The gradient goes to the first largest pixel of each block."""
    blocks = blocks_of(x)
    winners = blocks.argmax(axis=4)[..., None] == np.arange(4)
    routed = winners * gradient[..., None]  # [N,C,H/2,W/2,4]
    n, c, h, w = gradient.shape
    return routed.reshape(n, c, h, w, 2, 2).transpose(0, 1, 2, 4, 3, 5).reshape(x.shape)


def blocks_of(x):
    """[N,C,H,W] -> [N,C,H/2,W/2,4]: the four pixels of each 2x2 block, row by row."""
    n, c, h, w = x.shape
    blocks = x.reshape(n, c, h // 2, 2, w // 2, 2).transpose(0, 1, 2, 4, 3, 5)
    return blocks.reshape(n, c, h // 2, w // 2, 4)


def softmax(x):
    exponentials = np.exp(x - x.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)


def make_parameters(random):
    """Weights drawn for layers that end in Relu (variance 2 / inputs of a neuron), biases zero."""

    def draw(*shape):
        deviation = np.sqrt(2.0 / np.prod(shape[1:]))
        return (random.standard_normal(shape) * deviation).astype(np.float32)

    return {
        "first_weight": draw(FIRST_CHANNELS, 1, 3, 3),
        "first_bias": np.zeros(FIRST_CHANNELS, np.float32),
        "second_weight": draw(SECOND_CHANNELS, FIRST_CHANNELS, 3, 3),
        "second_bias": np.zeros(SECOND_CHANNELS, np.float32),
        "classifier_weight": draw(10, SECOND_CHANNELS * 4 * 4),
        "classifier_bias": np.zeros(10, np.float32),
    }


def run_forward(p, image):
    """Returns every value of the network by name; `scores` [N,10] are probabilities."""
    v = {"scaled": image * PIXEL_SCALE}
    v["first"] = convolve(v["scaled"], p["first_weight"], p["first_bias"])
    v["first_relu"] = relu(v["first"])
    v["pooled"] = pool(v["first_relu"])
    v["second"] = convolve(v["pooled"], p["second_weight"], p["second_bias"])
    v["second_relu"] = relu(v["second"])
    v["features"] = v["second_relu"].reshape(len(image), -1)
    v["logits"] = v["features"] @ p["classifier_weight"].T + p["classifier_bias"]
    v["scores"] = softmax(v["logits"])
    return v


def run_backward(p, v, labels):
    """Returns the gradient of the mean cross-entropy for every parameter."""
    g = {}
    # Softmax and cross-entropy together: the derivative of the loss with respect to the logits.
    gradient = (v["scores"] - np.eye(10, dtype=np.float32)[labels]) / np.float32(len(labels))
    g["classifier_weight"] = gradient.T @ v["features"]
    g["classifier_bias"] = gradient.sum(axis=0)
    gradient = (gradient @ p["classifier_weight"]).reshape(v["second_relu"].shape)
    gradient = relu_backward(v["second"], gradient)
    gradient, g["second_weight"], g["second_bias"] = convolve_backward(
        v["pooled"], p["second_weight"], gradient
    )
    gradient = pool_backward(v["first_relu"], gradient)
    gradient = relu_backward(v["first"], gradient)
    _, g["first_weight"], g["first_bias"] = convolve_backward(
        v["scaled"], p["first_weight"], gradient
    )
    return g


def train(image, labels, random):
    """Adam with decoupled weight decay; the step shrinks to zero along half a cosine."""
    parameters = make_parameters(random)
    mean = {name: np.zeros_like(value) for name, value in parameters.items()}
    square = {name: np.zeros_like(value) for name, value in parameters.items()}
    steps_an_epoch = -(-len(image) // BATCH_SIZE)
    step = 0
    for epoch in range(EPOCHS):
        order = random.permutation(len(image))
        loss = 0.0
        for start in range(0, len(order), BATCH_SIZE):
            batch = order[start : start + BATCH_SIZE]
            values = run_forward(parameters, image[batch])
            loss -= np.log(values["scores"][np.arange(len(batch)), labels[batch]] + 1e-12).sum()
            gradients = run_backward(parameters, values, labels[batch])
            rate = LEARNING_RATE * 0.5 * (1 + np.cos(np.pi * step / (EPOCHS * steps_an_epoch)))
            step += 1
            for name, gradient in gradients.items():
                mean[name] = 0.9 * mean[name] + 0.1 * gradient
                square[name] = 0.999 * square[name] + 0.001 * gradient**2
                direction = (mean[name] / (1 - 0.9**step)) / (
                    np.sqrt(square[name] / (1 - 0.999**step)) + 1e-8
                )
                decay = WEIGHT_DECAY * parameters[name] if name.endswith("weight") else 0
                update = rate * (direction + decay)
                parameters[name] = (parameters[name] - update).astype(np.float32)
        if epoch % 5 == 4:
            print(f"epoch {epoch + 1:2d} of {EPOCHS}: mean training loss {loss / len(image):.5f}")
    return parameters


def make_model(parameters):
    """The network as an ONNX model; its nodes compute what run_forward computes."""
    node = helper.make_node
    nodes = [
        node("Mul", ["image", "pixel_scale"], ["scaled"], "scale_pixels",
             "Brings pixels from 0..255 to 0..1."),
        node("Conv", ["scaled", "first_weight", "first_bias"], ["first"], "first_conv",
             "Strokes and edges.", kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[1, 1]),
        node("Relu", ["first"], ["first_relu"], "first_relu", "Keeps what was found."),
        node("MaxPool", ["first_relu"], ["pooled"], "pool",
             "The strongest answer of each 2x2 block.", kernel_shape=[2, 2], strides=[2, 2]),
        node("Conv", ["pooled", "second_weight", "second_bias"], ["second"], "second_conv",
             "Parts of digits.", kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[1, 1]),
        node("Relu", ["second"], ["second_relu"], "second_relu", "Keeps what was found."),
        node("Flatten", ["second_relu"], ["features"], "flatten", "One row a picture.", axis=1),
        node("Gemm", ["features", "classifier_weight", "classifier_bias"], ["logits"],
             "classifier", "One number a digit.", transB=1),
        node("Softmax", ["logits"], ["scores"], "to_probabilities",
             "Probabilities of the ten digits.", axis=1),
    ]
    image = helper.make_tensor_value_info(
        "image", TensorProto.FLOAT, ["batch", 1, 8, 8],
        "Gray pixels, 0 (paper) to 255 (ink).")
    scores = helper.make_tensor_value_info(
        "scores", TensorProto.FLOAT, ["batch", 10], "Probability of each digit, zero to nine.")
    constants = {"pixel_scale": np.array(PIXEL_SCALE), **parameters}
    graph = helper.make_graph(
        nodes, "digits", [image], [scores],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
        "Tells handwritten digits of 8x8 pixels apart.")
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8,
        producer_name="ortool testdata", producer_version="1", model_version=1,
        doc_string="A small convolutional network for handwritten digits, made by train.py.")
    onnx.checker.check_model(model, full_check=True)
    return model


def write_message(path, message):
    path.write_bytes(message.SerializeToString(deterministic=True))


def write_npz(path, arrays):
    """Like numpy.savez_compressed, but without the time of day in the file."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, array in arrays.items():
            content = io.BytesIO()
            np.lib.format.write_array(content, np.ascontiguousarray(array), allow_pickle=False)
            entry = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content.getvalue(), compresslevel=9)


def choose_pictures(scores, labels):
    """Index of the first sample of each digit that the network classifies correctly with high confidence."""
    certain = scores[np.arange(len(labels)), labels] >= PICTURE_SCORE
    return [int(np.flatnonzero(certain & (labels == digit))[0]) for digit in range(10)]


def write_files(folder, parameters, image, labels, scores):
    write_message(folder / "digits.onnx", make_model(parameters))
    write_npz(folder / "evaluation.npz", {"image": image, "labels": labels})
    (folder / "labels.txt").write_text("\n".join(CLASS_NAMES) + "\n")

    pictures = choose_pictures(scores, labels)
    for digit, index in enumerate(pictures):
        pixels = image[index, 0].astype(np.uint8)
        Image.fromarray(pixels, mode="L").save(folder / f"digit-{digit}.png")

    test_set = folder / "test_data_set_0"
    test_set.mkdir(exist_ok=True)
    test_input = image[pictures]
    test_output = run_forward(parameters, test_input)["scores"]
    write_message(test_set / "input_0.pb", numpy_helper.from_array(test_input, "image"))
    write_message(test_set / "output_0.pb", numpy_helper.from_array(test_output, "scores"))

    correct = int((scores.argmax(axis=1) == labels).sum())
    two_best = np.sort(scores, axis=1)[:, -2:]
    expected = {
        "samples": len(labels),
        "correct": correct,
        "accuracy": correct / len(labels),
        "smallest_margin_of_two_best_scores": round(float(np.diff(two_best).min()), 6),
        "split_seed": SPLIT_SEED,
        "training_seed": TRAINING_SEED,
        "held_out_fraction": HELD_OUT_FRACTION,
    }
    (folder / "expected.json").write_text(json.dumps(expected, indent=2) + "\n")


def main():
    parser = argparse.ArgumentParser(description="Trains the digits network and writes its files.")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path(__file__).parent,
                        help="folder for the files (default: the folder of this script)")
    folder = parser.parse_args().output
    folder.mkdir(parents=True, exist_ok=True)

    print(f"seeds: {SPLIT_SEED} for the split, {TRAINING_SEED} for the training")
    image, labels = load_pictures()
    training, held_out = split_by_class(labels, np.random.default_rng(SPLIT_SEED))
    print(f"{len(training)} training pictures, {len(held_out)} held out")
    parameters = train(
        image[training], labels[training], np.random.default_rng(TRAINING_SEED)
    )
    scores = run_forward(parameters, image[held_out])["scores"]
    accuracy = (scores.argmax(axis=1) == labels[held_out]).mean()
    print(f"accuracy on the held-out pictures: {100 * accuracy:.2f} %")
    if accuracy < 0.97:
        raise SystemExit("error: less than 97 %: the network did not learn; nothing was written")
    write_files(folder, parameters, image[held_out], labels[held_out], scores)


if __name__ == "__main__":
    main()
