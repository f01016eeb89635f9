// Files of other frameworks, recognized by their content or their name.
#include "libcore/onnx/read/model_formats.hpp"

#include <catch2/catch.hpp>

using namespace ortool;

namespace {

std::string_view content_format(const std::string& file) {
  return onnx::detect_format(std::as_bytes(std::span(file))).name;
}

std::string_view guessed_format(const std::string& file, std::string_view path) {
  return onnx::guess_format(std::as_bytes(std::span(file)), path).name;
}

std::string number(std::size_t value, std::size_t size) {
  std::string text;
  for (std::size_t i = 0; i < size; ++i) text += static_cast<char>(value >> (8 * i) & 0xffU);
  return text;
}

/// A zip archive of empty files.
std::string archive_of(const std::vector<std::string>& names) {
  std::string file;
  std::string directory;
  for (const std::string& name : names) {
    directory += std::string("PK\x01\x02", 4) + std::string(24, '\0') + number(name.size(), 2) +
                 std::string(16, '\0') + name;
    file += std::string("PK\x03\x04", 4) + std::string(22, '\0') + number(name.size(), 2) +
            number(0, 2) + name;
  }
  return file + directory + std::string("PK\x05\x06", 4) + number(0, 4) + number(names.size(), 2) +
         number(names.size(), 2) + number(directory.size(), 4) + number(file.size(), 4) +
         number(0, 2);
}

}  // namespace

TEST_CASE("archives are recognized by the names in them") {
  using Names = std::vector<std::string>;
  CHECK(content_format(archive_of({"net/data.pkl", "net/version"})) == onnx::pytorch_format.name);
  CHECK(content_format(archive_of({"net/data.pkl", "net/constants.pkl"})) ==
        onnx::torchscript_format.name);
  CHECK(content_format(archive_of({"config.json", "model.weights.h5"})) ==
        onnx::keras_archive_format.name);
  CHECK(content_format(archive_of({"m/archive_format"})) == onnx::exported_program_format.name);
  CHECK(content_format(archive_of({"m/saved_model.pb"})).find("SavedModel") != std::string::npos);
  CHECK(content_format(archive_of({"a.npy"})).find(".npz") != std::string::npos);
  CHECK(content_format(archive_of({"a/model.onnx"})).find("ONNX") != std::string::npos);
  CHECK(content_format(archive_of(Names{"readme"})) == "a zip archive");
}

TEST_CASE("archives above 4 GiB, whose directory has a 64-bit place, are recognized") {
  const std::string small = archive_of({"net/data.pkl"});
  const std::size_t end = small.size() - 22;
  const std::size_t directory = small.find("PK\x01\x02");
  const std::string record =
      std::string("PK\x06\x06", 4) + std::string(44, '\0') + number(directory, 8);
  const std::string locator =
      std::string("PK\x06\x07", 4) + number(0, 4) + number(end, 8) + number(1, 4);
  std::string last = small.substr(end);
  last.replace(16, 4, "\xff\xff\xff\xff");
  CHECK(content_format(small.substr(0, end) + record + locator + last) ==
        onnx::pytorch_format.name);
  CHECK(content_format(small.substr(0, end) + last) == "a zip archive");
}

TEST_CASE("a damaged archive is still an archive") {
  const std::string good = archive_of({"net/data.pkl", "net/version"});
  for (std::size_t i = 4; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0xff);
    CHECK_FALSE(content_format(bad).empty());
    CHECK_FALSE(content_format(good.substr(0, i)).empty());
  }
}

TEST_CASE("files of other frameworks are recognized by their content") {
  CHECK(content_format(number(20, 8) + "{\"w\":{\"dtype\":\"F32\"}}") ==
        onnx::safetensors_format.name);
  CHECK(content_format("<?xml version=\"1.0\"?>\n<net name=\"m\" version=\"11\">") ==
        onnx::openvino_format.name);
  CHECK(content_format("<?xml version=\"1.0\"?><Error/>") == "an XML document");
  CHECK(content_format("GGUF\x03") == onnx::gguf_format.name);
  CHECK(content_format(std::string("II*\0\x08", 5)) == "a TIFF image");
  CHECK(content_format("ftrt\x01") == onnx::tensorrt_format.name);
  CHECK(content_format(std::string("\x1c\0\0\0TFL3", 8)) == onnx::tensorflow_lite_format.name);
  CHECK(content_format("\x89HDF\r\n") == onnx::keras_format.name);
}

TEST_CASE("protobuf files of other frameworks are recognized by their structure") {
  const std::string graph_def = "\x0a\x10\x0a\x01x\x12\x0bPlaceholder";
  CHECK(guessed_format(graph_def, "m.bin") == onnx::graph_def_format.name);
  const std::string saved_model("\x08\x01\x12\x04\x0a\x02\x12\x00", 8);
  CHECK(guessed_format(saved_model, "m") == onnx::saved_model_format.name);
  const std::string core_ml("\x08\x05\x12\x05\x0a\x03\x0a\x01x", 9);
  CHECK(guessed_format(core_ml, "m") == onnx::core_ml_format.name);
  CHECK(guessed_format("\x80\x04\x95", "m") == "a Python pickle");
  // An ONNX model begins with its version and its producer.
  CHECK(guessed_format(std::string("\x08\x07\x12\x07pytorch", 11), "m.onnx").empty());
}

TEST_CASE("hints name the file and its folder, if a shell takes them as they are") {
  CHECK(onnx::fill_hint("x --tflite FILE -o m", "a/b.tflite", "a") == "x --tflite a/b.tflite -o m");
  CHECK(onnx::fill_hint("x --model FOLDER OUT", "a/b", "a") == "x --model a OUT");
  for (const char* path : {"", "a b", "$(x)", "-x", "a'b", "a;b", "\x1b[0m"})
    CHECK(onnx::fill_hint("x FILE", path, "") == "x FILE");
}

TEST_CASE("other files are recognized by their name") {
  CHECK(guessed_format("\xff\xfe", "dir/Model.PTH") == onnx::pytorch_format.name);
  CHECK(guessed_format("\xff\xfe", "m.engine") == onnx::tensorrt_format.name);
  CHECK(guessed_format("\xff\xfe", "m.pdmodel") == onnx::paddle_format.name);
  CHECK(guessed_format("\xff\xfe", "x/saved_model.pb") == onnx::saved_model_format.name);
  CHECK(guessed_format("BM", "a/b.bmp") == "a BMP image");
  CHECK(guessed_format("\xff\xfe", "m.onnx.data").find("external data") != std::string::npos);
  CHECK(guessed_format("\xff\xfe", "model.onnx").empty());
  CHECK(guessed_format("", "model").empty());
}
