# Vision models: torchvision's in small sizes, a UNet, a YOLO-like detector and detectors with NonMaxSuppression.
import functools

import torch
import torchvision
from torch import nn
from torch.nn import functional
from torch_export import export
from zoo import entry

_BATCH = {"x0": {0: "batch"}}


def picture(size, batch=1):
    return torch.rand(batch, 3, size, size)


def spread(module):
    """Sets BatchNormalization statistics like those after training, so that folding changes numbers."""
    for part in module.modules():
        if isinstance(part, nn.BatchNorm2d):
            part.running_mean.uniform_(-0.2, 0.2)
            part.running_var.uniform_(0.5, 1.5)
    return module


def add_network(name, make, size, **options):
    @entry(name)
    def _(path):
        return export(spread(make()), [picture(size)], path, **options)


def add_both(name, make, size, **options):
    add_network(f"{name}-torchscript", make, size, dynamic=_BATCH, **options)
    add_network(f"{name}-dynamo", make, size, dynamo=True)


_models = torchvision.models
add_both("resnet18", functools.partial(_models.resnet18, num_classes=10, width_per_group=64), 40, opset=13)
add_both("mobilenet-v2", functools.partial(_models.mobilenet_v2, num_classes=10, width_mult=0.35), 48, opset=11)
add_both("mobilenet-v3", functools.partial(_models.mobilenet_v3_small, num_classes=10), 48, opset=17)
add_network("shufflenet-v2-torchscript", functools.partial(_models.shufflenet_v2_x0_5, num_classes=10), 48, opset=9)
add_network("squeezenet-torchscript", functools.partial(_models.squeezenet1_1, num_classes=10), 48, opset=12)
add_network("efficientnet-b0-dynamo", functools.partial(_models.efficientnet_b0, num_classes=10), 48, dynamo=True)
add_network("densenet-torchscript", functools.partial(_models.DenseNet, growth_rate=8, block_config=(2, 2, 2), num_classes=10,
                                                      num_init_features=16), 48, opset=14)
add_both("vit-torchvision", functools.partial(_models.VisionTransformer, image_size=32, patch_size=8, num_layers=2, num_heads=4,
                                              hidden_dim=32, mlp_dim=64, num_classes=10), 32, opset=17)
add_both("swin", functools.partial(_models.SwinTransformer, patch_size=[4, 4], embed_dim=16, depths=[2, 2], num_heads=[2, 4],
                                   window_size=[4, 4], num_classes=10), 64, opset=17)
add_network("convnext-dynamo", lambda: _models.convnext.ConvNeXt(
    [_models.convnext.CNBlockConfig(16, 32, 2), _models.convnext.CNBlockConfig(32, None, 2)], num_classes=10), 32, dynamo=True)
add_network("regnet-torchscript", functools.partial(_models.regnet_y_400mf, num_classes=10), 40, opset=16)
add_network("maxvit-torchscript", functools.partial(
    _models.MaxVit, (64, 64), 16, 4, [16, 32], [1, 1], 8, 0.0, num_classes=10), 64, opset=17)


class ClassMap(nn.Module):
    """A segmentation network that returns the class of each pixel and the scores."""

    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, x):
        scores = self.module(x)["out"]
        return scores.argmax(1), scores


add_network("lraspp-class-map-torchscript", lambda: ClassMap(
    _models.segmentation.lraspp_mobilenet_v3_large(num_classes=5, weights_backbone=None)), 64, opset=13)
add_network("deeplab-class-map-dynamo", lambda: ClassMap(
    _models.segmentation.deeplabv3_mobilenet_v3_large(num_classes=5, weights_backbone=None)), 64, dynamo=True)


def block(before, after, stride=1, activation=nn.SiLU):
    return nn.Sequential(nn.Conv2d(before, after, 3, stride, 1, bias=False), nn.BatchNorm2d(after), activation())


class UNet(nn.Module):
    """Two levels, one upsampled by a transposed convolution, the other bilinearly."""

    def __init__(self):
        super().__init__()
        self.one, self.two, self.three = block(3, 8), block(8, 16), block(16, 32)
        self.up_two = nn.ConvTranspose2d(32, 16, 2, 2)
        self.merge_two, self.merge_one, self.out = block(32, 16), block(24, 8), nn.Conv2d(8, 2, 1)

    def forward(self, x):
        one = self.one(x)
        two = self.two(functional.max_pool2d(one, 2))
        three = self.three(functional.max_pool2d(two, 2))
        x = self.merge_two(torch.cat([self.up_two(three), two], 1))
        x = functional.interpolate(x, size=one.shape[2:], mode="bilinear", align_corners=True)
        return torch.sigmoid(self.out(self.merge_one(torch.cat([x, one], 1))))


