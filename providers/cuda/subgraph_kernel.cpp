// Subgraph kernel: uploads constants, and emits the nodes for each set of shapes.
#include "providers/cuda/subgraph_kernel.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "libcore/base/format.hpp"
#include "libcore/base/log.hpp"
#include "libcore/graph/graph.hpp"
#include "providers/cuda/partition.hpp"

namespace ortool::cuda {
namespace {

/// Constants up to this size stay readable on the host, since shapes may depend on them.
constexpr std::int64_t small_bytes = 1024;

}  // namespace

SubgraphKernel::SubgraphKernel(std::shared_ptr<Device> device, const PlanSettings& settings,
                               const NodeView& view)
    : device_(std::move(device)),
      constants_(device_, settings),
      members_(view.members().begin(), view.members().end()),
      inputs_(view.inputs()),
      outputs_(view.outputs()),
      name_(format("cuda_graph_{}", view.members().size())) {
  make_units();
  if (constants_.settings().merges_products) group_products(view);
  upload_constants(view);
}

void SubgraphKernel::make_units() {
  const std::unordered_set<const Node*> inside(members_.begin(), members_.end());
  std::unordered_map<const Node*, std::size_t> unit_of;
  // What a unit reads must be computed by units before it.
  const auto is_ready = [&](const Node& node, const Value* chain) {
    for (std::int64_t i = 0; i < node.input_count(); ++i) {
      const Value* input = node.input(i);
      if (input == nullptr || input == chain || !inside.contains(input->producer())) continue;
      const auto found = unit_of.find(input->producer());
      if (found == unit_of.end() || found->second + 1 >= units_.size()) return false;
    }
    return true;
  };
  // An elementwise node that the last unit would have to wait for comes before it, such as the
  // product of the scales behind a product of integers.
  const auto advance = [&](const Node& node) {
    const Unit last = units_.back();
    units_.back() = Unit{&node, {}};
    unit_of[&node] = units_.size() - 1;
    units_.push_back(last);
    unit_of[last.head] = units_.size() - 1;
    for (const Node* fused : last.fused_nodes) unit_of[fused] = units_.size() - 1;
  };
  const auto make_ready = [&](const Node& node, const Value* chain) {
    for (std::int64_t i = 0; i < node.input_count(); ++i) {
      const Node* producer = node.input(i) == nullptr ? nullptr : node.input(i)->producer();
      if (node.input(i) != chain && inside.contains(producer) && !unit_of.contains(producer) &&
          find_element_row(*producer) != nullptr && !is_shape_arithmetic(*producer) &&
          is_ready(*producer, nullptr))
        advance(*producer);
    }
    return is_ready(node, chain);
  };
  for (const Node* node : members_) {
    if (unit_of.contains(node)) continue;
    units_.push_back(Unit{node, {}});
    unit_of[node] = units_.size() - 1;
    const bool can_lead = find_element_row(*node) != nullptr || can_fold(*node);
    const Node* last = node;
    while (can_lead && !is_shape_arithmetic(*node)) {
      const Value* value = last->output(0);
      if (value == nullptr || value->uses().size() != 1) break;
      const Use& use = value->uses().front();
      if (use.kind != Use::Kind::input || !inside.contains(use.node)) break;
      if (!can_follow(*node, *last, *use.node) || !make_ready(*use.node, value)) break;
      units_.back().fused_nodes.push_back(use.node);
      unit_of[use.node] = units_.size() - 1;
      last = use.node;
    }
  }
}

void SubgraphKernel::group_products(const NodeView& view) {
  constexpr std::int64_t vector_bytes = 16;
  const auto is_own = [](const Value& value) { return value.uses().size() == 1; };
  std::vector<GroupedProduct> products;
  for (const Unit& unit : units_) {
    const Node& node = *unit.head;
    if (node.op_type() != "MatMul" || !node.domain().empty() || !is_own(*node.input(1))) continue;
    const Tensor* weights = view.constant(node.input(1));
    if (weights == nullptr || weights->shape().rank() != 2 || rank_of(node.input(0)) < 2 ||
        node.input(0)->is_constant() || weights->type() == DataType::float64)
      continue;
    const DataType stored = constants_.stored_type(weights->type());
    const std::int64_t columns = weights->shape()[1];
    if (bytes_of(stored, columns) % vector_bytes != 0) continue;
    GroupedProduct product = {&node, nullptr, *weights, {}};
    std::size_t folded = 0;
    if (!unit.fused_nodes.empty() && unit.fused_nodes[0]->op_type() == "Add") {
      product.sum = unit.fused_nodes[0];
      const Tensor* bias = view.constant(product.bias_value());
      // What is added otherwise is better folded into a product of its own.
      if (bias == nullptr || bias->shape() != Shape{columns} || !is_own(*product.bias_value()))
        continue;
      product.bias = *bias;
      folded = 1;
    }
    const bool folds_more =
        folded < unit.fused_nodes.size() && (unit.fused_nodes[folded]->op_type() == "Relu" ||
                                             unit.fused_nodes[folded]->op_type() == "Add");
    if (!folds_more) products.push_back(std::move(product));
  }
  product_groups_.make(products, constants_);
}

bool SubgraphKernel::is_weights(const Value& value, const Tensor& content) const {
  if (content.shape().rank() != 4 ||
      !constants_.is_channels_last(constants_.stored_type(content.type())))
    return false;
  const auto& uses = value.uses();
  return std::all_of(uses.begin(), uses.end(), [](const Use& use) {
    return use.kind == Use::Kind::input && use.node->op_type() == "Conv" && use.index == 1;
  });
}

void SubgraphKernel::upload_constants(const NodeView& view) {
  std::unordered_set<const Value*> data;
  for (const Node* node : members_) {
    const std::uint32_t parameters =
        is_shape_arithmetic(*node) ? ~0U : parameters_of(*node) | packed_inputs_of(*node);
    for (std::int64_t i = 0; i < node->input_count(); ++i) {
      const bool is_parameter = i < 32 && (parameters >> i & 1U) != 0;
      if (node->input(i) != nullptr && !is_parameter) data.insert(node->input(i));
    }
  }
  needs_.assign(inputs_.size(), true);
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const Value* value = inputs_[i];
    if (value == nullptr || !value->is_constant() || !data.contains(value)) continue;
    const Tensor* content = view.constant(value);
    if (content == nullptr) continue;
    constants_.add(*value, *content, is_weights(*value, *content));
    needs_[i] = content->size_bytes() <= small_bytes || is_integer(content->type());
  }
}

