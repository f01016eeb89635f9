// Looking an operator up in the lists of the families.
#include "libcore/ops/catalog.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "libcore/ops/operator_lists.hpp"

namespace ortool {
namespace {

using OperatorList = std::span<const OpEntry> (*)();

constexpr OperatorList families[] = {
    math_operators,    tensor_operators,    nn_operators,           reduction_operators,
    logical_operators, generator_operators, ml_operators,           quantization_operators,
    signal_operators,  rnn_operators,       loss_operators,         sequence_operators,
    text_operators,    training_operators,  experimental_operators, controlflow_operators,
    session_operators,
};

std::pair<std::string_view, std::string_view> key(const OpEntry& entry) {
  return {entry.schema->domain, entry.schema->name};
}

std::vector<OpEntry> sorted_entries() {
  std::vector<OpEntry> all;
  for (const OperatorList family : families)
    all.insert(all.end(), family().begin(), family().end());
  std::sort(all.begin(), all.end(),
            [](const OpEntry& a, const OpEntry& b) { return key(a) < key(b); });
  return all;
}

}  // namespace

std::span<const OpEntry> catalog() {
  static const std::vector<OpEntry> entries = sorted_entries();
  return entries;
}

const OpEntry* find_op(std::string_view domain, std::string_view op_type) {
  const std::pair wanted(domain, op_type);
  const std::span<const OpEntry> entries = catalog();
  const auto found =
      std::lower_bound(entries.begin(), entries.end(), wanted,
                       [](const OpEntry& entry, const auto& name) { return key(entry) < name; });
  return found != entries.end() && key(*found) == wanted ? &*found : nullptr;
}

const OpVersion* version_of(const OpEntry& entry, const Node& node) {
  return entry.schema->accepted_at(node.graph().opset(node.domain()));
}

}  // namespace ortool
