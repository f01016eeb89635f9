// Lookup of operators in the catalog, which merges the lists of all families.
#include "libcore/ops/catalog.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/ops/custom/registered_op.hpp"
#include "libcore/ops/operator_lists.hpp"
#include "libcore/ops/own_domain.hpp"

namespace ortool {
namespace {

using OperatorList = std::span<const OpEntry> (*)();

constexpr OperatorList families[] = {
    math_operators,
    tensor_operators,
    nn_operators,
    reduction_operators,
    logical_operators,
    generator_operators,
    ml_operators,
    quantization_operators,
    signal_contrib_operators,
    signal_operators,
    rnn_operators,
    loss_operators,
    sequence_operators,
    text_operators,
    training_operators,
    experimental_operators,
    controlflow_operators,
    session_operators,
    // ONNX Runtime's operators.
    fused_contrib_operators,
    attention_contrib_operators,
    legacy_contrib_operators,
    nchwc_operators,
    provider_nhwc_operators,
    quantized_contrib_operators,
    search_contrib_operators,
    weights_contrib_operators,
    // Those of others.
    microsoft_text_operators,
    text_contrib_operators,
    vision_contrib_operators,
};

using Entries = std::vector<OpEntry>;
using Key = std::pair<std::string_view, std::string_view>;

Key key(const OpEntry& entry) {
  return {entry.schema->domain, entry.schema->name};
}

const OpEntry* find_entry(std::span<const OpEntry> entries, const Key& wanted) {
  const auto found =
      std::lower_bound(entries.begin(), entries.end(), wanted,
                       [](const OpEntry& entry, const Key& name) { return key(entry) < name; });
  return found != entries.end() && key(*found) == wanted ? &*found : nullptr;
}

void sort_entries(Entries& entries) {
  std::sort(entries.begin(), entries.end(),
            [](const OpEntry& a, const OpEntry& b) { return key(a) < key(b); });
}

Entries built_in_entries() {
  Entries all;
  for (const OperatorList family : families)
    all.insert(all.end(), family().begin(), family().end());
  sort_entries(all);
  // The session-only variant of an ONNX operator inherits the operator's traits.
  for (OpEntry& entry : all) {
    const OpEntry* standard = std::string_view(entry.schema->domain) == own_domain
                                  ? find_entry(all, {"", entry.schema->name})
                                  : nullptr;
    if (standard != nullptr) entry.traits = standard->traits;
  }
  return all;
}

/// Keeps every state of the catalog alive, so that pointers to its entries stay valid.
class Registry {
 public:
  Registry() {
    publish(built_in_entries());
    built_in_ = &states_.front();
  }

  std::span<const OpEntry> entries() const { return *newest_.load(std::memory_order_acquire); }

  void add(const OpEntry& entry) {
    const std::lock_guard lock(mutex_);
    Entries next = states_.back();
    if (find_entry(next, key(entry)) != nullptr)
      throw Error(ErrorCode::invalid,
                  format("operator {} is already in the catalog (domain {})",
                         quote(entry.schema->name), quote(entry.schema->domain)));
    next.push_back(entry);
    sort_entries(next);
    publish(std::move(next));
  }

  bool is_built_in(const Key& name) const { return find_entry(*built_in_, name) != nullptr; }

  void remove(const Key& unwanted) {
    const std::lock_guard lock(mutex_);
    Entries next = states_.back();
    if (std::erase_if(next, [&](const OpEntry& entry) { return key(entry) == unwanted; }) == 0)
      return;
    publish(std::move(next));
  }

 private:
  void publish(Entries entries) {
    states_.push_back(std::move(entries));
    newest_.store(&states_.back(), std::memory_order_release);
  }

  std::mutex mutex_;
  std::deque<Entries> states_;
  const Entries* built_in_ = nullptr;  ///< the first state
  std::atomic<const Entries*> newest_ = nullptr;
};

Registry& registry() {
  static Registry instance;
  return instance;
}

}  // namespace

std::span<const OpEntry> catalog() {
  return registry().entries();
}

void register_op(const OpEntry& entry) {
  registry().add(entry);
}

bool is_registered_op(std::string_view domain, std::string_view op_type) {
  return find_op(domain, op_type) != nullptr && !registry().is_built_in({domain, op_type});
}

void unregister_op(std::string_view domain, std::string_view op_type) {
  registry().remove({domain, op_type});
}

const OpEntry* find_op(std::string_view domain, std::string_view op_type) {
  return find_entry(catalog(), {domain, op_type});
}

const OpTraits& traits_of(const Node& node) {
  static constexpr OpTraits no_traits;
  const OpEntry* entry = find_op(node.domain(), node.op_type());
  return entry != nullptr ? entry->traits : no_traits;
}

bool has_trait(const Node& node, OpTrait trait) {
  return traits_of(node).has(trait);
}

const OpVersion* version_of(const OpEntry& entry, const Node& node) {
  return entry.schema->accepted_at(node.opset());
}

}  // namespace ortool
