// The steps of pooling along rows of float32 for AVX2.
#define ORTOOL_ISA avx2
#include "kernels/cpu/pooling/pool_rows.inc"
