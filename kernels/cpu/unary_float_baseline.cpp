// The functions of one float for baseline.
#define ORTOOL_ISA baseline
#include "kernels/cpu/unary_float.inc"
