// Constant values of at most 32 bits as doubles, which represent them exactly.
#include "libcore/provider/constant_values.hpp"

#include "libcore/tensor/convert.hpp"

namespace ortool {

std::optional<std::vector<double>> known_numbers(const Tensor* constant, std::int64_t count) {
  if (constant == nullptr) return std::nullopt;
  const DataType type = constant->type();
  if (type != DataType::float32 && type != DataType::float16 && type != DataType::bfloat16)
    return std::nullopt;
  if (constant->element_count() != count) return std::nullopt;
  std::vector<double> numbers(static_cast<std::size_t>(count));
  read_doubles(*constant, 0, numbers);
  return numbers;
}

}  // namespace ortool
