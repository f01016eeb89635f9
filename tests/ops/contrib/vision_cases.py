# Cases of operators on boxes and images beyond ONNX's own, with references by numpy.
import numpy
from case import Case, build_model


def _boxes(random, shape, center, crossed=False):
    """Boxes around a few places, so that many overlap."""
    places = random.uniform(0.1, 0.9, (3, 2))
    middle = places[random.integers(0, 3, shape)] + random.uniform(-0.1, 0.1, (*shape, 2))
    size = random.uniform(0.05, 0.4, (*shape, 2))
    if center:
        return numpy.concatenate([middle, size], -1).astype(numpy.float32)
    low, high = middle - size / 2, middle + size / 2
    if crossed:
        swap = random.uniform(0, 1, (*shape, 2)) < 0.3
        low, high = numpy.where(swap, high, low), numpy.where(swap, low, high)
    return numpy.concatenate([low, high], -1).astype(numpy.float32)


def _distinct(random, shape, low, high):
    """Scores of which no two are equal, in float16 either."""
    count = int(numpy.prod(shape))
    return numpy.linspace(low, high, count)[random.permutation(count)].reshape(shape).astype(numpy.float32)


def _overlap(a, b, pixel=0.0, side=0.0):
    low = numpy.maximum(numpy.minimum(a[:2], a[2:]), numpy.minimum(b[:2], b[2:]))
    high = numpy.minimum(numpy.maximum(a[:2], a[2:]), numpy.maximum(b[:2], b[2:]))
    sides = (high - low + pixel) if (low <= high).all() else numpy.full(2, pixel)
    if (sides <= 0).any():
        return 0.0
    area = sides.prod()
    union = (abs(a[2:] - a[:2]) + side).prod() + (abs(b[2:] - b[:2]) + side).prod() - area
    return area / union if union > 0 else 0.0


def _efficient(boxes, scores, anchors, most, score_threshold, iou_threshold, background, activation, agnostic, coding):
    batch, count, classes = scores.shape
    outputs = (numpy.zeros((batch, 1), numpy.int32), numpy.zeros((batch, most, 4), boxes.dtype),
               numpy.zeros((batch, most), boxes.dtype), numpy.zeros((batch, most), numpy.int32))
    boxes, scores = boxes.astype(numpy.float64), scores.astype(numpy.float64)
    for image in range(batch):
        values = 1 / (1 + numpy.exp(-scores[image])) if activation else scores[image]
        order = sorted(((-values[box, kind], box, kind) for box in range(count) for kind in range(classes)
                        if values[box, kind] >= score_threshold and kind != background))
        kept = []
        for negative, box, kind in order[:4096]:
            each = boxes[image, box, kind] if boxes.ndim == 4 and boxes.shape[2] > 1 else boxes[image, box].reshape(-1, 4)[0]
            anchor = None if anchors is None else anchors[image if len(anchors) > 1 else 0, box].astype(numpy.float64)
            if coding == 1:
                if anchor is not None:
                    each = numpy.concatenate([each[:2] * anchor[2:] + anchor[:2], anchor[2:] * numpy.exp(each[2:])])
                each = numpy.concatenate([each[:2] - each[2:] / 2, each[:2] + each[2:] / 2])
            elif anchor is not None:
                ordered = [numpy.concatenate([numpy.minimum(one[:2], one[2:]), numpy.maximum(one[:2], one[2:])])
                           for one in (each, anchor)]
                each = ordered[0] + ordered[1]
            if len(kept) < most and not any((agnostic or other == kind) and _overlap(better, each) >= iou_threshold
                                            for better, other in kept):
                place = len(kept)
                outputs[1][image, place], outputs[2][image, place], outputs[3][image, place] = each, -negative, kind
                kept.append((each, kind))
        outputs[0][image, 0] = len(kept)
    return list(outputs)


