// N-gram blocking: scores of tokens that would repeat an n-gram become -inf.
#pragma once

#include <cstdint>

namespace ortool::cpu {

/// `tokens`: one row of `length` tokens; `scores`: its `vocabulary` scores. Returns a token outside
/// the vocabulary that would have to be blocked, or -1.
std::int64_t block_repeated_ngrams(std::int64_t size, const std::int64_t* tokens,
                                   std::int64_t length, float* scores, std::int64_t vocabulary);

}  // namespace ortool::cpu
