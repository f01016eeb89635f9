// Functions at the end of a product for avx512.
#define ORTOOL_ISA avx512
#include "kernels/cpu/epilogue/activation_rows.inc"
