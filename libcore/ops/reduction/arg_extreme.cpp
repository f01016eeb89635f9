// Versions of ArgMax and ArgMin, and their common shape rule.
#include "libcore/ops/reduction/arg_extreme.hpp"

#include "libcore/base/format.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<AttributeSpec> arg_extreme_attributes_1 = {
    {"axis", AttributeKind::integer, false, 0}, {"keepdims", AttributeKind::integer, false, 1}};

constexpr std::initializer_list<AttributeSpec> arg_extreme_attributes_12 = {
    {"axis", AttributeKind::integer, false, 0},
    {"keepdims", AttributeKind::integer, false, 1},
    {"select_last_index", AttributeKind::integer, false, 0}};

constexpr std::initializer_list<OpVersion> arg_extreme_versions = {
    {.since = 1,
     .inputs = {{"data", "T"}},
     .outputs = {{"reduced", "tensor(int64)"}},
     .attributes = arg_extreme_attributes_1,
     .types = {{"T", types::numbers}}},
    {.since = 11,
     .inputs = {{"data", "T"}},
     .outputs = {{"reduced", "tensor(int64)"}},
     .attributes = arg_extreme_attributes_1,
     .types = {{"T", types::numbers}}},
    {.since = 12,
     .inputs = {{"data", "T"}},
     .outputs = {{"reduced", "tensor(int64)"}},
     .attributes = arg_extreme_attributes_12,
     .types = {{"T", types::numbers}}},
    {.since = 13,
     .inputs = {{"data", "T"}},
     .outputs = {{"reduced", "tensor(int64)"}},
     .attributes = arg_extreme_attributes_12,
     .types = {{"T", types::numbers_and_bfloat16}}}};

}  // namespace

constinit const OpSchema ArgMax::schema = {"ArgMax", "", arg_extreme_versions};
constinit const OpSchema ArgMin::schema = {"ArgMin", "", arg_extreme_versions};

void ArgExtreme::read(AttributeReader& attributes, int) {
  axis = attributes.integer("axis", 0);
  keep_dimension = attributes.flag("keepdims", true);
  takes_last = attributes.flag("select_last_index");
}

void ArgExtreme::infer(InferContext& context) const {
  PartialShape shape = context.shape(0);
  if (shape) {
    const std::int64_t along = normalize_axis(axis, static_cast<std::int64_t>(shape->size()));
    const auto position = shape->begin() + along;
    if (position->is_known() && position->number() == 0) {
      throw Error(ErrorCode::invalid, format("axis {} has no elements to choose from", axis));
    }
    if (keep_dimension) {
      *position = Dimension(1);
    } else {
      shape->erase(position);
    }
  }
  context.set_output(0, DataType::int64, std::move(shape));
}

}  // namespace ortool
