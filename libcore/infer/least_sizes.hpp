// Finds the smallest sizes of free input dimensions that a model's shape rules accept.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "libcore/base/stop_token.hpp"
#include "libcore/graph/model.hpp"

namespace ortool {

/// Numbers for the free dimensions of a model's inputs, by symbol. An unnamed one has the same name
/// as in formulas: dimension 2 of input 'x' is "x_dim_2".
using InputSizes = std::map<std::string, std::int64_t, std::less<>>;

struct LeastSizes {
  InputSizes sizes;  ///< one for each free dimension, including the given ones
  /// Whether the shape rules accept them. False: no such sizes were found, and all are 1.
  bool are_accepted = true;
  /// Why they are not all 1: the error that the shape rules then report; empty if they are all 1.
  std::string problem;
};

struct LeastSizesOptions {
  InputSizes given = {};   ///< fixed sizes
  double max_seconds = 2;  ///< time limit of the search; the best result so far is used
  const StopToken* stop = nullptr;
};

/// Searches sizes with which types and shapes of all values can be inferred and no output is empty,
/// preferring 1. Only shape inference is run, so the model may still fail on its data. Each size is
/// minimal by itself, among small numbers, powers of two and numbers that occur in the model.
/// Functions should have been inlined. Does not modify the model.
LeastSizes find_least_sizes(const Model& model, const LeastSizesOptions& options);

/// Sets the free dimensions of the inputs to these sizes, and those named by a sum of such names
/// ("past + new") to the sum. Dimensions without a size stay free.
void set_input_sizes(Model& model, const InputSizes& sizes);

/// The name of dimension `index` of an input in InputSizes; empty if the dimension is a number.
std::string free_dimension_name(const Value& input, std::size_t index);

}  // namespace ortool
