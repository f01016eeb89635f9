// Probabilities of ranked scores, in double precision.
#include "libcore/dataset/values/probabilities.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/tensor/convert.hpp"

namespace ortool {

std::vector<double> probabilities_of(const Tensor& tensor, std::span<const TopEntry> entries) {
  std::vector<double> scores(static_cast<std::size_t>(class_count(tensor.shape())));
  std::vector<double> result;
  std::int64_t row = -1;
  double greatest = 0;
  double sum = 0;
  for (const TopEntry& entry : entries) {
    if (entry.row != row) {
      row = entry.row;
      read_doubles(tensor, row * static_cast<std::int64_t>(scores.size()), scores);
      greatest = -std::numeric_limits<double>::infinity();
      for (const double score : scores) greatest = std::fmax(greatest, score);
      sum = 0;
      for (const double score : scores) sum += std::exp(score - greatest);
    }
    result.push_back(std::exp(entry.value - greatest) / sum);
  }
  return result;
}

bool holds_probabilities(const Tensor& tensor) {
  const std::int64_t width = class_count(tensor.shape());
  if (!is_arithmetic(tensor.type()) || width < 2) return false;
  constexpr double tolerance = 1e-2;
  std::vector<double> scores(static_cast<std::size_t>(width));
  for (std::int64_t first = 0; first < tensor.element_count(); first += width) {
    read_doubles(tensor, first, scores);
    double sum = 0;
    for (const double score : scores) sum += score >= 0 ? score : 2;
    if (!(std::fabs(sum - 1) <= tolerance)) return false;
  }
  return tensor.element_count() > 0;
}

}  // namespace ortool
