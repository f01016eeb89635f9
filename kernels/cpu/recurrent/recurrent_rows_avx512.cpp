// The steps of recurrent cells for avx512.
#define ORTOOL_ISA avx512
#include "kernels/cpu/recurrent/recurrent_rows.inc"
