// Known operands: looks up values among an operator's attributes and known inputs.
#include "providers/cpu/support/known_operand.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/attribute_reader.hpp"

namespace ortool::cpu {

std::optional<std::vector<std::int64_t>> known_operand(
    const PrepareContext& context, const ValueOrInput<std::vector<std::int64_t>>& value,
    std::string_view name) {
  if (value.input < 0) return value.value;
  const Operand& operand = context.inputs[static_cast<std::size_t>(value.input)];
  if (const Tensor* known = operand.known.read_value()) return integers_of(*known);
  if (operand.shape.element_count() == 0) return std::vector<std::int64_t>();
  throw Error(ErrorCode::unsupported,
              format("input '{}' depends on data computed at run time", name),
              "make it a constant, or compute it from shapes");
}

std::vector<std::int64_t> required_operand(const PrepareContext& context,
                                           const ValueOrInput<std::vector<std::int64_t>>& value,
                                           std::string_view name) {
  std::optional<std::vector<std::int64_t>> known = known_operand(context, value, name);
  ORTOOL_CHECK(known.has_value());
  return *std::move(known);
}

}  // namespace ortool::cpu
