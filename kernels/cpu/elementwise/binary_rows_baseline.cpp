// The inner loops of functions of two numbers for baseline.
#define ORTOOL_ISA baseline
#include "kernels/cpu/elementwise/binary_rows.inc"
