// Loop plan: what the values of run --loop ask for, and which files an encoder-decoder consists of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/ortool/command.hpp"

namespace ortool {

/// `--loop auto` and its settings. Without `auto` or `decoder=` all values are feedback rules.
struct LoopPlan {
  bool is_automatic = false;
  std::vector<std::string> decoders;  ///< files: one, or those of the first and the later steps
  std::vector<std::int64_t> start;
  std::vector<std::int64_t> end;
};

/// Throws ErrorCode::invalid for `auto` beside feedback rules, and for values that are no numbers.
LoopPlan read_loop_plan(const OptionValues& options);

/// The model to load first: of a folder with encoder_model.onnx that file, otherwise `model`.
std::string first_model_of_loop(const LoopPlan& plan, const std::string& model);

/// The decoders given, or those beside the file of an encoder, by the names of optimum and
/// transformers.js; empty if the file is not named as an encoder.
std::vector<std::string> find_decoders(const LoopPlan& plan, const std::string& encoder);

}  // namespace ortool
