// Quantization planner: propagates forward and backward, then assigns shared scales.
#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "libcore/base/format.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/math/gemm.hpp"
#include "libcore/quantize/report/float_reasons.hpp"
#include "libcore/quantize/scheme/plan.hpp"

namespace ortool {
namespace {

using Role = QuantizeRole;

/// A final convolution keeps its float result if it does at most this share of all products' work.
constexpr double little_work = 0.1;

/// A convolution of the model's input stays in float if it does at most this share of the work: its
/// rounding error would affect everything after it.
constexpr double little_first_work = 0.02;

/// The number of multiply-accumulates of a product; unknown dimensions count as 1.
double work_of(const Node& node, std::int64_t weight_input) {
  if (weight_input < 0) return 0;
  Value* weights = constant_behind(node.input(weight_input));
  const Shape& shape = weights->constant().shape();
  double work = static_cast<double>(weights->constant().element_count());
  const bool is_transposed = node.op_type() == "ConvTranspose";
  const Value* counted = is_transposed ? node.input(0) : node.output(0);
  if (counted == nullptr || !counted->type().shape) return work;
  const PartialShape& sizes = counted->type().shape;
  for (std::size_t i = 0; i < sizes->size(); ++i) {
    const bool is_window = node.op_type() == "Conv" || is_transposed;
    const bool is_channels = is_window ? i == 1 : i + 1 == sizes->size();
    if (!is_channels && (*sizes)[i].is_known()) work *= static_cast<double>((*sizes)[i].number());
  }
  return shape.rank() == 0 ? 0 : work;
}

bool makes_floats(const Node& node) {
  for (std::int64_t i = 0; i < node.output_count(); ++i) {
    if (is_float_tensor(node.output(i), true)) return true;
  }
  return false;
}

bool reads_floats(const Node& node) {
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    if (is_float_tensor(node.input(i), true) && constant_behind(node.input(i)) == nullptr)
      return true;
  }
  return false;
}

/// Plans one graph.
class GraphPlanner {
 public:
  GraphPlanner(Graph& graph, const PlanRules& rules, QuantizePlan& plan)
      : graph_(graph), rules_(rules), plan_(plan) {}

  void run() {
    for (const Node& node : graph_.nodes()) {
      const bool has_weights =
          quantize_role(node) == Role::product && constant_behind(node.input(1)) != nullptr;
      if (has_weights) work_of_all_ += work_of(node, 1);
    }
    for (Node& node : graph_.nodes()) consider(node);
    total_work_ = 0;
    for (const PlannedNode& each : nodes_) {
      if (each.role == Role::product && each.is_quantized)
        total_work_ += work_of(*each.node, each.weight_input);
    }
    for (auto each = nodes_.rbegin(); each != nodes_.rend(); ++each) demand(*each);
    choose_values();
    plan_.nodes.insert(plan_.nodes.end(), nodes_.begin(), nodes_.end());
    number_groups();
  }

 private:
  // Forward propagation.
  void consider(Node& node);
  void consider_product(PlannedNode& planned);
  void consider_recurrent(PlannedNode& planned);
  void consider_chain(PlannedNode& planned);
  Node* end_of(Node& node, bool takes_bias);
  bool is_refused(PlannedNode& planned) const;
  bool starts_with_little_work(const Node& node) const;

  // Backward propagation.
  void demand(PlannedNode& planned);
  bool keeps_float_result(const PlannedNode& planned) const;
  bool is_demanded(const Value* value) const { return demanded_.contains(value); }

  // Values and scale groups.
  void choose_values();
  void add_inputs(const PlannedNode& planned);
  void share(const PlannedNode& planned);
  std::size_t site(Value* value);
  std::size_t root(std::size_t site);
  void number_groups();

