# Decoder models as optimum exports them: with caches, and merged with an If over the cached and uncached branches.
import contextlib
import glob
import io
import os
import shutil
import tempfile

import transformers
from zoo import entry, random_inputs

_WORDS = 60
_IDS = {"vocab_size": _WORDS, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
_ENCODER = {**_IDS, "d_model": 32, "encoder_layers": 1, "decoder_layers": 2, "encoder_attention_heads": 4,
            "decoder_attention_heads": 4, "encoder_ffn_dim": 64, "decoder_ffn_dim": 64, "max_position_embeddings": 64,
            "decoder_start_token_id": 1}
_DECODER = {**_IDS, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64,
            "max_position_embeddings": 64}
# Values of symbols in runs without and with a cache.
_FRESH = {"batch_size": 2, "sequence_length": 4, "decoder_sequence_length": 4, "past_sequence_length": 0,
          "past_decoder_sequence_length": 0, "encoder_sequence_length": 5, "encoder_sequence_length_out": 5}
_CACHED = {**_FRESH, "sequence_length": 1, "decoder_sequence_length": 1, "past_sequence_length": 3,
           "past_decoder_sequence_length": 3, "total_sequence_length": 4}


_PARTS = {"decoder": "decoder_model", "decoder-with-past": "decoder_with_past_model"}


def write_parts(model, task, folder, **options):
    from optimum.exporters.onnx import onnx_export_from_model  # pylint: disable=import-outside-toplevel
    words = io.StringIO()
    with contextlib.redirect_stdout(words), contextlib.redirect_stderr(words):
        onnx_export_from_model(model.eval(), folder, task=task, do_validation=False, **options)
    return {os.path.basename(path)[:-5]: path for path in glob.glob(os.path.join(folder, "*.onnx"))}


def export_part(model, task, part, path, sizes, **options):
    with tempfile.TemporaryDirectory() as folder:
        parts = write_parts(model, task, folder, **options)
        if part not in parts:
            raise RuntimeError(f"optimum wrote {sorted(parts)}, not {part}")
        shutil.move(parts[part], path)
    sets = []
    for symbols in sizes:
        sets.append(random_inputs(path, symbols, _WORDS))
    return sets


def add_merged(name, make, task, **options):
    @entry(f"{name}-merged")
    def _(path):
        sizes = [{**_FRESH, "use_cache_branch": False, "past_decoder_sequence_length": 1}, {**_CACHED, "use_cache_branch": True}]
        return export_part(make(), task, "decoder_model_merged", path, sizes, **options)


def add_parts(name, make, task, **options):
    """The decoders of the first step and of the later ones as separate files."""
    for part, sizes in (("decoder", [_FRESH]), ("decoder-with-past", [_CACHED])):
        @entry(f"{name}-{part}")
        def _(path, part=part, sizes=sizes):
            return export_part(make(), task, _PARTS[part], path, sizes, **options)


def add_text_to_text(name, make):
    task = "text2text-generation-with-past"
    add_merged(name, make, task)
    add_parts(name, make, task)

    @entry(f"{name}-encoder")
    def _(path):
        return export_part(make(), task, "encoder_model", path, [_FRESH])


def add_decoder(name, config, **options):
    @entry(f"{name}-with-past")
    def _(path):
        model = transformers.AutoModelForCausalLM.from_config(config(), attn_implementation="eager")
        return export_part(model, "text-generation-with-past", "model", path, [_FRESH, _CACHED], **options)


_t = transformers
_SPEECH = {**_ENCODER, "num_mel_bins": 16, "max_source_positions": 1500, "max_target_positions": 32}
add_text_to_text("t5", lambda: _t.T5ForConditionalGeneration(_t.T5Config(**_IDS, d_model=32, d_kv=8, d_ff=64, num_layers=1,
                 num_decoder_layers=2, num_heads=4, decoder_start_token_id=0)))
add_text_to_text("bart", lambda: _t.BartForConditionalGeneration(_t.BartConfig(**_ENCODER)))
add_merged("marian", lambda: _t.MarianMTModel(_t.MarianConfig(**_ENCODER)), "text2text-generation-with-past")
add_merged("m2m100", lambda: _t.M2M100ForConditionalGeneration(_t.M2M100Config(**_ENCODER)), "text2text-generation-with-past")
add_merged("pegasus", lambda: _t.PegasusForConditionalGeneration(_t.PegasusConfig(**_ENCODER)), "text2text-generation-with-past")
for _add in (add_merged, add_parts):
    _add("whisper", lambda: _t.WhisperForConditionalGeneration(_t.WhisperConfig(**_SPEECH)),
         "automatic-speech-recognition-with-past")


@entry("whisper-encoder")
def _(path):
    model = _t.WhisperForConditionalGeneration(_t.WhisperConfig(**_SPEECH))
    return export_part(model, "automatic-speech-recognition-with-past", "encoder_model", path,
                       [{**_FRESH, "batch_size": 1}])


def vision_to_text(encoder):
    decoder = _t.MBartConfig(**{**_ENCODER, "encoder_layers": 2}, is_decoder=True, is_encoder_decoder=False, add_cross_attention=True, scale_embedding=True,
                             add_final_layer_norm=True)
    config = _t.VisionEncoderDecoderConfig.from_encoder_decoder_configs(encoder, decoder)
    config.decoder_start_token_id, config.pad_token_id = 1, 0
    return _t.VisionEncoderDecoderModel(config)


def donut():
    return vision_to_text(_t.DonutSwinConfig(image_size=[64, 64], patch_size=4, embed_dim=16, depths=[1, 1], num_heads=[2, 4],
                                             window_size=4))


def trocr():
    return vision_to_text(_t.ViTConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
                                       image_size=32, patch_size=8))


