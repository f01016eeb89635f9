// Schema and shape rule of FlexAttention; its subgraphs keep the shape of their inputs.
#include "libcore/ops/nn/attention/flex_attention.hpp"

#include <string_view>

#include "libcore/base/format.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/element_type.hpp"
#include "libcore/ops/nn/attention/attention_heads.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {

constinit const OpSchema FlexAttention::schema = {
    "FlexAttention",
    "ai.onnx.preview",
    {{.since = 1,
      .inputs = {{"Q", "T1"}, {"K", "T1"}, {"V", "T1"}},
      .outputs = {{"Y", "T1"}},
      .attributes = {{"prob_mod", AttributeKind::graph},
                     {"scale", AttributeKind::float_number},
                     {"score_mod", AttributeKind::graph},
                     {"softmax_precision", AttributeKind::integer}},
      .types = {{"T1", types::floats}}}}};

namespace {

Graph* read_modifier(AttributeReader& attributes, std::string_view name) {
  Graph* graph = attributes.graph(name);
  if (graph == nullptr || (graph->inputs().size() == 1 && graph->outputs().size() == 1))
    return graph;
  throw Error(ErrorCode::invalid,
              format("graph '{}' has {} inputs and {} outputs (expected one of each)", name,
                     graph->inputs().size(), graph->outputs().size()));
}

}  // namespace

void FlexAttention::read(AttributeReader& attributes, int) {
  scale = attributes.find_number("scale");
  softmax_precision = read_element_type(attributes, "softmax_precision", "T1");
  change_scores = read_modifier(attributes, "score_mod");
  change_weights = read_modifier(attributes, "prob_mod");
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
}

}  // namespace ortool
