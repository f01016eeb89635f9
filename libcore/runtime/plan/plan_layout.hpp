// Memory layout of a plan: views and in-place results alias the buffers they derive from.
#pragma once

#include <span>
#include <vector>

#include "libcore/runtime/plan/plan.hpp"

namespace ortool {

/// Extended step by step. A root is an arena buffer together with all values inside it; "time" is
/// the step's number, or its level if steps run concurrently.
class PlanLayout {
 public:
  /// `last_times` by slot from the table's first on: the last use.
  PlanLayout(const PlanContext& context, const OperandTable& table,
             std::vector<Plan::LiveOut> earlier, std::vector<std::int32_t> last_times);

  /// Assigns locations to the outputs of `step`.
  void place_outputs(std::int32_t time, const CompiledStep& step, const Prepared& prepared);
  /// A workspace, live during one step, for a kernel; -1 if it needs none.
  std::int32_t add_workspace(std::int32_t time, std::int64_t bytes);
  /// Redirects program outputs to their final memory where possible, and lists those.
  std::vector<Plan::OwnOutput> place_program_outputs();
  /// Assigns arena offsets to the roots; returns the arena's size in bytes.
  std::int64_t assign_offsets();

  // After assign_offsets():
  Location locate(Slot slot) const;
  std::int64_t workspace_offset(std::int32_t allocation) const;

 private:
  struct Allocation {
    std::int32_t first_time;
    std::int32_t last_time;
    std::int64_t bytes;
    std::int64_t offset = 0;
    std::int32_t output = -1;  ///< the index of the program output, if it is one
    std::int32_t whole = -1;   ///< the root that contains it at `offset`
  };
  /// In a root, or within another location.
  struct Assignment {
    std::int32_t allocation = -1;
    Location place;
    std::int64_t offset = 0;
  };

  std::int64_t bytes(Slot slot) const;
  Assignment assignment(Slot slot) const;
  void assign(Slot slot, Assignment assignment);
  std::int32_t add_allocation(std::int32_t first_time, std::int32_t last_time, std::int64_t bytes);
  std::int32_t overwritten_allocation(std::int32_t time, const CompiledStep& step,
                                      const Prepared& prepared) const;
  std::int32_t whole_of(std::int32_t allocation) const;
  void make_inputs_in_place(const CompiledStep& step, const Prepared& prepared);
  std::int32_t last_time(Slot slot) const;

  const PlanContext& context_;
  const OperandTable& table_;
  std::vector<Plan::LiveOut> earlier_;
  std::vector<std::int32_t> last_times_;
  std::vector<Assignment> assignments_;  ///< by slot from the table's first on
  std::vector<Allocation> allocations_;
};

}  // namespace ortool
