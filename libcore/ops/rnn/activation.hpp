// The functions inside recurrent operators, named by strings, with their two numbers.
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

/// Reads activations, activation_alpha and activation_beta; `defaults`, repeated for each
/// direction, stand for activations left out. Functions take the numbers given in their order, each
/// those that it has, then the defaults of the operators they are named after. Throws
/// ErrorCode::invalid for a name that is no function's (upper and lower case count the same), or
/// another number of functions.
std::vector<RecurrentActivation> read_activations(
    AttributeReader& attributes, std::span<const RecurrentActivation::Function> defaults,
    std::int64_t directions);

}  // namespace ortool
