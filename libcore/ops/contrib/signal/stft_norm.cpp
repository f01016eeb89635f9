// Schema and shape rule of ai.onnx.contrib.StftNorm.
#include "libcore/ops/contrib/signal/stft_norm.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/signal/scalar_size.hpp"

namespace ortool::extensions {
namespace {

/// [1, length] or [1, length, 1].
Dimension signal_length(const InferContext& context) {
  const PartialShape& shape = context.shape(0);
  if (!shape) return {};
  bool fits = shape->size() == 2 || shape->size() == 3;
  for (std::size_t axis = 0; axis < shape->size(); ++axis) {
    const Dimension& size = (*shape)[axis];
    fits = fits && (axis == 1 || !size.is_known() || size.number() == 1);
  }
  if (!fits) {
    throw Error(ErrorCode::invalid,
                format("the signal has the shape {} (expected 1 x L)", to_string(shape)),
                "a node transforms one signal");
  }
  return (*shape)[1];
}

}  // namespace

constinit const OpSchema StftNorm::schema = {
    "StftNorm",
    extensions_domain,
    {{.since = 1,
      .inputs = {{"signal", "tensor(float)"},
                 {"n_fft", "tensor(int64)"},
                 {"hop_length", "tensor(int64)"},
                 {"window", "tensor(float)"},
                 {"frame_length", "tensor(int64)"}},
      .outputs = {{"output", "tensor(float)"}},
      .attributes = {{"onesided", AttributeKind::integer, false, 1}}}}};

void StftNorm::read(AttributeReader& attributes, int) {
  onesided = attributes.flag("onesided", true);
}

void StftNorm::infer(InferContext& context) const {
  const Dimension length = signal_length(context);
  const Dimension size = scalar_size(context, 1, "n_fft", 1);
  const Dimension hop = scalar_size(context, 2, "hop_length", 1);
  check_dimension("'frame_length'", scalar_size(context, 4, "frame_length", 1), size);
  check_rank(context, 3, "window", 1);
  const Dimension window = dimension_at(context, 3, 0);
  if (window.is_known() && size.is_known() &&
      (window.number() < 1 || window.number() > size.number())) {
    throw Error(ErrorCode::invalid, format("the window has {} elements (expected 1 to n_fft, {})",
                                           window.number(), size.number()));
  }
  context.set_output(
      0, DataType::float32,
      Dimensions{1, onesided ? unique_bins(size) : size, floor_divide(length, hop) + 1});
}

}  // namespace ortool::extensions
