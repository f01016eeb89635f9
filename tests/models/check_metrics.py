# Compares --metric map with pycocotools' COCOeval and --metric miou with numpy, on random data sets.
"""usage: check_metrics.py PROGRAM FOLDER [SEED]

Images hold the detections of a model as bytes, so that the whole way through `ortool run --data` is compared: boxes
with crowds, small and large objects, equal scores, detections without objects and images without either.
Needs onnx, numpy and pycocotools (tests/peers.sh).
"""
import contextlib
import io
import json
import os
import shutil
import struct
import subprocess
import sys
import zlib

try:
    import numpy
    import onnx
    from onnx import TensorProto, helper
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval
except ImportError as missing:
    print(f"SKIPPED: {missing} (bash tests/peers.sh installs it)")
    sys.exit(77)

IMAGES = 300
ROWS = 120  # detections per image, more than count in one category
MAX_ERROR = 1e-9
KEYS = ("ap", "ap50", "ap75", "ap_small", "ap_medium", "ap_large", "ar1", "ar10", "ar100", "ar_small", "ar_medium",
        "ar_large")


def write_png(path, pixels):
    """A gray PNG."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    height, width = pixels.shape
    rows = b"".join(b"\0" + pixels[row].tobytes() for row in range(height))
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
                   + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b""))


def save(path, nodes, inputs, outputs, constants):
    initializers = [onnx.numpy_helper.from_array(numpy.asarray(value), name) for name, value in constants.items()]
    graph = helper.make_graph(nodes, "g", inputs, outputs, initializers)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def detector(path):
    """Two bytes for each of x1, y1, x2, y2, score and label."""
    nodes = [
        helper.make_node("Cast", ["image"], ["bytes"], to=TensorProto.FLOAT),
        helper.make_node("Reshape", ["bytes", "pairs"], ["by_pair"]),
        helper.make_node("MatMul", ["by_pair", "weights"], ["columns"]),
        helper.make_node("Reshape", ["columns", "table"], ["by_row"]),
        helper.make_node("Mul", ["by_row", "scales"], ["values"]),
        helper.make_node("Split", ["values", "parts"], ["boxes", "score", "label"], axis=1),
        helper.make_node("Squeeze", ["score", "last"], ["scores"]),
        helper.make_node("Squeeze", ["label", "last"], ["numbers"]),
        helper.make_node("Cast", ["numbers"], ["labels"], to=TensorProto.INT64),
    ]
    constants = {"pairs": numpy.int64([ROWS, 6, 2]), "weights": numpy.float32([[256], [1]]),
                 "table": numpy.int64([ROWS, 6]), "parts": numpy.int64([4, 1, 1]), "last": numpy.int64([1]),
                 "scales": numpy.float32([1 / 64] * 4 + [1 / 65536, 1])}
    inputs = [helper.make_tensor_value_info("image", TensorProto.UINT8, [1, 1, ROWS, 12])]
    outputs = [helper.make_tensor_value_info("boxes", TensorProto.FLOAT, [ROWS, 4]),
               helper.make_tensor_value_info("labels", TensorProto.INT64, [ROWS]),
               helper.make_tensor_value_info("scores", TensorProto.FLOAT, [ROWS])]
    save(path, nodes, inputs, outputs, constants)


def random_image(random, ids):
    """Objects as (category, box, is_crowd), and detections near some of them."""
    objects = []
    for _ in range(random.choice([0, 1, 3, 8, 20])):
        size = random.choice([12, 40, 130]) * random.uniform(0.5, 1.5, 2)
        corner = random.uniform(0, 600, 2)
        box = [float(each) for each in numpy.round(numpy.concatenate([corner, size]), random.choice([0, 2]))]
        objects.append((int(random.choice(ids)), box, bool(random.random() < 0.1)))
    rows = numpy.zeros((ROWS, 6), numpy.int64)
    for i in range(random.choice([0, 5, 40, ROWS])):
        if objects and random.random() < 0.7:
            category, (x, y, width, height), _ = objects[random.integers(len(objects))]
            shift = random.normal(0, random.choice([0.02, 0.1, 0.3]), 4) * [width, height, width, height]
            x, y, right, bottom = numpy.array([x, y, x + width, y + height]) + shift
            if random.random() < 0.1:
                category = int(random.choice(ids))
        else:
            x, y = random.uniform(0, 600, 2)
            right, bottom = [x, y] + random.uniform(4, 200, 2)
            category = int(random.choice(ids))
        corners = numpy.clip(numpy.round(numpy.array([x, y, max(x, right), max(y, bottom)]) * 64), 0, 65535)
        score = random.integers(1, 65536) if random.random() < 0.7 else random.choice([16384, 32768, 49152])
        rows[i] = [*corners, score, category]
    return objects, rows


def map_data(random, folder):
    """Writes images and annotations; returns the detections in COCO's format."""
    ids = [1, 2, 3, 7, 11, 90]
    images, annotations, found = [], [], []
    for image in range(IMAGES):
        # Not in the order of the names.
        number = (image * 7) % IMAGES + 1
        objects, rows = random_image(random, ids)
        name = f"{image:06}.png"
        write_png(os.path.join(folder, name), rows.reshape(ROWS, 6).astype(">u2").view(numpy.uint8).reshape(ROWS, 12))
        images.append({"id": number, "file_name": "val/" + name})
        for category, box, is_crowd in objects:
            area = box[2] * box[3] * random.choice([1, 0.6])
            annotations.append({"id": len(annotations) + 1, "image_id": number, "category_id": category, "bbox": box,
                                "area": area, "iscrowd": int(is_crowd), "segmentation": []})
        for x1, y1, x2, y2, score, category in rows:
            if score > 0:
                found.append({"image_id": number, "category_id": int(category), "score": score / 65536,
                              "bbox": [x1 / 64, y1 / 64, x2 / 64 - x1 / 64, y2 / 64 - y1 / 64]})
    categories = [{"id": each, "name": f"c{each}"} for each in [*ids, 50]]
    path = os.path.join(folder, "annotations.json")
    with open(path, "w") as file:
        json.dump({"annotations": annotations, "images": images, "categories": categories}, file)
    return path, found


