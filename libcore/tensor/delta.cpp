// Differences of two tensors, summed over blocks.
#include "libcore/tensor/delta.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "libcore/base/file/file.hpp"
#include "libcore/tensor/convert.hpp"
#include "libcore/tensor/signal_to_noise.hpp"

namespace ortool {
namespace {

constexpr std::int64_t delta_block = 1024;
constexpr std::int64_t block_bytes = 1 << 20;
constexpr std::int64_t elements_before_drop = 1 << 20;

bool is_number_like(DataType before, DataType after) {
  return is_arithmetic(before) && is_arithmetic(after) &&
         (before == after || is_floating_point(before) == is_floating_point(after));
}

/// Releases the pages of mapped files that have been read.
void drop_pages_before(const Tensor& before, const Tensor& after, std::int64_t element) {
  for (const Tensor* tensor : {&before, &after}) {
    const std::int64_t end = bytes_of(tensor->type(), element);
    const std::int64_t first =
        bytes_of(tensor->type(), std::max<std::int64_t>(0, element - elements_before_drop));
    drop_pages({tensor->bytes() + first, static_cast<std::size_t>(end - first)});
  }
}

}  // namespace

bool is_same_tensor(const Tensor& before, const Tensor& after, const StopToken* stop) {
  if (before.type() != after.type() || before.shape() != after.shape()) return false;
  if (before.type() == DataType::string) {
    return std::equal(before.strings().begin(), before.strings().end(), after.strings().begin(),
                      after.strings().end());
  }
  if (before.bytes() == after.bytes()) return true;
  for (std::int64_t first = 0; first < before.size_bytes(); first += block_bytes) {
    if (stop != nullptr) stop->poll();
    const auto count = static_cast<std::size_t>(std::min(block_bytes, before.size_bytes() - first));
    const bool is_same = std::memcmp(before.bytes() + first, after.bytes() + first, count) == 0;
    drop_pages({before.bytes() + first, count});
    drop_pages({after.bytes() + first, count});
    if (!is_same) return false;
  }
  return true;
}

std::optional<TensorDelta> delta_of(const Tensor& before, const Tensor& after,
                                    const StopToken* stop) {
  if (before.shape() != after.shape() || !is_number_like(before.type(), after.type())) {
    return std::nullopt;
  }
  TensorDelta delta;
  delta.count = before.element_count();
  double before_squares = 0;
  double after_squares = 0;
  double products = 0;
  double error_squares = 0;
  double errors = 0;
  std::int64_t finite = 0;
  std::array<double, delta_block> block_before;
  std::array<double, delta_block> block_after;
  for (std::int64_t first = 0; first < delta.count; first += delta_block) {
    if (stop != nullptr) stop->poll();
    if (first % elements_before_drop == 0) drop_pages_before(before, after, first);
    const auto count = static_cast<std::size_t>(std::min(delta_block, delta.count - first));
    read_doubles(before, first, std::span(block_before).first(count));
    read_doubles(after, first, std::span(block_after).first(count));
    for (std::size_t i = 0; i < count; ++i) {
      const double x = block_before[i];
      const double y = block_after[i];
      const bool is_same = x == y || (std::isnan(x) && std::isnan(y));
      delta.changed += is_same ? 0 : 1;
      if (!std::isfinite(x) || !std::isfinite(y)) continue;
      ++finite;
      const double error = std::fabs(y - x);
      delta.max_abs = std::max(delta.max_abs, error);
      errors += error;
      error_squares += error * error;
      before_squares += x * x;
      after_squares += y * y;
      products += x * y;
    }
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const Tensor* tensor : {&before, &after}) {
    drop_pages({tensor->bytes(), static_cast<std::size_t>(tensor->size_bytes())});
  }
  delta.mean_abs = finite > 0 ? errors / static_cast<double>(finite) : 0;
  if (error_squares > 0) {
    delta.relative =
        before_squares > 0 ? std::sqrt(error_squares) / std::sqrt(before_squares) : infinity;
  }
  delta.sqnr_db = signal_to_noise_db(before_squares, error_squares);
  const double lengths = std::sqrt(before_squares) * std::sqrt(after_squares);
  if (lengths > 0) {
    delta.cosine = std::clamp(products / lengths, -1.0, 1.0);
  } else {
    delta.cosine = before_squares == after_squares ? 1 : 0;
  }
  return delta;
}

}  // namespace ortool
