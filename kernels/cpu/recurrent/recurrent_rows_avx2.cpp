// The steps of recurrent cells for avx2.
#define ORTOOL_ISA avx2
#include "kernels/cpu/recurrent/recurrent_rows.inc"
