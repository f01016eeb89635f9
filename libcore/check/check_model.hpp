// Model checker: reports all errors and warnings of a model file, not just the first one.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libcore/base/stop_token.hpp"
#include "libcore/check/finding.hpp"
#include "libcore/graph/model.hpp"
#include "libcore/onnx/read/load.hpp"

namespace ortool {

struct CheckResult {
  std::vector<Finding> findings;  ///< errors first
  std::int64_t left_out = 0;      ///< findings beyond the first thousand of each severity
  /// The loaded model with inferred types; null when it cannot be loaded.
  std::unique_ptr<Model> model;
  std::optional<Error> load_error;    ///< why the model could not be loaded
  std::optional<Error> memory_error;  ///< the first out-of-memory finding, if any
};

/// Checks the model at `path` ("-": standard input). `prepare` (may be empty) is called between
/// loading and inference, to fix dimensions. Throws only for problems that are not in the model's
/// content: a file that cannot be opened, a stop request, and exceptions of `prepare`.
CheckResult check_model(const std::string& path, const LoadOptions& options, const StopToken& stop,
                        const std::function<void(Model&)>& prepare);

/// Same for bytes that `owner` keeps alive; `directory` is the folder of external data (empty: not
/// allowed).
CheckResult check_model_from_bytes(std::span<const std::byte> bytes,
                                   const std::shared_ptr<const void>& owner,
                                   const std::string& directory, const LoadOptions& options,
                                   const StopToken& stop,
                                   const std::function<void(Model&)>& prepare);

}  // namespace ortool
