// Frame: sets the pointers of a run, and pools arenas.
#include "libcore/runtime/frame.hpp"

#include <algorithm>
#include <new>

#include "libcore/base/memory/buffer_pool.hpp"

namespace ortool {
namespace {

constexpr std::int64_t max_spare_bytes = 1 << 20;

bool is_fixed(const Location& location) {
  using Place = Location::Place;
  return location.place == Place::none || location.place == Place::constant ||
         location.place == Place::arena;
}

std::byte* bytes_of_value(const RunValue& value) {
  return value.is_tensor() ? const_cast<std::byte*>(value.tensor().bytes()) : nullptr;
}

}  // namespace

Frame::Frame(std::shared_ptr<const Plan> plan, AlignedBuffer arena)
    : plan_(std::move(plan)), arena_(std::move(arena)) {
  pointers_.reserve(plan_->operands().size());
  steps_.reserve(plan_->steps().size());
  for (const Plan::Step& step : plan_->steps()) {
    steps_.push_back({pointers_.size(), step.input_count, step.output_count,
                      step.workspace >= 0 ? arena_.data() + step.workspace : nullptr});
    for (std::size_t i = 0; i < step.input_count + step.output_count; ++i)
      add(plan_->operands()[step.first_operand + i]);
  }
}

void Frame::add(const Location& location) {
  std::byte* pointer = nullptr;
  if (is_fixed(location)) {
    pointer = find(location, {});
  } else {
    patches_.push_back({pointers_.size(), location});
  }
  pointers_.push_back(pointer);
}

std::byte* Frame::find(const Location& location, const FrameSources& sources) const {
  const auto index = static_cast<std::size_t>(location.index);
  switch (location.place) {
    case Location::Place::none:
      return nullptr;
    case Location::Place::constant:
      return const_cast<std::byte*>(location.pointer) + location.offset;
    case Location::Place::arena:
      return arena() + location.offset;
    case Location::Place::input:
      return bytes_of_value(sources.inputs[index]) + location.offset;
    case Location::Place::made:
      return bytes_of_value(sources.made[index]) + location.offset;
    case Location::Place::output:
      return bytes_of_value(sources.outputs[index]) + location.offset;
    case Location::Place::earlier:
      return sources.earlier[index]->arena() + location.offset;
  }
  ORTOOL_CHECK(false);
  return nullptr;
}

void Frame::bind(const FrameSources& sources) {
  for (const Patch& patch : patches_) pointers_[patch.pointer] = find(patch.location, sources);
}

std::span<const std::byte* const> Frame::inputs(std::size_t step) const {
  const StepPointers& pointers = steps_[step];
  return {pointers_.data() + pointers.first, pointers.input_count};
}

std::span<std::byte* const> Frame::outputs(std::size_t step) const {
  const StepPointers& pointers = steps_[step];
  return {pointers_.data() + pointers.first + pointers.input_count, pointers.output_count};
}

std::unique_ptr<Frame> FramePool::take(const std::shared_ptr<const Plan>& plan, MemoryCap* cap) {
  const std::int64_t needed = plan->arena_bytes();
  std::int64_t spare = 0;
  AlignedBuffer arena;
  {
    const std::lock_guard lock(mutex_);
    for (auto frame = free_.rbegin(); frame != free_.rend(); ++frame) {
      if (&(*frame)->plan() != plan.get()) continue;
      std::unique_ptr<Frame> found = std::move(*frame);
      free_.erase(std::next(frame).base());
      return found;
    }
    // The arena of another plan is reused if it is large enough but not much too large: the
    // smallest such. If all are too small, the first is freed: shapes may be growing, as in a
    // decoder.
    auto other = free_.end();
    for (auto frame = free_.begin(); frame != free_.end(); ++frame) {
      const std::int64_t bytes = (*frame)->arena_bytes();
      if ((*frame)->plan().first_step() != plan->first_step()) continue;
      if (bytes > 2 * needed + max_spare_bytes) continue;
      const bool is_first = other == free_.end();
      const bool is_better = bytes >= needed && !is_first &&
                             ((*other)->arena_bytes() < needed || bytes < (*other)->arena_bytes());
      if (is_first || is_better) other = frame;
    }
    if (other != free_.end()) {
      if ((*other)->arena_bytes() >= needed) {
        arena = (*other)->take_arena();
      } else {
        spare = std::min(needed / 8, max_spare_bytes);
      }
      free_.erase(other);
    }
  }
  const BufferPool::Scope no_pool(nullptr);  // this is a pool itself
  if (arena.size_bytes() < needed || arena.data() == nullptr)
    arena = AlignedBuffer(needed + spare, cap, "the arena of activations");
  return std::make_unique<Frame>(plan, std::move(arena));
}

void FramePool::give_back(std::unique_ptr<Frame> frame) noexcept {
  const std::lock_guard lock(mutex_);
  const std::int32_t first_step = frame->plan().first_step();
  try {
    free_.push_back(std::move(frame));
  } catch (const std::bad_alloc&) {
    return;  // Without room in the list the frame is freed.
  }
  const auto is_alike = [&](const auto& each) { return each->plan().first_step() == first_step; };
  if (std::count_if(free_.begin(), free_.end(), is_alike) > most_alike)
    free_.erase(std::find_if(free_.begin(), free_.end(), is_alike));
}

void FramePool::release() noexcept {
  std::vector<std::unique_ptr<Frame>> freed;
  const std::lock_guard lock(mutex_);
  freed.swap(free_);
}

}  // namespace ortool
