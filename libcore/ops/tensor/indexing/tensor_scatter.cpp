// Schema and shape rule of TensorScatter; the cache keeps its shape, and the update must fit into
// it.
#include "libcore/ops/tensor/indexing/tensor_scatter.hpp"

#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {

constinit const OpSchema TensorScatter::schema = {
    "TensorScatter",
    "",
    {{.since = 24,
      .inputs = {{"past_cache", "T"},
                 {"update", "T"},
                 {"write_indices", "tensor(int64)", Formal::Count::optional}},
      .outputs = {{"present_cache", "T"}},
      .attributes = {{"axis", AttributeKind::integer, false, -2},
                     {"mode", AttributeKind::string, false, "linear"}},
      .types = {{"T", types::all_tensors_ir12}}}}};

void TensorScatter::read(AttributeReader& attributes, int) {
  axis = attributes.integer("axis", -2);
  mode = attributes.choice("mode", {"linear", "circular"}, Mode::linear);
}

void TensorScatter::infer(InferContext& context) const {
  check_rank_at_least(context, 0, "past_cache", 2);
  PartialShape shape = context.shape(0);
  const PartialShape update = context.shape(1);
  if (shape) {
    const auto rank = static_cast<std::int64_t>(shape->size());
    const std::int64_t along = normalize_axis(axis, rank);
    if (along == 0) {
      throw Error(
          ErrorCode::invalid,
          format("axis {} is the batch axis (expected another one of rank {})", axis, rank));
    }
    check_rank(context, 1, "update", rank);
    for (std::int64_t i = 0; update && i < rank; ++i) {
      const auto position = static_cast<std::size_t>(i);
      Dimension& dimension = (*shape)[position];
      const Dimension& written = (*update)[position];
      if (i != along) {
        dimension = merge_dimensions(dimension, written);
      } else if (dimension.is_known() && written.is_known() &&
                 written.number() > dimension.number()) {
        throw Error(ErrorCode::invalid, format("'update' has {} entries for a cache of {}",
                                               written.number(), dimension.number()));
      }
    }
  }
  check_vector(context, 2, "write_indices", dimension_at(context, 0, 0));
  context.set_output(0, context.element(0), std::move(shape));
}

}  // namespace ortool
