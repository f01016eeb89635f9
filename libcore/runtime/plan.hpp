// A plan: kernels prepared for one set of shapes, and where every value lies.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "libcore/runtime/compile.hpp"
#include "libcore/runtime/operand_table.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool {

/// Prepared kernels and a memory layout for fixed input shapes. Const and shared by threads; each
/// run borrows a frame with an arena of its own.
class Plan {
 public:
  struct BuildContext {
    const Graph& graph;
    const std::vector<CompiledStep>& steps;  ///< must outlive the plan
    Workers& workers;
    MemoryCap* cap;
  };

  /// Builds from a table that holds the graph inputs. Returns null when a shape depends on values
  /// that are not known before the run; `wanted` then lists the values asked for.
  static std::shared_ptr<const Plan> build(const BuildContext& context, OperandTable table,
                                           std::vector<const Value*>& wanted);

  ~Plan();

  /// Computes the graph's outputs. `inputs` in the order of the graph's inputs, of the planned
  /// shapes, aligned.
  std::vector<Tensor> run(std::span<const Tensor> inputs, Workers& workers, MemoryCap* cap,
                          Profile* profile) const;

  std::int64_t arena_bytes() const { return arena_bytes_; }
  /// Bytes this plan keeps, one arena included, for the cache's bound.
  std::int64_t size_bytes() const;

 private:
  enum class Place : std::uint8_t { none, constant, input, output, arena };
  struct Location {
    Place place = Place::none;
    std::int32_t index = 0;              ///< of the graph input or output
    const std::byte* pointer = nullptr;  ///< of a constant
    std::int64_t offset = 0;             ///< in the arena
  };
  struct Step {
    std::int32_t number;  ///< among the compiled steps
    PreparedPtr prepared;
    std::vector<Location> inputs;
    std::vector<Location> outputs;
    Location workspace;
  };
  struct OutputCopy {
    Location from;
    std::int32_t output;
    std::int64_t bytes;
  };
  struct GraphOutput {
    DataType type;
    Shape shape;
    const Node* producer;  ///< null for a graph input or constant
  };
  struct Frame;
  class Layout;

  Plan(OperandTable table, const std::vector<CompiledStep>& compiled);
  std::unique_ptr<Frame> take_frame(MemoryCap* cap) const;
  std::vector<Tensor> make_outputs(MemoryCap* cap) const;

  const std::vector<CompiledStep>& compiled_;
  OperandTable table_;  ///< keeps the values known at plan time alive
  std::vector<Step> steps_;
  std::vector<OutputCopy> copies_;
  std::vector<GraphOutput> outputs_;
  std::int64_t arena_bytes_ = 0;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Frame>> free_frames_;
};

}  // namespace ortool
