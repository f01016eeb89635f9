// Errors: the error line, and the context that an Error collects as it propagates.
#include "libcore/base/error.hpp"

#include <catch2/catch.hpp>

using ortool::Error;
using ortool::ErrorCode;

TEST_CASE("An error that is put in the same file twice names it once") {
  ortool::Error error(ortool::ErrorCode::invalid, "it was cut short");
  error.in("model.onnx").in("model.onnx").in("the folder");
  CHECK(std::string(error.what()) == "the folder: model.onnx: it was cut short");
}

TEST_CASE("An error line names the file, the node and the message in this order") {
  Error error(ErrorCode::invalid, "axis 5 is outside rank 2", "use -2..1");
  error.at_node("attn_3", "Softmax").in("model.onnx");
  CHECK(std::string(error.what()) ==
        "model.onnx: node 'attn_3' (Softmax): axis 5 is outside rank 2");
  CHECK(error.hint() == "use -2..1");
}

TEST_CASE("The innermost node stays when outer code names another") {
  Error error(ErrorCode::invalid, "message");
  error.at_node("inner", "Add").at_node("outer", "If");
  CHECK(error.node() == "'inner' (Add)");
}

TEST_CASE("The trail keeps every step from the inside out") {
  Error error(ErrorCode::invalid, "message");
  error.in("tensor 'w'").while_doing("reading").in("model.onnx");
  CHECK(error.trail() == std::vector<std::string>{"tensor 'w'", "reading", "model.onnx"});
  CHECK(std::string(error.what()) == "model.onnx: tensor 'w': message");
}

TEST_CASE("A broken internal condition becomes an error with its own id") {
  const auto broken = [] { ORTOOL_CHECK(1 + 1 == 3); };
  try {
    broken();
    FAIL("no error was thrown");
  } catch (const Error& error) {
    CHECK(error.id() == "internal.check");
    CHECK(error.message().find("1 + 1 == 3") != std::string::npos);
  }
}
