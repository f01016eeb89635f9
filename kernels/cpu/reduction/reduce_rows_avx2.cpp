// The loops of reductions over floats for avx2.
#define ORTOOL_ISA avx2
#include "kernels/cpu/reduction/reduce_rows.inc"
