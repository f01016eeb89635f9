// Operators that broadcast need no operand that was expanded before.
#include "libcore/ops/opset_versions.hpp"
#include "libcore/optimize/rewrite/refusals.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"
#include "libcore/optimize/rules/rules.hpp"

namespace ortool {
namespace {

/// Whether the other operand alone makes the result as large as it is.
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
  std::vector<Pattern> ways;
  for (const char* name :
       {"Add", "Sub", "Mul", "Div", "Max", "Min", "PRelu", "Equal", "Greater", "Less", "And", "Or"})
    ways.push_back(op(name, {other, expanded}));
  for (const char* name : {"Sub", "Div", "Equal", "Greater", "Less", "And", "Or"})
    ways.push_back(op(name, {expanded, other}));
  return {.name = "remove-broadcast-expand",
          .summary = "x + Expand(c) -> x + c, and other operators that broadcast",
          .level = OptimizeLevel::basic,
          .pattern = any_of(std::move(ways)),
          .where =
              [](const Match& match) {
                if (match.graph().opset("") < opset_with_broadcasting)
                  return no("operands are broadcast by an attribute before opset 7");
                if (!gives_same_shape(match))
                  return no("nothing says that the other operand has the result's shape");
                return has_inferred_operands(match.node("expanded"))
                           ? yes()
                           : no("the Expand checks a shape that only a run knows");
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
