// Byte-pair tokenizers of ai.onnx.contrib: GPT2Tokenizer, CLIPTokenizer, RobertaTokenizer,
// SpmTokenizer and BpeDecoder.
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

/// What the tokenizers have in common. Outputs: ids [..., M], 1 for ids and 0 for padding, and
/// optionally where the tokens lie [N, M, 2].
struct BytePairTokenizer {
  std::string vocabulary;  ///< a JSON object of tokens and ids
  std::string merges;      ///< pairs of tokens with a space between, the best first
  /// Tokens beyond the vocabulary, with their ids.
  std::vector<std::pair<std::string, std::int64_t>> added;
  std::int64_t padding_length = -1;  ///< of all rows; negative: the longest row's
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

struct GPT2Tokenizer : BytePairTokenizer {
  static const OpSchema schema;
};
struct CLIPTokenizer : BytePairTokenizer {
  static const OpSchema schema;
};
struct RobertaTokenizer : BytePairTokenizer {
  static const OpSchema schema;
};

/// Llama's: symbols are characters and, for those that the vocabulary lacks, bytes such as <0x41>;
/// spaces are U+2581, which also begins each text.
struct SpmTokenizer : BytePairTokenizer {
  static const OpSchema schema;
};

/// Texts of rows of ids.
struct BpeDecoder {
  static const OpSchema schema;
  std::string vocabulary;                                     ///< a token a line, by id
  std::vector<std::pair<std::uint32_t, std::uint8_t>> bytes;  ///< what characters of tokens mean
  std::vector<std::pair<std::int64_t, std::string>> added;
  std::vector<std::int64_t> special;
  std::string unknown = "<|endoftext|>";
  bool skips_special = false;
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool::extensions
