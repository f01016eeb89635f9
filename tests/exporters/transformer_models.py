# Whole models of the transformers library with small configurations: encoders, vision models, audio encoders.
import functools

import torch
import transformers
from torch_export import Chosen, export
from zoo import entry

_WORDS = 99
_TEXT = {"vocab_size": _WORDS, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64,
         "max_position_embeddings": 64}
_TEXT_AXES = {"input_ids": {0: "batch", 1: "length"}, "attention_mask": {0: "batch", 1: "length"}}


def words(batch=2, length=7):
    mask = torch.ones(batch, length, dtype=torch.int64)
    mask[-1, -2:] = 0
    return torch.randint(0, _WORDS, (batch, length)), mask


def add_text(name, config, model, field="last_hidden_state", dynamo=False, opset=17, implementation="sdpa", batch=2, length=7, **constants):
    @entry(name)
    def _(path):
        made = config()
        made._attn_implementation = implementation
        made.return_dict = True
        module = Chosen(model(made).eval(), ["input_ids", "attention_mask"], [field], constants)
        return export(module, words(batch, length), path, dynamo=dynamo, names=["input_ids", "attention_mask"],
                      dynamic=None if dynamo else _TEXT_AXES, opset=None if dynamo else opset)


_t = transformers
add_text("bert-torchscript", lambda: _t.BertConfig(**_TEXT), _t.BertModel)
add_text("bert-eager-torchscript", lambda: _t.BertConfig(**_TEXT), _t.BertForSequenceClassification, "logits",
         implementation="eager", opset=13)
add_text("bert-dynamo", lambda: _t.BertConfig(**_TEXT), _t.BertModel, dynamo=True, implementation="eager")
add_text("distilbert-torchscript", lambda: _t.DistilBertConfig(vocab_size=_WORDS, dim=32, n_layers=2, n_heads=4, hidden_dim=64),
         _t.DistilBertModel, opset=14)
add_text("roberta-torchscript", lambda: _t.RobertaConfig(**{**_TEXT, "max_position_embeddings": 66}), _t.RobertaModel)
add_text("albert-torchscript", lambda: _t.AlbertConfig(**_TEXT, embedding_size=16), _t.AlbertModel)
add_text("mobilebert-torchscript", lambda: _t.MobileBertConfig(vocab_size=_WORDS, hidden_size=32, num_hidden_layers=2,
         num_attention_heads=2, intermediate_size=32, embedding_size=16, intra_bottleneck_size=16), _t.MobileBertModel,
         implementation="eager", opset=16)
add_text("deberta-v2-torchscript", lambda: _t.DebertaV2Config(**_TEXT, relative_attention=True, pos_att_type=["p2c", "c2p"],
         position_buckets=16), _t.DebertaV2Model, implementation="eager")
add_text("mpnet-torchscript", lambda: _t.MPNetConfig(**_TEXT), _t.MPNetModel, implementation="eager", opset=14)
add_text("modernbert-torchscript", lambda: _t.ModernBertConfig(**_TEXT, pad_token_id=0, cls_token_id=1, sep_token_id=2,
         bos_token_id=1, eos_token_id=2, reference_compile=False, local_attention=4), _t.ModernBertModel)
add_text("t5-encoder-torchscript", lambda: _t.T5Config(vocab_size=_WORDS, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4),
         _t.T5EncoderModel, implementation="eager")
add_text("mamba-torchscript", lambda: _t.MambaConfig(vocab_size=_WORDS, hidden_size=16, state_size=4, num_hidden_layers=1,
         time_step_rank=2), _t.MambaModel, implementation="eager", use_cache=False)


def add_vision(name, config, model, size, fields=("logits",), dynamo=False, opset=17, implementation="sdpa"):
    @entry(name)
    def _(path):
        made = config()
        made._attn_implementation = implementation
        module = Chosen(model(made).eval(), ["pixel_values"], fields, {"return_dict": True})
        return export(module, [torch.rand(1, 3, size, size)], path, dynamo=dynamo, names=["pixel_values"],
                      dynamic=None if dynamo else {"pixel_values": {0: "batch"}}, opset=None if dynamo else opset)


_VISION = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64, "image_size": 32,
           "patch_size": 8}
add_vision("vit-torchscript", lambda: _t.ViTConfig(**_VISION), _t.ViTForImageClassification, 32)
add_vision("vit-dynamo", lambda: _t.ViTConfig(**_VISION), _t.ViTForImageClassification, 32, dynamo=True)
add_vision("beit-torchscript", lambda: _t.BeitConfig(**_VISION, use_relative_position_bias=True, vocab_size=_WORDS),
           _t.BeitForImageClassification, 32)
