# Donut in PyTorch, eager or compiled, stepped through standard streams like `ortool bench --stepped`.
"""usage: donut_torch.py SIZE eager|compiled THREADS PAST

Answers each line `encoder RUNS`, `step RUNS` (one token after PAST tokens) and `loop TOKENS` (from the image to the ids) with a
line of JSON: {"samples_ms": [...], "tokens": [...]}. `compiled` is torch.compile with symbolic lengths in the decoder.
"""
import json
import os
import sys
import time
import warnings

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
warnings.filterwarnings("ignore")

# pylint: disable=wrong-import-position
import torch  # noqa: E402
import transformers  # noqa: E402
from transformers.models.donut import modeling_donut_swin  # noqa: E402
import donut  # noqa: E402

transformers.logging.set_verbosity_error()


class Runner:
    def __init__(self, size, is_compiled, past):
        model = donut.make(size)
        self.encoder, self.first, self.later = donut.Encoder(model), donut.Step(model), donut.Step(model)
        if is_compiled:
            # The C++ that torch 2.11 generates for the masks of shifted windows does not compile.
            layer = modeling_donut_swin.DonutSwinLayer
            layer.get_attn_mask = torch.compiler.disable(layer.get_attn_mask)
            self.encoder = torch.compile(self.encoder)
            self.first, self.later = torch.compile(self.first), torch.compile(self.later, dynamic=True)
        self.image = donut.image(size)
        self.states = self.encoder(self.image)
        config = model.decoder.config
        heads = config.decoder_attention_heads
        def cache(length):
            return torch.randn(1, heads, length, config.d_model // heads)
        lengths = (past, past, self.states.shape[1], self.states.shape[1])
        self.caches = [cache(length) for _ in range(config.decoder_layers) for length in lengths]
        self.token = torch.full((1, 1), donut.START)

    def step(self):
        return self.later(self.token, self.states, *self.caches)

    def loop(self, count):
        states, token, caches, tokens = self.encoder(self.image), self.token, (), []
        for _ in range(count):
            scores, *caches = (self.later if caches else self.first)(token, states, *caches)
            token = scores.argmax(-1, keepdim=True)
            tokens.append(int(token))
        return tokens


def timed(call, count):
    samples = []
    for _ in range(count):
        begin = time.perf_counter()
        made = call()
        samples.append(1e3 * (time.perf_counter() - begin))
    return samples, made


def main():
    size, kind, threads, past = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    torch.set_num_threads(threads)
    with torch.inference_mode():
        runner = Runner(size, kind == "compiled", past)
        for line in sys.stdin:
            part, count = line.split()
            tokens = []
            if part == "loop":
                samples, tokens = timed(lambda: runner.loop(int(count)), 1)
            else:
                call = runner.step if part == "step" else lambda: runner.encoder(runner.image)
                samples, _ = timed(call, int(count))
            print(json.dumps({"samples_ms": samples, "tokens": tokens}), flush=True)


if __name__ == "__main__":
    main()
