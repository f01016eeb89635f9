// The .npy format: every version, order and type, and every kind of damage.
#include "libcore/io/npy.hpp"

#include <cstring>
#include <memory>

#include <catch2/catch.hpp>

#include "libcore/io/tensor_file.hpp"
#include "libcore/tensor/convert.hpp"
#include "tests/support/scratch_file.hpp"

using namespace ortool;

namespace {

std::string npy(std::string dictionary, std::string data, int version = 1) {
  std::string file = "\x93NUMPY";
  file += static_cast<char>(version);
  file += '\0';
  const std::size_t length = dictionary.size();
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    file += static_cast<char>(length >> (8 * i) & 0xff);
  return file + dictionary + data;
}

std::string dictionary(std::string_view descr, std::string_view shape, bool fortran = false) {
  return "{'descr': '" + std::string(descr) +
         "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + std::string(shape) + ", }\n";
}

Tensor read(const std::string& file) {
  auto owner = std::make_shared<std::string>(file);
  return read_npy(std::as_bytes(std::span(*owner)), owner);
}

std::string bytes_of(const auto&... values) {
  std::string result;
  (result.append(reinterpret_cast<const char*>(&values), sizeof(values)), ...);
  return result;
}

void check_refused(const std::string& file, const std::string& message,
                   ErrorCode code = ErrorCode::invalid) {
  INFO(message);
  try {
    read(file);
    FAIL("accepted");
  } catch (const Error& error) {
    CHECK_THAT(error.message(), Catch::Contains(message));
    CHECK(error.code() == code);
  }
}

}  // namespace

TEST_CASE("versions 1 to 3 of .npy are read as views of the file") {
  for (const int version : {1, 2, 3}) {
    const Tensor tensor = read(npy(dictionary("<f4", "(1, 2)"), bytes_of(1.5F, -2.0F), version));
    CHECK(tensor.shape() == Shape{1, 2});
    CHECK(element_as_double(tensor, 1) == -2);
  }
}

TEST_CASE("column-major and big-endian arrays are turned round") {
  const Tensor fortran = read(npy(dictionary("<i2", "(2, 3)", true),
                                  bytes_of(std::int16_t{1}, std::int16_t{4}, std::int16_t{2},
                                           std::int16_t{5}, std::int16_t{3}, std::int16_t{6})));
  for (std::int64_t i = 0; i < 6; ++i) CHECK(element_as_int64(fortran, i) == i + 1);
  const Tensor big =
      read(npy(dictionary(">i4", "(2,)"), std::string("\0\0\1\2\xff\xff\xff\xfe", 8)));
  CHECK(element_as_int64(big, 0) == 258);
  CHECK(element_as_int64(big, 1) == -2);
  const Tensor complex =
      read(npy(dictionary(">c8", "()"), std::string("\x3f\x80\0\0\xc0\0\0\0", 8)));
  CHECK(element_text(complex, 0) == "1-2i");
}

TEST_CASE("strings of numpy become string tensors") {
  const Tensor bytes = read(npy(dictionary("|S3", "(2,)"), std::string("ab\0abc", 6)));
  CHECK(bytes.strings()[0] == "ab");
  CHECK(bytes.strings()[1] == "abc");
  const Tensor unicode = read(npy(dictionary("<U2", "(1,)"), bytes_of(0xe9U, 0x1f600U)));
  CHECK(unicode.strings()[0] == "\xc3\xa9\xf0\x9f\x98\x80");
  const Tensor big = read(npy(dictionary(">U1", "(1,)"), std::string("\0\0\0A", 4)));
  CHECK(big.strings()[0] == "A");
  check_refused(npy(dictionary("<U1", "(1,)"), bytes_of(0xd800U)), "not a Unicode character");
}

TEST_CASE("scalars, empty arrays and odd bools are read") {
  CHECK(read(npy(dictionary("<f8", "()"), bytes_of(2.5))).data<double>()[0] == 2.5);
  CHECK(read(npy(dictionary("<f8", "(0, 7)"), "")).shape() == Shape{0, 7});
  const Tensor bools = read(npy(dictionary("|b1", "(3,)"), std::string("\0\1\7", 3)));
  CHECK(bools.data<bool>()[2]);
  CHECK(bools.bytes()[2] == std::byte{1});
}

