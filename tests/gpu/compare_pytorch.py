#!/usr/bin/env python3
"""Times networks in ortool's cuda provider and in PyTorch (channels-last, CUDA graphs) on one GPU, interleaved.

Usage: compare_pytorch.py CUDA_CHECK_MODELS OUT [--only NAME,...] [--seconds N], first with --export. Networks have random weights; each is
exported to ONNX and timed in float32 (TF32 off) and float16, with several options of the provider; small ones are compared
with the cpu. PyTorch's time is to be compared with ours of computing: its inputs and outputs stay on the GPU. Prints a line
for each set of options, and writes OUT/pytorch.json. Exit status: 0, or 1 if outputs differ.
"""
import argparse
import copy
import json
import os
import re
import subprocess
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False
torch.backends.cudnn.benchmark = True


class Block(nn.Module):
    """A layer of a decoder of Llama's form, without a cache: attention and gated units."""

    def __init__(self, width, heads, shared, inner):
        super().__init__()
        self.heads, self.shared, self.size = heads, shared, width // heads
        self.norm1, self.norm2 = nn.RMSNorm(width), nn.RMSNorm(width)
        self.q = nn.Linear(width, width, bias=False)
        self.k = nn.Linear(width, shared * self.size, bias=False)
        self.v = nn.Linear(width, shared * self.size, bias=False)
        self.o = nn.Linear(width, width, bias=False)
        self.gate, self.up = nn.Linear(width, inner, bias=False), nn.Linear(width, inner, bias=False)
        self.down = nn.Linear(inner, width, bias=False)

    def forward(self, x, past_k, past_v):
        b, s, _ = x.shape
        y = self.norm1(x)
        q = self.q(y).view(b, s, self.heads, self.size).transpose(1, 2)
        k = torch.cat([past_k, self.k(y).view(b, s, self.shared, self.size).transpose(1, 2)], 2)
        v = torch.cat([past_v, self.v(y).view(b, s, self.shared, self.size).transpose(1, 2)], 2)
        repeat = self.heads // self.shared
        scores = q @ k.repeat_interleave(repeat, 1).transpose(-1, -2) * self.size ** -0.5
        y = torch.softmax(scores, -1) @ v.repeat_interleave(repeat, 1)
        x = x + self.o(y.transpose(1, 2).reshape(b, s, -1))
        y = self.norm2(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y)), k, v


class Decoder(nn.Module):
    """One step of a decoder of Llama's form with caches of 512 rows."""

    def __init__(self, layers=8, width=2048, heads=32, shared=8, inner=5632):
        super().__init__()
        self.layers = nn.ModuleList([Block(width, heads, shared, inner) for _ in range(layers)])
        self.norm = nn.RMSNorm(width)

    def forward(self, x, k, v):
        for i, layer in enumerate(self.layers):
            x, _, _ = layer(x, k[i], v[i])
        return self.norm(x)


class Encoder(nn.Module):
    """An encoder of BERT's or ViT's form: 12 layers of width 768 with 12 heads."""

    def __init__(self, layers=12, width=768, heads=12):
        super().__init__()
        make = lambda a, b: nn.Linear(a, b)
        self.heads, self.size = heads, width // heads
        self.blocks = nn.ModuleList()
        for _ in range(layers):
            self.blocks.append(nn.ModuleDict({"q": make(width, width), "k": make(width, width), "v": make(width, width),
                                              "o": make(width, width), "n1": nn.LayerNorm(width),
                                              "n2": nn.LayerNorm(width), "u": make(width, 4 * width),
                                              "d": make(4 * width, width)}))

    def forward(self, x):
        b, s, w = x.shape
        for block in self.blocks:
            split = lambda y: y.view(b, s, self.heads, self.size).transpose(1, 2)
            q, k, v = split(block["q"](x)), split(block["k"](x)), split(block["v"](x))
            y = torch.softmax(q @ k.transpose(-1, -2) * self.size ** -0.5, -1) @ v
            x = block["n1"](x + block["o"](y.transpose(1, 2).reshape(b, s, w)))
            x = block["n2"](x + block["d"](F.gelu(block["u"](x))))
        return x


