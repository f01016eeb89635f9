#!/usr/bin/env python3
"""Times networks in ortool's cuda provider and in PyTorch (channels-last, CUDA graphs) on one GPU, interleaved.

Usage: compare_pytorch.py CUDA_CHECK_MODELS OUT [--only NAME,...] [--seconds N]. Networks have random weights; each is
exported to ONNX and timed in float32 (TF32 off) and float16; small ones are compared with the cpu. Prints a line of JSON
for each. Exit status: 0, or 1 if outputs differ.
"""
import argparse
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
    import torchvision
    yield "resnet50-1", torchvision.models.resnet50(), [(1, 3, 224, 224)]
    yield "resnet50-32", torchvision.models.resnet50(), [(32, 3, 224, 224)]
    yield "bert-base-1x128", Encoder(), [(1, 128, 768)]
    yield "bert-base-32x128", Encoder(), [(32, 128, 768)]
    yield "vit-b-1", torchvision.models.vit_b_16(), [(1, 3, 224, 224)]
    yield "mobilenetv2-1", torchvision.models.mobilenet_v2(), [(1, 3, 224, 224)]
    yield "llama-step", Decoder(), [(1, 1, 2048), (8, 1, 8, 512, 64), (8, 1, 8, 512, 64)]


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
    """Milliseconds a run, copies included: the median that cuda_check_models prints; its text; whether it passed."""
    done = subprocess.run([program, "--runs", str(runs)] + option + [path], capture_output=True, text=True, timeout=100,
                          check=False)
    found = re.search(r"median ([0-9.]+) ms", done.stdout)
    text = " ".join(line.strip() for line in (done.stdout + done.stderr).splitlines()
                    if "ms" in line or "output" in line or "FAIL" in line or "launches" in line)
    return float(found.group(1)) if found else None, text, done.returncode == 0


def export(model, inputs, path):
    names = {"input_names": [f"x{i}" for i in range(len(inputs))], "output_names": ["y"], "opset_version": 17}
    try:
        torch.onnx.export(model, tuple(inputs), path, dynamo=False, **names)
    except Exception as error:  # versions without the older exporter
        print(f"{path}: {error}"[:200], flush=True)
        names["opset_version"] = 18
        torch.onnx.export(model, tuple(inputs), path, dynamo=True, external_data=False, **names)


def compare(arguments, name, model, inputs, path):
    row = {"network": name}
    for kind in ("float32", "float16"):
        own = model.cuda().half() if kind == "float16" else model.cuda().float()
        cuda = [each.cuda().half() if kind == "float16" else each.cuda() for each in inputs]
        if inputs[0].dim() == 4:
            own = own.to(memory_format=torch.channels_last)
            cuda = [each.to(memory_format=torch.channels_last) for each in cuda]
        # Outputs of untrained networks in float16 say nothing, and large networks take the cpu seconds.
        option = ["--only-time"] if kind == "float16" or name.endswith(("-32", "x128", "step")) else []
        option += ["--float16"] if kind == "float16" else []
        row[f"pytorch {kind}"] = time_pytorch(own, cuda, arguments.seconds)
        milliseconds, row[f"ortool {kind} text"], passed = time_ortool(arguments.program, path, option, 200)
        row[f"ortool {kind}"] = milliseconds
        row["passed"] = row.get("passed", True) and passed
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="cuda_check_models")
    parser.add_argument("out", help="folder for pytorch.json")
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--models", default="/tmp/ortool-gpu", help="folder of the exported models")
    parser.add_argument("--export", action="store_true", help="only export the models that are not there")
    arguments = parser.parse_args()
    os.makedirs(arguments.models, exist_ok=True)
    rows = []
    for name, model, shapes in networks():
        if arguments.only and name not in arguments.only.split(","):
            continue
        torch.manual_seed(1)
        model = model.eval()
        inputs = [torch.randn(shape) * 0.5 for shape in shapes]
        path = f"{arguments.models}/{name}.onnx"
        if not os.path.exists(path):
            export(model, inputs, path + ".part")
            os.rename(path + ".part", path)
        if arguments.export:
            continue
        rows.append(compare(arguments, name, model, inputs, path))
        print(json.dumps(rows[-1]), flush=True)
        torch.cuda.empty_cache()
        with open(os.path.join(arguments.out, "pytorch.json"), "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
    return 0 if all(row["passed"] for row in rows) else 1


if __name__ == "__main__":
    raise SystemExit(main())