add_vision("dinov2-torchscript", lambda: _t.Dinov2Config(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, image_size=32,
           patch_size=8), _t.Dinov2ForImageClassification, 32)
add_vision("yolos-torchscript", lambda: _t.YolosConfig(**{**_VISION, "image_size": [32, 32]}, num_detection_tokens=5),
           _t.YolosForObjectDetection, 32, ("logits", "pred_boxes"))
add_vision("segformer-torchscript", lambda: _t.SegformerConfig(hidden_sizes=[8, 16], num_encoder_blocks=2, depths=[1, 1],
           sr_ratios=[4, 2], patch_sizes=[7, 3], strides=[4, 2], num_attention_heads=[1, 2], mlp_ratios=[2, 2],
           decoder_hidden_size=16), _t.SegformerForSemanticSegmentation, 64, implementation="eager")
add_vision("swin-v2-torchscript", lambda: _t.Swinv2Config(image_size=32, patch_size=4, embed_dim=16, depths=[1, 1],
           num_heads=[2, 4], window_size=4), _t.Swinv2ForImageClassification, 32, implementation="eager")
add_vision("mobilevit-torchscript", lambda: _t.MobileViTConfig(image_size=64, hidden_sizes=[16, 24, 32], neck_hidden_sizes=[
           8, 8, 16, 16, 24, 24, 32]), _t.MobileViTForImageClassification, 64, implementation="eager")
add_vision("levit-torchscript", lambda: _t.LevitConfig(image_size=64, hidden_sizes=[16, 24, 32], num_attention_heads=[2, 2, 2],
           depths=[1, 1, 1], key_dim=[8, 8, 8]), _t.LevitForImageClassification, 64, implementation="eager")
add_vision("poolformer-torchscript", lambda: _t.PoolFormerConfig(hidden_sizes=[8, 16], depths=[1, 1], num_encoder_blocks=2,
           patch_sizes=[7, 3], strides=[4, 2], padding=[2, 1]), _t.PoolFormerForImageClassification, 32, implementation="eager")


@functools.lru_cache
def detr_config():
    backbone = _t.ResNetConfig(embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1], layer_type="basic", out_features=["stage2"])
    return _t.DetrConfig(use_timm_backbone=False, backbone_config=backbone, backbone=None, use_pretrained_backbone=False,
                         d_model=32, encoder_layers=1, decoder_layers=1, encoder_attention_heads=4, decoder_attention_heads=4,
                         encoder_ffn_dim=64, decoder_ffn_dim=64, num_queries=6, num_labels=3)


add_vision("detr-torchscript", detr_config, _t.DetrForObjectDetection, 64, ("logits", "pred_boxes"), implementation="eager")


@entry("clip-torchscript")
def _(path):
    config = _t.CLIPConfig(text_config={**_TEXT, "eos_token_id": 2}, vision_config=_VISION, projection_dim=16)
    config._attn_implementation = "eager"
    module = Chosen(_t.CLIPModel(config).eval(), ["input_ids", "attention_mask", "pixel_values"],
                    ["logits_per_image", "text_embeds", "image_embeds"])
    names = ["input_ids", "attention_mask", "pixel_values"]
    return export(module, [*words(), torch.rand(2, 3, 32, 32)], path, names=names, opset=17,
                  dynamic={**_TEXT_AXES, "pixel_values": {0: "pictures"}})


def add_audio(name, config, model, fields, size, opset=17):
    @entry(name)
    def _(path):
        made = config()
        made._attn_implementation = "eager"
        module = Chosen(model(made).eval(), ["input_values"], fields)
        return export(module, [torch.rand(*size) - 0.5], path, names=["input_values"], opset=opset,
                      dynamic={"input_values": {0: "batch"}})


_AUDIO = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64, "conv_dim": (8, 16),
          "conv_stride": (5, 2), "conv_kernel": (10, 3), "num_conv_pos_embeddings": 8, "num_conv_pos_embedding_groups": 4,
          "num_feat_extract_layers": 2, "vocab_size": 20}
add_audio("wav2vec2-torchscript", lambda: _t.Wav2Vec2Config(**_AUDIO), _t.Wav2Vec2ForCTC, ["logits"], (1, 400))
add_audio("hubert-torchscript", lambda: _t.HubertConfig(**_AUDIO), _t.HubertModel, ["last_hidden_state"], (1, 400), opset=14)
add_audio("ast-torchscript", lambda: _t.ASTConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
          patch_size=8, max_length=64, num_mel_bins=32), _t.ASTForAudioClassification, ["logits"], (1, 64, 32))
