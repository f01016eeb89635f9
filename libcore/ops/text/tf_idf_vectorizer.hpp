// TfIdfVectorizer: n-gram counts of each row, optionally weighted.
// https://onnx.ai/onnx/operators/onnx__TfIdfVectorizer.html
#pragma once

#include <vector>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct TfIdfVectorizer {
  static const OpSchema schema;

  enum class Mode {
    counts,           ///< TF
    weights,          ///< IDF: the weight of each n-gram that occurs
    weighted_counts,  ///< TFIDF
  };
  Mode mode = Mode::counts;
  std::int64_t shortest = 1;  ///< smallest n of the n-grams
  std::int64_t longest = 1;
  std::int64_t max_skipped = 0;  ///< maximum number of elements skipped between two of an n-gram
  Tensor pool;                   ///< int64 or strings: all 1-grams, then all 2-grams …
  /// Start of the n-grams of each n in the pool, from n = 1; the last ones end with the pool.
  std::vector<std::int64_t> begins;
  std::vector<std::int64_t> columns;  ///< output column of each n-gram of the pool
  std::vector<float> weights;         ///< one for each n-gram; empty means ones
  std::int64_t column_count = 0;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
