# Builds decoders with onnxruntime-genai's model builder from tiny transformers models with random weights.
"""usage: genai_build.py ARCHITECTURE FOLDER VARIANT=PRECISION/PROVIDER[,KEY=VALUE…] … [--large]

Runs in the environment of genai_requirements.txt. Writes FOLDER/VARIANT/model.onnx with its weights for each variant, or
FOLDER/VARIANT.error with the reason why the builder refuses it.
"""
import inspect
import json
import os
import sys
import tempfile
import zlib

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

# pylint: disable=wrong-import-position
import safetensors.torch  # noqa: E402
import torch  # noqa: E402
import transformers  # noqa: E402
from tokenizers import Tokenizer, models  # noqa: E402

_IDS = {"vocab_size": 96, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
_PLAIN = {**_IDS, "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128,
          "max_position_embeddings": 128}
_GROUPED = {**_PLAIN, "num_key_value_heads": 2}
_HEADED = {**_GROUPED, "head_dim": 16}
_ALTERNATING = ["sliding_attention", "full_attention"]
# Factors of the long and the short rotary embeddings of half a head.
_FACTORS = {"type": "longrope", "long_factor": [1.5] * 8, "short_factor": [1.0] * 8}

# Architecture: the configuration's class, and its values.
_CONFIGS = {
    "llama": ("LlamaConfig", {**_GROUPED, "tie_word_embeddings": True}),
    "mistral": ("MistralConfig", {**_HEADED, "sliding_window": 4}),
    "qwen2": ("Qwen2Config", _GROUPED),
    "qwen3": ("Qwen3Config", {**_HEADED, "tie_word_embeddings": True}),
    "gemma": ("GemmaConfig", {**_HEADED, "hidden_activation": "gelu_pytorch_tanh"}),
    "gemma2": ("Gemma2Config", {**_HEADED, "sliding_window": 4, "query_pre_attn_scalar": 16, "attn_logit_softcapping": 50.0,
                                "final_logit_softcapping": 30.0}),
    "phi": ("PhiConfig", {**_PLAIN, "num_attention_heads": 2, "partial_rotary_factor": 0.5}),
    "phi3": ("Phi3Config", {**_GROUPED, "original_max_position_embeddings": 128}),
    "phi3-long": ("Phi3Config", {**_GROUPED, "original_max_position_embeddings": 64, "rope_scaling": _FACTORS}),
    "granite": ("GraniteConfig", {**_GROUPED, "embedding_multiplier": 2.0, "residual_multiplier": 0.5, "logits_scaling": 2.0,
                                  "attention_multiplier": 0.2}),
    "olmo": ("OlmoConfig", {**_GROUPED, "clip_qkv": None}),
    "smollm3": ("SmolLM3Config", {**_GROUPED, "no_rope_layers": [1, 1]}),
    "nemotron": ("NemotronConfig", {**_HEADED, "head_dim": 32, "partial_rotary_factor": 0.5}),
    "ernie": ("Ernie4_5Config", _HEADED),
    "hunyuan": ("HunYuanDenseV1Config", _HEADED),
    "gpt-oss": ("GptOssConfig", {**_HEADED, "sliding_window": 4, "num_local_experts": 4, "num_experts_per_tok": 2,
                                 "layer_types": _ALTERNATING}),
    "lfm2": ("Lfm2Config", {**_GROUPED, "block_auto_adjust_ff_dim": False, "block_ff_dim": 128, "conv_L_cache": 3,
                            "layer_types": ["conv", "full_attention"]}),
    "granite-hybrid": ("GraniteMoeHybridConfig", {**_GROUPED, "num_local_experts": 0, "shared_intermediate_size": 128,
                                                  "layer_types": ["attention", "attention"], "position_embedding_type": "rope"}),
    "whisper": ("WhisperConfig", {"vocab_size": 96, "d_model": 64, "encoder_layers": 1, "decoder_layers": 2,
                                  "encoder_attention_heads": 4, "decoder_attention_heads": 4, "encoder_ffn_dim": 128,
                                  "decoder_ffn_dim": 128, "num_mel_bins": 16, "max_source_positions": 1500,
                                  "max_target_positions": 64, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0,
                                  "decoder_start_token_id": 1}),
}
# Sizes for measuring speed.
_LARGE = {"vocab_size": 2048, "hidden_size": 512, "num_attention_heads": 8, "intermediate_size": 1408, "head_dim": 64,
          "max_position_embeddings": 512, "sliding_window": 128, "query_pre_attn_scalar": 64, "block_ff_dim": 1408,
          "original_max_position_embeddings": 512}
_TEXT_OF_QWEN35 = {**_HEADED, "linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 16,
                   "linear_value_head_dim": 16, "linear_conv_kernel_dim": 4,
                   "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [4, 2, 2],
                                       "mrope_interleaved": True, "partial_rotary_factor": 1.0},
                   "layer_types": ["linear_attention", "full_attention"]}
