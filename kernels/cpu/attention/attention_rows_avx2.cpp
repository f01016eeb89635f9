// The loops of attention for avx2.
#define ORTOOL_ISA avx2
#include "kernels/cpu/attention/attention_rows.inc"
