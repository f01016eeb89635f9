// Tokenizers of BERT in ai.onnx.contrib: BertTokenizer, HfBertTokenizer, BasicTokenizer,
// WordpieceTokenizer and BertTokenizerDecoder.
// https://github.com/microsoft/onnxruntime-extensions/blob/main/docs/custom_ops.md
#pragma once

#include <cstdint>
#include <string>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool::extensions {

/// How a text becomes words, before these become pieces.
struct BasicTokenizer {
  static const OpSchema schema;
  bool in_small_letters = true;
  bool splits_ideographs = true;
  bool strips_accents = false;
  bool splits_punctuation = false;
  bool removes_controls = true;
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// Ids of one text or of two, with BERT's special tokens; their segments; ones; and where the
/// tokens lie.
struct BertTokenizer {
  static const OpSchema schema;
  enum class Truncation { longest_first, only_first, only_second, longest_from_back };

  std::string vocabulary;  ///< a token a line
  std::string unknown = "[UNK]";
  std::string separator = "[SEP]";
  std::string classification = "[CLS]";
  std::string prefix = "##";  ///< of pieces inside a word
  BasicTokenizer words;
  bool splits_words = true;      ///< otherwise at spaces alone
  std::int64_t max_length = -1;  ///< of the ids; below 3: no limit
  Truncation truncation = Truncation::longest_first;
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// The same for two texts; rows of ids, ones, and segments.
struct HfBertTokenizer : BertTokenizer {
  static const OpSchema schema;
  void infer(InferContext& context) const;
};

/// The pieces of words. Outputs: the pieces, where those of a row of words begin (and the end of
/// the last row's), and begin and end of each row. Rows are words unless input 1 has their first
/// words.
struct WordpieceTokenizer {
  static const OpSchema schema;
  std::string vocabulary;  ///< a JSON object of tokens and ids
  std::string prefix;
  std::string unknown;
  std::int64_t most_characters = 200;  ///< longer words are unknown
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// Texts of ids: of all, or with `uses_ranges` of each range in input 1.
struct BertTokenizerDecoder {
  static const OpSchema schema;
  std::string vocabulary;
  std::string unknown = "[UNK]";
  std::string separator = "[SEP]";
  std::string padding = "[PAD]";
  std::string classification = "[CLS]";
  std::string mask = "[MASK]";
  std::string prefix = "##";
  bool uses_ranges = false;
  bool skips_special = false;
  bool cleans_spaces = true;  ///< no space beside punctuation
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool::extensions
