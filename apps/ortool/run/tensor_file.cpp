// One reader and writer for each extension.
#include "apps/ortool/run/tensor_file.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/io/npy.hpp"
#include "libcore/io/npz.hpp"
#include "libcore/onnx/load.hpp"

namespace ortool {
namespace {

Tensor read_npz_entry(const std::string& path, std::string_view name, MemoryCap* cap) {
  const NpzFile file(path);
  if (file.contains(name)) return file.read(name, cap);
  if (file.names().size() == 1) return file.read(file.names().front(), cap);
  throw Error(
      ErrorCode::invalid,
      format("{}: holds {} arrays, none of them called {}", path, file.names().size(), quote(name)),
      format("it holds: {}", list_names(file.names())))
      .with_id("input.npz");
}

}  // namespace

std::string extension_of(std::string_view path) {
  std::string extension = std::filesystem::path(path).extension().string();
  for (char& letter : extension) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return extension;
}

bool is_tensor_extension(std::string_view extension) {
  constexpr std::array<std::string_view, 6> known = {".npy",  ".npz", ".pb",
                                                     ".json", ".raw", ".txt"};
  return std::find(known.begin(), known.end(), extension) != known.end();
}

bool is_picture_extension(std::string_view extension) {
  constexpr std::array<std::string_view, 5> known = {".png", ".jpg", ".jpeg", ".ppm", ".pgm"};
  return std::find(known.begin(), known.end(), extension) != known.end();
}

Tensor read_tensor_file(const std::string& path, std::string_view name,
                        const TensorFileOptions& options) {
  const std::string extension = extension_of(path);
  if (extension == ".npz") return read_npz_entry(path, name, options.cap);
  if (extension == ".pb") return load_tensor(path);
  return load_tensor_file(path, options);
}

std::string write_tensor_file(const std::string& folder, const std::string& stem,
                              std::string_view format_name, std::string_view name,
                              const Tensor& tensor) {
  const std::string path =
      (std::filesystem::path(folder) / (stem + "." + std::string(format_name))).string();
  if (format_name == "npy") {
    save_npy(path, tensor);
  } else {
    save_tensor(path, std::string(name), tensor);
  }
  return path;
}

}  // namespace ortool
