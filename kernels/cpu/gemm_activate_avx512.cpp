// Functions at the end of a product for avx512.
#define ORTOOL_ISA avx512
#include "kernels/cpu/gemm_activate.inc"
