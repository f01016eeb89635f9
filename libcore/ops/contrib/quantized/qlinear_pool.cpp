// Schemas and shape rules of means of quantized elements.
#include "libcore/ops/contrib/quantized/qlinear_pool.hpp"

#include <algorithm>
#include <utility>

#include "libcore/ops/contrib/quantized/image_context.hpp"
#include "libcore/ops/contrib/quantized/qlinear_operands.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/nn/conv/window_operands.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/quantization/quantized_types.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {

constinit const OpSchema QLinearAveragePool::schema = {
    "QLinearAveragePool",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"X", "T"},
                 {"x_scale", "tensor(float)"},
                 {"x_zero_point", "T", Formal::Count::optional},
                 {"y_scale", "tensor(float)"},
                 {"y_zero_point", "T", Formal::Count::optional}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"auto_pad", AttributeKind::string, false, "NOTSET"},
                     {"ceil_mode", AttributeKind::integer, false, 0},
                     {"channels_last", AttributeKind::integer, false, 0},
                     {"count_include_pad", AttributeKind::integer, false, 0},
                     {"kernel_shape", AttributeKind::integers, true},
                     {"pads", AttributeKind::integers},
                     {"strides", AttributeKind::integers}},
      .types = {{"T", types::bytes}}}}};

constinit const OpSchema QLinearGlobalAveragePool::schema = {
    "QLinearGlobalAveragePool",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"X", "T"},
                 {"x_scale", "tensor(float)"},
                 {"x_zero_point", "T", Formal::Count::optional},
                 {"y_scale", "tensor(float)"},
                 {"y_zero_point", "T", Formal::Count::optional}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"channels_last", AttributeKind::integer, false, 0}},
      .types = {{"T", types::bytes}}}}};

constinit const OpSchema QLinearReduceMean::schema = {
    "QLinearReduceMean",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"data", "T"},
                 {"data_scale", "tensor(float)"},
                 {"data_zero_point", "T", Formal::Count::optional},
                 {"reduced_scale", "tensor(float)"},
                 {"reduced_zero_point", "T", Formal::Count::optional}},
      .outputs = {{"reduced", "T"}},
      .attributes = {{"axes", AttributeKind::integers, true},
                     {"keepdims", AttributeKind::integer, true}},
      .types = {{"T", types::bytes}}}}};

PartialShape with_channels_second(PartialShape shape) {
  if (shape && shape->size() > 2) std::rotate(shape->begin() + 1, shape->end() - 1, shape->end());
  return shape;
}

PartialShape with_channels_last(PartialShape shape) {
  if (shape && shape->size() > 2) std::rotate(shape->begin() + 1, shape->begin() + 2, shape->end());
  return shape;
}

PartialShape reduced_shape(const PartialShape& shape, const std::vector<std::int64_t>& axes,
                           bool keep_dimensions) {
  if (!shape) return std::nullopt;
  const auto rank = static_cast<std::int64_t>(shape->size());
  std::vector<std::int64_t> reduced = normalize_axes(axes, rank);
  Dimensions result;
  for (std::int64_t i = 0; i < rank; ++i) {
    const bool is_reduced =
        reduced.empty() || std::find(reduced.begin(), reduced.end(), i) != reduced.end();
    if (!is_reduced) result.push_back((*shape)[static_cast<std::size_t>(i)]);
    if (is_reduced && keep_dimensions) result.emplace_back(1);
  }
  return result;
}

void QLinearAveragePool::read(AttributeReader& attributes, int version) {
  AveragePool::read(attributes, version);
  channels_last = attributes.flag("channels_last");
}

void QLinearAveragePool::infer(InferContext& context) const {
  check_tensor_scale(context, 1, "x");
  check_tensor_scale(context, 3, "y");
  PartialShape shape = pool_shape(window, ImageContext(context, channels_last));
  if (channels_last) shape = with_channels_last(std::move(shape));
  context.set_output(0, context.element(0), std::move(shape));
}

void QLinearGlobalAveragePool::read(AttributeReader& attributes, int) {
  channels_last = attributes.flag("channels_last");
}

void QLinearGlobalAveragePool::infer(InferContext& context) const {
  check_tensor_scale(context, 1, "x");
  check_tensor_scale(context, 3, "y");
  check_rank_at_least(context, 0, "X", 3);
  PartialShape shape = context.shape(0);
  for (std::size_t i = 1; shape && i < shape->size(); ++i) {
    const std::size_t channels = channels_last ? shape->size() - 1 : 1;
    if (i != channels) (*shape)[i] = 1;
  }
  context.set_output(0, context.element(0), std::move(shape));
}

void QLinearReduceMean::read(AttributeReader& attributes, int) {
  axes = attributes.find_integers("axes").value_or(std::vector<std::int64_t>());
  keep_dimensions = attributes.flag("keepdims", true);
}

void QLinearReduceMean::infer(InferContext& context) const {
  check_tensor_scale(context, 1, "data");
  check_tensor_scale(context, 3, "reduced");
  context.set_output(0, context.element(0), reduced_shape(context.shape(0), axes, keep_dimensions));
}

}  // namespace ortool
