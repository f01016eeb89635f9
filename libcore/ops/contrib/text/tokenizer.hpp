// com.microsoft.Tokenizer: texts cut into tokens by regular expressions, as scikit-learn's
// vectorizers do it.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Cuts each text of X, [C] or [N, C], into a row of tokens, [C, D] or [N, C, D]. Tokens are what
/// separators leave, what `token_pattern` matches, or single characters.
struct Tokenizer {
  static const OpSchema schema;

  std::vector<std::string> separators;  ///< patterns (RE2's syntax), applied one after another
  std::string token_pattern;            ///< where there are no separators
  std::string padding;                  ///< the text that fills up shorter rows
  std::int64_t least_characters = 1;    ///< of a token; shorter ones are dropped
  bool marks_ends = false;              ///< \x02 before the tokens of a text, \x03 behind them

  /// Whether each character is a token.
  bool splits_characters() const;
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