void SubgraphKernel::emit(DevicePlanBuilder& builder, const Unit& unit) const {
  std::vector<const Node*> nodes = {unit.head};
  nodes.insert(nodes.end(), unit.fused_nodes.begin(), unit.fused_nodes.end());
  std::span<const Node* const> rest(nodes);
  while (!rest.empty() && builder.is_known(*rest.front())) rest = rest.subspan(1);
  if (rest.empty()) return;
  const bool is_refused = is_shape_arithmetic(*rest.front()) && !refusal_of(*rest.front()).empty();
  const Value* value = nullptr;
  while (!rest.empty()) {
    builder.command_list().set_node(rest.front());
    const auto is_elementwise = [&](const Node* node) {
      return !is_refused && find_element_row(*node) != nullptr;
    };
    const auto end = std::find_if_not(rest.begin(), rest.end(), is_elementwise);
    auto count = static_cast<std::size_t>(end - rest.begin());
    if (count > 0) {
      emit_chain(builder, rest.first(count), value);
    } else {
      const OperatorRow* row = find_operator_row(*rest.front());
      if (is_refused || row == nullptr) {
        throw Error(ErrorCode::unsupported,
                    format("the shape arithmetic of {} could not be computed on the host",
                           rest.front()->op_type()));
      }
      count = row->emit(builder, *rest.front(), rest.subspan(1)) + 1;
      const std::span<const Node* const> group = rest.first(count);
      builder.command_list().set_group(*rest.front(), {group.begin(), group.end()});
    }
    value = rest[count - 1]->output(0);
    rest = rest.subspan(count);
  }
}

PreparedPtr SubgraphKernel::prepare(const PrepareContext& context) const {
  DevicePlanBuilder builder(device_, constants_, product_groups_, inputs_, context);
  for (const Node* node : members_) builder.infer(*node);
  for (const Unit& unit : units_) {
    try {
      emit(builder, unit);
    } catch (Error& error) {
      throw error.at_node(unit.head->name(), unit.head->op_type());
    }
  }
  auto plan = std::make_unique<const DevicePlan>(device_, builder.finish(outputs_));
  const PlanFigures& figures = plan->figures();
  log_debug(
      format("cuda: {} nodes, {} launches, {} copies in ({} bytes), {} copies out ({} bytes), "
             "{} bytes of values",
             members_.size(), figures.launches, figures.copies_in, figures.bytes_in,
             figures.copies_out, figures.bytes_out, figures.arena_bytes));
  return plan;
}

}  // namespace ortool::cuda
