// Checks of scales and zero points of whole tensors.
#include "libcore/ops/contrib/quantized/qlinear_operands.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/operand_checks.hpp"

namespace ortool {

void check_tensor_scale(const InferContext& context, std::int64_t first, std::string_view name) {
  check_single(context, first, format("{}_scale", name));
  check_single(context, first + 1, format("{}_zero_point", name));
}

}  // namespace ortool
