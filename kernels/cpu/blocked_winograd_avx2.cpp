// Winograd's transformations of blocked tensors for avx2.
#define ORTOOL_ISA avx2
#include "kernels/cpu/blocked_winograd.inc"
