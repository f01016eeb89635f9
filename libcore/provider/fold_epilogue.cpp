// Folds scale and shift in double precision and rounds once.
#include "libcore/provider/fold_epilogue.hpp"

#include <optional>

#include "libcore/provider/constant_values.hpp"

namespace ortool {

Tensor folded_weights(const Tensor& weights, const ProductEpilogue& epilogue, MemoryCap* cap) {
  if (epilogue.scale.empty()) return weights;
  Tensor result(DataType::float32, weights.shape(), cap);
  const float* in = weights.data<float>().data();
  float* out = result.mutable_data<float>().data();
  const std::int64_t block = weights.shape().product(1, weights.shape().rank());
  for (std::int64_t i = 0; i < weights.element_count(); ++i) {
    const double scale = epilogue.scale[static_cast<std::size_t>(i / block)];
    out[i] = static_cast<float>(static_cast<double>(in[i]) * scale);
  }
  return result;
}

std::vector<float> folded_bias(const Tensor* bias, const ProductEpilogue& epilogue) {
  std::optional<std::vector<double>> given;
  if (bias != nullptr) given = known_numbers(bias, bias->element_count());
  std::vector<float> folded(given ? given->size() : epilogue.scale.size());
  for (std::size_t i = 0; i < folded.size(); ++i) {
    const double own = given ? (*given)[i] : 0.0;
    folded[i] = static_cast<float>(
        epilogue.scale.empty() ? own : own * epilogue.scale[i] + epilogue.shift[i]);
  }
  return folded;
}

AlignedBuffer shift_of(const ProductEpilogue& epilogue, MemoryCap* cap) {
  if (epilogue.shift.empty()) return {};
  const auto count = static_cast<std::int64_t>(epilogue.shift.size());
  AlignedBuffer buffer(bytes_of(DataType::float32, count), cap, "a product's bias");
  for (std::size_t i = 0; i < epilogue.shift.size(); ++i)
    buffer.as<float>()[i] = static_cast<float>(epilogue.shift[i]);
  return buffer;
}

}  // namespace ortool
