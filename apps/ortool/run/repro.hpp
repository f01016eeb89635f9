// run --save-repro: a folder from which anybody can repeat the run.
#pragma once

#include <span>
#include <string>

#include "apps/ortool/command.hpp"
#include "apps/ortool/options/input_options.hpp"
#include "apps/ortool/run/output_files.hpp"
#include "libcore/graph/model.hpp"

namespace ortool {

/// A folder in the layout of ONNX's backend tests, filled step by step, so that a run that fails
/// leaves what led to it.
class Repro {
 public:
  /// Makes the folder. Throws ErrorCode::invalid when it holds something already.
  explicit Repro(std::string folder);

  /// The model as it was read, weights included, before anything changes it.
  void save(const Model& model) const;
  /// input_N.pb, and the command line.
  void save_inputs(const Invocation& invocation, std::span<const GivenInput> inputs,
                   std::span<Value* const> values) const;
  /// output_N.pb.
  void save_outputs(std::span<const Output> outputs) const;
  /// report.json: what the report holds by then.
  void save_report(const Invocation& invocation) const;

 private:
  std::string folder_;
};

}  // namespace ortool
