// Statistics and highest scores of tensors.
#include "apps/ortool/run/tensor_block.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "apps/ortool/report/text_table.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/tensor/compare.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

constexpr std::int64_t most_rows = 10000;
constexpr std::int64_t most_listed_elements = 8;

}  // namespace

std::int64_t class_count(const Shape& shape) {
  if (shape.rank() == 0) return 0;
  for (std::int64_t axis = shape.rank() - 1; axis >= 0; --axis) {
    if (shape[axis] != 1) return shape[axis];
  }
  return 1;
}

std::vector<TopEntry> top_entries(const Tensor& tensor, std::int64_t count) {
  std::vector<TopEntry> entries;
  const std::int64_t rank = tensor.shape().rank();
  if (!is_arithmetic(tensor.type()) || rank == 0 || tensor.element_count() == 0) return entries;
  const std::int64_t width = class_count(tensor.shape());
  const std::int64_t rows = std::min(tensor.element_count() / width, most_rows);
  const std::int64_t taken = std::min(count, width);
  std::vector<double> values(static_cast<std::size_t>(width));
  std::vector<std::size_t> order(values.size());
  for (std::int64_t row = 0; row < rows; ++row) {
    read_doubles(tensor, row * width, values);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto is_before = [&](std::size_t a, std::size_t b) {
      if (std::isnan(values[a]) != std::isnan(values[b])) return std::isnan(values[b]);
      if (values[a] != values[b]) return values[a] > values[b];
      return a < b;
    };
    std::partial_sort(order.begin(), order.begin() + taken, order.end(), is_before);
    for (std::int64_t i = 0; i < taken; ++i) {
      const std::size_t index = order[static_cast<std::size_t>(i)];
      entries.push_back({row, static_cast<std::int64_t>(index), values[index]});
    }
  }
  return entries;
}

Json shape_block(const Shape& shape) {
  return Json::list_of(shape.dimensions());
}

Json tensor_block(std::string_view name, const Tensor& tensor) {
  Json block = Json::object();
  block.set("name", name)
      .set("dtype", name_of(tensor.type()))
      .set("shape", shape_block(tensor.shape()));
  if (!is_arithmetic(tensor.type()) || tensor.element_count() == 0) {
    for (const char* key : {"min", "max", "mean", "std"}) block.set(key, Json());
    return block.set("nan_count", 0).set("inf_count", 0);
  }
  const Statistics statistics = statistics_of(tensor);
  return block.set("min", statistics.min)
      .set("max", statistics.max)
      .set("mean", statistics.mean)
      .set("std", statistics.std)
      .set("nan_count", statistics.nan_count)
      .set("inf_count", statistics.inf_count);
}

Json top_block(std::span<const TopEntry> entries, std::span<const std::string> labels,
               std::int64_t rows) {
  Json list = Json::list();
  for (const TopEntry& entry : entries) {
    Json item = Json::object();
    if (rows > 1) item.set("row", entry.row);
    item.set("index", entry.index);
    const auto index = static_cast<std::size_t>(entry.index);
    if (!labels.empty()) item.set("label", index < labels.size() ? Json(labels[index]) : Json());
    list.add(std::move(item.set("value", entry.value)));
  }
  return list;
}

std::string type_text(const Tensor& tensor) {
  return format("{}[{}]", name_of(tensor.type()), tensor.shape().to_string());
}

std::string content_text(const Tensor& tensor) {
  if (tensor.element_count() == 0) return "empty";
  if (tensor.element_count() <= most_listed_elements || !is_arithmetic(tensor.type())) {
    std::string text = "[";
    const std::int64_t listed = std::min(tensor.element_count(), most_listed_elements);
    for (std::int64_t i = 0; i < listed; ++i) {
      const bool is_float = is_floating_point(tensor.type());
      text += i > 0 ? ", " : "";
      text += is_float ? readable_number(element_as_double(tensor, i))
                       : shorten(element_text(tensor, i), 40);
    }
    return text + (listed < tensor.element_count() ? ", ...]" : "]");
  }
  const Statistics statistics = statistics_of(tensor);
  std::string text = format("min {}, max {}, mean {}", readable_number(statistics.min),
                            readable_number(statistics.max), readable_number(statistics.mean));
  if (statistics.nan_count > 0) text += format(", {} NaN", statistics.nan_count);
  if (statistics.inf_count > 0) text += format(", {} infinite", statistics.inf_count);
  return text;
}

}  // namespace ortool
