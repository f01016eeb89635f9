# FastViT with its branches merged as for inference: mixing by depthwise convolutions, grouped 7 x 7 ones with stride 2 between stages.
from torch import nn


def convolution(before, after, size, stride=1, groups=1):
    return nn.Conv2d(before, after, size, stride, size // 2, groups=groups)


class Residual(nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.layers = nn.Sequential(*layers)

    def forward(self, x):
        return x + self.layers(x)


def block(width):
    """Token mixing of 3 x 3, then a feed-forward network that begins with a depthwise 7 x 7."""
    return [convolution(width, width, 3, groups=width),
            Residual(convolution(width, width, 7, groups=width), nn.Conv2d(width, 4 * width, 1), nn.GELU(),
                     nn.Conv2d(4 * width, width, 1))]


def fastvit(widths=(48, 96, 192), depths=(2, 2, 4), classes=10):
    layers = [convolution(3, widths[0], 3, 2), nn.GELU(), convolution(widths[0], widths[0], 3, 2, widths[0]), nn.GELU(),
              nn.Conv2d(widths[0], widths[0], 1), nn.GELU()]
    before = widths[0]
    for width, depth in zip(widths, depths):
        if width != before:
            layers += [convolution(before, width, 7, 2, before), nn.GELU(), nn.Conv2d(width, width, 1), nn.GELU()]
        for _ in range(depth):
            layers += block(width)
        before = width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(before, classes))
