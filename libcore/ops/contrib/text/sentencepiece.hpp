// SentencepieceTokenizer and SentencepieceDecoder of ai.onnx.contrib: texts to ids of a
// SentencePiece model and back.
// https://github.com/microsoft/onnxruntime-extensions/blob/main/docs/custom_ops.md
#pragma once

#include <string>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool::extensions {

/// Inputs: texts, nbest_size, alpha, add_bos, add_eos, reverse and optionally fairseq, of one
/// element each. Outputs: the ids of all texts, and where each text's begin and the last one's end.
struct SentencepieceTokenizer {
  static const OpSchema schema;
  std::string model;  ///< the bytes of a model file
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// The text of ids; optionally of fairseq's numbering.
struct SentencepieceDecoder {
  static const OpSchema schema;
  std::string model;
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool::extensions
