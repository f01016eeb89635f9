// Finding: one error, warning or remark of the model checker, and the list that collects them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "libcore/base/error.hpp"

namespace ortool {

enum class Severity : std::uint8_t {
  error,    ///< violates a rule of ONNX: the model is invalid
  warning,  ///< accepted here, but other tools reject it, or it is unintended
  info,     ///< informational
};
std::string_view name_of(Severity severity);

/// A rule of docs/reference/checks.md.
struct CheckRule {
  std::string_view id;
  Severity severity;
  std::string_view meaning;  ///< what the rule checks
  std::string_view remedy;
};

/// Every rule that a check can report, sorted by id.
std::span<const CheckRule> check_rules();
/// Null for an unknown id.
const CheckRule* find_check_rule(std::string_view id);

struct Finding {
  std::string rule;
  Severity severity = Severity::error;
  std::string node;   ///< "'name' (Type)"; empty if no node is at fault
  std::string value;  ///< empty if no value is at fault
  std::string message;
  std::string remedy;
};

/// Collects findings without duplicates, at most `most` of each severity.
class Findings {
 public:
  static constexpr std::size_t most = 1000;

  struct Place {
    std::string node = {};
    std::string value = {};
  };

  /// `rule` is one of check_rules().
  void add(std::string_view rule, Place place, std::string message);
  /// Adds an error thrown by a reader, shape rule or other validation. If its id is not a rule, it
  /// becomes "model.invalid" or, for what only ortool does not support, "model.unsupported". Throws
  /// errors that are not about the model: requests to stop, and memory that this machine lacks.
  void add(const Error& error, std::string_view value = {});
  /// Runs `body`; an error about the model becomes a finding, and false is returned.
  template <typename Body>
  bool collect(const Body& body, std::string_view value = {}) {
    try {
      body();
      return true;
    } catch (const Error& error) {
      add(error, value);
      return false;
    }
  }

  bool has_errors() const { return counts_[0] > 0; }
  /// Whether an error names the node "'name' (Type)", or any node.
  bool has_error_at(const std::string& node) const { return error_nodes_.contains(node); }
  bool has_node_errors() const { return !error_nodes_.empty(); }
  /// Errors first, then warnings, each in the order in which they were found.
  std::vector<Finding> take();
  std::int64_t left_out() const { return left_out_; }
  /// The first out-of-memory error that was added.
  const std::optional<Error>& memory_error() const { return memory_error_; }

 private:
  void add(Finding finding);

  std::vector<Finding> list_;
  std::set<std::tuple<std::string, std::string, std::string, std::string>> seen_;
  std::set<std::string> error_nodes_;  ///< from rules "node.*"
  std::optional<Error> memory_error_;
  std::int64_t left_out_ = 0;
  std::array<std::int64_t, 3> counts_ = {};  ///< for each severity
};

}  // namespace ortool
