// Accuracy metrics: ranking, and Wilson's score interval (1927).
#include "libcore/dataset/metric.hpp"

#include <cmath>

#include "libcore/base/format.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/dataset/values/value_block.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {

std::string_view name_of(Metric metric) {
  switch (metric) {
    case Metric::top1:
      return "top1";
    case Metric::top5:
      return "top5";
    case Metric::cosine:
      return "cosine";
    case Metric::map:
      return "map";
    case Metric::miou:
      return "miou";
  }
  return {};
}

std::optional<Metric> metric_named(std::string_view name) {
  for (const Metric metric :
       {Metric::top1, Metric::top5, Metric::cosine, Metric::map, Metric::miou}) {
    if (name_of(metric) == name) return metric;
  }
  return std::nullopt;
}

std::optional<std::pair<double, double>> Score::interval() const {
  if ((metric_ != Metric::top1 && metric_ != Metric::top5) || count_ == 0) return std::nullopt;
  constexpr double z = 1.959963984540054;  // of 95 %
  const auto n = static_cast<double>(count_);
  const double share = value();
  const double middle = share + z * z / (2 * n);
  const double spread = z * std::sqrt(share * (1 - share) / n + z * z / (4 * n * n));
  const double scale = 1 + z * z / n;
  return std::pair(std::max(0.0, (middle - spread) / scale),
                   std::min(1.0, (middle + spread) / scale));
}

bool ranks_classes(const Tensor& tensor, std::int64_t samples) {
  if (!is_arithmetic(tensor.type()) || samples == 0 || tensor.element_count() == 0) return false;
  if (tensor.element_count() % samples != 0) return false;
  const std::int64_t width = tensor.element_count() / samples;
  if (width == 1) return is_integer(tensor.type());
  return is_floating_point(tensor.type()) && class_count(tensor.shape()) == width;
}

bool is_among_top(const Tensor& row, std::int64_t label, std::int64_t most) {
  const std::int64_t width = row.element_count();
  if (width == 1 && is_integer(row.type())) return element_as_int64(row, 0) == label;
  if (label < 0 || label >= width) {
    throw Error(ErrorCode::invalid, format("label {} is outside the {} classes", label, width),
                format("classes count from 0; {} gives them names", setting_name("labels")))
        .with_id("data.label");
  }
  const double own = element_as_double(row, label);
  if (std::isnan(own)) return false;
  std::int64_t better = 0;
  for (std::int64_t i = 0; i < width; ++i) {
    const double other = element_as_double(row, i);
    better += other > own || (other == own && i < label);
  }
  return better < most;
}

}  // namespace ortool
