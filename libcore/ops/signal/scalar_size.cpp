// Sizes given by one-element inputs, and the size of a one-sided spectrum.
#include "libcore/ops/signal/scalar_size.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {

Dimension scalar_size(const InferContext& context, std::int64_t input, std::string_view name,
                      std::int64_t least) {
  check_single(context, input, name);
  if (const std::optional<std::vector<std::int64_t>> numbers = context.integers(input)) {
    if (numbers->size() != 1) {
      throw Error(ErrorCode::invalid,
                  format("'{}' holds {} elements (expected 1)", name, numbers->size()));
    }
    const std::int64_t number = numbers->front();
    if (number < least || number > std::int64_t{1} << 31) {
      throw Error(ErrorCode::invalid,
                  format("'{}' is {} (expected {} to 2^31)", name, number, least));
    }
    return number;
  }
  const std::optional<Dimensions> values = shape_values(context, input);
  return values && values->size() == 1 ? values->front() : Dimension();
}

Dimension unique_bins(const Dimension& length) {
  return floor_divide(length, 2) + 1;
}

}  // namespace ortool
