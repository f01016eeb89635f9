// Plan construction: shape inference, kernel preparation, and memory layout.
#include <algorithm>

#include "libcore/base/format.hpp"
#include "libcore/provider/check_view.hpp"
#include "libcore/provider/evaluate.hpp"
#include "libcore/provider/shape_rule.hpp"
#include "libcore/runtime/plan/plan.hpp"
#include "libcore/runtime/plan/plan_diff.hpp"
#include "libcore/runtime/plan/plan_layout.hpp"

namespace ortool {
namespace {

/// Small results are computed at plan time if all their inputs are known.
constexpr std::int64_t max_plan_time_bytes = 64 << 10;
/// Content that shapes depend on is part of a plan's key, so it must be small.
constexpr std::int64_t max_wanted_elements = 1024;

bool all_known(const std::vector<Operand>& operands) {
  return std::all_of(operands.begin(), operands.end(), [](const Operand& operand) {
    return !operand.is_given() || operand.known.peek_value() != nullptr;
  });
}

bool are_small(const std::vector<Operand>& operands) {
  std::int64_t bytes = 0;
  for (const Operand& operand : operands) {
    if (operand.type == DataType::string || operand.layout != Layout::plain) return false;
    if (operand.is_given()) bytes += operand.size_bytes();
  }
  return bytes <= max_plan_time_bytes;
}

/// A view of known content as known content.
Tensor known_view(const Tensor& content, const BytesView& view, const Operand& output) {
  const std::int64_t bytes = bytes_of(output.type, output.shape.element_count());
  auto owner = std::make_shared<const Tensor>(content);
  return Tensor::view(
      output.type, output.shape,
      std::span(content.bytes() + view.offset_bytes, static_cast<std::size_t>(bytes)), owner);
}

}  // namespace

class PlanBuilder {
 public:
  PlanBuilder(const PlanContext& context, std::int32_t first_step, std::int32_t ordinal,
              OperandTable table, std::vector<Plan::LiveOut> earlier, const Plan* like)
      : context_(context),
        plan_(new Plan(std::move(table))),
        earlier_(std::move(earlier)),
        like_(like),
        diff_(like, plan_->table_) {
    plan_->first_step_ = first_step;
    plan_->ordinal_ = ordinal;
  }

  std::shared_ptr<const Plan> build() {
    prepare_steps();
    lay_out();
    return std::move(plan_);
  }

 private:
  using StepNumber = std::int32_t;

  const CompiledStep& step(StepNumber number) const {
    return context_.steps[static_cast<std::size_t>(number)];
  }
  OperandTable& table() { return plan_->table_; }

  bool is_wholly_known(const CompiledStep& step) {
    return std::all_of(step.output_slots.begin(), step.output_slots.end(), [&](Slot slot) {
      return slot == no_slot || table().at(slot).known.peek_value() != nullptr;
    });
  }

  void set(Slot slot, KnownOperandPtr known) {
    if (like_ != nullptr) diff_.note(slot, diff_.compare(known->operand, slot));
    table().set(slot, std::move(known));
  }

  /// Reuses a step of the similar plan, if nothing that was accessed differs.
  bool take_over(StepNumber number) {
    if (like_ == nullptr || number >= like_->end_step()) return false;
    const CompiledStep& step = this->step(number);
    const auto index = static_cast<std::size_t>(number - plan_->first_step_);
    const std::uint64_t looks = like_->looks_[index];
    for (std::size_t i = 0; i < step.input_slots.size(); ++i) {
      const SlotDiff input = diff_.of(step.input_slots[i]);
      if (!input.has_one_type || (!input.has_one_content && (looks & bit_of(i)) != 0)) return false;
    }
    for (const CompiledStep::Member& member : step.members) {
      for (const Slot slot : member.outputs) {
        if (slot == no_slot) continue;
        diff_.note(slot, {true, true});
        table().set(slot, like_->table().entry(slot));
      }
    }
    plan_->prepared_.push_back(like_->prepared_[index]);
    plan_->looks_.push_back(looks);
    return true;
  }

  static std::uint64_t bit_of(std::size_t input) {
    return std::uint64_t{1} << std::min<std::size_t>(input, 63);
  }

