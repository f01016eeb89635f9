// Test data folders of a model; missing or unreadable ones are ignored silently.
#include "libcore/quantize/calibrate/own_test_data.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <system_error>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/dataset/values/value_set.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

constexpr int max_folders = 4;

/// The correlation of each element with the next one along `axis`.
double neighbor_correlation(std::span<const float> numbers, const Shape& shape, std::int64_t axis) {
  const std::int64_t step = shape.product(axis + 1, shape.rank());
  const std::int64_t count = shape[axis];
  double sum = 0;
  for (const float number : numbers) sum += static_cast<double>(number);
  const double mean = sum / static_cast<double>(numbers.size());
  double together = 0;
  double alone = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double here = static_cast<double>(numbers[i]) - mean;
    alone += here * here;
    if (static_cast<std::int64_t>(i) / step % count == count - 1) continue;
    together += here * (static_cast<double>(numbers[i + static_cast<std::size_t>(step)]) - mean);
  }
  // For constant data only the rounding error of the mean is left.
  const double noise = 1e-12 * mean * mean * static_cast<double>(numbers.size());
  return alone > noise ? together / alone : 0;
}

void add_picture(const Tensor& tensor, ExpectedRange& known) {
  const Tensor floats = convert(tensor.aligned(), DataType::float32);
  const auto [low, high] =
      std::minmax_element(floats.data<float>().begin(), floats.data<float>().end());
  known.range.low = std::min(known.range.low, static_cast<double>(*low));
  known.range.high = std::max(known.range.high, static_cast<double>(*high));
}

}  // namespace

bool is_natural_picture(const Tensor& tensor) {
  constexpr double alike = 0.5;
  if (!is_arithmetic(tensor.type()) || tensor.shape().rank() != 4 || tensor.element_count() < 64)
    return false;
  const Tensor floats = convert(tensor.aligned(), DataType::float32);
  double best = 0;
  for (std::int64_t axis = 1; axis < 4; ++axis) {
    best = std::max(best, neighbor_correlation(floats.data<float>(), tensor.shape(), axis));
  }
  return best >= alike;
}

std::vector<ExpectedRange> ranges_of_own_pictures(const std::string& model_path,
                                                  std::span<Value* const> inputs, MemoryCap& cap) {
  const std::filesystem::path beside = std::filesystem::path(model_path).parent_path();
  const auto positions = input_positions(inputs);
  std::vector<ExpectedRange> known;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    ExpectedRange each{std::string(inputs[i]->name()),
                       {infinity, -infinity},
                       "the model's own test data next to it ranges"};
    for (int number = 0; number < max_folders; ++number) {
      const std::filesystem::path folder = beside / format("test_data_set_{}", number);
      std::error_code failure;
      if (!std::filesystem::is_directory(folder, failure)) break;
      try {
        const ValueSet set(folder.string(), "input");
        const auto found = set.find(*inputs[i], positions[i], cap);
        if (!found || !found->value.is_tensor()) continue;
        if (is_natural_picture(found->value.tensor())) add_picture(found->value.tensor(), each);
      } catch (const Error&) {
        continue;
      }
    }
    if (each.range.low < each.range.high) known.push_back(std::move(each));
  }
  return known;
}

}  // namespace ortool
