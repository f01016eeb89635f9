# Variants of the models as other tools write them: saved by onnxruntime, fused, in float16, quantized.
import glob
import os

import numpy
import onnx
import onnx.version_converter
import onnxconverter_common.float16
import onnxruntime
import onnxscript.optimizer
import onnxscript.rewriter
from onnxruntime import quantization
from onnxruntime.quantization import matmul_nbits_quantizer, shape_inference
from onnxruntime.transformers import float16, optimizer
from zoo import entry, inputs_of, open_session

_LEVELS = onnxruntime.GraphOptimizationLevel


def read_set(folder, index):
    feeds = {}
    for i, value in enumerate(inputs_of(os.path.join(folder, "model.onnx"))):
        tensor = onnx.TensorProto()
        with open(os.path.join(folder, f"test_data_set_{index}", f"input_{i}.pb"), "rb") as file:
            tensor.ParseFromString(file.read())
        feeds[value.name] = onnx.numpy_helper.to_array(tensor)
    return feeds


def read_sets(folder):
    return [read_set(folder, index) for index in range(len(glob.glob(os.path.join(folder, "test_data_set_*"))))]


class Samples(quantization.CalibrationDataReader):
    """A model's own data sets, once."""

    def __init__(self, folder):
        self.sets = iter(read_sets(folder))

    def get_next(self):
        return next(self.sets, None)


def save_at(level):
    def make(folder, path):
        open_session(os.path.join(folder, "model.onnx"), level, path)
    return make


def convert_common(folder, path):
    model = onnx.load(os.path.join(folder, "model.onnx"))
    onnx.save(onnxconverter_common.float16.convert_float_to_float16(model, keep_io_types=False), path)


def convert_kept(folder, path):
    model = onnx.load(os.path.join(folder, "model.onnx"))
    onnx.save(float16.convert_float_to_float16(model, keep_io_types=True, op_block_list=["LayerNormalization", "Softmax"]), path)


def fuse(kind):
    def make(folder, path):
        fused = optimizer.optimize_model(os.path.join(folder, "model.onnx"), kind, num_heads=4, hidden_size=32, opt_level=0)
        fused.save_model_to_file(path)
    return make


def quantize_dynamic(folder, path):
    quantization.quantize_dynamic(os.path.join(folder, "model.onnx"), path)


def quantize_static(quant_format, per_channel):
    def make(folder, path):
        prepared = path + ".prepared"
        shape_inference.quant_pre_process(os.path.join(folder, "model.onnx"), prepared, skip_symbolic_shape=True)
        quantization.quantize_static(prepared, path, Samples(folder), quant_format=quant_format, per_channel=per_channel)
        os.remove(prepared)
    return make


def quantize_wide(folder, path):
    """Activations of 16 bits, which opsets before 21 have in com.microsoft alone."""
    prepared = path + ".prepared"
    shape_inference.quant_pre_process(os.path.join(folder, "model.onnx"), prepared, skip_symbolic_shape=True)
    quantization.quantize_static(prepared, path, Samples(folder), quant_format=_QDQ, activation_type=quantization.QuantType.QUInt16,
                                 weight_type=quantization.QuantType.QInt8, extra_options={"UseQDQContribOps": True})
    os.remove(prepared)


def quantize_blocks(folder, path):
    model = onnx.load(os.path.join(folder, "model.onnx"))
    made = matmul_nbits_quantizer.MatMulNBitsQuantizer(model, block_size=16, is_symmetric=False, accuracy_level=4)
    made.process()
    made.model.save_model_to_file(path)


def convert_version(folder, path):
    onnx.save(onnx.version_converter.convert_version(onnx.load(os.path.join(folder, "model.onnx")), 21), path)


def optimize_by_onnxscript(folder, path):
    onnx.save(onnxscript.rewriter.rewrite(onnxscript.optimizer.optimize(onnx.load(os.path.join(folder, "model.onnx")))), path)


def put_weights_outside(folder, path):
    onnx.save(onnx.load(os.path.join(folder, "model.onnx")), path, save_as_external_data=True, location="weights.bin",
              size_threshold=64)


_MERGED = ["t5-merged", "bart-merged", "marian-merged", "m2m100-merged", "pegasus-merged", "whisper-merged", "donut-merged"]
_SAVED = ["resnet18-torchscript", "mobilenet-v2-torchscript", "mobilenet-v3-torchscript", "shufflenet-v2-torchscript",
          "squeezenet-torchscript", "densenet-torchscript", "unet-torchscript", "yolo-like-torchscript", "regnet-torchscript",
          "convnext-v2-torchscript", "bert-eager-torchscript", "gpt2-with-past", "vit-torchscript", "llama-with-past",
          "whisper-merged"]
