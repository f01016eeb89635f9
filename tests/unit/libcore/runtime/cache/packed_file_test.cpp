// Packed files: the same bits from packed and plain weights, and never believed when they do not
// belong to the model, the processor or the settings.
#include "libcore/runtime/cache/packed_file.hpp"

#include <cstdlib>

#include <catch2/catch.hpp>

#include "libcore/api/save_packed.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/onnx/read/load.hpp"
#include "libcore/text/parse.hpp"
#include "providers/provider_list.hpp"
#include "tests/support/scratch_file.hpp"
#include "tests/support/session_support.hpp"

namespace ortool {
namespace {

using test::ScratchFile;

/// A packed product, a packed convolution and a table that runs read.
std::unique_ptr<Model> model_to_pack() {
  auto model = parse_model(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[N,96] x, float[1,16,6,6] image, int64[2] rows, float[96,80] w, float[40,16,3,3] k,
       float[70,90] table)
      => (float[N,80] y, float[1,40,6,6] z, float[2,90] t)
    {
      m = MatMul(x, w)
      y = Relu(m)
      z = Conv <pads = [1,1,1,1]> (image, k)
      t = Gather(table, rows)
    })");
  const auto fill = [&](const char* name, const Shape& shape, unsigned seed) {
    Value& input = *model->graph->find_value(name);
    model->graph->set_constant(input, random_tensor(shape, seed));
    model->graph->make_default_constant(input);
  };
  fill("w", Shape{96, 80}, 1);
  fill("k", Shape{40, 16, 3, 3}, 2);
  fill("table", Shape{70, 90}, 3);
  return model;
}

ComputeOptions packing_options() {
  ComputeOptions compute;
  compute.providers = default_providers();
  return compute;
}

std::unique_ptr<Session> session_of_file(const std::string& path, SessionOptions options) {
  return std::make_unique<Session>(load_model(path), std::move(options));
}

std::unique_ptr<Session> session_of_file(const std::string& path) {
  return session_of_file(path, cpu_options());
}

std::vector<Tensor> results_of(const Session& session) {
  std::vector<Tensor> outputs;
  for (const RunValue& value : session.run({{"x", random_tensor(Shape{3, 96}, 4)},
                                            {"image", random_tensor(Shape{1, 16, 6, 6}, 5)},
                                            {"rows", integers_of({1, 69})}},
                                           {}))
    outputs.push_back(value.tensor());
  return outputs;
}

bool have_same_bits(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  bool result = a.size() == b.size() && !a.empty();
  for (std::size_t i = 0; result && i < a.size(); ++i) result = same_bits(a[i], b[i]);
  return result;
}

/// The plain model and the packed one.
struct PackedModel {
  ScratchFile plain{"plain.onnx"};
  ScratchFile packed{"packed.onnx"};
  std::vector<Tensor> expected;

  PackedModel() {
    const auto model = model_to_pack();
    save_model(*model, plain.path());
    save_packed_model(*model, packed.path(), {}, packing_options());
    expected = results_of(*session_of_file(plain.path()));
  }
};

}  // namespace

TEST_CASE("a session of a packed file maps its weights and gives the same bits") {
  const PackedModel files;
  const auto session = session_of_file(files.packed.path());
  CHECK(session->cache().has_packed);
  CHECK(session->cache().packed_refusal.empty());
  CHECK(session->cache().size_bytes > 0);
  CHECK(have_same_bits(results_of(*session), files.expected));
  CHECK(session->cache().packed_refusal.empty());
  CHECK_FALSE(session_of_file(files.plain.path())->cache().has_packed);
}

TEST_CASE("a packed file starts with the bytes of the plain one") {
  const PackedModel files;
  CHECK(files.packed.read().starts_with(files.plain.read()));
}

TEST_CASE("saving a model that was read from a packed file leaves out what was packed") {
  const PackedModel files;
  const ScratchFile again("again.onnx");
  save_model(*load_model(files.packed.path()), again.path());
  CHECK(again.read() == files.plain.read());
}

TEST_CASE("a packed file serves several threads and another place") {
  const PackedModel files;
  const ScratchFile copy("copy.onnx", files.packed.read());
  ThreadPool pool(3);
  const auto session = session_of_file(copy.path(), cpu_options(&pool));
  CHECK(session->cache().packed_refusal.empty());
  CHECK(have_same_bits(results_of(*session), files.expected));
  CHECK(session->cache().packed_refusal.empty());
}

