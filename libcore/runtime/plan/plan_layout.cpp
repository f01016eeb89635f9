// Plan memory layout: roots, views of them, and offsets in the arena.
#include "libcore/runtime/plan/plan_layout.hpp"

#include <algorithm>

#include "libcore/runtime/plan/plan_memory.hpp"

namespace ortool {

PlanLayout::PlanLayout(const PlanContext& context, const OperandTable& table,
                       std::vector<Plan::LiveOut> earlier, std::vector<std::int32_t> last_times)
    : context_(context),
      table_(table),
      earlier_(std::move(earlier)),
      last_times_(std::move(last_times)),
      assignments_(last_times_.size()) {
  allocations_.reserve(last_times_.size());
}

std::int64_t PlanLayout::bytes(Slot slot) const {
  return table_.at(slot).size_bytes();
}

std::int32_t PlanLayout::last_time(Slot slot) const {
  const auto index = static_cast<std::size_t>(slot - table_.first());
  return index < last_times_.size() ? last_times_[index] : -1;
}

PlanLayout::Assignment PlanLayout::assignment(Slot slot) const {
  if (slot == no_slot) return {};
  const Tensor* known = table_.at(slot).known.peek_value();
  // Nobody reads a constant that was freed.
  if (known != nullptr || is_constant_slot(slot)) {
    const std::byte* const bytes = known != nullptr ? known->bytes() : nullptr;
    return {.place = {.place = Location::Place::constant, .pointer = bytes}};
  }
  if (slot >= table_.first()) {
    const auto index = static_cast<std::size_t>(slot - table_.first());
    return index < assignments_.size() ? assignments_[index] : Assignment();
  }
  const auto found = std::lower_bound(
      earlier_.begin(), earlier_.end(), slot,
      [](const Plan::LiveOut& live_out, Slot wanted) { return live_out.slot < wanted; });
  ORTOOL_CHECK(found != earlier_.end() && found->slot == slot);
  return {.place = found->location};
}

void PlanLayout::assign(Slot slot, Assignment assignment) {
  assignments_[static_cast<std::size_t>(slot - table_.first())] = assignment;
}

std::int32_t PlanLayout::whole_of(std::int32_t allocation) const {
  while (allocation >= 0 && allocations_[static_cast<std::size_t>(allocation)].whole >= 0)
    allocation = allocations_[static_cast<std::size_t>(allocation)].whole;
  return allocation;
}

std::int32_t PlanLayout::add_allocation(std::int32_t first_time, std::int32_t last_time,
                                        std::int64_t bytes) {
  allocations_.push_back({first_time, last_time, bytes});
  return static_cast<std::int32_t>(allocations_.size() - 1);
}

void PlanLayout::place_outputs(std::int32_t time, const CompiledStep& step,
                               const Prepared& prepared) {
  for (std::size_t i = 0; i < step.output_slots.size(); ++i) {
    const Slot slot = step.output_slots[i];
    if (slot == no_slot || table_.at(slot).known.peek_value() != nullptr) continue;
    Assignment place;
    if (const std::optional<BytesView> view = prepared.view_of(i)) {
      place = assignment(step.input_slots[view->input]);
      place.offset += view->offset_bytes;
    } else {
      place.allocation = i == 0 ? overwritten_allocation(time, step, prepared) : -1;
      if (place.allocation < 0) place.allocation = add_allocation(time, time, bytes(slot));
    }
    for (std::int32_t index = place.allocation; index >= 0;) {
      Allocation& allocation = allocations_[static_cast<std::size_t>(index)];
      allocation.last_time = std::max({allocation.last_time, time, last_time(slot)});
      index = allocation.whole;
    }
    assign(slot, place);
  }
  make_inputs_in_place(step, prepared);
}

/// Places inputs that are only copied into output 0 inside it from the start.
void PlanLayout::make_inputs_in_place(const CompiledStep& step, const Prepared& prepared) {
  const Slot output = step.output_slots.empty() ? no_slot : step.output_slots[0];
  if (output == no_slot || !prepared.place_in_output(0) ||
      table_.at(output).known.peek_value() != nullptr)
    return;
  const std::int32_t whole = assignment(output).allocation;
  if (whole < 0) return;
  for (std::size_t i = 0; i < step.input_slots.size(); ++i) {
    const std::optional<std::int64_t> offset = prepared.place_in_output(i);
    const Slot slot = step.input_slots[i];
    if (!offset || slot == no_slot || *offset % arena_alignment != 0) continue;
    const Assignment input = assignment(slot);
    if (input.allocation < 0 || input.allocation == whole || input.offset != 0) continue;
    Allocation& part = allocations_[static_cast<std::size_t>(input.allocation)];
    Allocation& all = allocations_[static_cast<std::size_t>(whole)];
    if (part.whole >= 0 || part.bytes != bytes(slot) || *offset + part.bytes > all.bytes) continue;
    part.whole = whole;
    part.offset = *offset;
    all.first_time = std::min(all.first_time, part.first_time);
    all.last_time = std::max(all.last_time, part.last_time);
  }
}

/// A root whose last use is a single operand of this step, and that fits: output 0 overwrites it.
std::int32_t PlanLayout::overwritten_allocation(std::int32_t time, const CompiledStep& step,
                                                const Prepared& prepared) const {
  if (context_.is_parallel) return -1;
  for (std::size_t i = 0; i < step.input_slots.size(); ++i) {
    const Slot slot = step.input_slots[i];
    if (slot == no_slot || !prepared.can_overwrite(i)) continue;
    const Assignment input = assignment(slot);
    if (input.allocation < 0) continue;
    const Allocation& allocation = allocations_[static_cast<std::size_t>(input.allocation)];
    if (allocation.whole >= 0) continue;
    const auto consumers =
        std::count_if(step.input_slots.begin(), step.input_slots.end(), [&](Slot other) {
          return other != no_slot && whole_of(assignment(other).allocation) == input.allocation;
        });
    if (allocation.last_time == time && consumers == 1 &&
        allocation.bytes == bytes(step.output_slots[0]))
      return input.allocation;
  }
  return -1;
}

std::int32_t PlanLayout::add_workspace(std::int32_t time, std::int64_t bytes) {
  return bytes > 0 ? add_allocation(time, time, bytes) : -1;
}

std::vector<Plan::OwnOutput> PlanLayout::place_program_outputs() {
  std::vector<Plan::OwnOutput> result;
  for (std::size_t i = 0; i < context_.outputs.size(); ++i) {
    const Slot slot = context_.outputs[i];
    if (slot < table_.first() || !table_.has(slot) || table_.at(slot).known.peek_value() != nullptr)
      continue;
    const Assignment place = assignment(slot);
    if (place.allocation < 0) continue;
    Allocation& allocation = allocations_[static_cast<std::size_t>(place.allocation)];
    const bool is_whole =
        allocation.whole < 0 && place.offset == 0 && allocation.bytes == bytes(slot);
    if (allocation.output >= 0 || !is_whole) continue;
    allocation.output = static_cast<std::int32_t>(i);
    const Operand& operand = table_.at(slot);
    result.push_back({allocation.output, operand.type, operand.shape,
                      context_.producers[static_cast<std::size_t>(slot)]});
  }
  return result;
}

std::int64_t PlanLayout::assign_offsets() {
  std::vector<PlannedBuffer> buffers;
  std::vector<Allocation*> owners;
  for (Allocation& allocation : allocations_) {
    if (allocation.output >= 0 || allocation.whole >= 0) continue;
    buffers.push_back({allocation.bytes, allocation.first_time, allocation.last_time, 0});
    owners.push_back(&allocation);
  }
  const std::int64_t arena_bytes = plan_memory(buffers);
  for (std::size_t i = 0; i < owners.size(); ++i) owners[i]->offset = buffers[i].offset;
  return arena_bytes;
}

Location PlanLayout::locate(Slot slot) const {
  const Assignment found = assignment(slot);
  Location location = found.place;
  location.offset += found.offset;
  if (found.allocation < 0) return location;
  const Allocation* allocation = &allocations_[static_cast<std::size_t>(found.allocation)];
  std::int64_t offset = found.offset;
  for (; allocation->whole >= 0;
       allocation = &allocations_[static_cast<std::size_t>(allocation->whole)])
    offset += allocation->offset;
  if (allocation->output >= 0) {
    return {.place = Location::Place::output, .index = allocation->output, .offset = offset};
  }
  return {.place = Location::Place::arena, .offset = allocation->offset + offset};
}

std::int64_t PlanLayout::workspace_offset(std::int32_t allocation) const {
  return allocation < 0 ? -1 : allocations_[static_cast<std::size_t>(allocation)].offset;
}

}  // namespace ortool
