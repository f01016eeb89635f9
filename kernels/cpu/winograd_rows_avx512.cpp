// The transformations of Winograd's convolution for avx512.
#define ORTOOL_ISA avx512
#include "kernels/cpu/winograd_rows.inc"