  Graph& graph_;
  const PlanRules& rules_;
  QuantizePlan& plan_;
  std::vector<PlannedNode> nodes_;
  FloatReasons reasons_;
  std::unordered_map<const Node*, const Node*> followed_;  ///< by fused node, the node before it
  std::unordered_set<const Value*> supplied_;
  std::unordered_set<const Value*> matrix_ends_;  ///< results of matrix products
  std::unordered_set<const Value*> demanded_;
  std::unordered_set<const Value*> leads_to_product_;
  double total_work_ = 0;
  double work_of_all_ = 0;  ///< including those that stay in float
  std::vector<Value*> sites_;
  std::vector<std::size_t> parents_;
  std::unordered_map<const Value*, std::size_t> site_of_;
};

bool GraphPlanner::is_refused(PlannedNode& planned) const {
  if (rules_.refusal) planned.reason = rules_.refusal(*planned.node);
  return !planned.reason.empty();
}

bool GraphPlanner::starts_with_little_work(const Node& node) const {
  const bool is_wanted = rules_.is_wanted && rules_.is_wanted(node);
  return !is_wanted && node.op_type() == "Conv" && node.input(0)->is_graph_input() &&
         work_of(node, 1) <= little_first_work * work_of_all_;
}

/// Whether the node reads only the shape of a value, not its data.
bool reads_sizes_alone(const Node& node) {
  return node.domain().empty() && (node.op_type() == "Shape" || node.op_type() == "Size");
}

void GraphPlanner::consider(Node& node) {
  if ((!makes_floats(node) && !reads_floats(node)) || reads_sizes_alone(node)) return;
  PlannedNode planned;
  planned.node = planned.end = &node;
  planned.role = quantize_role(node);
  if (const auto leader = followed_.find(&node); leader != followed_.end()) {
    const auto found = std::find_if(nodes_.begin(), nodes_.end(), [&](const PlannedNode& each) {
      return each.node == leader->second;
    });
    planned.is_quantized = found->is_quantized;
    planned.reason = found->reason;
    planned.role = Role::clip;
    if (!planned.is_quantized) reasons_.note_input(node, *leader->second->output(0));
  } else if (is_recurrent(node)) {
    if (!is_refused(planned)) consider_recurrent(planned);
  } else if (planned.role == Role::none) {
    planned.reason = reads_floats(node)
                         ? format("{} computes in float", node.op_type())
                         : format("{} converts non-floats to floats", node.op_type());
  } else if (!is_refused(planned)) {
    if (planned.role == Role::product) {
      consider_product(planned);
    } else {
      consider_chain(planned);
    }
  }
  if (!planned.is_quantized) reasons_.note_start(node);
  nodes_.push_back(std::move(planned));
}

/// The last node of the chain that is fused with the node.
Node* GraphPlanner::end_of(Node& node, bool takes_bias) {
  Node* end = &node;
  const auto follow = [&](Node* next) {
    PlannedNode probe;
    probe.node = next;
    if (is_refused(probe)) return false;
    followed_.emplace(next, &node);
    end = next;
    return true;
  };
  Node* next = only_consumer(*end->output(0));
  if (takes_bias && next != nullptr && next->domain().empty() && next->op_type() == "Add" &&
      constant_operand(*next) && follow(next)) {
    next = only_consumer(*end->output(0));
  }
  if (next != nullptr && quantize_role(*next) == Role::clip && next->input(0) == end->output(0))
    follow(next);
  return end;
}

void GraphPlanner::consider_product(PlannedNode& planned) {
  Node& node = *planned.node;
  Value* const second = constant_behind(node.input(1));
  Value* const first = constant_behind(node.input(0));
  const std::string_view type = node.op_type();
  const bool takes_all = rules_.takes_all_floats;
  if (!is_float_tensor(node.input(0), takes_all) || !is_float_tensor(node.input(1), takes_all)) {
    planned.reason = "its type is not float32";
  } else if (second != nullptr && first == nullptr) {
    planned.weight_input = 1;
    const std::int64_t rank = second->constant().shape().rank();
    if (type == "Conv") planned.weight_axis = 0;
    if (type == "ConvTranspose") planned.weight_axis = 1;
    if (type == "MatMul" && rank == 2) planned.weight_axis = 1;
    if (type == "Gemm") planned.weight_axis = read_op<Gemm>(node).transpose_b ? 0 : 1;
    if (second->constant().element_count() == 0) planned.reason = "its weights are empty";
    if (starts_with_little_work(node))
      planned.reason = "it reads the model's input and is cheap: quantizing it costs most";
  } else if (first != nullptr && second == nullptr && type == "MatMul") {
    planned.weight_input = 0;
  } else if (first != nullptr && second != nullptr) {
    planned.reason = "all its inputs are constants";
  } else if (type != "MatMul") {
    planned.reason = "its weights are computed";
  } else if (!rules_.is_wanted || !rules_.is_wanted(node)) {
    planned.reason = "both its operands are computed: it has no weights to quantize";
  }
  if (!planned.reason.empty()) return;
  bool is_per_channel = rules_.is_per_channel;
  if (rules_.is_node_per_channel)
    is_per_channel = rules_.is_node_per_channel(node).value_or(is_per_channel);
  if (!is_per_channel) planned.weight_axis.reset();
  if (rules_.weight_type) planned.weight_type = rules_.weight_type(node);
  planned.is_quantized = true;
  planned.end = end_of(node, type == "MatMul");
  supplied_.insert(planned.end->output(0));
  if (type == "MatMul" || type == "Gemm") matrix_ends_.insert(planned.end->output(0));
}

void GraphPlanner::consider_recurrent(PlannedNode& planned) {
  const Node& node = *planned.node;
  if (!rules_.takes_recurrent) {
    planned.reason = format("{} computes in float", node.op_type());
  } else if (node.op_type() != "LSTM") {
    planned.reason = format("no operator computes {} in integers, only LSTM", node.op_type());
  } else if (!is_float_tensor(node.input(0)) || !is_float_tensor(node.input(1))) {
    planned.reason = "its type is not float32";
  } else if (constant_behind(node.input(1)) == nullptr ||
             constant_behind(node.input(2)) == nullptr) {
    planned.reason = "its weights are computed";
  } else {
    planned.role = Role::product;
    planned.weight_input = 1;
    if (rules_.is_per_channel) planned.weight_axis = 1;
    planned.is_quantized = true;
    for (std::int64_t i = 0; i < node.output_count(); ++i) {
      if (node.output(i) != nullptr) supplied_.insert(node.output(i));
    }
  }
}

void GraphPlanner::consider_chain(PlannedNode& planned) {
  Node& node = *planned.node;
  const bool is_concat = planned.role == Role::concat;
  const bool reads_all = is_concat || planned.role == Role::sum;
  std::int64_t supplied = 0;
  const Value* other = nullptr;
  for (std::int64_t i = 0; i < (reads_all ? node.input_count() : 1); ++i) {
    Value* input = node.input(i);
    if (input == nullptr || !is_float_tensor(input)) {
      planned.reason = "its type is not float32";
      return;
    }
    if (supplied_.contains(input)) ++supplied;
    if (!supplied_.contains(input) && constant_behind(input) == nullptr) other = input;
  }
  if (supplied == 0 && other == nullptr) {
    planned.reason = "all its inputs are constants";
    return;
  }
  if (other != nullptr && (supplied == 0 || !is_concat)) {
    planned.reason = reasons_.of_input(*other);
    reasons_.note_input(node, *other);
    return;
  }
  if (planned.role == Role::function && matrix_ends_.contains(node.input(0))) {
    planned.reason = "it reads the float sums of a matrix product before they are rounded";
    return;
  }
  planned.is_quantized = true;
  if (planned.role == Role::sum) planned.end = end_of(node, false);
  for (std::int64_t i = 0; i < planned.end->output_count(); ++i) {
    if (planned.end->output(i) != nullptr) supplied_.insert(planned.end->output(i));
  }
}

void GraphPlanner::demand(PlannedNode& planned) {
  Node& node = *planned.node;
  const bool is_product = planned.role == Role::product && planned.is_quantized;
  bool is_asked = is_product;
  bool leads = is_product;
  for (std::int64_t i = 0; i < node.output_count(); ++i) {
    const Value* output = node.output(i);
    leads = leads || leads_to_product_.contains(output);
  }
  const bool is_absorbed = followed_.contains(&node);
  for (std::int64_t i = 0; !is_absorbed && i < planned.end->output_count(); ++i)
    is_asked = is_asked || is_demanded(planned.end->output(i));
  if (!is_absorbed && planned.is_quantized && !is_asked) {
    planned.is_quantized = false;
    planned.reason = reasons_.of_result(*planned.end);
    reasons_.note_result(node, planned.reason);
  }
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    const Value* input = node.input(i);
    if (input == nullptr) continue;
    if (leads) leads_to_product_.insert(input);
    const bool reads_all = is_product || planned.role == Role::concat || planned.role == Role::sum;
    if (is_absorbed || !planned.is_quantized || !is_float_tensor(input)) continue;
    if (i == planned.weight_input || (is_product && i >= 2)) continue;
    if (i == 0 || reads_all) demanded_.insert(input);
  }
}

