// Output options of commands that write a model: --output, --force, --external-data.
#pragma once

#include <string>

#include "apps/ortool/command.hpp"
#include "apps/ortool/options/model_argument.hpp"
#include "libcore/onnx/write/save.hpp"

namespace ortool {

OptionGroup save_options();

/// Where and how a model is written.
struct SaveTarget {
  std::string path;  ///< "-": standard output
  SaveOptions options;
  bool is_packed = false;
};

/// Parses the options. Throws ErrorCode::invalid for invalid values, for a target that is
/// another file of the command line, and without --force for the file that `loaded`
/// names; ErrorCode::write_failed if the target is not writable.
SaveTarget read_save_target(const Invocation& invocation, const LoadedModel& loaded);

/// Writes the model, with the shapes of what operators of users compute; to standard output in one
/// piece. Returns the number of bytes, including a new weights file.
std::int64_t save_to(const Invocation& invocation, const SaveTarget& target, Model& model);

}  // namespace ortool
