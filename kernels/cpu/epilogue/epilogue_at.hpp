// An epilogue seen from a part of the result: its pointers moved to the part's first element.
#pragma once

#include "kernels/cpu/epilogue/epilogue.hpp"

namespace ortool::cpu {

/// Whether anything is done to float sums.
inline bool changes_sums(const Epilogue& epilogue) {
  return epilogue.alpha != 1.0F || epilogue.addend != Addend::none ||
         epilogue.residual != nullptr || epilogue.activation != Activation::none;
}

/// Lets `part` add what `whole` has for the result's `row` and `column` on; all else stays.
inline void move_epilogue(Epilogue& part, const Epilogue& whole, int64_t row, int64_t column) {
  if (whole.addend == Addend::per_row) part.added = whole.added + row;
  if (whole.addend == Addend::per_column) part.added = whole.added + column;
  if (whole.addend == Addend::full) part.added = whole.added + row * whole.added_stride + column;
  if (whole.residual != nullptr)
    part.residual = whole.residual + row * whole.residual_stride + column;
}

/// The epilogue of the part of a float product that begins at (row, column).
inline Epilogue epilogue_at(const Epilogue& whole, int64_t row, int64_t column) {
  Epilogue part = whole;
  move_epilogue(part, whole, row, column);
  return part;
}

/// The epilogue of a convolution's tile whose bias begins at `channel`, and whose residual begins
/// `place` floats on.
inline EpilogueTile epilogue_tile(const Epilogue& whole, int64_t channel, int64_t place) {
  EpilogueTile tile = {};
  if (whole.addend != Addend::none) tile.bias = whole.added + channel;
  if (whole.residual != nullptr) tile.residual = whole.residual + place;
  tile.activation = whole.activation;
  tile.low = whole.low;
  tile.high = whole.high;
  return tile;
}

/// The same of sums of int32, whose offsets and scales begin at `channel`.
inline EpilogueTile int8_epilogue_tile(const Epilogue& whole, int64_t channel) {
  EpilogueTile tile = {};
  tile.offsets = whole.offsets + channel;
  tile.scales = whole.scales + channel;
  tile.range = whole.range;
  return tile;
}

}  // namespace ortool::cpu
