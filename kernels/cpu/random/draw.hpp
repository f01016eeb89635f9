// Tensors of random numbers.
#pragma once

#include <cstdint>

#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/tensor/data_type.hpp"

namespace ortool::cpu {

// `key` chooses the numbers: element i is made from number i of that key, in float64, rounded once.

/// `type` is a float; a number that rounds to `high` becomes the one before it.
void draw_uniform(DataType type, double low, double high, std::uint64_t key, void* out,
                  std::int64_t count, Workers& workers);
void draw_normal(DataType type, double mean, double scale, std::uint64_t key, void* out,
                 std::int64_t count, Workers& workers);

/// 1 with the chance that the element of `chances` (a float) is, else 0, also where that is NaN.
/// `type` is a number or bool.
void draw_bernoulli(DataType chance_type, const void* chances, DataType type, std::uint64_t key,
                    void* out, std::int64_t count, Workers& workers);

/// For each row of `classes` logarithms of chances, `samples` numbers of classes (`type` is int32
/// or int64). `workspace` has classes doubles. Throws ErrorCode::invalid for a row without a class
/// that has a chance, or with NaN or infinity.
void draw_multinomial(DataType log_type, const void* logs, DataType type, std::uint64_t key,
                      void* out, std::int64_t rows, std::int64_t classes, std::int64_t samples,
                      double* workspace, Workers& workers);

}  // namespace ortool::cpu
