// Weight store: the first weights stay in memory, so small models never touch the disk.
#include "libcore/quantize/scheme/weight_store.hpp"

#include <utility>

namespace ortool {
namespace {

/// Smaller tensors always stay in memory.
constexpr std::int64_t min_bytes = std::int64_t{1} << 16;

}  // namespace

Tensor QuantizedWeightStore::keep(Tensor tensor) {
  if (tensor.size_bytes() < min_bytes || tensor.type() == DataType::string) return tensor;
  kept_bytes_ += tensor.size_bytes();
  if (kept_bytes_ <= max_bytes_) return tensor;
  if (!std::exchange(is_tried_, true)) file_ = AnonymousFile::open(folder_);
  if (!file_) return tensor;
  MappedBytes mapped = file_->keep({tensor.bytes(), static_cast<std::size_t>(tensor.size_bytes())});
  file_bytes_ += tensor.size_bytes();
  return Tensor::view(tensor.type(), tensor.shape(), mapped.bytes, std::move(mapped.owner));
}

}  // namespace ortool
