// String operators of ai.onnx.contrib that look texts up in a table: StringMapping, StringToVector
// and VectorToString.
// https://github.com/microsoft/onnxruntime-extensions/blob/main/docs/custom_ops.md
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool::extensions {

/// A line of a table of texts and vectors.
struct VectorEntry {
  std::string text;
  std::vector<std::int64_t> vector;
};

/// Replaces texts that are in the table, one "text<tab>replacement" a line.
struct StringMapping {
  static const OpSchema schema;
  std::vector<std::pair<std::string, std::string>> entries;
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// The vector of each text; the table has "text<tab>number number …" in each line.
struct StringToVector {
  static const OpSchema schema;
  std::vector<VectorEntry> entries;
  std::vector<std::int64_t> unknown;  ///< the vector of texts that are not in the table
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// The text of each vector, by the same table.
struct VectorToString {
  static const OpSchema schema;
  std::vector<VectorEntry> entries;
  std::string unknown;

  std::int64_t vector_size() const;
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool::extensions
