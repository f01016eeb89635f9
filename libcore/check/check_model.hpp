// Everything that is wrong or odd about a model file, not just the first thing.
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
  std::int64_t left_out = 0;      ///< findings beyond the first thousand of a severity
  /// The loaded model with inferred types; null when it cannot be loaded.
  std::unique_ptr<Model> model;
  std::optional<Error> load_error;    ///< why there is no model
  std::optional<Error> memory_error;  ///< the first finding that memory ran out at, if any did
};

/// Checks the model at `path` ("-": standard input). `prepare` (may be empty) is called between
/// loading and inference, to fix dimensions. Throws only for what is not about the model's content:
/// a file that cannot be opened, a request to stop, and what `prepare` throws.
CheckResult check_model(const std::string& path, const LoadOptions& options, const StopToken& stop,
                        const std::function<void(Model&)>& prepare);

/// The same from bytes that `owner` keeps alive; `directory` is where external data lies (empty:
/// none is allowed).
CheckResult check_model_from_bytes(std::span<const std::byte> bytes,
                                   const std::shared_ptr<const void>& owner,
                                   const std::string& directory, const LoadOptions& options,
                                   const StopToken& stop,
                                   const std::function<void(Model&)>& prepare);

}  // namespace ortool
