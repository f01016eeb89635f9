// Data of tensors, in the model file and in external files.
#include <filesystem>

#include <catch2/catch.hpp>
#include <sys/stat.h>

#include "libcore/graph/graph.hpp"
#include "libcore/onnx/read/load.hpp"
#include "libcore/onnx/value_file.hpp"
#include "tests/unit/libcore/onnx/model_bytes.hpp"

namespace ortool {

using namespace model_bytes;
namespace fs = std::filesystem;

TEST_CASE("typed data of every kind is decoded") {
  const auto constant = [](const std::string& text) {
    GraphText graph = simple();
    graph.constant(text);
    return load(model(graph))->graph->find_value("w")->constant();
  };
  using namespace onnx::tensor_field;
  CHECK(constant(tensor("w", DataType::int64, {3}, int64_data, "\x01\x02\x7f"))
            .data<std::int64_t>()[2] == 127);
  CHECK(constant(tensor("w", DataType::int8, {1}, int32_data,
                        "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"))
            .data<std::int8_t>()[0] == -1);
  CHECK(constant(tensor("w", DataType::float32, {1}, float_data, std::string("\0\0\x80\x3f", 4)))
            .data<float>()[0] == 1.0F);
  const Tensor half = constant(tensor("w", DataType::float16, {1}, int32_data, "\x80\x78"));
  CHECK(half.data<std::uint16_t>()[0] == 0x3c00);
  const Tensor packed = constant(tensor("w", DataType::int4, {3}, int32_data, "\x21\x03"));
  CHECK(packed.size_bytes() == 2);
  CHECK(packed.bytes()[0] == std::byte{0x21});
  const Tensor six =
      constant(tensor("w", DataType::float6e2m3, {5}, int32_data, "\x08\x10\x14\x18\x1a"));
  CHECK(six.size_bytes() == 4);
  CHECK(six.bytes()[2] == std::byte{0x61});
  CHECK(six.bytes()[3] == std::byte{0x1a});
  CHECK(
      constant(raw_tensor("w", DataType::boolean, {2}, std::string("\0\x07", 2))).data<bool>()[1]);
  const Tensor text = constant(tensor("w", DataType::string, {1}, string_data, "abc"));
  CHECK(text.strings()[0] == "abc");
}

TEST_CASE("data that disagrees with shape or type is an error before anything is allocated") {
  const auto refused = [](const std::string& text) {
    GraphText graph = simple();
    graph.constant(text);
    const Error error = error_of(model(graph));
    CHECK(error.message().starts_with("tensor 'w': "));
    return error.id();
  };
  using namespace onnx::tensor_field;
  CHECK(refused(raw_tensor("w", DataType::float32, {2}, "1234567")) == "tensor.size");
  CHECK(refused(raw_tensor("w", DataType::float32, {1LL << 40, 1LL << 40}, "1234")) ==
        "tensor.size");
  CHECK(refused(raw_tensor("w", DataType::float32, {-1}, "1234")) == "tensor.size");
  CHECK(refused(raw_tensor("w", DataType::float32, {1LL << 38}, "1234")) == "tensor.size");
  CHECK(refused(raw_tensor("w", DataType::string, {1}, "1234")) == "tensor.data");
  CHECK(refused(raw_tensor("w", static_cast<DataType>(99), {1}, "1234")) == "tensor.type");
  CHECK(refused(raw_tensor("w", DataType::undefined, {1}, "1234")) == "tensor.type");
  CHECK(refused(raw_tensor("w", DataType::float32, std::vector<std::int64_t>(65, 1), "1234")) ==
        "tensor.shape");
  CHECK(refused(tensor("w", DataType::float32, {1}, int32_data, "\x01")) == "tensor.data");
  CHECK(refused(tensor("w", DataType::int64, {2}, int64_data, "\x01")) == "tensor.size");
  CHECK(refused(tensor("w", DataType::float32, {1}, float_data, "12345")) == "wire.packed");
  CHECK(refused(tensor("w", DataType::uint8, {1}, int32_data, "\x80\x02")) == "tensor.value");
  CHECK(refused(tensor("w", DataType::int64, {1}, int64_data, "\x80")) == "tensor.size");
}

TEST_CASE("external data is read from the model's folder and from nowhere else") {
  const Folder folder;
  folder.write("w.bin", std::string(12, '\1'));
  fs::create_directory(folder.path / "below");
  fs::copy(folder.path / "w.bin", folder.path / "below/w.bin");
  fs::create_symlink("w.bin", folder.path / "link.bin");
  fs::create_symlink("below", folder.path / "link");
  REQUIRE(::mkfifo((folder.path / "pipe").c_str(), 0600) == 0);
  const std::string here = folder.path.string();
  const auto with = [](const std::vector<std::pair<std::string, std::string>>& entries) {
    GraphText graph = simple();
    graph.constant(external_tensor(entries));
    return model(graph);
  };
  const auto read =
      load(with({{"location", "./below//w.bin"}, {"offset", "4"}, {"length", "8"}}), here);
  CHECK(read->graph->find_value("w")->is_external);
  REQUIRE(read->external_files.size() == 1);
  CHECK(read->external_files[0].bytes == 12);
  const auto refused = [&](const std::vector<std::pair<std::string, std::string>>& entries) {
    return error_of(with(entries), here).id();
  };
  CHECK(refused({}) == "external.path");
  CHECK(refused({{"location", ""}}) == "external.path");
  CHECK(refused({{"location", "../w.bin"}}) == "external.path");
  CHECK(refused({{"location", "below/../w.bin"}}) == "external.path");
  CHECK(refused({{"location", here + "/w.bin"}}) == "external.path");
  CHECK(refused({{"location", std::string("w.bin\0", 6)}}) == "external.path");
  CHECK(refused({{"location", std::string(5000, 'a')}}) == "external.path");
  CHECK(refused({{"location", "link.bin"}}) == "external.path");
  CHECK(refused({{"location", "link/w.bin"}}) == "external.path");
  CHECK(refused({{"location", "pipe"}}) == "external.kind");
  CHECK(refused({{"location", "below"}}) == "external.kind");
  CHECK(refused({{"location", "none.bin"}}) == "external.missing");
  CHECK(refused({{"location", "w.bin"}, {"offset", "8"}}) == "external.range");
  CHECK(refused({{"location", "w.bin"}, {"offset", "18446744073709551615"}}) == "external.range");
  CHECK(refused({{"location", "w.bin"}, {"offset", "-4"}}) == "external.number");
  CHECK(refused({{"location", "w.bin"}, {"offset", " 4"}}) == "external.number");
  CHECK(refused({{"location", "w.bin"}, {"length", "4"}}) == "external.size");
  CHECK(refused({{"location", "w.bin"}, {"location", "w.bin"}}) == "external.repeated");
  CHECK(load(with({{"location", "w.bin"}, {"color", "red"}}), here)->warnings.size() == 1);
  CHECK(error_of(with({{"location", "w.bin"}})).id() == "external.path");
}

TEST_CASE("without its external data a model still loads when asked to") {
  GraphText graph = simple();
  graph.constant(external_tensor({{"location", "none.bin"}}, 1LL << 32));
  LoadOptions options;
  options.read_external_data = false;
  const auto read = load(model(graph), "", options);
  CHECK(read->graph->find_value("w")->constant().size_bytes() == (1LL << 34));
  CHECK(read->graph->find_value("w")->is_external);
}

TEST_CASE("a tensor file comes back as it was saved") {
  const Folder folder;
  const std::string path = (folder.path / "t.pb").string();
  const Tensor saved = Tensor::of<float>(Shape{2, 2}, {1.0F, 2.0F, 3.0F, 4.0F});
  save_value(path, "x", saved, {});
  std::string name;
  const Tensor read = load_tensor(path, &name);
  CHECK(name == "x");
  CHECK(read.shape() == saved.shape());
  CHECK(read.aligned().data<float>()[3] == 4.0F);
  save_value(path, "s", Tensor::of_strings(Shape{2}, {"", "b"}), {});
  CHECK(load_tensor(path).strings()[1] == "b");
  CHECK(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()) == 1);
}

}  // namespace ortool
