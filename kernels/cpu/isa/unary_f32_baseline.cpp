// The functions of one float for baseline.
#define ORTOOL_ISA baseline
#include "kernels/cpu/isa/unary_f32.inc"
