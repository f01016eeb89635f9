# More model families of the transformers library: detection, depth, speech, long texts, time series, multimodal.
import torch
import transformers as _t
from torch_export import Chosen, export
from transformer_models import _AUDIO, _TEXT, _VISION, _WORDS, add_audio, add_text, add_vision, detr_config
from zoo import entry

_EAGER = {"implementation": "eager"}
_SMALL = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}

add_text("roformer-torchscript", lambda: _t.RoFormerConfig(**_TEXT), _t.RoFormerModel, **_EAGER)
add_text("xlnet-torchscript", lambda: _t.XLNetConfig(vocab_size=_WORDS, d_model=32, n_layer=2, n_head=4, d_inner=64),
         _t.XLNetModel, use_mems=False, **_EAGER)
add_text("funnel-torchscript", lambda: _t.FunnelConfig(vocab_size=_WORDS, block_sizes=[1, 1], d_model=32, n_head=4, d_head=8,
         d_inner=64, num_decoder_layers=1), _t.FunnelModel, **_EAGER)
add_text("convbert-torchscript", lambda: _t.ConvBertConfig(**_TEXT, embedding_size=32, head_ratio=2, conv_kernel_size=3),
         _t.ConvBertModel, **_EAGER)
add_text("squeezebert-torchscript", lambda: _t.SqueezeBertConfig(**_TEXT, embedding_size=32), _t.SqueezeBertModel, **_EAGER)
add_text("longformer-torchscript", lambda: _t.LongformerConfig(**{**_TEXT, "max_position_embeddings": 70}, attention_window=4,
         pad_token_id=1), _t.LongformerModel, **_EAGER)
add_text("bigbird-torchscript", lambda: _t.BigBirdConfig(**_TEXT, attention_type="original_full"), _t.BigBirdModel, **_EAGER)
add_text("ibert-torchscript", lambda: _t.IBertConfig(**{**_TEXT, "max_position_embeddings": 66}), _t.IBertModel, **_EAGER)
add_text("layoutlm-torchscript", lambda: _t.LayoutLMConfig(**_TEXT), _t.LayoutLMModel, **_EAGER)
add_text("megatron-torchscript", lambda: _t.MegatronBertConfig(**_TEXT), _t.MegatronBertModel, **_EAGER)
add_text("esm-torchscript", lambda: _t.EsmConfig(**_TEXT, position_embedding_type="rotary", pad_token_id=0, mask_token_id=1),
         _t.EsmModel, **_EAGER)
add_text("xlm-torchscript", lambda: _t.XLMConfig(vocab_size=_WORDS, emb_dim=32, n_layers=2, n_heads=4, max_position_embeddings=64,
         pad_index=0), _t.XLMModel, opset=12, **_EAGER)
add_text("flaubert-torchscript", lambda: _t.FlaubertConfig(vocab_size=_WORDS, emb_dim=32, n_layers=2, n_heads=4,
         max_position_embeddings=64, pad_index=0), _t.FlaubertModel, **_EAGER)
add_text("rembert-torchscript", lambda: _t.RemBertConfig(**_TEXT, input_embedding_size=16, output_embedding_size=16),
         _t.RemBertModel, **_EAGER)

add_vision("deit-torchscript", lambda: _t.DeiTConfig(**_VISION), _t.DeiTForImageClassificationWithTeacher, 32)
add_vision("glpn-torchscript", lambda: _t.GLPNConfig(num_encoder_blocks=4, hidden_sizes=[8, 8, 16, 16], depths=[1, 1, 1, 1],
           num_attention_heads=[1, 1, 2, 2], decoder_hidden_size=8), _t.GLPNForDepthEstimation, 64, ("predicted_depth",), **_EAGER)
add_vision("pvt-torchscript", lambda: _t.PvtConfig(image_size=32, hidden_sizes=[8, 16, 16, 32], depths=[1, 1, 1, 1],
           num_attention_heads=[1, 2, 2, 4]), _t.PvtForImageClassification, 32, **_EAGER)
add_vision("focalnet-torchscript", lambda: _t.FocalNetConfig(image_size=32, embed_dim=8, depths=[1, 1], focal_levels=[1, 1],
           focal_windows=[3, 3], hidden_sizes=[8, 16]), _t.FocalNetForImageClassification, 32, **_EAGER)
add_vision("resnet-transformers-torchscript", lambda: _t.ResNetConfig(embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1]),
           _t.ResNetForImageClassification, 32, opset=11, **_EAGER)
