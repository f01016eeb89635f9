// The least sizes of free input dimensions that the shape rules of a model accept.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "libcore/base/stop_token.hpp"
#include "libcore/graph/model.hpp"

namespace ortool {

/// Numbers for free dimensions of a model's inputs: symbols by their names; a nameless one goes by
/// its place, as in formulas: dimension 2 of input 'x' is "x_dim_2".
using InputSizes = std::map<std::string, std::int64_t, std::less<>>;

struct LeastSizes {
  InputSizes sizes;  ///< one for each free dimension, those that were given included
  /// Whether the shape rules accept them. False: no such sizes were found, and all are 1.
  bool are_accepted = true;
  /// Why they are not all 1: what the shape rules say to that; empty where they are.
  std::string problem;
};

struct LeastSizesOptions {
  InputSizes given = {};    ///< these stay as they are
  double most_seconds = 2;  ///< for the search; the best found so far counts
  const StopToken* stop = nullptr;
};

/// Looks for sizes with which types and shapes of all values can be inferred and no output is
/// empty: 1 where that will do. Shape inference is all that is run, so the model may still refuse
/// its data; and sizes are the least each by itself, found among small numbers, powers of two and
/// numbers that stand in the model. Functions should have been inlined. The model stays as it is.
LeastSizes find_least_sizes(const Model& model, const LeastSizesOptions& options);

/// Gives the free dimensions of the inputs these sizes, and those called by a sum of such names
/// ("past + new") the sum. Dimensions that have none stay free.
void set_input_sizes(Model& model, const InputSizes& sizes);

/// The name by which InputSizes knows dimension `index` of an input; empty where it has a number.
std::string free_dimension_name(const Value& input, std::size_t index);

}  // namespace ortool
