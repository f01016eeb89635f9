// Schema of ImageDecoder; the size of an image is only known from its encoded data.
#include "libcore/ops/tensor/image_decoder.hpp"

#include "libcore/ops/operand_checks.hpp"

namespace ortool {

constinit const OpSchema ImageDecoder::schema = {
    "ImageDecoder",
    "",
    {{.since = 20,
      .inputs = {{"encoded_stream", "T1"}},
      .outputs = {{"image", "T2"}},
      .attributes = {{"pixel_format", AttributeKind::string, false, "RGB"}},
      .types = {{"T1", types_of({DataType::uint8})}, {"T2", types_of({DataType::uint8})}}}}};

void ImageDecoder::read(AttributeReader& attributes, int) {
  pixel_format = attributes.choice("pixel_format", {"RGB", "BGR", "Grayscale"}, Format::rgb);
}

void ImageDecoder::infer(InferContext& context) const {
  check_rank(context, 0, "encoded_stream", 1);
  const std::int64_t channels = pixel_format == Format::grayscale ? 1 : 3;
  context.set_output(0, DataType::uint8, Dimensions{Dimension(), Dimension(), channels});
}

}  // namespace ortool
