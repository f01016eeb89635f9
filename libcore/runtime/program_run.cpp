// Program run: plan after plan, with dynamic steps between them.
#include "libcore/runtime/program_run.hpp"

#include <algorithm>

#include "libcore/base/format.hpp"
#include "libcore/lower/node_predicates.hpp"

namespace ortool {

Program::Run::~Run() {
  for (std::unique_ptr<Frame>& frame : frames_) program_.frames_.give_back(std::move(frame));
}

void Program::Run::start(const std::shared_ptr<const Plan>& plan) {
  for (const Plan::OwnOutput& output : plan->own_outputs()) {
    const auto index = static_cast<std::size_t>(output.index);
    try {
      Tensor tensor;
      if (environment.value_memory != nullptr) {
        tensor = environment.value_memory->make(*program_.graph_.outputs()[index], output.type,
                                                output.shape);
      }
      if (tensor.is_empty()) tensor = bound_.writable(index, output.type, output.shape);
      outputs_[index] = !tensor.is_empty() ? std::move(tensor)
                                           : Tensor(output.type, output.shape, environment.cap);
    } catch (Error& error) {
      if (output.producer == nullptr) throw;
      throw error.at_node(output.producer->name(), output.producer->op_type());
    }
  }
  frames_.push_back(program_.frames_.take(plan, environment.cap));
  frames_.back()->bind(sources());
  note_last_reads(*plan);
}

void Program::Run::note_last_reads(const Plan& plan) {
  constexpr std::size_t never = static_cast<std::size_t>(-1);
  last_reads_.clear();
  freed_ = 0;
  // Bodies, later plans, observers and devices read inputs when their own steps are done.
  const bool is_simple = !inputs.empty() && environment.given_away.data() == inputs.data() &&
                         plan.ordinal() == 0 && plan.end() == Plan::End::outputs &&
                         plan.level_ends().empty() && environment.observer == nullptr &&
                         environment.value_memory == nullptr;
  if (!is_simple) return;
  std::vector<std::size_t> last(inputs.size(), never);
  for (std::size_t index = 0; index < plan.steps().size(); ++index) {
    const Plan::Step& step = plan.steps()[index];
    for (std::size_t i = 0; i < step.input_count; ++i) {
      const Location& location = plan.operands()[step.first_operand + i];
      if (location.place == Location::Place::input)
        last[static_cast<std::size_t>(location.index)] = index;
    }
  }
  for (const Plan::LiveOut& live_out : plan.live_outs()) {
    if (live_out.location.place == Location::Place::input)
      last[static_cast<std::size_t>(live_out.location.index)] = never;
  }
  for (std::size_t input = 0; input < last.size(); ++input) {
    if (last[input] != never) last_reads_.emplace_back(last[input], input);
  }
  std::sort(last_reads_.begin(), last_reads_.end());
}

void Program::Run::finish_step(std::size_t step) {
  for (; freed_ < last_reads_.size() && last_reads_[freed_].first == step; ++freed_)
    environment.given_away[last_reads_[freed_].second] = RunValue();
}

std::span<const std::byte> Program::Run::content(const Plan& plan, Slot slot) const {
  const Plan::LiveOut* live_out = plan.find_live_out(slot);
  ORTOOL_CHECK(live_out != nullptr);
  const Operand& operand = live_out->known->operand;
  const std::byte* bytes = frames_.back()->find(live_out->location, sources());
  if (environment.value_memory != nullptr) {
    if (const std::byte* here = environment.value_memory->on_host(bytes)) bytes = here;
  }
  return {bytes, static_cast<std::size_t>(bytes_of(operand.type, operand.shape.element_count()))};
}

RunValue Program::Run::lend(const KnownOperand& known, const Location& location) const {
  using Place = Location::Place;
  if (known.content != nullptr) return *known.content;
  const Operand& operand = known.operand;
  const auto index = static_cast<std::size_t>(location.index);
  if (location.place == Place::input || location.place == Place::made) {
    const RunValue& whole = location.place == Place::input ? inputs[index] : made_[index];
    const bool is_all_of_it = !whole.is_tensor() || (location.offset == 0 && operand.is_given() &&
                                                     operand.type == whole.tensor().type() &&
                                                     operand.shape == whole.tensor().shape());
    if (is_all_of_it) return whole;
  }
  const std::byte* bytes = frames_.back()->find(location, sources());
  if (operand.layout != Layout::plain) {
    Tensor plain(operand.type, operand.shape, environment.cap);
    copy_to_plain(bytes, operand.type, operand.shape, operand.layout, plain.mutable_bytes());
    return plain;
  }
  const std::int64_t size = bytes_of(operand.type, operand.shape.element_count());
  return Tensor::view(operand.type, operand.shape, std::span(bytes, static_cast<std::size_t>(size)),
                      nullptr);
}

void Program::execute_step(const Plan& plan, std::size_t index, Frame& frame, const Run& run,
                           Workers& workers) const {
  const Plan::Step& step = plan.steps()[index];
  const RunEnvironment& environment = run.environment;
  if (workers.stop() != nullptr) workers.stop()->poll();
  const RunContext context(frame.inputs(index), frame.outputs(index), frame.workspace(index),
                           workers);
  const CompiledStep& compiled = steps_[static_cast<std::size_t>(step.number)];
  try {
    if (environment.is_timed()) {
      time_step(compiled, *step.prepared, context, environment);
    } else {
      step.prepared->run(context);
    }
  } catch (Error& error) {
    throw error.at_node(compiled.node().name(), compiled.node().op_type());
  }
}

void Program::time_step(const CompiledStep& step, const Prepared& prepared,
                        const RunContext& context, const RunEnvironment& environment) const {
  const std::int64_t begin = environment.elapsed_ns();
  DeviceReport report = environment.new_report();
  if (const auto* reporting = dynamic_cast<const ReportingPrepared*>(&prepared)) {
    reporting->run_reporting(context, report);
  } else {
    prepared.run(context);
  }
  record(environment, step, begin, report);
}

void Program::record(const RunEnvironment& environment, const CompiledStep& step,
                     std::int64_t begin_ns, const DeviceReport& report) const {
  const std::int64_t duration_ns = environment.elapsed_ns() - begin_ns;
  const std::lock_guard lock(*environment.profile_mutex);
  if (environment.device != nullptr) environment.device->add(report);
  if (environment.profile == nullptr) return;
  std::vector<ProfileEvent>& events = environment.profile->events;
  if (report.events.empty()) {
    events.push_back({step.node().name(), step.node().op_type(), step.provider_name(),
                      step.kernel_name(), depth_, begin_ns, duration_ns});
  }
  for (const DeviceEvent& event : report.events) {
    events.push_back({event.label(), event.nodes.empty() ? "" : event.nodes.front()->op_type(),
                      step.provider_name(), event.kernel, depth_, begin_ns + event.start_ns,
                      event.duration_ns});
  }
}

void Program::tell_done(const RunEnvironment& environment, std::int64_t done) const {
  if (environment.progress != nullptr && depth_ == 0)
    environment.progress->tell_done(done, static_cast<std::int64_t>(steps_.size()));
}

void Program::execute(const Plan& plan, Run& run) const {
  const RunEnvironment& environment = run.environment;
  Workers& workers = environment.workers;
  Frame& frame = run.frame();
  if (environment.observer != nullptr) {
    std::size_t index = 0;
    for (std::int32_t number = plan.first_step(); number < plan.end_step(); ++number) {
      if (index < plan.steps().size() && plan.steps()[index].number == number)
        execute_step(plan, index++, frame, run, workers);
      observe(plan, number, run);
      tell_done(environment, number + 1);
    }
    return;
  }
  std::size_t begin = 0;
  for (const std::size_t end : plan.level_ends()) {
    workers.begin_step(&steps_[static_cast<std::size_t>(plan.steps()[begin].number)]);
    if (end - begin == 1) {
      execute_step(plan, begin, frame, run, workers);
    } else {
      workers.parallel_for(static_cast<std::int64_t>(end - begin), [&](std::int64_t task) {
        execute_step(plan, begin + static_cast<std::size_t>(task), frame, run, workers);
      });
    }
    begin = end;
    tell_done(environment, plan.first_step() + static_cast<std::int64_t>(end));
  }
  for (std::size_t index = begin; index < plan.steps().size(); ++index) {
    workers.begin_step(&steps_[static_cast<std::size_t>(plan.steps()[index].number)]);
    execute_step(plan, index, frame, run, workers);
    run.finish_step(index);
    tell_done(environment, plan.steps()[index].number + 1);
  }
}

void Program::observe(const Plan& plan, std::int32_t number, const Run& run) const {
  const CompiledStep& step = steps_[static_cast<std::size_t>(number)];
  if (is_reorder(step.node())) return;
  for (std::size_t i = 0; i < step.output_slots.size(); ++i) {
    const Slot slot = step.output_slots[i];
    if (slot == no_slot) continue;
    const Value& output = *step.outputs[i];
    run.environment.observer->observe(*output.producer(), output.producer_index(),
                                      run.lend(*plan.table().entry(slot), plan.location(slot)));
  }
}

void Program::run_dynamic_step(const Plan& plan, Run& run) const {
  const CompiledStep& step = steps_[static_cast<std::size_t>(plan.end_step())];
  const RunEnvironment& environment = run.environment;
  environment.poll();
  std::vector<RunValue> inputs;
  inputs.reserve(step.input_slots.size());
  for (const Slot slot : step.input_slots) {
    if (slot == no_slot) {
      inputs.emplace_back();
    } else if (is_constant_slot(slot)) {
      inputs.emplace_back(constants_[constant_index(slot)].known.peek_value()->aligned());
    } else {
      const Plan::LiveOut* live_out = plan.find_live_out(slot);
      ORTOOL_CHECK(live_out != nullptr);
      inputs.push_back(run.lend(*live_out->known, live_out->location));
    }
  }
  std::vector<RunValue> outputs(step.output_slots.size());
  DynamicContext context(step.node(), inputs, outputs, environment.workers, environment.cap);
  const std::int64_t begin = environment.is_timed() ? environment.elapsed_ns() : 0;
  environment.workers.begin_step(&step);
  DeviceReport report = environment.new_report();
  try {
    const auto* reporting =
        environment.is_timed() ? dynamic_cast<const ReportingKernel*>(step.kernel.get()) : nullptr;
    if (step.control_flow != nullptr) {
      step.control_flow->run(context, environment);
    } else if (reporting != nullptr) {
      reporting->run_dynamic_reporting(context, report);
    } else {
      step.kernel->run_dynamic(context);
    }
  } catch (Error& error) {
    throw error.at_node(step.node().name(), step.node().op_type());
  }
  if (environment.is_timed()) record(environment, step, begin, report);
  tell_done(environment, plan.end_step() + 1);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Slot slot = step.output_slots[i];
    if (slot == no_slot) continue;
    if (environment.observer != nullptr)
      environment.observer->observe(step.node(), static_cast<std::int64_t>(i), outputs[i]);
    run.set_made_value(slot, std::move(outputs[i]));
  }
}

std::vector<RunValue> Program::collect_outputs(const Plan& plan, Run& run) const {
  for (std::size_t i = 0; i < output_slots_.size(); ++i) {
    const Slot slot = output_slots_[i];
    ORTOOL_CHECK(slot != no_slot);
    RunValue& output = run.output(i);
    if (is_constant_slot(slot)) {
      output = constants_[constant_index(slot)].known.peek_value()->aligned();
      if (run.bound().is_bound(i)) output = run.bound().store(i, output);
      continue;
    }
    const Plan::LiveOut* live_out = plan.find_live_out(slot);
    ORTOOL_CHECK(live_out != nullptr);
    const Location& location = live_out->location;
    const bool is_written = location.place == Location::Place::output && location.offset == 0 &&
                            static_cast<std::size_t>(location.index) == i;
    if (run.bound().is_bound(i)) {
      output = run.bound().store(i, is_written ? output : run.lend(*live_out->known, location));
    } else if (!is_written) {
      output = run.lend(*live_out->known, location).owned(run.environment.cap);
    }
  }
  return run.take_outputs();
}

}  // namespace ortool
