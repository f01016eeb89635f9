// Products with levels in blocks for baseline.
#define ORTOOL_ISA baseline
#include "kernels/cpu/gemm/weight_only/microkernel.inc"
