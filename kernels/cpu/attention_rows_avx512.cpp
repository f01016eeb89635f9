// The loops of attention for avx512.
#define ORTOOL_ISA avx512
#include "kernels/cpu/attention_rows.inc"
