# The networks of Stable Diffusion as diffusers builds them: UNet, and encoder and decoder of the latent images.
import diffusers
import torch
from torch_export import Chosen, export
from zoo import entry

_BLOCKS = {"block_out_channels": (16, 32), "layers_per_block": 1, "norm_num_groups": 4}


def unet(**options):
    model = diffusers.UNet2DConditionModel(sample_size=8, in_channels=4, out_channels=4, cross_attention_dim=24, attention_head_dim=4,
                                           down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"),
                                           up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"), **_BLOCKS, **options)
    model.set_attn_processor(diffusers.models.attention_processor.AttnProcessor())
    return model.eval()


@entry("sd-unet-torchscript")
def _(path):
    names = ["sample", "timestep", "encoder_hidden_states"]
    module = Chosen(unet(), names, ["sample"])
    arguments = [torch.randn(2, 4, 8, 8), torch.tensor([7.0]), torch.randn(2, 5, 24)]
    axes = {"sample": {0: "batch"}, "encoder_hidden_states": {0: "batch", 1: "words"}}
    return export(module, arguments, path, names=names, opset=17, dynamic=axes)


class Decoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.vae = diffusers.AutoencoderKL(sample_size=16, latent_channels=4, down_block_types=("DownEncoderBlock2D",) * 2,
                                           up_block_types=("UpDecoderBlock2D",) * 2, **_BLOCKS)
        self.vae.set_attn_processor(diffusers.models.attention_processor.AttnProcessor())

    def forward(self, latent):
        return self.vae.decode(latent, return_dict=False)[0]


class Encoder(Decoder):
    def forward(self, image):
        return self.vae.encode(image, return_dict=False)[0].parameters


@entry("sd-vae-decoder-torchscript")
def _(path):
    return export(Decoder(), [torch.randn(1, 4, 8, 8)], path, names=["latent"], opset=17, dynamic={"latent": {0: "batch"}})


@entry("sd-vae-encoder-torchscript")
def _(path):
    return export(Encoder(), [torch.randn(1, 3, 16, 16)], path, names=["image"], opset=17, dynamic={"image": {0: "batch"}})
