// Runs run --dump: writes intermediate values as they are computed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/ortool/command.hpp"
#include "libcore/graph/model.hpp"
#include "libcore/json/json.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool {

OptionGroup dump_options();

/// Writes each value whose name matches one of the globs to "value_N.EXT", in execution
/// order, and their descriptions to index.json. Values of subgraphs are written each time they
/// are computed.
class ValueDump : public ValueObserver {
 public:
  /// Throws ErrorCode::invalid for a glob that matches no value of the model.
  ValueDump(const OptionValues& options, const Model& model);

  void observe(const Node& node, std::int64_t index, const RunValue& value) override;
  /// Writes index.json. Throws ErrorCode::invalid if no matching value was computed, because of
  /// fusion or folding. Warns about single globs.
  Json finish(const Invocation& invocation);

 private:
  struct Glob {
    std::string pattern;
    bool is_met = false;
  };

  std::string folder_;
  std::string format_;
  std::vector<Glob> globs_;
  Json values_ = Json::list();
};

}  // namespace ortool
