// The MODEL argument: a file, a folder with model.onnx, or standard input.
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
  std::string folder;  ///< that it lies in
  double load_ms = 0;
};

/// Loads the file, or the folder's model.onnx, at `path`.
LoadedModel load_model_at(std::string path, const LoadOptions& options = {});
/// Where the first argument leads; nothing is loaded yet.
LoadedModel find_model_argument(const Invocation& invocation);
/// Puts the loaded model's block into the report and says what was odd about the file.
void describe_model_argument(const Invocation& invocation, const LoadedModel& loaded);
/// Loads what the first argument names, puts the model's block into the report, and says what was
/// odd about the file.
LoadedModel load_model_argument(const Invocation& invocation, const LoadOptions& options = {});

/// `inspect` and errors speak of this: "FILE: …" in front of whatever `body` throws.
template <typename Body>
auto in_file(const std::string& path, Body&& body) {
  try {
    return body();
  } catch (Error& error) {
    throw error.in(path);
  }
}

}  // namespace ortool
