// Tensors in numpy's .npy format.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "libcore/io/npy_header.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool {

/// The tensor in the bytes of an .npy file, which `owner` keeps alive: a view of them where they
/// are little-endian numbers in row-major order, else a copy. Throws as parse_npy_header.
Tensor read_npy(std::span<const std::byte> bytes, const std::shared_ptr<const void>& owner,
                MemoryCap* cap = nullptr);

/// The tensor that `header` describes from its bytes alone, a tensor of uint8.
Tensor tensor_from_npy_data(const NpyHeader& header, const Tensor& data, MemoryCap* cap = nullptr);

/// A tensor as an .npy file in two parts, header and bytes; `data` lies in the tensor or in
/// `owned`, so that neither may go or move while it is used.
struct NpyParts {
  std::string header;
  std::string owned;
  std::span<const std::byte> data;
};

/// Fills `parts`. Throws ErrorCode::unsupported for types that numpy lacks.
void make_npy(const Tensor& tensor, NpyParts& parts);

/// Writes the tensor to a file, all or nothing.
void save_npy(const std::string& path, const Tensor& tensor);

}  // namespace ortool