for _name, _make in (("donut", donut), ("trocr", trocr)):
    for _add in (add_merged, add_parts):
        _add(_name, _make, "image-to-text-with-past")


@entry("donut-encoder")
def _(path):
    return export_part(donut(), "image-to-text-with-past", "encoder_model", path,
                       [{"batch_size": 1, "num_channels": 3, "height": 64, "width": 64}])


@entry("trocr-encoder")
def _(path):
    return export_part(trocr(), "image-to-text-with-past", "encoder_model", path,
                       [{"batch_size": 1, "num_channels": 3, "height": 32, "width": 32}])


add_decoder("gpt2", lambda: _t.GPT2Config(**_IDS, n_embd=32, n_layer=2, n_head=4, n_positions=64))
add_decoder("bloom", lambda: _t.BloomConfig(**_IDS, hidden_size=32, n_layer=2, n_head=4))
add_decoder("opt", lambda: _t.OPTConfig(**_IDS, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, ffn_dim=64,
                                        max_position_embeddings=64, word_embed_proj_dim=32))
add_decoder("llama", lambda: _t.LlamaConfig(**_DECODER, num_key_value_heads=2))
add_decoder("mistral", lambda: _t.MistralConfig(**_DECODER, num_key_value_heads=2, sliding_window=4))
add_decoder("qwen2", lambda: _t.Qwen2Config(**_DECODER, num_key_value_heads=2))
add_decoder("qwen3", lambda: _t.Qwen3Config(**_DECODER, num_key_value_heads=2, head_dim=8))
add_decoder("gemma", lambda: _t.GemmaConfig(**_DECODER, num_key_value_heads=2, head_dim=8))
add_decoder("phi", lambda: _t.PhiConfig(**_DECODER))
add_decoder("gpt-neox", lambda: _t.GPTNeoXConfig(**_DECODER))
add_decoder("gptj", lambda: _t.GPTJConfig(**_IDS, n_embd=32, n_layer=2, n_head=4, n_positions=64, rotary_dim=4))
add_decoder("codegen", lambda: _t.CodeGenConfig(**_IDS, n_embd=32, n_layer=2, n_head=4, n_positions=64, rotary_dim=4))
add_decoder("falcon", lambda: _t.FalconConfig(**_IDS, hidden_size=32, num_hidden_layers=2, num_attention_heads=4))


@entry("gpt2-without-past")
def _(path):
    config = _t.GPT2Config(**_IDS, n_embd=32, n_layer=2, n_head=4, n_positions=64)
    model = _t.AutoModelForCausalLM.from_config(config, attn_implementation="eager")
    return export_part(model, "text-generation", "model", path, [_FRESH])
