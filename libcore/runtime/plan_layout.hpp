// Where the values of one plan lie: views and in-place results share bytes with what they come
// from.
#pragma once

#include <span>
#include <vector>

#include "libcore/runtime/plan.hpp"

namespace ortool {

/// Grows step by step. A root is a buffer of the arena with everything that lies in it; "time" is
/// the step's number, or its level where several steps run at once.
class PlanLayout {
 public:
  /// `last_times` by slot from the table's first on: when it is read last.
  PlanLayout(const PlanContext& context, const OperandTable& table,
             std::vector<Plan::Crossing> earlier, std::vector<std::int32_t> last_times);

  /// Gives the outputs of `step` their places.
  void place_outputs(std::int32_t time, const CompiledStep& step, const Prepared& prepared);
  /// The buffer, alive for one moment, that a kernel works in; -1 where it needs none.
  std::int32_t add_workspace(std::int32_t time, std::int64_t bytes);
  /// Lets outputs of the program be written where the caller gets them, and lists those.
  std::vector<Plan::OwnOutput> place_program_outputs();
  /// Lays the roots out; the arena's size in bytes.
  std::int64_t assign_offsets();

  // After assign_offsets():
  Location locate(Slot slot) const;
  std::int64_t workspace_offset(std::int32_t root) const;

 private:
  struct Root {
    std::int32_t first_time;
    std::int32_t last_time;
    std::int64_t bytes;
    std::int64_t offset = 0;
    std::int32_t output = -1;  ///< the program's output that it is
    std::int32_t whole = -1;   ///< the root that it is a part of, `offset` bytes behind its begin
  };
  /// In a root, or in bytes of another place.
  struct Spot {
    std::int32_t root = -1;
    Location place;
    std::int64_t offset = 0;
  };

  std::int64_t bytes(Slot slot) const;
  Spot spot(Slot slot) const;
  void set_spot(Slot slot, Spot spot);
  std::int32_t add_root(std::int32_t first_time, std::int32_t last_time, std::int64_t bytes);
  std::int32_t overwritten_root(std::int32_t time, const CompiledStep& step,
                                const Prepared& prepared) const;
  std::int32_t whole_of(std::int32_t root) const;
  void make_inputs_in_place(const CompiledStep& step, const Prepared& prepared);
  std::int32_t last_time(Slot slot) const;

  const PlanContext& context_;
  const OperandTable& table_;
  std::vector<Plan::Crossing> earlier_;
  std::vector<std::int32_t> last_times_;
  std::vector<Spot> spots_;  ///< by slot from the table's first on
  std::vector<Root> roots_;
};

}  // namespace ortool
