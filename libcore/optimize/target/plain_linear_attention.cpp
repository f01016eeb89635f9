// LinearAttention as a Scan over tokens, whose state is a matrix for each head.
// https://onnx.ai/onnx/operators/onnx__Scan.html
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/attention/linear_attention.hpp"
#include "libcore/optimize/contrib/common_nodes.hpp"
#include "libcore/optimize/target/target_tables.hpp"

namespace ortool {
namespace {

using Results = Decomposition::Results;
using Integers = std::vector<std::int64_t>;

/// The body of the Scan: nodes of one step.
class StepBody {
 public:
  explicit StepBody(Graph& graph) : graph_(graph) {}

  Value& input() { return graph_.add_input("", ValueType::tensor(DataType::float32)); }
  Value& add(std::string_view op_type, std::vector<Value*> inputs) {
    Value& result = graph_.add_value("", ValueType::tensor(DataType::float32));
    Value* const outputs[] = {&result};
    graph_.add_node(op_type, "", inputs, outputs, result.name());
    return result;
  }
  Value& transposed(Value& matrix) {
    Value& result = add("Transpose", {&matrix});
    result.producer()->set_attribute(integers_attribute("perm", {0, 1, 3, 2}));
    return result;
  }

 private:
  Graph& graph_;
};

class RecurrentNodes {
 public:
  RecurrentNodes(Decomposition& out, const LinearAttention& op) : out_(out), op_(op) {
    const auto width = [&](std::int64_t input) -> std::int64_t {
      const PartialShape shape = out.shape(input);
      if (!shape || shape->size() != 3 || !shape->back().is_known()) return -1;
      return shape->back().number();
    };
    const std::int64_t queries = width(0);
    const std::int64_t keys = width(1);
    const std::int64_t values = width(2);
    if (queries <= 0 || keys <= 0 || values <= 0) return;
    size_ = queries / op.query_heads;
    key_heads_ = op.key_heads(keys, size_);
    value_size_ = values / op.shared_heads;
    decay_width_ = out.input(decay) != nullptr ? width(decay) : 0;
    beta_width_ = out.input(beta) != nullptr ? width(beta) : 0;
  }

  bool is_possible() const {
    constexpr std::int64_t opset_of_axes = 9;
    return size_ > 0 && value_size_ > 0 && decay_width_ >= 0 && beta_width_ >= 0 &&
           op_.state_window == 0 && out_.opset() >= opset_of_axes &&
           out_.element(0) != DataType::undefined && state_type() != DataType::undefined;
  }

  Results results() const {
    const Integers column = {0, 0, op_.shared_heads, size_, 1};
    const Integers row = {0, 0, op_.shared_heads, 1, value_size_};
    std::vector<Value*> inputs = {&initial_state(), &grouped_queries(),
                                  &reshape(out_, shared(wide(1), key_heads_, size_), column),
                                  &reshape(out_, wide(2), row)};
    if (has_decay()) {
      const Integers shape = {0, 0, op_.shared_heads, decay_width_ / op_.shared_heads, 1};
      inputs.push_back(&reshape(out_, out_.add("Exp", {&wide(decay)}), shape));
    }
    if (has_beta()) {
      const Integers shape = {0, 0, beta_width_, 1, 1};
      inputs.push_back(&reshape(out_, wide(beta), shape));
    }
    const std::size_t scanned = inputs.size() - 1;
    std::vector<Attribute> attributes =
        plain_attributes({{"num_scan_inputs", static_cast<std::int64_t>(scanned)}});
    attributes.push_back(integers_attribute("scan_input_axes", Integers(scanned, 1)));
    attributes.push_back(integers_attribute("scan_output_axes", {1}));
    const std::vector<Value*> made = out_.add_many("Scan", inputs, 2, std::move(attributes));
    write_body(made.front()->producer()->make_subgraph("body", false));
    Value& scaled = out_.add("Mul", {made[1], &scalar(out_, DataType::float32, factor())});
    const Integers flat = {0, 0, op_.shared_heads * queries_of_state() * value_size_};
    return {&in_type(reshape(out_, scaled, flat), out_.element(0)),
            &in_type(out_.add("Identity", {made[0]}), state_type())};
  }

