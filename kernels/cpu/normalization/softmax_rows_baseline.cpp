// The loops of softmax for baseline.
#define ORTOOL_ISA baseline
#include "kernels/cpu/normalization/softmax_rows.inc"
