// Feedback session: which values may stay on a device, and the memory that they alternate between.
#include "libcore/runtime/feedback/feedback_session.hpp"

#include <algorithm>
#include <unordered_map>

#include "libcore/base/format.hpp"

namespace ortool {
namespace {

/// The session that runs cannot read values where they are.
struct NeedsHost {};

/// The place of the value of this name; the number of values if there is none.
std::size_t place_of(std::span<Value* const> values, const std::string& name) {
  const auto found = std::find_if(values.begin(), values.end(),
                                  [&](const Value* value) { return value->name() == name; });
  return static_cast<std::size_t>(found - values.begin());
}

/// Which provider computes which node of a session.
class NodeProviders {
 public:
  explicit NodeProviders(const Session& session) {
    for (const Placement& placement : session.placement())
      providers_[placement.node] = placement.provider;
  }

  /// The provider that computes `output` and reads it alone; empty: there is none.
  std::string of_output(const Value& output) const {
    const Node* producer = output.producer();
    if (producer == nullptr) return {};
    const std::string provider = of_node(*producer);
    std::size_t outputs = 0;
    for (const Use& use : output.uses()) {
      if (use.kind == Use::Kind::graph_output) {
        ++outputs;
      } else if (use.kind != Use::Kind::input || of_node(*use.node) != provider) {
        return {};
      }
    }
    return outputs == 1 ? provider : std::string();
  }
  /// The provider of some node that reads `input`; empty: there is none.
  std::string of_reader(const Value& input) const {
    for (const Use& use : input.uses()) {
      if (use.kind == Use::Kind::input) return of_node(*use.node);
    }
    return {};
  }
  bool reads_alone(const std::string& provider, const Value& input) const {
    return std::all_of(input.uses().begin(), input.uses().end(), [&](const Use& use) {
      return use.kind == Use::Kind::input && of_node(*use.node) == provider;
    });
  }

 private:
  std::string of_node(const Node& node) const {
    const auto found = providers_.find(std::string(node.name()));
    return found != providers_.end() ? found->second : std::string();
  }

  std::unordered_map<std::string, std::string> providers_;
};

/// Floats of several axes: what else an operator may read to find shapes.
bool is_data(const Value& value) {
  const DataType type = value.type().is_tensor() ? value.type().element : DataType::undefined;
  return is_floating_point(type) && value.type().shape && value.type().shape->size() >= 2;
}

}  // namespace

struct FeedbackSession::Slot {
  FeedbackPair feed;
  std::size_t output = 0;                     ///< its place among the session's
  bool is_held = false;                       ///< no output: the input stays as it is
  std::optional<RunValue> held;               ///< the same on the host
  const DeviceProvider* able = nullptr;       ///< to keep it in the session that was entered last
  const DeviceProvider* provider = nullptr;   ///< that keeps it in the run that begins
  std::optional<RunValue> value;              ///< of the input; a tensor on a device has `memory`
  std::shared_ptr<const FeedMemory> memory;   ///< of `value`; null: it is on the host
  std::shared_ptr<const FeedMemory> written;  ///< by the run that goes on
  std::vector<std::shared_ptr<const FeedMemory>> spare;

