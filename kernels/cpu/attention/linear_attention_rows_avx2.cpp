// The step of linear attention for avx2.
#define ORTOOL_ISA avx2
#include "kernels/cpu/attention/linear_attention_rows.inc"
