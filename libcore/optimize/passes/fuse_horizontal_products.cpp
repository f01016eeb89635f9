// Horizontal fusion: products of one value with several constant matrices become one, plus a Split.
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "libcore/base/format.hpp"
#include "libcore/graph/algorithms/copy_model.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/check_node.hpp"
#include "libcore/ops/math/gemm.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/passes/passes.hpp"
#include "libcore/optimize/rewrite/infer_node.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"

namespace ortool {
namespace {

/// A limit, since fused weights occupy memory, whereas those of the file are only mapped.
constexpr std::int64_t max_joined_bytes = std::int64_t{16} << 20;
/// In a session, fusion saves only the overhead of kernel calls, which matters for small products
/// alone.
constexpr std::int64_t max_joined_in_session = std::int64_t{1} << 20;

/// A product with constant weights and an optional constant bias.
struct Branch {
  Node* product = nullptr;
  Node* sum = nullptr;  ///< an Add after a MatMul
  Value* weights = nullptr;
  Value* bias = nullptr;
  std::int64_t columns = 0;
  bool is_transposed = false;  ///< the weights are transposed

  Value& result() const { return *(sum != nullptr ? sum : product)->output(0); }
};

bool has_joined_type(const Value& value) {
  const DataType type = element_of(value);
  return type == DataType::float32 || type == DataType::float16 || type == DataType::bfloat16 ||
         type == DataType::float64;
}

/// Whether it has one element per column, or one for all.
bool is_row(const Value* value, std::int64_t columns, std::int64_t max_rank) {
  if (value == nullptr || !value->is_constant()) return false;
  const Shape& shape = value->constant().shape();
  const std::int64_t count = value->constant().element_count();
  if (shape.rank() > max_rank) return false;
  return count == 1 || (count == columns && shape[shape.rank() - 1] == columns);
}

/// The only consumer of the product, if it adds a row.
Node* row_behind(const Value& product, std::int64_t columns, std::int64_t rank) {
  if (product.uses().size() != 1 || product.uses().front().kind != Use::Kind::input) return nullptr;
  Node* node = product.uses().front().node;
  if (!node->domain().empty() || node->op_type() != "Add") return nullptr;
  const Value* other = node->input(node->input(0) == &product ? 1 : 0);
  return other != &product && is_row(other, columns, rank) ? node : nullptr;
}

std::optional<Branch> branch_of(Node& node) {
  const bool is_gemm = node.op_type() == "Gemm";
  if (!node.domain().empty() || (!is_gemm && node.op_type() != "MatMul")) return std::nullopt;
  Branch branch{.product = &node, .weights = node.input(1)};
  const Value& x = *node.input(0);
  if (x.is_constant() || rank_of(x) < 2 || !branch.weights->is_constant() ||
      branch.weights->is_graph_output() || branch.weights->uses().size() != 1 ||
      !has_joined_type(*branch.weights))
    return std::nullopt;
  const Shape& shape = branch.weights->constant().shape();
  if (shape.rank() != 2) return std::nullopt;
  if (!is_gemm) {
    branch.columns = shape[1];
    branch.sum = row_behind(*node.output(0), branch.columns, rank_of(x));
    if (branch.sum != nullptr)
      branch.bias = branch.sum->input(branch.sum->input(0) == node.output(0) ? 1 : 0);
    return branch;
  }
  branch.is_transposed = read_op<Gemm>(node).transpose_b;
  branch.columns = shape[branch.is_transposed ? 0 : 1];
  branch.bias = node.input(2);
  if (branch.bias != nullptr && !is_row(branch.bias, branch.columns, 2)) return std::nullopt;
  return branch;
}

/// Whether both differ in weights and bias only.
bool go_together(const Branch& a, const Branch& b) {
  if (a.product->op_type() != b.product->op_type()) return false;
  if (a.product->op_type() != "Gemm") return true;
  const auto first = read_op<Gemm>(*a.product);
  const auto second = read_op<Gemm>(*b.product);
  return first.alpha == second.alpha && first.beta == second.beta &&
         first.transpose_a == second.transpose_a && first.transpose_b == second.transpose_b;
}

using Branches = std::vector<Branch>;

bool has_bias(const Branches& branches) {
  return std::any_of(branches.begin(), branches.end(),
                     [](const Branch& branch) { return branch.bias != nullptr; });
}

/// The number of nodes in these branches; a MatMul with Add of matrices counts as the Gemm it
/// becomes.
std::int64_t counted_nodes(const Branches& branches, bool has_sum) {
  const bool is_gemm = rank_of(*branches.front().product->input(0)) == 2;
  std::int64_t count = 0;
  for (const Branch& branch : branches) count += branch.sum != nullptr && !is_gemm ? 2 : 1;
  return has_sum ? count - (is_gemm ? 2 : 3) : count - 2;
}

std::int64_t total_columns(const Branches& branches) {
  std::int64_t total = 0;
  for (const Branch& branch : branches) total += branch.columns;
  return total;
}

/// Why they are not fused; empty: they are.
std::string reason_against(const Branches& branches, bool takes_biases, bool is_in_session) {
  const bool is_gemm = branches.front().product->op_type() == "Gemm";
  if (!takes_biases && (is_gemm || has_bias(branches)))
    return "with a bias, onnxruntime is slower on one product and a Split";
  const bool has_sum = !is_gemm && has_bias(branches);
  if (counted_nodes(branches, has_sum) <= 0) return "one product and a Split are not fewer nodes";
  std::int64_t bytes = 0;
  for (const Branch& branch : branches) bytes += branch.weights->constant().size_bytes();
  const std::int64_t most = is_in_session ? max_joined_in_session : max_joined_bytes;
  if (bytes > most) return format("the weights take {} bytes, more than {}", bytes, most);
  return {};
}

Tensor joined_weights(const Branches& branches) {
  const Tensor& first = branches.front().weights->constant();
  const bool is_transposed = branches.front().is_transposed;
  const std::int64_t total = total_columns(branches);
  const std::int64_t inner = first.shape()[is_transposed ? 1 : 0];
  Tensor joined(first.type(), is_transposed ? Shape{total, inner} : Shape{inner, total});
  // Transposed weights are concatenated as they are, as one long row each.
  const std::int64_t rows = is_transposed ? 1 : inner;
  std::byte* out = joined.mutable_bytes();
  for (std::int64_t row = 0; row < rows; ++row) {
    for (const Branch& branch : branches) {
      const Tensor& weights = branch.weights->constant();
      const std::int64_t bytes = weights.size_bytes() / std::max<std::int64_t>(rows, 1);
      std::memcpy(out, weights.bytes() + row * bytes, static_cast<std::size_t>(bytes));
      out += bytes;
    }
  }
  return joined;
}

/// Zeros for products without a bias.
Tensor joined_bias(const Branches& branches) {
  const DataType type = branches.front().weights->constant().type();
  Tensor joined(type, Shape{total_columns(branches)});
  std::byte* out = joined.mutable_bytes();
  for (const Branch& branch : branches) {
    const std::int64_t bytes = bytes_of(type, branch.columns);
    if (branch.bias == nullptr) {
      std::memset(out, 0, static_cast<std::size_t>(bytes));
    } else {
      const Tensor& bias = branch.bias->constant();
      const std::int64_t each = bias.size_bytes();
      for (std::int64_t at = 0; at < bytes; at += each)
        std::memcpy(out + at, bias.bytes(), static_cast<std::size_t>(each));
    }
    out += bytes;
  }
  return joined;
}

std::string joined_origins(const Branches& branches) {
  std::string text;
  const auto add = [&](const Node* node) {
    if (node == nullptr) return;
    for (const std::string& name : origins_of(*node)) text += (text.empty() ? "" : "\n") + name;
  };
  for (const Branch& branch : branches) {
    add(branch.product);
    add(branch.sum);
  }
  return text;
}

/// Inserts the fused nodes before the first product and removes the old ones.
class Joiner {
 public:
  explicit Joiner(const Branches& branches)
      : branches_(branches),
        graph_(branches.front().product->graph()),
        place_(branches.front().product),
        origins_(joined_origins(branches)) {}

