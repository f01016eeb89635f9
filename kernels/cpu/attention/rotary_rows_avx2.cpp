// The loops of rotary embedding for avx2.
#define ORTOOL_ISA avx2
#include "kernels/cpu/attention/rotary_rows.inc"
