// Error: the one exception type, with a message, the place, an exit code and a hint.
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace ortool {

/// Every kind of failure of a command; the values are the program's exit codes.
enum class ErrorCode : int {
  negative_result = 1,       ///< completed, but the answer is no
  invalid = 2,               ///< invalid usage, or a missing, unreadable or invalid model or input
  no_conclusion = 3,         ///< the measurements allow no conclusion
  provider_unavailable = 4,  ///< no named provider is available or supports the whole graph
  unsupported = 5,           ///< valid, but an operator, type or version is not supported
  memory_limit = 6,          ///< host or device memory limit reached
  write_failed = 7,          ///< a result could not be written
  timeout = 124,
  interrupted = 130,
  terminated = 143,
};

/// Thrown where an error is detected; callers add context while it propagates. Caught in main, at C
/// interfaces and at every thread's entry point.
class Error : public std::exception {
 public:
  /// `message` says what is wrong (expected and found); `hint` says what the user can do.
  Error(ErrorCode code, std::string message, std::string hint = {});

  ErrorCode code() const { return code_; }
  const std::string& message() const { return message_; }
  const std::string& hint() const { return hint_; }
  /// The node that caused the error, as "'name' (Type)"; empty if there is none.
  const std::string& node() const { return node_; }
  /// A stable rule id such as "graph.cycle"; empty if there is none.
  const std::string& id() const { return id_; }
  /// The context that callers added while the error propagated, innermost first.
  const std::vector<std::string>& trail() const { return trail_; }
  /// The individual findings of an error that reports several at once.
  const std::vector<Error>& parts() const { return parts_; }

  /// Sets the node that caused the error; the first (innermost) call wins.
  Error& at_node(std::string_view name, std::string_view op_type);
  /// Sets the stable rule id.
  Error& with_id(std::string id);
  /// Prepends `where` to the message ("FILE: message") and adds it to the trail.
  Error& in(std::string_view where);
  /// Adds a step to the trail only.
  Error& while_doing(std::string step);
  /// Adds an individual finding to an error that reports several at once.
  Error& add_part(Error part);

  /// The complete message: "where: node 'name' (Type): message".
  const char* what() const noexcept override { return what_.c_str(); }

 private:
  void rebuild();

  ErrorCode code_;
  std::string message_;
  std::string hint_;
  std::string node_;
  std::string id_;
  std::string place_;
  std::vector<std::string> trail_;
  std::vector<Error> parts_;
  std::string what_;
};

[[noreturn]] void fail_check(const char* condition, const char* file, int line);

}  // namespace ortool

/// Checks a condition that only a programming error can violate; terminates with its source
/// location.
#define ORTOOL_CHECK(condition) \
  (static_cast<bool>(condition) ? void(0) : ::ortool::fail_check(#condition, __FILE__, __LINE__))
