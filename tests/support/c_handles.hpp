// Handles of the C interface for tests: freed at the end of a scope, and errors as text.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "apps/c/ortool/ortool.h"
#include "libcore/onnx/write/save.hpp"
#include "libcore/text/parse.hpp"
#include "tests/support/scratch_file.hpp"

namespace ortool::test {

struct CFree {
  void operator()(ortool_value* value) const { ortool_value_free(value); }
  void operator()(ortool_model* model) const { ortool_model_free(model); }
  void operator()(ortool_session* session) const { ortool_session_free(session); }
  void operator()(ortool_error* error) const { ortool_error_free(error); }
};
template <typename T>
using CHandle = std::unique_ptr<T, CFree>;

/// The error of one call.
class CError {
 public:
  CError() = default;
  ~CError() { ortool_error_free(error_); }
  CError(const CError&) = delete;
  CError& operator=(const CError&) = delete;

  ortool_error** out() { return &error_; }
  std::string message() const { return error_ != nullptr ? ortool_error_message(error_) : ""; }
  std::string hint() const { return error_ != nullptr ? ortool_error_hint(error_) : ""; }
  std::string id() const { return error_ != nullptr ? ortool_error_id(error_) : ""; }

 private:
  ortool_error* error_ = nullptr;
};

inline CHandle<ortool_value> c_tensor(ortool_type type, const std::vector<std::int64_t>& shape,
                                      void* data, std::size_t size) {
  ortool_value* value = nullptr;
  REQUIRE(ortool_tensor_new(type, shape.data(), shape.size(), data, size, &value, nullptr) ==
          ORTOOL_OK);
  return CHandle<ortool_value>(value);
}

inline CHandle<ortool_model> c_model(const char* text) {
  const ScratchFile file("model.onnx");
  save_model(*parse_model(text), file.path());
  ortool_model* model = nullptr;
  CError error;
  ortool_model_load(file.path().c_str(), &model, error.out());
  INFO(error.message());
  REQUIRE(model != nullptr);
  return CHandle<ortool_model>(model);
}

inline CHandle<ortool_session> c_session(const char* text, const char* options) {
  const CHandle<ortool_model> model = c_model(text);
  ortool_session* session = nullptr;
  CError error;
  ortool_session_new(model.get(), options, nullptr, &session, error.out());
  INFO(error.message());
  REQUIRE(session != nullptr);
  return CHandle<ortool_session>(session);
}

}  // namespace ortool::test
