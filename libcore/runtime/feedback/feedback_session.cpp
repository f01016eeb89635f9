// Feedback session: the memory that values alternate between, on the host and on a device.
#include "libcore/runtime/feedback/feedback_session.hpp"

#include <algorithm>

#include "libcore/base/format.hpp"
#include "libcore/runtime/feedback/value_placement.hpp"
#include "libcore/runtime/program.hpp"

namespace ortool {
namespace {

/// The session that runs cannot read values where they are.
struct NeedsHost {};

/// Floats of several axes: what else an operator may read to find shapes.
bool is_data(const Value& value) {
  const DataType type = value.type().is_tensor() ? value.type().element : DataType::undefined;
  return is_floating_point(type) && value.type().shape && value.type().shape->size() >= 2;
}

/// A tensor whose elements a device may hold.
bool is_numeric(const RunValue& value) {
  return value.is_tensor() && value.tensor().type() != DataType::string &&
         value.tensor().size_bytes() > 0;
}

bool lies_in(const RunValue& value, const std::shared_ptr<const FeedMemory>& memory) {
  return memory != nullptr && is_numeric(value) && value.tensor().bytes() == memory->address();
}

Tensor view_of(const FeedMemory& memory, DataType type, const Shape& shape,
               std::shared_ptr<const FeedMemory> owner) {
  const std::int64_t bytes = bytes_of(type, shape.element_count());
  return Tensor::view(type, shape, {memory.address(), static_cast<std::size_t>(bytes)},
                      std::move(owner));
}

}  // namespace

struct FeedbackSession::Slot {
  std::string input;
  std::string output;                         ///< empty: a held input that is given
  std::size_t output_place = 0;               ///< among the session's
  bool is_held = false;                       ///< the input stays as it is once it has a value
  const DeviceProvider* able = nullptr;       ///< to keep it in the program that was entered last
  const DeviceProvider* provider = nullptr;   ///< that keeps it in the run that begins
  bool is_bound = false;                      ///< its output, to memory of the caller
  std::optional<RunValue> value;              ///< of the input; a tensor on a device has `memory`
  std::shared_ptr<const FeedMemory> memory;   ///< of `value`; null: it is on the host
  std::shared_ptr<const FeedMemory> written;  ///< by the run that goes on
  std::vector<std::shared_ptr<const FeedMemory>> spare;
  // A held value of the host has a copy on the device once something there has read it.
  Tensor copied;
  std::shared_ptr<const FeedMemory> copy;

