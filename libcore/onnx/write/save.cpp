// Decides where tensors are stored, and writes the files in a safe order.
#include "libcore/onnx/write/save.hpp"

#include <sys/stat.h>

#include "libcore/base/error.hpp"
#include "libcore/base/file/atomic_file.hpp"
#include "libcore/onnx/write/write_model.hpp"

namespace ortool {
namespace onnx {
namespace {

/// Whether external data of the loaded model is also in the folder of the file to be written.
bool is_same_folder(const std::string& directory, const std::string& path) {
  const auto slash = path.rfind('/');
  const std::string folder =
      slash == std::string::npos ? "." : path.substr(0, slash == 0 ? 1 : slash);
  struct stat one {};
  struct stat other {};
  return !directory.empty() && ::stat(directory.c_str(), &one) == 0 &&
         ::stat(folder.c_str(), &other) == 0 && one.st_dev == other.st_dev &&
         one.st_ino == other.st_ino;
}

std::int64_t save(const Model& model, const std::string& path, const SaveOptions& options) {
  AtomicFile file(path);
  bool moves_large = options.external_data == ExternalData::always;
  while (true) {
    WireWriter writer;
    ExternalDataFile external_file(path, options.external_name);
    WriteContext context{writer, options, external_file};
    context.moves_large = moves_large;
    context.has_external_data = model.has_external_data;
    context.keeps_references = options.external_data == ExternalData::automatic && !moves_large &&
                               is_same_folder(model.directory, path);
    write_model(context, model);
    const bool is_too_much = options.external_data == ExternalData::automatic && !moves_large &&
                             writer.size_bytes() > options.max_file_bytes;
    if (is_too_much) {
      moves_large = true;
      continue;
    }
    const std::int64_t total =
        writer.size_bytes() + (external_file.is_used() ? external_file.size_bytes() : 0);
    std::int64_t done = 0;
    const auto on_chunk = [&](std::int64_t bytes) {
      if (options.stop != nullptr) options.stop->poll();
      if (options.on_written) options.on_written(done, total);
      done += bytes;
    };
    if (external_file.is_used()) external_file.write(on_chunk, options.stop);
    writer.each_piece([&](std::span<const std::byte> bytes, bool is_view) {
      is_view ? write_and_drop(file, bytes, on_chunk) : file.write(bytes);
    });
    file.commit(options.stop);
    external_file.keep();
    return total;
  }
}

}  // namespace
}  // namespace onnx

std::int64_t save_model(const Model& model, const std::string& path, const SaveOptions& options) {
  return onnx::save(model, path, options);
}

}  // namespace ortool
