// The loops of attention for avx512.
#define ORTOOL_ISA avx512
#include "kernels/cpu/attention/attention_rows.inc"
