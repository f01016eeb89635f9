// Commands on models with operators of users: nodes are kept, with the shapes that the library
// tells.
#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "apps/c/ortool/ortool.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/io/npy.hpp"
#include "libcore/onnx/read/load.hpp"
#include "libcore/onnx/write/save.hpp"
#include "libcore/text/parse.hpp"
#include "tests/support/scratch_file.hpp"

namespace ortool::test {
namespace {

std::string good_library() {
  const auto program = std::filesystem::canonical("/proc/self/exe").parent_path();
  return (program / "../lib/custom_ops/libgood_ops.so").lexically_normal().string();
}

/// A model whose middle node ortool does not know, and where commands write.
struct KeptFiles {
  explicit KeptFiles(const std::string& domain) {
    save_model(*parse_model("<ir_version: 8, opset_import: [\"\" : 18, \"" + domain +
                            "\" : 1]>\n"
                            "g (float[n, 4] x) => (float[n, 2] y)"
                            "<float[4, 4] w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7},"
                            " float[4, 2] v = {1, 2, 3, 4, 5, 6, 7, 8}>"
                            "{ m = MatMul (x, w) i = Identity (m)"
                            "  o = " +
                            domain + ".Offset <amount = 5> (i) y = MatMul (o, v) }"),
               model.path());
  }
  std::string request(const std::string& more) const {
    return "{\"arguments\": [\"" + model.path() + "\"], \"output\": \"" + output.path() + "\"" +
           more + "}";
  }
  ScratchFile model{"model.onnx"};
  ScratchFile output{"output.onnx"};
};

/// The node of the written file, and what the file declares of its output.
struct Kept {
  std::string type = "no node";
  std::int64_t amount = 0;
};

Kept kept_node(const std::string& path) {
  const std::unique_ptr<Model> model = load_model(path);
  Kept kept;
  for (const Node& node : model->graph->nodes()) {
    if (node.op_type() != "Offset") continue;
    kept.type = node.output(0)->type().to_string();
    kept.amount = std::get<std::int64_t>(node.find_attribute("amount")->value);
  }
  return kept;
}

TEST_CASE("optimize and quantize keep nodes that they do not know") {
  const KeptFiles files("test.unknown");
  abi::command("optimize", files.request(""));
  CHECK(kept_node(files.output.path()).amount == 5);
  abi::command("quantize", files.request(", \"mode\": \"dynamic\""));
  CHECK(kept_node(files.output.path()).amount == 5);
}

TEST_CASE("optimize and quantize write the shapes that a library tells") {
  const KeptFiles files("test.ops");
  const std::string library = ", \"custom-ops\": [\"" + good_library() + "\"]";
  abi::command("optimize", files.request(library));
  CHECK(kept_node(files.output.path()).type == "float32[n x 4]");
  abi::command("quantize", files.request(library + ", \"mode\": \"dynamic\""));
  CHECK(kept_node(files.output.path()).type == "float32[n x 4]");

  std::vector<float> memory(4);
  int given = 0;
  abi::Task task;
  task.next_sample = [&](abi::Sample& sample) {
    for (float& number : memory) number = static_cast<float>(given % 7) - 3;
    sample.add("x", abi::Value::view(memory, {1, 4}));
    return ++given <= 20;
  };
  abi::command("quantize", files.request(library), task);
  CHECK(kept_node(files.output.path()).type == "float32[n x 4]");
}

}  // namespace
}  // namespace ortool::test
