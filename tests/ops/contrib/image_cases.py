# Cases of operators on images of onnxruntime-extensions, whose reference is PyPI's package, and of suppression with indices as
# its result, whose reference is numpy.
import extensions_peer
import numpy
from case import Case
from vision_cases import _boxes, _distinct, _efficient


def _extensions(op, inputs, attributes):
    case = Case(op, inputs, 1, attributes, domain="com.microsoft.extensions", opset=18)
    case.expected = extensions_peer.expected(Case(op, inputs, 1, attributes, domain="com.microsoft.extensions", opset=18))
    return case


def _encoded(random):
    for number in range(40):
        height, width = random.choice([(1, 1), (2, 3), (5, 7), (16, 16), (17, 9), (40, 33)])
        kind = random.choice(["png", "jpg"])
        # Where colors differ, the package's JPEG library averages chroma with other roundings than libjpeg-turbo's; gray pixels
        # have the same bytes.
        shape = (height, width, 3) if kind == "png" else (height, width, 1)
        pixels = random.integers(0, 256, shape).astype(numpy.uint8)
        if number % 3 == 0:
            pixels = (pixels // 128 * 200).astype(numpy.uint8)
        pixels = numpy.ascontiguousarray(numpy.broadcast_to(pixels, (height, width, 3)))
        yield _extensions("EncodeImage", [pixels], {"format": kind, "color_space": random.choice([None, "rgb", "bgr"])})


def _drawn(random):
    for number in range(48):
        height, width = random.choice([(1, 1), (8, 8), (20, 30), (64, 40)])
        count = random.choice([0, 1, 3, 12])
        mode = random.choice([None, "XYXY", "XYWH", "CENTER_XYWH"])
        places = random.uniform(-10, max(height, width) + 10, (count, 2))
        sizes = random.uniform(0, 30, (count, 2))
        last = sizes if mode in ("XYWH", "CENTER_XYWH") else places + sizes
        scores = _distinct(random, (count, 1), 0.1, 0.9)
        classes = random.integers(0, random.choice([2, 14]), (count, 1))
        boxes = numpy.concatenate([places, last, scores, classes], 1).astype(numpy.float32)
        pixels = random.integers(0, 256, (height, width, 3)).astype(numpy.uint8)
        yield _extensions("DrawBoundingBoxes", [pixels, boxes], {
            "mode": mode, "thickness": random.choice([None, 1, 2, 5, 100]), "num_classes": random.choice([None, 80]),
            "colour_by_classes": random.choice([None, 0, 1])})


def _window(length, sigma):
    if sigma <= 0 and length <= 7:
        return numpy.array({1: [1], 3: [1, 2, 1], 5: [1, 4, 6, 4, 1], 7: [2, 7, 14, 18, 14, 7, 2]}[length]) / {1: 1, 3: 4, 5: 16, 7: 64}[length]
    sigma = sigma if sigma > 0 else 0.3 * ((length - 1) * 0.5 - 1) + 0.8
    weights = numpy.exp(-((numpy.arange(length) - (length - 1) / 2) ** 2) / (2 * sigma * sigma))
    return weights / weights.sum()


def _blurred(images, size, sigma):
    """OpenCV's GaussianBlur: size (height, width), sigma (x, y), borders mirrored without the border's own pixels."""
    deviations = (sigma[1] if sigma[1] > 0 else sigma[0], sigma[0])
    out = images.astype(numpy.float64)
    for axis in (0, 1):
        length = size[axis] if size[axis] > 0 else round(deviations[axis] * 8 + 1) | 1
        extent = images.shape[1 + axis]
        places = numpy.arange(-(length // 2), extent + length // 2)
        period = max(2 * (extent - 1), 1)
        places = numpy.abs(places) % period if extent > 1 else places * 0
        places = numpy.where(places < extent, places, period - places)
        padded = numpy.take(out, places, 1 + axis)
        out = sum(weight * numpy.take(padded, range(i, i + extent), 1 + axis)
                  for i, weight in enumerate(_window(length, deviations[axis])))
    return [out.astype(numpy.float32)]


def _blur_cases(random):
    for _ in range(36):
        shape = (random.randint(1, 2), random.choice([1, 2, 5, 12]), random.choice([1, 3, 9, 16]), random.choice([1, 3, 4]))
        images = random.standard_normal(shape).astype(numpy.float32)
        size = numpy.array([random.choice([1, 3, 5, 7, 9, 15]) for _ in range(2)])
        sigma = numpy.array([random.choice([0.0, 0.5, 1.3, 3.0]), random.choice([0.0, 0.8, 2.0])])
        if sigma[0] > 0 and random.random() < 0.2:
            size = numpy.array([0, 0])
        yield Case("GaussianBlur", [images, size, sigma], 1, domain="ai.onnx.contrib", opset=18,
                   expected=lambda args=(images, size, sigma): _blurred(*args))


def _indices(boxes, scores, most, score_threshold, iou_threshold, center):
    found = []
    for image in range(len(scores)):
        for place, (box, kind) in enumerate(_kept(boxes[image:image + 1], scores[image:image + 1], most, score_threshold, iou_threshold,
                                                  center)):
            found.append([image, kind, box])
    rows = len(scores) * most
    return [numpy.array((found + [found[-1] if found else [-1] * 3] * rows)[:rows], numpy.int32).reshape(rows, 3)]


def _kept(boxes, scores, most, score_threshold, iou_threshold, center):
    counts, _, values, kinds = _efficient(boxes, scores, None, most, score_threshold, iou_threshold, -1, 0, 0, center)
    # Scores are distinct.
    for value, kind in zip(values[0][:counts[0, 0]], kinds[0]):
        yield int(numpy.flatnonzero(scores[0, :, kind] == value)[0]), int(kind)


def _index_cases(random):
    for number in range(36):
        dtype = numpy.float16 if number % 8 == 7 else numpy.float32
        batch, count, classes = random.randint(1, 3), random.choice([0, 1, 7, 20]), random.randint(1, 4)
        center = random.choice([None, 0, 1])
        shape = (batch, count) if number % 3 else (batch, count, random.choice([1, classes]))
        boxes = _boxes(random, shape, center == 1).astype(dtype)
        scores = _distinct(random, (batch, count, classes), 0.01, 0.99).astype(dtype)
        most, score, iou = random.choice([1, 5, 30]), random.choice([0.05, 0.6, 1.0]), random.choice([0.3, 0.453])
        yield Case("EfficientNMS_ONNX_TRT", [boxes, scores], 1, {
            "score_threshold": score, "iou_threshold": iou, "max_output_boxes_per_class": most, "center_point_box": center},
            domain=random.choice(["TRT", "trt.plugins", ""]),
            expected=lambda args=(boxes, scores, most, score, iou, center or 0): _indices(*args))


def _corners(box):
    x, y, width, height, angle = (float(each) for each in box)
    turn = numpy.array([[numpy.cos(angle), -numpy.sin(angle)], [numpy.sin(angle), numpy.cos(angle)]])
    return numpy.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * [width / 2, height / 2] @ turn.T + [x, y]


def _cross(a, b):
    return a[0] * b[1] - a[1] * b[0]


def _rotated_overlap(a, b):
    """By the convex hull of all crossings of sides and of corners that are in the other box."""
    first, second = _corners(a), _corners(b)
    points = []
    for one, other in ((first, second), (second, first)):
        for corner in one:
            if all(_cross(other[(i + 1) % 4] - other[i], corner - other[i]) >= 0 for i in range(4)):
                points.append(corner)
    for i in range(4):
        for j in range(4):
            d, e = first[(i + 1) % 4] - first[i], second[(j + 1) % 4] - second[j]
            if abs(_cross(d, e)) > 1e-12:
                t, u = _cross(second[j] - first[i], e) / _cross(d, e), _cross(second[j] - first[i], d) / _cross(d, e)
                if 0 <= t <= 1 and 0 <= u <= 1:
                    points.append(first[i] + d * t)
    if len(points) < 3:
        return 0.0
    points = numpy.array(points)
    middle = points.mean(0)
    points = points[numpy.argsort(numpy.arctan2(*(points - middle).T[::-1]))]
    area = abs(sum(_cross(points[i] - middle, points[(i + 1) % len(points)] - middle) for i in range(len(points)))) / 2
    return area / (float(a[2]) * float(a[3]) + float(b[2]) * float(b[3]) - area)


def _rotated(boxes, scores, iou_threshold, score_threshold):
    found = []
    for image in range(scores.shape[0]):
        for kind in range(scores.shape[1]):
            kept = []
            for box in numpy.argsort(-scores[image, kind], kind="stable"):
                if scores[image, kind, box] > score_threshold and not any(
                        _rotated_overlap(boxes[image, better], boxes[image, box]) > iou_threshold for better in kept):
                    kept.append(box)
            found += [[image, kind, box] for box in kept]
    return [numpy.array(found, numpy.int64).reshape(-1, 3)]


def _rotated_cases(random):
    for _ in range(36):
        batch, count, classes = random.randint(1, 2), random.choice([1, 5, 25]), random.randint(1, 3)
        boxes = numpy.concatenate([random.uniform(0, 12, (batch, count, 2)), random.uniform(0.5, 8, (batch, count, 2)),
                                   random.uniform(-4, 4, (batch, count, 1))], 2).astype(numpy.float32)
        scores = _distinct(random, (batch, classes, count), 0.01, 0.99)
        iou, score = random.choice([0.1, 0.31, 0.7]), random.choice([0.0, 0.3])
        yield Case("NMSRotated", [boxes, scores], 1, {"iou_threshold": iou, "score_threshold": score}, domain="mmdeploy",
                   expected=lambda args=(boxes, scores, iou, score): _rotated(*args))


def cases(random):
    for family in (_blur_cases, _index_cases, _rotated_cases):
        yield from family(random)
    if extensions_peer.is_available():
        yield from _encoded(random)
        yield from _drawn(random)