TEST_CASE("packed weights of other settings are refused, and the plain ones run") {
  const PackedModel files;
  SessionOptions options = cpu_options();
  options.optimize = OptimizeLevel::none;
  const auto session = session_of_file(files.packed.path(), std::move(options));
  CHECK(session->cache().packed_refusal == "they were packed for other settings or shapes");
  CHECK(results_of(*session).size() == 3);
}

TEST_CASE("packed weights of another processor are refused, and the plain ones run") {
  const PackedModel files;
  ::setenv("ORTOOL_MAX_ISA", "baseline", 1);
  const auto session = session_of_file(files.packed.path());
  ::unsetenv("ORTOOL_MAX_ISA");
  CHECK(session->cache().packed_refusal == "they were packed for another processor");
  CHECK(have_same_bits(results_of(*session), files.expected));
}

TEST_CASE("packed weights of a model in memory are refused, and the plain ones run") {
  const PackedModel files;
  const auto bytes = std::make_shared<const std::string>(files.packed.read());
  const Session session(load_model_from_bytes(std::as_bytes(std::span(*bytes)), bytes, "m", ""),
                        cpu_options());
  CHECK(session.cache().packed_refusal == "the model was not read from a file");
  CHECK(have_same_bits(results_of(session), files.expected));
}

TEST_CASE("damaged packed weights are found by the first run, which uses the plain ones") {
  const PackedModel files;
  std::string content = files.packed.read();
  const std::size_t start = (files.plain.read().size() / 4096 + 1) * 4096;
  content[start + 5000] ^= 64;
  files.packed.write(content);
  const auto session = session_of_file(files.packed.path());
  CHECK(session->cache().packed_refusal.empty());
  CHECK(have_same_bits(results_of(*session), files.expected));
  CHECK(session->cache().packed_refusal ==
        "they are damaged, or the weights beside them were changed");
  CHECK(have_same_bits(results_of(*session), files.expected));
}

TEST_CASE("plain weights that were changed after packing are the ones that count") {
  const PackedModel files;
  std::string content = files.packed.read();
  const Tensor weights = random_tensor(Shape{96, 80}, 1);
  const std::string part(reinterpret_cast<const char*>(weights.bytes()) + 400, 100);
  const std::size_t place = content.find(part);
  REQUIRE(place != std::string::npos);
  content[place + 2] ^= 64;
  files.packed.write(content);
  const ScratchFile changed("changed.onnx", content.substr(0, files.plain.read().size()));
  const auto expected = results_of(*session_of_file(changed.path()));
  CHECK_FALSE(have_same_bits(expected, files.expected));
  const auto session = session_of_file(files.packed.path());
  CHECK(have_same_bits(results_of(*session), expected));
  CHECK_FALSE(session->cache().packed_refusal.empty());
}

TEST_CASE("bytes behind packed weights make them those of another file") {
  const PackedModel files;
  // An empty doc_string, as protobuf messages are extended.
  files.packed.write(files.packed.read() + std::string("\x32\x00", 2));
  const auto session = session_of_file(files.packed.path());
  CHECK(session->cache().packed_refusal == "the file was changed");
  CHECK(have_same_bits(results_of(*session), files.expected));
}

TEST_CASE("a model without large weights can be packed") {
  const ScratchFile file("small.onnx");
  const auto model = parse_model(
      "<ir_version: 8, opset_import: [\"\" : 17]> g (float[3] x) => (float[3] y) { y = Relu (x) }");
  save_packed_model(*model, file.path(), {}, packing_options());
  const auto session = session_of_file(file.path());
  CHECK(session->cache().has_packed);
  CHECK(session->cache().packed_refusal.empty());
  CHECK(floats(session->run({{"x", vector_of({-1, 0, 2})}}, {})[0]) == std::vector<float>{0, 0, 2});
}

TEST_CASE("packed weights and a weight file exclude each other") {
  const ScratchFile file("out.onnx");
  SaveOptions save;
  save.external_data = ExternalData::always;
  CHECK_THROWS_WITH(save_packed_model(*model_to_pack(), file.path(), save, packing_options()),
                    Catch::Contains("one file"));
}

}  // namespace ortool