  /// Keeps the memory of a value that is over for a later one.
  void spare_memory(std::shared_ptr<const FeedMemory>& over) {
    if (over != nullptr) spare.push_back(std::move(over));
    over = nullptr;
  }
};

FeedbackSession::FeedbackSession(const Session& session, std::vector<FeedbackPair> feeds,
                                 const std::vector<std::string>& held_inputs)
    : session_(session) {
  for (FeedbackPair& feed : feeds) {
    const bool is_fed = find_slot(feed.input) != nullptr;
    Slot& slot = slots_.emplace_back();
    slot.output = place_of(session.outputs(), feed.output);
    if (slot.output == session.outputs().size()) {
      throw Error(ErrorCode::invalid,
                  format("the model has no output '{}' to feed back", feed.output),
                  "Session::outputs() lists the outputs")
          .with_id("output.unknown");
    }
    if (is_fed) throw Error(ErrorCode::invalid, format("input '{}' is fed twice", feed.input));
    slot.feed = std::move(feed);
  }
  for (const std::string& input : held_inputs) {
    if (find_slot(input) != nullptr)
      throw Error(ErrorCode::invalid, format("input '{}' is fed and held, or held twice", input));
    Slot& slot = slots_.emplace_back();
    slot.feed.input = input;
    slot.output = session.outputs().size();
    slot.is_held = true;
  }
}

FeedbackSession::~FeedbackSession() = default;

FeedbackSession::Slot* FeedbackSession::find_slot(const std::string& input) {
  const auto slot = std::find_if(slots_.begin(), slots_.end(),
                                 [&](const Slot& each) { return each.feed.input == input; });
  return slot != slots_.end() ? &*slot : nullptr;
}

void FeedbackSession::find_providers(const Session& session, ProviderList providers) {
  const NodeProviders placed(session);
  const auto is_fed_once = [&](const Slot& slot) {
    return std::count_if(slots_.begin(), slots_.end(),
                         [&](const Slot& other) { return other.output == slot.output; }) == 1;
  };
  const auto provider_of = [&](const Slot& slot, const Value& input) {
    if (slot.is_held) return placed.of_reader(input);
    const Value& output = *session.outputs()[slot.output];
    return is_fed_once(slot) && is_data(output) ? placed.of_output(output) : std::string();
  };
  for (Slot& slot : slots_) {
    slot.able = nullptr;
    const std::size_t place = place_of(session.inputs(), slot.feed.input);
    // Not one with a default, which a run overrides.
    if (place == session.inputs().size()) continue;
    const Value& input = *session.inputs()[place];
    const std::string name = provider_of(slot, input);
    if (name.empty() || !is_data(input) || !placed.reads_alone(name, input)) continue;
    for (const auto& provider : providers) {
      if (provider->name() == name) slot.able = dynamic_cast<const DeviceProvider*>(provider.get());
    }
  }
}

void FeedbackSession::enter(const Session& session, ProviderList providers) {
  if (entered_ != &session) find_providers(session, providers);
  entered_ = &session;
  for (Slot& slot : slots_) {
    slot.provider = is_on_host_ ? nullptr : slot.able;
    // A value that this session cannot read where an earlier run left it.
    if (slot.memory != nullptr && slot.provider == nullptr) throw NeedsHost();
  }
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

Tensor FeedbackSession::make(std::size_t output, DataType type, const Shape& shape) {
  const auto slot = std::find_if(slots_.begin(), slots_.end(), [&](const Slot& each) {
    return each.output == output && each.provider != nullptr;
  });
  if (slot == slots_.end()) return {};
  const std::int64_t bytes = bytes_of(type, shape.element_count());
  if (bytes == 0) return {};
  slot->written = take_memory(*slot, bytes);
  return Tensor::view(type, shape, {slot->written->address(), static_cast<std::size_t>(bytes)},
                      slot->written);
}

void FeedbackSession::move_held_to_device() {
  for (Slot& slot : slots_) {
    if (!slot.is_held || !slot.held || slot.memory != nullptr || slot.able == nullptr ||
        !slot.held->is_tensor())
      continue;
    const Tensor& here = slot.held->tensor();
    if (here.size_bytes() == 0) continue;
    slot.spare.clear();
    slot.memory = slot.able->keep(here.size_bytes());
    slot.memory->write(here.bytes(), here.size_bytes());
    slot.value = Tensor::view(here.type(), here.shape(),
                              {slot.memory->address(), static_cast<std::size_t>(here.size_bytes())},
                              slot.memory);
  }
}

std::vector<RunValue> FeedbackSession::run_once(const NamedValues& inputs,
                                                const RunOptions& options) {
  NamedValues given;
  for (const auto& [name, value] : inputs) {
    const Slot* const slot = find_slot(name);
    if (slot == nullptr || !slot->value) given.emplace_back(name, value);
  }
  for (const Slot& slot : slots_) {
    if (slot.value) given.emplace_back(slot.feed.input, *slot.value);
  }
  try {
    const Scope scope(*this);
    return session_.run(given, options);
  } catch (...) {
    for (Slot& slot : slots_) slot.spare_memory(slot.written);
    throw;
  }
}

std::vector<RunValue> FeedbackSession::run(const NamedValues& inputs, const RunOptions& options) {
  // Observers read values on the host.
  is_on_host_ = options.observer != nullptr || !options.bound_outputs.empty();
  if (is_on_host_) {
    move_to_host();
  } else {
    move_held_to_device();
  }
  std::vector<RunValue> outputs;
  try {
    outputs = run_once(inputs, options);
  } catch (const NeedsHost&) {
    move_to_host();
    outputs = run_once(inputs, options);
  }
  for (Slot& slot : slots_) {
    if (slot.is_held) {
      hold(slot, inputs);
      continue;
    }
    RunValue& output = outputs[slot.output];
    const bool is_kept = slot.written != nullptr && output.is_tensor() &&
                         output.tensor().bytes() == slot.written->address();
    slot.spare_memory(slot.memory);
    if (is_kept) slot.memory = slot.written;
    slot.written = nullptr;
    // The caller may write to memory that it has bound.
    slot.value = options.bound_outputs.empty() ? output : output.owned();
  }
  for (const Slot& slot : slots_) {
    if (slot.memory != nullptr && !slot.is_held) outputs[slot.output] = {};
  }
  return outputs;
}

void FeedbackSession::move_to_host() {
  for (Slot& slot : slots_) {
    if (slot.memory == nullptr) continue;
    slot.value = slot.is_held ? *slot.held : fetch(slot.feed.output);
    slot.memory = nullptr;
    slot.spare.clear();
  }
}

void FeedbackSession::set(const std::string& input, RunValue value) {
  Slot* const slot = find_slot(input);
  if (slot == nullptr) throw Error(ErrorCode::invalid, format("input '{}' is not fed", input));
  slot->spare_memory(slot->memory);
  if (slot->is_held) slot->held = value;
  slot->value = std::move(value);
}

void FeedbackSession::hold(Slot& slot, const NamedValues& inputs) {
  if (slot.value) return;
  for (const auto& [name, value] : inputs) {
    if (name == slot.feed.input) slot.value = slot.held = value;
  }
}

RunValue FeedbackSession::fetch(const std::string& output) const {
  for (const Slot& slot : slots_) {
    if (slot.is_held || slot.feed.output != output || !slot.value) continue;
    if (slot.memory == nullptr) return *slot.value;
    const Tensor& there = slot.value->tensor();
    Tensor here(there.type(), there.shape());
    slot.memory->read(here.mutable_bytes(), here.size_bytes());
    return here;
  }
  throw Error(ErrorCode::invalid, format("output '{}' has not been fed back", output));
}

std::size_t FeedbackSession::kept_count() const {
  return static_cast<std::size_t>(std::count_if(
      slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.memory != nullptr; }));
}

}  // namespace ortool
