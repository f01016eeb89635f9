// Finds model outputs that depend on values computed in 16-bit floating point.
#pragma once

#include <set>
#include <string>

#include "libcore/graph/model.hpp"

namespace ortool {

/// Whether anything in the model may be float16 or bfloat16: an input, a constant, a declared
/// value, or the result of a Cast. Needs no inferred types.
bool has_fp16(const Model& model);

/// Names of outputs with wider floating-point types, and of sequences and maps, that depend on
/// float16 or bfloat16 results of nodes: they have reduced precision although their type does not
/// show it. Values that depend only on constants or shapes do not count, nor does a 16-bit input by
/// itself. Types must have been inferred; in functions that were not inlined, only casts to 16 bits
/// are detected.
std::set<std::string, std::less<>> fp16_outputs(const Model& model);

}  // namespace ortool
