// Packed saving: a session of the saved file fills a session cache, which then becomes part of it.
#include "libcore/api/save_packed.hpp"

#include <cerrno>
#include <filesystem>
#include <stdlib.h>
#include <system_error>
#include <utility>

#include "libcore/base/error.hpp"
#include "libcore/base/file/file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/check/save_checked.hpp"
#include "libcore/onnx/read/load.hpp"
#include "libcore/provider/cache/cache_file.hpp"
#include "libcore/runtime/cache/packed_file.hpp"
#include "libcore/runtime/compact_session.hpp"

namespace ortool {
namespace {

/// A new folder beside a file, removed with all that is in it.
class ScratchFolder {
 public:
  explicit ScratchFolder(const std::string& beside) {
    const std::filesystem::path file(beside);
    path_ = (file.parent_path() / format(".{}.XXXXXX", file.filename().string().substr(0, 200)))
                .string();
    if (::mkdtemp(path_.data()) != nullptr) return;
    throw Error(ErrorCode::write_failed,
                format("its folder cannot be written to ({})", error_text(errno)),
                "name a folder you may write to")
        .with_id("output.write")
        .in(shorten(beside));
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string file(std::string_view name) const { return format("{}/{}", path_, name); }

 private:
  std::string path_;
};

/// Packs the weights of the model file into a session cache; returns its path.
std::string pack_weights(const std::string& model_path, const ScratchFolder& scratch,
                         const ComputeOptions& compute) {
  SessionOptions options = session_options(compute);
  options.cache_dir = scratch.file("cache");
  options.rewrites_cache = true;
  const auto session = make_compact_session(load_model(model_path), std::move(options));
  const CacheReport report = session->cache();
  if (!report.failure.empty())
    throw Error(ErrorCode::write_failed, report.failure).with_id("output.write");
  std::error_code ignored;
  if (!std::filesystem::exists(report.path, ignored)) CacheWriter(report.path).commit(compute.stop);
  return report.path;
}

}  // namespace

std::int64_t save_packed_model(const Model& model, const std::string& path, const SaveOptions& save,
                               const ComputeOptions& compute) {
  if (save.external_data == ExternalData::always) {
    throw Error(ErrorCode::invalid,
                "packed weights and the model are one file, without another "
                "one for weights",
                "leave out either")
        .with_id("save.packed");
  }
  const ScratchFolder scratch(path);
  const std::string plain = scratch.file("model.onnx");
  SaveOptions inside = save;
  inside.external_data = ExternalData::never;
  save_checked_model(model, plain, inside);
  return write_packed_file(plain, pack_weights(plain, scratch, compute), path, save.stop);
}

}  // namespace ortool
