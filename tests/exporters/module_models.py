# Small torch models with features that are rare in whole networks: recurrence, spectra, control flow, sorting.
import torch
from torch import nn
from torch.nn import functional
from torch_export import export
from zoo import entry

_ROWS = {"x0": {0: "batch", 1: "length"}}


class First(nn.Module):
    """The sequence that a recurrent layer returns, and its last state."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x):
        sequence, state = self.layer(x)
        return sequence, state[0] if isinstance(state, tuple) else state


def add_module(name, make, *shapes, dynamo=False, opset=None, dynamic=None, **more):
    @entry(name)
    def _(path):
        return export(make(), [torch.randn(*shape) for shape in shapes], path, dynamo=dynamo, opset=opset, dynamic=dynamic, **more)


_lstm = {"batch_first": True, "bidirectional": True, "num_layers": 2}
add_module("lstm-torchscript", lambda: First(nn.LSTM(8, 12, **_lstm)), (2, 5, 8), opset=14, dynamic=_ROWS)
add_module("gru-torchscript", lambda: First(nn.GRU(8, 12, **_lstm)), (2, 5, 8), opset=11, dynamic=_ROWS)
add_module("rnn-torchscript", lambda: First(nn.RNN(8, 12, nonlinearity="relu")), (2, 5, 8), opset=17)
add_module("lstm-dynamo", lambda: First(nn.LSTM(8, 12, **_lstm)), (2, 5, 8), dynamo=True)
add_module("transformer-encoder-torchscript", lambda: nn.TransformerEncoder(
    nn.TransformerEncoderLayer(32, 4, 64, batch_first=True), 2, enable_nested_tensor=False), (2, 6, 32), opset=17, dynamic=_ROWS)
add_module("transformer-encoder-dynamo", lambda: nn.TransformerEncoder(
    nn.TransformerEncoderLayer(32, 4, 64, batch_first=True), 2, enable_nested_tensor=False), (2, 6, 32), dynamo=True, opset=23)
add_module("transformer-decoder-dynamo", lambda: nn.TransformerDecoder(
    nn.TransformerDecoderLayer(32, 4, 64, batch_first=True), 2), (2, 6, 32), (2, 5, 32), dynamo=True)


class MelFrontEnd(nn.Module):
    """A log mel spectrum by STFT, then a convolution."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mel", torch.rand(33, 12))
        self.register_buffer("window", torch.hann_window(64))
        self.layer = nn.Conv1d(12, 8, 3, padding=1)

    def forward(self, x):
        spectrum = torch.stft(x, 64, 32, window=self.window, return_complex=False, onesided=True, center=False)
        power = spectrum.pow(2).sum(-1).transpose(1, 2)
        return self.layer(torch.log(power @ self.mel + 1e-5).transpose(1, 2))


add_module("stft-front-end-torchscript", MelFrontEnd, (1, 512), opset=17)
add_module("stft-front-end-dynamo", lambda: _ComplexFrontEnd(), (1, 512), dynamo=True)


class _ComplexFrontEnd(MelFrontEnd):
    def forward(self, x):
        spectrum = torch.view_as_real(torch.stft(x, 64, 32, window=self.window, return_complex=True, center=False))
        power = spectrum.pow(2).sum(-1).transpose(1, 2)
        return self.layer(torch.log(power @ self.mel + 1e-5).transpose(1, 2))


class Branches(nn.Module):
    """A data-dependent condition and a loop whose count is an input, for torch.jit.script."""

    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Linear(6, 6), nn.Linear(6, 6)

    def forward(self, x: torch.Tensor, count: torch.Tensor) -> torch.Tensor:
        if bool(x.sum() > 0):
            y = torch.softmax(self.one(x) @ x.transpose(0, 1), -1) @ x
        else:
            y = self.two(x) - x
        for i in range(int(count)):
            y = torch.tanh(y) + x * float(i)
            if bool(y.max() > 3.0):
                y = y / 2.0
        return y


@entry("if-and-loop-scripted")
def _(path):
    x, count = torch.randn(4, 6), torch.tensor(3)
    sets = export(torch.jit.script(Branches().eval()), [x, count], path, opset=16)
    return sets + [{"x0": -sets[0]["x0"], "x1": torch.tensor(0).numpy()}, {"x0": sets[0]["x0"] * 4, "x1": torch.tensor(5).numpy()}]


class Conditional(nn.Module):
    """torch.cond, whose branches the dynamo exporter turns into functions or subgraphs."""

    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Linear(6, 6), nn.Linear(6, 6)

    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: torch.softmax(self.one(x), -1), lambda x: self.two(x) - x, [x])


@entry("cond-dynamo")
def _(path):
    sets = export(Conditional(), [torch.randn(6, 6)], path, dynamo=True)
    return sets + [{"x0": -sets[0]["x0"]}]


