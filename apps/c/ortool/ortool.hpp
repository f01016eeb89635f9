// C++ interface over the C interface: header-only handles that free themselves, and exceptions.
//
// For C++17 and any compiler: only functions of ortool.h are called, no C++ type passes the border.
// What ortool.h says about threads and memory holds here too.
#ifndef ORTOOL_ORTOOL_HPP
#define ORTOOL_ORTOOL_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <ortool/ortool.h>

namespace ortool::abi {

/// What a call failed with; what() is the message.
class Error : public std::runtime_error {
 public:
  explicit Error(const ortool_error* error)
      : std::runtime_error(ortool_error_message(error)),
        status_(ortool_error_status(error)),
        hint_(ortool_error_hint(error)),
        id_(ortool_error_id(error)),
        node_(ortool_error_node(error)) {}

  ortool_status status() const { return status_; }
  const std::string& hint() const { return hint_; }
  const std::string& id() const { return id_; }
  const std::string& node() const { return node_; }

 private:
  ortool_status status_;
  std::string hint_;
  std::string id_;
  std::string node_;
};

struct HandleRelease {
  void operator()(ortool_error* error) const { ortool_error_free(error); }
  void operator()(ortool_stop* stop) const { ortool_stop_free(stop); }
  void operator()(ortool_value* value) const { ortool_value_free(value); }
  void operator()(ortool_model* model) const { ortool_model_free(model); }
  void operator()(ortool_session* session) const { ortool_session_free(session); }
  void operator()(ortool_profile* profile) const { ortool_profile_free(profile); }
  void operator()(ortool_feedback* feedback) const { ortool_feedback_free(feedback); }
  void operator()(char* text) const { ortool_text_free(text); }
};
template <typename T>
using Handle = std::unique_ptr<T, HandleRelease>;

/// Calls a function of ortool.h, and throws Error unless it succeeds.
template <typename Function, typename... Arguments>
void call(Function function, Arguments... arguments) {
  ortool_error* error = nullptr;
  if (function(arguments..., &error) == ORTOOL_OK) return;
  const Handle<ortool_error> owned(error);
  throw Error(owned.get());
}

/// The element type of a C++ type; 16-bit floats are given as their bits, with a type of their own.
template <typename T>
constexpr ortool_type element_type() {
  constexpr bool is_signed = T(-1) < T(0);
  if constexpr (std::is_same_v<T, float>)
    return ORTOOL_FLOAT32;
  else if constexpr (std::is_same_v<T, double>)
    return ORTOOL_FLOAT64;
  else if constexpr (std::is_same_v<T, bool>)
    return ORTOOL_BOOL;
  else if constexpr (sizeof(T) == 1)
    return is_signed ? ORTOOL_INT8 : ORTOOL_UINT8;
  else if constexpr (sizeof(T) == 2)
    return is_signed ? ORTOOL_INT16 : ORTOOL_UINT16;
  else if constexpr (sizeof(T) == 4)
    return is_signed ? ORTOOL_INT32 : ORTOOL_UINT32;
  else
    return is_signed ? ORTOOL_INT64 : ORTOOL_UINT64;
}

using Shape = std::vector<std::int64_t>;

/// A tensor, a sequence, a map, or nothing.
class Value {
 public:
  Value() = default;
  explicit Value(ortool_value* owned) : handle_(owned) {}

  /// A tensor over the caller's memory, which outlives it.
  static Value view(ortool_type type, const Shape& shape, void* data, std::size_t bytes) {
    ortool_value* value = nullptr;
    call(ortool_tensor_new, type, shape.data(), shape.size(), data, bytes, &value);
    return Value(value);
  }
  template <typename T>
  static Value view(std::vector<T>& numbers, const Shape& shape) {
    return view(element_type<T>(), shape, numbers.data(), numbers.size() * sizeof(T));
  }
  static Value strings(const std::vector<std::string>& texts, const Shape& shape) {
    std::vector<const char*> pointers;
    std::vector<std::size_t> lengths;
    for (const std::string& text : texts) {
      pointers.push_back(text.data());
      lengths.push_back(text.size());
    }
    ortool_value* value = nullptr;
    call(ortool_tensor_of_strings, shape.data(), shape.size(), pointers.data(), lengths.data(),
         &value);
    return Value(value);
  }
  static Value sequence(const std::vector<Value>& elements) {
    const std::vector<const ortool_value*> pointers = pointers_of(elements);
    ortool_value* value = nullptr;
    call(ortool_sequence_new, pointers.data(), pointers.size(), &value);
    return Value(value);
  }
  static Value map(const Value& keys, const Value& values) {
    ortool_value* value = nullptr;
    call(ortool_map_new, keys.get(), values.get(), &value);
    return Value(value);
  }
  /// Takes the tensor over; its deleter is called with the last value that uses it.
  static Value from_dlpack(DLManagedTensor* managed) {
    ortool_value* value = nullptr;
    call(ortool_tensor_from_dlpack, managed, &value);
    return Value(value);
  }
  /// The caller calls its deleter.
  DLManagedTensor* to_dlpack() const {
    DLManagedTensor* managed = nullptr;
    call(ortool_tensor_to_dlpack, get(), &managed);
    return managed;
  }

