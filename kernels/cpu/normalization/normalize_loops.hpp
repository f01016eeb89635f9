// The loops of the normalisations as one table, picked by instruction set.
#pragma once

#include "kernels/cpu/isa/cpu_features.hpp"
#include "kernels/cpu/normalization/normalize_rows.hpp"

namespace ortool::cpu {

struct NormalizeLoops {
  decltype(&baseline::moments) moments;
  decltype(&baseline::mean_of_squares) mean_of_squares;
  decltype(&baseline::affine_row) affine_row;
  decltype(&baseline::scaled_row) scaled_row;
  decltype(&baseline::add_rows) add_rows;
};

inline NormalizeLoops normalize_loops(Isa isa) {
  switch (isa) {
    case Isa::amx:
    case Isa::avx512:
      return {avx512::moments, avx512::mean_of_squares, avx512::affine_row, avx512::scaled_row,
              avx512::add_rows};
    case Isa::avx2:
      return {avx2::moments, avx2::mean_of_squares, avx2::affine_row, avx2::scaled_row,
              avx2::add_rows};
    default:
      return {baseline::moments, baseline::mean_of_squares, baseline::affine_row,
              baseline::scaled_row, baseline::add_rows};
  }
}

}  // namespace ortool::cpu
