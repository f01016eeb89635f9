// Follows an input through nodes that are its only consumer.
#include "libcore/inspect/preprocessing.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string_view>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/inspect/input_layout.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

constexpr std::int64_t max_numbers = 16;
constexpr int max_steps = 8;

const Tensor* tensor_of(const Value* value) {
  if (value == nullptr) return nullptr;
  if (!value->constant().is_empty()) return &value->constant();
  const Node* producer = value->producer();
  if (producer == nullptr || producer->op_type() != "Constant") return nullptr;
  const Attribute* attribute = producer->find_attribute("value");
  return attribute != nullptr ? std::get_if<Tensor>(&attribute->value) : nullptr;
}

/// The elements of a small numeric tensor; otherwise empty.
std::vector<double> numbers_in(const Tensor* tensor) {
  if (tensor == nullptr || !is_arithmetic(tensor->type()) || tensor->element_count() < 1 ||
      tensor->element_count() > max_numbers) {
    return {};
  }
  std::vector<double> numbers(static_cast<std::size_t>(tensor->element_count()));
  read_doubles(*tensor, 0, numbers);
  return numbers;
}

std::vector<std::int64_t> permutation_of(const Node& node) {
  const Attribute* attribute = node.find_attribute("perm");
  const auto* list =
      attribute != nullptr ? std::get_if<std::vector<std::int64_t>>(&attribute->value) : nullptr;
  return list != nullptr ? *list : std::vector<std::int64_t>();
}

std::vector<double> each(const std::vector<double>& a, const std::vector<double>& b,
                         double (*apply)(double, double)) {
  if (a.size() != b.size() && a.size() != 1 && b.size() != 1) return {};
  std::vector<double> result(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = apply(a[a.size() == 1 ? 0 : i], b[b.size() == 1 ? 0 : i]);
  }
  return result;
}

double times(double a, double b) {
  return a * b;
}
double plus(double a, double b) {
  return a + b;
}

class InputWalk {
 public:
  explicit InputWalk(PreprocessingHint& hint) : hint_(hint) {}
  void follow(const Value& input);

 private:
  /// Processes the node; returns false if it is not a preprocessing step.
  bool take(const Node& node, const Value& from);
  bool take_arithmetic(const Node& node, const Value& from);
  bool take_normalization(const Node& node);
  void scale_by(const std::vector<double>& factors) {
    slope_ = each(slope_, factors, times);
    offset_ = each(offset_, factors, times);
  }
  void shift_by(const std::vector<double>& terms) { offset_ = each(offset_, terms, plus); }
  void add_step(const Node& node, std::string meaning, std::vector<double> numbers = {}) {
    hint_.steps.push_back({&node, std::move(meaning), std::move(numbers)});
  }

  PreprocessingHint& hint_;
  // The combined effect of the steps: slope * x + offset, one number for each channel or for all.
  std::vector<double> slope_ = {1};
  std::vector<double> offset_ = {0};
};

bool InputWalk::take_arithmetic(const Node& node, const Value& from) {
  const std::string_view op_type = node.op_type();
  const bool is_first = node.input(0) == &from;
  const std::vector<double> numbers = numbers_in(tensor_of(node.input(is_first ? 1 : 0)));
  if (numbers.empty() || (!is_first && (op_type == "Sub" || op_type == "Div"))) return false;
  std::vector<double> changed = numbers;
  if (op_type == "Sub") {
    for (double& number : changed) number = -number;
    shift_by(changed);
    add_step(node, "subtract", numbers);
  } else if (op_type == "Add") {
    shift_by(numbers);
    add_step(node, "add", numbers);
  } else if (op_type == "Mul") {
    scale_by(numbers);
    add_step(node, "multiply", numbers);
  } else {
    for (double& number : changed) number = 1 / number;
    scale_by(changed);
    add_step(node, "divide", numbers);
  }
  return true;
}

bool InputWalk::take_normalization(const Node& node) {
  const std::vector<double> scale = numbers_in(tensor_of(node.input(1)));
  const std::vector<double> bias = numbers_in(tensor_of(node.input(2)));
  const std::vector<double> mean = numbers_in(tensor_of(node.input(3)));
  const std::vector<double> variance = numbers_in(tensor_of(node.input(4)));
  if (scale.empty() || bias.size() != scale.size() || mean.size() != scale.size() ||
      variance.size() != scale.size()) {
    return false;
  }
  const Attribute* attribute = node.find_attribute("epsilon");
  const auto* given = attribute != nullptr ? std::get_if<float>(&attribute->value) : nullptr;
  const double epsilon = given != nullptr ? static_cast<double>(*given) : 1e-5;
  std::vector<double> factors(scale.size());
  std::vector<double> terms(scale.size());
  for (std::size_t i = 0; i < scale.size(); ++i) {
    factors[i] = scale[i] / std::sqrt(variance[i] + epsilon);
    terms[i] = bias[i] - mean[i] * factors[i];
  }
  scale_by(factors);
  shift_by(terms);
  add_step(node, "normalize", mean);
  return true;
}

