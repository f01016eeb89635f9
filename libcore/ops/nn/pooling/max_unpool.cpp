// Versions of MaxUnpool; its output size is given, or the minimum that the window implies.
#include "libcore/ops/nn/pooling/max_unpool.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "libcore/base/format.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {

constexpr std::initializer_list<Formal> max_unpool_inputs = {
    {"X", "T1"}, {"I", "T2"}, {"output_shape", "T2", Formal::Count::optional}};

constexpr std::initializer_list<AttributeSpec> max_unpool_attributes = {
    {"kernel_shape", AttributeKind::integers, true},
    {"pads", AttributeKind::integers},
    {"strides", AttributeKind::integers}};

constinit const OpSchema MaxUnpool::schema = {
    "MaxUnpool",
    "",
    {{.since = 9,
      .inputs = max_unpool_inputs,
      .outputs = {{"output", "T1"}},
      .attributes = max_unpool_attributes,
      .types = {{"T1", types::high_floats}, {"T2", types::int64_only}}},
     {.since = 11,
      .inputs = max_unpool_inputs,
      .outputs = {{"output", "T1"}},
      .attributes = max_unpool_attributes,
      .types = {{"T1", types::high_floats}, {"T2", types::int64_only}}},
     {.since = 22,
      .inputs = max_unpool_inputs,
      .outputs = {{"output", "T1"}},
      .attributes = max_unpool_attributes,
      .types = {{"T1", types::floats}, {"T2", types::int64_only}}}}};

void MaxUnpool::read(AttributeReader& attributes, int) {
  window.read(attributes);
  if (window.kernel.empty()) throw Error(ErrorCode::invalid, "attribute 'kernel_shape' is empty");
}

namespace {

/// The output shape given by the input 'output_shape', at least `least` along the window's axes.
PartialShape given_shape(const InferContext& context, const PartialShape& input,
                         const PartialShape& least) {
  check_rank(context, 2, "output_shape", 1);
  if (const std::optional<std::vector<std::int64_t>> numbers = context.integers(2)) {
    for (const std::int64_t number : *numbers) check_size("'output_shape'", number);
  }
  std::optional<Dimensions> values = shape_values(context, 2);
  if (input && values && values->size() != input->size()) {
    throw Error(ErrorCode::invalid, format("'output_shape' holds {} numbers for an input of rank "
                                           "{}",
                                           values->size(), input->size()));
  }
  if (!values && input) values = Dimensions(input->size());
  for (std::size_t i = 0; least && i < least->size(); ++i) {
    const Dimension& size = (*values)[i];
    const Dimension& needed = (*least)[i];
    if (!size.is_known() || !needed.is_known() || size == needed) continue;
    if (i >= 2 && size.number() > needed.number()) continue;
    throw Error(ErrorCode::invalid,
                format("'output_shape' holds {} for axis {} (expected {}{})", size.number(), i,
                       needed.number(), i >= 2 ? " or more" : ""));
  }
  return values;
}

}  // namespace

void MaxUnpool::infer(InferContext& context) const {
  const PartialShape input = merge_shapes(context.shape(0), context.shape(1));
  const auto axes = static_cast<std::int64_t>(window.kernel.size());
  window.check_axes(axes);
  check_rank(context, 0, "X", axes + 2);
  check_rank(context, 1, "I", axes + 2);
  PartialShape shape = input;
  if (shape) {
    const Dimensions kernel(window.kernel.begin(), window.kernel.end());
    const Dimensions spatial =
        transposed_window_outputs(window, {}, std::span(*input).subspan(2), kernel);
    std::copy(spatial.begin(), spatial.end(), shape->begin() + 2);
  }
  if (context.has_input(2)) {
    shape = given_shape(context, input, shape);
  } else if (!shape) {
    shape = Dimensions(window.kernel.size() + 2);
  }
  context.set_output(0, context.element(0), std::move(shape));
}

}  // namespace ortool
