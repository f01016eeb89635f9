// Softmax: rows for the innermost axis, blocks of adjacent columns for any other.
#include "kernels/cpu/normalization/softmax.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/cpu/normalization/softmax_rows.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t softmax_task_elements = 16384;
constexpr std::int64_t column_block = 64;

/// Calls body(first element of the block, width) for blocks of adjacent columns.
template <typename Body>
void for_column_blocks(SoftmaxSizes sizes, Workers& workers, Body body) {
  const std::int64_t blocks = (sizes.inner + column_block - 1) / column_block;
  const std::int64_t block_elements = sizes.axis * std::min(column_block, sizes.inner);
  const std::int64_t grain =
      std::max<std::int64_t>(1, softmax_task_elements / std::max<std::int64_t>(1, block_elements));
  workers.parallel_ranges(sizes.outer * blocks, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t task = begin; task < end; ++task) {
      const std::int64_t column = task % blocks * column_block;
      body(task / blocks * sizes.axis * sizes.inner + column,
           std::min(column_block, sizes.inner - column));
    }
  });
}

template <typename Half>
void fp16_softmax(SoftmaxKind kind, const Half* in, Half* out, SoftmaxSizes sizes, Workers& workers,
                  Isa isa) {
  for_column_blocks(sizes, workers, [&](std::int64_t first, std::int64_t width) {
    std::vector<float> values(static_cast<std::size_t>(sizes.axis * width));
    for (std::int64_t i = 0; i < sizes.axis; ++i) {
      convert_to_float(in + first + i * sizes.inner, values.data() + i * width, width);
    }
    const bool logarithm = kind == SoftmaxKind::logarithms;
    if (sizes.inner == 1) {
      softmax_functions(isa).rows(values.data(), values.data(), 1, sizes.axis, logarithm);
    } else {
      softmax_functions(isa).columns(values.data(), values.data(), sizes.axis, width, width,
                                     logarithm);
    }
    for (std::int64_t i = 0; i < sizes.axis; ++i) {
      convert_from_float(values.data() + i * width, out + first + i * sizes.inner, width);
    }
  });
}

void double_slice(SoftmaxKind kind, const double* in, double* out, std::int64_t size,
                  std::int64_t stride) {
  double maximum = -std::numeric_limits<double>::infinity();
  for (std::int64_t i = 0; i < size; ++i) maximum = std::max(maximum, in[i * stride]);
  double sum = 0;
  for (std::int64_t i = 0; i < size; ++i) sum += std::exp(in[i * stride] - maximum);
  const double log_of_sum = std::log(sum);
  for (std::int64_t i = 0; i < size; ++i) {
    const double shifted = in[i * stride] - maximum;
    out[i * stride] =
        kind == SoftmaxKind::logarithms ? shifted - log_of_sum : std::exp(shifted) / sum;
  }
}

}  // namespace

void softmax(SoftmaxKind kind, const float* in, float* out, SoftmaxSizes sizes, Workers& workers,
             Isa isa) {
  const bool logarithm = kind == SoftmaxKind::logarithms;
  if (sizes.axis == 0) return;
  if (sizes.inner == 1) {
    const std::int64_t grain = std::max<std::int64_t>(1, softmax_task_elements / sizes.axis);
    workers.parallel_ranges(sizes.outer, grain, [&](std::int64_t begin, std::int64_t end) {
      softmax_functions(isa).rows(in + begin * sizes.axis, out + begin * sizes.axis, end - begin,
                                  sizes.axis, logarithm);
    });
    return;
  }
  for_column_blocks(sizes, workers, [&](std::int64_t first, std::int64_t width) {
    softmax_functions(isa).columns(in + first, out + first, sizes.axis, sizes.inner, width,
                                   logarithm);
  });
}

void softmax(SoftmaxKind kind, const double* in, double* out, SoftmaxSizes sizes, Workers& workers,
             Isa) {
  for_column_blocks(sizes, workers, [&](std::int64_t first, std::int64_t width) {
    for (std::int64_t i = 0; i < width; ++i) {
      double_slice(kind, in + first + i, out + first + i, sizes.axis, sizes.inner);
    }
  });
}

void softmax(SoftmaxKind kind, const Float16Bits* in, Float16Bits* out, SoftmaxSizes sizes,
             Workers& workers, Isa isa) {
  fp16_softmax(kind, in, out, sizes, workers, isa);
}

void softmax(SoftmaxKind kind, const BFloat16Bits* in, BFloat16Bits* out, SoftmaxSizes sizes,
             Workers& workers, Isa isa) {
  fp16_softmax(kind, in, out, sizes, workers, isa);
}

}  // namespace ortool::cpu
