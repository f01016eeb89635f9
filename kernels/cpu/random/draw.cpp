// Random tensors: values are drawn in pairs, since each generator block yields two.
#include "kernels/cpu/random/draw.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/cpu/random/philox.hpp"
#include "kernels/cpu/types/convert_element.hpp"
#include "kernels/cpu/types/dispatch_data_type.hpp"
#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t pairs_a_task = 4096;

/// Calls store(element, number) for all elements; pair(counter) returns two adjacent numbers.
template <typename Pair, typename Store>
void for_drawn(std::int64_t count, Workers& workers, Pair pair, Store store) {
  workers.parallel_ranges((count + 1) / 2, pairs_a_task, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const UniformPair numbers = pair(static_cast<std::uint64_t>(i));
      store(2 * i, numbers.first);
      if (2 * i + 1 < count) store(2 * i + 1, numbers.second);
    }
  });
}

double uniform_number(std::uint64_t index, std::uint64_t key) {
  const UniformPair pair = uniform_pair(index / 2, key);
  return index % 2 == 0 ? pair.first : pair.second;
}

template <typename T>
T below(T value, T high, T low) {
  if constexpr (is_fp16<T>) {
    const bool is_below = to_float(value) < to_float(high);
    if (is_below || !(to_float(low) < to_float(high))) return value;
    // Steps down: decrements the bit pattern of a positive number, increments that of a negative
    // one.
    T result = high;
    const bool is_positive = to_float(high) > 0;
    if ((high.bits & 0x7fffU) == 0)
      result.bits = 0x8001U;
    else
      result.bits = static_cast<std::uint16_t>(is_positive ? high.bits - 1U : high.bits + 1U);
    return result;
  } else {
    return value < high || !(low < high) ? value : std::nextafter(high, low);
  }
}

/// Cumulative probabilities of the classes, relative to the largest one.
template <typename Log>
double add_up_chances(const Log* logs, std::int64_t classes, double* sums) {
  double most = -INFINITY;
  for (std::int64_t i = 0; i < classes; ++i) most = std::max(most, convert_number<double>(logs[i]));
  double total = 0;
  for (std::int64_t i = 0; i < classes; ++i) {
    total += std::exp(convert_number<double>(logs[i]) - most);
    sums[i] = total;
  }
  return total;
}

}  // namespace

void draw_uniform(DataType type, double low, double high, std::uint64_t key, void* out,
                  std::int64_t count, Workers& workers) {
  dispatch_data_type(type, [&](auto number) {
    using T = decltype(number);
    if constexpr (is_fp16<T> || std::is_floating_point_v<T>) {
      const auto bottom = convert_number<T>(low);
      const auto top = convert_number<T>(high);
      auto* to = static_cast<T*>(out);
      for_drawn(
          count, workers, [=](std::uint64_t i) { return uniform_pair(i, key); },
          [=](std::int64_t i, double x) {
            to[i] = below(convert_number<T>(low + (high - low) * x), top, bottom);
          });
    }
  });
}

void draw_normal(DataType type, double mean, double scale, std::uint64_t key, void* out,
                 std::int64_t count, Workers& workers) {
  dispatch_data_type(type, [&](auto number) {
    using T = decltype(number);
    if constexpr (is_fp16<T> || std::is_floating_point_v<T>) {
      auto* to = static_cast<T*>(out);
      for_drawn(
          count, workers, [=](std::uint64_t i) { return normal_pair(i, key); },
          [=](std::int64_t i, double x) { to[i] = convert_number<T>(mean + scale * x); });
    }
  });
}

void draw_bernoulli(DataType chance_type, const void* chances, DataType type, std::uint64_t key,
                    void* out, std::int64_t count, Workers& workers) {
  dispatch_data_type(chance_type, [&](auto chance) {
    using Chance = decltype(chance);
    if constexpr (is_fp16<Chance> || std::is_floating_point_v<Chance>) {
      const auto* from = static_cast<const Chance*>(chances);
      dispatch_data_type(type, [&](auto number) {
        using T = decltype(number);
        auto* to = static_cast<T*>(out);
        for_drawn(
            count, workers, [=](std::uint64_t i) { return uniform_pair(i, key); },
            [=](std::int64_t i, double x) {
              to[i] = convert_number<T>(x < convert_number<double>(from[i]) ? 1.0F : 0.0F);
            });
      });
    }
  });
}

void draw_multinomial(DataType log_type, const void* logs, DataType type, std::uint64_t key,
                      void* out, std::int64_t rows, std::int64_t classes, std::int64_t samples,
                      double* workspace, Workers& workers) {
  const auto draw_row = [&](std::int64_t row, double total) {
    if (!(total > 0) || !std::isfinite(total)) {
      throw Error(ErrorCode::invalid,
                  format("row {} of the log probabilities has no finite entry", row),
                  "log probabilities must be below infinity, and at least one above -infinity");
    }
    workers.parallel_ranges(samples, pairs_a_task, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t at = row * samples + i;
        const double x = uniform_number(static_cast<std::uint64_t>(at), key) * total;
        // If the product rounded up to the total, takes the last class with a nonzero probability.
        const double* sums = workspace;
        const double* found = std::upper_bound(sums, sums + classes, x);
        if (found == sums + classes) found = std::lower_bound(sums, found, total);
        const std::int64_t drawn = found - sums;
        if (type == DataType::int64)
          static_cast<std::int64_t*>(out)[at] = drawn;
        else
          static_cast<std::int32_t*>(out)[at] = static_cast<std::int32_t>(drawn);
      }
    });
  };
  dispatch_data_type(log_type, [&](auto number) {
    const auto* from = static_cast<const decltype(number)*>(logs);
    for (std::int64_t row = 0; row < rows && samples > 0; ++row)
      draw_row(row, add_up_chances(from + row * classes, classes, workspace));
  });
}

}  // namespace ortool::cpu
