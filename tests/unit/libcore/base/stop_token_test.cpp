// Stop requests and deadlines.
#include "libcore/base/stop_token.hpp"

#include <thread>

#include <catch2/catch.hpp>

using ortool::Deadline;
using ortool::Error;
using ortool::ErrorCode;
using ortool::StopToken;

TEST_CASE("The first reason to stop stays") {
  StopToken stop;
  CHECK_NOTHROW(stop.poll());
  stop.request(ErrorCode::interrupted);
  stop.request(ErrorCode::timeout);
  try {
    stop.poll();
    FAIL("no error was thrown");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::interrupted);
  }
}

TEST_CASE("A deadline that passes requests a time-out") {
  StopToken stop;
  const Deadline deadline(stop, 0.001);
  for (int i = 0; i < 5000 && !stop.is_requested(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  CHECK(stop.is_requested());
}

TEST_CASE("A deadline that is left behind in time requests nothing") {
  StopToken stop;
  { const Deadline deadline(stop, 1000); }
  CHECK_FALSE(stop.is_requested());
}