  bool has_output() const { return !output.empty(); }
  bool takes_output() const { return has_output() && !(is_held && value); }
  bool is_copied_when_read() const {
    return is_held && (value ? memory == nullptr : !has_output());
  }
  /// Keeps the memory of a value that is over for a later one.
  void spare_memory(std::shared_ptr<const FeedMemory>& over) {
    if (over != nullptr) spare.push_back(std::move(over));
    over = nullptr;
  }
  void drop_copy() {
    copied = {};
    copy = nullptr;
  }
  /// The value, copied to the host if it is on a device.
  RunValue read_back() const {
    if (memory == nullptr) return *value;
    const Tensor& there = value->tensor();
    Tensor here(there.type(), there.shape());
    memory->read(here.mutable_bytes(), here.size_bytes());
    return here;
  }
  /// Takes the value that the run was given, of which it may have made the copy.
  void hold(RunValue given) {
    if (copy != nullptr) copied = given.tensor();
    value = std::move(given);
  }
  /// Takes the value that a run has made.
  void take(const RunValue& made) {
    const bool is_empty = !made.is_tensor() || made.tensor().element_count() == 0;
    if (!(is_held && is_empty)) {
      // A branch may hand the input on as it is.
      if (!lies_in(made, memory)) {
        spare_memory(memory);
        if (lies_in(made, written)) memory = std::move(written);
      }
      // The caller may write to memory that it has bound.
      value = is_bound ? made.owned() : made;
    }
    spare_memory(written);
  }
};

FeedbackSession::FeedbackSession(const Session& session, std::vector<FeedbackPair> feeds,
                                 const std::vector<std::string>& held_inputs)
    : session_(session) {
  for (FeedbackPair& feed : feeds) {
    const std::size_t place = output_place(feed.output);
    if (find_slot(feed.input) != nullptr)
      throw Error(ErrorCode::invalid, format("input '{}' is fed twice", feed.input));
    Slot& slot = add_slot(feed.input);
    slot.output_place = place;
    slot.output = std::move(feed.output);
  }
  for (const std::string& input : held_inputs) hold(input);
}

FeedbackSession::~FeedbackSession() = default;

std::size_t FeedbackSession::output_place(const std::string& output) const {
  const std::span<Value* const> outputs = session_.outputs();
  const auto found = std::find_if(outputs.begin(), outputs.end(),
                                  [&](const Value* value) { return value->name() == output; });
  if (found != outputs.end()) return static_cast<std::size_t>(found - outputs.begin());
  throw Error(ErrorCode::invalid, format("the model has no output '{}' to feed back", output),
              "'ortool inspect' shows the outputs")
      .with_id("output.unknown");
}

const FeedbackSession::Slot* FeedbackSession::find_slot(const std::string& input) const {
  const auto slot = std::find_if(slots_.begin(), slots_.end(),
                                 [&](const Slot& each) { return each.input == input; });
  return slot != slots_.end() ? &*slot : nullptr;
}

FeedbackSession::Slot* FeedbackSession::find_slot(const std::string& input) {
  return const_cast<Slot*>(std::as_const(*this).find_slot(input));
}

FeedbackSession::Slot& FeedbackSession::add_slot(const std::string& input) {
  entered_ = nullptr;
  Slot& slot = slots_.emplace_back();
  slot.input = input;
  return slot;
}

void FeedbackSession::hold(const std::string& input) {
  const std::span<Value* const> inputs = session_.inputs();
  const bool is_known = std::any_of(inputs.begin(), inputs.end(),
                                    [&](const Value* value) { return value->name() == input; });
  if (!is_known) {
    throw Error(ErrorCode::invalid,
                format("the model has no input '{}' to hold, or it has a default value", input),
                "'ortool inspect' shows the inputs")
        .with_id("input.unknown");
  }
  if (find_slot(input) != nullptr)
    throw Error(ErrorCode::invalid, format("input '{}' is fed and held, or held twice", input));
  add_slot(input).is_held = true;
}

void FeedbackSession::hold_output(const std::string& output, const std::string& input) {
  const std::size_t place = output_place(output);
  hold(input);
  slots_.back().output = output;
  slots_.back().output_place = place;
}

bool FeedbackSession::is_held_next(const std::string& input) const {
  const Slot* const slot = find_slot(input);
  return slot != nullptr && !slot->has_output() && !slot->value;
}

bool FeedbackSession::is_made_next(const std::string& input) const {
  const Slot* const slot = find_slot(input);
  return slot != nullptr && slot->takes_output();
}

void FeedbackSession::find_providers(const Program& program, ProviderList providers) {
  read_slots_.clear();
  written_slots_.clear();
  const ValuePlacement placement(program);
  const auto is_fed_once = [&](const Slot& slot) {
    return std::count_if(slots_.begin(), slots_.end(), [&](const Slot& other) {
             return other.has_output() && other.output_place == slot.output_place;
           }) == 1;
  };
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    Slot& slot = slots_[i];
    slot.able = nullptr;
    const Value* const input = program.graph().find_value(slot.input);
    // Not one with a default, which a run overrides.
    if (input == nullptr || !input->is_graph_input() || input->has_default()) continue;
    const Value* const output = slot.has_output() && is_fed_once(slot)
                                    ? program.graph().outputs()[slot.output_place]
                                    : nullptr;
    const bool may_be_made = output != nullptr && is_data(*output) && is_data(*input);
    for (const auto& provider : providers) {
      const auto* const device = dynamic_cast<const DeviceProvider*>(provider.get());
      if (device == nullptr || slot.able != nullptr) continue;
      std::vector<const Value*> writers;
      if (may_be_made) writers = placement.writers(*output, *device);
      if (writers.empty() && !slot.is_held) continue;
      const auto readers = placement.readers(*input, *device, writers.empty() ? nullptr : output);
      if (readers.empty()) continue;
      slot.able = device;
      for (const Value* reader : readers) read_slots_[reader] = i;
      for (const Value* writer : writers) written_slots_[writer] = i;
    }
  }
}

void FeedbackSession::enter(const Program& program, ProviderList providers) {
  if (entered_ != &program) find_providers(program, providers);
  entered_ = &program;
  for (Slot& slot : slots_) {
    slot.provider = is_on_host_ ? nullptr : slot.able;
    // A value that this program cannot read where an earlier run left it.
    if (slot.memory != nullptr && slot.provider == nullptr) throw NeedsHost();
  }
}

RunValue FeedbackSession::input(const Value& input, const RunValue& given) {
  const auto found = read_slots_.find(&input);
  if (found == read_slots_.end()) return given;
  Slot& slot = slots_[found->second];
  if (slot.provider == nullptr || !slot.is_copied_when_read() || !is_numeric(given)) return given;
  if (lies_in(given, slot.copy)) return given;
  const Tensor& here = given.tensor();
  if (slot.copy == nullptr) {
    std::shared_ptr<const FeedMemory> memory = slot.provider->keep(here.size_bytes());
    memory->write(here.bytes(), here.size_bytes());
    slot.copy = std::move(memory);
    slot.copied = here;
  }
  return view_of(*slot.copy, here.type(), here.shape(), slot.copy);
}

