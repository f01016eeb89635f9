// MODEL argument: a file, a folder with a model, or standard input.
#pragma once

#include <memory>
#include <string>

#include "apps/ortool/command.hpp"
#include "libcore/graph/model.hpp"
#include "libcore/onnx/read/load.hpp"

namespace ortool {

ArgumentSpec model_argument();

struct LoadedModel {
  std::unique_ptr<Model> model;
  std::string path;    ///< of the file, "-" for standard input
  std::string folder;  ///< that contains it
  double load_ms = 0;
};

/// The file, or the one in the folder, at `path`; nothing is loaded yet.
LoadedModel find_model(std::string path);
/// Loads the file, or the folder's model, at `path`.
LoadedModel load_model_at(std::string path, const LoadOptions& options = {});
/// Resolves the first argument; nothing is loaded yet.
LoadedModel find_model_argument(const Invocation& invocation);
/// Adds the loaded model's block to the report, and the loader's warnings.
void describe_model_argument(const Invocation& invocation, const LoadedModel& loaded);
/// Loads the model that the first argument names, and adds its block and the loader's
/// warnings to the report.
LoadedModel load_model_argument(const Invocation& invocation, const LoadOptions& options = {});

/// Prefixes errors of `body` with "FILE: …".
template <typename Body>
auto in_file(const std::string& path, Body&& body) {
  try {
    return body();
  } catch (Error& error) {
    throw error.in(path);
  }
}

}  // namespace ortool
