// Why nodes of a plan stay floats that could be quantised, told by where the floats begin.
#pragma once

#include <string>
#include <unordered_map>

#include "libcore/quantize/scheme/plan.hpp"

namespace ortool {

class FloatReasons {
 public:
  /// Of a node whose input `from` is not quantised. `from` may be a model's input.
  std::string of_input(const Value& from) const;
  /// Of a node that nothing quantised reads; nodes behind it have been noted.
  std::string of_result(const Node& end) const;

  /// A node that stays a float, for the reasons of those around it.
  void note_start(const Node& node);                     ///< it computes in floats by itself
  void note_input(const Node& node, const Value& from);  ///< because of what it reads
  void note_result(const Node& node, const std::string& reason);  ///< because of its readers

 private:
  /// The operator that the floats begin at; the model's input where it is empty.
  std::string start_of(const Value& from) const;

  std::unordered_map<const Node*, std::string> starts_;
  std::unordered_map<const Node*, std::string> results_;
};

}  // namespace ortool
