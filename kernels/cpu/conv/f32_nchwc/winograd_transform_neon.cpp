// Winograd transforms of NCHWc for NEON, in blocks of eight channels.
#define ORTOOL_ISA neon
#include "kernels/cpu/isa/vector_f32_pair.inc"
//
#include "kernels/cpu/conv/f32_nchwc/winograd_transform.inc"
