// The inner loops of functions of two numbers for avx2.
#define ORTOOL_ISA avx2
#include "kernels/cpu/elementwise/binary_rows.inc"
