// Building a plan: shapes, prepared kernels, views, in-place results and the arena.
#include <algorithm>
#include <array>

#include "libcore/base/format.hpp"
#include "libcore/runtime/evaluate.hpp"
#include "libcore/runtime/plan.hpp"
#include "libcore/runtime/plan_memory.hpp"

namespace ortool {
namespace {

/// Small results are computed while planning when all they need is known.
constexpr std::int64_t most_plan_time_bytes = 64 << 10;

bool all_known(const std::vector<Operand>& operands) {
  return std::all_of(operands.begin(), operands.end(), [](const Operand& operand) {
    return !operand.is_given() || operand.known != nullptr;
  });
}

bool are_small(const std::vector<Operand>& operands) {
  std::int64_t bytes = 0;
  for (const Operand& operand : operands) {
    if (operand.type == DataType::string) return false;
    if (operand.is_given()) bytes += bytes_of(operand.type, operand.shape.element_count());
  }
  return bytes <= most_plan_time_bytes;
}

bool is_wholly_known(const CompiledStep& step, const OperandTable& table) {
  return std::all_of(step.outputs.begin(), step.outputs.end(), [&](const Value* value) {
    return value == nullptr || table.at(value).known != nullptr;
  });
}

}  // namespace

/// Where values lie. Values that share bytes share a root.
class Plan::Layout {
 public:
  Layout(const Graph& graph, const OperandTable& table, std::vector<std::int32_t> last_uses)
      : graph_(graph),
        table_(table),
        last_uses_(std::move(last_uses)),
        root_of_(last_uses_.size(), -1) {
    std::int32_t index = 0;
    for (const Value* input : graph.inputs()) {
      root_of_[id(input)] = add_root({Place::input, index++, -1, -1, 0});
    }
  }

  /// Gives the outputs of step `number` their places.
  void place_outputs(std::int32_t number, const CompiledStep& step, const Prepared& prepared) {
    for (std::size_t i = 0; i < step.outputs.size(); ++i) {
      const Value* value = step.outputs[i];
      if (value == nullptr || table_.at(value).known != nullptr) continue;
      const std::int32_t shared = i == 0 ? shared_root(number, step, prepared) : -1;
      const std::int32_t root = shared >= 0 ? shared : new_root(number, *value);
      root_of_[id(value)] = root;
      Root& entry = roots_[static_cast<std::size_t>(root)];
      entry.last_step = std::max(entry.last_step, std::max(number, last_uses_[id(value)]));
    }
  }

  /// A buffer that lives for one step.
  std::int32_t add_workspace(std::int32_t number, std::int64_t bytes) {
    return bytes > 0 ? add_root({Place::arena, 0, number, number, bytes}) : -1;
  }

  /// Lets graph outputs be written where the caller gets them; lists the ones that must be copied.
  std::vector<OutputCopy> place_graph_outputs() {
    std::vector<std::pair<std::int32_t, const Value*>> late;
    std::int32_t index = -1;
    for (const Value* output : graph_.outputs()) {
      ++index;
      const std::int32_t root = root_of_[id(output)];
      if (root >= 0 && roots_[static_cast<std::size_t>(root)].place == Place::arena) {
        roots_[static_cast<std::size_t>(root)].place = Place::output;
        roots_[static_cast<std::size_t>(root)].index = index;
      } else {
        late.emplace_back(index, output);
      }
    }
    std::vector<OutputCopy> copies;
    for (const auto& [output, value] : late) {
      const Operand& operand = table_.at(value);
      copies.push_back(
          {locate(value), output, bytes_of(operand.type, operand.shape.element_count())});
    }
    return copies;
  }

  std::int64_t assign_offsets() {
    std::vector<PlannedBuffer> buffers;
    std::vector<Root*> owners;
    for (Root& root : roots_) {
      if (root.place != Place::arena) continue;
      buffers.push_back({root.bytes, root.first_step, root.last_step, 0});
      owners.push_back(&root);
    }
    const std::int64_t arena_bytes = plan_memory(buffers);
    for (std::size_t i = 0; i < owners.size(); ++i) owners[i]->offset = buffers[i].offset;
    return arena_bytes;
  }

  Location locate(const Value* value) const {
    if (value == nullptr) return {};
    if (const Tensor* known = table_.at(value).known)
      return {.place = Place::constant, .pointer = known->bytes()};
    return locate_root(root_of_[id(value)]);
  }

  Location locate_root(std::int32_t index) const {
    if (index < 0) return {};
    const Root& root = roots_[static_cast<std::size_t>(index)];
    return {.place = root.place, .index = root.index, .offset = root.offset};
  }

 private:
  struct Root {
    Place place;
    std::int32_t index;
    std::int32_t first_step;
    std::int32_t last_step;
    std::int64_t bytes;
    std::int64_t offset = 0;
  };

  static std::size_t id(const Value* value) { return static_cast<std::size_t>(value->id()); }

  std::int64_t bytes(const Value& value) const {
    const Operand& operand = table_.at(&value);
    return bytes_of(operand.type, operand.shape.element_count());
  }

  std::int32_t add_root(Root root) {
    roots_.push_back(root);
    return static_cast<std::int32_t>(roots_.size() - 1);
  }

  std::int32_t new_root(std::int32_t number, const Value& value) {
    return add_root({Place::arena, 0, number, number, bytes(value)});
  }

