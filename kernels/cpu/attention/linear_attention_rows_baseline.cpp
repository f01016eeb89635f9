// The step of linear attention for baseline.
#define ORTOOL_ISA baseline
#include "kernels/cpu/attention/linear_attention_rows.inc"
