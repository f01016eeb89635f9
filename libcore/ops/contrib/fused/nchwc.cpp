// Schemas and shapes of com.microsoft.nchwc.
#include "libcore/ops/contrib/fused/nchwc.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/operator_lists.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<Formal> nchwc_input = {{"X", "T"}};
constexpr std::initializer_list<Formal> nchwc_output = {{"Y", "T"}};
constexpr std::initializer_list<TypeParameter> nchwc_types = {{"T", types::float32_only}};

PartialShape moved_last(PartialShape shape) {
  if (shape && shape->size() > 2) std::rotate(shape->begin() + 1, shape->begin() + 2, shape->end());
  return shape;
}

}  // namespace

constinit const OpSchema NchwcConv::schema = {
    "Conv",
    nchwc_domain,
    {{.since = 1,
      .inputs = {{"X", "T"},
                 {"W", "T"},
                 {"B", "T", Formal::Count::optional},
                 {"Sum", "T", Formal::Count::optional}},
      .outputs = nchwc_output,
      .attributes = {{"activation", AttributeKind::string},
                     {"activation_params", AttributeKind::floats},
                     {"auto_pad", AttributeKind::string, false, "NOTSET"},
                     {"dilations", AttributeKind::integers},
                     {"group", AttributeKind::integer, false, 1},
                     {"kernel_shape", AttributeKind::integers},
                     {"pads", AttributeKind::integers},
                     {"strides", AttributeKind::integers}},
      .types = nchwc_types}}};

constinit const OpSchema NchwcMaxPool::schema = {
    "MaxPool",
    nchwc_domain,
    {{.since = 1,
      .inputs = nchwc_input,
      .outputs = nchwc_output,
      .attributes = {{"auto_pad", AttributeKind::string, false, "NOTSET"},
                     {"ceil_mode", AttributeKind::integer, false, 0},
                     {"dilations", AttributeKind::integers},
                     {"kernel_shape", AttributeKind::integers, true},
                     {"pads", AttributeKind::integers},
                     {"storage_order", AttributeKind::integer, false, 0},
                     {"strides", AttributeKind::integers}},
      .types = nchwc_types}}};

constinit const OpSchema NchwcAveragePool::schema = {
    "AveragePool",
    nchwc_domain,
    {{.since = 1,
      .inputs = nchwc_input,
      .outputs = nchwc_output,
      .attributes = {{"auto_pad", AttributeKind::string, false, "NOTSET"},
                     {"ceil_mode", AttributeKind::integer, false, 0},
                     {"count_include_pad", AttributeKind::integer, false, 0},
                     {"dilations", AttributeKind::integers},
                     {"kernel_shape", AttributeKind::integers, true},
                     {"pads", AttributeKind::integers},
                     {"strides", AttributeKind::integers}},
      .types = nchwc_types}}};

constinit const OpSchema NchwcGlobalAveragePool::schema = {
    "GlobalAveragePool",
    nchwc_domain,
    {{.since = 1, .inputs = nchwc_input, .outputs = nchwc_output, .types = nchwc_types}}};

constinit const OpSchema NchwcGlobalMaxPool::schema = {
    "GlobalMaxPool",
    nchwc_domain,
    {{.since = 1, .inputs = nchwc_input, .outputs = nchwc_output, .types = nchwc_types}}};

constinit const OpSchema ReorderInput::schema = {
    "ReorderInput",
    nchwc_domain,
    {{.since = 1,
      .inputs = nchwc_input,
      .outputs = nchwc_output,
      .attributes = {{"channels_last", AttributeKind::integer, false, 0}},
      .types = nchwc_types}}};

constinit const OpSchema ReorderOutput::schema = {
    "ReorderOutput",
    nchwc_domain,
    {{.since = 1,
      .inputs = nchwc_input,
      .outputs = nchwc_output,
      .attributes = {{"channels", AttributeKind::integer, false, 0},
                     {"channels_last", AttributeKind::integer, false, 0}},
      .types = nchwc_types}}};

constinit const OpSchema NchwcUpsampleOp::schema = {
    "Upsample",
    nchwc_domain,
    {{.since = 1,
      .inputs = nchwc_input,
      .outputs = nchwc_output,
      .attributes = {{"coordinate_transformation_mode", AttributeKind::string, false, "asymmetric"},
                     {"mode", AttributeKind::string, false, "nearest"},
                     {"scales", AttributeKind::integers}},
      .types = nchwc_types}}};

void ReorderInput::read(AttributeReader& attributes, int) {
  channels_last = attributes.flag("channels_last");
}

void ReorderInput::infer(InferContext& context) const {
  constexpr std::int64_t widest =
      *std::max_element(std::begin(nchwc_block_sizes), std::end(nchwc_block_sizes));
  check_rank(context, 0, "X", 4);
  PartialShape shape = context.shape(0);
  if (shape) {
    if (channels_last) std::rotate(shape->begin() + 1, shape->end() - 1, shape->end());
    Dimension& channels = (*shape)[1];
    if (!channels.is_known() || channels.number() % widest != 0) channels = Dimension();
  }
  context.set_output(0, context.element(0), std::move(shape));
}

void ReorderOutput::read(AttributeReader& attributes, int) {
  channels_last = attributes.flag("channels_last");
  channels = attributes.integer_in("channels", 1, 1, std::int64_t{1} << 31);
}

void ReorderOutput::infer(InferContext& context) const {
  check_rank(context, 0, "X", 4);
  PartialShape shape = context.shape(0);
  if (shape) {
    const Dimension& given = (*shape)[1];
    if (given.is_known() && given.number() < channels)
      throw Error(ErrorCode::invalid, format("attribute 'channels' is {} (expected at most {})",
                                             channels, given.number()));
    (*shape)[1] = channels;
    if (channels_last) shape = moved_last(std::move(shape));
  }
  context.set_output(0, context.element(0), std::move(shape));
}

void NchwcUpsampleOp::read(AttributeReader& attributes, int) {
  scales = attributes.find_integers("scales").value_or(std::vector<std::int64_t>(4, 1));
  const bool is_good = scales.size() == 4 && scales[0] == 1 && scales[1] == 1 &&
                       std::min(scales[2], scales[3]) >= 1 &&
                       std::max(scales[2], scales[3]) <= std::int64_t{1} << 31;
  if (!is_good)
    throw Error(ErrorCode::invalid,
                "attribute 'scales' does not hold the factors of an image (expected 1, 1, height "
                "and width)");
  is_linear = attributes.choice("mode", {"nearest", "linear"}, 0) == 1;
  coordinates =
      attributes.choice("coordinate_transformation_mode",
                        {"asymmetric", "align_corners", "half_pixel"}, Coordinates::asymmetric);
}

void NchwcUpsampleOp::infer(InferContext& context) const {
  check_rank(context, 0, "X", 4);
  PartialShape shape = context.shape(0);
  for (std::size_t i = 0; shape && i < 4; ++i) (*shape)[i] = (*shape)[i] * scales[i];
  context.set_output(0, context.element(0), std::move(shape));
}

std::span<const OpEntry> nchwc_operators() {
  static const std::array<OpEntry, 8> entries = {
      op_entry<NchwcAveragePool>(),       op_entry<NchwcConv>(),
      op_entry<NchwcGlobalAveragePool>(), op_entry<NchwcGlobalMaxPool>(),
      op_entry<NchwcMaxPool>(),           op_entry<ReorderInput>(),
      op_entry<ReorderOutput>(),          op_entry<NchwcUpsampleOp>(),
  };
  return entries;
}

}  // namespace ortool