  /// The root that output 0 shares with an input: as its view, or written over it at its last use.
  std::int32_t shared_root(std::int32_t number, const CompiledStep& step,
                           const Prepared& prepared) const {
    if (const std::optional<std::size_t> source = prepared.view_of()) {
      return root_of_[id(step.inputs[*source])];
    }
    for (std::size_t i = 0; i < step.inputs.size(); ++i) {
      const Value* input = step.inputs[i];
      if (input == nullptr || table_.at(input).known != nullptr || !prepared.can_overwrite(i))
        continue;
      const std::int32_t root = root_of_[id(input)];
      const Root& entry = roots_[static_cast<std::size_t>(root)];
      const auto readers =
          std::count_if(step.inputs.begin(), step.inputs.end(), [&](const Value* other) {
            return other != nullptr && table_.at(other).known == nullptr &&
                   root_of_[id(other)] == root;
          });
      if (entry.place == Place::arena && entry.last_step == number && readers == 1 &&
          entry.bytes == bytes(*step.outputs[0])) {
        return root;
      }
    }
    return -1;
  }

  const Graph& graph_;
  const OperandTable& table_;
  std::vector<std::int32_t> last_uses_;  ///< by value id: the last step that reads it
  std::vector<std::int32_t> root_of_;    ///< by value id; -1 for constants
  std::vector<Root> roots_;
};

namespace {

std::vector<std::int32_t> last_uses(const Graph& graph, const std::vector<CompiledStep>& steps) {
  std::int32_t highest = 0;
  for (const Value* value : graph.values()) highest = std::max(highest, value->id());
  std::vector<std::int32_t> result(static_cast<std::size_t>(highest) + 1, -1);
  for (std::size_t number = 0; number < steps.size(); ++number) {
    for (const Value* input : steps[number].inputs) {
      if (input != nullptr)
        result[static_cast<std::size_t>(input->id())] = static_cast<std::int32_t>(number);
    }
  }
  for (const Value* output : graph.outputs()) {
    result[static_cast<std::size_t>(output->id())] = static_cast<std::int32_t>(steps.size());
  }
  return result;
}

/// A view whose source is known, or whose source is only known by its bytes: made known as well.
std::optional<Tensor> known_view(const Prepared& prepared, const std::vector<Operand>& inputs,
                                 const Operand& output) {
  const std::optional<std::size_t> source = prepared.view_of();
  if (!source || inputs[*source].known == nullptr) return std::nullopt;
  return inputs[*source].known->reshaped(output.shape);
}

}  // namespace

std::shared_ptr<const Plan> Plan::build(const BuildContext& context, OperandTable operands,
                                        std::vector<const Value*>& wanted) {
  std::shared_ptr<Plan> plan(new Plan(std::move(operands), context.steps));
  OperandTable& table = plan->table_;
  struct Pending {
    std::int32_t number;
    PreparedPtr prepared;
  };
  std::vector<Pending> pending;
  for (std::size_t number = 0; number < context.steps.size(); ++number) {
    const CompiledStep& step = context.steps[number];
    for (const Node* member : step.view.members()) {
      if (!table.infer(*member, wanted)) return nullptr;
    }
    if (is_wholly_known(step, table)) continue;
    const std::vector<Operand> inputs = table.gather(step.inputs);
    const std::vector<Operand> outputs = table.gather(step.outputs);
    const Node& node = step.view.node();
    try {
      if (all_known(inputs) && are_small(outputs)) {
        std::vector<Tensor> results =
            evaluate(*step.kernel, inputs, outputs, context.workers, context.cap);
        for (std::size_t i = 0; i < results.size(); ++i) {
          if (step.outputs[i] != nullptr) table.set_known(*step.outputs[i], std::move(results[i]));
        }
        continue;
      }
      PreparedPtr prepared = step.kernel->prepare({inputs, outputs});
      if (std::optional<Tensor> view = known_view(*prepared, inputs, outputs[0])) {
        table.set_known(*step.outputs[0], std::move(*view));
        if (is_wholly_known(step, table)) continue;
      }
      pending.push_back({static_cast<std::int32_t>(number), std::move(prepared)});
    } catch (Error& error) {
      throw error.at_node(node.name(), node.op_type());
    }
  }

  Layout layout(context.graph, table, last_uses(context.graph, context.steps));
  std::vector<std::int32_t> workspaces;
  for (const Pending& each : pending) {
    const CompiledStep& step = context.steps[static_cast<std::size_t>(each.number)];
    layout.place_outputs(each.number, step, *each.prepared);
    workspaces.push_back(layout.add_workspace(each.number, each.prepared->workspace_bytes()));
  }
  plan->copies_ = layout.place_graph_outputs();
  plan->arena_bytes_ = layout.assign_offsets();
  for (std::size_t i = 0; i < pending.size(); ++i) {
    const CompiledStep& step = context.steps[static_cast<std::size_t>(pending[i].number)];
    if (pending[i].prepared->view_of()) continue;
    Step& planned = plan->steps_.emplace_back();
    planned.number = pending[i].number;
    planned.prepared = std::move(pending[i].prepared);
    for (const Value* input : step.inputs) planned.inputs.push_back(layout.locate(input));
    for (const Value* output : step.outputs) planned.outputs.push_back(layout.locate(output));
    planned.workspace = layout.locate_root(workspaces[i]);
  }
  for (const Value* output : context.graph.outputs()) {
    const Operand& operand = table.at(output);
    plan->outputs_.push_back({operand.type, operand.shape, output->producer()});
  }
  return plan;
}

}  // namespace ortool