bool GraphPlanner::keeps_float_result(const PlannedNode& planned) const {
  const Value* result = planned.end->output(0);
  if (is_recurrent(*planned.node)) return true;
  if (is_demanded(result)) return false;
  const std::string_view type = planned.node->op_type();
  if (type == "MatMul" || type == "Gemm") return true;
  return !leads_to_product_.contains(result) &&
         work_of(*planned.node, planned.weight_input) <= little_work * total_work_;
}

std::size_t GraphPlanner::site(Value* value) {
  const auto [found, is_new] = site_of_.emplace(value, sites_.size());
  if (is_new) {
    sites_.push_back(value);
    parents_.push_back(parents_.size());
  }
  return found->second;
}

std::size_t GraphPlanner::root(std::size_t site) {
  while (parents_[site] != site) site = parents_[site] = parents_[parents_[site]];
  return site;
}

void GraphPlanner::add_inputs(const PlannedNode& planned) {
  const Node& node = *planned.node;
  const bool reads_all =
      planned.role == Role::product || planned.role == Role::sum || planned.role == Role::concat;
  const std::int64_t count = planned.role == Role::product ? 2 : node.input_count();
  for (std::int64_t i = 0; i < (reads_all ? count : 1); ++i) {
    if (i == planned.weight_input) continue;
    Value* input = node.input(i);
    const Value* constant = constant_behind(input);
    // A scalar constant is part of the operator.
    const bool is_number = constant != nullptr && constant->constant().element_count() == 1;
    if (!is_number || planned.role == Role::concat) site(input);
  }
}

