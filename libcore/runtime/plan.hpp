// A plan: kernels prepared for one set of shapes, from one step up to the next where content must
// be looked at, and where every value lies.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "libcore/runtime/compile.hpp"
#include "libcore/runtime/operand_table.hpp"

namespace ortool {

/// Where a value lies during a run.
struct Location {
  enum class Place : std::uint8_t {
    none,
    constant,  ///< at `pointer`
    input,     ///< of the program, number `index`
    made,      ///< by dynamic steps, number `index`
    output,    ///< of the program, number `index`, allocated by the plan that computes it
    arena,     ///< of this plan
    earlier,   ///< in the arena of the run's plan number `index`
  };
  Place place = Place::none;
  std::int32_t index = 0;
  std::int64_t offset = 0;  ///< bytes behind the place's begin
  const std::byte* pointer = nullptr;
};

/// What a plan needs to know of the program it is a part of.
struct PlanContext {
  std::span<const CompiledStep> steps;
  std::span<const Operand> constants;
  std::span<const Slot> outputs;               ///< of the program
  std::span<const std::int32_t> last_uses;     ///< by slot: the last step that reads it
  std::span<const std::int32_t> made_numbers;  ///< by slot: of dynamic steps' outputs, or -1
  std::span<const Node* const> producers;      ///< by slot: null for inputs
  bool is_parallel = false;
  Workers& workers;
  MemoryCap* cap;
};

/// Const and shared by threads.
class Plan {
 public:
  /// Why a plan ends where it ends.
  enum class End {
    outputs,  ///< the program is done
    dynamic,  ///< the next step runs on whole values
    content,  ///< the next step's shape depends on content that this plan computes
  };

  struct Step {
    std::int32_t number;  ///< among the compiled steps
    std::shared_ptr<const Prepared> prepared;
    std::size_t first_operand = 0;  ///< in operands(): inputs, then outputs
    std::size_t input_count = 0;
    std::size_t output_count = 0;
    std::int64_t workspace = -1;  ///< offset in the arena
  };
  /// A value that later plans, the step behind this one or the program's outputs read.
  struct Crossing {
    Slot slot;
    KnownOperandPtr known;
    Location location;
  };
  /// A tensor of the program's outputs that this plan's kernels write.
  struct OwnOutput {
    std::int32_t index;
    DataType type;
    Shape shape;
    const Node* producer;
  };

  /// Plans from `first_step` on. `table` holds all values from before that are read there or later,
  /// `earlier` where they lie. `like`, which may be null, is a plan from the same step on for other
  /// shapes: what does not differ is taken from it.
  static std::shared_ptr<const Plan> build(const PlanContext& context, std::int32_t first_step,
                                           std::int32_t ordinal, OperandTable table,
                                           std::vector<Crossing> earlier, const Plan* like);

  /// Distinguishes plans of the process.
  std::int64_t id() const { return id_; }
  /// How many plans of the run come before.
  std::int32_t ordinal() const { return ordinal_; }
  std::int32_t first_step() const { return first_step_; }
  End end() const { return end_; }
  /// The step behind the plan's own.
  std::int32_t end_step() const { return end_step_; }
  const std::vector<Step>& steps() const { return steps_; }
  /// Where the operands of all steps lie.
  const std::vector<Location>& operands() const { return operands_; }
  /// Where the groups of steps that may run at once end in steps(); empty: one after the other.
  const std::vector<std::size_t>& level_ends() const { return level_ends_; }
  const std::vector<Crossing>& crossings() const { return crossings_; }
  const Crossing* find_crossing(Slot slot) const;
  /// Of End::content: the values looked at.
  const std::vector<Slot>& wanted() const { return wanted_; }
  const std::vector<OwnOutput>& own_outputs() const { return own_outputs_; }
  const OperandTable& table() const { return table_; }
  /// Of a value that one of the plan's own steps makes.
  Location location(Slot slot) const;
  std::int64_t arena_bytes() const { return arena_bytes_; }
  /// Bytes this plan keeps, for the cache's bound.
  std::int64_t size_bytes() const;

 private:
  friend class PlanBuilder;
  explicit Plan(OperandTable table);

  std::int64_t id_;
  std::int32_t ordinal_ = 0;
  std::int32_t first_step_ = 0;
  End end_ = End::outputs;
  std::int32_t end_step_ = 0;
  OperandTable table_;  ///< keeps the contents known at plan time alive
  std::vector<Step> steps_;
  std::vector<Location> operands_;
  std::vector<std::size_t> level_ends_;
  std::vector<Crossing> crossings_;
  std::vector<Slot> wanted_;
  std::vector<OwnOutput> own_outputs_;
  std::vector<Location> locations_;  ///< by slot from table_.first() on
  /// By step from first_step_ on, for plans like this one; null where the value is known.
  std::vector<std::shared_ptr<const Prepared>> prepared_;
  /// By step likewise: a bit for each input whose content a rule or the kernel looked at.
  std::vector<std::uint64_t> looks_;
  std::int64_t arena_bytes_ = 0;
};

}  // namespace ortool
