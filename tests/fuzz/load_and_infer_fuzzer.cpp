// Loads the bytes as a model, infers shapes and verifies, and checks them as inspect --check does.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>

#include "libcore/base/error.hpp"
#include "libcore/check/check_model.hpp"
#include "libcore/graph/verify.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/onnx/load.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto checked =
      ortool::check_model_from_bytes(bytes, nullptr, "", {}, ortool::StopToken(), {});
  for (const ortool::Finding& finding : checked.findings) {
    if (finding.rule == "graph.verify") std::abort();
  }
  try {
    const auto model = ortool::load_model_from_bytes(bytes, nullptr, "fuzz", "", {});
    ortool::infer_shapes(*model);
    ortool::verify(*model->graph);
  } catch (const ortool::Error& error) {
    if (error.id() == "graph.verify") {
      std::fprintf(stderr, "the loader made a graph that is none: %s\n", error.what());
      std::abort();
    }
  }
  return 0;
}
