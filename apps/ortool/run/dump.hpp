// Runs run --dump: writes intermediate values as they are computed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "apps/ortool/command.hpp"
#include "libcore/graph/model.hpp"
#include "libcore/json/json.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool {

OptionGroup dump_options();

/// Writes each value whose name matches one of the globs to "NNN_NAME.EXT", numbered in execution
/// order, and their descriptions to index.json. Values of subgraphs are written each time they
/// are computed. As npz, they are kept and written to values.npz at the end, by name.
class ValueDump : public ValueObserver {
 public:
  /// Throws ErrorCode::invalid for a glob that matches no value of the model.
  ValueDump(const OptionValues& options, const Model& model, MemoryCap& memory);

  void observe(const Node& node, std::int64_t index, const RunValue& value) override;
  /// Writes index.json. Throws ErrorCode::invalid if no matching value was computed, because of
  /// fusion or folding. Warns about single globs.
  Json finish(const Invocation& invocation);

 private:
  struct Glob {
    std::string pattern;
    bool is_met = false;
  };

  /// Keeps a copy for values.npz; returns its path.
  std::string archive(const std::string& name, const Tensor& tensor);

  MemoryCap& memory_;
  std::string folder_;
  std::string format_;
  std::vector<Glob> globs_;
  Json values_ = Json::list();
  std::vector<std::pair<std::string, Tensor>> arrays_;
  std::map<std::string, std::int64_t> archived_;  ///< how often, by name
};

}  // namespace ortool
