// Several tensors in one file: numpy's .npz, a zip archive of .npy files.
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

/// An array of an archive, unpacked slice after slice from its beginning.
class NpzRows {
 public:
  struct State;
  explicit NpzRows(std::unique_ptr<State> state);
  ~NpzRows();
  NpzRows(NpzRows&& other) noexcept;
  NpzRows& operator=(NpzRows&& other) noexcept;

  DataType type() const;
  /// Of the whole array; at least one dimension.
  const Shape& shape() const;
  /// The next `count` entries along the first axis, of which there must be as many. With the last
  /// ones the checksum is compared.
  Tensor next(std::int64_t count, MemoryCap* cap = nullptr);

 private:
  std::unique_ptr<State> state_;
};

/// An archive open for reading. Only the entries asked for are unpacked. One thread at a time.
class NpzFile {
 public:
  /// Reads the list of entries. Throws ErrorCode::invalid for what is missing or no zip archive.
  explicit NpzFile(const std::string& path);
  ~NpzFile();
  NpzFile(const NpzFile&) = delete;
  NpzFile& operator=(const NpzFile&) = delete;

  /// The keys, without ".npy", in the order of the file.
  const std::vector<std::string>& names() const;
  bool contains(std::string_view name) const;

  /// What the header of an array says; nothing behind it is unpacked. Throws as read() does.
  struct Form {
    DataType type;
    Shape shape;
  };
  Form form(std::string_view name) const;
  /// Unpacks one array, with its sizes and checksum verified. Throws ErrorCode::invalid for an
  /// unknown name (with the nearest), a damaged entry, or one whose size the file cannot hold.
  Tensor read(std::string_view name, MemoryCap* cap = nullptr) const;
  /// Opens one array for reading slice by slice; the archive must outlive it. Several may be open
  /// at once. Throws as read(), and ErrorCode::unsupported for scalars and for arrays in Fortran's
  /// order, whose slices do not lie together.
  NpzRows open_rows(std::string_view name) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Writes an archive, all or nothing: the same tensors give the same bytes. Throws
/// ErrorCode::unsupported for types that numpy lacks and for names given twice.
void save_npz(const std::string& path, std::span<const std::pair<std::string, Tensor>> tensors,
              bool compress = false);

}  // namespace ortool
