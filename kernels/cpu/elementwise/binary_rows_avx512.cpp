// The inner loops of functions of two numbers for avx512.
#define ORTOOL_ISA avx512
#include "kernels/cpu/elementwise/binary_rows.inc"
