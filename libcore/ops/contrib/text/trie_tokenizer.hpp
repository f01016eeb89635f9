// TrieTokenizer and TrieDetokenizer of ai.onnx.contrib: RWKV's tokenizer, which takes the longest
// token of its vocabulary at each place.
// https://github.com/microsoft/onnxruntime-extensions/blob/main/docs/custom_ops.md
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool::extensions {

/// Ids of texts [..., M]; 0 fills rows up.
struct TrieTokenizer {
  static const OpSchema schema;
  /// Ids and their tokens, which the attribute has as Python's literals: "131 b'\xe4' 1" a line.
  std::vector<std::pair<std::int64_t, std::string>> tokens;
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// Texts of rows of ids.
struct TrieDetokenizer {
  static const OpSchema schema;
  std::vector<std::pair<std::int64_t, std::string>> tokens;
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool::extensions
