// State of one run of a program.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "libcore/runtime/program.hpp"

namespace ortool {

class Program::Run {
 public:
  Run(const Program& program, std::span<const RunValue> given,
      const RunEnvironment& run_environment, const BoundOutputs& bound)
      : inputs(given),
        environment(run_environment),
        program_(program),
        bound_(bound),
        made_(static_cast<std::size_t>(program.made_count_)),
        outputs_(program.output_slots_.size()) {}
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  std::span<const RunValue> inputs;
  const RunEnvironment& environment;

  /// Takes a frame for `plan`, the next in order, and allocates the outputs it writes.
  void start(const std::shared_ptr<const Plan>& plan);
  Frame& frame() { return *frames_.back(); }
  /// Frees the inputs that are given away and that no step of the plan reads after `step`, its
  /// index in steps(). Steps are called in order.
  void finish_step(std::size_t step);

  const RunValue& made_value(Slot slot) const { return made_[made_index(slot)]; }
  void set_made_value(Slot slot, RunValue value) { made_[made_index(slot)] = std::move(value); }
  /// The data of a live-out value of `plan`.
  std::span<const std::byte> content(const Plan& plan, Slot slot) const;
  /// A value for a dynamic kernel or an observer: lent, not owned.
  RunValue lend(const KnownOperand& known, const Location& location) const;
  RunValue& output(std::size_t index) { return outputs_[index]; }
  const BoundOutputs& bound() const { return bound_; }
  std::vector<RunValue> take_outputs() { return std::move(outputs_); }

 private:
  void note_last_reads(const Plan& plan);
  std::size_t made_index(Slot slot) const {
    return static_cast<std::size_t>(program_.made_numbers_[static_cast<std::size_t>(slot)]);
  }
  FrameSources sources() const {
    return {inputs, made_, const_cast<std::vector<RunValue>&>(outputs_), frames_};
  }

  const Program& program_;
  const BoundOutputs& bound_;
  std::vector<RunValue> made_;
  std::vector<RunValue> outputs_;
  std::vector<std::unique_ptr<Frame>> frames_;  ///< by ordinal
  /// Of inputs that are given away: the last step that reads one, and its number; in order.
  std::vector<std::pair<std::size_t, std::size_t>> last_reads_;
  std::size_t freed_ = 0;
};

}  // namespace ortool
