// The transformations of Winograd's convolution for avx512.
#define ORTOOL_ISA avx512
#include "kernels/cpu/conv/f32_nchw/winograd_transform.inc"