  ortool_kind kind() const { return ortool_value_kind(get()); }
  std::size_t count() const { return ortool_value_count(get()); }
  Value element(std::size_t index) const {
    ortool_value* value = nullptr;
    call(ortool_value_element, get(), index, &value);
    return Value(value);
  }
  ortool_type type() const { return ortool_tensor_type(get()); }
  Shape shape() const {
    std::size_t rank = 0;
    const std::int64_t* dimensions = ortool_tensor_shape(get(), &rank);
    return Shape(dimensions, dimensions + rank);
  }
  /// The elements of a tensor; null unless T has its element type. 16-bit floats are uint16_t.
  template <typename T>
  const T* data() const {
    const bool is_half = sizeof(T) == 2 && (type() == ORTOOL_FLOAT16 || type() == ORTOOL_BFLOAT16);
    if (type() != element_type<T>() && !is_half) return nullptr;
    return static_cast<const T*>(ortool_tensor_data(get()));
  }
  std::string string(std::size_t index) const {
    std::size_t length = 0;
    const char* text = ortool_tensor_string(get(), index, &length);
    return text != nullptr ? std::string(text, length) : std::string();
  }

  const ortool_value* get() const { return handle_.get(); }
  ortool_value* get() { return handle_.get(); }

  static std::vector<const ortool_value*> pointers_of(const std::vector<Value>& values) {
    std::vector<const ortool_value*> pointers;
    for (const Value& value : values) pointers.push_back(value.get());
    return pointers;
  }

 private:
  Handle<ortool_value> handle_;
};

/// The name and type of an input or output.
struct ValueInfo {
  std::string name;
  std::string type_text;
  ortool_kind kind = ORTOOL_NONE;
  ortool_type type = ORTOOL_UNDEFINED;
  bool is_optional = false;
  bool has_rank = false;
  Shape shape;                       ///< -1 where the size is not a number
  std::vector<std::string> symbols;  ///< "batch", "2*batch", "?", or "" for a number
};

/// What ortool_session_inputs() and its like list of a handle.
template <typename T>
std::vector<ValueInfo> infos_of(const T* handle,
                                const ortool_value_info* const* (*list)(const T*, std::size_t*)) {
  std::size_t count = 0;
  const ortool_value_info* const* infos = list(handle, &count);
  std::vector<ValueInfo> copies;
  for (std::size_t i = 0; i < count; ++i) {
    const ortool_value_info& info = *infos[i];
    ValueInfo& copy = copies.emplace_back();
    copy = {
        info.name, info.type_text, info.kind, info.type, info.is_optional != 0, info.rank >= 0, {},
        {}};
    for (std::int32_t axis = 0; axis < info.rank; ++axis) {
      copy.shape.push_back(info.shape[axis]);
      copy.symbols.emplace_back(info.symbols[axis]);
    }
  }
  return copies;
}

class Model {
 public:
  static Model load(const std::string& path) {
    Model model;
    ortool_model* handle = nullptr;
    call(ortool_model_load, path.c_str(), &handle);
    model.handle_.reset(handle);
    return model;
  }
  /// Keeps the bytes, or whatever `bytes` is a container of.
  template <typename Container>
  static Model from_memory(Container bytes, const char* folder = nullptr) {
    auto* kept = new Container(std::move(bytes));
    Model model;
    ortool_model* handle = nullptr;
    call(
        ortool_model_load_memory, static_cast<const void*>(kept->data()),
        kept->size() * sizeof(*kept->data()), folder,
        [](void* context) { delete static_cast<Container*>(context); }, static_cast<void*>(kept),
        &handle);
    model.handle_.reset(handle);
    return model;
  }

