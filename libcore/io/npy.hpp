// Reading and writing of tensors in NumPy's .npy format.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "libcore/io/npy_header.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool {

/// The tensor in the bytes of an .npy file, which `owner` keeps alive: a view if the data is
/// little-endian and row-major, otherwise a copy. Throws like parse_npy_header.
Tensor read_npy(std::span<const std::byte> bytes, const std::shared_ptr<const void>& owner,
                MemoryCap* cap = nullptr);

/// Creates the tensor that `header` describes from its raw data, a uint8 tensor.
Tensor tensor_from_npy_data(const NpyHeader& header, const Tensor& data, MemoryCap* cap = nullptr);

/// An .npy file in two parts, header and data. `data` points into the tensor or into `owned`, so
/// neither may be destroyed or moved while it is used.
struct NpyParts {
  std::string header;
  std::string owned;
  std::span<const std::byte> data;
};

/// Fills `parts`. Throws ErrorCode::unsupported for types that NumPy lacks.
void make_npy(const Tensor& tensor, NpyParts& parts);

/// Writes the tensor to a file atomically.
void save_npy(const std::string& path, const Tensor& tensor);

}  // namespace ortool
