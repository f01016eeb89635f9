// Frame: the memory of one run of a plan, with an arena and pointers for every step.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "libcore/base/memory/aligned_buffer.hpp"
#include "libcore/runtime/plan/plan.hpp"

namespace ortool {

/// The sources of a frame's pointers other than its own arena.
struct FrameSources {
  std::span<const RunValue> inputs;
  std::span<const RunValue> made;
  std::span<RunValue> outputs;
  std::span<const std::unique_ptr<class Frame>> earlier;  ///< by ordinal
};

/// Pointers into the arena and to constants are set once; the others are set for each run.
class Frame {
 public:
  Frame(std::shared_ptr<const Plan> plan, AlignedBuffer arena);

  /// Sets the pointers that change with each run.
  void bind(const FrameSources& sources);
  std::span<const std::byte* const> inputs(std::size_t step) const;
  std::span<std::byte* const> outputs(std::size_t step) const;
  std::byte* workspace(std::size_t step) const { return steps_[step].workspace; }
  /// The address in this run of `location`, which belongs to the plan or a later one.
  std::byte* find(const Location& location, const FrameSources& sources) const;

  const Plan& plan() const { return *plan_; }
  std::byte* arena() const { return const_cast<std::byte*>(arena_.data()); }
  std::int64_t arena_bytes() const { return arena_.size_bytes(); }
  AlignedBuffer take_arena() { return std::move(arena_); }

 private:
  struct StepPointers {
    std::size_t first;
    std::size_t input_count;
    std::size_t output_count;
    std::byte* workspace;
  };
  struct Patch {
    std::size_t pointer;
    Location location;
  };
  void add(const Location& location);

  std::shared_ptr<const Plan> plan_;
  AlignedBuffer arena_;
  std::vector<std::byte*> pointers_;
  std::vector<StepPointers> steps_;
  std::vector<Patch> patches_;
};

/// Pool of unused frames: frames of cached plans for their next run, and arenas of discarded plans
/// for any plan they fit. Thread-safe.
class FramePool {
 public:
  /// Allocates at most what the plan's arena needs, counted against `cap`.
  std::unique_ptr<Frame> take(const std::shared_ptr<const Plan>& plan, MemoryCap* cap);
  void give_back(std::unique_ptr<Frame> frame) noexcept;
  /// Frees all unused frames.
  void release() noexcept;

 private:
  /// The limit for plans with the same first step: about the number of concurrent runs.
  static constexpr int most_alike = 8;

  std::mutex mutex_;
  std::vector<std::unique_ptr<Frame>> free_;  ///< most recently returned last
};

}  // namespace ortool
