// External weights are written only into the model's folder, whatever is there already.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numeric>
#include <sstream>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "libcore/base/error.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/onnx/read/load.hpp"
#include "libcore/onnx/write/external_data_file.hpp"
#include "libcore/onnx/write/save.hpp"
#include "libcore/text/parse.hpp"

namespace ortool {
namespace {

namespace fs = std::filesystem;

/// A folder with an inner one to write to, so that writes outside of it are detected.
struct Place {
  Place() {
    std::string name = (fs::temp_directory_path() / "ortool-confined-XXXXXX").string();
    root = ::mkdtemp(name.data());
    folder = root / "models";
    fs::create_directory(folder);
    std::ofstream(root / "victim") << "untouched";
  }
  ~Place() {
    fs::permissions(folder, fs::perms::owner_all);
    fs::remove_all(root);
  }
  std::string model() const { return (folder / "m.onnx").string(); }
  std::string victim() const {
    std::ostringstream text;
    text << std::ifstream(root / "victim").rdbuf();
    return text.str();
  }
  std::vector<std::string> names(const fs::path& in) const {
    std::vector<std::string> result;
    for (const auto& entry : fs::directory_iterator(in)) {
      result.push_back(entry.path().filename().string());
    }
    std::sort(result.begin(), result.end());
    return result;
  }
  fs::path root;
  fs::path folder;
};

std::unique_ptr<Model> model_with_weights(std::int64_t elements) {
  auto model = parse_model(
      "<ir_version: 10, opset_import: [\"\": 20]> main (float[1] x) => (float[1] y) "
      "{ y = Relu(x) }");
  Tensor tensor(DataType::float32, Shape{elements});
  auto numbers = tensor.mutable_data<float>();
  std::iota(numbers.begin(), numbers.end(), 0.0F);
  model->graph->add_constant("w", tensor);
  return model;
}

SaveOptions outside(std::string name = {}) {
  SaveOptions options;
  options.external_data = ExternalData::always;
  options.external_name = std::move(name);
  return options;
}

ErrorCode code_of_saving(const Model& model, const std::string& path, const SaveOptions& options) {
  try {
    save_model(model, path, options);
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode{};
}

/// Puts one kind of obstacle at `path`.
void place_obstacle(const std::string& kind, const fs::path& path, const fs::path& victim) {
  if (kind == "symbolic link") fs::create_symlink(victim, path);
  if (kind == "dangling link") fs::create_symlink(victim.parent_path() / "new", path);
  if (kind == "hard link") fs::create_hard_link(victim, path);
  if (kind == "pipe") REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  if (kind == "folder") fs::create_directory(path);
}

constexpr const char* obstacles[] = {"symbolic link", "dangling link", "hard link", "pipe",
                                     "folder"};

}  // namespace

TEST_CASE("Whatever stands where weights would go is refused by name, or passed by without one") {
  const auto model = model_with_weights(2000);
  for (const std::string kind : obstacles) {
    INFO(kind);
    const Place place;
    place_obstacle(kind, place.folder / "m.onnx.data", place.root / "victim");
    CHECK(code_of_saving(*model, place.model(), outside("m.onnx.data")) == ErrorCode::invalid);
    CHECK(place.names(place.folder) == std::vector<std::string>{"m.onnx.data"});
    save_model(*model, place.model(), outside());
    CHECK(place.names(place.folder) ==
          std::vector<std::string>{"m.onnx", "m.onnx-2.data", "m.onnx.data"});
    CHECK(load_model(place.model())->external_files.size() == 1);
    CHECK(place.victim() == "untouched");
    CHECK(place.names(place.root) == std::vector<std::string>{"models", "victim"});
  }
}

TEST_CASE("A link put where the file of weights was reserved is replaced, not followed") {
  const Place place;
  const std::vector<std::byte> bytes(5000, std::byte{7});
  onnx::ExternalDataFile file(place.model(), "w");
  file.add(bytes);
  REQUIRE(file.name() == "w");
  fs::remove(place.folder / "w");
  fs::create_symlink(place.root / "victim", place.folder / "w");
  file.write([](std::int64_t) {});
  file.keep();
  CHECK(place.victim() == "untouched");
  CHECK_FALSE(fs::is_symlink(place.folder / "w"));
  CHECK(fs::file_size(place.folder / "w") == 5000);
}

TEST_CASE("A name of weights that leads away is refused before anything is written") {
  const auto model = model_with_weights(2000);
  const Place place;
  for (const char* name :
       {"..", ".", "../victim", "../new", "/tmp/ortool-new", "a/../../new", "a/b", "./w"}) {
    INFO(name);
    CHECK(code_of_saving(*model, place.model(), outside(name)) == ErrorCode::invalid);
  }
  CHECK(code_of_saving(*model, place.model(), outside(std::string("w\0x", 3))) ==
        ErrorCode::invalid);
  CHECK(code_of_saving(*model, place.model(), outside(std::string(5000, 'w'))) != ErrorCode{});
  CHECK(code_of_saving(*model, place.model(), outside(std::string(300, 'w'))) ==
        ErrorCode::write_failed);
  CHECK(place.names(place.folder).empty());
  CHECK(place.victim() == "untouched");
}

TEST_CASE("A folder that may not be written keeps the old files and gets none") {
  // Root may write everywhere, so this runs as nobody.
  constexpr uid_t nobody = 65534;
  const uid_t self = ::geteuid();
  if (self == 0) REQUIRE(::seteuid(nobody) == 0);
  const std::shared_ptr<const void> back(nullptr, [self](const void*) {
    if (self == 0) CHECK(::seteuid(self) == 0);
  });
  const Place place;
  const auto model = model_with_weights(2000);
  save_model(*model, place.model(), outside());
  const auto before = place.names(place.folder);
  fs::permissions(place.folder, fs::perms::owner_read | fs::perms::owner_exec);
  CHECK(code_of_saving(*model_with_weights(3000), place.model(), outside()) ==
        ErrorCode::write_failed);
  CHECK(place.names(place.folder) == before);
  CHECK(load_model(place.model())->graph->find_value("w")->constant().element_count() == 2000);
}

TEST_CASE("A disk that becomes full keeps the old model with its weights and no new file") {
  const Place place;
  if (::mount("ortool", place.folder.c_str(), "tmpfs", 0, "size=1m") != 0) {
    WARN("skipped: a small disk can be made by root only");
    return;
  }
  save_model(*model_with_weights(2000), place.model(), outside());
  const auto before = place.names(place.folder);
  const auto big = model_with_weights(1'000'000);
  CHECK(code_of_saving(*big, place.model(), outside()) == ErrorCode::write_failed);
  CHECK(code_of_saving(*big, place.model(), SaveOptions()) == ErrorCode::write_failed);
  CHECK(place.names(place.folder) == before);
  CHECK(load_model(place.model())->graph->find_value("w")->constant().element_count() == 2000);
  CHECK(::umount2(place.folder.c_str(), MNT_DETACH) == 0);
}

TEST_CASE("A process killed while it saves leaves the old model or the new one") {
  const Place place;
  const auto old_model = model_with_weights(2000);
  const auto new_model = model_with_weights(500'000);
  for (int round = 0; round < 12; ++round) {
    INFO("round " << round);
    for (const std::string& name : place.names(place.folder)) fs::remove(place.folder / name);
    save_model(*old_model, place.model(), outside("old"));
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      try {
        for (;;) {
          save_model(*new_model, place.model(), outside());
        }
      } catch (const Error&) {
        ::_exit(1);
      }
    }
    ::usleep(static_cast<useconds_t>(500 + 1700 * round));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const auto found = load_model(place.model());
    const std::int64_t count = found->graph->find_value("w")->constant().element_count();
    CHECK((count == 2000 || count == 500'000));
    CHECK(place.victim() == "untouched");
    CHECK(place.names(place.root) == std::vector<std::string>{"models", "victim"});
    for (const std::string& name : place.names(place.folder)) {
      INFO(name);
      CHECK((name == "old" || name.find("m.onnx") != std::string::npos));
    }
  }
}

}  // namespace ortool
