// Layer and RMS normalization: each row by its own moments.
#include "kernels/cpu/normalization/normalize_rows.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/cpu/normalization/normalize.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t row_task_elements = 16384;

/// The row to normalize: the input itself, or its sum with skip, stored if an output is given.
const float* prepare_row(const LayerNormalization& layer, const NormalizeFunctions& functions,
                         std::int64_t row) {
  const std::int64_t first = row * layer.size;
  if (layer.skip == nullptr) return layer.in + first;
  float* sum = (layer.sum != nullptr ? layer.sum : layer.out) + first;
  functions.add_rows(layer.in + first, layer.skip + first, layer.skip_bias, sum, layer.size);
  return sum;
}

template <typename Row>
void for_rows(const LayerNormalization& layer, Workers& workers, Row row) {
  const std::int64_t grain =
      std::max<std::int64_t>(1, row_task_elements / std::max<std::int64_t>(1, layer.size));
  workers.parallel_ranges(layer.rows, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) row(i);
  });
}

}  // namespace

void layer_normalization(const LayerNormalization& layer, Workers& workers, Isa isa) {
  const NormalizeFunctions& functions = normalize_functions(isa);
  for_rows(layer, workers, [&](std::int64_t row) {
    const float* in = prepare_row(layer, functions, row);
    const Moments moments = functions.moments(in, layer.size);
    const float factor = 1.0F / std::sqrt(moments.variance + layer.epsilon);
    workers.poll();
    functions.scaled_row(in, layer.out + row * layer.size, layer.size, moments.mean, factor,
                         layer.scale, layer.bias);
    if (layer.mean != nullptr) layer.mean[row] = moments.mean;
    if (layer.inverse_deviation != nullptr) layer.inverse_deviation[row] = factor;
  });
}

void rms_normalization(const LayerNormalization& layer, Workers& workers, Isa isa) {
  const NormalizeFunctions& functions = normalize_functions(isa);
  for_rows(layer, workers, [&](std::int64_t row) {
    const float* in = prepare_row(layer, functions, row);
    const float factor =
        1.0F / std::sqrt(functions.mean_of_squares(in, layer.size) + layer.epsilon);
    functions.scaled_row(in, layer.out + row * layer.size, layer.size, 0.0F, factor, layer.scale,
                         layer.bias);
    if (layer.inverse_deviation != nullptr) layer.inverse_deviation[row] = factor;
  });
}

}  // namespace ortool::cpu