def _efficient_cases(random):
    for number in range(48):
        dtype = numpy.float16 if number % 8 == 7 else numpy.float32
        batch, count, classes = random.randint(1, 3), random.choice([0, 1, 7, 20, 40]), random.randint(1, 5)
        coding, activation = number % 2, number // 2 % 2
        anchors = None
        if number % 5 == 4:
            anchors = _boxes(random, (random.choice([1, batch]), count), coding == 1).astype(dtype)
        shape = (batch, count) if number % 3 else (batch, count, random.choice([1, classes]))
        boxes = _boxes(random, shape, coding == 1, crossed=number % 7 == 0).astype(dtype)
        scores = _distinct(random, (batch, count, classes), -3 if activation else 0.01, 3 if activation else 0.99).astype(dtype)
        attributes = {"score_threshold": random.choice([0.05, 0.25, 0.6]), "iou_threshold": random.choice([0.3, 0.453, 0.65]),
                      "max_output_boxes": random.choice([1, 5, 100]), "background_class": random.choice([-1, 0, 2]),
                      "score_activation": activation, "class_agnostic": random.choice([None, 0, 1]), "box_coding": coding,
                      "plugin_version": random.choice([None, "1"])}
        yield Case("EfficientNMS_TRT", [boxes, scores, anchors], 4, attributes, domain=random.choice(["TRT", "trt.plugins", ""]),
                   tolerance=(4e-3, 2e-3) if dtype == numpy.float16 else (1e-5, 1e-6),
                   expected=lambda args=(boxes, scores, anchors, attributes): _efficient(
                       args[0], args[1], args[2], args[3]["max_output_boxes"], args[3]["score_threshold"],
                       args[3]["iou_threshold"], args[3]["background_class"], args[3]["score_activation"],
                       args[3]["class_agnostic"], args[3]["box_coding"]))


def _classwise(boxes, scores, top, keep, score_threshold, iou_threshold, background, normalized, clip, caffe=True):
    """For each image (box, class, score, index) of its detections."""
    result = []
    for image in range(len(scores)):
        found = []
        for kind in range(scores.shape[2]):
            values = scores[image, :, kind].astype(numpy.float64)
            order = [box for box in numpy.argsort(-values, kind="stable") if values[box] > score_threshold]
            kept = []
            for box in order[:top if top > 0 else None] if kind != background else []:
                each = boxes[image, box, kind if boxes.shape[2] > 1 else 0].astype(numpy.float64)
                side = 0.0 if normalized else 1.0
                if not any(_overlap(better[0], each, side if caffe else 0.0, side) > iou_threshold for better in kept):
                    kept.append((each, kind, values[box], box))
            found += kept
        found.sort(key=lambda one: -one[2])
        result.append([(numpy.clip(each, 0, 1) if clip else each, *rest) for each, *rest in found[:keep]])
    return result


def _batched(boxes, scores, keep, *options):
    batch = len(scores)
    outputs = [numpy.zeros((batch, 1), numpy.int32), numpy.zeros((batch, keep, 4), boxes.dtype),
               numpy.zeros((batch, keep), boxes.dtype), numpy.full((batch, keep), -1, boxes.dtype)]
    for image, found in enumerate(_classwise(boxes, scores, *options)):
        outputs[0][image, 0] = len(found)
        for place, (box, kind, score, _) in enumerate(found):
            outputs[1][image, place], outputs[2][image, place], outputs[3][image, place] = box, score, kind
    return outputs


def _trt_batched(boxes, scores, keep, wants_index, *options):
    batch = len(scores)
    outputs = [numpy.zeros((batch, keep, 5), numpy.float32), numpy.full((batch, keep), -1, numpy.int32),
               numpy.full((batch, keep), -1, numpy.int32)]
    for image, found in enumerate(_classwise(boxes, scores, *options)):
        for place, (box, kind, score, index) in enumerate(found):
            outputs[0][image, place] = [*box, score]
            outputs[1][image, place], outputs[2][image, place] = kind, index
    return outputs[:3 if wants_index else 2]