  /// Records content accesses to the operands of `slots` for the current step.
  void note_looks(const CompiledStep& step, std::span<const Slot> slots,
                  std::span<const Operand> operands) {
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (!operands[i].known.was_read()) continue;
      for (std::size_t input = 0; input < step.input_slots.size(); ++input) {
        if (step.input_slots[input] == slots[i]) plan_->looks_.back() |= bit_of(input);
      }
    }
  }

  /// Runs the shape rules of a group. False: a rule needs the content of `plan_->wanted_`.
  bool infer(const CompiledStep& step) {
    for (const CompiledStep::Member& member : step.members) {
      const std::vector<Operand> inputs = table().gather(member.inputs);
      std::vector<std::int64_t> wanted;
      std::vector<RuledOutput> outputs = apply_shape_rule(*member.node, inputs, wanted);
      note_looks(step, member.inputs, inputs);
      for (std::size_t i = 0; i < outputs.size(); ++i) {
        const Slot slot = member.outputs[i];
        if (slot == no_slot) continue;
        if (!outputs[i].shape) {
          ask_for(member, inputs, wanted);
          return false;
        }
        if (outputs[i].content) {
          set(slot, KnownOperand::of_content(std::move(*outputs[i].content)));
        } else {
          const bool is_made = member.node == step.view.members().back();
          const Layout layout = is_made ? step.view.layouts().output(i) : Layout::plain;
          set(slot, KnownOperand::of_form(outputs[i].type, std::move(*outputs[i].shape), layout));
        }
      }
    }
    return true;
  }

  void ask_for(const CompiledStep::Member& member, const std::vector<Operand>& inputs,
               const std::vector<std::int64_t>& wanted) {
    for (const std::int64_t index : wanted) {
      const Operand& operand = inputs[static_cast<std::size_t>(index)];
      const Slot slot = member.inputs[static_cast<std::size_t>(index)];
      const bool can_be_known = operand.is_given() && operand.known.peek_value() == nullptr &&
                                operand.type != DataType::string &&
                                operand.shape.element_count() <= max_wanted_elements;
      const bool is_new =
          std::find(plan_->wanted_.begin(), plan_->wanted_.end(), slot) == plan_->wanted_.end();
      if (can_be_known && is_new) plan_->wanted_.push_back(slot);
    }
    if (!plan_->wanted_.empty()) return;
    throw Error(ErrorCode::unsupported,
                "the shape of an output cannot be determined from the inputs",
                "an operand has a type or size that is not supported")
        .at_node(member.node->name(), member.node->op_type())
        .with_id("shape.data_dependent");
  }

  /// Kernels build tables as large as their outputs: sizes that no run could hold are rejected
  /// first.
  void check_sizes(const std::vector<Operand>& outputs) const {
    if (context_.cap == nullptr || context_.cap->limit_bytes() == 0) return;
    for (const Operand& output : outputs) {
      const std::int64_t bytes = output.is_given() ? output.size_bytes() : 0;
      if (bytes > context_.cap->limit_bytes()) context_.cap->take(bytes, "a tensor");
    }
  }

