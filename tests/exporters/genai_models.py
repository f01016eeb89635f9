# Decoders as onnxruntime-genai's model builder writes them, with weights of 4, 8, 16 and 32 bits.
"""The builder runs in an environment of its own (genai_requirements.txt), beside this one."""
import atexit
import functools
import os
import shutil
import subprocess
import sys
import tempfile

import numpy
import onnx
from zoo import entry, inputs_of, reference_of

_HERE = os.path.dirname(os.path.abspath(__file__))
# As in genai_build.py: the words, and the sizes of heads.
_WORDS, _HEAD, _LARGE_HEAD, _HEADS = 96, 16, 64, {"phi": 32, "nemotron": 32}
# Precision, execution provider and options of each variant; files for CUDA have the operators that CPUs run as well.
_VARIANTS = {
    "int4": "int4/cpu", "float16": "fp16/cuda", "float32": "fp32/cpu", "int8": "int8/cpu", "int4-float16": "int4/cuda",
    "int4-asymmetric": "int4/cpu,int4_is_symmetric=false,int4_block_size=16", "int4-level4": "int4/cpu,int4_accuracy_level=4",
    "int4-mixed": "int4/cpu,algo_config=k_quant_mixed", "int4-shared": "int4/cpu,shared_embeddings=true",
    "int4-last-token": "int4/cpu,prune_lm_head=true",
    "float32-unfused": "fp32/cpu,fuse_qkv=false", "float32-embeds": "fp32/cpu,exclude_embeds=true",
    "float32-shared": "fp32/cpu,shared_embeddings=true", "float32-cache8": "fp32/cpu,kv_cache_quant_scheme=int8_per_tensor",
    "float32-cache8-channels": "fp32/cpu,kv_cache_quant_scheme=int8_per_channel",
    "float16-plain-norm": "fp16/cuda,fuse_qk_norm_gqa=false", "float32-cache4": "fp32/cpu,kv_cache_quant_scheme=int4_per_channel",
}
_PRECISIONS = ["int4", "float16", "float32"]
_BOTH = ["int4", "float32"]
_NORMED = ["int4", "float16-plain-norm", "float16", "float32"]
# What onnxruntime has for CUDA alone is compared with the same model without it.
_REFERENCES = {("qwen3", "float16"): "float16-plain-norm", ("lfm2", "float16"): "float16-plain-norm",
               ("qwen3.5", "float16"): "float16-plain-norm"}
_ARCHITECTURES = {
    "llama": [name for name in _VARIANTS if name != "float16-plain-norm"], "mistral": _PRECISIONS, "qwen2": _PRECISIONS,
    "qwen3": _NORMED, "gemma": _PRECISIONS,
    "gemma2": _PRECISIONS, "phi": _PRECISIONS, "phi3": _PRECISIONS, "phi3-long": _PRECISIONS,
    "granite": _PRECISIONS, "olmo": _BOTH, "smollm3": _PRECISIONS, "nemotron": _BOTH, "ernie": _BOTH, "hunyuan": _BOTH,
    "gpt-oss": ["int4", "int4-float16"], "lfm2": _NORMED, "qwen3.5": _NORMED,
}


def _interpreter():
    return os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(sys.executable))), "genai", "bin", "python")


@functools.lru_cache
def build(architecture, is_large):
    """The folder with all variants of an architecture; removed at exit."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    variants = [f"{name}={_VARIANTS[name]}" for name in _ARCHITECTURES[architecture] if not is_large or "cache" not in name]
    done = subprocess.run([_interpreter(), os.path.join(_HERE, "genai_build.py"), architecture, folder, *variants, *["--large"] * is_large],
                          capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0:
        raise RuntimeError(f"the builder: {done.stderr.strip().splitlines()[-1]}")
    return folder


def random_feeds(path, batch, length, past, head=_HEAD):
    """A step of `length` tokens after `past` tokens."""
    generator = numpy.random.default_rng(batch * 100 + length * 10 + past)
    sizes = {"batch_size": batch, "sequence_length": length, "past_sequence_length": past, "total_sequence_length": past + length,
             # The capacity of windowed caches: all of it is specified after 6 and 12 tokens with the window of 4.
             "past_sliding_length": 6, "total_sliding_length": 6, "kv_cache_dim": head}
    feeds = {}
    for value in inputs_of(path):
        shape = [size if isinstance(size, int) else sizes[size] for size in value.shape]
        if value.name == "attention_mask":
            made = numpy.ones(shape)
        elif value.name == "position_ids":
            made = numpy.broadcast_to(numpy.arange(past, past + length), shape)
        elif "int" in value.type:
            made = generator.integers(3, _WORDS, shape)
        else:
            made = generator.normal(size=shape)
        feeds[value.name] = made.astype(_DTYPES[value.type])
    return feeds


_DTYPES = {"tensor(float)": numpy.float32, "tensor(float16)": numpy.float16, "tensor(int64)": numpy.int64,
           "tensor(int32)": numpy.int32,
           "tensor(int8)": numpy.int8, "tensor(uint8)": numpy.uint8}


def add_built(architecture, variant, sizes=((2, 6, 0), (2, 1, 5), (1, 3, 9)), is_large=False):
    @entry(f"genai-{architecture}-{variant}")
    def _(path):
        folder = build(architecture, is_large)
        failure = os.path.join(folder, variant + ".error")
        if os.path.exists(failure):
            with open(failure, encoding="utf-8") as file:
                raise RuntimeError(f"the builder: {file.read()}")
        onnx.save(onnx.load(os.path.join(folder, variant, "model.onnx")), path)
        reference = _REFERENCES.get((architecture, variant))
        if reference is not None:
            onnx.save(onnx.load(os.path.join(folder, reference, "model.onnx")), reference_of(path))
        head = _LARGE_HEAD if is_large else _HEADS.get(architecture, _HEAD)
        fullest = path if reference is None else reference_of(path)
        return [random_feeds(fullest, *numbers, head) for numbers in sizes]


for _architecture, _names in _ARCHITECTURES.items():
    for _name in _names:
        add_built(_architecture, _name)
