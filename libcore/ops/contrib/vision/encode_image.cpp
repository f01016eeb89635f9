// Schema of EncodeImage; how many bytes a file has is only known when it is written.
#include "libcore/ops/contrib/vision/encode_image.hpp"

#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"

namespace ortool {

constinit const OpSchema EncodeImage::schema = {
    "EncodeImage",
    vision_extensions_domain,
    {{.since = 1,
      .inputs = {{"image", "tensor(uint8)"}},
      .outputs = {{"encoded_image", "tensor(uint8)"}},
      .attributes = {{"color_space", AttributeKind::string, false, "bgr"},
                     {"format", AttributeKind::string, true}}}}};

void EncodeImage::read(AttributeReader& attributes, int) {
  format = attributes.choice("format", {"jpg", "png"}, Format::png);
  is_bgr = attributes.choice("color_space", {"bgr", "rgb"}, 0) == 0;
}

void EncodeImage::infer(InferContext& context) const {
  check_rank(context, 0, "image", 3);
  check_dimension("the number of channels", dimension_at(context, 0, 2), 3);
  context.set_output(0, DataType::uint8, Dimensions{context.unknown_dimension()});
}

}  // namespace ortool
