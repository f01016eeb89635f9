// The loops of the normalisations for baseline.
#define ORTOOL_ISA baseline
#include "kernels/cpu/normalize_rows.inc"
