// Float constants: widened once, at compile time.
#include "providers/cpu/support/float_constant.hpp"

#include "kernels/cpu/types/fp16_bits.hpp"

namespace ortool::cpu {

bool is_float_like(DataType type) {
  return type == DataType::float32 || type == DataType::float16 || type == DataType::bfloat16;
}

Tensor float_tensor(const Tensor& tensor, MemoryCap* cap) {
  ORTOOL_CHECK(is_float_like(tensor.type()));
  const Tensor aligned = tensor.aligned();
  if (tensor.type() == DataType::float32) return aligned;
  Tensor result(DataType::float32, tensor.shape(), cap);
  float* out = result.mutable_data<float>().data();
  if (tensor.type() == DataType::float16) {
    convert_to_float(reinterpret_cast<const Float16Bits*>(aligned.bytes()), out,
                     tensor.element_count());
  } else {
    convert_to_float(reinterpret_cast<const BFloat16Bits*>(aligned.bytes()), out,
                     tensor.element_count());
  }
  return result;
}

std::optional<Tensor> float_constant(const Tensor* constant, MemoryCap* cap) {
  if (constant == nullptr || !is_float_like(constant->type())) return std::nullopt;
  return float_tensor(*constant, cap);
}

}  // namespace ortool::cpu
