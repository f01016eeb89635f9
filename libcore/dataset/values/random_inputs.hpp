// Made-up inputs: seeded, of the right type and shape, with indices that stay inside.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/tensor/run_value.hpp"

namespace ortool {

/// Numbers for a tensor's elements: from `low` up to `high`, floats below it, integers including
/// it.
struct RandomRange {
  double low = 0;
  double high = 1;
};

/// Numbers that symbols stand for.
using SymbolNumbers = std::map<std::string, std::int64_t, std::less<>>;

/// How inputs are made up.
struct RandomInputOptions {
  std::int64_t seed = 0;
  std::map<std::string, RandomRange, std::less<>> ranges = {};  ///< by input
  SymbolNumbers sizes = {};                                     ///< of free dimensions
};

/// Remembers the numbers that a given tensor's shape gives to the input's symbols.
void learn_symbols(const Value& input, const Shape& shape, SymbolNumbers& symbols);

/// A value for `input`, with the dimensions that `symbols` gives, of nameless ones as
/// "x_dim_2"; those it lacks become 1 and are told in `defaulted`, symbols are added to it. The
/// same elements for the same seed and position on every machine. Floats are uniform in [0, 1),
/// bytes 0..255, other integers 0..9; an input that is read as an index stays inside what it
/// gathers from, and one that is read as a shape is 1; a mask of attention, read as (1 - mask) *
/// -10,000, is 0 or 1, the first of each row 1. `range` replaces all that. Sequences get two
/// elements, optionals their content. Throws ErrorCode::invalid when not even the rank is known,
/// ErrorCode::unsupported for maps.
RunValue random_value(const Value& input, SymbolNumbers& symbols,
                      std::vector<std::string>& defaulted, std::uint64_t seed,
                      std::int64_t position, const std::optional<RandomRange>& range,
                      MemoryCap& cap);

}  // namespace ortool
