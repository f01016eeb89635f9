// Float reasons: why quantizable nodes of a plan stay in float, traced to the first cause.
#pragma once

#include <string>
#include <unordered_map>

#include "libcore/quantize/scheme/plan.hpp"

namespace ortool {

class FloatReasons {
 public:
  /// The reason for a node whose input `from` is not quantized. `from` may be a model input.
  std::string of_input(const Value& from) const;
  /// The reason for a node without quantized consumers; its consumers have been noted before.
  std::string of_result(const Node& end) const;

  /// Records a node that stays in float, and why.
  void note_start(const Node& node);                              ///< it supports floats only
  void note_input(const Node& node, const Value& from);           ///< because of its input
  void note_result(const Node& node, const std::string& reason);  ///< because of its consumers

 private:
  /// The node where the float region begins, with its operator; for a model input empty.
  std::string start_of(const Value& from) const;

  std::unordered_map<const Node*, std::string> starts_;
  std::unordered_map<const Node*, std::string> results_;
};

}  // namespace ortool
