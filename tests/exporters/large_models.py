# The exporters' families in sizes that take milliseconds, for speed beside onnxruntime; the other models are too small for that.
"""`make_models.py --large` makes these instead. Decoders have two data sets: a prompt of 64 tokens, and one token after it."""
import atexit
import functools
import shutil
import tempfile

import onnxruntime
import torchvision
import transformers as _t
from torch import nn

import fused_models
import genai_models
import recipe_models
import variant_models
import vision_models
import zoo
from fastvit import fastvit
from module_models import First, add_module
from optimum_models import export_part, vision_to_text, write_parts
from transformer_models import add_audio, add_text, add_vision
from variant_models import add_variant
from zoo import entry, random_inputs

_HEADS, _SIZE, _WORDS = 4, 256, 2000
_TEXT = {"vocab_size": _WORDS, "hidden_size": _SIZE, "num_hidden_layers": 4, "num_attention_heads": _HEADS, "intermediate_size": 1024,
         "max_position_embeddings": 256}
_IDS = {"vocab_size": _WORDS, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
_VISION = {"hidden_size": 192, "num_hidden_layers": 4, "num_attention_heads": _HEADS, "intermediate_size": 768, "image_size": 224,
           "patch_size": 16}
_ENCODER = {**_IDS, "d_model": _SIZE, "encoder_layers": 2, "decoder_layers": 4, "encoder_attention_heads": _HEADS,
            "decoder_attention_heads": _HEADS, "encoder_ffn_dim": 1024, "decoder_ffn_dim": 1024, "max_position_embeddings": 256,
            "decoder_start_token_id": 1}
# The values of symbols for a prompt, and for one token after it.
_PROMPT = {"batch_size": 1, "sequence_length": 64, "decoder_sequence_length": 64, "past_sequence_length": 0,
           "past_decoder_sequence_length": 0, "encoder_sequence_length": 64, "encoder_sequence_length_out": 64}
_TOKEN = {**_PROMPT, "sequence_length": 1, "decoder_sequence_length": 1, "past_sequence_length": 64,
          "past_decoder_sequence_length": 64, "total_sequence_length": 65}
_LEVELS = onnxruntime.GraphOptimizationLevel


def add_decoder(name, config):
    @entry(f"{name}-with-past")
    def _(path):
        model = _t.AutoModelForCausalLM.from_config(config(), attn_implementation="eager")
        return export_part(model, "text-generation-with-past", "model", path, [_PROMPT, _TOKEN])


def add_parts(name, make, task, encoder_sizes):
    parts = {"encoder": ("encoder_model", [encoder_sizes]), "decoder": ("decoder_model", [_PROMPT]),
             "decoder-with-past": ("decoder_with_past_model", [_TOKEN]),
             "merged": ("decoder_model_merged", [{**_PROMPT, "use_cache_branch": False, "past_decoder_sequence_length": 1},
                                                 {**_TOKEN, "use_cache_branch": True}])}
    @functools.lru_cache
    def write_all():
        folder = tempfile.mkdtemp()
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        zoo.seed_all(name)
        return write_parts(make(), task, folder)

    for part, (file, sizes) in parts.items():
        @entry(f"{name}-{part}")
        def _(path, file=file, sizes=sizes):
            shutil.copy(write_all()[file], path)
            return [random_inputs(path, symbols, _WORDS) for symbols in sizes]


def add_texts():
    text = functools.partial(add_text, length=128, batch=1)
    text("bert-torchscript", lambda: _t.BertConfig(**_TEXT), _t.BertModel)
    text("bert-eager-torchscript", lambda: _t.BertConfig(**_TEXT), _t.BertModel, implementation="eager")
    text("bert-dynamo", lambda: _t.BertConfig(**_TEXT), _t.BertModel, dynamo=True, implementation="eager")
    text("distilbert-torchscript", lambda: _t.DistilBertConfig(vocab_size=_WORDS, dim=_SIZE, n_layers=4, n_heads=_HEADS,
         hidden_dim=1024), _t.DistilBertModel, opset=14)
    text("deberta-v2-torchscript", lambda: _t.DebertaV2Config(**_TEXT, relative_attention=True, pos_att_type=["p2c", "c2p"],
         position_buckets=64), _t.DebertaV2Model, implementation="eager")
    text("modernbert-torchscript", lambda: _t.ModernBertConfig(**_TEXT, pad_token_id=0, cls_token_id=1, sep_token_id=2,
         bos_token_id=1, eos_token_id=2, reference_compile=False, local_attention=32), _t.ModernBertModel)


def add_decoders():
    add_decoder("gpt2", lambda: _t.GPT2Config(**_IDS, n_embd=_SIZE, n_layer=4, n_head=_HEADS, n_positions=256))
    add_decoder("llama", lambda: _t.LlamaConfig(**{**_IDS, **_TEXT}, num_key_value_heads=2))
    add_decoder("gpt-neox", lambda: _t.GPTNeoXConfig(**{**_IDS, **_TEXT}))
    task = "text2text-generation-with-past"
    add_parts("t5", lambda: _t.T5ForConditionalGeneration(_t.T5Config(**_IDS, d_model=_SIZE, d_kv=64, d_ff=1024, num_layers=4,
              num_heads=_HEADS, decoder_start_token_id=0)), task, _PROMPT)
    add_parts("bart", lambda: _t.BartForConditionalGeneration(_t.BartConfig(**_ENCODER)), task, _PROMPT)
    speech = {**_ENCODER, "num_mel_bins": 80, "max_source_positions": 1500, "max_target_positions": 256}
    add_parts("whisper", lambda: _t.WhisperForConditionalGeneration(_t.WhisperConfig(**speech)),
              "automatic-speech-recognition-with-past", _PROMPT)
    swin = {"image_size": [320, 240], "patch_size": 4, "embed_dim": 64, "depths": [2, 2, 2], "num_heads": [2, 4, 8],
            "window_size": 5}

    @entry("donut-encoder")
    def _(path):
        return export_part(vision_to_text(_t.DonutSwinConfig(**swin)), "image-to-text-with-past", "encoder_model", path,
                           [{"batch_size": 1, "num_channels": 3, "height": 320, "width": 240}])


def deeplab():
    """With rates of 6, 12 and 18 over maps of 33 x 33, as published."""
    made = torchvision.models.segmentation.deeplabv3_mobilenet_v3_large(num_classes=5, weights_backbone=None)
    made.backbone = torchvision.models._utils.IntermediateLayerGetter(
        torchvision.models.mobilenet_v3_small(weights=None).features, {"8": "out"})
    made.classifier = torchvision.models.segmentation.deeplabv3.DeepLabHead(48, 5, [6, 12, 18])
    made.aux_classifier = None
    return made


def add_networks():
    vit = functools.partial(_t.ViTConfig, **_VISION)
    add_vision("vit-torchscript", vit, _t.ViTForImageClassification, 224)
    add_vision("vit-eager-torchscript", vit, _t.ViTForImageClassification, 224, implementation="eager")
    swin = {"image_size": 224, "patch_size": 4, "embed_dim": 48, "depths": [2, 2, 2], "num_heads": [3, 6, 12], "window_size": 7}
    add_vision("swin-eager-torchscript", lambda: _t.SwinConfig(**swin), _t.SwinForImageClassification, 224, implementation="eager")
    add_vision("swin-v2-torchscript", lambda: _t.Swinv2Config(**swin), _t.Swinv2ForImageClassification, 224, implementation="eager")
    add_vision("mobilevit-torchscript", lambda: _t.MobileViTConfig(image_size=192, hidden_sizes=[96, 120, 144], neck_hidden_sizes=[
               16, 32, 48, 64, 80, 96, 320]), _t.MobileViTForImageClassification, 192, implementation="eager")
    add_vision("segformer-torchscript", lambda: _t.SegformerConfig(), _t.SegformerForSemanticSegmentation, 192, implementation="eager")
    add_vision("convnext-v2-torchscript", lambda: _t.ConvNextV2Config(hidden_sizes=[40, 80, 160, 320], depths=[2, 2, 6, 2]),
               _t.ConvNextV2ForImageClassification, 160, implementation="eager")
    models, batch = torchvision.models, {"x0": {0: "batch"}}
    network = functools.partial(vision_models.add_network, dynamic=batch)
    network("swin-torchscript", functools.partial(models.SwinTransformer, patch_size=[4, 4], embed_dim=48, depths=[2, 2, 2], num_heads=[
            3, 6, 12], window_size=[7, 7], num_classes=10), 224, opset=17)
    network("resnet18-torchscript", functools.partial(models.resnet18, num_classes=10), 128, opset=13)
    network("mobilenet-v2-torchscript", functools.partial(models.mobilenet_v2, num_classes=10), 160, opset=11)
    network("mobilenet-v3-torchscript", functools.partial(models.mobilenet_v3_large, num_classes=10), 192, opset=17)
    network("shufflenet-v2-torchscript", functools.partial(models.shufflenet_v2_x1_0, num_classes=10), 224, opset=9)
    network("regnet-torchscript", functools.partial(models.regnet_y_400mf, num_classes=10), 160, opset=16)
    network("fastvit-torchscript", fastvit, 256, opset=17)
    network("deeplab-class-map-torchscript", lambda: vision_models.ClassMap(deeplab()), 264, opset=17)
    network("unet-torchscript", vision_models.UNet, 160, opset=12)
    network("yolo-like-torchscript", vision_models.Detector, 320, opset=17)
    vision_models.add_network("efficientnet-b0-dynamo", functools.partial(models.efficientnet_b0, num_classes=10), 160, dynamo=True)
    audio = {**{key: value for key, value in _TEXT.items() if key != "max_position_embeddings"}, "num_feat_extract_layers": 7,
             "conv_dim": (64,) * 7, "num_conv_pos_embeddings": 32, "num_conv_pos_embedding_groups": 4, "vocab_size": 32}
    add_audio("wav2vec2-torchscript", lambda: _t.Wav2Vec2Config(**audio), _t.Wav2Vec2ForCTC, ["logits"], (1, 16000))
    add_module("lstm-torchscript", lambda: First(nn.LSTM(128, 256, batch_first=True, bidirectional=True)), (1, 64, 128), opset=14)


def add_variants(models):
    """Files of onnxruntime's optimizer and quantizers, of transformers.js' recipes, and saved by onnxruntime."""
    families = {"bert": ["bert-eager-torchscript"], "gpt2": ["gpt2-with-past", "llama-with-past"], "gpt_neox": ["gpt-neox-with-past"],
                "bart": ["whisper-encoder", "whisper-decoder-with-past", "bart-encoder", "bart-decoder-with-past"]}
    for kind, bases in families.items():
        for base in bases:
            add_fused(models, base, kind, _HEADS, _SIZE)
    add_fused(models, "vit-eager-torchscript", "vit", _HEADS, _VISION["hidden_size"])
    add_fused(models, "swin-eager-torchscript", "swin", 0, 0)
    add_fused(models, "donut-encoder", "swin", 0, 0)
    recipes = {"q4": ["bert-torchscript", "llama-with-past", "whisper-encoder", "vit-torchscript", "t5-encoder", "donut-encoder"],
               "q4f16": ["bert-torchscript", "llama-with-past"], "bnb4": ["llama-with-past"], "fp16": ["vit-torchscript"],
               "int8": ["bert-torchscript", "llama-with-past", "whisper-encoder", "vit-torchscript", "t5-decoder-with-past"],
               "uint8": ["donut-encoder", "swin-eager-torchscript"]}
    for recipe, bases in recipes.items():
        for base in bases:
            add_variant(models, base, f"js-{recipe}", recipe_models.RECIPES[recipe])
    saved = ["resnet18-torchscript", "mobilenet-v2-torchscript", "bert-eager-torchscript", "llama-with-past"]
    for level, name in ((_LEVELS.ORT_ENABLE_EXTENDED, "ort-extended"), (_LEVELS.ORT_ENABLE_ALL, "ort-all")):
        for base in saved:
            add_variant(models, base, name, variant_models.save_at(level))
    quantized = {"ort-qdq": ["resnet18-torchscript"], "ort-qoperator": ["resnet18-torchscript", "mobilenet-v2-torchscript"],
                 "float16": ["resnet18-torchscript", "mobilenet-v2-torchscript"]}
    for name, bases in quantized.items():
        for base in bases:
            add_variant(models, base, name, variant_models.VARIANTS[name][0])


def add_fused(models, base, kind, heads, size):
    add_variant(models, base, f"fused-{kind}", fused_models.fuse(kind, heads, size))
    add_variant(models, base, f"fused-{kind}-float16", fused_models.fuse(kind, heads, size, to_half=True))
    add_variant(models, base, f"fused-{kind}-int8", fused_models.fuse_and_quantize(kind, heads, size))


def add_built():
    """Of onnxruntime-genai's builder."""
    variants = {"llama": ["int4", "int4-level4", "int4-asymmetric", "int8", "float16", "float32", "int4-float16"],
                "qwen3": ["int4", "float32"], "phi3": ["int4"],
                "lfm2": ["int4", "float32"]}
    for architecture, names in variants.items():
        for name in names:
            genai_models.add_built(architecture, name, ((1, 64, 0), (1, 1, 64)), is_large=True)


def add_large(models):
    """Adds the large models, whose variants are made from the files in the folder `models`."""
    add_texts()
    add_decoders()
    add_networks()
    add_built()
    add_variants(models)