def _classwise_cases(random):
    for number in range(96):
        op = ["BatchedNMS_TRT", "BatchedNMSDynamic_TRT", "TRTBatchedNMS"][number % 3]
        dtype = numpy.float16 if number % 8 == 7 and op != "TRTBatchedNMS" else numpy.float32
        batch, count, classes = random.randint(1, 3), random.choice([1, 6, 20, 40]), random.randint(1, 4)
        normalized, clip = random.choice([0, 1]), random.choice([0, 1])
        boxes = _boxes(random, (batch, count, random.choice([1, classes])), False, crossed=number % 5 == 0)
        boxes = (boxes if normalized else boxes * 20).astype(dtype)
        scores = _distinct(random, (batch, count, classes), 0.01, 0.99).astype(dtype)
        top, keep = random.choice([-1, 4, count]), random.choice([1, 8, 30])
        score, iou, background = random.choice([0.05, 0.3]), random.choice([0.3, 0.53]), random.choice([-1, 0, 1])
        options = (top, keep, score, iou, background, normalized, clip)
        tolerance = (4e-3, 2e-3) if dtype == numpy.float16 else (1e-5, 1e-6)
        if op == "TRTBatchedNMS":
            index = random.choice([0, 1])
            yield Case(op, [boxes, scores], 2 + index, domain="mmdeploy", tolerance=tolerance, attributes={
                "topk": top, "keep_topk": keep, "score_threshold": score, "iou_threshold": iou, "num_classes": classes,
                "background_label_id": background, "is_normalized": normalized, "clip_boxes": clip,
                "return_index": random.choice([1]) if index else None},
                expected=lambda args=(boxes, scores, keep, index, *options): _trt_batched(*args))
            continue
        caffe = random.choice([None, 0, 1])
        yield Case(op, [boxes, scores], 4, domain=random.choice(["TRT", "trt.plugins", ""]), tolerance=tolerance, attributes={
            "topK": top, "keepTopK": keep, "scoreThreshold": score, "iouThreshold": iou, "numClasses": classes,
            "backgroundLabelId": background, "isNormalized": normalized, "clipBoxes": clip, "caffeSemantics": caffe,
            "shareLocation": int(boxes.shape[2] == 1), "plugin_version": "1"},
            expected=lambda args=(boxes, scores, keep, *options, caffe != 0): _batched(*args))


def _onnx(op, inputs, opset, **attributes):
    """What ONNX's operator gives for these inputs, by onnxruntime."""
    def run():
        import onnxruntime
        case = Case(op, inputs, 1, attributes, domain="", opset=opset)
        model = build_model(case, (), {index: case.inputs[index].shape for index in case.present()})
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        return session.run(None, {f"x{index}": case.inputs[index] for index in case.present()})
    return run


def _deform_conv(x, offset, mask, weight, bias, stride, padding, dilation, groups, deform_groups):
    batch, channels = x.shape[:2]
    outputs, inner, height, width = weight.shape
    out = numpy.zeros((batch, outputs, *offset.shape[2:]))
    def sample(plane, row, column):
        low_row, low_column = int(numpy.floor(row)), int(numpy.floor(column))
        total = 0.0
        for a in (low_row, low_row + 1):
            for b in (low_column, low_column + 1):
                if 0 <= a < plane.shape[0] and 0 <= b < plane.shape[1]:
                    total += plane[a, b] * (1 - abs(row - a)) * (1 - abs(column - b))
        return total
    for index in numpy.ndindex(*out.shape):
        image, channel, row, column = index
        total = 0.0 if bias is None else float(bias[channel])
        for part in range(inner):
            source = channel // (outputs // groups) * inner + part
            group = source // (channels // deform_groups)
            for i in range(height):
                for j in range(width):
                    place = group * height * width + i * width + j
                    shift = offset[image, 2 * place:2 * place + 2, row, column]
                    at = (row * stride[0] - padding[0] + i * dilation[0] + float(shift[0]),
                          column * stride[1] - padding[1] + j * dilation[1] + float(shift[1]))
                    total += sample(x[image, source], *at) * mask[image, place, row, column] * weight[channel, part, i, j]
        out[index] = total
    return [out.astype(numpy.float32)]