  void join() {
    const Node& first = *branches_.front().product;
    const bool is_gemm = first.op_type() == "Gemm";
    std::vector<Value*> inputs = {first.input(0),
                                  &graph_.add_constant("", joined_weights(branches_))};
    Value* bias = has_bias(branches_) ? &graph_.add_constant("", joined_bias(branches_)) : nullptr;
    if (is_gemm && bias != nullptr) inputs.push_back(bias);
    Value* joined = &add(first.op_type(), inputs, first.name());
    if (is_gemm) {
      for (Attribute& attribute : copy_attributes(first))
        joined->producer()->set_attribute(std::move(attribute));
    }
    check_and_infer(*joined->producer());
    if (!is_gemm && bias != nullptr) {
      joined = &add("Add", std::array{joined, bias}, joined_sum_name());
      check_and_infer(*joined->producer());
    }
    hand_out(*joined);
  }

 private:
  std::string joined_sum_name() const {
    for (const Branch& branch : branches_) {
      if (branch.sum != nullptr) return std::string(branch.sum->name());
    }
    return {};
  }

  Value& add(std::string_view op_type, std::span<Value* const> inputs, std::string_view name) {
    Value* const outputs[] = {&graph_.add_value("")};
    graph_.add_node(op_type, "", inputs, outputs, name, place_);
    return *outputs[0];
  }

