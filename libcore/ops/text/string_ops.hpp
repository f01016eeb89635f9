// Strings joined, cut, matched and cleaned.
// https://onnx.ai/onnx/operators/onnx__StringConcat.html and likewise for the others
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Strings of two tensors joined, element by element, with broadcasting.
struct StringConcat {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// Whether the whole of each string matches a regular expression (in RE2's syntax).
struct RegexFullMatch {
  static const OpSchema schema;
  std::string pattern;
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// Strings cut at a delimiter: the pieces, filled up with empty ones, and how many there are.
struct StringSplit {
  static const OpSchema schema;
  std::string delimiter;                  ///< empty: any white space
  std::optional<std::int64_t> most_cuts;  ///< nothing: as many as there are
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// Stop words taken out of a row of strings, and the rest changed in case.
struct StringNormalizer {
  static const OpSchema schema;

  enum class Case { lower, upper, unchanged };
  Case to_case = Case::unchanged;
  bool is_case_sensitive = false;  ///< of the comparison with stop words
  std::vector<std::string> stop_words;
  std::string locale;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
