// Functions at the end of a product for baseline.
#define ORTOOL_ISA baseline
#include "kernels/cpu/epilogue/activation_rows.inc"
