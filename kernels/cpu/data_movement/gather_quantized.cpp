// Gather from block-quantized data: runs of elements that share a scale are dequantized together.
#include "kernels/cpu/data_movement/gather_quantized.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace ortool::cpu {
namespace {

/// Elements that justify a task.
constexpr std::int64_t min_gathered = 1 << 14;

float value_at(const QuantizedData& data, const std::uint8_t* codes, std::int64_t index) {
  const auto byte = static_cast<std::uint32_t>(codes[index * data.bits / 8]);
  return data.table[byte >> (index * data.bits % 8) & ((1U << data.bits) - 1U)];
}

std::int64_t product_of(std::span<const std::int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

class BlockReader {
 public:
  explicit BlockReader(const QuantizedData& data) : data_(data) {
    const std::span<const std::int64_t> shape = data.shape;
    is_last_ = data.quantize_axis + 1 == static_cast<std::int64_t>(shape.size());
  }

  /// Elements [first, first + count) in memory order.
  void read(std::int64_t first, std::int64_t count, float* out) const {
    const std::int64_t row = data_.shape.back();
    while (count > 0) {
      const std::int64_t column = first % row;
      const std::int64_t left = row - column;
      const std::int64_t block_left = data_.block_size - column % data_.block_size;
      const std::int64_t run = std::min({count, left, is_last_ ? block_left : std::int64_t{1}});
      read_run(first, run, out);
      first += run;
      count -= run;
      out += run;
    }
  }

 private:
  /// Elements that share a scale.
  void read_run(std::int64_t first, std::int64_t count, float* out) const {
    std::int64_t number = 0;
    std::int64_t zero_row = 0;
    std::int64_t zero_rows = 1;
    std::int64_t zero_column = 0;
    std::int64_t left = first;
    for (std::size_t i = data_.shape.size(); i-- > 0;) {
      const std::int64_t size = data_.shape[i];
      const bool is_blocked = static_cast<std::int64_t>(i) == data_.quantize_axis;
      const std::int64_t at = is_blocked ? left % size / data_.block_size : left % size;
      left /= size;
      number += at * data_.scale_strides[i];
      if (i + 1 == data_.shape.size()) {
        zero_column = at;
      } else {
        zero_row += at * zero_rows;
        zero_rows *= is_blocked ? (size + data_.block_size - 1) / data_.block_size : size;
      }
    }
    const float zero =
        data_.zeros == nullptr
            ? 0.0F
            : value_at(data_, data_.zeros, zero_row * data_.zero_row_codes + zero_column);
    const float scale = data_.scales[number];
    for (std::int64_t i = 0; i < count; ++i)
      out[i] = (value_at(data_, data_.codes, first + i) - zero) * scale;
  }

  const QuantizedData& data_;
  bool is_last_ = false;
};

}  // namespace

template <typename Index>
void gather_quantized(const QuantizedData& data, std::span<const Index> indices, float* out,
                      Workers& workers) {
  const auto axis = static_cast<std::size_t>(data.gather_axis);
  const std::int64_t size = data.shape[axis];
  const std::int64_t outer = product_of(data.shape.first(axis));
  const std::int64_t inner = product_of(data.shape.subspan(axis + 1));
  const auto count = static_cast<std::int64_t>(indices.size());
  const BlockReader reader(data);
  const std::int64_t grain =
      std::max<std::int64_t>(1, min_gathered / std::max<std::int64_t>(1, inner));
  workers.parallel_ranges(outer * count, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const auto given = static_cast<std::int64_t>(indices[static_cast<std::size_t>(i % count)]);
      const std::int64_t index = given < 0 ? given + size : given;
      float* to = out + i * inner;
      if (index < 0 || index >= size) {
        std::fill_n(to, inner, 0.0F);
      } else {
        reader.read((i / count * size + index) * inner, inner, to);
      }
    }
  });
}

template void gather_quantized(const QuantizedData&, std::span<const std::int32_t>, float*,
                               Workers&);
template void gather_quantized(const QuantizedData&, std::span<const std::int64_t>, float*,
                               Workers&);

}  // namespace ortool::cpu
