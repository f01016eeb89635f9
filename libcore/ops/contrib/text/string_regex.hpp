// String operators of ai.onnx.contrib with regular expressions: replacement and splitting.
// https://github.com/microsoft/onnxruntime-extensions/blob/main/docs/custom_ops.md
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool::extensions {

/// Replaces matches of a pattern (input 1, RE2's syntax) by a text with \1 for groups (input 2).
struct StringRegexReplace {
  static const OpSchema schema;
  bool replaces_all = true;
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// The same with ECMAScript's syntax, and $1 for groups.
struct StringECMARegexReplace {
  static const OpSchema schema;
  bool replaces_all = true;
  bool ignores_case = false;
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// Splits texts where the group of a pattern (input 1) matches; delimiters that all of another
/// pattern (input 2) matches are kept. Outputs: the pieces, the bytes at which they begin and end,
/// and where the pieces of each text begin among all.
struct StringRegexSplitWithOffsets {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// The same with ECMAScript's syntax; delimiters are whole matches.
struct StringECMARegexSplitWithOffsets {
  static const OpSchema schema;
  bool ignores_case = false;
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool::extensions
