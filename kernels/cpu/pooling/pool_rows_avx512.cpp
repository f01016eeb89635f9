// The steps of pooling along rows of float32 for AVX-512.
#define ORTOOL_ISA avx512
#include "kernels/cpu/pooling/pool_rows.inc"
