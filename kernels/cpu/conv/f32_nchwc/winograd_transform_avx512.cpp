// Winograd's transformations of blocked tensors for avx512.
#define ORTOOL_ISA avx512
#include "kernels/cpu/conv/f32_nchwc/winograd_transform.inc"
