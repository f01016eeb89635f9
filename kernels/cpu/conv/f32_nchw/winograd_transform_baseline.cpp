// The transformations of Winograd's convolution for baseline.
#define ORTOOL_ISA baseline
#include "kernels/cpu/conv/f32_nchw/winograd_transform.inc"