add_vision("convnext-v2-torchscript", lambda: _t.ConvNextV2Config(hidden_sizes=[8, 16], depths=[1, 1], num_stages=2),
           _t.ConvNextV2ForImageClassification, 32, **_EAGER)
add_vision("bit-torchscript", lambda: _t.BitConfig(embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1], num_groups=4),
           _t.BitForImageClassification, 32, **_EAGER)
add_vision("hiera-torchscript", lambda: _t.HieraConfig(image_size=[32, 32], patch_stride=[4, 4], embed_dim=8, depths=[1, 1],
           num_heads=[1, 2], masked_unit_size=[2, 2], num_query_pool=1, query_stride=[2, 2]), _t.HieraForImageClassification, 32, **_EAGER)
add_vision("deformable-detr-torchscript", lambda: _t.DeformableDetrConfig(
    use_timm_backbone=False, backbone_config=detr_config().backbone_config, backbone=None, use_pretrained_backbone=False,
    d_model=32, encoder_layers=1, decoder_layers=1, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=64,
    decoder_ffn_dim=64, num_queries=6, num_labels=3, num_feature_levels=2, disable_custom_kernels=True),
           _t.DeformableDetrForObjectDetection, 64, ("logits", "pred_boxes"), **_EAGER)
add_vision("conditional-detr-torchscript", lambda: _t.ConditionalDetrConfig(
    use_timm_backbone=False, backbone_config=detr_config().backbone_config, backbone=None, use_pretrained_backbone=False,
    d_model=32, encoder_layers=1, decoder_layers=1, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=64,
    decoder_ffn_dim=64, num_queries=6, num_labels=3), _t.ConditionalDetrForObjectDetection, 64, ("logits", "pred_boxes"), **_EAGER)

add_audio("wavlm-torchscript", lambda: _t.WavLMConfig(**_AUDIO), _t.WavLMModel, ["last_hidden_state"], (1, 400))
add_audio("unispeech-torchscript", lambda: _t.UniSpeechConfig(**_AUDIO), _t.UniSpeechModel, ["last_hidden_state"], (1, 400))
add_audio("sew-torchscript", lambda: _t.SEWConfig(**_AUDIO, squeeze_factor=2), _t.SEWModel, ["last_hidden_state"], (1, 400))
add_audio("data2vec-audio-torchscript", lambda: _t.Data2VecAudioConfig(**_AUDIO, conv_pos_kernel_size=3), _t.Data2VecAudioModel,
          ["last_hidden_state"], (1, 400), opset=15)


@entry("perceiver-torchscript")
def _(path):
    config = _t.PerceiverConfig(num_latents=4, d_latents=16, d_model=16, num_blocks=1, num_self_attends_per_block=2,
                                num_self_attention_heads=2, num_cross_attention_heads=2)
    config._attn_implementation = "eager"
    module = Chosen(_t.PerceiverModel(config).eval(), ["inputs"], ["last_hidden_state"])
    return export(module, [torch.randn(2, 10, 16)], path, names=["inputs"], dynamic={"inputs": {0: "batch", 1: "length"}}, opset=17)


@entry("siglip-torchscript")
def _(path):
    config = _t.SiglipConfig(text_config={**_SMALL, "vocab_size": _WORDS, "max_position_embeddings": 16},
                             vision_config={**_SMALL, "image_size": 32, "patch_size": 8})
    config._attn_implementation = "eager"
    module = Chosen(_t.SiglipModel(config).eval(), ["input_ids", "pixel_values"], ["logits_per_image", "text_embeds"])
    return export(module, [torch.randint(0, _WORDS, (2, 16)), torch.rand(2, 3, 32, 32)], path, names=["input_ids", "pixel_values"],
                  opset=17, dynamic={"input_ids": {0: "batch"}, "pixel_values": {0: "pictures"}})


# With attention as products and Softmax, in which onnxruntime's optimizer finds it.
add_vision("vit-eager-torchscript", lambda: _t.ViTConfig(**_VISION), _t.ViTForImageClassification, 32, **_EAGER)
add_vision("swin-eager-torchscript", lambda: _t.SwinConfig(image_size=32, patch_size=4, embed_dim=16, depths=[1, 1],
           num_heads=[2, 4], window_size=4), _t.SwinForImageClassification, 32, **_EAGER)
add_audio("conformer-torchscript", lambda: _t.Wav2Vec2ConformerConfig(**_AUDIO, conv_depthwise_kernel_size=5,
          position_embeddings_type="relative"), _t.Wav2Vec2ConformerModel, ["last_hidden_state"], (1, 400))
