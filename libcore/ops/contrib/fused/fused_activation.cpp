// The functions that fused operators may end with, and the order of their parameters.
#include "libcore/ops/contrib/fused/fused_activation.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"

namespace ortool {
namespace {

struct Function {
  std::string_view name;
  std::array<std::string_view, 2> parameters = {};

  std::size_t parameter_count() const {
    return static_cast<std::size_t>(std::count_if(parameters.begin(), parameters.end(),
                                                  [](auto each) { return !each.empty(); }));
  }
};

constexpr Function functions[] = {
    {"Clip", {"min", "max"}},
    {"Elu", {"alpha"}},
    {"HardSigmoid", {"alpha", "beta"}},
    {"HardSwish"},
    {"LeakyRelu", {"alpha"}},
    {"Relu"},
    {"Selu", {"alpha", "gamma"}},
    {"Sigmoid"},
    {"Softplus"},
    {"Softsign"},
    {"Tanh"},
    {"ThresholdedRelu", {"alpha"}},
};

const Function& find_function(std::string_view name) {
  for (const Function& each : functions) {
    if (each.name == name) return each;
  }
  std::string known;
  for (const Function& each : functions)
    known += format("{}{}", known.empty() ? "" : ", ", each.name);
  throw Error(ErrorCode::invalid,
              format("attribute 'activation' is {} (expected one of {})", quote(name), known));
}

}  // namespace

FusedActivation FusedActivation::read_list(AttributeReader& attributes) {
  FusedActivation result{attributes.string("activation"), {}};
  const std::vector<float> given =
      attributes.find_numbers("activation_params").value_or(std::vector<float>());
  if (result.function.empty()) return result;
  const Function& function = find_function(result.function);
  // ONNX Runtime does not look at the parameters of a function without any.
  if (function.parameter_count() == 0) return result;
  if (given.size() != function.parameter_count() && !given.empty())
    throw Error(ErrorCode::invalid,
                format("attribute 'activation_params' has {} elements (expected {} for {})",
                       given.size(), function.parameter_count(), function.name));
  for (std::size_t i = 0; i < given.size(); ++i)
    result.attributes.emplace_back(function.parameters[i], given[i]);
  return result;
}

FusedActivation FusedActivation::read_single(AttributeReader& attributes) {
  FusedActivation result{attributes.string("activation"), {}};
  constexpr std::string_view names[] = {"activation_alpha", "activation_beta", "activation_gamma"};
  std::vector<float> given;
  for (const std::string_view name : names) {
    if (const auto number = attributes.find_number(name)) given.push_back(*number);
  }
  if (result.function.empty()) return result;
  const Function& function = find_function(result.function);
  const std::size_t count = std::min(given.size(), function.parameter_count());
  for (std::size_t i = 0; i < count; ++i)
    result.attributes.emplace_back(function.parameters[i], given[i]);
  return result;
}

}  // namespace ortool
