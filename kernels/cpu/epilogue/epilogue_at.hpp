// Epilogue of a part of the result: operand pointers moved to the part's first element.
#pragma once

#include "kernels/cpu/epilogue/epilogue.hpp"

namespace ortool::cpu {

/// Whether the epilogue changes float sums at all.
inline bool changes_sums(const Epilogue& epilogue) {
  return epilogue.alpha != 1.0F || epilogue.addend != Addend::none ||
         epilogue.residual != nullptr || epilogue.activation != Activation::none;
}

/// Whether the activation is one that microkernels leave to `activate_rows`.
inline bool is_function(Activation activation) {
  return activation >= Activation::gelu;
}

/// The addend at `row` and `column` of the result.
inline const float* added_at(const Epilogue& epilogue, int64_t row, int64_t column) {
  switch (epilogue.addend) {
    case Addend::per_row:
      return epilogue.added + row;
    case Addend::per_column:
      return epilogue.added + column;
    case Addend::full:
      return epilogue.added + row * epilogue.added_stride + column;
    default:
      return epilogue.added;
  }
}

/// The residual at `row` and `column` of the result; null: none.
inline const float* residual_at(const Epilogue& epilogue, int64_t row, int64_t column) {
  if (epilogue.residual == nullptr) return nullptr;
  return epilogue.residual + row * epilogue.residual_stride + column;
}

/// The epilogue of the part of a float product that starts at (row, column).
inline Epilogue epilogue_at(const Epilogue& whole, int64_t row, int64_t column) {
  Epilogue part = whole;
  part.added = added_at(whole, row, column);
  part.residual = residual_at(whole, row, column);
  return part;
}

/// Sets the epilogue of a convolution's float tile, whose bias starts at `channel` and whose
/// residual at float `place`. Set in place: a copy would stall on store forwarding.
inline void set_epilogue_tile(EpilogueTile& tile, const Epilogue& whole, int64_t channel,
                              int64_t place) {
  tile.bias = whole.addend == Addend::none ? nullptr : whole.added + channel;
  tile.residual = whole.residual == nullptr ? nullptr : whole.residual + place;
  tile.activation = whole.activation;
  tile.low = whole.low;
  tile.high = whole.high;
}

/// The same for int32 sums, whose offsets and scales start at `channel`.
inline void set_int8_epilogue_tile(EpilogueTile& tile, const Epilogue& whole, int64_t channel) {
  tile.offsets = whole.offsets + channel;
  tile.scales = whole.scales + channel;
  tile.range = whole.range;
}

}  // namespace ortool::cpu
