// The step of an LSTM that gives the same bits on every level, for baseline.
#define ORTOOL_ISA baseline
#define ORTOOL_SAME_BITS
#include "kernels/cpu/recurrent/recurrent_rows.inc"