  std::vector<ValueInfo> inputs() const { return infos_of(get(), ortool_model_inputs); }
  std::vector<ValueInfo> outputs() const { return infos_of(get(), ortool_model_outputs); }
  const ortool_model* get() const { return handle_.get(); }

 private:
  Handle<ortool_model> handle_;
};

/// A request to stop, for one call.
class Stop {
 public:
  Stop() {
    ortool_stop* handle = nullptr;
    call(ortool_stop_new, &handle);
    handle_.reset(handle);
  }
  void request() { ortool_stop_request(get()); }
  ortool_stop* get() const { return handle_.get(); }

 private:
  Handle<ortool_stop> handle_;
};

/// The times of a run; events() belong to it.
class Profile {
 public:
  Profile() {
    ortool_profile* handle = nullptr;
    call(ortool_profile_new, &handle);
    handle_.reset(handle);
  }
  std::vector<const ortool_profile_event*> events() const {
    std::size_t count = 0;
    const ortool_profile_event* const* events = ortool_profile_events(get(), &count);
    return {events, events + count};
  }
  std::int64_t total_ns() const { return ortool_profile_total_ns(get()); }
  /// The Chrome trace that `ortool run --trace` writes, in JSON.
  std::string trace() const {
    char* text = nullptr;
    call(ortool_profile_trace, get(), &text);
    return Handle<char>(text).get();
  }
  ortool_profile* get() const { return handle_.get(); }

 private:
  Handle<ortool_profile> handle_;
};

/// A sample that Task::next_sample is asked for.
class Sample {
 public:
  explicit Sample(ortool_sample* raw) : raw_(raw) {}
  /// Copies the value of an input.
  void add(const std::string& name, const Value& value) {
    call(ortool_sample_add, raw_, name.c_str(), value.get());
  }

 private:
  ortool_sample* raw_;
};

/// What a long call listens to and reports to. Callbacks must not throw.
struct Task {
  const Stop* stop = nullptr;
  double timeout = 0;  ///< seconds; 0: no limit
  std::function<void(ortool_message_kind kind, const char* text)> on_message = {};
  std::function<void(const char* step, std::int64_t done, std::int64_t total)> on_progress = {};
  /// Calibration data of "quantize": adds the inputs of the next sample; false: there are no more.
  /// What Sample::add() throws it may throw.
  std::function<bool(Sample& sample)> next_sample = {};

  /// Refers to this task.
  ortool_task raw() const {
    ortool_task task = {};
    task.size = sizeof task;
    task.stop = stop != nullptr ? stop->get() : nullptr;
    task.timeout = timeout;
    task.context = const_cast<Task*>(this);
    if (on_message) {
      task.on_message = [](void* context, ortool_message_kind kind, const char* text) {
        static_cast<const Task*>(context)->on_message(kind, text);
      };
    }
    if (on_progress) {
      task.on_progress = [](void* context, const char* step, std::int64_t done,
                            std::int64_t total) {
        static_cast<const Task*>(context)->on_progress(step, done, total);
      };
    }
    if (next_sample) {
      task.next_sample = [](void* context, ortool_sample* raw) -> std::int32_t {
        Sample sample(raw);
        try {
          return static_cast<const Task*>(context)->next_sample(sample) ? 1 : 0;
        } catch (const Error&) {
          return -1;
        }
      };
    }
    return task;
  }
};

class Feedback;

struct RunOptions {
  const Stop* stop = nullptr;
  double timeout = 0;
  std::int32_t threads = 0;  ///< 0: the session's
  Profile* profile = nullptr;
  Feedback* feedback = nullptr;

  ortool_run_options raw() const;
};

class Session {
 public:
  /// `options` as ortool_session_new() takes them.
  explicit Session(const Model& model, const std::string& options = "{}", const Task& task = {}) {
    const ortool_task raw = task.raw();
    ortool_session* handle = nullptr;
    call(ortool_session_new, model.get(), options.c_str(), &raw, &handle);
    handle_.reset(handle);
  }

  std::vector<ValueInfo> inputs() const { return infos_of(get(), ortool_session_inputs); }
  std::vector<ValueInfo> outputs() const { return infos_of(get(), ortool_session_outputs); }
  void release_memory() const { ortool_session_release_memory(get()); }

