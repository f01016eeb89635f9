// Plan memory layout: roots, views of them, and offsets in the arena.
#include "libcore/runtime/plan_layout.hpp"

#include <algorithm>

#include "libcore/runtime/plan_memory.hpp"

namespace ortool {

PlanLayout::PlanLayout(const PlanContext& context, const OperandTable& table,
                       std::vector<Plan::Crossing> earlier, std::vector<std::int32_t> last_times)
    : context_(context),
      table_(table),
      earlier_(std::move(earlier)),
      last_times_(std::move(last_times)),
      spots_(last_times_.size()) {
  roots_.reserve(last_times_.size());
}

std::int64_t PlanLayout::bytes(Slot slot) const {
  return table_.at(slot).size_bytes();
}

std::int32_t PlanLayout::last_time(Slot slot) const {
  const auto index = static_cast<std::size_t>(slot - table_.first());
  return index < last_times_.size() ? last_times_[index] : -1;
}

PlanLayout::Spot PlanLayout::spot(Slot slot) const {
  if (slot == no_slot) return {};
  const Tensor* known = table_.at(slot).known.peek_value();
  // Nobody reads a constant that was freed.
  if (known != nullptr || is_constant_slot(slot)) {
    const std::byte* const bytes = known != nullptr ? known->bytes() : nullptr;
    return {.place = {.place = Location::Place::constant, .pointer = bytes}};
  }
  if (slot >= table_.first()) {
    const auto index = static_cast<std::size_t>(slot - table_.first());
    return index < spots_.size() ? spots_[index] : Spot();
  }
  const auto found = std::lower_bound(
      earlier_.begin(), earlier_.end(), slot,
      [](const Plan::Crossing& crossing, Slot wanted) { return crossing.slot < wanted; });
  ORTOOL_CHECK(found != earlier_.end() && found->slot == slot);
  return {.place = found->location};
}

void PlanLayout::set_spot(Slot slot, Spot spot) {
  spots_[static_cast<std::size_t>(slot - table_.first())] = spot;
}

std::int32_t PlanLayout::whole_of(std::int32_t root) const {
  while (root >= 0 && roots_[static_cast<std::size_t>(root)].whole >= 0)
    root = roots_[static_cast<std::size_t>(root)].whole;
  return root;
}

std::int32_t PlanLayout::add_root(std::int32_t first_time, std::int32_t last_time,
                                  std::int64_t bytes) {
  roots_.push_back({first_time, last_time, bytes});
  return static_cast<std::int32_t>(roots_.size() - 1);
}

void PlanLayout::place_outputs(std::int32_t time, const CompiledStep& step,
                               const Prepared& prepared) {
  for (std::size_t i = 0; i < step.output_slots.size(); ++i) {
    const Slot slot = step.output_slots[i];
    if (slot == no_slot || table_.at(slot).known.peek_value() != nullptr) continue;
    Spot place;
    if (const std::optional<BytesView> view = prepared.view_of(i)) {
      place = spot(step.input_slots[view->input]);
      place.offset += view->offset_bytes;
    } else {
      place.root = i == 0 ? overwritten_root(time, step, prepared) : -1;
      if (place.root < 0) place.root = add_root(time, time, bytes(slot));
    }
    for (std::int32_t index = place.root; index >= 0;) {
      Root& root = roots_[static_cast<std::size_t>(index)];
      root.last_time = std::max({root.last_time, time, last_time(slot)});
      index = root.whole;
    }
    set_spot(slot, place);
  }
  make_inputs_in_place(step, prepared);
}

/// Places inputs that are only copied into output 0 inside it from the start.
void PlanLayout::make_inputs_in_place(const CompiledStep& step, const Prepared& prepared) {
  const Slot output = step.output_slots.empty() ? no_slot : step.output_slots[0];
  if (output == no_slot || !prepared.place_in_output(0) ||
      table_.at(output).known.peek_value() != nullptr)
    return;
  const std::int32_t whole = spot(output).root;
  if (whole < 0) return;
  for (std::size_t i = 0; i < step.input_slots.size(); ++i) {
    const std::optional<std::int64_t> offset = prepared.place_in_output(i);
    const Slot slot = step.input_slots[i];
    if (!offset || slot == no_slot || *offset % arena_alignment != 0) continue;
    const Spot input = spot(slot);
    if (input.root < 0 || input.root == whole || input.offset != 0) continue;
    Root& part = roots_[static_cast<std::size_t>(input.root)];
    Root& all = roots_[static_cast<std::size_t>(whole)];
    if (part.whole >= 0 || part.bytes != bytes(slot) || *offset + part.bytes > all.bytes) continue;
    part.whole = whole;
    part.offset = *offset;
    all.first_time = std::min(all.first_time, part.first_time);
    all.last_time = std::max(all.last_time, part.last_time);
  }
}

/// A root whose last use is a single operand of this step, and that fits: output 0 overwrites it.
std::int32_t PlanLayout::overwritten_root(std::int32_t time, const CompiledStep& step,
                                          const Prepared& prepared) const {
  if (context_.is_parallel) return -1;
  for (std::size_t i = 0; i < step.input_slots.size(); ++i) {
    const Slot slot = step.input_slots[i];
    if (slot == no_slot || !prepared.can_overwrite(i)) continue;
    const Spot input = spot(slot);
    if (input.root < 0) continue;
    const Root& root = roots_[static_cast<std::size_t>(input.root)];
    if (root.whole >= 0) continue;
    const auto readers = std::count_if(
        step.input_slots.begin(), step.input_slots.end(),
        [&](Slot other) { return other != no_slot && whole_of(spot(other).root) == input.root; });
    if (root.last_time == time && readers == 1 && root.bytes == bytes(step.output_slots[0]))
      return input.root;
  }
  return -1;
}

std::int32_t PlanLayout::add_workspace(std::int32_t time, std::int64_t bytes) {
  return bytes > 0 ? add_root(time, time, bytes) : -1;
}

std::vector<Plan::OwnOutput> PlanLayout::place_program_outputs() {
  std::vector<Plan::OwnOutput> result;
  for (std::size_t i = 0; i < context_.outputs.size(); ++i) {
    const Slot slot = context_.outputs[i];
    if (slot < table_.first() || !table_.has(slot) || table_.at(slot).known.peek_value() != nullptr)
      continue;
    const Spot place = spot(slot);
    if (place.root < 0) continue;
    Root& root = roots_[static_cast<std::size_t>(place.root)];
    const bool is_whole = root.whole < 0 && place.offset == 0 && root.bytes == bytes(slot);
    if (root.output >= 0 || !is_whole) continue;
    root.output = static_cast<std::int32_t>(i);
    const Operand& operand = table_.at(slot);
    result.push_back({root.output, operand.type, operand.shape,
                      context_.producers[static_cast<std::size_t>(slot)]});
  }
  return result;
}

std::int64_t PlanLayout::assign_offsets() {
  std::vector<PlannedBuffer> buffers;
  std::vector<Root*> owners;
  for (Root& root : roots_) {
    if (root.output >= 0 || root.whole >= 0) continue;
    buffers.push_back({root.bytes, root.first_time, root.last_time, 0});
    owners.push_back(&root);
  }
  const std::int64_t arena_bytes = plan_memory(buffers);
  for (std::size_t i = 0; i < owners.size(); ++i) owners[i]->offset = buffers[i].offset;
  return arena_bytes;
}

Location PlanLayout::locate(Slot slot) const {
  const Spot found = spot(slot);
  Location location = found.place;
  location.offset += found.offset;
  if (found.root < 0) return location;
  const Root* root = &roots_[static_cast<std::size_t>(found.root)];
  std::int64_t offset = found.offset;
  for (; root->whole >= 0; root = &roots_[static_cast<std::size_t>(root->whole)])
    offset += root->offset;
  if (root->output >= 0) {
    return {.place = Location::Place::output, .index = root->output, .offset = offset};
  }
  return {.place = Location::Place::arena, .offset = root->offset + offset};
}

std::int64_t PlanLayout::workspace_offset(std::int32_t root) const {
  return root < 0 ? -1 : roots_[static_cast<std::size_t>(root)].offset;
}

}  // namespace ortool