 private:
  static constexpr std::int64_t past = 3;
  static constexpr std::int64_t decay = 4;
  static constexpr std::int64_t beta = 5;

  bool has_decay() const {
    return decay_width_ > 0 && (op_.rule == LinearAttention::Rule::gated ||
                                op_.rule == LinearAttention::Rule::gated_delta);
  }
  bool has_beta() const {
    return beta_width_ > 0 && (op_.rule == LinearAttention::Rule::delta ||
                               op_.rule == LinearAttention::Rule::gated_delta);
  }
  std::int64_t queries_of_state() const {
    return std::max<std::int64_t>(1, op_.query_heads / op_.shared_heads);
  }
  DataType state_type() const { return out_.element(out_.input(past) != nullptr ? past : 0); }
  double factor() const {
    return op_.scale != 0 ? static_cast<double>(op_.scale)
                          : 1 / std::sqrt(static_cast<double>(size_));
  }
  Value& wide(std::int64_t input) const {
    return widened(out_, *out_.input(input), out_.element(input));
  }
  Value& in_type(Value& x, DataType type) const {
    return type == DataType::float32 ? x : cast_to(out_, x, type);
  }

  Value& initial_state() const {
    if (out_.input(past) != nullptr) return wide(past);
    const Integers sizes_of_state = {op_.shared_heads, size_, value_size_};
    Value& shape =
        concatenate(out_, {&sizes(out_, *out_.input(0), 0, 1), &out_.integers(sizes_of_state)}, 0);
    return out_.add("ConstantOfShape", {&shape});
  }

  /// batch x length x heads x size, with as many heads as there are states.
  Value& shared(Value& x, std::int64_t heads, std::int64_t size) const {
    const Integers split = {0, 0, heads, size};
    Value& by_head = reshape(out_, x, split);
    if (heads >= op_.shared_heads) return by_head;
    Integers places(static_cast<std::size_t>(op_.shared_heads));
    for (std::size_t i = 0; i < places.size(); ++i)
      places[i] = static_cast<std::int64_t>(i) * heads / op_.shared_heads;
    return gather(out_, by_head, out_.integers(places), 2);
  }

  /// batch x length x states x queries of each x size
  Value& grouped_queries() const {
    const Integers shape = {0, 0, op_.shared_heads, queries_of_state(), size_};
    return reshape(out_, shared(wide(0), op_.query_heads, size_), shape);
  }

  /// S = decay · S; v = beta (v - kᵀ S), where beta is given; S = S + k v; y = q S.
  void write_body(Graph& graph) const {
    graph.set_name("step");
    StepBody body(graph);
    Value* state = &body.input();
    Value& query = body.input();
    Value& key = body.input();
    Value* value = &body.input();
    Value* const factor_of_state = has_decay() ? &body.input() : nullptr;
    Value* const rate = has_beta() ? &body.input() : nullptr;
    if (factor_of_state != nullptr) state = &body.add("Mul", {state, factor_of_state});
    if (rate != nullptr) {
      Value& known = body.add("MatMul", {&body.transposed(key), state});
      value = &body.add("Mul", {&body.add("Sub", {value, &known}), rate});
    }
    state = &body.add("Add", {state, &body.add("Mul", {&key, value})});
    Value& y = body.add("MatMul", {&query, state});
    graph.add_output(*state);
    graph.add_output(y);
  }

  Decomposition& out_;
  const LinearAttention& op_;
  std::int64_t size_ = -1;
  std::int64_t key_heads_ = 0;
  std::int64_t value_size_ = -1;
  std::int64_t decay_width_ = -1;
  std::int64_t beta_width_ = -1;
};

Results linear_attention(Decomposition& out) {
  const auto op = read_op<ContribLinearAttention>(out.node());
  const RecurrentNodes nodes(out, op);
  if (!nodes.is_possible()) return {};
  return nodes.results();
}

}  // namespace

std::span<const DecompositionRow> plain_linear_attention() {
  static constexpr DecompositionRow rows[] = {{"LinearAttention", linear_attention, 2}};
  return rows;
}

}  // namespace ortool
