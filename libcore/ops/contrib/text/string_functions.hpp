// String operators of ai.onnx.contrib that are functions of texts: letter case, length, white
// space, joining, splitting and hashing.
// https://github.com/microsoft/onnxruntime-extensions/blob/main/docs/custom_ops.md
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool::extensions {

/// Small letters for the capitals of Latin-1 (A to Z, À to Þ); others stay.
struct StringLower {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// Capitals for a to z; others stay.
struct StringUpper {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// The number of characters.
struct StringLength {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// Removes white space at both ends, except from texts of white space alone.
struct StringStrip {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// Concatenates the texts of two tensors of one shape.
struct StringConcat {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// Whether texts are equal.
/// ONNX's broadcasting applies.
struct StringEqual {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// Joins the texts along an axis (input 2) with a separator (input 1) between them.
struct StringJoin {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// Splits a row of texts at any character of a separator, or into characters if it is empty. The
/// pieces as a sparse tensor: indices [n, 2], pieces [n], and the shape of the dense one [2].
struct StringSplit {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// A hash of each text, modulo the number of buckets (input 1): TensorFlow's Hash64.
struct StringToHashBucket {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// The same with FarmHash's Fingerprint64.
struct StringToHashBucketFast {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// The texts where a mask is true, as a row.
struct MaskedFill {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

}  // namespace ortool::extensions
