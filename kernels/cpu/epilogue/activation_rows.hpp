// Functions of one number at the end of a product, one set an instruction set.
#pragma once

#include <stdint.h>

#include "libcore/base/activation.hpp"

namespace ortool::cpu {

// They mean what GemmFunctions::activate says.
namespace baseline {
void activate_rows(Activation activation, float low, float* values, int64_t stride, int64_t rows,
                   int64_t columns);
}  // namespace baseline
namespace avx2 {
void activate_rows(Activation activation, float low, float* values, int64_t stride, int64_t rows,
                   int64_t columns);
}  // namespace avx2
namespace avx512 {
void activate_rows(Activation activation, float low, float* values, int64_t stride, int64_t rows,
                   int64_t columns);
}  // namespace avx512

}  // namespace ortool::cpu
