// Schema of AudioDecoder; the number of samples is only known from the file.
#include "libcore/ops/contrib/signal/audio_decoder.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"

namespace ortool::extensions {

constinit const OpSchema AudioDecoder::schema = {
    "AudioDecoder",
    extensions_domain,
    {{.since = 1,
      .inputs = {{"audio_stream", "tensor(uint8)"},
                 {"format", "tensor(string)", Formal::Count::optional}},
      .outputs = {{"floatPCM", "tensor(float)"}},
      .attributes = {{"downsampling_rate", AttributeKind::integer, false, -1},
                     {"stereo_to_mono", AttributeKind::integer, false, 0}}}}};

void AudioDecoder::read(AttributeReader& attributes, int) {
  const std::int64_t rate = attributes.integer_in("downsampling_rate", -1, -1, INT32_MAX);
  sample_rate = rate > 0 ? rate : 0;
  mixes_channels = attributes.flag("stereo_to_mono");
}

void AudioDecoder::infer(InferContext& context) const {
  const PartialShape& shape = context.shape(0);
  const bool is_row =
      !shape || shape->size() == 1 ||
      (shape->size() == 2 && (!shape->front().is_known() || shape->front() == Dimension(1)));
  if (!is_row) {
    throw Error(ErrorCode::invalid,
                format("'audio_stream' has the shape {} (expected n or 1 x n)", to_string(shape)));
  }
  if (context.has_input(1)) check_single(context, 1, "format");
  context.set_output(0, DataType::float32, Dimensions{1, context.unknown_dimension()});
}

}  // namespace ortool::extensions
