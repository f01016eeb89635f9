// Random tensors: uniform, normal, Bernoulli and multinomial.
#pragma once

#include <cstdint>

#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/tensor/data_type.hpp"

namespace ortool::cpu {

// `key` selects the sequence: element i is computed from number i of that key, in float64, and
// rounded once.

/// `type` is floating-point; a number that rounds to `high` becomes the next lower one.
void draw_uniform(DataType type, double low, double high, std::uint64_t key, void* out,
                  std::int64_t count, Workers& workers);
void draw_normal(DataType type, double mean, double scale, std::uint64_t key, void* out,
                 std::int64_t count, Workers& workers);

/// 1 with the probability given by the element of `chances` (floating-point), else 0, also for NaN.
/// `type` is numeric or bool.
void draw_bernoulli(DataType chance_type, const void* chances, DataType type, std::uint64_t key,
                    void* out, std::int64_t count, Workers& workers);

/// For each row of `classes` log-probabilities, draws `samples` class indices (`type` is int32 or
/// int64). `workspace` holds `classes` doubles. Throws ErrorCode::invalid for a row in which no
/// class has a nonzero probability, or that contains NaN or infinity.
void draw_multinomial(DataType log_type, const void* logs, DataType type, std::uint64_t key,
                      void* out, std::int64_t rows, std::int64_t classes, std::int64_t samples,
                      double* workspace, Workers& workers);

}  // namespace ortool::cpu