const std::byte* FeedbackSession::on_host(const std::byte* address) const {
  for (const Slot& slot : slots_) {
    if (slot.copy == nullptr || address < slot.copy->address()) continue;
    const auto offset = address - slot.copy->address();
    if (offset < slot.copied.size_bytes()) return slot.copied.bytes() + offset;
  }
  return nullptr;
}

std::shared_ptr<const FeedMemory> FeedbackSession::take_memory(Slot& slot, std::int64_t bytes) {
  constexpr std::int64_t growth_share = 8;
  const auto fits = std::find_if(slot.spare.begin(), slot.spare.end(),
                                 [&](const auto& memory) { return memory->bytes() >= bytes; });
  if (fits != slot.spare.end()) {
    std::shared_ptr<const FeedMemory> memory = *fits;
    slot.spare.erase(fits);
    return memory;
  }
  // Caches grow from run to run; what is too small goes.
  slot.spare.clear();
  const bool has_grown = slot.memory != nullptr;
  return slot.provider->keep(std::max<std::int64_t>(1, bytes) +
                             (has_grown ? bytes / growth_share : 0));
}

Tensor FeedbackSession::make(const Value& output, DataType type, const Shape& shape) {
  const auto found = written_slots_.find(&output);
  if (found == written_slots_.end()) return {};
  Slot& slot = slots_[found->second];
  const std::int64_t bytes = bytes_of(type, shape.element_count());
  if (slot.provider == nullptr || slot.is_bound || !slot.takes_output() || bytes == 0) return {};
  slot.written = take_memory(slot, bytes);
  return view_of(*slot.written, type, shape, slot.written);
}

std::vector<RunValue> FeedbackSession::run_once(const NamedValues& inputs,
                                                const RunOptions& options) {
  NamedValues given;
  for (const auto& [name, value] : inputs) {
    const Slot* const slot = find_slot(name);
    if (slot == nullptr || !slot->value) given.emplace_back(name, value);
  }
  for (const Slot& slot : slots_) {
    if (slot.value) given.emplace_back(slot.input, *slot.value);
  }
  try {
    const Scope scope(*this);
    return session_.run(given, options);
  } catch (...) {
    for (Slot& slot : slots_) {
      slot.spare_memory(slot.written);
      if (!slot.value) slot.drop_copy();
    }
    throw;
  }
}

std::vector<RunValue> FeedbackSession::run(const NamedValues& inputs, const RunOptions& options) {
  // Observers read values on the host.
  is_on_host_ = options.observer != nullptr;
  if (is_on_host_) move_to_host();
  for (Slot& slot : slots_) {
    slot.is_bound =
        std::any_of(options.bound_outputs.begin(), options.bound_outputs.end(),
                    [&](const BoundOutput& bound) { return bound.name == slot.output; });
  }
  std::vector<RunValue> outputs;
  try {
    outputs = run_once(inputs, options);
  } catch (const NeedsHost&) {
    move_to_host();
    outputs = run_once(inputs, options);
  }
  for (Slot& slot : slots_) {
    if (slot.takes_output()) {
      slot.take(outputs[slot.output_place]);
    } else if (is_held_next(slot.input)) {
      for (const auto& [name, value] : inputs) {
        if (name == slot.input) slot.hold(value.owned());
      }
    }
  }
  for (const Slot& slot : slots_) {
    if (!slot.has_output()) continue;
    RunValue& output = outputs[slot.output_place];
    if (lies_in(output, slot.memory) || lies_in(output, slot.copy)) output = {};
  }
  return outputs;
}

void FeedbackSession::move_to_host() {
  for (Slot& slot : slots_) {
    slot.drop_copy();
    if (slot.memory == nullptr) continue;
    slot.value = slot.read_back();
    slot.memory = nullptr;
    slot.spare.clear();
  }
}

void FeedbackSession::set(const std::string& input, RunValue value) {
  Slot* const slot = find_slot(input);
  if (slot == nullptr) throw Error(ErrorCode::invalid, format("input '{}' is not fed", input));
  slot->drop_copy();
  slot->spare_memory(slot->memory);
  if (slot->is_held) slot->spare.clear();
  slot->value = std::move(value);
}

RunValue FeedbackSession::fetch(const std::string& output) const {
  for (const Slot& slot : slots_) {
    if (slot.has_output() && slot.output == output && slot.value) return slot.read_back();
  }
  throw Error(ErrorCode::invalid, format("output '{}' has not been fed back", output));
}

std::size_t FeedbackSession::kept_count() const {
  return static_cast<std::size_t>(std::count_if(slots_.begin(), slots_.end(), [](const Slot& slot) {
    return slot.memory != nullptr || slot.copy != nullptr;
  }));
}

}  // namespace ortool
