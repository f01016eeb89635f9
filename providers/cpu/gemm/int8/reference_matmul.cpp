// Reference QLinearMatMul: one row of the result at a time, elements are read one by one.
#include "providers/cpu/gemm/int8/reference_matmul.hpp"

#include <cmath>

#include "kernels/cpu/elementwise/quantize_reference.hpp"

namespace ortool::cpu {
namespace {

class ParamReader {
 public:
  ParamReader(const std::array<ParamList, 8>& lists, const RunContext& run)
      : lists_(lists), run_(run) {}

  double at(std::size_t input, std::int64_t index) const {
    double value = 0;
    read_numbers(lists_[input].type, run_.input<std::byte>(input), index, 1, &value);
    return value;
  }
  /// Element `index` of a scale or zero point.
  double of(std::size_t input, std::int64_t index) const {
    return at(input, index % lists_[input].count);
  }

 private:
  const std::array<ParamList, 8>& lists_;
  const RunContext& run_;
};

}  // namespace

void multiply_numbers(const std::array<ParamList, 8>& lists, const MatMulShapes& shapes,
                      const RunContext& run) {
  const GemmSizes& sizes = shapes.sizes;
  const ParamReader read(lists, run);
  const DataType out_type = lists[7].type;
  const auto matrices = static_cast<std::int64_t>(shapes.offsets.size());
  run.workers().parallel_for(matrices * sizes.m, [&](std::int64_t task) {
    const GemmOffsets& offsets = shapes.offsets[static_cast<std::size_t>(task / sizes.m)];
    const std::int64_t row = task % sizes.m;
    const std::int64_t a_row = row + (sizes.k > 0 ? offsets.a / sizes.k : 0);
    const std::int64_t first_column = sizes.k > 0 ? offsets.b / sizes.k : 0;
    for (std::int64_t column = 0; column < sizes.n; ++column) {
      const std::int64_t b_column = first_column + column;
      const double a_zero = read.of(2, a_row);
      const double b_zero = read.of(5, b_column);
      double sum = 0;
      for (std::int64_t k = 0; k < sizes.k; ++k) {
        sum += (read.at(0, a_row * sizes.k + k) - a_zero) *
               (read.at(3, offsets.b + k * sizes.n + column) - b_zero);
      }
      const std::int64_t at = offsets.c + row * sizes.n + column;
      const double scale = static_cast<double>(static_cast<float>(read.of(1, a_row)) *
                                               static_cast<float>(read.of(4, b_column)) /
                                               static_cast<float>(read.of(6, at / sizes.n)));
      double value = sum * scale;
      if (is_integer(out_type)) value = value == value ? std::nearbyint(value) : 0.0;
      value += read.of(7, at / sizes.n);
      write_numbers(out_type, run.output<std::byte>(0), at, 1, &value, true);
    }
  });
}

}  // namespace ortool::cpu
