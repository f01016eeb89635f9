// Products with levels in blocks for avx2.
#define ORTOOL_ISA avx2
#include "kernels/cpu/gemm/weight_only/microkernel.inc"
