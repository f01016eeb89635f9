// The step of linear attention for avx512.
#define ORTOOL_ISA avx512
#include "kernels/cpu/attention/linear_attention_rows.inc"
