// Plan: kernels prepared for one set of shapes, with the memory locations of all values. A plan
// ends before the next step that needs computed content.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "libcore/runtime/compile.hpp"
#include "libcore/runtime/operand_table.hpp"

namespace ortool {

/// The location of a value during a run.
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
  std::int64_t offset = 0;  ///< in bytes
  const std::byte* pointer = nullptr;
};

/// What a plan needs to know about its program.
struct PlanContext {
  std::span<const CompiledStep> steps;
  std::span<const Operand> constants;
  std::span<const Slot> outputs;               ///< of the program
  std::span<const std::int32_t> last_uses;     ///< by slot: the last step that reads it
  std::span<const std::int32_t> made_numbers;  ///< by slot: among dynamic steps' outputs, or -1
  std::span<const Node* const> producers;      ///< by slot: null for inputs
  bool is_parallel = false;
  Workers& workers;
  MemoryCap* cap;
};

/// Immutable, and shared by threads.
class Plan {
 public:
  /// The reason why a plan ends.
  enum class End {
    outputs,  ///< the program is complete
    dynamic,  ///< the next step is a dynamic kernel
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
  /// A live-out value, read by later plans, the next step or the program's outputs.
  struct LiveOut {
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

  /// Builds the plan from `first_step` on. `table` holds all earlier values that are read there or
  /// later, `earlier` their locations. `like`, which may be null, is a plan from the same step on
  /// for other shapes: everything unaffected by the difference is reused.
  static std::shared_ptr<const Plan> build(const PlanContext& context, std::int32_t first_step,
                                           std::int32_t ordinal, OperandTable table,
                                           std::vector<LiveOut> earlier, const Plan* like);

  /// Unique within the process.
  std::int64_t id() const { return id_; }
  /// The number of preceding plans in the run.
  std::int32_t ordinal() const { return ordinal_; }
  std::int32_t first_step() const { return first_step_; }
  End end() const { return end_; }
  /// One past the plan's last step.
  std::int32_t end_step() const { return end_step_; }
  const std::vector<Step>& steps() const { return steps_; }
  /// The locations of all steps' operands.
  const std::vector<Location>& operands() const { return operands_; }
  /// The ends, in steps(), of groups of steps that may run concurrently; empty: sequential
  /// execution.
  const std::vector<std::size_t>& level_ends() const { return level_ends_; }
  const std::vector<LiveOut>& live_outs() const { return live_outs_; }
  const LiveOut* find_live_out(Slot slot) const;
  /// For End::content: the values whose content is needed.
  const std::vector<Slot>& wanted() const { return wanted_; }
  const std::vector<OwnOutput>& own_outputs() const { return own_outputs_; }
  const OperandTable& table() const { return table_; }
  /// For a value that one of the plan's own steps produces.
  Location location(Slot slot) const;
  std::int64_t arena_bytes() const { return arena_bytes_; }
  /// The plan's memory use, for the limit of the cache.
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
  std::vector<LiveOut> live_outs_;
  std::vector<Slot> wanted_;
  std::vector<OwnOutput> own_outputs_;
  std::vector<Location> locations_;  ///< by slot from table_.first() on
  /// By step from first_step_ on, for reuse by similar plans; null where the value is known.
  std::vector<std::shared_ptr<const Prepared>> prepared_;
  /// By step likewise: a bit for each input whose content a shape rule or the kernel accessed.
  std::vector<std::uint64_t> looks_;
  std::int64_t arena_bytes_ = 0;
};

}  // namespace ortool
