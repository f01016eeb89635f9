// Formatting of error messages, and termination on a failed internal check.
#include "libcore/base/error.hpp"

#include <cstring>
#include <utility>

namespace ortool {

Error::Error(ErrorCode code, std::string message, std::string hint)
    : code_(code), message_(std::move(message)), hint_(std::move(hint)) {
  rebuild();
}

Error& Error::at_node(std::string_view name, std::string_view op_type) {
  if (node_.empty()) {
    node_.append("'").append(name).append("' (").append(op_type).append(")");
    rebuild();
  }
  return *this;
}

Error& Error::with_id(std::string id) {
  id_ = std::move(id);
  return *this;
}

Error& Error::in(std::string_view where) {
  if (place_ == where) return *this;  // both the thrower and a caller added the file name
  trail_.emplace_back(where);
  place_ = place_.empty() ? std::string(where) : std::string(where) + ": " + place_;
  rebuild();
  return *this;
}

Error& Error::while_doing(std::string step) {
  trail_.push_back(std::move(step));
  return *this;
}

Error& Error::add_part(Error part) {
  parts_.push_back(std::move(part));
  return *this;
}

void Error::rebuild() {
  what_.clear();
  if (!place_.empty()) what_.append(place_).append(": ");
  if (!node_.empty()) what_.append("node ").append(node_).append(": ");
  what_.append(message_);
}

void fail_check(const char* condition, const char* file, int line) {
  const char* name = std::strrchr(file, '/');
  std::string message = "internal error: ";
  message.append(condition).append(" does not hold (");
  message.append(name != nullptr ? name + 1 : file)
      .append(":")
      .append(std::to_string(line))
      .append(")");
  throw Error(ErrorCode::invalid, std::move(message),
              "this is a bug in ortool; please report it with the model that shows it")
      .with_id("internal.check");
}

}  // namespace ortool
