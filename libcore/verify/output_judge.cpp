// Output comparison: chooses tolerances, and describes differences in words.
#include "libcore/verify/output_judge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/strings/readable_number.hpp"
#include "libcore/dataset/values/value_block.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

Tolerance default_tolerance(DataType type) {
  if (type == DataType::float32 || type == DataType::float64) return {1e-3, 1e-4, true};
  if (type == DataType::float16 || type == DataType::bfloat16) return {2e-2, 2e-3, true};
  return {0, 0, false};
}

/// The position of the largest element, the first of equal ones; NaN is none. -1 if all are NaN.
std::int64_t largest_element(const Tensor& tensor, std::int64_t first, std::int64_t count) {
  std::int64_t best = -1;
  double largest = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const double element = element_as_double(tensor, first + i);
    if (std::isnan(element) || (best >= 0 && element <= largest)) continue;
    best = i;
    largest = element;
  }
  return best;
}

/// Whether the argmax of each row agrees.
bool has_same_top1(const Tensor& found, const Tensor& expected) {
  if (!is_arithmetic(found.type())) return true;
  const std::int64_t width = class_count(found.shape());
  for (std::int64_t first = 0; width > 0 && first < found.element_count(); first += width) {
    if (largest_element(found, first, width) != largest_element(expected, first, width)) {
      return false;
    }
  }
  return true;
}

Judge::Verdict different(std::string reason) {
  Judge::Verdict verdict;
  verdict.comparison.difference = reason;
  verdict.reason = std::move(reason);
  return verdict;
}

/// Adds an element's comparison to that of the whole.
void merge(TensorComparison& whole, const TensorComparison& part) {
  whole.passed = whole.passed && part.passed;
  whole.max_abs_error = std::max(whole.max_abs_error, part.max_abs_error);
  whole.max_rel_error = std::max(whole.max_rel_error, part.max_rel_error);
  whole.max_ulp = std::max(whole.max_ulp, part.max_ulp);
  whole.cosine = std::min(whole.cosine, part.cosine);
  whole.sqnr_db = std::min(whole.sqnr_db, part.sqnr_db);
  whole.mismatched += part.mismatched;
  whole.count += part.count;
}

/// The elements of `values` at `places`, in that order.
Tensor pick(const Tensor& values, const std::vector<std::int64_t>& places) {
  const Shape shape{static_cast<std::int64_t>(places.size())};
  if (values.type() == DataType::string) {
    std::vector<std::string> texts;
    for (const std::int64_t place : places) {
      texts.push_back(values.strings()[static_cast<std::size_t>(place)]);
    }
    return Tensor::of_strings(shape, std::move(texts));
  }
  Tensor result(values.type(), shape);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto index = static_cast<std::int64_t>(i);
    if (is_floating_point(values.type())) {
      set_element(result, index, element_as_double(values, places[i]));
    } else {
      set_element(result, index, element_as_int64(values, places[i]));
    }
  }
  return result;
}

}  // namespace

bool Judge::expect_quantized(std::set<std::string, std::less<>> caches) {
  is_quantized_ = !has_options();
  caches_ = std::move(caches);
  return is_quantized_;
}

void Judge::expect_class_maps(std::set<std::string, std::less<>> names) {
  if (!has_options()) class_maps_ = std::move(names);
}

void Judge::expect_equal(double rtol, double atol_of_max) {
  equal_ = Tolerance{rtol, atol_of_max, true};
}

bool Judge::expects_bits() const {
  return equal_ && equal_->rtol == 0 && equal_->atol == 0 && !rtol_ && !atol_;
}

Judge::Verdict Judge::compare_output(const RunValue& found, const RunValue& expected) const {
  if (found.kind() != expected.kind()) {
    return different(format("is {} (expected {})", found.describe(), expected.describe()));
  }
  switch (found.kind()) {
    case RunValue::Kind::tensor:
      return compare_tensors(found.tensor(), expected.tensor());
    case RunValue::Kind::sequence:
      return compare_sequences(found, expected);
    case RunValue::Kind::map:
      return compare_maps(found, expected);
    case RunValue::Kind::none:
      break;
  }
  Verdict both_empty;
  both_empty.has_passed = both_empty.comparison.passed = true;
  return both_empty;
}

Judge::Verdict Judge::compare_output(std::string_view name, const RunValue& found,
                                     const RunValue& expected) const {
  if (fp16_.contains(name) && !takes_floats_for_fp16_) {
    Judge other = *this;
    other.takes_floats_for_fp16_ = true;
    return other.compare_output(name, found, expected);
  }
  if (caches_.contains(name) && ranks_elements_) {
    Judge other = *this;
    other.ranks_elements_ = false;
    return other.compare_output(name, found, expected);
  }
  Verdict verdict = compare_output(found, expected);
  const TensorComparison& result = verdict.comparison;
  if (verdict.has_passed || !result.difference.empty() || !is_class_map(name)) return verdict;
  // The tolerance: 0.1 % of the classes, or 1 % for a quantized model.
  const std::int64_t most = result.count / (is_quantized_ ? 100 : 1000);
  verdict.has_passed = result.mismatched <= most;
  verdict.reason = verdict.has_passed ? std::string()
                                      : format("{} of {} classes differ (expected at most {})",
                                               result.mismatched, result.count, most);
  return verdict;
}

