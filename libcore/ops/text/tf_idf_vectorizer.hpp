// TfIdfVectorizer: how often each of a pool of n-grams comes in a row.
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
    weights,          ///< IDF: the weight of what comes at all
    weighted_counts,  ///< TFIDF
  };
  Mode mode = Mode::counts;
  std::int64_t shortest = 1;  ///< n of the n-grams to look for
  std::int64_t longest = 1;
  std::int64_t most_skipped = 0;  ///< elements between two of an n-gram
  Tensor pool;                    ///< int64 or strings: all 1-grams, then all 2-grams …
  /// Where in the pool the n-grams begin, n from 1; the last ones end with the pool.
  std::vector<std::int64_t> begins;
  std::vector<std::int64_t> columns;  ///< of the output, one an n-gram of the pool
  std::vector<float> weights;         ///< one an n-gram; empty: ones
  std::int64_t column_count = 0;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