class Detector(nn.Module):
    """YOLO-like: split bottlenecks, pyramid pooling, a distribution for each box side, boxes from anchors."""

    def __init__(self, classes=4, bins=8):
        super().__init__()
        self.bins, self.classes = bins, classes
        self.stem, self.down, self.deep = block(3, 16, 2), block(16, 32, 2), block(32, 32, 2)
        self.inner, self.pool_in, self.pool_out = block(16, 16), nn.Conv2d(32, 16, 1), nn.Conv2d(64, 32, 1)
        self.heads = nn.ModuleList([nn.Conv2d(48, 4 * bins + classes, 1), nn.Conv2d(32, 4 * bins + classes, 1)])

    def forward(self, x):
        shallow = self.down(self.stem(x))
        half, other = shallow.chunk(2, 1)
        shallow = torch.cat([half, other + self.inner(other)], 1)
        pooled = [self.pool_in(self.deep(shallow))]
        for _ in range(3):
            pooled.append(functional.max_pool2d(pooled[-1], 5, 1, 2))
        deep = self.pool_out(torch.cat(pooled, 1))
        shallow = torch.cat([functional.interpolate(deep[:, :16], scale_factor=2.0), shallow], 1)
        boxes, scores = [], []
        for head, features, stride in zip(self.heads, (shallow, deep), (4.0, 8.0)):
            made = head(features).flatten(2)
            sides, classes = made.split([4 * self.bins, self.classes], 1)
            sides = sides.view(sides.shape[0], 4, self.bins, -1).softmax(2)
            sides = (sides * torch.arange(self.bins, dtype=sides.dtype).view(1, 1, -1, 1)).sum(2)
            rows, columns = torch.meshgrid(torch.arange(features.shape[2]), torch.arange(features.shape[3]), indexing="ij")
            anchors = torch.stack([columns, rows]).flatten(1).to(sides.dtype) + 0.5
            low, high = sides.chunk(2, 1)
            boxes.append(torch.cat([anchors - low, anchors + high], 1) * stride)
            scores.append(classes.sigmoid())
        return torch.cat([torch.cat(boxes, 2), torch.cat(scores, 2)], 1)


add_both("unet", UNet, 32, opset=12)
add_both("yolo-like", Detector, 64, opset=17)


@entry("unet-free-size-torchscript")
def _(path):
    return export(spread(UNet()), [picture(32)], path, opset=16, dynamic={"x0": {0: "batch", 2: "height", 3: "width"}})


@entry("yolo-like-free-size-torchscript")
def _(path):
    return export(spread(Detector()), [picture(64)], path, opset=17, dynamic={"x0": {0: "batch", 2: "height", 3: "width"}})


@entry("yolo-like-nms-torchscript")
def _(path):
    class WithChoice(nn.Module):
        """Keeps the best boxes of each class."""

        def __init__(self):
            super().__init__()
            self.detector = Detector()

        def forward(self, x):
            made = self.detector(x)[0].transpose(0, 1)
            scores, classes = made[:, 4:].max(1)
            kept = torchvision.ops.batched_nms(made[:, :4], scores, classes, 0.4)[:20]
            return made[kept, :4], scores[kept], classes[kept]
    return export(spread(WithChoice()), [picture(64)], path, opset=13)


def small_backbone():
    backbone = nn.Sequential(block(3, 16, 2, nn.ReLU), block(16, 32, 2, nn.ReLU), block(32, 32, 2, nn.ReLU))
    backbone.out_channels = 32
    return backbone


def add_detector(name, make):
    @entry(name)
    def _(path):
        class Listed(nn.Module):
            """Takes a batch of one, which torchvision's detectors expect as a list."""

            def __init__(self):
                super().__init__()
                self.module = spread(make())

            def forward(self, x):
                found = self.module([x[0]])[0]
                return tuple(found[key] for key in sorted(found))
        return export(Listed(), [picture(64)], path, opset=16)


_anchors = torchvision.models.detection.rpn.AnchorGenerator(((16, 32),), ((0.5, 1.0, 2.0),))
_boxes = torchvision.ops.MultiScaleRoIAlign(["0"], 5, 2)
_few = {"min_size": 64, "max_size": 64, "rpn_post_nms_top_n_test": 20, "box_detections_per_img": 5, "box_score_thresh": 0.0}
_detection = torchvision.models.detection
add_detector("faster-rcnn-torchscript", lambda: _detection.FasterRCNN(
    small_backbone(), 3, rpn_anchor_generator=_anchors, box_roi_pool=_boxes, **_few))
add_detector("mask-rcnn-torchscript", lambda: _detection.MaskRCNN(
    small_backbone(), 3, rpn_anchor_generator=_anchors, box_roi_pool=_boxes,
    mask_roi_pool=torchvision.ops.MultiScaleRoIAlign(["0"], 6, 2), **_few))


def retinanet():
    made = _detection.RetinaNet(small_backbone(), 3, anchor_generator=_anchors, min_size=64, max_size=64, score_thresh=0.0,
                                topk_candidates=20, detections_per_img=5)
    # With its initial weights all scores are nearly the same, and rounding would choose among the boxes.
    nn.init.normal_(made.head.classification_head.cls_logits.weight, std=2.0)
    return made


add_detector("retinanet-torchscript", retinanet)
