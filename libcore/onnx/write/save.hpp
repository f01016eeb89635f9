// Model writer: streaming and atomic, with weights written directly from where they are.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "libcore/base/stop_token.hpp"
#include "libcore/graph/model.hpp"

namespace ortool {

/// Which tensors are stored in a weight file beside the model.
enum class ExternalData {
  automatic,  ///< those that already are; all large ones when the file would exceed 2 GB
  always,     ///< all large ones
  never,
};

struct SaveOptions {
  ExternalData external_data = ExternalData::automatic;
  /// Smaller tensors stay in the model, whatever `external_data` says.
  std::int64_t external_threshold_bytes = 1024;
  /// The maximum file size for `automatic`: the limit of protobuf readers.
  std::int64_t max_file_bytes = (std::int64_t{1} << 31) - 1;
  /// The name of the weight file; empty: derived from the model's name, with a number if that is
  /// taken.
  std::string external_name;
  /// Polled until the file is renamed to its final name; may be null.
  const StopToken* stop = nullptr;
  /// Called as bytes are written, with how many are and the total; may be empty.
  std::function<void(std::int64_t done, std::int64_t total)> on_written = {};
};

/// Writes `model` to `path`. Unchanged parts of a loaded file are written as they were, including
/// unknown fields; nodes are in graph order. With `automatic`, tensors in a weight file stay there
/// if `path` is in the folder from which `model` was loaded; otherwise they are copied to a new
/// weight file beside `path`. Existing weight files are never modified. Equal models and options
/// give equal bytes (except for the name of the weight file, which depends on existing files).
/// Returns the number of bytes written, including a new weight file. Uses memory for the graph but
/// not for weights. Throws ErrorCode::write_failed, or ErrorCode::invalid ("save.*") for a model
/// whose weights were not loaded and for a name that leaves the folder, or the reason of a stop
/// request; no file is then changed or left behind.
std::int64_t save_model(const Model& model, const std::string& path,
                        const SaveOptions& options = {});

}  // namespace ortool
