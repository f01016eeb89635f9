// product_bits [COUNT [SEED]]: products give the same bits whichever operands are constant.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernels/cpu/isa/cpu_features.hpp"
#include "kernels/cpu/isa/levels.hpp"
#include "libcore/base/format.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/runtime/session.hpp"
#include "libcore/text/print.hpp"
#include "providers/cpu/cpu_provider.hpp"
#include "tests/ops/case_model.hpp"
#include "tests/ops/product_cases.hpp"

namespace {

using namespace ortool;

constexpr const char* usage =
    "usage: product_bits [COUNT [SEED]]\n"
    "Runs COUNT random cases of each product operator, at every instruction-set level of this\n"
    "processor, with each choice of operands as constants, with shapes known and unknown, without\n"
    "optimization and at level basic, with one thread and with two. All must give the same bits.\n";

constexpr std::size_t max_findings = 20;

/// Bit mask of the operands that are constants.
using Mask = unsigned;

/// All masks for up to four operands; else none, each alone, all but the first, and all.
std::vector<Mask> masks_of(std::size_t operands) {
  const Mask all = (Mask{1} << operands) - 1;
  std::vector<Mask> masks;
  if (operands <= 4) {
    for (Mask mask = 0; mask <= all; ++mask) masks.push_back(mask);
    return masks;
  }
  masks.push_back(0);
  for (std::size_t i = 0; i < operands; ++i) masks.push_back(Mask{1} << i);
  masks.push_back(all - 1);
  masks.push_back(all);
  return masks;
}

struct ConstantMode {
  cpu::Isa isa = cpu::Isa::baseline;
  Mask constants = 0;
  bool knows_shapes = true;
  OptimizeLevel level = OptimizeLevel::none;
};

class Sweep {
 public:
  Sweep(std::uint64_t seed, ThreadPool& pool) : cases_(seed), pool_(pool) {}

  void run(std::size_t kind) {
    const test::OpCase each = cases_.make(kind);
    for (const cpu::Isa isa : cpu::supported_isas()) {
      const auto start = std::chrono::steady_clock::now();
      reference_ = Tensor();
      for (const Mask mask : masks_of(each.inputs.size())) {
        check(each, {isa, mask});
        check(each, {isa, mask, false});
        check(each, {isa, mask, true, OptimizeLevel::basic});
      }
      seconds_[each.name] +=
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    ++count_;
  }

  std::size_t failed() const { return failed_; }
  void print_times() const {
    for (const auto& [name, seconds] : seconds_) std::printf("%s: %.2f s\n", name.c_str(), seconds);
  }

 private:
  static std::string describe(const test::OpCase& each, const ConstantMode& mode) {
    std::string operands;
    for (std::size_t i = 0; i < each.inputs.size(); ++i) {
      const Tensor& tensor = each.inputs[i].tensor;
      operands +=
          format(" {} {}{}{}", each.inputs[i].name, name_of(tensor.type()),
                 tensor.shape().to_string(), (mode.constants >> i & 1U) != 0 ? " constant" : "");
    }
    return format("{}, shapes {}, level {}: {}; operands{}", cpu::isa_name(mode.isa),
                  mode.knows_shapes ? "known" : "unknown",
                  mode.level == OptimizeLevel::none ? "none" : "basic", each.nodes, operands);
  }

  static std::unique_ptr<Model> model_of(const test::OpCase& each, const ConstantMode& mode,
                                         NamedValues& inputs) {
    test::OpCase changed = each;
    changed.inputs.clear();
    for (std::size_t i = 0; i < each.inputs.size(); ++i) {
      const test::CaseTensor& operand = each.inputs[i];
      if ((mode.constants >> i & 1U) != 0) {
        changed.constants.push_back(operand);
      } else {
        changed.inputs.push_back(operand);
        inputs.emplace_back(operand.name, operand.tensor);
      }
    }
    auto model = test::make_model(changed, {"", changed.inputs.size()});
    if (mode.knows_shapes) return model;
    for (Value* input : model->graph->inputs()) {
      ValueType type = input->type();
      for (Dimension& dimension : *type.shape) dimension = Dimension();
      input->set_type(type);
    }
    return model;
  }

  void check(const test::OpCase& each, const ConstantMode& mode) {
    try {
      NamedValues inputs;
      const Session session(
          model_of(each, mode, inputs),
          {.providers = {make_cpu_provider(mode.isa)}, .pool = &pool_, .optimize = mode.level});
      for (const int threads : {1, 2}) {
        const Tensor found = session.run(inputs, {.threads = threads}).front().tensor();
        if (reference_.is_empty()) reference_ = found.owned();
        if (have_same_bits(found, reference_)) continue;
        return report(each, mode, format("{} threads give other bits", threads));
      }
    } catch (const std::exception& error) {
      report(each, mode, error.what());
    }
  }

  static bool have_same_bits(const Tensor& a, const Tensor& b) {
    return a.type() == b.type() && a.shape() == b.shape() &&
           (a.size_bytes() == 0 ||
            std::memcmp(a.bytes(), b.bytes(), static_cast<std::size_t>(a.size_bytes())) == 0);
  }

  void report(const test::OpCase& each, const ConstantMode& mode, std::string_view what) {
    if (++failed_ > max_findings) return;
    std::printf("case %zu: %s: %s\n", count_, describe(each, mode).c_str(),
                escape_control_characters(what).c_str());
  }

  test::ProductCases cases_;
  ThreadPool& pool_;
  Tensor reference_;
  std::size_t count_ = 0;
  std::size_t failed_ = 0;
  std::map<std::string, double> seconds_;
};

}  // namespace

int main(int count, char** arguments) {
  if (count > 3 || (count > 1 && std::atoi(arguments[1]) < 1)) {
    std::fputs(usage, stderr);
    return 2;
  }
  const int each = count > 1 ? std::atoi(arguments[1]) : 10;
  const std::uint64_t seed =
      count > 2
          ? std::strtoull(arguments[2], nullptr, 10)
          : static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  std::printf("seed %llu, %d cases of each of %zu kinds, up to %s\n",
              static_cast<unsigned long long>(seed), each, test::ProductCases::kinds(),
              std::string(cpu::isa_name(cpu::best_isa())).c_str());
  ThreadPool pool(2);
  Sweep sweep(seed, pool);
  for (int round = 0; round < each; ++round) {
    for (std::size_t kind = 0; kind < test::ProductCases::kinds(); ++kind) sweep.run(kind);
  }
  if (each >= 100) sweep.print_times();
  std::printf("%zu runs with other bits or errors\n", sweep.failed());
  return sweep.failed() == 0 ? 0 : 1;
}
