// Reductions and positions of extremes against reference loops, over every set of axes.
#include "kernels/cpu/reduction/reduce.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/cpu/reduction/arg_min_max.hpp"
#include "kernels/cpu/types/convert_element.hpp"
#include "libcore/base/memory/aligned_buffer.hpp"
#include "tests/unit/kernels/cpu/kernel_test_support.hpp"

namespace ortool::cpu {
namespace {

using Sizes = std::vector<std::int64_t>;

constexpr ReduceOp all_ops[] = {
    ReduceOp::sum, ReduceOp::mean, ReduceOp::product,    ReduceOp::maximum, ReduceOp::minimum,
    ReduceOp::l1,  ReduceOp::l2,   ReduceOp::sum_square, ReduceOp::log_sum, ReduceOp::log_sum_exp};

std::int64_t count_of(const Sizes& shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  return count;
}

Sizes axes_of(unsigned set, std::size_t rank) {
  Sizes axes;
  for (std::size_t i = 0; i < rank; ++i) {
    if ((set >> i & 1U) != 0) axes.push_back(static_cast<std::int64_t>(i));
  }
  return axes;
}

/// The output element that input element `index` is reduced into.
std::size_t output_of(std::int64_t index, const Sizes& shape, unsigned reduced) {
  std::int64_t output = 0;
  std::int64_t stride = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    if ((reduced >> i & 1U) == 0) {
      output += index % shape[i] * stride;
      stride *= shape[i];
    }
    index /= shape[i];
  }
  return static_cast<std::size_t>(output);
}

double reference_reduced(ReduceOp op, const std::vector<double>& values) {
  const double infinity = std::numeric_limits<double>::infinity();
  double sum = 0;
  double product = 1;
  double largest = -infinity;
  double smallest = infinity;
  double absolute = 0;
  double squares = 0;
  double powers = 0;
  for (const double value : values) {
    sum += value;
    product *= value;
    largest = std::max(largest, value);
    smallest = std::min(smallest, value);
    absolute += std::abs(value);
    squares += value * value;
    powers += std::exp(value);
  }
  switch (op) {
    case ReduceOp::sum:
      return sum;
    case ReduceOp::mean:
      return sum / static_cast<double>(values.size());
    case ReduceOp::product:
      return product;
    case ReduceOp::maximum:
      return largest;
    case ReduceOp::minimum:
      return smallest;
    case ReduceOp::l1:
      return absolute;
    case ReduceOp::l2:
      return std::sqrt(squares);
    case ReduceOp::sum_square:
      return squares;
    case ReduceOp::log_sum:
      return std::log(sum);
    default:
      return std::log(powers);
  }
}

template <typename T>
std::vector<T> reduced(ReduceOp op, DataType type, const std::vector<T>& in, const Sizes& shape,
                       const Sizes& axes, Workers& workers, Isa isa = best_isa()) {
  const ReducePlan plan = plan_reduction(shape, axes);
  // 64 extra elements reveal writes past the end.
  std::vector<T> out(static_cast<std::size_t>(plan.output_count()) + 64);
  std::memset(static_cast<void*>(out.data()), 0x5a, out.size() * sizeof(T));
  AlignedBuffer workspace = test::bytes(plan.workspace_bytes());
  reduce(op, type, in.data(), out.data(), plan, workspace.data(), workers, isa);
  for (std::size_t i = out.size() - 64; i < out.size(); ++i) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(&out[i]);
    REQUIRE(static_cast<int>(bytes[0]) == 0x5a);
  }
  out.resize(out.size() - 64);
  return out;
}

template <typename T>
void check_every_set_of_axes(DataType type, const Sizes& shape, double tolerance) {
  test::RandomValues numbers(11);
  const std::vector<float> drawn = numbers.floats(count_of(shape), 0.6F, 1.5F);
  std::vector<T> in;
  for (const float value : drawn) in.push_back(convert_number<T>(value));
  Workers alone;
  for (const ReduceOp op : all_ops) {
    for (unsigned set = 0; set < 1U << shape.size(); ++set) {
      const Sizes axes = axes_of(set, shape.size());
      for (const Isa isa : test::isas_here()) {
        const std::vector<T> out = reduced<T>(op, type, in, shape, axes, alone, isa);
        std::vector<std::vector<double>> groups(out.size());
        for (std::size_t i = 0; i < in.size(); ++i) {
          groups[output_of(static_cast<std::int64_t>(i), shape, set)].push_back(
              convert_number<double>(in[i]));
        }
        for (std::size_t i = 0; i < out.size(); ++i) {
          const double expected = reference_reduced(op, groups[i]);
          const double found = convert_number<double>(out[i]);
          INFO("operation " << static_cast<int>(op) << ", axes " << set << ", output " << i);
          // Products may overflow the type.
          if (found == convert_number<double>(convert_number<T>(expected))) continue;
          REQUIRE(std::abs(found - expected) <= tolerance * std::max(1e-3, std::abs(expected)));
        }
      }
    }
  }
}

}  // namespace

