// Products with levels in blocks for avx512.
#define ORTOOL_ISA avx512
#include "kernels/cpu/block_rows.inc"
