// MODEL argument: finds and loads the file, and describes it in the report.
#include "apps/ortool/options/model_argument.hpp"

#include <filesystem>

#include "apps/ortool/inspect/attribute_block.hpp"
#include "apps/ortool/options/model_folder.hpp"
#include "libcore/api/defined_ops.hpp"
#include "libcore/base/file/file.hpp"
#include "libcore/base/sha256.hpp"
#include "libcore/base/stopwatch.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/early_use.hpp"

namespace ortool {
namespace {

/// Without weights a file is inspected instantly, and hashing more would take longer.
constexpr std::int64_t max_hashed_bytes_without_weights = std::int64_t{256} << 20;

Json model_block(const LoadedModel& loaded, bool has_document) {
  const Model& model = *loaded.model;
  Json block = Json::object();
  block.set("path", loaded.path);
  if (loaded.path == "-" || !has_document) {
    block.set("sha256", Json()).set("bytes", Json());
  } else {
    const MappedFile file = MappedFile::open(loaded.path);
    const bool is_hashed =
        model.has_external_data || file.size_bytes() <= max_hashed_bytes_without_weights;
    block.set("sha256", is_hashed ? Json(sha256_of(file.bytes())) : Json())
        .set("bytes", file.size_bytes());
  }
  Json opsets = Json::object();
  for (const auto& [domain, version] : model.graph->opsets()) {
    opsets.set(domain.empty() ? "ai.onnx" : domain, version);
  }
  std::string producer = model.producer_name;
  if (!model.producer_version.empty()) producer += " " + model.producer_version;
  Json files = Json::list();
  for (const ExternalFile& file : model.external_files) {
    files.add(Json::object().set("path", file.path).set("bytes", file.bytes));
  }
  block.set("ir_version", model.ir_version)
      .set("opsets", std::move(opsets))
      .set("producer", std::move(producer))
      .set("domain", model.domain)
      .set("doc_string", model.doc_string)
      .set("metadata", metadata_block(model.metadata))
      .set("external_files", std::move(files));
  return block;
}

}  // namespace

LoadedModel find_model(std::string path) {
  LoadedModel loaded;
  loaded.path = std::move(path);
  std::error_code ignored;
  if (loaded.path != "-" && std::filesystem::is_directory(loaded.path, ignored))
    loaded.path = find_model_in_folder(loaded.path);
  if (loaded.path != "-") loaded.folder = std::filesystem::path(loaded.path).parent_path().string();
  return loaded;
}

ArgumentSpec model_argument() {
  return {"MODEL",
          "an .onnx file, a folder with model.onnx or one .onnx file, or - for standard input"};
}

LoadedModel find_model_argument(const Invocation& invocation) {
  return find_model(invocation.arguments.front());
}

void describe_model_argument(const Invocation& invocation, const LoadedModel& loaded) {
  // A part holds the document, too.
  const bool has_document = invocation.has_document || invocation.options.has("part-out");
  invocation.report.model = model_block(loaded, has_document);
  for (const std::string& warning : loaded.model->warnings) invocation.warn(warning);
  for (const std::string& warning : early_use_warnings(*loaded.model)) invocation.warn(warning);
}

LoadedModel load_model_at(std::string path, const LoadOptions& options) {
  LoadedModel loaded = find_model(std::move(path));
  const Stopwatch watch;
  loaded.model = load_model(loaded.path, options);
  add_defined_ops(*loaded.model);
  resolve_legacy_defaults(*loaded.model);
  loaded.load_ms = watch.milliseconds();
  return loaded;
}

LoadedModel load_model_argument(const Invocation& invocation, const LoadOptions& options) {
  LoadOptions counted = options;
  counted.cap = &invocation.memory;
  LoadedModel loaded = load_model_at(invocation.arguments.front(), counted);
  describe_model_argument(invocation, loaded);
  return loaded;
}

}  // namespace ortool
