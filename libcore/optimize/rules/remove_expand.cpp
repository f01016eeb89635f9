// Expand removal: operators that broadcast need no expanded operand.
#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/rewrite/refusals.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"
#include "libcore/optimize/rules/rules.hpp"

namespace ortool {
namespace {

/// Whether the other operand alone determines the shape of the result.
bool gives_same_shape(const Match& match) {
  const Dimensions* other = dimensions_of(match["other"]);
  const Dimensions* small = dimensions_of(match["small"]);
  const Dimensions* expanded = dimensions_of(*match.node("expanded").output(0));
  const Dimensions* result = dimensions_of(match.result());
  if (other == nullptr || small == nullptr || expanded == nullptr || result == nullptr)
    return false;
  return other->size() == result->size() && are_equal(*other, *result) &&
         broadcasts_into(*small, *result) && broadcasts_into(*expanded, *result);
}

}  // namespace

Rule remove_broadcast_expand() {
  const Pattern expanded = op("Expand", {any("small"), any()}).as("expanded").shared();
  const Pattern other = any("other");
  const auto broadcasts = [](const Node& node) { return traits_of(node).holds_elements(1); };
  const auto broadcasts_first = [](const Node& node) {
    return traits_of(node).holds_elements(1) && !has_trait(node, OpTrait::unidirectional);
  };
  const Pattern as_second = op(OpTrait::elementwise, {other, expanded}).where_node(broadcasts);
  const Pattern as_first = op(OpTrait::elementwise, {expanded, other}).where_node(broadcasts_first);
  return {.name = "remove-broadcast-expand",
          .summary = "x + Expand(c) -> x + c, and other operators that broadcast",
          .level = OptimizeLevel::basic,
          .pattern = any_of({as_second, as_first}),
          .where =
              [](const Match& match) {
                if (match.graph().opset("") < opset_of_broadcasting())
                  return no("before opset 7 an attribute controls broadcasting");
                if (!gives_same_shape(match))
                  return no("the other operand is not known to have the result's shape");
                return has_inferred_operands(match.node("expanded"))
                           ? yes()
                           : no("the Expand checks a shape that is only known at run time");
              },
          .replace = [](Replacement& replacement) -> Value& {
            const Match& match = replacement.match();
            const Node& root = match.root();
            const bool is_first = root.input(0) == &match["other"];
            Value* small = &match["small"];
            Value* other_operand = &match["other"];
            return replacement.add_like(root, is_first ? std::vector<Value*>{other_operand, small}
                                                       : std::vector<Value*>{small, other_operand});
          }};
}

}  // namespace ortool
