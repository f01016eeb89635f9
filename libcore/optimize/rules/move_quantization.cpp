// Removal of DequantizeLinear and QuantizeLinear pairs that restore the same values.
#include <cmath>

#include "libcore/ops/catalog.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"
#include "libcore/optimize/rules/rules.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

Pattern dequantize_pattern() {
  return op("DequantizeLinear", {any("x"), constant("scale"), maybe(constant("zero"))})
      .as("floats")
      .shared();
}

Pattern quantize_pattern(const Pattern& floats) {
  return op("QuantizeLinear", {floats, constant("scale"), maybe(constant("zero"))});
}

/// (q - z) s / s rounds to q - z again for values of 16 bits.
Verdict has_one_scale(const Match& match) {
  const Tensor& scale = match["scale"].constant();
  if (scale.element_count() != 1) return no("there is more than one scale");
  if (!std::isnormal(element_as_double(scale, 0)) || scale.type() != DataType::float32)
    return no("the scale is not an ordinary float32 number");
  if (match.node("floats").input_count() != match.root().input_count())
    return no("one of them has no zero point");
  const DataType type = element_of(match["x"]);
  if (type != DataType::int8 && type != DataType::uint8 && type != DataType::int16 &&
      type != DataType::uint16)
    return no("its type does not have 8 or 16 bits");
  return type == element_of(match.result()) ? yes() : no("the types differ");
}

}  // namespace

Rule remove_requantization() {
  return {.name = "remove-requantization",
          .summary = "QuantizeLinear(DequantizeLinear(x)) with one scale -> x",
          .level = OptimizeLevel::basic,
          .pattern = quantize_pattern(dequantize_pattern()),
          .where = has_one_scale,
          .replace = [](Replacement& replacement) -> Value& { return replacement["x"]; }};
}

Rule move_bytes() {
  const Pattern moved = op(OpTrait::data_movement, {dequantize_pattern(), maybe(any()),
                                                    maybe(any()), maybe(any()), maybe(any())})
                            .where_node([](const Node& node) { return node.output_count() == 1; });
  return {.name = "fuse-qdq-movement",
          .summary =
              "QuantizeLinear(move(DequantizeLinear(x))) with one scale -> move(x), for Transpose, "
              "Reshape and the like",
          .level = OptimizeLevel::basic,
          .pattern = quantize_pattern(moved.as("moved")),
          .where = has_one_scale,
          .replace = [](Replacement& replacement) -> Value& {
            const Node& move = replacement.match().node("moved");
            std::vector<Value*> inputs = {&replacement["x"]};
            for (std::int64_t i = 1; i < move.input_count(); ++i) inputs.push_back(move.input(i));
            return replacement.add_like(move, std::move(inputs));
          }};
}

}  // namespace ortool
