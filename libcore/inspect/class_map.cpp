// Follows outputs back to ArgMax through operators that only move or cast elements.
#include "libcore/inspect/class_map.hpp"

#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"

namespace ortool {
namespace {

bool comes_from_arg_max(const Value& output) {
  const Node* node = output.producer();
  while (node != nullptr && node->domain().empty()) {
    if (node->op_type() == "ArgMax" || node->op_type() == "ArgMin") return true;
    const bool moves = has_trait(*node, OpTrait::data_movement) || node->op_type() == "Cast";
    if (!moves || node->input_count() == 0 || node->input(0) == nullptr) return false;
    node = node->input(0)->producer();
  }
  return false;
}

}  // namespace

std::set<std::string, std::less<>> class_maps(const Model& model) {
  std::set<std::string, std::less<>> names;
  for (const Value* output : model.outputs()) {
    const ValueType& type = output->type();
    if (type.is_tensor() && is_integer(type.element) && comes_from_arg_max(*output))
      names.emplace(output->name());
  }
  return names;
}

}  // namespace ortool
