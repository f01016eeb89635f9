// The loops of softmax for avx2.
#define ORTOOL_ISA avx2
#include "kernels/cpu/softmax_rows.inc"