Judge::Verdict Judge::compare_sequences(const RunValue& found, const RunValue& expected) const {
  const auto elements = found.elements();
  const auto references = expected.elements();
  if (elements.size() != references.size()) {
    return different(format("has {} elements (expected {})", elements.size(), references.size()));
  }
  Verdict whole;
  whole.has_passed = whole.comparison.passed = true;
  whole.comparison.sqnr_db = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const Verdict part = compare_output(elements[i], references[i]);
    if (!part.comparison.difference.empty()) {
      return different(format("element {}: {}", i, part.reason));
    }
    merge(whole.comparison, part.comparison);
    if (part.has_passed) continue;
    whole.has_passed = false;
    if (whole.reason.empty()) whole.reason = format("element {}: {}", i, part.reason);
  }
  return whole;
}

Judge::Verdict Judge::compare_maps(const RunValue& found, const RunValue& expected) const {
  std::map<std::string, std::int64_t> places;
  for (std::int64_t i = 0; i < found.keys().element_count(); ++i) {
    places.emplace(element_text(found.keys(), i), i);
  }
  const std::int64_t count = expected.keys().element_count();
  if (found.keys().element_count() != count) {
    return different(format("has {} keys (expected {})", found.keys().element_count(), count));
  }
  if (found.keys().type() != expected.keys().type()) {
    return different(format("has keys of type {} (expected {})", name_of(found.keys().type()),
                            name_of(expected.keys().type())));
  }
  std::vector<std::int64_t> order;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto place = places.find(element_text(expected.keys(), i));
    if (place == places.end()) {
      return different(format("has no key {}", quote(element_text(expected.keys(), i))));
    }
    order.push_back(place->second);
  }
  return compare_tensors(pick(found.map_values(), order), expected.map_values());
}

std::string Judge::expect_fp16(std::set<std::string, std::less<>> names) {
  fp16_ = std::move(names);
  if (fp16_.empty() || has_options() || expects_bits()) return {};
  const std::vector<std::string> list(fp16_.begin(), fp16_.end());
  const Tolerance tolerance = default_tolerance(DataType::float16);
  return format(
      "computed in float16, so compared with rtol {} and atol {} of the largest element: {}",
      tolerance.rtol, tolerance.atol, list_names(list));
}

Tolerance Judge::usual_tolerance(DataType type) const {
  if (takes_floats_for_fp16_ && is_floating_point(type) && default_tolerance(type).rtol > 0)
    type = DataType::float16;
  const Tolerance usual = default_tolerance(type);
  if (!equal_ || usual.rtol == 0) return usual;
  const bool is_exact = equal_->rtol == 0 && equal_->atol == 0;
  const bool is_wide = type != DataType::float16 && type != DataType::bfloat16;
  return is_exact || is_wide ? *equal_ : usual;
}

Tolerance Judge::tolerance_of(DataType type) const {
  const Tolerance usual = usual_tolerance(type);
  if (!rtol_ && !atol_) return usual;
  Tolerance tolerance = {rtol_.value_or(usual.rtol), usual.atol, true};
  if (atol_) {
    tolerance.atol = *atol_;
    tolerance.atol_of_max = atol_of_max_;
  }
  return tolerance;
}

Judge::Verdict Judge::compare_tensors(const Tensor& found, const Tensor& expected) const {
  Verdict verdict;
  verdict.comparison = compare(found, expected, tolerance_of(expected.type()));
  const TensorComparison& result = verdict.comparison;
  if (!result.difference.empty()) {
    verdict.reason = result.difference;
    return verdict;
  }
  if (is_quantized_ && is_floating_point(expected.type())) {
    constexpr double min_cosine = 0.999;
    if (!result.passed && !(result.cosine >= min_cosine)) {
      verdict.reason = format("cosine {} is below {}", result.cosine, min_cosine);
    } else if (!result.passed && ranks_elements_ && !has_same_top1(found, expected)) {
      verdict.reason = "the index of the largest element differs";
    }
    verdict.has_passed = verdict.reason.empty();
    return verdict;
  }
  const bool has_other_measure = min_cosine_ || is_same_top1_;
  const bool counts_elements = rtol_ || atol_ || !has_other_measure;
  if (counts_elements && !result.passed) {
    verdict.reason =
        format("{} of {} elements differ, worst at {}, largest error {}", result.mismatched,
               result.count, result.worst_index, readable_number(result.max_abs_error));
  } else if (min_cosine_ && !(result.cosine >= *min_cosine_)) {
    verdict.reason = format("cosine {} is below {}", result.cosine, *min_cosine_);
  } else if (is_same_top1_ && !has_same_top1(found, expected)) {
    verdict.reason = "the index of the largest element differs";
  }
  verdict.has_passed = verdict.reason.empty();
  return verdict;
}

}  // namespace ortool
