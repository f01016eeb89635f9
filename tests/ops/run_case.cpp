// Runs an operator case in sessions of every configuration and compares the outputs.
#include "tests/ops/run_case.hpp"

#include <cstring>
#include <exception>
#include <map>
#include <span>
#include <utility>

#include "kernels/cpu/isa/levels.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/sha256.hpp"
#include "libcore/runtime/session.hpp"
#include "libcore/tensor/convert.hpp"
#include "providers/cpu/cpu_provider.hpp"
#include "providers/onednn/onednn_provider.hpp"
#include "tests/ops/case_model.hpp"

namespace ortool::test {
namespace {

constexpr int many_threads = 4;

bool have_same_bits(const Tensor& a, const Tensor& b) {
  if (a.type() != b.type() || a.shape() != b.shape()) return false;
  if (a.type() == DataType::string) return compare(a, b).passed;
  return a.size_bytes() == 0 ||
         std::memcmp(a.bytes(), b.bytes(), static_cast<std::size_t>(a.size_bytes())) == 0;
}

/// For example "y[1,2]".
std::string place_of(const std::string& name, const Shape& shape, std::int64_t index) {
  std::string text;
  for (std::int64_t axis = shape.rank() - 1; axis >= 0; --axis) {
    text = std::to_string(index % shape[axis]) + (text.empty() ? "" : ",") + text;
    index /= shape[axis];
  }
  return format("{}[{}]", name, text);
}

class Runner {
 public:
  Runner(const OpCase& each, ThreadPool& pool, std::vector<std::string>* digests)
      : case_(each), pool_(pool), digests_(digests) {}

  std::vector<std::string> run() {
    const std::vector<ConstantMode> modes = modes_of(case_);
    for (const cpu::Isa isa : cpu::supported_isas()) {
      for (const ConstantMode& mode : modes)
        run_mode(cpu::isa_name(isa), {make_cpu_provider(isa)}, mode);
    }
    const std::shared_ptr<const Provider> onednn = make_onednn_provider();
    if (onednn->unavailable_because().empty() && is_of_interest(*onednn)) {
      for (const ConstantMode& mode : modes)
        run_mode("onednn", {onednn, make_cpu_provider()}, mode);
    }
    return std::move(findings_);
  }

 private:
  void add(std::string_view where, std::string_view what) {
    findings_.push_back(format("[{}] {}", where, what));
  }

  /// Whether the provider has a kernel for an operator of the case.
  bool is_of_interest(const Provider& provider) const {
    for (const KernelDescription& kernel : provider.kernels()) {
      if (case_.nodes.find(kernel.op_type) != std::string::npos) return true;
    }
    return false;
  }

  void run_mode(std::string_view name, std::vector<std::shared_ptr<const Provider>> providers,
                const ConstantMode& mode) {
    const std::string where = format("{}, {}", name, mode.name);
    try {
      NamedValues inputs;
      for (std::size_t i = 0; i < mode.first_constant; ++i)
        inputs.emplace_back(case_.inputs[i].name, case_.inputs[i].tensor);
      const Session session(make_model(case_, mode),
                            {.providers = std::move(providers), .pool = &pool_});
      const std::vector<RunValue> found = session.run(inputs, {.threads = 1});
      const std::vector<RunValue> again = session.run(inputs, {.threads = many_threads});
      if (case_.error) {
        add(where,
            format("ran, where an error with \"{}\" is expected", case_.error->message_part));
        return;
      }
      for (std::size_t i = 0; i < found.size(); ++i) {
        check(where, i, found[i].tensor(), again[i].tensor());
        check_bits(name, where, i, found[i].tensor());
        add_digest(where, i, found[i].tensor());
      }
    } catch (const Error& error) {
      check_error(where, error);
    } catch (const std::exception& error) {
      add(where, format("threw something else than Error: {}", error.what()));
    }
  }

