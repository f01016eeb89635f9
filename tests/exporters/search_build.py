# Writes generation with the decoder's graph inside (BeamSearch, GreedySearch, Sampling) by onnxruntime's convert_generation.
"""usage: search_build.py gpt2|t5 OUTPUT.onnx [OPTION of convert_generation…]

The checkpoint is a tiny one with random weights. Runs as a process of its own, since it changes transformers.
"""
import os
import sys
import tempfile

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

# pylint: disable=wrong-import-position
import onnx  # noqa: E402
import torch  # noqa: E402
import transformers  # noqa: E402
from onnxruntime.transformers import convert_generation  # noqa: E402
from optimum.exporters.onnx import model_patcher  # noqa: E402
from transformers import masking_utils  # noqa: E402

_IDS = {"vocab_size": 60, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}


def make_model(kind):
    torch.manual_seed(7)
    # Large weights, so that the scores of words are far apart.
    if kind == "gpt2":
        return transformers.GPT2LMHeadModel(transformers.GPT2Config(**_IDS, n_embd=32, n_layer=2, n_head=4, n_positions=64,
                                                                    initializer_range=0.3))
    return transformers.T5ForConditionalGeneration(transformers.T5Config(
        **_IDS, d_model=32, d_kv=8, d_ff=64, num_layers=1, num_decoder_layers=2, num_heads=4, decoder_start_token_id=0,
        initializer_factor=4.0))


def prepare_transformers():
    """Masks that torch's tracing takes, and attention as products, which onnxruntime fuses."""
    functions = masking_utils.ALL_MASK_ATTENTION_FUNCTIONS
    functions.register("sdpa", model_patcher.sdpa_mask_without_vmap)
    functions.register("eager", model_patcher.eager_mask_without_vmap)
    load = transformers.PreTrainedModel.from_pretrained.__func__
    transformers.PreTrainedModel.from_pretrained = classmethod(
        lambda cls, *values, **options: load(cls, *values, **{"attn_implementation": "eager", **options}))


def take_tuples(forward):
    """The caches of past steps as tuples, as the conversion still passes them."""
    def wrapped(self, *values, past_key_values=None, **options):
        if isinstance(past_key_values, tuple):
            past_key_values = transformers.EncoderDecoderCache.from_legacy_cache(past_key_values)
        result = forward(self, *values, past_key_values=past_key_values, **options)
        if isinstance(result.past_key_values, transformers.Cache):
            result.past_key_values = result.past_key_values.to_legacy_cache()
        return result
    return wrapped


def prepare_conversion():
    # The tests would need a real tokenizer.
    convert_generation.test_gpt_model = convert_generation.test_t5_model = lambda *_, **__: None
    stack = transformers.models.t5.modeling_t5.T5Stack
    stack.forward = take_tuples(stack.forward)
    # Fused, T5 has RelativePositionBias, for which onnxruntime has no kernel on CPUs.
    export = convert_generation.export_t5_onnx_models
    convert_generation.export_t5_onnx_models = lambda **options: export(**{**options, "optimize_onnx": False})


def main():
    kind, output, options = sys.argv[1], os.path.abspath(sys.argv[2]), sys.argv[3:]
    prepare_transformers()
    prepare_conversion()
    with tempfile.TemporaryDirectory() as scratch:
        checkpoint = os.path.join(scratch, kind)
        make_model(kind).save_pretrained(checkpoint)
        os.chdir(scratch)
        convert_generation.main(["-m", checkpoint, "--model_type", kind, "--output", output, "--disable_parity",
                                 "--cache_dir", os.path.join(scratch, "cache"), *options])
    model = onnx.load(output)
    # That of the onnx package is above what onnxruntime takes.
    model.ir_version = 8
    onnx.save(model, output)


if __name__ == "__main__":
    main()
