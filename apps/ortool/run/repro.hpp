// --save-repro: a folder from which anybody can repeat the run.
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
/// leaves what led to it.
class Repro {
 public:
  /// Makes the folder. Throws ErrorCode::invalid when it holds something already.
  explicit Repro(std::string folder);

  /// A model, weights included: the one that was read, before anything changes it.
  void save(const Model& model, std::string_view name = "model.onnx") const;
  /// input_N.pb.
  void save_inputs(std::span<const GivenInput> inputs, std::span<Value* const> values) const;
  /// command.txt: the command line, and the one that repeats what it showed.
  void save_command(const Invocation& invocation, std::string_view repeat) const;
  /// output_N.pb.
  void save_outputs(std::span<const Output> outputs) const;
  /// report.json: what the report of `command` holds by then.
  void save_report(const Invocation& invocation, std::string_view command) const;

 private:
  std::string folder_;
};

}  // namespace ortool
