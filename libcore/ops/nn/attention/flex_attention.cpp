// Schema and type inference of FlexAttention and of the graphs that modify its scores.
#include "libcore/ops/nn/attention/flex_attention.hpp"

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/base/format.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/element_type.hpp"
#include "libcore/ops/nn/attention/attention_heads.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {

constinit const OpSchema FlexAttention::schema = {
    "FlexAttention",
    preview_domain,
    {{.since = 1,
      .inputs = {{"Q", "T1"}, {"K", "T1"}, {"V", "T1"}},
      .outputs = {{"Y", "T1"}},
      .attributes = {{"prob_mod", AttributeKind::graph},
                     {"scale", AttributeKind::float_number},
                     {"score_mod", AttributeKind::graph},
                     {"softmax_precision", AttributeKind::integer}},
      .types = {{"T1", types::floats}}}}};

namespace {

const Graph* read_modifier(AttributeReader& attributes, std::string_view name) {
  const Graph* graph = attributes.graph(name);
  if (graph == nullptr || (graph->inputs().size() == 1 && graph->outputs().size() == 1))
    return graph;
  throw Error(ErrorCode::invalid,
              format("graph '{}' has {} inputs and {} outputs (expected one of each)", name,
                     graph->inputs().size(), graph->outputs().size()))
      .with_id("node.subgraph");
}

/// Infers a modifier for scores of that type, which it must keep.
void check_modifier(InferContext& context, std::string_view name, const Graph* graph,
                    const ValueType& scores) {
  if (graph == nullptr) return;
  const ValueType result = context.infer_body(*graph, {{scores, std::nullopt}}).front().type;
  if (!result.is_tensor() || scores.element == DataType::undefined) return;
  const bool has_other_rank = result.shape && result.shape->size() != scores.shape->size();
  bool differs = has_other_rank || result.element != scores.element;
  for (std::size_t axis = 0; !differs && result.shape && axis < scores.shape->size(); ++axis) {
    const Dimension& from = (*scores.shape)[axis];
    const Dimension& to = (*result.shape)[axis];
    differs = from.is_known() && to.is_known() && from.number() != to.number();
  }
  if (!differs) return;
  throw Error(ErrorCode::invalid, format("graph '{}' makes {} from {} (expected the same type)",
                                         name, result.to_string(), scores.to_string()))
      .with_id("node.subgraph");
}

}  // namespace

void FlexAttention::read(AttributeReader& attributes, int) {
  scale = attributes.find_number("scale");
  softmax_precision = read_element_type(attributes, "softmax_precision", "T1");
  change_scores = read_modifier(attributes, "score_mod");
  change_weights = read_modifier(attributes, "prob_mod");
}

DataType FlexAttention::score_type(DataType element) const {
  if (softmax_precision) return *softmax_precision;
  return element == DataType::float64 || element == DataType::undefined ? element
                                                                        : DataType::float32;
}

void FlexAttention::infer(InferContext& context) const {
  check_rank(context, 0, "Q", 4);
  check_rank(context, 1, "K", 4);
  check_rank(context, 2, "V", 4);
  const auto at = [&](std::int64_t input, std::int64_t axis) {
    return dimension_at(context, input, axis);
  };
  check_dimension("the size of a key", at(1, 3), at(0, 3));
  check_dimension("the number of values", at(2, 2), at(1, 2));
  check_head_groups(at(0, 1), merge_dimensions(at(1, 1), at(2, 1)));
  const Dimension batch = merge_dimensions(at(0, 0), merge_dimensions(at(1, 0), at(2, 0)));
  context.set_output(0, context.element(0), Dimensions{batch, at(0, 1), at(0, 2), at(2, 3)});
  const ValueType scores = ValueType::tensor(score_type(context.element(0)),
                                             Dimensions{batch, at(0, 1), at(0, 2), at(1, 2)});
  check_modifier(context, "score_mod", change_scores, scores);
  check_modifier(context, "prob_mod", change_weights, scores);
}

}  // namespace ortool
