// The step of an LSTM that gives the same bits on every level, for avx2.
#define ORTOOL_ISA avx2
#define ORTOOL_SAME_BITS
#include "kernels/cpu/recurrent/recurrent_rows.inc"