bool InputWalk::take(const Node& node, const Value& from) {
  const std::string_view op_type = node.op_type();
  if (!node.domain().empty() || node.output(0) == nullptr) return false;
  if (op_type == "Sub" || op_type == "Add" || op_type == "Mul" || op_type == "Div") {
    return take_arithmetic(node, from);
  }
  if (op_type == "BatchNormalization") return take_normalization(node);
  if (op_type == "Cast") {
    add_step(node, format("cast to {}", name_of(node.output(0)->type().element)));
    return true;
  }
  if (op_type == "Transpose") {
    const std::vector<std::int64_t> permutation = permutation_of(node);
    std::string text;
    for (const std::int64_t axis : permutation) text += format(" {}", axis);
    add_step(node, "transpose by" + text);
    return true;
  }
  return false;
}

void InputWalk::follow(const Value& input) {
  const Value* value = &input;
  for (int i = 0; i < max_steps && value->uses().size() == 1; ++i) {
    const Node* consumer = value->uses().front().node;
    if (consumer == nullptr) break;
    if (!take(*consumer, *value)) break;
    value = consumer->output(0);
  }
  const bool is_affine = !slope_.empty() && slope_.size() <= 4 && !offset_.empty();
  const bool changes =
      is_affine && (slope_ != std::vector<double>{1} || offset_ != std::vector<double>{0});
  if (!changes) return;
  // slope * x + offset = (x - mean) / std
  for (std::size_t i = 0; i < std::max(slope_.size(), offset_.size()); ++i) {
    const double slope = slope_[slope_.size() == 1 ? 0 : i];
    const double offset = offset_[offset_.size() == 1 ? 0 : i];
    if (slope == 0) {
      hint_.mean.clear();
      hint_.std.clear();
      return;
    }
    hint_.mean.push_back(offset == 0 ? 0 : -offset / slope);
    hint_.std.push_back(1 / slope);
  }
}

/// The range of a QuantizeLinear that is the only consumer of the input.
void find_range(const Value& input, PreprocessingHint& hint) {
  if (input.uses().size() != 1 || input.uses().front().node == nullptr) return;
  const Node& consumer = *input.uses().front().node;
  if (consumer.op_type() != "QuantizeLinear" || consumer.output(0) == nullptr) return;
  const std::vector<double> scale = numbers_in(tensor_of(consumer.input(1)));
  const std::vector<double> zero_point = numbers_in(tensor_of(consumer.input(2)));
  const DataType type = consumer.output(0)->type().element;
  if (scale.size() != 1 || zero_point.size() > 1 || !is_integer(type)) return;
  const int bits = element_bits(type);
  if (bits > 16) return;
  const double count = std::ldexp(1.0, bits);
  const double least = is_signed_integer(type) ? -count / 2 : 0;
  const double zero = zero_point.empty() ? 0 : zero_point[0];
  hint.range = {(least - zero) * scale[0], (least + count - 1 - zero) * scale[0]};
  hint.range_reason =
      format("{} (QuantizeLinear) cannot represent other values", quote(consumer.name(), 60));
}

bool speaks_of_pictures(std::string_view key) {
  std::string lower(key);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  constexpr std::array<std::string_view, 14> words = {
      "mean",  "std",    "norm",   "scale",         "imgsz",      "image", "pixel",
      "color", "colour", "resize", "interpolation", "preprocess", "crop",  "stride"};
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

}  // namespace

PreprocessingHint find_preprocessing(const Model& model, const Value& input) {
  PreprocessingHint hint;
  if (!input.type().is_tensor() || input.has_default()) return hint;
  InputWalk(hint).follow(input);
  InputLayout layout = find_layout(input);
  hint.layout = std::move(layout.name);
  hint.layout_reason = std::move(layout.reason);
  find_range(input, hint);
  hint.denotation = input.type().denotation;
  const bool may_be_a_picture = input.type().shape && input.type().shape->size() == 4;
  if (!may_be_a_picture) return hint;
  for (const auto& [key, value] : model.metadata) {
    if (speaks_of_pictures(key)) hint.metadata.emplace_back(key, value);
  }
  return hint;
}

}  // namespace ortool
