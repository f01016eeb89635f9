// Reproduction folder of --save-repro, from which anybody can repeat the run.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "apps/ortool/command.hpp"
#include "apps/ortool/options/input_options.hpp"
#include "libcore/dataset/values/output_files.hpp"
#include "libcore/graph/model.hpp"

namespace ortool {

/// A folder in the layout of ONNX's backend tests, filled step by step, so that a run that fails
/// leaves everything up to the failure.
class Repro {
 public:
  /// Creates the folder. Throws ErrorCode::invalid if it is not empty.
  explicit Repro(std::string folder);

  /// A model with its weights: the one that was read, before any change.
  void save(const Model& model, std::string_view name = "model.onnx") const;
  /// input_N.pb.
  void save_inputs(std::span<const GivenInput> inputs, std::span<Value* const> values) const;
  /// command.txt: the command line, and the one that reproduces its result.
  void save_command(const Invocation& invocation, std::string_view repeat) const;
  /// output_N.pb.
  void save_outputs(std::span<const Output> outputs) const;
  /// report.json: the current report of `command`.
  void save_report(const Invocation& invocation, std::string_view command) const;

 private:
  std::string folder_;
};

}  // namespace ortool
