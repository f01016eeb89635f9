// Random inputs: seeded, with valid types, shapes and index ranges.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/graph/node.hpp"
#include "libcore/tensor/run_value.hpp"

namespace ortool {

/// The range of a tensor's elements: from `low` to `high`, exclusive for floats and inclusive for
/// integers.
struct RandomRange {
  double low = 0;
  double high = 1;
};

/// The sizes of symbols.
using SymbolSizes = std::map<std::string, std::int64_t, std::less<>>;

/// How random inputs are generated.
struct RandomInputOptions {
  std::int64_t seed = 0;
  std::map<std::string, RandomRange, std::less<>> ranges = {};  ///< by input
  SymbolSizes sizes = {};                                       ///< of free dimensions
};

/// Records the sizes that a given tensor's shape implies for the input's symbols.
void learn_symbols(const Value& input, const Shape& shape, SymbolSizes& symbols);

/// A value for `input`, with dimensions from `symbols`, where unnamed ones are "x_dim_2"; missing
/// ones become 1 and are reported in `defaulted`, and symbols are added to `symbols`. The same seed
/// and position give the same elements on every machine. Floats are uniform in [0, 1), uint8 in
/// 0..255, other integers in 0..9; an input that is used as an index stays within the bounds of the
/// gathered data, and one that is used as a shape is 1; an attention mask, used as (1 - mask) *
/// -10,000, is 0 or 1, with the first of each row 1. `range` overrides all this. Sequences get two
/// elements, optionals their content. Throws ErrorCode::invalid when not even the rank is known,
/// ErrorCode::unsupported for maps.
RunValue random_value(const Value& input, SymbolSizes& symbols, std::vector<std::string>& defaulted,
                      std::uint64_t seed, std::int64_t position,
                      const std::optional<RandomRange>& range, MemoryCap& cap);

}  // namespace ortool