_QDQ, _INTEGERS = quantization.QuantFormat.QDQ, quantization.QuantFormat.QOperator
# The conversions, and the models that each is applied to.
VARIANTS = {
    "ort-basic": (save_at(_LEVELS.ORT_ENABLE_BASIC), _MERGED + [
        "resnet18-torchscript", "swin-dynamo", "bert-torchscript", "gpt2-with-past", "bloom-with-past", "sklearn-knn-imputer",
        "if-and-loop-scripted", "yolo-like-free-size-torchscript", "faster-rcnn-torchscript", "lstm-torchscript",
        "deformable-detr-torchscript", "longformer-torchscript", "detr-torchscript", "sorting-dynamo", "cond-dynamo",
        "stft-front-end-dynamo", "mask-rcnn-torchscript", "sklearn-random-forest", "sklearn-texts-and-columns",
        "transformer-encoder-dynamo", "einsum-torchscript", "sampling-torchscript"]),
    "ort-extended": (save_at(_LEVELS.ORT_ENABLE_EXTENDED), [
        "mobilenet-v2-torchscript", "bert-torchscript", "vit-torchscript", "llama-with-past", "t5-merged", "unet-dynamo",
        "bart-merged", "whisper-merged", "mobilenet-v3-torchscript", "swin-torchscript", "clip-torchscript", "detr-torchscript",
        "xlnet-torchscript", "convbert-torchscript", "wav2vec2-torchscript", "gpt2-with-past", "bloom-with-past",
        "gemma-with-past", "phi-with-past", "whisper-encoder", "yolo-like-torchscript", "norms-torchscript", "gru-torchscript"]),
    "ort-layout": (save_at(_LEVELS.ORT_ENABLE_LAYOUT), _SAVED),
    "ort-all": (save_at(_LEVELS.ORT_ENABLE_ALL), _SAVED),
    "onnx-21": (convert_version, [
        "resnet18-torchscript", "bert-torchscript", "unet-torchscript", "gru-torchscript", "yolo-like-torchscript",
        "shufflenet-v2-torchscript", "swin-torchscript"]),
    "onnxscript": (optimize_by_onnxscript, [
        "bert-torchscript", "llama-with-past", "swin-torchscript", "whisper-encoder", "mobilebert-torchscript"]),
    "outside": (put_weights_outside, ["bert-torchscript", "t5-merged", "mobilenet-v2-torchscript"]),
    "ort-fused-bert": (fuse("bert"), ["bert-eager-torchscript", "roberta-torchscript"]),
    "ort-fused-gpt2": (fuse("gpt2"), ["gpt2-with-past"]),
    "ort-fused-vit": (fuse("vit"), ["vit-torchscript"]),
    "float16": (convert_common, [
        "resnet18-torchscript", "mobilenet-v2-torchscript", "unet-torchscript", "lstm-torchscript", "stft-front-end-torchscript"]),
    "float16-kept": (convert_kept, [
        "vit-torchscript", "clip-torchscript", "whisper-encoder", "llama-with-past", "yolo-like-torchscript",
        "convnext-v2-torchscript", "wav2vec2-torchscript", "detr-torchscript", "gru-torchscript"]),
    "ort-dynamic": (quantize_dynamic, [
        "bert-torchscript", "gpt2-with-past", "lstm-torchscript", "t5-merged", "whisper-merged", "llama-with-past",
        "mobilenet-v2-torchscript"]),
    "ort-qdq": (quantize_static(_QDQ, True), ["resnet18-torchscript", "mobilenet-v3-dynamo", "vit-torchscript", "yolo-like-torchscript",
                                                "convnext-v2-torchscript", "bert-torchscript"]),
    "ort-qoperator": (quantize_static(_INTEGERS, False), ["resnet18-torchscript", "yolo-like-torchscript", "unet-torchscript",
                                                          "mobilenet-v3-torchscript"]),
    "ort-qdq-16": (quantize_wide, ["resnet18-torchscript", "mobilenet-v2-torchscript", "vit-torchscript", "unet-torchscript"]),
    "ort-nbits": (quantize_blocks, ["llama-with-past", "bert-torchscript"]),
}


def add_variant(models, base, kind, make):
    @entry(f"{base}--{kind}")
    def _(path):
        folder = os.path.join(models, base)
        make(folder, path)
        types = {value.name: value.type for value in inputs_of(path)}
        halves = [name for name, kind in types.items() if kind == "tensor(float16)"]
        return [{name: array.astype(numpy.float16) if name in halves else array for name, array in feeds.items() if name in types}
                for feeds in read_sets(folder)]


# Quantized files as onnxruntime saves them again: channels last, with its own operators between the products.
_QUANTIZED = ["resnet18-torchscript--ort-qdq", "resnet18-torchscript--ort-qoperator", "mobilenet-v3-dynamo--ort-qdq",
              "yolo-like-torchscript--ort-qdq", "unet-torchscript--ort-qoperator", "bert-torchscript--ort-dynamic",
              "convnext-v2-torchscript--ort-qdq", "lstm-torchscript--ort-dynamic", "llama-with-past--ort-nbits"]


def add_variants(models):
    """Adds the variants of the models in the folder `models`, which are made first."""
    for kind, (make, bases) in VARIANTS.items():
        for base in bases:
            add_variant(models, base, kind, make)
    for base in _QUANTIZED:
        add_variant(models, base, "ort-all", save_at(_LEVELS.ORT_ENABLE_ALL))