_VISION_OF_QWEN35 = {"depth": 1, "hidden_size": 32, "intermediate_size": 48, "num_heads": 2, "out_hidden_size": 64, "patch_size": 8}


def make_model(architecture, is_large):
    if architecture == "qwen3.5":
        config = transformers.Qwen3_5Config(text_config=_TEXT_OF_QWEN35, vision_config=_VISION_OF_QWEN35)
        return transformers.Qwen3_5ForConditionalGeneration(config)
    name, values = _CONFIGS[architecture]
    if is_large:
        values = {key: _LARGE.get(key, value) for key, value in values.items()}
    config = getattr(transformers, name)(**values)
    if architecture == "whisper":
        return transformers.WhisperForConditionalGeneration(config)
    return transformers.AutoModelForCausalLM.from_config(config, attn_implementation="eager")


def add_blocks(path, config):
    """The experts in MXFP4, in which the builder expects the original checkpoint to have them."""
    tensors = safetensors.torch.load_file(path)
    for layer in range(config.num_hidden_layers):
        for name, rows, columns in (("gate_up_proj", 2 * config.intermediate_size, config.hidden_size),
                                    ("down_proj", config.hidden_size, config.intermediate_size)):
            shape = (config.num_local_experts, rows, columns // 32)
            prefix = f"model.layers.{layer}.mlp.experts.{name}"
            tensors[prefix + "_blocks"] = torch.randint(0, 256, (*shape, 16), dtype=torch.uint8)
            tensors[prefix + "_scales"] = torch.randint(121, 124, shape, dtype=torch.uint8)
    safetensors.torch.save_file(tensors, path, metadata={"format": "pt"})


def write_checkpoint(architecture, folder, is_large):
    """The model's folder as transformers stores it, with a tokenizer of made-up words."""
    torch.manual_seed(zlib.crc32(architecture.encode()))
    model = make_model(architecture, is_large).eval()
    with torch.no_grad():
        for weight in model.parameters():
            # Zeros and ones of biases and norms would hide operands.
            weight.add_(0.05 * torch.randn_like(weight))
    model.save_pretrained(folder)
    if architecture == "gpt-oss":
        add_blocks(os.path.join(folder, "model.safetensors"), model.config)
    count = model.config.get_text_config().vocab_size
    words = Tokenizer(models.WordLevel({f"w{i}": i for i in range(count)}, unk_token="w0"))
    transformers.PreTrainedTokenizerFast(tokenizer_object=words, unk_token="w0", bos_token="w1", eos_token="w2",
                                         pad_token="w0").save_pretrained(folder)


def write_scales(folder, is_by_channel):
    """Scales of a quantized cache for two layers with two heads of 16."""
    scale = [0.02 + 0.001 * channel for channel in range(32)] if is_by_channel else 0.03
    path = os.path.join(folder, f"scales{int(is_by_channel)}.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"scales": {"k_scales": [scale, scale], "v_scales": [scale, scale]}}, file)
    return path


def main():
    architecture, out = sys.argv[1], sys.argv[2]
    variants, is_large = [word for word in sys.argv[3:] if word != "--large"], "--large" in sys.argv
    import onnxruntime_genai  # pylint: disable=import-outside-toplevel
    sys.path.insert(0, os.path.join(os.path.dirname(inspect.getfile(onnxruntime_genai)), "models"))
    import builder  # pylint: disable=import-error,import-outside-toplevel
    with tempfile.TemporaryDirectory() as scratch:
        checkpoint, cache = os.path.join(scratch, "checkpoint"), os.path.join(scratch, "cache")
        write_checkpoint(architecture, checkpoint, is_large)
        for variant in variants:
            name, _, values = variant.partition("=")
            target, *options = values.split(",")
            precision, provider = target.split("/")
            place = os.path.join(out, name)
            if any("kv_cache_quant_scheme" in option for option in options):
                options.append(f"kv_cache_scale_file={write_scales(scratch, 'channel' in values)}")
            try:
                parsed = builder.parse_extra_options("", checkpoint, place, precision, provider, cache, ["hf_token=false", *options])
                builder.create_model("", checkpoint, place, precision, provider, cache, **parsed)
            except Exception as error:  # pylint: disable=broad-except
                with open(os.path.join(out, name + ".error"), "w", encoding="utf-8") as file:
                    file.write(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