  /// All outputs, of all inputs in their order.
  std::vector<Value> run(const std::vector<Value>& inputs, const RunOptions& options = {}) const {
    std::size_t count = 0;
    ortool_session_outputs(get(), &count);
    std::vector<Value> outputs(count);
    run_into(inputs, outputs, options);
    return outputs;
  }
  /// Outputs that are tensors over the caller's memory are written there; empty values are set.
  void run_into(const std::vector<Value>& inputs, std::vector<Value>& outputs,
                const RunOptions& options = {}) const {
    run_named(nullptr, inputs, nullptr, outputs, options);
  }
  /// The outputs of these names, of inputs by name.
  std::vector<Value> run(const std::vector<const char*>& input_names,
                         const std::vector<Value>& inputs,
                         const std::vector<const char*>& output_names,
                         const RunOptions& options = {}) const {
    std::vector<Value> outputs(output_names.size());
    run_named(input_names.data(), inputs, output_names.data(), outputs, options);
    return outputs;
  }
  const ortool_session* get() const { return handle_.get(); }

 private:
  void run_named(const char* const* input_names, const std::vector<Value>& inputs,
                 const char* const* output_names, std::vector<Value>& outputs,
                 const RunOptions& options) const {
    const std::vector<const ortool_value*> given = Value::pointers_of(inputs);
    std::vector<ortool_value*> results;
    for (Value& output : outputs) results.push_back(output.get());
    const ortool_run_options raw = options.raw();
    call(ortool_run, get(), input_names, given.data(), given.size(), output_names, results.data(),
         results.size(), &raw);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i].get() == nullptr) outputs[i] = Value(results[i]);
    }
  }

  Handle<ortool_session> handle_;
};

/// Outputs that are inputs of the next run, where they are, and inputs that are held: see
/// ortool_feedback.
class Feedback {
 public:
  /// Pairs of an output and the input that it becomes.
  Feedback(const Session& session,
           const std::vector<std::pair<std::string, std::string>>& output_to_input) {
    std::vector<const char*> outputs;
    std::vector<const char*> inputs;
    for (const auto& [output, input] : output_to_input) {
      outputs.push_back(output.c_str());
      inputs.push_back(input.c_str());
    }
    ortool_feedback* handle = nullptr;
    call(ortool_feedback_new, session.get(), outputs.data(), inputs.data(), outputs.size(),
         &handle);
    handle_.reset(handle);
  }
  /// Holds an input at the value that the first run is given: see ortool_feedback_hold().
  void hold(const std::string& input) {
    call(ortool_feedback_hold, get(), input.c_str(), static_cast<const char*>(nullptr));
  }
  /// Holds an input at the value that an output has after the first run where it has elements.
  void hold_output(const std::string& output, const std::string& input) {
    call(ortool_feedback_hold, get(), input.c_str(), output.c_str());
  }
  /// The value of a fed output after the last run, or of one that is held, on the host.
  Value fetch(const std::string& output) const {
    ortool_value* value = nullptr;
    call(ortool_feedback_fetch, get(), output.c_str(), &value);
    return Value(value);
  }
  /// Replaces the value of a fed or held input.
  void set(const std::string& input, const Value& value) {
    call(ortool_feedback_set, get(), input.c_str(), value.get());
  }
  ortool_feedback* get() const { return handle_.get(); }

 private:
  Handle<ortool_feedback> handle_;
};

inline ortool_run_options RunOptions::raw() const {
  ortool_run_options options = {};
  options.size = sizeof options;
  options.stop = stop != nullptr ? stop->get() : nullptr;
  options.timeout = timeout;
  options.threads = threads;
  options.profile = profile != nullptr ? profile->get() : nullptr;
  options.feedback = feedback != nullptr ? feedback->get() : nullptr;
  return options;
}

inline void register_operators(const std::string& path) {
  call(ortool_register_operators, path.c_str());
}

/// Adds operators of the program (ortool/custom_ops.h); see ortool_add_operators().
inline void add_operators(const ::ortool_operators& operators, const std::string& origin) {
  call(ortool_add_operators, &operators, origin.c_str());
}
inline void remove_operator(const std::string& domain, const std::string& name) {
  call(ortool_remove_operator, domain.c_str(), name.c_str());
}

/// Runs a command and returns its report, as ortool_command() does. Throws without a report.
inline std::string command(const std::string& name, const std::string& request,
                           const Task& task = {}) {
  const ortool_task raw = task.raw();
  char* text = nullptr;
  ortool_error* error = nullptr;
  const ortool_status status = ortool_command(name.c_str(), request.c_str(), &raw, &text, &error);
  const Handle<char> report(text);
  const Handle<ortool_error> failure(error);
  if (status != ORTOOL_OK) throw Error(failure.get());
  return report.get();
}

}  // namespace ortool::abi

#endif
