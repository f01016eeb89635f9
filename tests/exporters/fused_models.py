# Models as onnxruntime.transformers.optimizer fuses them, in float32, in float16 and with weights of 8 bits.
"""The base models are made first; `add_fused` gets their folder."""
import os
import shutil

import onnx
from onnxruntime import quantization
from onnxruntime.transformers import optimizer
from onnxruntime.transformers.fusion_options import FusionOptions
from variant_models import add_variant
from zoo import reference_of

# The optimizer's model type, and the models that are of it: attention heads and size; 0: the optimizer finds them.
_FAMILIES = {
    "bert": {"bert-eager-torchscript": (4, 32), "distilbert-torchscript": (4, 32), "roberta-torchscript": (4, 32),
             "albert-torchscript": (4, 32), "mpnet-torchscript": (4, 32), "convbert-torchscript": (4, 32)},
    "gpt2": {"gpt2-with-past": (4, 32), "llama-with-past": (4, 32), "gpt2-without-past": (4, 32)},
    "gpt_neox": {"gpt-neox-with-past": (4, 32), "phi-with-past": (4, 32)},
    "qwen3": {"qwen3-with-past": (4, 32)},
    "t5": {"t5-encoder": (4, 32), "t5-decoder": (4, 32), "t5-decoder-with-past": (4, 32)},
    "bart": {"bart-encoder": (4, 32), "bart-decoder": (4, 32), "bart-decoder-with-past": (4, 32), "whisper-encoder": (4, 32),
             "whisper-decoder": (4, 32), "whisper-decoder-with-past": (4, 32), "trocr-decoder": (4, 32)},
    "vit": {"vit-torchscript": (4, 32), "vit-eager-torchscript": (4, 32), "deit-torchscript": (4, 32), "trocr-encoder": (4, 32)},
    "swin": {"swin-v2-torchscript": (0, 0), "donut-encoder": (0, 0), "swin-eager-torchscript": (0, 0)},
    "clip": {"clip-torchscript": (4, 32)},
    "conformer": {"conformer-torchscript": (4, 32)},
    "unet": {"sd-unet-torchscript": (0, 0)},
    "vae": {"sd-vae-decoder-torchscript": (0, 0), "sd-vae-encoder-torchscript": (0, 0)},
}
# Families whose fused files have operators that onnxruntime's CPU provider lacks (GroupNorm, NhwcConv, RelativePositionBias):
# the outputs are those of the plain file, and there is no form in 8 bits.
_WITHOUT_PEER = ("unet", "vae", "t5")


def fused(folder, kind, heads, size):
    return optimizer.optimize_model(os.path.join(folder, "model.onnx"), kind, num_heads=heads, hidden_size=size, opt_level=None if
                                    kind != "t5" else 1, optimization_options=FusionOptions(kind))


def fuse(kind, heads, size, to_half=False):
    def make(folder, path):
        made = fused(folder, kind, heads, size)
        if to_half:
            made.convert_float_to_float16(keep_io_types=True)
        made.save_model_to_file(path)
        if kind in _WITHOUT_PEER:
            shutil.copy(os.path.join(folder, "model.onnx"), reference_of(path))
    return make


def fuse_and_quantize(kind, heads, size):
    def make(folder, path):
        between = path + ".fused"
        fused(folder, kind, heads, size).save_model_to_file(between)
        quantization.quantize_dynamic(between, path, weight_type=quantization.QuantType.QInt8,
                                      extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT})
        os.remove(between)
    return make


def add_fused(models):
    for kind, bases in _FAMILIES.items():
        for base, sizes in bases.items():
            add_variant(models, base, f"fused-{kind}", fuse(kind, *sizes))
            add_variant(models, base, f"fused-{kind}-float16", fuse(kind, *sizes, to_half=True))
            if kind not in _WITHOUT_PEER:
                add_variant(models, base, f"fused-{kind}-int8", fuse_and_quantize(kind, *sizes))
