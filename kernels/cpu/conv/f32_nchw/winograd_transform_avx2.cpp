// The transformations of Winograd's convolution for avx2.
#define ORTOOL_ISA avx2
#include "kernels/cpu/conv/f32_nchw/winograd_transform.inc"