  /// Prepares the step's kernel, or computes known values. Null: all values are known.
  std::shared_ptr<const Prepared> prepare(const CompiledStep& step) {
    if (is_wholly_known(step)) return nullptr;
    const std::vector<Operand> inputs = table().gather(step.input_slots);
    const std::vector<Operand> outputs = table().gather(step.output_slots);
    if (all_known(inputs) && are_small(outputs)) {
      plan_->looks_.back() = ~std::uint64_t{0};
      std::vector<Tensor> results =
          evaluate(*step.kernel, inputs, outputs, context_.workers, context_.cap);
      for (std::size_t i = 0; i < results.size(); ++i) {
        if (step.output_slots[i] != no_slot)
          set(step.output_slots[i], KnownOperand::of_content(std::move(results[i])));
      }
      return nullptr;
    }
    check_sizes(outputs);
    std::shared_ptr<const Prepared> prepared =
        step.kernel->prepare({inputs, outputs, context_.cap, context_.workers.stop()});
    note_looks(step, step.input_slots, inputs);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const std::optional<BytesView> view = prepared->view_of(i);
      if (!view || step.output_slots[i] == no_slot) continue;
      check_view(*view, inputs[view->input], outputs[i]);
      const Tensor* content = inputs[view->input].known.peek_value();
      if (content == nullptr || content->type() == DataType::string) continue;
      plan_->looks_.back() |= bit_of(view->input);
      set(step.output_slots[i], KnownOperand::of_content(known_view(*content, *view, outputs[i])));
    }
    return is_wholly_known(step) ? nullptr : prepared;
  }

  void prepare_steps() {
    const auto count = static_cast<StepNumber>(context_.steps.size());
    StepNumber number = plan_->first_step_;
    for (; number < count; ++number) {
      const CompiledStep& step = this->step(number);
      if ((number & 255) == 0 && context_.workers.stop() != nullptr)
        context_.workers.stop()->poll();
      if (step.is_dynamic()) {
        plan_->end_ = Plan::End::dynamic;
        break;
      }
      if (take_over(number)) continue;
      plan_->looks_.push_back(0);
      if (!infer(step)) {
        plan_->end_ = Plan::End::content;
        break;
      }
      try {
        plan_->prepared_.push_back(prepare(step));
      } catch (Error& error) {
        throw error.at_node(step.node().name(), step.node().op_type());
      }
    }
    plan_->end_step_ = number;
  }

  /// The level of each own step: one more than the highest level of its producers.
  std::vector<std::int32_t> levels() const {
    std::vector<std::int32_t> result;
    std::vector<std::int32_t> level_of;  // by slot from the table's first on
    const auto at = [&](Slot slot) -> std::int32_t {
      const auto index = static_cast<std::size_t>(slot - plan_->table_.first());
      return slot >= plan_->table_.first() && index < level_of.size() ? level_of[index] : -1;
    };
    for (StepNumber number = plan_->first_step_; number < plan_->end_step_; ++number) {
      const CompiledStep& each = step(number);
      std::int32_t level = 0;
      for (const Slot slot : each.input_slots) {
        if (slot != no_slot && !is_constant_slot(slot)) level = std::max(level, at(slot) + 1);
      }
      for (const Slot slot : each.output_slots) {
        if (slot == no_slot) continue;
        const auto index = static_cast<std::size_t>(slot - plan_->table_.first());
        if (level_of.size() <= index) level_of.resize(index + 1, -1);
        level_of[index] = level;
      }
      result.push_back(level);
    }
    return result;
  }

  void lay_out() {
    const OperandTable& table = plan_->table_;
    const auto own_steps = static_cast<std::size_t>(plan_->end_step_ - plan_->first_step_);
    std::vector<std::int32_t> times(own_steps);
    if (context_.is_parallel) {
      times = levels();
    } else {
      for (std::size_t i = 0; i < own_steps; ++i)
        times[i] = plan_->first_step_ + static_cast<StepNumber>(i);
    }
    PlanLayout layout(context_, table, earlier_, last_times(times));
    std::vector<std::int32_t> workspaces(own_steps, -1);
    for (std::size_t i = 0; i < own_steps; ++i) {
      const Prepared* prepared = plan_->prepared_[i].get();
      if (prepared == nullptr) continue;
      const CompiledStep& each = step(plan_->first_step_ + static_cast<StepNumber>(i));
      layout.place_outputs(times[i], each, *prepared);
      workspaces[i] = layout.add_workspace(times[i], prepared->workspace_bytes());
    }
    plan_->own_outputs_ = layout.place_program_outputs();
    plan_->arena_bytes_ = layout.assign_offsets();
    add_steps(layout, times, workspaces);
    add_locations(layout);
    add_live_outs(layout);
  }

  /// The number of slots of the plan's own steps, including inner ones of groups.
  std::size_t own_slots() const {
    Slot end = plan_->table_.first();
    for (StepNumber number = plan_->end_step_; number > plan_->first_step_; --number) {
      for (const CompiledStep::Member& member : step(number - 1).members) {
        for (const Slot slot : member.outputs) end = std::max(end, slot + 1);
      }
      if (end > plan_->table_.first()) break;
    }
    return static_cast<std::size_t>(end - plan_->table_.first());
  }

  /// The last use of each own slot, in the times of the layout; values used later remain live.
  std::vector<std::int32_t> last_times(const std::vector<std::int32_t>& times) const {
    const Slot first = plan_->table_.first();
    std::vector<std::int32_t> result(own_slots(), -1);
    for (StepNumber number = plan_->first_step_; number < plan_->end_step_; ++number) {
      for (const Slot slot : step(number).output_slots) {
        if (slot == no_slot) continue;
        const auto index = static_cast<std::size_t>(slot - first);
        if (context_.last_uses[static_cast<std::size_t>(slot)] >= plan_->end_step_)
          result[index] = static_cast<std::int32_t>(context_.steps.size()) + 1;
      }
    }
    for (StepNumber number = plan_->first_step_; number < plan_->end_step_; ++number) {
      const std::int32_t time = times[static_cast<std::size_t>(number - plan_->first_step_)];
      for (const Slot slot : step(number).input_slots) {
        if (slot < first) continue;
        std::int32_t& last = result[static_cast<std::size_t>(slot - first)];
        last = std::max(last, time);
      }
    }
    return result;
  }

  void add_steps(const PlanLayout& layout, const std::vector<std::int32_t>& times,
                 const std::vector<std::int32_t>& workspaces) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (plan_->prepared_[i] != nullptr && !plan_->prepared_[i]->view_of(0)) order.push_back(i);
    }
    if (context_.is_parallel) {
      std::stable_sort(order.begin(), order.end(),
                       [&](std::size_t a, std::size_t b) { return times[a] < times[b]; });
    }
    plan_->steps_.reserve(order.size());
    plan_->operands_.reserve(3 * order.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
      const std::size_t i = order[k];
      const StepNumber number = plan_->first_step_ + static_cast<StepNumber>(i);
      Plan::Step& planned = plan_->steps_.emplace_back();
      planned.number = number;
      planned.prepared = plan_->prepared_[i];
      planned.first_operand = plan_->operands_.size();
      planned.input_count = step(number).input_slots.size();
      planned.output_count = step(number).output_slots.size();
      for (const Slot slot : step(number).input_slots)
        plan_->operands_.push_back(layout.locate(slot));
      for (const Slot slot : step(number).output_slots)
        plan_->operands_.push_back(layout.locate(slot));
      planned.workspace = layout.workspace_offset(workspaces[i]);
      const bool is_last = k + 1 == order.size() || times[order[k + 1]] != times[i];
      if (context_.is_parallel && is_last) plan_->level_ends_.push_back(k + 1);
    }
  }

  void add_locations(const PlanLayout& layout) {
    plan_->locations_.resize(own_slots());
    for (StepNumber number = plan_->first_step_; number < plan_->end_step_; ++number) {
      for (const Slot slot : step(number).output_slots) {
        if (slot == no_slot) continue;
        plan_->locations_[static_cast<std::size_t>(slot - plan_->table_.first())] =
            layout.locate(slot);
      }
    }
  }

  /// Lists the live-out values: earlier ones, and those of the plan's own steps.
  void add_live_outs(const PlanLayout& layout) {
    const auto is_read_later = [&](Slot slot) {
      return context_.last_uses[static_cast<std::size_t>(slot)] >= plan_->end_step_;
    };
    for (Plan::LiveOut& live_out : earlier_) {
      if (is_read_later(live_out.slot)) plan_->live_outs_.push_back(std::move(live_out));
    }
    for (StepNumber number = plan_->first_step_; number < plan_->end_step_; ++number) {
      for (const Slot slot : step(number).output_slots) {
        if (slot == no_slot || !is_read_later(slot)) continue;
        Location location = layout.locate(slot);
        if (location.place == Location::Place::arena) {
          location.place = Location::Place::earlier;
          location.index = plan_->ordinal_;
        }
        plan_->live_outs_.push_back({slot, plan_->table_.entry(slot), location});
      }
    }
  }

  const PlanContext& context_;
  std::shared_ptr<Plan> plan_;
  std::vector<Plan::LiveOut> earlier_;
  const Plan* like_;
  PlanDiff diff_;
};

std::shared_ptr<const Plan> Plan::build(const PlanContext& context, std::int32_t first_step,
                                        std::int32_t ordinal, OperandTable table,
                                        std::vector<LiveOut> earlier, const Plan* like) {
  return PlanBuilder(context, first_step, ordinal, std::move(table), std::move(earlier), like)
      .build();
}

}  // namespace ortool
