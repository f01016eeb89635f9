// Program: compiles a graph, and looks up or builds the plan for a run.
#include "libcore/runtime/program.hpp"

#include <algorithm>

#include "libcore/base/format.hpp"
#include "libcore/base/memory/buffer_pool.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/runtime/program_run.hpp"

namespace ortool {
namespace {

/// A plan key: a sequence of numbers.
class PlanKey {
 public:
  void add(std::int64_t number) {
    text_.append(reinterpret_cast<const char*>(&number), sizeof(number));
  }
  void add_shape(const RunValue& value) {
    if (!value.is_tensor()) {
      add(-1 - static_cast<std::int64_t>(value.kind()));
      return;
    }
    const Tensor& tensor = value.tensor();
    add(static_cast<std::int64_t>(tensor.type()));
    add(tensor.shape().rank());
    for (const std::int64_t dimension : tensor.shape()) add(dimension);
  }
  void add_content(std::span<const std::byte> bytes) {
    add(static_cast<std::int64_t>(bytes.size()));
    text_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

KnownOperandPtr operand_of(const RunValue& value) {
  if (!value.is_tensor()) return KnownOperand::of_form(DataType::undefined, Shape());
  return KnownOperand::of_form(value.tensor().type(), value.tensor().shape());
}

CompiledStep compile_control_flow(PlacedGroup group, const MakeProgram& make_program) {
  const Node& node = group.view.node();
  CompiledStep step{.view = group.view,
                    .provider = nullptr,
                    .kernel = nullptr,
                    .control_flow = nullptr,
                    .inputs = {},
                    .outputs = {},
                    .reasons = std::move(group.reasons),
                    .input_slots = {},
                    .output_slots = {},
                    .members = {}};
  try {
    step.control_flow = make_control_flow(node, make_program);
  } catch (Error& error) {
    throw error.at_node(node.name(), node.op_type()).while_doing("compiling");
  }
  for (std::int64_t i = 0; i < node.input_count(); ++i) step.inputs.push_back(node.input(i));
  for (std::int64_t i = 0; i < node.implicit_input_count(); ++i)
    step.inputs.push_back(node.implicit_input(i));
  for (const Value* output : step.view.outputs()) step.outputs.push_back(output);
  return step;
}

}  // namespace

Program::Program(const Graph& graph, PlacedGraphs& placed, ConstantStore& constants,
                 const Options& options, const CompileContext& context, Progress& progress)
    : graph_(graph), options_(options), depth_(graph.depth()), plans_(options.plan_cache_bytes) {
  const MakeProgram make_program = [&](const Graph& body) {
    return std::make_shared<const Program>(body, placed, constants, options, context, progress);
  };
  std::vector<PlacedGroup> groups = std::move(placed.at(&graph));
  steps_.reserve(groups.size());
  const auto is_control_flow = [](const PlacedGroup& each) { return each.provider == nullptr; };
  for (auto next = groups.begin(); next != groups.end();) {
    if (is_control_flow(*next)) {
      steps_.push_back(compile_control_flow(std::move(*next++), make_program));
      progress.finish(static_cast<std::int64_t>(steps_.back().view.members().size()));
      continue;
    }
    const auto end = std::find_if(next, groups.end(), is_control_flow);
    for (CompiledStep& step : compile(std::span(next, end), constants, context, progress))
      steps_.push_back(std::move(step));
    next = end;
  }
  number_values(constants);
}

Program::~Program() = default;

Slot Program::add_slot(const Value& value, const Node* producer) {
  const auto slot = static_cast<Slot>(last_uses_.size());
  slots_.emplace(&value, slot);
  last_uses_.push_back(-1);
  made_numbers_.push_back(-1);
  producers_.push_back(producer);
  return slot;
}

Slot Program::slot_of(const Value* value) const {
  if (value == nullptr) return no_slot;
  const auto found = slots_.find(value);
  ORTOOL_CHECK(found != slots_.end());
  return found->second;
}

void Program::number_values(const ConstantStore& constants) {
  for (const Value* value : graph_.values()) {
    if (!value->is_constant()) continue;
    slots_.emplace(value, constant_slot(constants_.size()));
    constants_.push_back(constants.operand(*value));
  }
  for (const Value* input : graph_.inputs()) add_slot(*input, nullptr);
  for (const Value* captured : graph_.captures()) add_slot(*captured, nullptr);
  input_count_ = last_uses_.size();
  for (std::size_t number = 0; number < steps_.size(); ++number) {
    CompiledStep& step = steps_[number];
    first_slots_.push_back(static_cast<Slot>(last_uses_.size()));
    for (const Node* node : step.view.members()) {
      CompiledStep::Member& member = step.members.emplace_back();
      member.node = node;
      for (std::int64_t i = 0; i < node->output_count(); ++i) {
        const Value* output = node->output(i);
        if (output != nullptr) add_slot(*output, node);
      }
    }
    for (CompiledStep::Member& member : step.members) {
      for (std::int64_t i = 0; i < member.node->input_count(); ++i)
        member.inputs.push_back(slot_of(member.node->input(i)));
      for (std::int64_t i = 0; i < member.node->output_count(); ++i)
        member.outputs.push_back(slot_of(member.node->output(i)));
    }
    for (const Value* input : step.inputs) step.input_slots.push_back(slot_of(input));
    for (const Value* output : step.outputs) step.output_slots.push_back(slot_of(output));
    for (const Slot slot : step.input_slots) {
      if (slot >= 0) last_uses_[static_cast<std::size_t>(slot)] = static_cast<std::int32_t>(number);
    }
    if (!step.is_dynamic()) continue;
    for (const Slot slot : step.output_slots) {
      if (slot != no_slot) made_numbers_[static_cast<std::size_t>(slot)] = made_count_++;
    }
  }
  first_slots_.push_back(static_cast<Slot>(last_uses_.size()));
  for (const Value* output : graph_.outputs()) {
    output_slots_.push_back(slot_of(output));
    if (output_slots_.back() >= 0) {
      last_uses_[static_cast<std::size_t>(output_slots_.back())] =
          static_cast<std::int32_t>(steps_.size());
    }
  }
}

std::shared_ptr<const Plan> Program::build(std::int32_t first_step, std::int32_t ordinal,
                                           OperandTable table, std::vector<Plan::LiveOut> earlier,
                                           Workers& workers, MemoryCap* cap) const {
  std::shared_ptr<const Plan> like;
  {
    const std::lock_guard lock(latest_mutex_);
    const auto found = latest_.find(first_step);
    if (found != latest_.end()) like = found->second;
  }
  const PlanContext context{.steps = steps_,
                            .constants = constants_,
                            .outputs = output_slots_,
                            .last_uses = last_uses_,
                            .made_numbers = made_numbers_,
                            .producers = producers_,
                            .is_parallel = options_.is_parallel,
                            .workers = workers,
                            .cap = cap};
  // Memory that plans keep outlives the run.
  const BufferPool::Scope no_pool(nullptr);
  std::shared_ptr<const Plan> plan =
      Plan::build(context, first_step, ordinal, std::move(table), std::move(earlier), like.get());
  ++plan_count_;
  std::int64_t largest = arena_bytes_.load();
  while (plan->arena_bytes() > largest &&
         !arena_bytes_.compare_exchange_weak(largest, plan->arena_bytes())) {
  }
  const std::lock_guard lock(latest_mutex_);
  latest_[first_step] = plan;
  return plan;
}

std::shared_ptr<const Plan> Program::first_plan(const Run& run) const {
  PlanKey key;
  for (const RunValue& input : run.inputs) key.add_shape(input);
  if (std::shared_ptr<const Plan> plan = plans_.find(key.text())) return plan;
  OperandTable table(constants_, first_slots_[0]);
  std::vector<Plan::LiveOut> earlier;
  for (std::size_t i = 0; i < input_count_; ++i) {
    const auto slot = static_cast<Slot>(i);
    earlier.push_back(
        {slot, operand_of(run.inputs[i]), {.place = Location::Place::input, .index = slot}});
    table.set(slot, earlier.back().known);
  }
  std::shared_ptr<const Plan> plan = build(0, 0, std::move(table), std::move(earlier),
                                           run.environment.workers, run.environment.cap);
  plans_.insert(key.text(), plan);
  return plan;
}

std::shared_ptr<const Plan> Program::next_plan(const Plan& before, Run& run) const {
  PlanKey key;
  key.add(before.id());
  std::vector<Slot> made;
  std::int32_t first_step = before.end_step();
  if (before.end() == Plan::End::dynamic) {
    for (const Slot slot : steps_[static_cast<std::size_t>(first_step)].output_slots) {
      if (slot == no_slot) continue;
      made.push_back(slot);
      key.add_shape(run.made_value(slot));
    }
    ++first_step;
  } else {
    for (const Slot slot : before.wanted()) key.add_content(run.content(before, slot));
  }
  if (std::shared_ptr<const Plan> plan = plans_.find(key.text())) return plan;

  OperandTable table(constants_, first_slots_[static_cast<std::size_t>(first_step)]);
  std::vector<Plan::LiveOut> earlier = before.live_outs();
  for (const Slot slot : before.wanted()) {
    const auto found = std::find_if(earlier.begin(), earlier.end(),
                                    [&](const auto& live_out) { return live_out.slot == slot; });
    ORTOOL_CHECK(found != earlier.end());
    const Operand& operand = found->known->operand;
    found->known = KnownOperand::of_content(
        Tensor::view(operand.type, operand.shape, run.content(before, slot), nullptr).owned());
  }
  for (const Slot slot : made) {
    earlier.push_back(
        {slot,
         operand_of(run.made_value(slot)),
         {.place = Location::Place::made, .index = made_numbers_[static_cast<std::size_t>(slot)]}});
  }
  for (const Plan::LiveOut& live_out : earlier) table.set(live_out.slot, live_out.known);
  std::shared_ptr<const Plan> plan =
      build(first_step, before.ordinal() + 1, std::move(table), std::move(earlier),
            run.environment.workers, run.environment.cap);
  plans_.insert(key.text(), plan);
  return plan;
}

std::vector<RunValue> Program::run(std::span<const RunValue> inputs,
                                   const RunEnvironment& environment,
                                   const BoundOutputs& bound) const {
  ORTOOL_CHECK(inputs.size() == input_count_);
  Run run(*this, inputs, environment, bound);
  std::shared_ptr<const Plan> plan = first_plan(run);
  while (true) {
    run.start(plan);
    execute(*plan, run);
    if (plan->end() == Plan::End::outputs) return collect_outputs(*plan, run);
    if (plan->end() == Plan::End::dynamic) run_dynamic_step(*plan, run);
    plan = next_plan(*plan, run);
  }
}

void Program::release_arenas() const noexcept {
  frames_.release();
  for (const CompiledStep& step : steps_) {
    if (step.control_flow == nullptr) continue;
    for (const Program* program : step.control_flow->programs()) program->release_arenas();
  }
}

std::int64_t Program::packed_bytes() const {
  std::int64_t bytes = 0;
  for (const CompiledStep& step : steps_) {
    if (step.kernel != nullptr) bytes += step.kernel->packed_bytes();
    if (step.control_flow == nullptr) continue;
    for (const Program* program : step.control_flow->programs()) bytes += program->packed_bytes();
  }
  return bytes;
}

std::int64_t Program::constant_bytes(std::set<const std::byte*>& counted) const {
  std::int64_t bytes = 0;
  for (const CompiledStep& step : steps_) {
    for (std::size_t i = 0; i < step.inputs.size(); ++i) {
      const Slot slot = step.input_slots[i];
      if (!is_constant_slot(slot)) continue;
      if (step.kernel != nullptr && !step.kernel->needs_input(i)) continue;
      const Tensor& constant = *constants_[constant_index(slot)].known.peek_value();
      if (counted.insert(constant.bytes()).second) bytes += constant.size_bytes();
    }
    if (step.control_flow == nullptr) continue;
    for (const Program* program : step.control_flow->programs())
      bytes += program->constant_bytes(counted);
  }
  return bytes;
}

std::int64_t Program::arena_bytes() const {
  std::int64_t largest = arena_bytes_.load();
  for (const CompiledStep& step : steps_) {
    if (step.control_flow == nullptr) continue;
    for (const Program* program : step.control_flow->programs())
      largest = std::max(largest, program->arena_bytes());
  }
  return largest;
}

std::int64_t Program::plan_count() const {
  std::int64_t count = plan_count_.load();
  for (const CompiledStep& step : steps_) {
    if (step.control_flow == nullptr) continue;
    for (const Program* program : step.control_flow->programs()) count += program->plan_count();
  }
  return count;
}

}  // namespace ortool
