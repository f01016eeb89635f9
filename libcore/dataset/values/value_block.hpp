// Text forms of a value: JSON block, terminal line, and a tensor's highest scores.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/json/json.hpp"
#include "libcore/tensor/run_value.hpp"

namespace ortool {

/// The number of classes that a score tensor has: its last dimension other than 1, so that
/// 1x1000x1x1 has 1000; 1 when all are 1, 0 for a scalar.
std::int64_t class_count(const Shape& shape);

/// A class with its score; `row` counts over all axes before the classes.
struct TopEntry {
  std::int64_t row;
  std::int64_t index;
  double value;
};

/// The `count` largest elements of each row, in descending order, without NaN; for numeric tensors
/// that are not scalars. At most 10000 rows.
std::vector<TopEntry> top_entries(const Tensor& tensor, std::int64_t count);

/// {name, dtype, shape, min, max, mean, std, nan_count, inf_count}; the statistics are null for
/// strings and empty tensors. Other values have no shape, but a `length` with `elements` (of a
/// sequence; at most a hundred, without names) or `entries` ([{key, value}] of a map).
Json run_value_block(std::string_view name, const RunValue& value);

/// {name, dtype, shape, source}.
Json input_block(std::string_view name, const RunValue& value, std::string_view source);

/// [{index, label?, value, probability?, row?}]; `probabilities` are empty, or one for each entry.
Json top_block(std::span<const TopEntry> entries, std::span<const double> probabilities,
               std::span<const std::string> labels, std::int64_t rows);

Json shape_block(const Shape& shape);

/// "float32", "sequence(float32)", "map(int64, float32)", "none".
std::string dtype_text(const RunValue& value);

/// "float32[1x10]", "sequence of 3", "map of 2", "none".
std::string type_text(const RunValue& value);

/// Up to eight elements in brackets, or the range and mean of more.
std::string content_text(const RunValue& value);

}  // namespace ortool
