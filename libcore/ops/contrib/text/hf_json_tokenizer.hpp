// HfJsonTokenizer of ai.onnx.contrib: a tokenizer of Hugging Face, as its files tokenizer.json and
// tokenizer_config.json describe it.
// https://github.com/microsoft/onnxruntime-extensions/blob/main/docs/custom_ops.md
#pragma once

#include <string>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool::extensions {

/// Outputs: ids of texts [..., M], and optionally 1 for ids and 0 for padding.
struct HfJsonTokenizer {
  static const OpSchema schema;
  std::string config;     ///< the content of tokenizer_config.json
  std::string tokenizer;  ///< the content of tokenizer.json
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool::extensions
