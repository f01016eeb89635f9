// Slice selection: bytes by the gather kernel, strings one by one.
#include "providers/cpu/support/take_slices.hpp"

#include <string>
#include <vector>

namespace ortool::cpu {

Tensor take_slices(const DynamicContext& context, const Tensor& tensor,
                   std::span<const std::int64_t> indices, const GatherSizes& sizes, Shape shape) {
  if (tensor.type() != DataType::string) {
    Tensor result = context.make(tensor.type(), std::move(shape));
    gather(tensor.bytes(), indices, result.mutable_bytes(), sizes, element_bits(tensor.type()) / 8,
           context.workers());
    return result;
  }
  const std::span<const std::string> texts = tensor.strings();
  std::vector<std::string> taken;
  for (std::int64_t outer = 0; outer < sizes.outer; ++outer) {
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const std::int64_t index =
          checked_index(indices[i], sizes.axis, static_cast<std::int64_t>(i));
      const auto from = texts.begin() + (outer * sizes.axis + index) * sizes.inner;
      taken.insert(taken.end(), from, from + sizes.inner);
    }
  }
  return Tensor::of_strings(std::move(shape), std::move(taken), context.cap());
}

}  // namespace ortool::cpu
