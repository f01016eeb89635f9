// Reading and writing of NumPy's .npz files: zip archives of .npy files.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/tensor/tensor.hpp"

namespace ortool {

/// An array of an archive that is decompressed by slices from its start.
class NpzRows {
 public:
  struct State;
  explicit NpzRows(std::unique_ptr<State> state);
  ~NpzRows();
  NpzRows(NpzRows&& other) noexcept;
  NpzRows& operator=(NpzRows&& other) noexcept;

  DataType type() const;
  /// Shape of the whole array; the rank is at least 1.
  const Shape& shape() const;
  /// The next `count` entries along the first axis; there must be that many. The checksum is
  /// verified after the last one.
  Tensor next(std::int64_t count, MemoryCap* cap = nullptr);
  /// Moves on by `count` entries in constant memory; there must be that many.
  void skip(std::int64_t count);

 private:
  std::unique_ptr<State> state_;
};

/// An archive open for reading. Only requested entries are decompressed. Not thread-safe.
class NpzFile {
 public:
  /// Reads the directory. Throws ErrorCode::invalid if the file is missing or not a zip archive.
  explicit NpzFile(const std::string& path);
  ~NpzFile();
  NpzFile(const NpzFile&) = delete;
  NpzFile& operator=(const NpzFile&) = delete;

  /// The array names, without ".npy", in file order.
  const std::vector<std::string>& names() const;
  bool contains(std::string_view name) const;

  /// What the header of an array declares; the data is not decompressed. Throws like read().
  struct ArrayInfo {
    DataType type;
    Shape shape;
  };
  ArrayInfo info(std::string_view name) const;
  /// The CRC-32 that the archive declares of an array's bytes.
  std::uint32_t checksum(std::string_view name) const;
  /// Decompresses one array and verifies its sizes and checksum. Throws ErrorCode::invalid for an
  /// unknown name (with the closest one), a damaged entry, or one whose size the file cannot
  /// contain.
  Tensor read(std::string_view name, MemoryCap* cap = nullptr) const;
  /// Opens one array for reading by slices; the archive must outlive it. Several may be open at
  /// once. Throws like read(), and ErrorCode::unsupported for scalars and for arrays in Fortran
  /// order, whose slices are not contiguous.
  NpzRows open_rows(std::string_view name) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Writes an archive atomically; equal tensors give equal bytes. Throws ErrorCode::unsupported for
/// types that NumPy lacks and for repeated names.
void save_npz(const std::string& path, std::span<const std::pair<std::string, Tensor>> tensors,
              bool compress = false);

}  // namespace ortool