def _mmdeploy_cases(random):
    modes, paddings = ("linear", "nearest", "cubic"), ("zeros", "border", "reflection")
    for _ in range(30):
        domain, opset = random.choice(["mmdeploy", "mmcv"]), random.choice([11, 13, 17, 21])
        batch, channels, height, width = random.randint(1, 2), random.randint(1, 3), random.randint(2, 6), random.randint(2, 6)
        x = random.standard_normal((batch, channels, height, width)).astype(numpy.float32)
        grid = random.uniform(-1.2, 1.2, (batch, random.randint(1, 4), random.randint(1, 4), 2)).astype(numpy.float32)
        mode, padding, corners = random.randrange(3), random.randrange(3), random.randrange(2)
        yield Case("grid_sampler", [x, grid], 1, {"interpolation_mode": mode, "padding_mode": padding, "align_corners": corners},
                   domain=domain, opset=opset, expected=_onnx("GridSample", [x, grid], 20, mode=modes[mode],
                                                              padding_mode=paddings[padding], align_corners=corners))
        regions = random.randint(1, 4)
        corner = random.uniform(0, 6, (regions, 2))
        rois = numpy.concatenate([random.integers(0, batch, (regions, 1)), corner, corner + random.uniform(1, 6, (regions, 2))], 1)
        rois = rois.astype(numpy.float32)
        sizes = {"output_height": random.randint(1, 3), "output_width": random.randint(1, 3), "sampling_ratio": random.randint(0, 2),
                 "spatial_scale": random.choice([1.0, 0.5])}
        aligned = random.choice([None, 0, 1])
        yield Case("MMCVRoiAlign", [x, rois], 1, {**sizes, "aligned": aligned, "mode": random.choice([None, "avg"])},
                   domain=domain, opset=opset, expected=_onnx(
                       "RoiAlign", [x, rois[:, 1:], rois[:, 0].astype(numpy.int64)], 16, **sizes,
                       coordinate_transformation_mode="output_half_pixel" if aligned == 0 else "half_pixel"))
        groups, deform = random.choice([(1, 1), (2, 1), (1, 2), (2, 2)])
        stride, padding, dilation = ([random.randint(1, 2) for _ in range(2)], [random.randint(0, 1) for _ in range(2)],
                                     [random.randint(1, 2), 1])
        kernel = (random.randint(1, 2), random.randint(1, 3))
        size = [(extent + 2 * pad - step * (window - 1) - 1) // jump + 1 for extent, pad, step, window, jump in
                zip((5, 4), padding, dilation, kernel, stride)]
        x = random.standard_normal((1, 4, 5, 4)).astype(numpy.float32)
        taps = deform * kernel[0] * kernel[1]
        inputs = [x, random.uniform(-1, 1, (1, 2 * taps, *size)), random.uniform(0, 1, (1, taps, *size)),
                  random.standard_normal((2, 4 // groups, *kernel)), random.choice([None, random.standard_normal(2)])]
        inputs = [each if each is None else each.astype(numpy.float32) for each in inputs]
        yield Case("MMCVModulatedDeformConv2d", inputs, 1, {"stride": stride, "padding": padding, "dilation": dilation,
                                                            "groups": groups, "deform_groups": deform}, domain=domain, opset=opset,
                   expected=lambda args=(*inputs, stride, padding, dilation, groups, deform): _deform_conv(*args))


def cases(random):
    yield from _efficient_cases(random)
    yield from _classwise_cases(random)
    yield from _mmdeploy_cases(random)
