// Schema of STFT and its number of frames.
#include "libcore/ops/signal/stft.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"
#include "libcore/ops/signal/scalar_size.hpp"

namespace ortool {

constinit const OpSchema STFT::schema = {
    "STFT",
    "",
    {{.since = 17,
      .inputs = {{"signal", "T1"},
                 {"frame_step", "T2"},
                 {"window", "T1", Formal::Count::optional},
                 {"frame_length", "T2", Formal::Count::optional}},
      .outputs = {{"output", "T1"}},
      .attributes = {{"onesided", AttributeKind::integer, false, 1}},
      .types = {{"T1", types::floats}, {"T2", types::indices}}}}};

namespace {

/// The frame length: from frame_length, else from the window, else from the signal.
Dimension frame_length_of(const InferContext& context, const Dimension& signal_length) {
  const Dimension given = scalar_size(context, 3, "frame_length", 1);
  if (context.has_input(2)) {
    check_vector(context, 2, "window", given);
    return merge_dimensions(given, dimension_at(context, 2, 0));
  }
  return context.has_input(3) ? given : signal_length;
}

/// (signal - frame) / step + 1.
Dimension frame_count(const Dimension& signal, const Dimension& frame, const Dimension& step) {
  if (frame.is_known() && frame.number() < 1) {
    throw Error(ErrorCode::invalid,
                format("frames are {} long (expected at least 1)", frame.number()));
  }
  if (signal.is_known() && frame.is_known() && frame.number() > signal.number()) {
    throw Error(ErrorCode::invalid, format("frames are {} long, but the signal is {}",
                                           frame.number(), signal.number()));
  }
  return floor_divide(signal - frame, step) + 1;
}

}  // namespace

void STFT::read(AttributeReader& attributes, int) {
  onesided = attributes.flag("onesided", true);
}

void STFT::infer(InferContext& context) const {
  // PyTorch exports real signals as [batch, length], and ONNX Runtime accepts them.
  const bool has_no_parts = context.rank(0) == 2;
  if (!has_no_parts) check_rank(context, 0, "signal", 3);
  if (const Dimension parts = has_no_parts ? Dimension(1) : dimension_at(context, 0, 2);
      parts.is_known() && parts.number() != 1 && parts.number() != 2) {
    throw Error(ErrorCode::invalid,
                format("the last dimension of 'signal' is {} (expected 1 or 2)", parts.number()));
  }
  const Dimension length = dimension_at(context, 0, 1);
  const Dimension step = scalar_size(context, 1, "frame_step", 1);
  const Dimension frame = frame_length_of(context, length);
  context.set_output(0, context.element(0),
                     Dimensions{dimension_at(context, 0, 0), frame_count(length, frame, step),
                                onesided ? unique_bins(frame) : frame, 2});
}

}  // namespace ortool
