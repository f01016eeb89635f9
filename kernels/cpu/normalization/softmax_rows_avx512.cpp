// The loops of softmax for avx512.
#define ORTOOL_ISA avx512
#include "kernels/cpu/normalization/softmax_rows.inc"
