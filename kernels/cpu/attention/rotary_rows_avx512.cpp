// The loops of rotary embedding for avx512.
#define ORTOOL_ISA avx512
#include "kernels/cpu/attention/rotary_rows.inc"