  void check_error(std::string_view where, const Error& error) {
    if (!case_.error) {
      add(where, format("failed: {}", error.what()));
      return;
    }
    const std::string whole = error.what();
    if (error.code() != case_.error->code) {
      add(where,
          format("failed with code {} where {} is expected: {}", static_cast<int>(error.code()),
                 static_cast<int>(case_.error->code), whole));
    } else if (whole.find(case_.error->message_part) == std::string::npos) {
      add(where,
          format("failed with another message than \"{}\": {}", case_.error->message_part, whole));
    } else if (error.id() == "internal.check") {
      add(where, format("failed by an internal check: {}", whole));
    }
  }

  void check(std::string_view where, std::size_t index, const Tensor& found,
             const Tensor& with_threads) {
    const CaseTensor& output = case_.outputs[index];
    Tensor expected = output.tensor;
    std::string_view source = "expected";
    if (expected.is_empty()) {
      // The first run at the lowest ISA level is the reference for all others.
      if (reference_.size() <= index) reference_.resize(index + 1);
      if (reference_[index].is_empty()) reference_[index] = found;
      expected = reference_[index];
      source = "from the baseline";
    }
    const TensorComparison comparison = compare(found, expected, case_.tolerance);
    if (!comparison.difference.empty()) {
      add(where, format("{}: {}", output.name, comparison.difference));
    } else if (!comparison.passed) {
      report_element(where, output.name, found, expected, source, comparison);
    }
    if (!have_same_bits(found, with_threads)) {
      add(where,
          format("{} has other bits with {} threads than with one", output.name, many_threads));
    }
  }

  /// Bits must not depend on which inputs are constant, except where normalizations are folded into
  /// weights, or where the graphs of a node become nodes that rules fuse. Not checked for oneDNN,
  /// since the cpu provider folds constants.
  void check_bits(std::string_view level, std::string_view where, std::size_t index,
                  const Tensor& found) {
    const bool is_folded = case_.nodes.find("BatchNormalization") != std::string::npos ||
                           case_.nodes.find("FlexAttention <") != std::string::npos;
    if (is_folded || level == "onednn") return;
    const auto [place, is_first] = first_found_.try_emplace({std::string(level), index}, found);
    if (!is_first && !have_same_bits(found, place->second))
      add(where, format("{} has other bits than with all inputs given", case_.outputs[index].name));
  }

  void add_digest(std::string_view where, std::size_t index, const Tensor& found) {
    if (digests_ == nullptr || found.type() == DataType::string) return;
    const std::span bytes(found.bytes(), static_cast<std::size_t>(found.size_bytes()));
    digests_->push_back(
        format("{} [{}] {}: {}", case_.name, where, case_.outputs[index].name, sha256_of(bytes)));
  }

  void report_element(std::string_view where, const std::string& name, const Tensor& found,
                      const Tensor& expected, std::string_view source,
                      const TensorComparison& comparison) {
    std::int64_t first = 0;
    while (first < found.element_count() && is_near(found, expected, first)) ++first;
    if (first == found.element_count()) first = comparison.worst_index;
    add(where, format("{} found {}, {} {} ({} of {} elements differ, by {} at most)",
                      place_of(name, found.shape(), first), element_text(found, first),
                      element_text(expected, first), source, comparison.mismatched,
                      comparison.count, comparison.max_abs_error));
  }

  bool is_near(const Tensor& found, const Tensor& expected, std::int64_t index) const {
    if (!is_arithmetic(found.type()))
      return element_text(found, index) == element_text(expected, index);
    Tensor one(found.type(), Shape{});
    Tensor other(found.type(), Shape{});
    set_element(one, 0, element_as_double(found, index));
    set_element(other, 0, element_as_double(expected, index));
    return compare(one, other, case_.tolerance).passed;
  }

  const OpCase& case_;
  ThreadPool& pool_;
  std::vector<Tensor> reference_;
  std::map<std::pair<std::string, std::size_t>, Tensor> first_found_;  ///< by level and output
  std::vector<std::string> findings_;
  std::vector<std::string>* digests_;
};

}  // namespace

std::vector<std::string> run_case(const OpCase& each, ThreadPool& pool,
                                  std::vector<std::string>* digests) {
  return Runner(each, pool, digests).run();
}

}  // namespace ortool::test