  void check_and_infer(Node& node) const {
    check_node(node);
    infer_node(node);
    node.mutable_notes().metadata.emplace_back(origin_key, origins_);
  }

  /// Produces the original results by a Split.
  void hand_out(Value& joined) {
    Node* const behind = joined.producer();
    const std::string name = format("{}/{}", branches_.back().product->name(), joined.name());
    std::vector<Value*> results;
    std::vector<std::int64_t> sizes;
    const std::int64_t axis = rank_of(*behind->input(0)) - 1;
    for (const Branch& branch : branches_) {
      results.push_back(&branch.result());
      sizes.push_back(branch.columns);
      take_away(branch);
    }
    std::vector<Value*> inputs = {&joined};
    const bool has_size_input = graph_.opset("") >= opset_without_attribute("Split", "split");
    if (has_size_input) {
      const Shape shape{static_cast<std::int64_t>(sizes.size())};
      inputs.push_back(&graph_.add_constant(
          "", Tensor::of<std::int64_t>(shape, std::span<const std::int64_t>(sizes))));
    }
    Node& split = graph_.add_node("Split", "", inputs, results, name, behind->next());
    split.set_attribute(Attribute{"axis", axis});
    if (!has_size_input) split.set_attribute(Attribute{"split", std::move(sizes)});
    check_node(split);
    split.mutable_notes().metadata.emplace_back(origin_key, origins_);
  }

  void take_away(const Branch& branch) {
    Value* const product = branch.product->output(0);
    if (branch.sum != nullptr) graph_.remove_node(*branch.sum);
    graph_.remove_node(*branch.product);
    if (branch.sum != nullptr) graph_.remove_value(*product);
    for (Value* constant : {branch.weights, branch.bias}) {
      const bool is_left = constant != nullptr && constant->is_in(graph_) &&
                           constant->uses().empty() && !constant->is_graph_output();
      if (is_left) graph_.remove_value(*constant);
    }
  }

  const Branches& branches_;
  Graph& graph_;
  Node* place_;
  std::string origins_;
};

/// Products of one value that can be fused, in node order.
std::vector<Branches> find_groups(const Graph& graph, const RewriteOptions& options) {
  std::vector<Branches> groups;
  std::unordered_map<const Value*, std::vector<std::size_t>> groups_of;
  for (Node& node : graph.nodes()) {
    options.poll();
    std::optional<Branch> branch = branch_of(node);
    if (!branch) continue;
    std::vector<std::size_t>& known = groups_of[node.input(0)];
    const auto fitting = std::find_if(known.begin(), known.end(), [&](std::size_t index) {
      return go_together(groups[index].front(), *branch);
    });
    if (fitting != known.end()) {
      groups[*fitting].push_back(*branch);
    } else {
      known.push_back(groups.size());
      groups.push_back({*branch});
    }
  }
  std::erase_if(groups, [](const Branches& branches) { return branches.size() < 2; });
  return groups;
}

void merge(Graph& graph, bool takes_biases, const RewriteOptions& options, PassNotes& notes) {
  if (graph.opset("") < opset_of_broadcasting()) return;
  for (const Branches& branches : find_groups(graph, options)) {
    const std::string_view name = branches.front().product->name();
    std::string reason = reason_against(branches, takes_biases, options.is_in_session);
    if (!reason.empty()) {
      notes.left(name, std::move(reason));
      continue;
    }
    if (!notes.permits(name)) return;
    Joiner(branches).join();
  }
}

Pass merging(std::string_view name, std::string_view summary, OptimizeLevel level,
             bool takes_biases) {
  return {.name = name,
          .summary = summary,
          .level = level,
          .run = [name, takes_biases](Model& model, const RewriteOptions& options,
                                      RewriteReport& report) {
            PassNotes notes(name, options, report);
            for (Graph* graph : graphs_in(*model.graph))
              merge(*graph, takes_biases, options, notes);
          }};
}

}  // namespace

Pass merge_products() {
  return merging("fuse-horizontal-matmul",
                 "MatMuls of one value by constant matrices -> one MatMul and a Split (horizontal "
                 "fusion, as of Q, K and V)",
                 OptimizeLevel::extended, false);
}

Pass merge_biased_products() {
  return merging("fuse-horizontal-biased-matmul",
                 "the same for MatMuls followed by an added row, and for Gemms", OptimizeLevel::all,
                 true);
}

}  // namespace ortool
