# Writes a small detector and a segmentation model, with images, annotations and label images.
"""usage: make_metric_data.py FOLDER

detector.onnx   image float[1,1,8,8] -> output0 float[1,6,10] as YOLOv8 has it: two classes, ten boxes
segmenter.onnx  image float[1,1,8,8] -> map int64[1,1,8,8], whether a pixel is brighter than 127
photos/         0.png to 3.png, 8 x 8 pixels, and annotations.json: a box of class 2 in each
wide/           0.png, 16 x 8, and 1.png, 20 x 40, with annotations.json for images that are resized to the input,
                and crop.json for resize:10,crop:8
masks/          0.png to 3.png: the map with one wrong row and one ignored row of eight
"""
import json
import os
import struct
import sys
import zlib

sys.dont_write_bytecode = True
from make_models import (FLOAT, INT64, field, float_constant, integer_attribute, model, node, tensor_type)

COLUMNS = 10
# Of the first four boxes, by attribute: center x, center y, width, height, scores of both classes.
BOXES = [[3, 3.1, 6, 1], [3, 3, 6, 1], [4, 4, 2, 1], [4, 4, 2, 1], [0, 0, 0.3, 0], [0.9, 0.8, 0, 0]]


def write_png(path, rows):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 0, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + bytes(row) for row in rows))
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b""))


def shape_constant(name, sizes):
    return field(5, field(1, len(sizes)) + field(2, INT64) + field(8, name)
                 + field(9, struct.pack(f"<{len(sizes)}q", *sizes)))


def weights(name, rows, columns):
    numbers = [(i % 7 - 3) * 1e-6 for i in range(rows * columns)]
    return field(5, field(1, rows) + field(1, columns) + field(2, FLOAT) + field(8, name)
                 + field(9, struct.pack(f"<{len(numbers)}f", *numbers)))


def main():
    folder = sys.argv[1]
    image = [("image", tensor_type(FLOAT, [1, 1, 8, 8]))]
    numbers = [number for row in BOXES for number in row + [0] * (COLUMNS - len(row))]
    detector = model(
        node("Flatten", ["image"], ["flat"]) + node("MatMul", ["flat", "w"], ["m"]) + node("Add", ["m", "b"], ["a"])
        + node("Reshape", ["a", "shape"], ["output0"]),
        image, [("output0", tensor_type(FLOAT, [1, 6, COLUMNS]))],
        weights("w", 64, 6 * COLUMNS) + float_constant("b", numbers) + shape_constant("shape", [1, 6, COLUMNS]))
    segmenter = model(
        node("Greater", ["image", "half"], ["g"]) + node("Cast", ["g"], ["map"], integer_attribute("to", INT64)),
        image, [("map", tensor_type(INT64, [1, 1, 8, 8]))], float_constant("half", [127]))
    for name, content in (("detector", detector), ("segmenter", segmenter)):
        with open(os.path.join(folder, name + ".onnx"), "wb") as file:
            file.write(content)
    annotations = {"images": [], "annotations": [],
                   "categories": [{"id": 2, "name": "dog"}, {"id": 1, "name": "cat"}]}
    for each in ("photos", "masks"):
        os.makedirs(os.path.join(folder, each), exist_ok=True)
    for index in range(4):
        rows = [[(37 * x + 61 * y + 11 * index) % 256 for x in range(8)] for y in range(8)]
        truth = [[int(value > 127) for value in row] for row in rows]
        truth[0] = [1 - value for value in truth[0]]
        truth[7] = [255] * 8
        write_png(os.path.join(folder, "photos", f"{index}.png"), rows)
        write_png(os.path.join(folder, "masks", f"{index}.png"), truth)
        annotations["images"].append({"id": index, "file_name": f"{index}.png", "width": 8, "height": 8})
        annotations["annotations"].append({"id": index + 1, "image_id": index, "category_id": 2, "bbox": [1, 1, 4, 4],
                                           "area": 16, "iscrowd": 0})
    with open(os.path.join(folder, "photos", "annotations.json"), "w") as file:
        json.dump(annotations, file)


def write_wide(folder):
    """The detector's box is 1 to 5 in both directions of the input."""
    os.makedirs(folder, exist_ok=True)
    sizes = [(16, 8), (20, 40)]
    images = [{"id": index, "file_name": f"{index}.png", "width": width, "height": height}
              for index, (width, height) in enumerate(sizes)]
    # By resize:10,crop:8 the first becomes 20 x 10, less 6 and 1 on the left and top, the second 10 x 20.
    boxes = {"annotations": [[2, 1, 8, 4], [2.5, 5, 10, 20]], "crop": [[5.6, 1.6, 3.2, 3.2], [4, 14, 8, 8]]}
    for index, (width, height) in enumerate(sizes):
        write_png(os.path.join(folder, f"{index}.png"), [[x * y % 256 for x in range(width)] for y in range(height)])
    for name, each in boxes.items():
        with open(os.path.join(folder, name + ".json"), "w") as file:
            json.dump({"images": images, "categories": [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}],
                       "annotations": [{"id": index + 1, "image_id": index, "category_id": 2, "bbox": box}
                                       for index, box in enumerate(each)]}, file)


if __name__ == "__main__":
    main()
    write_wide(os.path.join(sys.argv[1], "wide"))
