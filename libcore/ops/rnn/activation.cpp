// Table of the activation functions of recurrent operators.
#include "libcore/ops/rnn/activation.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"

namespace ortool {
namespace {

using ActivationFunction = RecurrentActivation::Function;

struct FunctionRow {
  std::string_view name;
  ActivationFunction function;
  bool has_alpha = false;
  bool has_beta = false;
  float alpha = 0.0F;
  float beta = 0.0F;
};

constexpr FunctionRow functions[] = {
    {"Affine", ActivationFunction::affine, true, true, 1.0F, 0.0F},
    {"Elu", ActivationFunction::elu, true, false, 1.0F},
    {"HardSigmoid", ActivationFunction::hard_sigmoid, true, true, 0.2F, 0.5F},
    {"LeakyRelu", ActivationFunction::leaky_relu, true, false, 0.01F},
    {"Relu", ActivationFunction::relu},
    {"ScaledTanh", ActivationFunction::scaled_tanh, true, true, 1.0F, 1.0F},
    {"Sigmoid", ActivationFunction::sigmoid},
    {"Softplus", ActivationFunction::softplus},
    {"Softsign", ActivationFunction::softsign},
    {"Tanh", ActivationFunction::tanh},
    {"ThresholdedRelu", ActivationFunction::thresholded_relu, true, false, 1.0F},
};

bool equal_letters(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

const FunctionRow& row_of(ActivationFunction function) {
  return *std::find_if(std::begin(functions), std::end(functions),
                       [&](const FunctionRow& row) { return row.function == function; });
}

const FunctionRow& row_named(std::string_view name) {
  const auto* found =
      std::find_if(std::begin(functions), std::end(functions),
                   [&](const FunctionRow& row) { return equal_letters(row.name, name); });
  if (found != std::end(functions)) return *found;
  std::vector<std::string_view> names;
  for (const FunctionRow& row : functions) names.push_back(row.name);
  throw Error(ErrorCode::invalid,
              format("activations holds {} (expected one of {})", quote(name), list_names(names)));
}

/// The values of activation_alpha or activation_beta, consumed in order.
class CoefficientList {
 public:
  CoefficientList(AttributeReader& attributes, std::string_view name)
      : name_(name), values_(attributes.find_numbers(name).value_or(std::vector<float>())) {}

  float next(float otherwise) { return used_ < values_.size() ? values_[used_++] : otherwise; }

  /// More values than functions have no meaning; ONNX does not define whether functions without
  /// parameters skip one.
  void check_count(std::size_t functions_count) const {
    if (values_.size() <= functions_count) return;
    throw Error(ErrorCode::invalid, format("{} has {} elements for {} functions", name_,
                                           values_.size(), functions_count));
  }

 private:
  std::string_view name_;
  std::vector<float> values_;
  std::size_t used_ = 0;
};

}  // namespace

std::vector<RecurrentActivation> read_activations(AttributeReader& attributes,
                                                  std::span<const ActivationFunction> defaults,
                                                  std::int64_t directions) {
  std::vector<const FunctionRow*> rows;
  const auto names = attributes.find_strings("activations");
  if (names) {
    for (const std::string& name : *names) rows.push_back(&row_named(name));
  } else {
    for (std::int64_t i = 0; i < directions; ++i) {
      for (const ActivationFunction function : defaults) rows.push_back(&row_of(function));
    }
  }
  const std::size_t wanted = defaults.size() * static_cast<std::size_t>(directions);
  if (rows.size() != wanted) {
    throw Error(ErrorCode::invalid,
                format("activations has {} functions (expected {}, {} per direction)", rows.size(),
                       wanted, defaults.size()));
  }
  CoefficientList alphas(attributes, "activation_alpha");
  CoefficientList betas(attributes, "activation_beta");
  alphas.check_count(rows.size());
  betas.check_count(rows.size());
  std::vector<RecurrentActivation> result;
  for (const FunctionRow* row : rows) {
    RecurrentActivation activation{row->function, row->alpha, row->beta};
    if (row->has_alpha) activation.alpha = alphas.next(row->alpha);
    if (row->has_beta) activation.beta = betas.next(row->beta);
    result.push_back(activation);
  }
  return result;
}

}  // namespace ortool
