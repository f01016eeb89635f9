// Schema of DecodeImage; the size of an image is only known from its encoded data.
#include "libcore/ops/contrib/vision/decode_image.hpp"

#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"

namespace ortool {

constinit const OpSchema DecodeImage::schema = {
    "DecodeImage",
    vision_extensions_domain,
    {{.since = 1,
      .inputs = {{"raw_input_image", "tensor(uint8)"}},
      .outputs = {{"decoded_image", "tensor(uint8)"}},
      .attributes = {{"color_space", AttributeKind::string, false, "bgr"}}}}};

void DecodeImage::read(AttributeReader& attributes, int) {
  is_bgr = attributes.choice("color_space", {"bgr", "rgb", "BGR", "RGB"}, 0) % 2 == 0;
}

void DecodeImage::infer(InferContext& context) const {
  check_rank(context, 0, "raw_input_image", 1);
  context.set_output(0, DataType::uint8, Dimensions{Dimension(), Dimension(), 3});
}

namespace extensions {

constinit const OpSchema ImageDecoder::schema = {
    "ImageDecoder",
    extensions_domain,
    {{.since = 1,
      .inputs = {{"raw_input_image", "tensor(uint8)"}},
      .outputs = {{"decoded_image", "tensor(uint8)"}}}}};

void ImageDecoder::infer(InferContext& context) const {
  DecodeImage().infer(context);
}

}  // namespace extensions
}  // namespace ortool
