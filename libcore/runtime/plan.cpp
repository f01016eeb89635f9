// Running a plan: a frame of pointers and an arena, then one kernel after the other.
#include "libcore/runtime/plan.hpp"

#include <chrono>
#include <cstring>

#include "libcore/base/aligned_buffer.hpp"

namespace ortool {
namespace {

std::int64_t nanoseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() -
                                                              start)
      .count();
}

}  // namespace

/// The pointers of every step, with those into the arena and constants set once; the ones to the
/// run's inputs and outputs are patched each run.
struct Plan::Frame {
  struct Patch {
    std::size_t pointer;
    std::int32_t index;
  };
  struct StepPointers {
    std::size_t first;
    std::size_t inputs;
    std::size_t outputs;
    std::byte* workspace;
  };

  AlignedBuffer arena;
  std::vector<std::byte*> pointers;
  std::vector<StepPointers> steps;
  std::vector<Patch> inputs;
  std::vector<Patch> outputs;

  void add(const Location& location) {
    std::byte* pointer = nullptr;
    switch (location.place) {
      case Place::none:
        break;
      case Place::constant:
        pointer = const_cast<std::byte*>(location.pointer);
        break;
      case Place::input:
        inputs.push_back({pointers.size(), location.index});
        break;
      case Place::output:
        outputs.push_back({pointers.size(), location.index});
        break;
      case Place::arena:
        pointer = arena.data() + location.offset;
        break;
    }
    pointers.push_back(pointer);
  }
};

Plan::Plan(OperandTable table, const std::vector<CompiledStep>& compiled)
    : compiled_(compiled), table_(std::move(table)) {}

Plan::~Plan() = default;

std::unique_ptr<Plan::Frame> Plan::take_frame(MemoryCap* cap) const {
  {
    const std::lock_guard lock(mutex_);
    if (!free_frames_.empty()) {
      std::unique_ptr<Frame> frame = std::move(free_frames_.back());
      free_frames_.pop_back();
      return frame;
    }
  }
  auto frame = std::make_unique<Frame>();
  frame->arena = AlignedBuffer(arena_bytes_, cap, "the arena of activations");
  for (const Step& step : steps_) {
    Frame::StepPointers pointers{frame->pointers.size(), step.inputs.size(), step.outputs.size(),
                                 nullptr};
    for (const Location& location : step.inputs) frame->add(location);
    for (const Location& location : step.outputs) frame->add(location);
    if (step.workspace.place == Place::arena)
      pointers.workspace = frame->arena.data() + step.workspace.offset;
    frame->steps.push_back(pointers);
  }
  return frame;
}

std::vector<Tensor> Plan::make_outputs(MemoryCap* cap) const {
  std::vector<Tensor> outputs;
  outputs.reserve(outputs_.size());
  for (const GraphOutput& output : outputs_) {
    try {
      outputs.emplace_back(output.type, output.shape, cap);
    } catch (Error& error) {
      if (output.producer == nullptr) throw;
      throw error.at_node(output.producer->name(), output.producer->op_type());
    }
  }
  return outputs;
}

std::vector<Tensor> Plan::run(std::span<const Tensor> inputs, Workers& workers, MemoryCap* cap,
                              Profile* profile) const {
  std::vector<Tensor> outputs = make_outputs(cap);
  std::unique_ptr<Frame> frame = take_frame(cap);
  for (const Frame::Patch& patch : frame->inputs) {
    const std::byte* bytes = inputs[static_cast<std::size_t>(patch.index)].bytes();
    frame->pointers[patch.pointer] = const_cast<std::byte*>(bytes);
  }
  for (const Frame::Patch& patch : frame->outputs) {
    frame->pointers[patch.pointer] = outputs[static_cast<std::size_t>(patch.index)].mutable_bytes();
  }
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (workers.stop() != nullptr) workers.stop()->poll();
    const Frame::StepPointers& step = frame->steps[i];
    const std::span<std::byte* const> pointers(frame->pointers.data() + step.first,
                                               step.inputs + step.outputs);
    const std::span<const std::byte* const> step_inputs(pointers.data(), step.inputs);
    const RunContext context(step_inputs, pointers.subspan(step.inputs), step.workspace, workers);
    const std::int64_t begin = profile != nullptr ? nanoseconds_since(start) : 0;
    try {
      steps_[i].prepared->run(context);
    } catch (Error& error) {
      const Node& node = compiled_[static_cast<std::size_t>(steps_[i].number)].view.node();
      throw error.at_node(node.name(), node.op_type());
    }
    if (profile != nullptr) {
      profile->events.push_back({steps_[i].number, begin, nanoseconds_since(start) - begin});
    }
  }
  for (const OutputCopy& copy : copies_) {
    const std::byte* from = nullptr;
    switch (copy.from.place) {
      case Place::constant:
        from = copy.from.pointer;
        break;
      case Place::input:
        from = inputs[static_cast<std::size_t>(copy.from.index)].bytes();
        break;
      case Place::output:
        from = outputs[static_cast<std::size_t>(copy.from.index)].bytes();
        break;
      default:
        ORTOOL_CHECK(false);
    }
    std::memcpy(outputs[static_cast<std::size_t>(copy.output)].mutable_bytes(), from,
                static_cast<std::size_t>(copy.bytes));
  }
  if (profile != nullptr) profile->total_ns = nanoseconds_since(start);
  const std::lock_guard lock(mutex_);
  free_frames_.push_back(std::move(frame));
  return outputs;
}

std::int64_t Plan::size_bytes() const {
  return arena_bytes_ + static_cast<std::int64_t>(steps_.size()) * 1024 + 4096;
}

}  // namespace ortool
