// Output files: one writer per format.
#include "libcore/dataset/values/output_files.hpp"

#include <filesystem>

#include "libcore/base/file/atomic_file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/dataset/values/json_value.hpp"
#include "libcore/io/npy.hpp"
#include "libcore/io/npz.hpp"
#include "libcore/onnx/value_file.hpp"

namespace ortool {
namespace {

using NamedArrays = std::vector<std::pair<std::string, Tensor>>;

/// Adds a value's arrays to an archive; false when it cannot be represented.
bool add_arrays(const std::string& key, const RunValue& value, NamedArrays& arrays) {
  if (value.is_tensor()) {
    arrays.emplace_back(key, value.tensor());
    return numpy_holds(value.tensor());
  }
  if (!value.is_sequence() || value.elements().empty()) return false;
  for (std::size_t i = 0; i < value.elements().size(); ++i) {
    if (!add_arrays(format("{}[{}]", key, i), value.elements()[i], arrays)) return false;
  }
  return true;
}

std::string path_in(const std::string& folder, const std::string& name) {
  return (std::filesystem::path(folder) / name).string();
}

std::vector<std::string> write_archive(const std::string& folder, std::span<const Output> outputs) {
  const std::string path = path_in(folder, "outputs.npz");
  std::vector<std::string> files;
  NamedArrays arrays;
  for (const Output& output : outputs) {
    NamedArrays own;
    if (add_arrays(output.name, output.value, own)) {
      arrays.insert(arrays.end(), own.begin(), own.end());
      files.push_back(path);
    } else {
      files.push_back(write_value_file(folder, format("output_{}", output.position), "json",
                                       output.name, output.value, output.type));
    }
  }
  if (!arrays.empty()) save_npz(path, arrays);
  return files;
}

}  // namespace

bool numpy_holds(const Tensor& tensor) {
  const DataType type = tensor.type();
  const bool is_narrow_float =
      type == DataType::bfloat16 || (is_floating_point(type) && element_bits(type) < 16);
  return !is_packed(type) && !is_narrow_float;
}

void make_folder(const std::string& folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (!failure && std::filesystem::is_directory(folder, failure)) return;
  throw Error(ErrorCode::write_failed,
              format("{}: the folder cannot be made: {}", folder,
                     failure ? failure.message() : "a file of that name exists"),
              "name a writable folder")
      .with_id("output.folder");
}

std::string write_value_file(const std::string& folder, const std::string& stem,
                             std::string_view format_name, const std::string& name,
                             const RunValue& value, const ValueType& type) {
  const bool is_array = value.is_tensor() && numpy_holds(value.tensor());
  if (format_name == "npy" && is_array) {
    const std::string path = path_in(folder, stem + ".npy");
    save_npy(path, value.tensor());
    return path;
  }
  if (format_name == "pb") {
    const std::string path = path_in(folder, stem + ".pb");
    save_value(path, name, value, type);
    return path;
  }
  const std::string path = path_in(folder, stem + ".json");
  write_file(path, value_json(name, value).write());
  return path;
}

std::vector<std::string> write_outputs(const std::string& folder, std::string_view format_name,
                                       std::span<const Output> outputs) {
  make_folder(folder);
  if (format_name == "npz") return write_archive(folder, outputs);
  std::vector<std::string> files;
  for (const Output& output : outputs) {
    files.push_back(write_value_file(folder, format("output_{}", output.position), format_name,
                                     output.name, output.value, output.type));
  }
  return files;
}

std::string output_bytes(std::string_view format_name, const Output& output) {
  if (format_name == "json") return value_json(output.name, output.value).write() + "\n";
  if (format_name == "pb") return value_message(output.name, output.value, output.type);
  if (format_name == "npz" || !output.value.is_tensor()) {
    throw Error(ErrorCode::invalid,
                format("output {} cannot be written to standard output as {}", quote(output.name),
                       format_name),
                format("use {} pb or json, or a folder", setting_name("output-format")))
        .with_id("output.stream");
  }
  NpyParts parts;
  make_npy(output.value.tensor(), parts);
  std::string bytes = std::move(parts.header);
  bytes.append(reinterpret_cast<const char*>(parts.data.data()), parts.data.size());
  return bytes;
}

}  // namespace ortool
