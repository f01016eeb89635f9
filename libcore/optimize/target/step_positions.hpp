// Step positions: where the new tokens of each batch lie in a cache of keys and values, as nodes.
#pragma once

#include <cstdint>

#include "libcore/optimize/contrib/decomposition.hpp"

namespace ortool {

/// Arithmetic on sizes and positions, in int64.
class PositionNodes {
 public:
  explicit PositionNodes(Decomposition& out) : out_(out) {}

  Value& number(std::int64_t value) const;
  Value& sum(Value& a, Value& b) const;
  Value& difference(Value& a, Value& b) const;
  Value& is_less(Value& a, Value& b) const;
  Value& choose(Value& condition, Value& then, Value& otherwise) const;
  Value& smaller(Value& a, Value& b) const;
  Value& larger(Value& a, Value& b) const;

 private:
  Decomposition& out_;
};

/// The positions of a step of GroupQueryAttention.
struct StepPositions {
  Value* length = nullptr;     ///< new tokens, a scalar
  Value* total = nullptr;      ///< tokens of the longest batch, a scalar
  Value* lengths = nullptr;    ///< past and new tokens, batch x 1
  Value* first = nullptr;      ///< of the first new token, batch x 1
  Value* is_prompt = nullptr;  ///< whether there are no past tokens, a scalar
  Value* tokens = nullptr;     ///< batch x length
  /// What a token sees as its own: padding is where the last token is.
  Value* seen_from = nullptr;
};

StepPositions positions_of_step(Decomposition& out);

/// The positions of tokens in the tables of angles, batch x length, or 1 x length.
Value& rotary_positions(Decomposition& out, const StepPositions& step);

/// What a cache has before a step, and the rows of `past` and new ones, then one of zeros, that it
/// has after it.
struct CacheRows {
  Value* past_rows = nullptr;  ///< a scalar
  Value* kept = nullptr;       ///< batch x rows of the cache: places in those rows
  Value* positions = nullptr;  ///< batch x past and new rows and zeros; null: not a window's
};

/// Rows at their positions; `past` may be null.
CacheRows rows_of_cache(Decomposition& out, const StepPositions& step, Value* past);
/// Rows of the last tokens, at least `window` of them.
CacheRows rows_of_window(Decomposition& out, const StepPositions& step, Value& past,
                         std::int64_t window);

}  // namespace ortool
