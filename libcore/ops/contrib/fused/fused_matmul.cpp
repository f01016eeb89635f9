// Schemas of FusedMatMul and its relatives, and the shape of the product.
#include "libcore/ops/contrib/fused/fused_matmul.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/math/matmul.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {
namespace {

constexpr TypeSet product_types = types::floats;

PartialShape transposed(const InferContext& context, std::int64_t input, bool transposes,
                        bool moves_batch) {
  const PartialShape shape = context.shape(input);
  if (!shape || shape->size() < 2) return shape;
  Dimensions result;
  for (const std::int64_t axis : FusedMatMul::axes(context.rank(input), transposes, moves_batch))
    result.push_back((*shape)[static_cast<std::size_t>(axis)]);
  return result;
}

}  // namespace

constinit const OpSchema FusedMatMul::schema = {
    "FusedMatMul",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"A", "T"}, {"B", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"alpha", AttributeKind::float_number, false, 1.0F},
                     {"transA", AttributeKind::integer, false, 0},
                     {"transB", AttributeKind::integer, false, 0},
                     {"transBatchA", AttributeKind::integer, false, 0},
                     {"transBatchB", AttributeKind::integer, false, 0}},
      .types = {{"T", product_types}}}}};

constinit const OpSchema TransposeMatMul::schema = {
    "TransposeMatMul",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"A", "T"}, {"B", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"alpha", AttributeKind::float_number, false, 1.0F},
                     {"transA", AttributeKind::integer, false, 0},
                     {"transB", AttributeKind::integer, false, 0}},
      .types = {{"T", product_types}}}}};

constinit const OpSchema FusedMatMulActivation::schema = {
    "FusedMatMulActivation",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"A", "T"}, {"B", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"activation", AttributeKind::string, true},
                     {"activation_alpha", AttributeKind::float_number},
                     {"activation_axis", AttributeKind::integer},
                     {"activation_beta", AttributeKind::float_number},
                     {"activation_gamma", AttributeKind::float_number},
                     {"alpha", AttributeKind::float_number, false, 1.0F},
                     {"transA", AttributeKind::integer, false, 0},
                     {"transB", AttributeKind::integer, false, 0},
                     {"transBatchA", AttributeKind::integer, false, 0},
                     {"transBatchB", AttributeKind::integer, false, 0}},
      .types = {{"T", product_types}}}}};

void TransposeMatMul::read(AttributeReader& attributes, int) {
  alpha = attributes.number("alpha", 1);
  transpose_a = attributes.flag("transA");
  transpose_b = attributes.flag("transB");
}

void FusedMatMul::read(AttributeReader& attributes, int) {
  alpha = attributes.number("alpha", 1);
  transpose_a = attributes.flag("transA");
  transpose_b = attributes.flag("transB");
  moves_batch_a = attributes.flag("transBatchA");
  moves_batch_b = attributes.flag("transBatchB");
}

void FusedMatMulActivation::read(AttributeReader& attributes, int version) {
  FusedMatMul::read(attributes, version);
  attributes.ignore("activation_axis");
  activation = FusedActivation::read_single(attributes);
}

std::vector<std::int64_t> FusedMatMul::axes(std::int64_t rank, bool transposes, bool moves_batch) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(rank));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  if (moves_batch) std::rotate(order.begin(), order.begin() + 1, order.end() - 1);
  if (transposes) std::swap(order[order.size() - 2], order.back());
  return order;
}

void FusedMatMul::infer(InferContext& context) const {
  check_rank_at_least(context, 0, "A", 1);
  check_rank_at_least(context, 1, "B", 1);
  const PartialShape a = transposed(context, 0, transpose_a, moves_batch_a);
  const PartialShape b = transposed(context, 1, transpose_b, moves_batch_b);
  context.set_output(0, common_element(context, 0, 2), matmul_shape(a, b));
}

}  // namespace ortool
