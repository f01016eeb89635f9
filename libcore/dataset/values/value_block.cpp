// Value statistics and highest scores of tensors; nested values element by element.
#include "libcore/dataset/values/value_block.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/strings/readable_number.hpp"
#include "libcore/tensor/compare.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

constexpr std::int64_t max_value_rows = 10000;
constexpr std::int64_t max_listed_elements = 8;
constexpr std::size_t max_listed_blocks = 100;

std::string element_in_words(const Tensor& tensor, std::int64_t index) {
  return is_floating_point(tensor.type()) ? readable_number(element_as_double(tensor, index))
                                          : shorten(element_text(tensor, index), 40);
}

Json element_block(const Tensor& tensor, std::int64_t index) {
  if (is_floating_point(tensor.type())) return Json(element_as_double(tensor, index));
  if (is_integer(tensor.type())) return Json(element_as_int64(tensor, index));
  return Json(element_text(tensor, index));
}

std::string tensor_text(const Tensor& tensor) {
  if (tensor.element_count() == 0) return "empty";
  if (tensor.element_count() <= max_listed_elements || !is_arithmetic(tensor.type())) {
    std::string text = "[";
    const std::int64_t listed = std::min(tensor.element_count(), max_listed_elements);
    for (std::int64_t i = 0; i < listed; ++i) {
      text += (i > 0 ? ", " : "") + element_in_words(tensor, i);
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

/// Appends {shape, min …} after name and type.
void add_figures(Json& block, const Tensor& tensor) {
  block.set("shape", shape_block(tensor.shape()));
  if (!is_arithmetic(tensor.type()) || tensor.element_count() == 0) {
    for (const char* key : {"min", "max", "mean", "std"}) block.set(key, Json());
    block.set("nan_count", 0).set("inf_count", 0);
    return;
  }
  const Statistics statistics = statistics_of(tensor);
  block.set("min", statistics.min)
      .set("max", statistics.max)
      .set("mean", statistics.mean)
      .set("std", statistics.std)
      .set("nan_count", statistics.nan_count)
      .set("inf_count", statistics.inf_count);
}

void add_elements(Json& block, const RunValue& value) {
  for (const char* key : {"shape", "min", "max", "mean", "std"}) block.set(key, Json());
  block.set("nan_count", 0).set("inf_count", 0);
  if (value.is_sequence()) {
    block.set("length", value.elements().size());
    Json elements = Json::list();
    for (const RunValue& element :
         value.elements().first(std::min(value.elements().size(), max_listed_blocks))) {
      elements.add(run_value_block({}, element));
    }
    block.set("elements", std::move(elements));
  } else if (value.is_map()) {
    const std::int64_t count = value.keys().element_count();
    block.set("length", count);
    Json entries = Json::list();
    for (std::int64_t i = 0; i < std::min<std::int64_t>(count, max_listed_blocks); ++i) {
      entries.add(Json::object()
                      .set("key", element_block(value.keys(), i))
                      .set("value", element_block(value.map_values(), i)));
    }
    block.set("entries", std::move(entries));
  }
}

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
  const std::int64_t rows = std::min(tensor.element_count() / width, max_value_rows);
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
      if (std::isnan(values[index])) break;
      entries.push_back({row, static_cast<std::int64_t>(index), values[index]});
    }
  }
  return entries;
}

Json shape_block(const Shape& shape) {
  return Json::list_of(shape.dimensions());
}

Json run_value_block(std::string_view name, const RunValue& value) {
  Json block = Json::object();
  if (!name.empty()) block.set("name", name);
  block.set("dtype", dtype_text(value));
  if (value.is_tensor()) {
    add_figures(block, value.tensor());
  } else {
    add_elements(block, value);
  }
  return block;
}

Json input_block(std::string_view name, const RunValue& value, std::string_view source) {
  return Json::object()
      .set("name", name)
      .set("dtype", dtype_text(value))
      .set("shape", value.is_tensor() ? shape_block(value.tensor().shape()) : Json())
      .set("source", source);
}

Json top_block(std::span<const TopEntry> entries, std::span<const double> probabilities,
               std::span<const std::string> labels, std::int64_t rows) {
  Json list = Json::list();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const TopEntry& entry = entries[i];
    Json item = Json::object();
    if (rows > 1) item.set("row", entry.row);
    item.set("index", entry.index);
    const auto index = static_cast<std::size_t>(entry.index);
    if (!labels.empty()) item.set("label", index < labels.size() ? Json(labels[index]) : Json());
    item.set("value", entry.value);
    if (!probabilities.empty()) item.set("probability", probabilities[i]);
    list.add(std::move(item));
  }
  return list;
}

std::string dtype_text(const RunValue& value) {
  switch (value.kind()) {
    case RunValue::Kind::none:
      return "none";
    case RunValue::Kind::tensor:
      return std::string(name_of(value.tensor().type()));
    case RunValue::Kind::map:
      return format("map({}, {})", name_of(value.keys().type()),
                    name_of(value.map_values().type()));
    case RunValue::Kind::sequence:
      break;
  }
  return value.elements().empty() ? "sequence"
                                  : format("sequence({})", dtype_text(value.elements().front()));
}

std::string type_text(const RunValue& value) {
  switch (value.kind()) {
    case RunValue::Kind::none:
      return "none";
    case RunValue::Kind::tensor:
      return format("{}[{}]", name_of(value.tensor().type()), value.tensor().shape().to_string());
    case RunValue::Kind::map:
      return format("map of {}", value.keys().element_count());
    case RunValue::Kind::sequence:
      break;
  }
  return format("sequence of {}", value.elements().size());
}

std::string content_text(const RunValue& value) {
  if (value.is_none()) return "empty";
  if (value.is_tensor()) return tensor_text(value.tensor());
  constexpr std::size_t max_listed = max_listed_elements;
  const bool is_map = value.is_map();
  const std::size_t count =
      is_map ? static_cast<std::size_t>(value.keys().element_count()) : value.elements().size();
  std::string text = is_map ? "{" : "[";
  for (std::size_t i = 0; i < std::min(count, max_listed); ++i) {
    const auto index = static_cast<std::int64_t>(i);
    text += i > 0 ? ", " : "";
    if (is_map) {
      text += element_in_words(value.keys(), index) + ": " +
              element_in_words(value.map_values(), index);
    } else {
      const RunValue& element = value.elements()[i];
      text += element.is_map() ? content_text(element) : type_text(element);
    }
  }
  if (count > max_listed) text += ", ...";
  return text + (is_map ? "}" : "]");
}

}  // namespace ortool