TEST_CASE("what numpy writes and reads: a written array comes back the same") {
  const Tensor tensors[] = {
      Tensor::of<float>(Shape{2, 2}, {1, 2, 3, 4}), Tensor::scalar(std::int64_t{-5}),
      Tensor::of<bool>(Shape{3}, {true, false, true}), Tensor(DataType::uint16, Shape{0, 3}),
      convert(Tensor::scalar(0.5), DataType::float16)};
  for (const Tensor& tensor : tensors) {
    const test::ScratchFile file("a.npy");
    save_npy(file.path(), tensor);
    CHECK(file.read().find('\n') % 64 == 63);
    const Tensor back = load_tensor_file(file.path());
    CHECK(back.type() == tensor.type());
    CHECK(back.shape() == tensor.shape());
    CHECK((tensor.size_bytes() == 0 ||
           std::memcmp(back.bytes(), tensor.bytes(),
                       static_cast<std::size_t>(tensor.size_bytes())) == 0));
  }
  const test::ScratchFile file("b.npy");
  save_npy(file.path(), Tensor::of_strings(Shape{2}, {"h\xc3\xa9", ""}));
  CHECK(file.read().find("'descr': '<U2'") != std::string::npos);
  CHECK(load_tensor_file(file.path()).strings()[0] == "h\xc3\xa9");
}

TEST_CASE("element types that numpy lacks are refused with a way out") {
  NpyParts parts;
  try {
    make_npy(Tensor(DataType::bfloat16, Shape{1}), parts);
    FAIL("accepted");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::unsupported);
    CHECK_THAT(error.hint(), Catch::Contains(".pb"));
  }
}

TEST_CASE("element types without a counterpart are refused by name") {
  const auto refused = ErrorCode::unsupported;
  check_refused(npy(dictionary("|O", "(1,)"), "x"), "pickled", refused);
  check_refused(npy(dictionary("|V2", "(1,)"), "xx"), "'|V2'", refused);
  check_refused(npy(dictionary("<M8[ns]", "(1,)"), "12345678"), "dates", refused);
  check_refused(npy(dictionary("<f16", "(1,)"), "12345678"), "no equivalent", refused);
  check_refused(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", "1234"),
                "records", refused);
  check_refused(npy(dictionary("<q9", "(1,)"), ""), "not an element type");
  check_refused(npy(dictionary("<U99999999999999999999", "(1,)"), ""), "not an element type");
}

TEST_CASE("damaged .npy files are refused without being believed") {
  const std::string good = npy(dictionary("<f4", "(2,)"), bytes_of(1.0F, 2.0F));
  for (std::size_t length = 0; length < good.size(); ++length) {
    INFO(length);
    CHECK_THROWS_AS(read(good.substr(0, length)), Error);
  }
  check_refused(good + "x", "9 follow");
  check_refused("PK\3\4 and so on", "not an .npy file");
  std::string version = good;
  version[6] = 9;
  check_refused(version, "version 9", ErrorCode::unsupported);
  check_refused(npy(dictionary("<f4", "(4611686018427387904, 4)"), "1234"), "2^43");
  check_refused(npy(dictionary("<f4", "(99999999999999999999,)"), "1234"), "above 2^63");
  check_refused(npy(dictionary("<f4", "(-1,)"), "1234"), "a size expected");
  check_refused(npy(dictionary("<f4", "(1.5,)"), "1234"), "',' or ')' expected");
  check_refused(npy(dictionary("<f4", "(1,"), "1234"), "expected");
  check_refused(npy("{'descr': '<f4', 'shape': (1,)}", "1234"), "lacks");
  check_refused(npy("{'descr': '<f4', 'descr': '<f4'}", "1234"), "repeated");
  check_refused(npy("{'descr': '<f4', 'evil': 1}", "1234"), "unknown");
  check_refused(npy("__import__('os')", "1234"), "'{' expected");
  check_refused(npy(dictionary("<f4", "(1,)") + "garbage", "1234"), "the end expected");
  std::string deep = "(";
  for (int i = 0; i < 100; ++i) deep += "1,";
  check_refused(npy(dictionary("<f4", deep + ")"), "1234"), "more than 64 dimensions");
  std::string huge = npy("", "", 2);
  std::memset(huge.data() + 8, 0xff, 4);
  check_refused(huge + std::string(64, ' '), "at most 1048576");
  check_refused(npy(dictionary("|S0", "(1000000000000,)"), ""), "no bytes");
}