TEST_CASE("Reductions over every set of axes are as exact as their type") {
  check_every_set_of_axes<float>(DataType::float32, {3, 5, 1, 7, 2}, 1.2e-7);
  check_every_set_of_axes<double>(DataType::float64, {4, 3, 9}, 1e-13);
  check_every_set_of_axes<Float16Bits>(DataType::float16, {2, 3, 19}, 5e-4);
  check_every_set_of_axes<BFloat16Bits>(DataType::bfloat16, {2, 3, 19}, 4e-3);
}

TEST_CASE("Reductions of wide, narrow, odd and cut matrices are exact") {
  check_every_set_of_axes<float>(DataType::float32, {3, 1025}, 1.2e-7);
  check_every_set_of_axes<float>(DataType::float32, {1030, 3, 33}, 1.2e-7);
  check_every_set_of_axes<double>(DataType::float64, {2, 70001}, 1e-11);
}

TEST_CASE("Reductions give the same bits with any number of threads") {
  test::RandomValues numbers(12);
  const Sizes shape = {37, 3, 1031, 2};
  std::vector<float> in = numbers.floats(count_of(shape), 0.9F, 1.1F);
  for (const ReduceOp op : all_ops) {
    for (unsigned set = 0; set < 16; ++set) {
      const Sizes axes = axes_of(set, shape.size());
      Workers alone;
      const std::vector<float> first = reduced(op, DataType::float32, in, shape, axes, alone);
      for (const int threads : {2, 8}) {
        ThreadPool pool(threads);
        Workers workers(pool, threads);
        const std::vector<float> again = reduced(op, DataType::float32, in, shape, axes, workers);
        INFO("operation " << static_cast<int>(op) << ", axes " << set << ", threads " << threads);
        REQUIRE(std::memcmp(first.data(), again.data(), first.size() * sizeof(float)) == 0);
      }
    }
  }
}

TEST_CASE("A NaN anywhere goes through every reduction, cut or not") {
  Workers alone;
  for (const std::int64_t count : {1, 5, 64, 1000, 300000}) {
    for (const std::int64_t place : {std::int64_t{0}, count / 2, count - 1}) {
      std::vector<float> in(static_cast<std::size_t>(count), 1.0F);
      in[static_cast<std::size_t>(place)] = std::numeric_limits<float>::quiet_NaN();
      for (const ReduceOp op : all_ops) {
        INFO("operation " << static_cast<int>(op) << ", " << place << " of " << count);
        REQUIRE(std::isnan(reduced(op, DataType::float32, in, {count}, {0}, alone).at(0)));
      }
    }
  }
}

TEST_CASE("A sum of many floats does not lose the small ones") {
  Workers alone;
  const std::vector<float> in(5'000'000, 0.1F);
  const float sum = reduced(ReduceOp::sum, DataType::float32, in, {5'000'000}, {0}, alone).at(0);
  CHECK(sum == static_cast<float>(5e6 * static_cast<double>(0.1F)));
}

TEST_CASE("Positions of extremes are those of plain loops with any number of threads") {
  test::RandomValues numbers(13);
  for (const ArgExtremeSizes sizes :
       {ArgExtremeSizes{1, 1, 1}, ArgExtremeSizes{3, 70, 1}, ArgExtremeSizes{2, 9, 300},
        ArgExtremeSizes{40, 33, 65}, ArgExtremeSizes{1, 5000, 3}}) {
    std::vector<std::int32_t> in;
    for (std::int64_t i = 0; i < sizes.outer * sizes.axis * sizes.inner; ++i)
      in.push_back(static_cast<std::int32_t>(numbers.between(-9, 9)));
    for (const ArgExtremeKind kind : {ArgExtremeKind::largest, ArgExtremeKind::smallest}) {
      for (const bool takes_last : {false, true}) {
        std::vector<std::int64_t> expected;
        for (std::int64_t slice = 0; slice < sizes.outer * sizes.inner; ++slice) {
          const std::int64_t start =
              slice / sizes.inner * sizes.axis * sizes.inner + slice % sizes.inner;
          const std::int32_t sign = kind == ArgExtremeKind::largest ? 1 : -1;
          std::int64_t best = 0;
          for (std::int64_t i = 1; i < sizes.axis; ++i) {
            const std::int32_t value = sign * in[static_cast<std::size_t>(start + i * sizes.inner)];
            const std::int32_t most =
                sign * in[static_cast<std::size_t>(start + best * sizes.inner)];
            if (value > most || (takes_last && value == most)) best = i;
          }
          expected.push_back(best);
        }
        for (const int threads : {1, 2, 8}) {
          ThreadPool pool(threads);
          Workers workers(pool, threads);
          std::vector<std::int64_t> out(expected.size(), -1);
          arg_extreme(kind, takes_last, DataType::int32, in.data(), out.data(), sizes, workers);
          CHECK(out == expected);
        }
      }
    }
  }
}

}  // namespace ortool::cpu
