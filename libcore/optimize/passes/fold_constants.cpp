// Constant folding, with a limit on the growth of the model.
#include <algorithm>

#include "libcore/graph/algorithms/captured.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/generator/constant.hpp"
#include "libcore/optimize/passes/fold_growth.hpp"
#include "libcore/optimize/passes/passes.hpp"
#include "libcore/optimize/rewrite/node_facts.hpp"

namespace ortool {
namespace {

constexpr std::string_view fold_constants_name = "fold-constants";

/// Folds one graph; the size budget is shared by all graphs of a model.
class Folding {
 public:
  Folding(const RewriteOptions& options, RewriteReport& report)
      : options_(options), notes_(fold_constants_name, options, report) {}

  /// Fixes the allowed growth in advance when limits must not depend on what was folded before.
  void resolve_growth(const Model& model) {
    if (!options_.fold_limits.is_all_or_none || options_.evaluator == nullptr) return;
    const std::int64_t max_bytes = max_growth_bytes(model);
    const std::int64_t bytes =
        fold_growth(model, [this](const Node& node) { return may_fold(node); });
    max_growth_ = bytes <= max_bytes ? max_bytes : small_growth_bytes;
  }

  void run(Graph& graph) {
    for (Node& node : graph.nodes()) {
      options_.poll();
      if (!can_fold(node)) continue;
      if (node.op_type() == "Constant" && take_constant(graph, node)) continue;
      if (options_.evaluator != nullptr) fold(graph, node);
    }
  }

 private:
  bool can_fold(const Node& node) const {
    if (!may_fold(node)) return false;
    const std::vector<Value*> inputs = inputs_of(node);
    return std::all_of(inputs.begin(), inputs.end(),
                       [](auto* each) { return constant_of(*each) != nullptr; });
  }

  /// Whether the node may be folded in principle, whatever its inputs.
  bool may_fold(const Node& node) const {
    if (may_change(node) || !node.subgraphs().empty() || node.output_count() == 0) return false;
    const FoldLimits& limits = options_.fold_limits;
    if (limits.keeps_dequantized && node.domain().empty() && node.op_type() == "DequantizeLinear")
      return false;
    const std::vector<Value*> outputs = outputs_of(node);
    return !limits.keeps_outputs || std::none_of(outputs.begin(), outputs.end(), [](auto* each) {
      return each->is_graph_output();
    });
  }

  /// The tensor of a Constant node; its memory already exists.
  bool take_constant(Graph& graph, Node& node) {
    const auto constant = read_op<Constant>(node);
    if (constant.sparse != nullptr || node.output(0) == nullptr) return false;
    if (!notes_.permits(node.name())) return true;
    replace(graph, node, {constant.value});
    return true;
  }

  void fold(Graph& graph, Node& node) {
    std::int64_t inputs_bytes = 0;
    std::int64_t freed_bytes = 0;
    for (const Value* input : inputs_of(node)) {
      const std::int64_t bytes = constant_of(*input)->size_bytes();
      inputs_bytes += bytes;
      if (input->is_constant() && input->uses().size() == 1) freed_bytes += bytes;
    }
    const FoldLimits& limits = options_.fold_limits;
    const std::int64_t max_growth =
        max_growth_.value_or(std::max(limits.total_bytes - grown_bytes_, std::int64_t{0}));
    const std::int64_t max_bytes =
        std::min(std::max(limits.tensor_bytes, inputs_bytes), max_growth + freed_bytes);
    std::optional<std::vector<Tensor>> results;
    const std::vector<Value*> lent = lend_captured(graph, node);
    try {
      results = options_.evaluator->evaluate(node, max_bytes);
    } catch (Error& error) {
      // A node that always fails may be in code that never runs.
      if (error.code() != ErrorCode::invalid && error.code() != ErrorCode::unsupported)
        throw error.at_node(node.name(), node.op_type());
      notes_.left(node.name(), error.message());
    }
    if (!results || !notes_.permits(node.name())) {
      give_back(graph, node, lent);
      return;
    }
    std::int64_t bytes = 0;
    for (const Tensor& result : *results) bytes += result.size_bytes();
    grown_bytes_ += std::max(bytes - freed_bytes, std::int64_t{0});
    replace(graph, node, std::move(*results));
  }

  /// Temporarily replaces captured constants by constants of the node's graph; returns the original
  /// inputs.
  static std::vector<Value*> lend_captured(Graph& graph, Node& node) {
    std::vector<Value*> read;
    for (std::int64_t i = 0; i < node.input_count(); ++i) {
      Value* input = node.input(i);
      read.push_back(input);
      if (input == nullptr || input->captured() == nullptr) continue;
      read.back() = &captured_root(*input);
      graph.set_input(node, i, &graph.add_constant("", *constant_of(*input)));
    }
    return read;
  }

  static void give_back(Graph& graph, Node& node, const std::vector<Value*>& read) {
    for (std::int64_t i = 0; i < node.input_count(); ++i) {
      Value* outer = read[static_cast<std::size_t>(i)];
      Value* input = node.input(i);
      if (outer == input) continue;
      graph.set_input(node, i, &seen_in(graph, *outer));
      graph.remove_value(*input);
    }
  }

  static void replace(Graph& graph, Node& node, std::vector<Tensor> results) {
    std::vector<Value*> outputs;
    for (std::int64_t i = 0; i < node.output_count(); ++i) outputs.push_back(node.output(i));
    const std::vector<Value*> inputs = inputs_of(node);
    graph.remove_node(node);
    for (std::size_t i = 0; i < outputs.size() && i < results.size(); ++i) {
      if (outputs[i] != nullptr) graph.set_constant(*outputs[i], std::move(results[i]));
    }
    for (Value* input : inputs) {
      if (input->is_in(graph) && input->is_constant() && input->uses().empty())
        graph.remove_value(*input);
    }
  }

  const RewriteOptions& options_;
  PassNotes notes_;
  std::optional<std::int64_t> max_growth_;  ///< per node, once determined
  std::int64_t grown_bytes_ = 0;
};

}  // namespace

void fold_constants(Graph& graph, const RewriteOptions& options, RewriteReport& report) {
  Folding(options, report).run(graph);
}

Pass fold_constants() {
  return {
      .name = fold_constants_name,
      .summary = "replaces nodes whose inputs are constants by their results (constant folding)",
      .run = [](Model& model, const RewriteOptions& options, RewriteReport& report) {
        Folding folding(options, report);
        folding.resolve_growth(model);
        for (Graph* graph : graphs_in(*model.graph)) folding.run(*graph);
      }};
}

}  // namespace ortool
