// The one exception type: what went wrong, where, and what to do about it.
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace ortool {

/// Every way a command can end badly; the numbers are the program's exit codes.
enum class ErrorCode : int {
  negative_result = 1,  ///< done, and the answer is no
  invalid = 2,          ///< wrong usage, or a model or input that is missing, unreadable or invalid
  no_conclusion = 3,    ///< nothing can be concluded from what was measured
  provider_unavailable = 4,  ///< none of the providers named is available or takes all of the graph
  unsupported = 5,           ///< valid, but an operator, type or version is not supported
  memory_limit = 6,          ///< host or device memory limit reached
  write_failed = 7,          ///< a result could not be written
  timeout = 124,
  interrupted = 130,
  terminated = 143,
};

/// Thrown where something goes wrong, given context on the way up, caught in main, at C boundaries
/// and at every thread's entry.
class Error : public std::exception {
 public:
  /// `message` says what is wrong (found, expected); `hint` what the user can do.
  Error(ErrorCode code, std::string message, std::string hint = {});

  ErrorCode code() const { return code_; }
  const std::string& message() const { return message_; }
  const std::string& hint() const { return hint_; }
  /// The node at fault as "'name' (Type)", empty when none is.
  const std::string& node() const { return node_; }
  /// A stable rule id such as "graph.cycle", empty when none is.
  const std::string& id() const { return id_; }
  /// Where the error passed on its way up, innermost first.
  const std::vector<std::string>& trail() const { return trail_; }
  /// The single findings of an error that reports several at once.
  const std::vector<Error>& parts() const { return parts_; }

  /// Names the node at fault; the first, innermost name stays.
  Error& at_node(std::string_view name, std::string_view op_type);
  /// Gives the stable rule id.
  Error& with_id(std::string id);
  /// Puts `where` in front of the message ("FILE: message") and keeps it in the trail.
  Error& in(std::string_view where);
  /// Adds a step to the trail only.
  Error& while_doing(std::string step);
  /// Adds a single finding to an error that reports several at once.
  Error& add_part(Error part);

  /// The whole line: "where: node 'name' (Type): message".
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

/// A condition that only a programmer's mistake can break; stops with the place when it does.
#define ORTOOL_CHECK(condition) \
  (static_cast<bool>(condition) ? void(0) : ::ortool::fail_check(#condition, __FILE__, __LINE__))
