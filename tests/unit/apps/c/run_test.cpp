// Runs through the C interface: bits, memory of the caller, strings, DLPack, stops and profiles.
#include <array>
#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "apps/c/dlpack_tensor.hpp"
#include "tests/support/c_handles.hpp"

namespace ortool::test {
namespace {

constexpr const char* scaled_sum =
    "<ir_version: 8, opset_import: [\"\" : 18]>\n"
    "g (float[n, 3] x, float[3] b) => (float[n, 3] y, int64[2] s)"
    "{ t = Mul (x, x) y = Add (t, b) s = Shape (y) }";

struct Inputs {
  alignas(64) std::array<float, 6> x = {1, 2, 3, 4, 5, 6};
  alignas(64) std::array<float, 3> b = {10, 20, 30};
  CHandle<ortool_value> x_value = c_tensor(ORTOOL_FLOAT32, {2, 3}, x.data(), sizeof x);
  CHandle<ortool_value> b_value = c_tensor(ORTOOL_FLOAT32, {3}, b.data(), sizeof b);
  std::array<const ortool_value*, 2> pointers = {x_value.get(), b_value.get()};
};

TEST_CASE("the C interface runs a model, in order and by name") {
  const CHandle<ortool_session> session = c_session(scaled_sum, "{\"threads\": 1}");
  const Inputs inputs;
  std::array<ortool_value*, 2> outputs = {};
  REQUIRE(ortool_run(session.get(), nullptr, inputs.pointers.data(), 2, nullptr, outputs.data(), 2,
                     nullptr, nullptr) == ORTOOL_OK);
  const CHandle<ortool_value> y(outputs[0]);
  const CHandle<ortool_value> s(outputs[1]);
  std::size_t rank = 0;
  const std::int64_t* shape = ortool_tensor_shape(y.get(), &rank);
  REQUIRE(std::vector<std::int64_t>(shape, shape + rank) == std::vector<std::int64_t>{2, 3});
  const auto* numbers = static_cast<const float*>(ortool_tensor_data(y.get()));
  CHECK(std::vector<float>(numbers, numbers + 6) == std::vector<float>{11, 24, 39, 26, 45, 66});
  CHECK(ortool_tensor_size(y.get()) == 24);
  CHECK(ortool_tensor_type(s.get()) == ORTOOL_INT64);

  const std::array<const char*, 2> names = {"b", "x"};
  const std::array<const ortool_value*, 2> swapped = {inputs.pointers[1], inputs.pointers[0]};
  const char* wanted = "s";
  ortool_value* sizes = nullptr;
  REQUIRE(ortool_run(session.get(), names.data(), swapped.data(), 2, &wanted, &sizes, 1, nullptr,
                     nullptr) == ORTOOL_OK);
  const CHandle<ortool_value> sizes_value(sizes);
  CHECK(static_cast<const std::int64_t*>(ortool_tensor_data(sizes))[0] == 2);
}

TEST_CASE("the C interface writes outputs to the caller's memory and sets their shapes") {
  const CHandle<ortool_session> session = c_session(scaled_sum, nullptr);
  const Inputs inputs;
  alignas(64) std::array<float, 30> memory = {};
  const CHandle<ortool_value> y = c_tensor(ORTOOL_FLOAT32, {10, 3}, memory.data(), sizeof memory);
  const char* wanted = "y";
  ortool_value* target = y.get();
  REQUIRE(ortool_run(session.get(), nullptr, inputs.pointers.data(), 2, &wanted, &target, 1,
                     nullptr, nullptr) == ORTOOL_OK);
  CHECK(target == y.get());
  CHECK(memory[5] == 66);
  CHECK(ortool_tensor_data(y.get()) == memory.data());
  CHECK(ortool_tensor_shape(y.get(), nullptr)[0] == 2);

  SECTION("memory of another type, or too small, is refused") {
    const CHandle<ortool_value> integers =
        c_tensor(ORTOOL_INT32, {10, 3}, memory.data(), sizeof memory);
    target = integers.get();
    CError error;
    CHECK(ortool_run(session.get(), nullptr, inputs.pointers.data(), 2, &wanted, &target, 1,
                     nullptr, error.out()) == ORTOOL_INVALID);
    CHECK(error.message() ==
          "output 'y' is float32[n x 3], which cannot be written to int32[10x3]");
    const CHandle<ortool_value> small = c_tensor(ORTOOL_FLOAT32, {1}, memory.data(), 4);
    target = small.get();
    CError size_error;
    CHECK(ortool_run(session.get(), nullptr, inputs.pointers.data(), 2, &wanted, &target, 1,
                     nullptr, size_error.out()) == ORTOOL_INVALID);
    CHECK_THAT(size_error.message(), Catch::Contains("'y'"));
  }
}

TEST_CASE("runs of the C interface refuse what does not fit, with a hint") {
  const CHandle<ortool_session> session = c_session(scaled_sum, nullptr);
  const Inputs inputs;
  std::array<ortool_value*, 2> outputs = {};
  CError error;
  SECTION("too few inputs") {
    CHECK(ortool_run(session.get(), nullptr, inputs.pointers.data(), 1, nullptr, outputs.data(), 2,
                     nullptr, error.out()) == ORTOOL_INVALID);
    CHECK(error.message() == "1 inputs are given without names, the model has 2");
  }
  SECTION("an unknown output") {
    const char* wanted = "z";
    CHECK(ortool_run(session.get(), nullptr, inputs.pointers.data(), 2, &wanted, outputs.data(), 1,
                     nullptr, error.out()) == ORTOOL_INVALID);
    CHECK_THAT(error.message(), Catch::Contains("output 'z'"));
    CHECK_FALSE(error.hint().empty());
  }
  SECTION("a null handle") {
    CHECK(ortool_run(nullptr, nullptr, inputs.pointers.data(), 2, nullptr, outputs.data(), 2,
                     nullptr, error.out()) == ORTOOL_INVALID);
    CHECK(error.message() == "the parameter session is NULL");
  }
  SECTION("options without a size") {
    const ortool_run_options options = {};
    CHECK(ortool_run(session.get(), nullptr, inputs.pointers.data(), 2, nullptr, outputs.data(), 2,
                     &options, error.out()) == ORTOOL_INVALID);
    CHECK(error.id() == "usage.struct");
  }
  CHECK(outputs[0] == nullptr);
}

TEST_CASE("a stop request and a time limit end a run of the C interface") {
  const CHandle<ortool_session> session = c_session(
      "<ir_version: 8, opset_import: [\"\" : 18]>\n"
      "g (float[200, 200] x, int64 n) => (float[200, 200] y) {\n"
      "  yes = Constant <value = bool {1}> ()\n"
      "  y = Loop (n, yes, x) <body = l (int64 i, bool c, float[200, 200] a) =>"
      " (bool d, float[200, 200] r) { d = Identity (c) p = MatMul (a, a) r = Tanh (p) }> }",
      "{\"threads\": 1}");
  std::vector<float> numbers(40000, 0.01F);
  std::int64_t rounds = 100000000;
  const CHandle<ortool_value> x =
      c_tensor(ORTOOL_FLOAT32, {200, 200}, numbers.data(), numbers.size() * sizeof(float));
  const CHandle<ortool_value> n = c_tensor(ORTOOL_INT64, {}, &rounds, sizeof rounds);
  const std::array<const ortool_value*, 2> inputs = {x.get(), n.get()};
  ortool_value* output = nullptr;
  ortool_run_options options = {};
  options.size = sizeof options;
  CError error;
  SECTION("time") {
    options.timeout = 0.05;
    CHECK(ortool_run(session.get(), nullptr, inputs.data(), 2, nullptr, &output, 1, &options,
                     error.out()) == ORTOOL_TIMEOUT);
  }
  SECTION("stop") {
    ortool_stop* stop = nullptr;
    REQUIRE(ortool_stop_new(&stop, nullptr) == ORTOOL_OK);
    options.stop = stop;
    std::thread other([stop] {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      ortool_stop_request(stop);
    });
    CHECK(ortool_run(session.get(), nullptr, inputs.data(), 2, nullptr, &output, 1, &options,
                     error.out()) == ORTOOL_INTERRUPTED);
    other.join();
    ortool_stop_free(stop);
  }
  CHECK(output == nullptr);
}

TEST_CASE("values of the C interface outlive their session, as do DLPack tensors made of them") {
  CHandle<ortool_session> session = c_session(scaled_sum, "{\"max-memory\": \"1GB\"}");
  const Inputs inputs;
  std::array<ortool_value*, 2> outputs = {};
  REQUIRE(ortool_run(session.get(), nullptr, inputs.pointers.data(), 2, nullptr, outputs.data(), 2,
                     nullptr, nullptr) == ORTOOL_OK);
  session.reset();
  DLManagedTensor* managed = nullptr;
  REQUIRE(ortool_tensor_to_dlpack(outputs[0], &managed, nullptr) == ORTOOL_OK);
  for (ortool_value* output : outputs) ortool_value_free(output);
  CHECK(static_cast<const float*>(managed->dl_tensor.data)[5] == 66);
  managed->deleter(managed);
}

TEST_CASE("the C interface profiles a run kernel by kernel") {
  const CHandle<ortool_session> session = c_session(scaled_sum, "{\"optimize\": \"none\"}");
  const Inputs inputs;
  ortool_profile* profile = nullptr;
  REQUIRE(ortool_profile_new(&profile, nullptr) == ORTOOL_OK);
  ortool_run_options options = {};
  options.size = sizeof options;
  options.profile = profile;
  std::array<ortool_value*, 2> outputs = {};
  REQUIRE(ortool_run(session.get(), nullptr, inputs.pointers.data(), 2, nullptr, outputs.data(), 2,
                     &options, nullptr) == ORTOOL_OK);
  std::size_t count = 0;
  const ortool_profile_event* const* events = ortool_profile_events(profile, &count);
  REQUIRE(count >= 2);
  CHECK(std::string(events[0]->op_type) == "Mul");
  CHECK(std::string(events[0]->provider) == "cpu");
  CHECK(ortool_profile_total_ns(profile) >= events[0]->duration_ns);
  ortool_profile_free(profile);
  for (ortool_value* output : outputs) ortool_value_free(output);
}

TEST_CASE("the C interface feeds outputs back to inputs") {
  const char* text =
      "<ir_version: 8, opset_import: [\"\" : 18]>\n"
      "g (float[1, 2] x, float[1, 2] state, float[1, 2] last)"
      " => (float[1, 2] y, float[1, 2] next, float[1, 2] same)"
      "{ next = Add (x, state) y = Mul (next, last) same = Identity (x) }";
  const CHandle<ortool_session> session = c_session(text, nullptr);
  const std::array<const char*, 2> outputs = {"next", "same"};
  const std::array<const char*, 2> inputs = {"state", "last"};
  ortool_feedback* feedback = nullptr;
  REQUIRE(ortool_feedback_new(session.get(), outputs.data(), inputs.data(), 2, &feedback,
                              nullptr) == ORTOOL_OK);
  ortool_run_options options = {};
  options.size = sizeof options;
  options.feedback = feedback;
  alignas(64) std::array<float, 2> x = {1, 2};
  alignas(64) std::array<float, 2> first = {10, 20};
  const CHandle<ortool_value> x_value = c_tensor(ORTOOL_FLOAT32, {1, 2}, x.data(), sizeof x);
  const CHandle<ortool_value> first_value =
      c_tensor(ORTOOL_FLOAT32, {1, 2}, first.data(), sizeof first);
  const std::array<const ortool_value*, 3> given = {x_value.get(), first_value.get(),
                                                    first_value.get()};
  const std::array<const char*, 3> names = {"x", "state", "last"};
  const char* wanted = "y";
  const auto run = [&](std::size_t count) {
    ortool_value* y = nullptr;
    REQUIRE(ortool_run(session.get(), names.data(), given.data(), count, &wanted, &y, 1, &options,
                       nullptr) == ORTOOL_OK);
    const float result = static_cast<const float*>(ortool_tensor_data(y))[0];
    ortool_value_free(y);
    return result;
  };
  CHECK(run(3) == 110);  // (1 + 10) * 10
  // What a fed value lay in may change.
  first = {};
  x[0] = 3;
  CHECK(run(1) == 14);  // (3 + 11) * 1
  ortool_value* next = nullptr;
  REQUIRE(ortool_feedback_fetch(feedback, "next", &next, nullptr) == ORTOOL_OK);
  CHECK(static_cast<const float*>(ortool_tensor_data(next))[0] == 14);
  ortool_value_free(next);
  first = {100, 0};
  REQUIRE(ortool_feedback_set(feedback, "state", first_value.get(), nullptr) == ORTOOL_OK);
  first = {};
  CHECK(run(1) == 309);  // (3 + 100) * 3

  const char* none = "none";
  CHECK(ortool_feedback_fetch(feedback, none, &next, nullptr) == ORTOOL_INVALID);
  CHECK(ortool_feedback_set(feedback, none, first_value.get(), nullptr) == ORTOOL_INVALID);
  ortool_feedback* wrong = nullptr;
  CHECK(ortool_feedback_new(session.get(), &none, inputs.data(), 1, &wrong, nullptr) ==
        ORTOOL_INVALID);
  const CHandle<ortool_session> other = c_session(text, nullptr);
  ortool_value* y = nullptr;
  CHECK(ortool_run(other.get(), names.data(), given.data(), 3, &wanted, &y, 1, &options, nullptr) ==
        ORTOOL_INVALID);
  ortool_feedback_free(feedback);
}

TEST_CASE("the C interface holds inputs that are the same in each run") {
  const char* text =
      "<ir_version: 8, opset_import: [\"\" : 18]>\n"
      "g (float[2] x, float[2] states, float[2] cross) => (float[2] y, float[2] made)"
      "{ a = Mul (x, states) y = Add (a, cross) made = Add (states, cross) }";
  const CHandle<ortool_session> session = c_session(text, nullptr);
  ortool_feedback* feedback = nullptr;
  REQUIRE(ortool_feedback_new(session.get(), nullptr, nullptr, 0, &feedback, nullptr) == ORTOOL_OK);
  CHECK(ortool_feedback_hold(feedback, "states", nullptr, nullptr) == ORTOOL_OK);
  CHECK(ortool_feedback_hold(feedback, "cross", "made", nullptr) == ORTOOL_OK);
  ortool_error* error = nullptr;
  CHECK(ortool_feedback_hold(feedback, "stats", nullptr, &error) == ORTOOL_INVALID);
  CHECK(std::string(ortool_error_message(error)).find("no input 'stats' to hold") !=
        std::string::npos);
  ortool_error_free(error);
  CHECK(ortool_feedback_hold(feedback, "states", nullptr, nullptr) == ORTOOL_INVALID);
  CHECK(ortool_feedback_hold(feedback, "x", "none", nullptr) == ORTOOL_INVALID);
  CHECK(ortool_feedback_hold(feedback, nullptr, nullptr, nullptr) == ORTOOL_INVALID);

  ortool_run_options options = {};
  options.size = sizeof options;
  options.feedback = feedback;
  alignas(64) std::array<float, 2> x = {1, 2};
  alignas(64) std::array<float, 2> states = {10, 20};
  alignas(64) std::array<float, 2> cross = {1, 1};
  const CHandle<ortool_value> x_value = c_tensor(ORTOOL_FLOAT32, {2}, x.data(), sizeof x);
  const CHandle<ortool_value> states_value =
      c_tensor(ORTOOL_FLOAT32, {2}, states.data(), sizeof states);
  const CHandle<ortool_value> cross_value =
      c_tensor(ORTOOL_FLOAT32, {2}, cross.data(), sizeof cross);
  const std::array<const ortool_value*, 3> given = {x_value.get(), states_value.get(),
                                                    cross_value.get()};
  const std::array<const char*, 3> names = {"x", "states", "cross"};
  const char* wanted = "y";
  const auto run = [&](std::size_t count) {
    ortool_value* y = nullptr;
    REQUIRE(ortool_run(session.get(), names.data(), given.data(), count, &wanted, &y, 1, &options,
                       nullptr) == ORTOOL_OK);
    const float result = static_cast<const float*>(ortool_tensor_data(y))[0];
    ortool_value_free(y);
    return result;
  };
  ortool_value* y = nullptr;
  CHECK(ortool_run(session.get(), names.data(), given.data(), 1, &wanted, &y, 1, &options,
                   nullptr) == ORTOOL_INVALID);
  CHECK(run(3) == 11);  // 1 * 10 + 1
  // What a held value lay in may change.
  states = {};
  cross = {};
  x[0] = 2;
  CHECK(run(1) == 31);  // 2 * 10 + (10 + 1)
  CHECK(run(3) == 31);
  ortool_value* made = nullptr;
  REQUIRE(ortool_feedback_fetch(feedback, "made", &made, nullptr) == ORTOOL_OK);
  CHECK(static_cast<const float*>(ortool_tensor_data(made))[0] == 11);
  ortool_value_free(made);
  states = {3, 0};
  REQUIRE(ortool_feedback_set(feedback, "states", states_value.get(), nullptr) == ORTOOL_OK);
  states = {};
  CHECK(run(1) == 17);  // 2 * 3 + 11
  ortool_feedback_free(feedback);
}

TEST_CASE("strings, sequences and maps pass the C interface") {
  const CHandle<ortool_session> upper = c_session(
      "<ir_version: 10, opset_import: [\"\" : 20]>\n"
      "g (string[n] x) => (string[n] y) { y = StringNormalizer <case_change_action = \"UPPER\"> "
      "(x) }",
      nullptr);
  const std::array<const char*, 2> words = {"red", "green"};
  const std::int64_t two = 2;
  ortool_value* text = nullptr;
  REQUIRE(ortool_tensor_of_strings(&two, 1, words.data(), nullptr, &text, nullptr) == ORTOOL_OK);
  const CHandle<ortool_value> text_value(text);
  ortool_value* output = nullptr;
  REQUIRE(ortool_run(upper.get(), nullptr, &text, 1, nullptr, &output, 1, nullptr, nullptr) ==
          ORTOOL_OK);
  const CHandle<ortool_value> output_value(output);
  std::size_t length = 0;
  CHECK(std::string(ortool_tensor_string(output, 1, &length)) == "GREEN");
  CHECK(length == 5);
  CHECK(ortool_tensor_string(output, 2, nullptr) == nullptr);

  std::array<float, 2> one = {1, 2};
  const CHandle<ortool_value> element = c_tensor(ORTOOL_FLOAT32, {2}, one.data(), sizeof one);
  const std::array<const ortool_value*, 2> elements = {element.get(), element.get()};
  ortool_value* sequence = nullptr;
  REQUIRE(ortool_sequence_new(elements.data(), 2, &sequence, nullptr) == ORTOOL_OK);
  const CHandle<ortool_value> sequence_value(sequence);
  const CHandle<ortool_session> joined = c_session(
      "<ir_version: 8, opset_import: [\"\" : 18]>\n"
      "g (seq(float[m]) s) => (float[k] y) { y = ConcatFromSequence <axis = 0> (s) }",
      nullptr);
  ortool_value* all = nullptr;
  REQUIRE(ortool_run(joined.get(), nullptr, &sequence, 1, nullptr, &all, 1, nullptr, nullptr) ==
          ORTOOL_OK);
  const CHandle<ortool_value> all_value(all);
  CHECK(ortool_value_count(all) == 4);
  ortool_value* first = nullptr;
  REQUIRE(ortool_value_element(sequence, 0, &first, nullptr) == ORTOOL_OK);
  CHECK(ortool_tensor_data(first) == one.data());
  ortool_value_free(first);

  ortool_value* map = nullptr;
  CError error;
  CHECK(ortool_map_new(element.get(), text, &map, error.out()) == ORTOOL_INVALID);
  REQUIRE(ortool_map_new(text, element.get(), &map, nullptr) == ORTOOL_OK);
  CHECK(ortool_value_kind(map) == ORTOOL_MAP);
  CHECK(ortool_value_count(map) == 2);
  ortool_value_free(map);
}

struct OwnTensor {
  std::array<std::int64_t, 2> shape = {2, 3};
  std::array<std::int64_t, 2> strides = {3, 1};
  std::array<float, 6> numbers = {1, 2, 3, 4, 5, 6};
  DLManagedTensor managed = {};
  int deleted = 0;

