// The loops of reductions over floats for avx512.
#define ORTOOL_ISA avx512
#include "kernels/cpu/reduction/reduce_rows.inc"
