// ortool merge: the command, its option and examples.
#include "apps/ortool/commands/commands.hpp"
#include "apps/ortool/merge/merge_run.hpp"

namespace ortool {
namespace {

class MergeCommand : public Command {
 public:
  std::string_view name() const override { return "merge"; }
  std::string_view summary() const override { return "join what shards found"; }
  std::vector<Example> examples() const override {
    return {
        {"ortool merge part-*.cal -o model.cal", "of quantize --calibrate-only --shard I/N"},
        {"ortool merge *.part -o report.json", "of run --data --shard I/N: the report of them all"},
        {"ortool merge *.part", "the text of that report"},
    };
  }
  std::vector<ArgumentSpec> arguments() const override {
    return {{.name = "PART", .help = "the files of all shards, in any order", .repeats = true}};
  }
  std::vector<OptionGroup> options() const override {
    return {{"Result",
             {{.name = "output",
               .value = "FILE",
               .help = "the merged calibration, or the JSON report that one process would write",
               .letter = 'o',
               .completes = Completion::files}}}};
  }
  void run(Invocation& invocation) const override { run_merge(invocation); }
};

}  // namespace

std::unique_ptr<const Command> make_merge_command() {
  return std::make_unique<MergeCommand>();
}

}  // namespace ortool