class Sorting(nn.Module):
    """topk, sort, cumsum, scatter, gather, where, and masked unique values."""

    def forward(self, x):
        best, places = torch.topk(x, 3, dim=1)
        ordered, order = torch.sort(x, dim=1, descending=True)
        sums = torch.cumsum(ordered, 1)
        put = torch.zeros_like(x).scatter(1, order, sums)
        return best, places, put, torch.where(x > 0, put, x.clamp(-0.5, 0.5)), x[x > 0.5], torch.nonzero(x < -0.5)


add_module("sorting-torchscript", Sorting, (3, 8), opset=16, dynamic=_ROWS)
add_module("sorting-dynamo", Sorting, (3, 8), dynamo=True)


class Sampling(nn.Module):
    """grid_sample, interpolation in several modes, pads, pixel shuffles, unfold and fold."""

    def forward(self, x):
        rows = torch.linspace(-1, 1, 6)
        grid = torch.stack(torch.meshgrid(rows, rows, indexing="ij"), -1)[None] * 0.9
        sampled = functional.grid_sample(x, grid, align_corners=False, padding_mode="border")
        near = functional.interpolate(x, scale_factor=1.5, mode="nearest")
        cubic = functional.interpolate(x, size=(11, 7), mode="bicubic", align_corners=False)
        padded = functional.pad(functional.pad(x, (1, 2, 2, 1), mode="reflect"), (1, 1, 0, 2), mode="replicate")
        shuffled = functional.pixel_shuffle(x, 2) if x.shape[1] % 4 == 0 else x
        windows = functional.unfold(x, 3, padding=1)
        return sampled, near, cubic, padded, shuffled, functional.fold(windows, (8, 8), 3, padding=1)


add_module("sampling-torchscript", Sampling, (1, 4, 8, 8), opset=18)
add_module("sampling-dynamo", Sampling, (1, 4, 8, 8), dynamo=True)


class Norms(nn.Module):
    """Many kinds of normalizations, activations and pools in a row."""

    def __init__(self):
        super().__init__()
        self.parts = nn.Sequential(
            nn.Conv2d(4, 8, 3, padding=1, padding_mode="circular"), nn.GroupNorm(2, 8), nn.GELU("tanh"),
            nn.ConvTranspose2d(8, 8, 3, 2, 1, 1, groups=2), nn.InstanceNorm2d(8, affine=True), nn.PReLU(8),
            nn.MaxPool2d(3, 2, 1, ceil_mode=True), nn.Mish(), nn.AvgPool2d(3, 2, 1, ceil_mode=True), nn.Hardswish(),
            nn.utils.parametrizations.weight_norm(nn.Conv2d(8, 8, 1)), nn.ELU(), nn.AdaptiveAvgPool2d(2), nn.Softplus(),
            nn.LocalResponseNorm(3), nn.LogSoftmax(1))

    def forward(self, x):
        return self.parts(x)


add_module("norms-torchscript", Norms, (2, 4, 9, 9), opset=18)
add_module("norms-dynamo", Norms, (2, 4, 9, 9), dynamo=True)


class Einsums(nn.Module):
    """einsum, batched products and a bilinear form over double and half floats."""

    def forward(self, x, y):
        one = torch.einsum("bij,bkj->bik", x, y)
        two = torch.einsum("bij,bik,bil->bjkl", x, x, x).double().sum(0)
        return one, two, torch.bmm(x.transpose(1, 2), x), (x.half() @ y.half().transpose(1, 2)).float()


add_module("einsum-torchscript", Einsums, (2, 3, 4), (2, 5, 4), opset=17)
add_module("einsum-dynamo", Einsums, (2, 3, 4), (2, 5, 4), dynamo=True)


class FreeAttention(nn.Module):
    """Attention over a dynamic length with rotary positions and a causal mask."""

    def __init__(self, heads=4, width=32):
        super().__init__()
        self.heads, self.inner, self.out = heads, nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.register_buffer("rates", 1.0 / 100 ** (torch.arange(0, width // heads, 2) * heads / width))

    def turn(self, x):
        angles = torch.arange(x.shape[2], dtype=x.dtype)[:, None] * self.rates
        sine, cosine = torch.cat([angles, angles], -1).sin(), torch.cat([angles, angles], -1).cos()
        low, high = x.chunk(2, -1)
        return x * cosine + torch.cat([-high, low], -1) * sine

    def forward(self, x):
        query, key, value = (each.unflatten(-1, (self.heads, -1)).transpose(1, 2) for each in self.inner(x).chunk(3, -1))
        made = functional.scaled_dot_product_attention(self.turn(query), self.turn(key), value, is_causal=True)
        return self.out(made.transpose(1, 2).flatten(2))


add_module("rotary-attention-torchscript", FreeAttention, (2, 6, 32), opset=17, dynamic=_ROWS)
add_module("rotary-attention-dynamo", FreeAttention, (2, 6, 32), dynamo=True, dynamic=_ROWS)
add_module("rotary-attention-23-dynamo", FreeAttention, (2, 6, 32), dynamo=True, dynamic=_ROWS, opset=23)
add_module("rotary-attention-plain-dynamo", FreeAttention, (2, 6, 32), dynamo=True, dynamic=_ROWS, optimize=False)
