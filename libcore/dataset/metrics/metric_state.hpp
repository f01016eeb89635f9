// Reads the state of a metric, as a part file holds it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/json/json.hpp"

namespace ortool {

/// Members of a state. Each call throws ErrorCode::invalid for one that is missing or of another
/// type.
class MetricState {
 public:
  explicit MetricState(const Json& state) : state_(state) {}

  const Json& member(std::string_view key) const;
  double number(std::string_view key) const;
  std::int64_t integer(std::string_view key) const;
  std::string text(std::string_view key) const;
  const Json::List& list(std::string_view key) const;
  /// A list of whole numbers.
  std::vector<std::int64_t> integers(std::string_view key) const;

  [[noreturn]] static void refuse(std::string_view key);

 private:
  const Json& state_;
};

}  // namespace ortool
