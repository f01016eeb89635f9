// Functions at the end of a product for avx2.
#define ORTOOL_ISA avx2
#include "kernels/cpu/epilogue/activation_rows.inc"