def networks():
    """Names, what makes the network, and the shapes of its inputs."""
    from torchvision import models
    image, tokens = (3, 224, 224), (128, 768)
    caches = (8, 1, 8, 512, 64)
    return [("resnet50-1", models.resnet50, [(1, *image)]), ("resnet50-32", models.resnet50, [(32, *image)]),
            ("bert-base-1x128", Encoder, [(1, *tokens)]), ("bert-base-32x128", Encoder, [(32, *tokens)]),
            ("vit-b-1", models.vit_b_16, [(1, *image)]), ("mobilenetv2-1", models.mobilenet_v2, [(1, *image)]),
            ("llama-step", Decoder, [(1, 1, 2048), caches, caches])]


def time_pytorch(model, inputs, seconds):
    """Milliseconds a replay of a CUDA graph, the least of several blocks."""
    stream = torch.cuda.Stream()
    with torch.no_grad(), torch.cuda.stream(stream):
        for _ in range(3):
            model(*inputs)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.no_grad(), torch.cuda.graph(graph):
        model(*inputs)
    best, end = float("inf"), time.time() + seconds
    while time.time() < end:
        start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        for _ in range(5):
            graph.replay()
        stop.record()
        torch.cuda.synchronize()
        best = min(best, start.elapsed_time(stop) / 5)
    return best


def time_ortool(program, path, option, runs):
    """Of each variant of options: milliseconds a run, copies included, the median that cuda_check_models prints, and those
    of the GPU's parts; the program's text; whether it passed."""
    done = subprocess.run([program, "--runs", str(runs)] + option + [path], capture_output=True, text=True, timeout=100,
                          check=False)
    rows, options = {}, ""
    for line in done.stdout.splitlines():
        if line.startswith("on "):
            options = line.split(" with ")[-1]
            rows[options] = {}
        found = re.search(r"first run ([0-9.]+) ms, median ([0-9.]+) ms", line)
        if found:
            rows[options].update(first=float(found.group(1)), run=float(found.group(2)))
        found = re.search(r"copy in ([0-9.]+) ms, compute ([0-9.]+) ms, copy out ([0-9.]+) ms; ([0-9.]+) MB", line)
        if found:
            rows[options].update(zip(("copy in", "compute", "copy out", "peak MB"), map(float, found.groups())))
        found = re.search(r"(new shapes|the same again): ([0-9.]+) ms", line)
        if found:
            rows[options][found.group(1)] = float(found.group(2))
    text = " ".join(line.strip() for line in (done.stdout + done.stderr).splitlines()
                    if "output" in line or "FAIL" in line or "launches" in line)
    return rows, text, done.returncode == 0


def measured_rates():
    """What this GPU reaches with PyTorch: products of 8192 in TFLOP/s, and copies in GB/s read and written."""
    def time_of(body):
        body()
        torch.cuda.synchronize()
        start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        for _ in range(5):
            body()
        stop.record()
        torch.cuda.synchronize()
        return start.elapsed_time(stop) / 5e3
    rates, size = {}, 8192
    for kind in (torch.float32, torch.float16):
        a, b = (torch.randn(size, size, device="cuda", dtype=kind) for _ in range(2))
        rates[str(kind)[6:]] = round(2 * size ** 3 / time_of(lambda: a @ b) / 1e12, 1)
    a, b = (torch.zeros(1 << 30, device="cuda", dtype=torch.uint8) for _ in range(2))
    rates["copy"] = round(2 * a.numel() / time_of(lambda: b.copy_(a)) / 1e9)
    return rates


def work_of(model, inputs):
    """Floating-point operations of products and convolutions, and the number of parameters."""
    from torch.utils.flop_counter import FlopCounterMode
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        copy.deepcopy(model).to("meta")(*(each.to("meta") for each in inputs))
    return counter.get_total_flops(), sum(each.numel() for each in model.parameters())


def export(model, inputs, path, is_dynamic):
    names = {"input_names": [f"x{i}" for i in range(len(inputs))], "output_names": ["y"], "opset_version": 17}
    if is_dynamic:
        names["dynamic_axes"] = {"x0": {0: "N"}, "y": {0: "N"}}
    torch.onnx.export(model, tuple(inputs), path, dynamo=False, **names)


VARIANTS = {
    "float32": ["", "tune=on", "merge-products=off,vectors=off"],
    "float16": ["", "channels-last=auto", "channels-last=auto,tune=on", "channels-last=auto,pointwise-products=off,tune=on",
                "tensor-attention=on", "tensor-attention=on,vectors=off,merge-products=off"],
}


