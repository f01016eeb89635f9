// String operators: concatenation, regular expressions, splitting and normalization.
// https://onnx.ai/onnx/operators/onnx__StringConcat.html and likewise for the others
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Elementwise concatenation of two string tensors, with broadcasting.
struct StringConcat {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// Whether a regular expression (RE2 syntax) matches each entire string.
struct RegexFullMatch {
  static const OpSchema schema;
  std::string pattern;
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// Splits strings at a delimiter: the substrings, padded with empty ones, and their number.
struct StringSplit {
  static const OpSchema schema;
  std::string delimiter;                 ///< empty: any whitespace
  std::optional<std::int64_t> max_cuts;  ///< absent: no limit
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// Removes stop words from a row of strings, and changes the case of the rest.
struct StringNormalizer {
  static const OpSchema schema;

  enum class Case { lower, upper, unchanged };
  Case to_case = Case::unchanged;
  bool is_case_sensitive = false;  ///< when comparing with stop words
  std::vector<std::string> stop_words;
  std::string locale;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
