// Activation functions of recurrent operators, selected by name, with parameters alpha and beta.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "libcore/ops/attribute_reader.hpp"

namespace ortool {

/// A function of a gate: "Sigmoid", "LeakyRelu" with its alpha, and so on.
struct RecurrentActivation {
  enum class Function {
    affine,
    elu,
    hard_sigmoid,
    leaky_relu,
    relu,
    scaled_tanh,
    sigmoid,
    softplus,
    softsign,
    tanh,
    thresholded_relu,
  };

  Function function = Function::tanh;
  float alpha = 0.0F;
  float beta = 0.0F;

  bool operator==(const RecurrentActivation&) const = default;
};

/// Reads activations, activation_alpha and activation_beta. If activations is omitted, `defaults`
/// is repeated for each direction. Each function consumes the given parameters that it has, in
/// order; missing ones default to those of the operator of the same name. Throws ErrorCode::invalid
/// for an unknown function name (case-insensitive) or a wrong number of functions.
std::vector<RecurrentActivation> read_activations(
    AttributeReader& attributes, std::span<const RecurrentActivation::Function> defaults,
    std::int64_t directions);

}  // namespace ortool