def variants_of(kind, name):
    """Option sets that concern the network."""
    is_image = name.startswith(("resnet", "mobilenet"))
    for options in VARIANTS[kind]:
        if is_image and ("tensor-attention" in options or "vectors" in options):
            continue
        if not is_image and ("channels-last" in options or options == "tune=on"):
            continue
        yield options
    if name.startswith("mobilenet") and kind == "float16":
        yield "channels-last=auto,depthwise-kernel=off,tune=on"


def compare(arguments, rates, name, model, inputs, path):
    row = {"network": name}
    flops, parameters = work_of(model, inputs)
    for kind in ("float32", "float16"):
        own = model.cuda().half() if kind == "float16" else model.cuda().float()
        cuda = [each.cuda().half() if kind == "float16" else each.cuda() for each in inputs]
        if inputs[0].dim() == 4:
            own = own.to(memory_format=torch.channels_last)
            cuda = [each.to(memory_format=torch.channels_last) for each in cuda]
        # Outputs of untrained networks in float16 say nothing, and large networks take the cpu seconds.
        option = ["--only-time"] if kind == "float16" or not name.startswith(("resnet50-1", "mobilenet")) else []
        option += ["--float16"] if kind == "float16" else []
        for variant in variants_of(kind, name):
            option += ["--variant", variant]
        if name == "resnet50-1":
            option += ["--then", "N=2"]
        row[f"pytorch {kind}"] = time_pytorch(own, cuda, arguments.seconds)
        runs = 30 if "32" in name else 100
        found, row[f"ortool {kind} text"], passed = time_ortool(arguments.program, path, option, runs)
        row[f"ortool {kind}"] = found
        # The time that products alone, or reading the weights alone, would take.
        bytes_of_weights = parameters * (2 if kind == "float16" else 4)
        row[f"least {kind}"] = max(flops / rates[kind] / 1e9, bytes_of_weights / rates["copy"] / 1e6)
        row["passed"] = row.get("passed", True) and passed
        nan = float("nan")
        for options, times in found.items():
            compute = times.get("compute") or nan
            print(f"{name:18} {kind}: PyTorch {row[f'pytorch {kind}']:.3f}, run {times.get('run') or nan:.3f}, compute {compute:.3f} "
                  f"(ratio {row[f'pytorch {kind}'] / compute:.2f}, of roofline {row[f'least {kind}'] / compute:.2f}), first "
                  f"{times.get('first') or nan:.0f} ms [{options}]", flush=True)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="cuda_check_models")
    parser.add_argument("out", help="folder for pytorch.json")
    parser.add_argument("--only", default="")
    parser.add_argument("--order", default="", help="names of networks that come first")
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--models", default="/tmp/ortool-gpu", help="folder of the exported models")
    parser.add_argument("--export", action="store_true", help="only export the models that are not there")
    arguments = parser.parse_args()
    os.makedirs(arguments.models, exist_ok=True)
    rates = {} if arguments.export else measured_rates()
    print(json.dumps({"rates": rates}), flush=True)
    rows = [{"rates": rates}]
    order = arguments.order.split(",")
    for name, make, shapes in sorted(networks(), key=lambda each: order.index(each[0]) if each[0] in order else len(order)):
        if arguments.only and name not in arguments.only.split(","):
            continue
        torch.manual_seed(1)
        # Weights need not be those of the file, which are random too.
        with torch.device("cpu" if arguments.export else "cuda"):
            model = make().eval()
        inputs = [torch.randn(shape) * 0.5 for shape in shapes]
        path = f"{arguments.models}/{name}.onnx"
        if not os.path.exists(path) and not arguments.export:
            print(f"{path} is not there: --export makes it", flush=True)
            continue
        if not os.path.exists(path):
            export(model, inputs, path + ".part", name == "resnet50-1")
            os.rename(path + ".part", path)
        if arguments.export:
            continue
        try:
            rows.append(compare(arguments, rates, name, model, inputs, path))
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            rows.append({"network": name, "passed": False, "error": str(error)})
            print(f"{name}: {str(error)[:300]}", flush=True)
        torch.cuda.empty_cache()
        with open(os.path.join(arguments.out, "pytorch.json"), "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
    return 0 if all(row.get("passed", True) for row in rows) else 1


if __name__ == "__main__":
    raise SystemExit(main())
