// Finds caches by the names of outputs, and of the operators' formal outputs.
#include "libcore/inspect/cache_outputs.hpp"

#include <string_view>

#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"

namespace ortool {
namespace {

constexpr std::string_view cache_prefix = "present";

/// Whether the operator's documentation names this output so: present_key, present_state.
bool is_present_of_operator(const Value& output) {
  const Node* node = output.producer();
  const OpEntry* entry = node == nullptr ? nullptr : find_op(node->domain(), node->op_type());
  const OpVersion* version = entry == nullptr ? nullptr : version_of(*entry, *node);
  if (version == nullptr) return false;
  for (std::int64_t i = 0; i < node->output_count(); ++i) {
    if (node->output(i) != &output) continue;
    const Formal* formal = OpVersion::formal_at(version->outputs, i);
    return formal != nullptr && std::string_view(formal->name).starts_with(cache_prefix);
  }
  return false;
}

}  // namespace

std::set<std::string, std::less<>> cache_outputs(const Model& model) {
  std::set<std::string, std::less<>> names;
  for (const Value* output : model.outputs()) {
    if (output->name().starts_with(cache_prefix) || is_present_of_operator(*output))
      names.emplace(output->name());
  }
  return names;
}

}  // namespace ortool
