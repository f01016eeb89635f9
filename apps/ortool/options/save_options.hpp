// --output, --force and where weights go: for commands that write a model.
#pragma once

#include <string>

#include "apps/ortool/command.hpp"
#include "apps/ortool/options/model_argument.hpp"
#include "libcore/onnx/write/save.hpp"

namespace ortool {

OptionGroup save_options();

/// Where a model goes and how. Nothing is written by it.
struct SaveTarget {
  std::string path;  ///< "-": standard output
  SaveOptions options;
};

/// Reads the options. Throws ErrorCode::invalid for values that are none, for a target that is
/// another file of the command line, and without --force for one that is the file that `loaded`
/// names; ErrorCode::write_failed where nothing can be written there.
SaveTarget read_save_target(const Invocation& invocation, const LoadedModel& loaded);

/// Writes the model; to standard output in one piece. Returns how many bytes that
/// were, a new file of weights beside it included.
std::int64_t save_to(const SaveTarget& target, const Model& model);

}  // namespace ortool
