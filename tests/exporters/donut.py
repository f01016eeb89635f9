# Donut, the encoder-decoder that reads documents: its configurations, random weights, and one step of greedy decoding.
"""A Swin encoder and an mBART decoder as in naver-clova-ix/donut-base; every process makes the same weights."""
import torch
import transformers as _t
from torch import nn

# Images of donut-base-finetuned-cord-v2 (donut-base itself has 2560 x 1920), and a network of a tenth of its work.
SIZES = {
    "base": ({"image_size": [1280, 960], "embed_dim": 128, "depths": [2, 2, 14, 2], "num_heads": [4, 8, 16, 32], "window_size": 10},
             {"vocab_size": 57580, "d_model": 1024, "decoder_attention_heads": 16, "decoder_ffn_dim": 4096}),
    "small": ({"image_size": [640, 480], "embed_dim": 64, "depths": [2, 2, 6, 2], "num_heads": [2, 4, 8, 16], "window_size": 5},
              {"vocab_size": 8000, "d_model": 512, "decoder_attention_heads": 8, "decoder_ffn_dim": 2048}),
}
START = 1
CACHES_OF_LAYER = 4


def make(size):
    torch.manual_seed(0)
    encoder, decoder = SIZES[size]
    config = _t.VisionEncoderDecoderConfig.from_encoder_decoder_configs(
        _t.DonutSwinConfig(**encoder),
        _t.MBartConfig(**decoder, encoder_attention_heads=decoder["decoder_attention_heads"], decoder_layers=4, max_position_embeddings=768, is_decoder=True, is_encoder_decoder=False,
                       add_cross_attention=True, scale_embedding=True, add_final_layer_norm=True))
    config.decoder_start_token_id, config.pad_token_id = START, 0
    return _t.VisionEncoderDecoderModel(config).eval()


def image(size):
    generator = torch.Generator().manual_seed(1)
    return torch.rand(1, 3, *SIZES[size][0]["image_size"], generator=generator)


class Encoder(nn.Module):
    """The image's states, as the decoder takes them."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, pixels):
        states = self.model.encoder(pixels).last_hidden_state
        return self.model.enc_to_dec_proj(states) if hasattr(self.model, "enc_to_dec_proj") else states


class Step(nn.Module):
    """The scores of the next token, and the caches with this one: keys and values of both attentions, layer by layer."""

    def __init__(self, model):
        super().__init__()
        self.decoder = model.decoder

    def forward(self, tokens, states, *caches):
        past = _t.cache_utils.EncoderDecoderCache(_t.DynamicCache(), _t.DynamicCache())
        if caches:
            layers = [caches[i:i + CACHES_OF_LAYER] for i in range(0, len(caches), CACHES_OF_LAYER)]
            past = _t.cache_utils.EncoderDecoderCache.from_legacy_cache(layers)
        made = self.decoder(input_ids=tokens, encoder_hidden_states=states, past_key_values=past, use_cache=True)
        return made.logits[:, -1], *(cache for layer in made.past_key_values.to_legacy_cache() for cache in layer)
