// Generation settings: which file wins, lists and forced tokens, and names of caches.
#include "libcore/generate/generation_config.hpp"

#include <filesystem>
#include <fstream>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"
#include "libcore/generate/cache_names.hpp"

using namespace ortool;

namespace {

namespace fs = std::filesystem;

/// A folder that is removed at the end.
class ConfigFolder {
 public:
  explicit ConfigFolder(const char* inside = "") {
    fs::create_directories(path_ / inside);
    inside_ = path_ / inside;
  }
  ~ConfigFolder() { fs::remove_all(path_); }
  ConfigFolder(const ConfigFolder&) = delete;
  ConfigFolder& operator=(const ConfigFolder&) = delete;

  void write(const char* name, const char* text) const { std::ofstream(path_ / name) << text; }
  GenerationConfig read() const { return read_generation_config(inside_.string(), nullptr); }

 private:
  fs::path path_ = fs::temp_directory_path() / ("generation_config_" + std::to_string(getpid()));
  fs::path inside_;
};

using Tokens = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("generation_config.json comes before config.json, and that before its decoder") {
  const ConfigFolder folder;
  folder.write("generation_config.json", R"({"eos_token_id": [2, 3]})");
  folder.write("config.json", R"({"decoder_start_token_id": null, "eos_token_id": 9,
               "decoder": {"decoder_start_token_id": 5, "pad_token_id": 1}})");
  const GenerationConfig config = folder.read();
  CHECK(config.start == Tokens{5});
  CHECK(config.end == Tokens{2, 3});
  CHECK(config.padding == 1);
}

TEST_CASE("Forced tokens follow the start up to the first that is open") {
  const ConfigFolder folder("onnx");
  folder.write("generation_config.json", R"({"decoder_start_token_id": 7, "num_beams": 4,
               "repetition_penalty": 1.0, "forced_decoder_ids": [[1, 8], [2, 9], [3, null], [4, 6]]})");
  const GenerationConfig config = folder.read();
  CHECK(config.start == Tokens{7, 8, 9});
  CHECK(config.not_applied == std::vector<std::string>{"num_beams"});
}

TEST_CASE("Without files nothing is known, and a list is not a configuration") {
  const ConfigFolder folder;
  CHECK(folder.read().start.empty());
  folder.write("config.json", "[1]");
  CHECK_THROWS_AS(folder.read(), Error);
}

TEST_CASE("Caches are paired by the names of their exporters") {
  const std::vector<std::string> outputs = {"logits", "present.0.encoder.key", "present_self_0",
                                            "present_key_values.1.key"};
  CHECK(cache_output_of("past_key_values.0.encoder.key", outputs) == "present.0.encoder.key");
  CHECK(cache_output_of("past_key_values.1.key", outputs) == "present_key_values.1.key");
  CHECK(cache_output_of("past_self_0", outputs) == "present_self_0");
  CHECK(cache_output_of("past_self_1", outputs).empty());
  CHECK(is_cross_cache("past_key_values.0.encoder.key"));
}