void GraphPlanner::share(const PlannedNode& planned) {
  const Node& node = *planned.node;
  if (planned.role == Role::move) {
    for (std::int64_t i = 0; i < node.output_count(); ++i) {
      const auto found = site_of_.find(node.output(i));
      if (found != site_of_.end()) parents_[root(found->second)] = root(site(node.input(0)));
    }
  }
  if (planned.role != Role::concat) return;
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    Value* input = node.input(i);
    // A value with other consumers keeps a scale of its own.
    if (input->uses().size() == 1) parents_[root(site(input))] = root(site(node.output(0)));
  }
}

void GraphPlanner::choose_values() {
  for (const PlannedNode& planned : nodes_) {
    if (!planned.is_quantized || followed_.contains(planned.node)) continue;
    add_inputs(planned);
    if (planned.role == Role::product) {
      if (!keeps_float_result(planned)) site(planned.end->output(0));
      continue;
    }
    for (std::int64_t i = 0; i < planned.end->output_count(); ++i) {
      Value* output = planned.end->output(i);
      if (output != nullptr && is_demanded(output)) site(output);
    }
  }
  for (const PlannedNode& planned : nodes_) {
    if (planned.is_quantized) share(planned);
  }
}

void GraphPlanner::number_groups() {
  std::unordered_map<std::size_t, std::int64_t> numbers;
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    const auto [number, is_new] = numbers.emplace(root(i), plan_.group_count);
    if (is_new) ++plan_.group_count;
    plan_.values.push_back({sites_[i], number->second, constant_behind(sites_[i]) != nullptr});
  }
}

}  // namespace

QuantizePlan make_plan(Model& model, const PlanRules& rules) {
  QuantizePlan plan;
  for (Graph* graph : graphs_in(*model.graph)) GraphPlanner(*graph, rules, plan).run();
  return plan;
}

}  // namespace ortool
