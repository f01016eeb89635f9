// Packed sequences in decompositions: where each sequence and each of its tokens lies.
#pragma once

#include <cstdint>

#include "libcore/optimize/contrib/decomposition.hpp"

namespace ortool {

/// Sequences of at least one token each, one behind the other along axis 0 of `tokens`; `bounds`
/// holds where each begins, and the number of all tokens. Integers here are int64.
class PackedTokens {
 public:
  PackedTokens(Decomposition& out, Value& bounds, Value& tokens);

  Value& starts() const { return starts_; }        ///< for each sequence
  Value& lengths() const { return lengths_; }      ///< for each sequence
  Value& sequences() const { return sequences_; }  ///< for each token: which one it belongs to
  Value& positions() const { return positions_; }  ///< for each token: that within its sequence

 private:
  Value& sequence_of_token(Value& tokens) const;

  Decomposition& out_;
  Value& bounds_;
  Value& starts_;
  Value& lengths_;
  Value& places_;  ///< 0, 1, … for each token
  Value& sequences_;
  Value& positions_;
};

}  // namespace ortool
