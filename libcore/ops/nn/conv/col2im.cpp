// Schema and shape rule of Col2Im; image and block sizes are inputs.
#include "libcore/ops/nn/conv/col2im.hpp"

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/base/format.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {

constinit const OpSchema Col2Im::schema = {"Col2Im",
                                           "",
                                           {{.since = 18,
                                             .inputs = {{"input", "T"},
                                                        {"image_shape", "tensor(int64)"},
                                                        {"block_shape", "tensor(int64)"}},
                                             .outputs = {{"output", "T"}},
                                             .attributes = {{"dilations", AttributeKind::integers},
                                                            {"pads", AttributeKind::integers},
                                                            {"strides", AttributeKind::integers}},
                                             .types = {{"T", types::all_tensors_and_bfloat16}}}}};

void Col2Im::read(AttributeReader& attributes, int) {
  window.read(attributes);
}

namespace {

/// A vector of sizes, each at least 1.
std::optional<Dimensions> block_extents(const InferContext& context, std::int64_t input,
                                        std::string_view name) {
  check_rank(context, input, name, 1);
  std::optional<Dimensions> values = integer_values(context, input);
  if (!values) return values;
  for (const Dimension& value : *values) {
    const bool is_extent = value.number() >= 1 && value.number() <= std::int64_t{1} << 31;
    if (!value.is_known() || is_extent) continue;
    throw Error(ErrorCode::invalid,
                format("'{}' contains {} (expected 1 to 2^31)", name, value.number()));
  }
  return values;
}

}  // namespace

void Col2Im::infer(InferContext& context) const {
  check_rank(context, 0, "input", 3);
  const std::optional<Dimensions> image = block_extents(context, 1, "image_shape");
  const std::optional<Dimensions> block = block_extents(context, 2, "block_shape");
  if (!image) return context.set_output(0, context.element(0), std::nullopt);
  window.check_axes(static_cast<std::int64_t>(image->size()));
  const Dimension columns = dimension_at(context, 0, 1);
  Dimension channels;
  if (block) {
    if (block->size() != image->size()) {
      throw Error(ErrorCode::invalid,
                  format("'block_shape' has {} elements, but 'image_shape' has {}", block->size(),
                         image->size()));
    }
    Dimension places = 1;
    for (const Dimension& extent : *block) places = multiply_dimensions(places, extent);
    if (columns.is_known() && places.is_known() && columns.number() % places.number() != 0) {
      throw Error(ErrorCode::invalid,
                  format("'input' has {} rows (expected a multiple of {}, the size of a block)",
                         columns.number(), places.number()));
    }
    channels = floor_divide(columns, places);
    Dimension blocks = 1;
    for (const Dimension& count : window_outputs(window, *image, *block))
      blocks = multiply_dimensions(blocks, count);
    check_dimension("the number of blocks of 'input'", dimension_at(context, 0, 2), blocks);
  }
  Dimensions shape = {dimension_at(context, 0, 0), channels};
  shape.insert(shape.end(), image->begin(), image->end());
  check_output_rank(shape.size());
  context.set_output(0, context.element(0), std::move(shape));
}

}  // namespace ortool
