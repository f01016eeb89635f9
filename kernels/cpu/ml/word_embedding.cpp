// Word embeddings: tanh is monotonic, so it is applied to the largest sum.
#include "kernels/cpu/ml/word_embedding.hpp"

#include <algorithm>
#include <cmath>

namespace ortool::cpu {
namespace {

float window_sum(const WordSizes& sizes, const std::int32_t* ids, const float* filter,
                 const float* vectors) {
  float sum = 0;
  for (std::int64_t i = 0; i < sizes.window; ++i) {
    const float* vector = vectors + ids[i] * sizes.vector_size;
    const float* weights = filter + i * sizes.vector_size;
    for (std::int64_t k = 0; k < sizes.vector_size; ++k) sum += weights[k] * vector[k];
  }
  return sum;
}

}  // namespace

void embed_words(const WordSizes& sizes, const std::int32_t* ids, const float* filters,
                 const float* bias, const float* vectors, float* out, Workers& workers) {
  workers.parallel_for(sizes.words, [&](std::int64_t index) {
    const std::int32_t* word = ids + index * sizes.letters;
    float* to = out + index * sizes.filters;
    if (sizes.letters == 0 || word[0] <= 0) {
      std::fill_n(to, sizes.filters, 0.0F);
      return;
    }
    const auto length = static_cast<std::int64_t>(
        std::count_if(word, word + sizes.letters, [](std::int32_t id) { return id > 0; }));
    const std::int64_t windows = std::max(length, sizes.window) - sizes.window + 1;
    for (std::int64_t filter = 0; filter < sizes.filters; ++filter) {
      const float* weights = filters + filter * sizes.window * sizes.vector_size;
      float best = window_sum(sizes, word, weights, vectors);
      for (std::int64_t i = 1; i < windows; ++i)
        best = std::max(best, window_sum(sizes, word + i, weights, vectors));
      to[filter] = std::tanh(best + bias[filter]);
    }
  });
}

}  // namespace ortool::cpu
