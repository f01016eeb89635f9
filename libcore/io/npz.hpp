// Several tensors in one file: numpy's .npz, a zip archive of .npy files.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/tensor/tensor.hpp"

namespace ortool {

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

  /// Unpacks one array, with its sizes and checksum verified. Throws ErrorCode::invalid for an
  /// unknown name (with the nearest), a damaged entry, or one whose size the file cannot hold.
  Tensor read(std::string_view name, MemoryCap* cap = nullptr) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Writes an archive, all or nothing: the same tensors give the same bytes. Throws
/// ErrorCode::unsupported for types that numpy lacks and for names given twice.
void save_npz(const std::string& path, std::span<const std::pair<std::string, Tensor>> tensors,
              bool compress = false);

}  // namespace ortool
