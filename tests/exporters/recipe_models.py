# Models as transformers.js publishes them: in blocks of 4 bits, in 8 bits and in float16, by the recipes of its conversion script.
import os

import onnx
from onnxruntime import quantization
from onnxruntime.quantization import matmul_bnb4_quantizer, matmul_nbits_quantizer
from onnxruntime.transformers import float16
from variant_models import add_variant

_BASES = ["bert-torchscript", "distilbert-torchscript", "gpt2-with-past", "llama-with-past", "qwen2-with-past", "t5-encoder",
          "t5-merged", "bart-merged", "whisper-encoder", "whisper-merged", "vit-torchscript", "clip-torchscript", "swin-torchscript",
          "wav2vec2-torchscript", "donut-encoder", "donut-merged"]
# The converter to float16 leaves branches of If invalid; these stand for the merged ones.
_APART = ["t5-decoder", "bart-decoder-with-past", "whisper-decoder-with-past", "donut-decoder"]
_NF4 = 1


def quantize_blocks(folder, path):
    made = matmul_nbits_quantizer.MatMulNBitsQuantizer(onnx.load(os.path.join(folder, "model.onnx")), block_size=32,
                                                       is_symmetric=True, accuracy_level=None)
    made.process()
    onnx.save(made.model.model, path)


def quantize_blocks_of_halves(folder, path):
    """q4f16: the file with blocks of 4 bits converted to float16."""
    quantize_blocks(folder, path)
    convert_half(os.path.dirname(path), path)


def quantize_bnb4(folder, path):
    made = matmul_bnb4_quantizer.MatMulBnb4Quantizer(onnx.load(os.path.join(folder, "model.onnx")), _NF4, 64)
    made.process()
    onnx.save(made.model.model, path)


def convert_half(folder, path):
    model = onnx.load(os.path.join(folder, "model.onnx"))
    onnx.save(float16.convert_float_to_float16(model, keep_io_types=True, disable_shape_infer=True), path)


def quantize_bytes(weight_type):
    def make(folder, path):
        quantization.quantize_dynamic(os.path.join(folder, "model.onnx"), path, weight_type=weight_type,
                                      extra_options={"EnableSubgraph": True, "MatMulConstBOnly": True})
    return make


RECIPES = {"q4": quantize_blocks, "q4f16": quantize_blocks_of_halves, "bnb4": quantize_bnb4, "fp16": convert_half,
            "int8": quantize_bytes(quantization.QuantType.QInt8), "uint8": quantize_bytes(quantization.QuantType.QUInt8)}


def add_recipes(models):
    for name, make in RECIPES.items():
        bases = [base for base in _BASES if "merged" not in base] + _APART if "16" in name else _BASES
        for base in bases:
            add_variant(models, base, f"js-{name}", make)
