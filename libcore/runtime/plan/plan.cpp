// Plan: accessors once it is built.
#include "libcore/runtime/plan/plan.hpp"

#include <algorithm>
#include <atomic>

namespace ortool {
namespace {

std::int64_t next_id() {
  static std::atomic<std::int64_t> last{0};
  return ++last;
}

}  // namespace

Plan::Plan(OperandTable table) : id_(next_id()), table_(std::move(table)) {}

const Plan::LiveOut* Plan::find_live_out(Slot slot) const {
  const auto found =
      std::lower_bound(live_outs_.begin(), live_outs_.end(), slot,
                       [](const LiveOut& live_out, Slot wanted) { return live_out.slot < wanted; });
  return found != live_outs_.end() && found->slot == slot ? &*found : nullptr;
}

Location Plan::location(Slot slot) const {
  const auto index = static_cast<std::size_t>(slot - table_.first());
  return slot >= table_.first() && index < locations_.size() ? locations_[index] : Location();
}

std::int64_t Plan::size_bytes() const {
  const auto count = [](const auto& list) { return static_cast<std::int64_t>(list.size()); };
  std::int64_t bytes =
      4096 + count(steps_) * 768 + count(locations_) * 192 + count(live_outs_) * 192;
  for (const std::shared_ptr<const Prepared>& prepared : prepared_)
    bytes += prepared != nullptr ? prepared->held_bytes() : 0;
  return bytes;
}

}  // namespace ortool
