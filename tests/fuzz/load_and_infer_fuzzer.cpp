// Fuzzer: loads the bytes as a model, checks, saves and reloads it, infers shapes and verifies.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <unistd.h>

#include "libcore/base/error.hpp"
#include "libcore/base/file/file.hpp"
#include "libcore/check/check_model.hpp"
#include "libcore/graph/algorithms/verify.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/onnx/read/load.hpp"
#include "libcore/onnx/write/save.hpp"

namespace {

std::string scratch_path() {
  const char* folder = std::getenv("TMPDIR");
  return std::string(folder != nullptr ? folder : "/tmp") + "/ortool_fuzz_" +
         std::to_string(::getpid());
}

std::string read_file(const std::string& path) {
  const ortool::MappedFile file = ortool::MappedFile::open(path);
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

/// A loaded model can be saved, and loading and saving it again gives the same bytes.
void save_twice(const ortool::Model& model) {
  const std::string path = scratch_path();
  ortool::save_model(model, path);
  const std::string first = read_file(path);
  try {
    ortool::save_model(*ortool::load_model(path), path);
  } catch (const ortool::Error& error) {
    std::fprintf(stderr, "what was saved does not load: %s\n", error.what());
    std::abort();
  }
  if (read_file(path) != first) {
    std::fprintf(stderr, "saved, loaded and saved again differs\n");
    std::abort();
  }
  ::unlink(path.c_str());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto checked =
      ortool::check_model_from_bytes(bytes, nullptr, "", {}, ortool::StopToken(), {});
  for (const ortool::Finding& finding : checked.findings) {
    if (finding.rule == "graph.verify") std::abort();
  }
  try {
    const auto model = ortool::load_model_from_bytes(bytes, nullptr, "fuzz", "", {});
    // File access is slow, so only some inputs are saved.
    if (size % 16 == 0) save_twice(*model);
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
