// Normalizers of tokenizer.json: what happens to a text before it is split into words.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/json/json.hpp"

namespace ortool::cpu {

class JsonNormalizer {
 public:
  /// Reads the member 'normalizer', which may be null. Throws ErrorCode::unsupported, naming it,
  /// for a type that is not supported.
  explicit JsonNormalizer(const Json* normalizer);

  std::string apply(std::string_view text) const;
  /// Whether the result begins with what the text begins with; otherwise white space was stripped.
  bool keeps_begin(std::string_view text) const;

 private:
  struct Step {
    std::function<std::string(std::string)> apply;
    bool strips = false;  ///< removes white space at the ends
  };
  std::vector<Step> steps_;
};

}  // namespace ortool::cpu
