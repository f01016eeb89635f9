// Program: a compiled graph, executed by plans that are built once per set of shapes.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "libcore/runtime/bound_outputs.hpp"
#include "libcore/runtime/compile.hpp"
#include "libcore/runtime/frame.hpp"
#include "libcore/runtime/plan/plan.hpp"
#include "libcore/runtime/plan/plan_cache.hpp"
#include "libcore/runtime/run_environment.hpp"

namespace ortool {

struct DeviceReport;

/// Immutable after construction and thread-safe: each run has its own state.
class Program {
 public:
  struct Options {
    bool is_parallel = false;
    std::int64_t plan_cache_bytes = 0;
  };

  /// Compiles `graph` and its bodies from their groups in `placed`, which are consumed; `progress`
  /// counts their nodes.
  Program(const Graph& graph, PlacedGraphs& placed, ConstantStore& constants,
          const Options& options, const CompileContext& context, Progress& progress);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// The graph's outputs for its inputs followed by its captures, which all must match the graph's
  /// types. Results own their memory, except for views of `bound` memory.
  std::vector<RunValue> run(std::span<const RunValue> inputs, const RunEnvironment& environment,
                            const BoundOutputs& bound = {}) const;
  /// Frees arenas that are not in use, including those of bodies.
  void release_arenas() const noexcept;

  const Graph& graph() const { return graph_; }
  std::span<const CompiledStep> steps() const { return steps_; }
  std::int64_t packed_bytes() const;
  /// Adds the size of constants read in place at run time; each address counts once.
  std::int64_t constant_bytes(std::set<const std::byte*>& counted) const;
  /// Of the largest plan built so far, including those of bodies.
  std::int64_t arena_bytes() const;
  /// The number of plans built so far, including those of bodies.
  std::int64_t plan_count() const;

 private:
  class Run;

  void number_values(const ConstantStore& constants);
  Slot slot_of(const Value* value) const;
  Slot add_slot(const Value& value, const Node* producer);
  std::shared_ptr<const Plan> first_plan(const Run& run) const;
  std::shared_ptr<const Plan> next_plan(const Plan& before, Run& run) const;
  std::shared_ptr<const Plan> build(std::int32_t first_step, std::int32_t ordinal,
                                    OperandTable table, std::vector<Plan::LiveOut> earlier,
                                    Workers& workers, MemoryCap* cap) const;
  void execute(const Plan& plan, Run& run) const;
  void execute_step(const Plan& plan, std::size_t index, Frame& frame, const Run& run,
                    Workers& workers) const;
  /// Runs a step, and records what it and its device took.
  void time_step(const CompiledStep& step, const Prepared& prepared, const RunContext& context,
                 const RunEnvironment& environment) const;
  void record(const RunEnvironment& environment, const CompiledStep& step, std::int64_t begin_ns,
              const DeviceReport& report) const;
  void observe(const Plan& plan, std::int32_t number, const Run& run) const;
  /// Tells how many steps of the main graph are done.
  void tell_done(const RunEnvironment& environment, std::int64_t done) const;
  void run_dynamic_step(const Plan& plan, Run& run) const;
  std::vector<RunValue> collect_outputs(const Plan& plan, Run& run) const;

  const Graph& graph_;
  Options options_;
  int depth_;
  std::vector<CompiledStep> steps_;
  std::size_t input_count_ = 0;  ///< graph inputs and captures
  std::unordered_map<const Value*, Slot> slots_;
  std::vector<Operand> constants_;
  std::vector<Slot> output_slots_;
  std::vector<std::int32_t> last_uses_;     ///< by slot
  std::vector<std::int32_t> made_numbers_;  ///< by slot
  std::vector<const Node*> producers_;      ///< by slot
  std::vector<Slot> first_slots_;  ///< by step: its first own slot; one extra entry at the end
  std::int32_t made_count_ = 0;

  mutable PlanCache plans_;
  mutable FramePool frames_;
  mutable std::mutex latest_mutex_;
  mutable std::map<std::int32_t, std::shared_ptr<const Plan>> latest_;  ///< by first step
  mutable std::atomic<std::int64_t> arena_bytes_{0};
  mutable std::atomic<std::int64_t> plan_count_{0};
};

}  // namespace ortool
