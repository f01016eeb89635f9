// The transformations of Winograd's convolution for baseline.
#define ORTOOL_ISA baseline
#include "kernels/cpu/winograd_rows.inc"
