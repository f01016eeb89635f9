// What the options of optimize say.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "apps/ortool/command.hpp"
#include "libcore/optimize/pipeline.hpp"

namespace ortool {

struct OptimizeSettings {
  OptimizeLevel level = OptimizeLevel::extended;
  std::vector<std::string> passes;  ///< only these, whatever their level; empty: all of the level
  std::vector<std::string> skipped;
  bool explains = false;
  bool has_own_operators = false;  ///< what only ortool runs may be saved
  bool freezes_defaults = false;   ///< inputs with a default become constants
  bool is_float16 = false;
  std::vector<std::string> kept_globs;  ///< of nodes that stay in float32
  std::int64_t opset = 0;               ///< to write for; 0: the model's own
  int runs = 0;                         ///< to compare the result in; 0: it is not compared
  bool must_verify = false;             ///< the user asked for it
};

/// The options besides those on inputs, shapes and the output.
std::vector<OptionGroup> optimize_options();

/// Throws ErrorCode::invalid for passes that `known` lacks, with the nearest name, and for options
/// that have no effect.
OptimizeSettings read_optimize_settings(const OptionValues& options,
                                        std::span<const PassDescription> known);

std::string_view name_of(OptimizeLevel level);

}  // namespace ortool
