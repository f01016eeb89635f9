// The loops of softmax for avx2.
#define ORTOOL_ISA avx2
#include "kernels/cpu/normalization/softmax_rows.inc"
