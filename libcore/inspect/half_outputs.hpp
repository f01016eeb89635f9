// Which outputs of a model follow from numbers computed in 16-bit floats.
#pragma once

#include <set>
#include <string>

#include "libcore/graph/model.hpp"

namespace ortool {

/// Whether anything in the model may be float16 or bfloat16: an input, a constant, a declared
/// value, or what a Cast makes. Needs no inferred types.
bool has_halves(const Model& model);

/// The names of outputs of wider floats, and of sequences and maps, that depend on values which
/// nodes give as float16 or bfloat16: those are rounded to a few bits, and the type does not say
/// so. What follows from constants alone and from shapes does not count, nor does an input in 16
/// bits by itself. Types must have been inferred; of functions that were not inlined only casts to
/// 16 bits are seen.
std::set<std::string, std::less<>> half_outputs(const Model& model);

}  // namespace ortool
