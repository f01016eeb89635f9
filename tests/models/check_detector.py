# Mean average precision of a trained face detector on photos: --metric map beside onnxruntime and pycocotools.
"""usage: check_detector.py PROGRAM SHARED FOLDER [SEED]

The annotations are the model's own detections by onnxruntime, moved, some left out and some added, so that precision
is neither 0 nor 1. Both forms of the detector: boxes with scores of background and face, and with suppression inside.
Needs onnx, onnxruntime, numpy and pycocotools (tests/peers.sh).
"""
import contextlib
import glob
import io
import json
import os
import shutil
import struct
import subprocess
import sys

try:
    import numpy
    import onnx
    import onnxruntime
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval
except ImportError as missing:
    print(f"SKIPPED: {missing} (bash tests/peers.sh installs it)")
    sys.exit(77)

IMAGE = "mean:127,std:128"
# A box whose overlap is near a threshold may fall on either side by the rounding of a convolution.
MAX_ERROR = 1e-3
KEYS = ("ap", "ap50", "ap75", "ap_small", "ap_medium", "ap_large", "ar1", "ar10", "ar100", "ar_small", "ar_medium",
        "ar_large")


def jpeg_size(path):
    """Width and height of a JPEG, from its start-of-frame segment."""
    with open(path, "rb") as file:
        data = file.read()
    at = 2
    while data[at + 1] not in (0xC0, 0xC1, 0xC2):
        at += 2 + struct.unpack(">H", data[at + 2:at + 4])[0]
    height, width = struct.unpack(">HH", data[at + 5:at + 9])
    return width, height


def prepared(program, model, photo, folder):
    """The photo as the program prepares it, [1,3,240,320]."""
    subprocess.run([program, "run", model, photo, "--image", IMAGE, "--save-repro", folder], check=True,
                   stdout=subprocess.DEVNULL)
    tensor = onnx.TensorProto()
    with open(os.path.join(folder, "test_data_set_0", "input_0.pb"), "rb") as file:
        tensor.ParseFromString(file.read())
    shutil.rmtree(folder)
    return onnx.numpy_helper.to_array(tensor)


def moved(random, boxes):
    """Boxes in the same place or nearby, without every tenth, and two more."""
    sizes = numpy.tile(boxes[:, 2:] - boxes[:, :2], 2)
    near = boxes + random.normal(0, 1, boxes.shape) * sizes * random.choice([0, 0.03, 0.1], (len(boxes), 1))
    corners = random.uniform(0, 0.8, (2, 2))
    return numpy.concatenate([near[random.random(len(boxes)) < 0.9], numpy.hstack([corners, corners + 0.1])])


def coco_box(box, size):
    x1, y1, x2, y2 = (float(each) for each in box * numpy.tile(size, 2))
    return [x1, y1, x2 - x1, y2 - y1]


def map_of(program, model, photos, labels, layout):
    done = subprocess.run([program, "run", model, "--data", photos, "--image", IMAGE, "--metric", "map", "--labels",
                           labels, "--detections", layout, "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)["dataset"]["detection"]


def suppressed(boxes, scores, min_score, max_iou):
    """Non-maximum suppression of one class, best first."""
    order = [i for i in numpy.argsort(-scores, kind="stable") if scores[i] > min_score]
    areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    kept = []
    while order and len(kept) < 300:
        best = order.pop(0)
        kept.append(best)
        rest = numpy.array(order, int)
        common = numpy.clip(numpy.minimum(boxes[rest, 2:], boxes[best, 2:]) -
                            numpy.maximum(boxes[rest, :2], boxes[best, :2]), 0, None).prod(axis=1)
        order = list(rest[common <= max_iou * (areas[rest] + areas[best] - common)])
    return kept


def evaluate(labels, found):
    with contextlib.redirect_stdout(io.StringIO()):
        truth = COCO(labels)
        evaluation = COCOeval(truth, truth.loadRes(found), "bbox")
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return evaluation.stats


def main():
    program, shared, folder = sys.argv[1:4]
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    photos = os.path.join(shared, "data", "faces")
    paths = sorted(glob.glob(os.path.join(photos, "*.jpg")))
    models = {"torchvision": "ultraface-rfb320-nms", "boxes-scores": "ultraface-rfb320"}
    models = {layout: os.path.join(shared, "models", name, "model.onnx") for layout, name in models.items()}
    if not paths or not all(os.path.exists(each) for each in models.values()):
        print(f"SKIPPED: no photos or detectors in {shared}")
        return 77
    print(f"seed {seed}")
    random = numpy.random.default_rng(seed)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    onnxruntime.set_default_logger_severity(3)  # the weights are inputs too
    sessions = {layout: onnxruntime.InferenceSession(path) for layout, path in models.items()}
    images, annotations, found = [], [], {layout: [] for layout in models}
    for number, path in enumerate(paths, 1):
        size = jpeg_size(path)
        images.append({"id": number, "file_name": os.path.basename(path), "width": size[0], "height": size[1]})
        values = {"input": prepared(program, models["torchvision"], path, os.path.join(folder, "prepared"))}
        boxes, scores = sessions["torchvision"].run(["face_boxes", "face_scores"], values)
        for box in moved(random, boxes):
            place = coco_box(box, size)
            annotations.append({"id": len(annotations) + 1, "image_id": number, "category_id": 1, "bbox": place,
                                "area": place[2] * place[3], "iscrowd": 0})
        detections = {"torchvision": [(boxes[i], scores[i]) for i in range(len(boxes))]}
        boxes, scores = (each[0] for each in sessions["boxes-scores"].run(["boxes", "scores"], values))
        kept = suppressed(boxes.astype(float), scores[:, 1], 0.001, 0.7)
        detections["boxes-scores"] = [(boxes[i], scores[i, 1]) for i in kept]
        for layout, pairs in detections.items():
            found[layout] += [{"image_id": number, "category_id": 1, "score": float(score), "bbox": coco_box(box, size)}
                              for box, score in pairs]
    labels = os.path.join(folder, "annotations.json")
    with open(labels, "w") as file:
        json.dump({"images": images, "annotations": annotations, "categories": [{"id": 1, "name": "face"}]}, file)
    worst = 0
    for layout, model in models.items():
        own = map_of(program, model, photos, labels, layout + ",boxes:normalized")
        for key, expected in zip(KEYS, evaluate(labels, found[layout])):
            print(f"{layout} {key}: {own[key]:.6f}, onnxruntime and COCOeval {expected:.6f}")
            worst = max(worst, abs(own[key] - expected))
    print(f"largest difference {worst:.1e}")
    return 1 if worst > MAX_ERROR else 0


if __name__ == "__main__":
    sys.exit(main())
