// Session caches: the same bits with and without, and never believed when stale or damaged.
#include "libcore/runtime/cache/session_cache.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include <catch2/catch.hpp>

#include "libcore/graph/graph.hpp"
#include "libcore/text/parse.hpp"
#include "tests/support/scratch_file.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/session_support.hpp"

using ortool::CacheReport;
using ortool::cpu_options;
using ortool::random_tensor;
using ortool::same_bits;
using ortool::Session;
using ortool::SessionOptions;
using ortool::Shape;
using ortool::Tensor;
using ortool::ThreadPool;
using ortool::test::ScratchFile;
using ortool::test::ScratchFolder;

namespace {

class CacheFolder : public ScratchFolder {
 public:
  std::vector<std::string> files() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(path())) {
      if (entry.path().extension() == ".ortcache") found.push_back(entry.path().string());
    }
    return found;
  }
};

/// A folded transpose, a packed product, a packed convolution and a table that runs read.
std::unique_ptr<Session> cached_session(const std::string& folder, float scale = 0.5F,
                                        ThreadPool* pool = nullptr) {
  auto model = ortool::parse_model(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[N,96] x, float[1,16,6,6] image, int64[2] rows, float[80,96] w, float[40,16,3,3] k,
       float[70,90] table)
      => (float[N,80] y, float[1,40,6,6] z, float[2,90] t)
    {
      wt = Transpose <perm = [1,0]> (w)
      m = MatMul(x, wt)
      y = Relu(m)
      z = Conv <pads = [1,1,1,1]> (image, k)
      t = Gather(table, rows)
    })");
  const auto fill = [&](const char* name, const Shape& shape, unsigned seed) {
    Tensor numbers = random_tensor(shape, seed);
    for (float& number : numbers.mutable_data<float>()) number *= scale;
    ortool::Value& input = *model->graph->find_value(name);
    model->graph->set_constant(input, std::move(numbers));
    model->graph->make_default_constant(input);
  };
  fill("w", Shape{80, 96}, 1);
  fill("k", Shape{40, 16, 3, 3}, 2);
  fill("table", Shape{70, 90}, 3);
  SessionOptions options = cpu_options(pool);
  options.cache_dir = folder;
  return std::make_unique<Session>(std::move(model), std::move(options));
}

std::vector<Tensor> outputs_of(const Session& session) {
  const Tensor x = random_tensor(Shape{3, 96}, 4);
  const Tensor image = random_tensor(Shape{1, 16, 6, 6}, 5);
  std::vector<Tensor> outputs;
  for (const auto& value :
       session.run({{"x", x}, {"image", image}, {"rows", ortool::integers_of({1, 69})}}, {}))
    outputs.push_back(value.tensor());
  return outputs;
}

bool are_equal(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  bool result = a.size() == b.size() && !a.empty();
  for (std::size_t i = 0; result && i < a.size(); ++i) result = same_bits(a[i], b[i]);
  return result;
}

std::string content_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void write_content(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary)
      .write(content.data(), static_cast<std::streamsize>(content.size()));
}

}  // namespace

TEST_CASE("The second session reads the cache of the first and gives the same bits") {
  const CacheFolder folder;
  const auto plain = outputs_of(*cached_session(""));
  const auto first = cached_session(folder.path());
  CHECK_FALSE(first->cache().hit);
  CHECK_FALSE(first->cache().is_rebuilt);
  CHECK(first->cache().failure.empty());
  CHECK(are_equal(outputs_of(*first), plain));
  const auto second = cached_session(folder.path());
  CHECK(second->cache().hit);
  CHECK(second->cache().reason.empty());
  CHECK(second->packed_bytes() == first->packed_bytes());
  CHECK(are_equal(outputs_of(*second), plain));
  CHECK(folder.files().size() == 1);
}

TEST_CASE("A cache serves any number of threads") {
  const CacheFolder folder;
  const auto plain = outputs_of(*cached_session(folder.path()));
  ThreadPool pool(3);
  const auto session = cached_session(folder.path(), 0.5F, &pool);
  CHECK(session->cache().hit);
  CHECK(are_equal(outputs_of(*session), plain));
}

TEST_CASE("Other weights or options have a cache of their own") {
  const CacheFolder folder;
  cached_session(folder.path());
  const auto other = cached_session(folder.path(), 0.25F);
  CHECK_FALSE(other->cache().hit);
  CHECK(are_equal(outputs_of(*other), outputs_of(*cached_session("", 0.25F))));
  CHECK(folder.files().size() == 2);
}

TEST_CASE("A cache file under the name of another model is not believed") {
  const CacheFolder folder;
  cached_session(folder.path());
  const std::string wrong = content_of(folder.files().front());
  const std::string path = cached_session(folder.path(), 0.25F)->cache().path;
  write_content(path, wrong);
  const auto session = cached_session(folder.path(), 0.25F);
  CHECK(session->cache().is_rebuilt);
  CHECK(session->cache().reason == "it lacks a constant of this session");
  CHECK(are_equal(outputs_of(*session), outputs_of(*cached_session("", 0.25F))));
  CHECK(cached_session(folder.path(), 0.25F)->cache().hit);
}

TEST_CASE("Damaged content is found by the first run, which rebuilds session and cache") {
  const CacheFolder folder;
  const auto plain = outputs_of(*cached_session(folder.path()));
  const std::string path = folder.files().front();
  std::string content = content_of(path);
  content[5000] ^= 64;
  write_content(path, content);
  const auto session = cached_session(folder.path());
  CHECK(session->cache().hit);
  CHECK(are_equal(outputs_of(*session), plain));
  const CacheReport report = session->cache();
  CHECK_FALSE(report.hit);
  CHECK(report.is_rebuilt);
  CHECK(report.reason == "its content is damaged");
  CHECK(are_equal(outputs_of(*session), plain));
  const auto next = cached_session(folder.path());
  CHECK(are_equal(outputs_of(*next), plain));
  CHECK(next->cache().hit);
}

TEST_CASE("A folder that cannot be written is told, and the session runs") {
  const ScratchFile file("not-a-folder", "text");
  const auto session = cached_session(file.path());
  CHECK_FALSE(session->cache().hit);
  CHECK_FALSE(session->cache().failure.empty());
  CHECK(are_equal(outputs_of(*session), outputs_of(*cached_session(""))));
}

TEST_CASE("Sessions that write one cache at the same time leave a whole one") {
  const CacheFolder folder;
  const auto plain = outputs_of(*cached_session(""));
  std::vector<std::thread> threads;
  std::vector<int> are_right(4);
  for (std::size_t i = 0; i < are_right.size(); ++i) {
    threads.emplace_back([&, i] {
      are_right[i] = are_equal(outputs_of(*cached_session(folder.path())), plain) ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const int is_right : are_right) CHECK(is_right == 1);
  const auto after = cached_session(folder.path());
  CHECK(are_equal(outputs_of(*after), plain));
  CHECK(after->cache().hit);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}