  OwnTensor() {
    managed.dl_tensor = {numbers.data(), {dlpack_cpu, 0}, 2, {dlpack_float, 32, 1},
                         shape.data(),   strides.data(),  0};
    managed.manager_ctx = this;
    managed.deleter = [](DLManagedTensor* self) {
      ++static_cast<OwnTensor*>(self->manager_ctx)->deleted;
    };
  }
};

TEST_CASE("DLPack tensors go in and come out without copies") {
  const CHandle<ortool_session> session = c_session(scaled_sum, nullptr);
  OwnTensor x;
  const Inputs inputs;
  ortool_value* value = nullptr;
  REQUIRE(ortool_tensor_from_dlpack(&x.managed, &value, nullptr) == ORTOOL_OK);
  CHECK(ortool_tensor_data(value) == x.numbers.data());
  const std::array<const ortool_value*, 2> given = {value, inputs.pointers[1]};
  std::array<ortool_value*, 2> outputs = {};
  REQUIRE(ortool_run(session.get(), nullptr, given.data(), 2, nullptr, outputs.data(), 2, nullptr,
                     nullptr) == ORTOOL_OK);
  ortool_value_free(value);
  CHECK(x.deleted == 1);
  DLManagedTensor* managed = nullptr;
  REQUIRE(ortool_tensor_to_dlpack(outputs[0], &managed, nullptr) == ORTOOL_OK);
  CHECK(managed->dl_tensor.data == ortool_tensor_data(outputs[0]));
  for (ortool_value* output : outputs) ortool_value_free(output);
  CHECK(managed->dl_tensor.ndim == 2);
  CHECK(managed->dl_tensor.shape[0] == 2);
  CHECK(managed->dl_tensor.strides[0] == 3);
  CHECK(static_cast<const float*>(managed->dl_tensor.data)[5] == 66);
  managed->deleter(managed);

  SECTION("a transposed one is refused, and stays the caller's") {
    OwnTensor transposed;
    transposed.strides = {1, 2};
    CError error;
    CHECK(ortool_tensor_from_dlpack(&transposed.managed, &value, error.out()) ==
          ORTOOL_UNSUPPORTED);
    CHECK(error.id() == "dlpack.strides");
    CHECK(transposed.deleted == 0);
  }
}

TEST_CASE("eight threads run one session of the C interface") {
  const CHandle<ortool_session> session = c_session(scaled_sum, "{\"threads\": 2}");
  // Made here: assertions of Catch2 belong to one thread.
  const std::array<Inputs, 8> of_threads;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (const Inputs& inputs : of_threads) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        std::array<ortool_value*, 2> outputs = {};
        const bool is_ok = ortool_run(session.get(), nullptr, inputs.pointers.data(), 2, nullptr,
                                      outputs.data(), 2, nullptr, nullptr) == ORTOOL_OK &&
                           static_cast<const float*>(ortool_tensor_data(outputs[0]))[5] == 66;
        if (!is_ok) ++wrong;
        for (ortool_value* output : outputs) ortool_value_free(output);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

}  // namespace
}  // namespace ortool::test
