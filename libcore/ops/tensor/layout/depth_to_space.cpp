// Versions and shape rules of DepthToSpace and SpaceToDepth.
#include "libcore/ops/tensor/layout/depth_to_space.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/tensor/shape.hpp"

namespace ortool {

constinit const OpSchema DepthToSpace::schema = {
    "DepthToSpace",
    "",
    {{.since = 1,
      .inputs = {{"input", "T"}},
      .outputs = {{"output", "T"}},
      .attributes = {{"blocksize", AttributeKind::integer, true}},
      .types = {{"T", types::all_tensors}}},
     {.since = 11,
      .inputs = {{"input", "T"}},
      .outputs = {{"output", "T"}},
      .attributes = {{"blocksize", AttributeKind::integer, true},
                     {"mode", AttributeKind::string, false, "DCR"}},
      .types = {{"T", types::all_tensors}}},
     {.since = 13,
      .inputs = {{"input", "T"}},
      .outputs = {{"output", "T"}},
      .attributes = {{"blocksize", AttributeKind::integer, true},
                     {"mode", AttributeKind::string, false, "DCR"}},
      .types = {{"T", types::all_tensors_and_bfloat16}}},
     {.since = 28,
      .inputs = {{"input", "T"}},
      .outputs = {{"output", "T"}},
      .attributes = {{"blocksize", AttributeKind::integer, true},
                     {"mode", AttributeKind::string, false, "DCR"}},
      .types = {{"T", types::all_tensors_and_bfloat16}}}}};

constinit const OpSchema SpaceToDepth::schema = {
    "SpaceToDepth",
    "",
    {{.since = 1,
      .inputs = {{"input", "T"}},
      .outputs = {{"output", "T"}},
      .attributes = {{"blocksize", AttributeKind::integer, true}},
      .types = {{"T", types::all_tensors}}},
     {.since = 13,
      .inputs = {{"input", "T"}},
      .outputs = {{"output", "T"}},
      .attributes = {{"blocksize", AttributeKind::integer, true}},
      .types = {{"T", types::all_tensors_and_bfloat16}}},
     {.since = 28,
      .inputs = {{"input", "T"}},
      .outputs = {{"output", "T"}},
      .attributes = {{"blocksize", AttributeKind::integer, true},
                     {"mode", AttributeKind::string, false, "DCR"}},
      .types = {{"T", types::all_tensors_and_bfloat16}}}}};

namespace {

std::int64_t read_block(AttributeReader& attributes) {
  const std::int64_t block = attributes.integer("blocksize");
  if (block < 1 || block > std::int64_t{1} << 20) {
    throw Error(ErrorCode::invalid, format("blocksize is {} (expected 1 to 2^20)", block));
  }
  return block;
}

bool read_depth_last(AttributeReader& attributes) {
  return attributes.choice("mode", {"DCR", "CRD"}, 0) == 1;
}

Dimension divided(std::string_view what, const Dimension& dimension, std::int64_t divisor) {
  if (dimension.is_known() && dimension.number() % divisor != 0) {
    throw Error(ErrorCode::invalid,
                format("{} is {} (expected a multiple of {})", what, dimension.number(), divisor));
  }
  return floor_divide(dimension, divisor);
}

Dimension multiplied(const Dimension& dimension, std::int64_t factor) {
  return dimension.is_known() ? Dimension(multiply_sizes(dimension.number(), factor))
                              : dimension * factor;
}

}  // namespace

void DepthToSpace::read(AttributeReader& attributes, int) {
  block = read_block(attributes);
  depth_last = read_depth_last(attributes);
}

void DepthToSpace::infer(InferContext& context) const {
  check_rank(context, 0, "input", 4);
  Dimensions shape = {dimension_at(context, 0, 0),
                      divided("the number of channels", dimension_at(context, 0, 1), block * block),
                      multiplied(dimension_at(context, 0, 2), block),
                      multiplied(dimension_at(context, 0, 3), block)};
  context.set_output(0, context.element(0), std::move(shape));
}

void SpaceToDepth::read(AttributeReader& attributes, int) {
  block = read_block(attributes);
  depth_last = read_depth_last(attributes);
}

void SpaceToDepth::infer(InferContext& context) const {
  check_rank(context, 0, "input", 4);
  Dimensions shape = {dimension_at(context, 0, 0),
                      multiplied(dimension_at(context, 0, 1), block * block),
                      divided("the height", dimension_at(context, 0, 2), block),
                      divided("the width", dimension_at(context, 0, 3), block)};
  context.set_output(0, context.element(0), std::move(shape));
}

}  // namespace ortool