def run(program, *words):
    done = subprocess.run([program, "run", *words, "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(words)}: {done.stderr}")
    return json.loads(done.stdout)["dataset"]


def check_map(program, folder, random):
    detector(os.path.join(folder, "detector.onnx"))
    data = os.path.join(folder, "images")
    os.makedirs(data)
    path, found = map_data(random, data)
    block = run(program, os.path.join(folder, "detector.onnx"), "--data", data, "--metric", "map", "--detections",
                "torchvision,max:1000")
    with contextlib.redirect_stdout(io.StringIO()):
        truth = COCO(path)
        evaluation = COCOeval(truth, truth.loadRes(found), "bbox")
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    worst = 0
    for key, expected in zip(KEYS, evaluation.stats):
        error = abs(block["detection"][key] - expected)
        print(f"map {key}: {block['detection'][key]:.12f}, COCOeval {expected:.12f}, difference {error:.1e}")
        worst = max(worst, error)
    precision = evaluation.eval["precision"][:, :, :, 0, -1]
    for index, each in enumerate(block["detection"]["categories"]):
        own = precision[:, :, index]
        expected = own[own > -1].mean() if (own > -1).any() else None
        if (each["ap"] is None) != (expected is None):
            raise SystemExit(f"category {each}: {expected} expected")
        worst = max(worst, abs((each["ap"] or 0) - (expected or 0)))
    return worst


def check_miou(program, folder, random):
    """A model whose class scores are greatest for the class in the pixel."""
    classes, height, width = 7, 48, 64
    constants = {"classes": numpy.arange(classes, dtype=numpy.float32).reshape(1, classes, 1, 1)}
    nodes = [helper.make_node("Cast", ["image"], ["values"], to=TensorProto.FLOAT),
             helper.make_node("Sub", ["values", "classes"], ["distances"]),
             helper.make_node("Mul", ["distances", "distances"], ["squares"]),
             helper.make_node("Neg", ["squares"], ["scores"])]
    save(os.path.join(folder, "segmenter.onnx"), nodes,
         [helper.make_tensor_value_info("image", TensorProto.UINT8, [1, 1, height, width])],
         [helper.make_tensor_value_info("scores", TensorProto.FLOAT, [1, classes, height, width])], constants)
    pictures, masks = (os.path.join(folder, each) for each in ("pictures", "masks"))
    os.makedirs(pictures)
    os.makedirs(masks)
    matrix = numpy.zeros((classes, classes))
    for image in range(40):
        predicted = random.integers(0, classes - 1, (height, width)).astype(numpy.uint8)
        size = (height, width) if image % 2 else (int(random.integers(20, 90)), int(random.integers(20, 90)))
        rows = ((numpy.arange(size[0]) + 0.5) * height / size[0]).astype(int)
        columns = ((numpy.arange(size[1]) + 0.5) * width / size[1]).astype(int)
        seen = predicted[rows][:, columns]
        truth = numpy.where(random.random(size) < 0.6, seen, random.integers(0, classes, size)).astype(numpy.uint8)
        truth[random.random(size) < 0.05] = 255
        write_png(os.path.join(pictures, f"{image}.png"), predicted)
        write_png(os.path.join(masks, f"{image}.png"), truth)
        counts = truth != 255
        numpy.add.at(matrix, (truth[counts], seen[counts]), 1)
    common = numpy.diag(matrix)
    iou = common / (matrix.sum(0) + matrix.sum(1) - common)
    block = run(program, os.path.join(folder, "segmenter.onnx"), "--data", pictures, "--metric", "miou", "--labels",
                masks)["segmentation"]
    worst = 0
    for key, expected in (("miou", iou.mean()), ("pixel_accuracy", common.sum() / matrix.sum()),
                          ("mean_accuracy", (common / matrix.sum(1)).mean())):
        error = abs(block[key] - expected)
        print(f"miou {key}: {block[key]:.12f}, numpy {expected:.12f}, difference {error:.1e}")
        worst = max(worst, error)
    return worst


def main():
    program, folder = sys.argv[1:3]
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    print(f"seed {seed}")
    random = numpy.random.default_rng(seed)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    worst = max(check_map(program, folder, random), check_miou(program, folder, random))
    print(f"largest difference {worst:.1e}")
    return 1 if worst > MAX_ERROR else 0


if __name__ == "__main__":
    sys.exit(main())
