// Functions at the end of a product for avx2.
#define ORTOOL_ISA avx2
#include "kernels/cpu/gemm_activate.inc"
