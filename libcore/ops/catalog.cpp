// Looking an operator up in the lists of the families.
#include "libcore/ops/catalog.hpp"

#include <algorithm>
#include <utility>

#include "libcore/ops/operator_lists.hpp"

namespace ortool {
namespace {

using OperatorList = std::span<const OpEntry> (*)();

/// Big families first: a look-up asks one after the other.
constexpr OperatorList families[] = {
    math_operators,    tensor_operators,    nn_operators,           reduction_operators,
    logical_operators, generator_operators, ml_operators,           quantization_operators,
    signal_operators,  rnn_operators,       loss_operators,         sequence_operators,
    text_operators,    training_operators,  experimental_operators,
};

std::pair<std::string_view, std::string_view> key(const OpEntry& entry) {
  return {entry.schema->domain, entry.schema->name};
}

}  // namespace

std::vector<const OpEntry*> catalog() {
  std::vector<const OpEntry*> all;
  for (const OperatorList family : families) {
    for (const OpEntry& entry : family()) all.push_back(&entry);
  }
  std::sort(all.begin(), all.end(),
            [](const OpEntry* a, const OpEntry* b) { return key(*a) < key(*b); });
  return all;
}

const OpEntry* find_op(std::string_view domain, std::string_view op_type) {
  const std::pair wanted(domain, op_type);
  for (const OperatorList family : families) {
    const std::span<const OpEntry> entries = family();
    const auto found =
        std::lower_bound(entries.begin(), entries.end(), wanted,
                         [](const OpEntry& entry, const auto& name) { return key(entry) < name; });
    if (found != entries.end() && key(*found) == wanted) return &*found;
  }
  return nullptr;
}

const OpVersion* version_of(const OpEntry& entry, const Node& node) {
  return entry.schema->at(node.graph().opset(node.domain()));
}

}  // namespace ortool
