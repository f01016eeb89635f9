// Shards of the environment: schedulers' variables, in their order, and mistakes in them.
#include "apps/ortool/parts/shard_environment.hpp"

#include <map>
#include <string>

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"

using namespace ortool;

namespace {

using Variables = std::map<std::string, std::string>;

FoundShard find(const Variables& variables, std::optional<std::int64_t> count = std::nullopt) {
  return shard_from_environment(count, [&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found != variables.end() ? found->second.c_str() : nullptr;
  });
}

std::string failure(const Variables& variables, std::optional<std::int64_t> count = std::nullopt) {
  try {
    find(variables, count);
  } catch (const Error& error) {
    CHECK_FALSE(error.hint().empty());
    return error.what();
  }
  return {};
}

Variables array(const std::string& id, const std::string& first, const std::string& last,
                const std::string& count) {
  return {{"SLURM_ARRAY_TASK_ID", id},
          {"SLURM_ARRAY_TASK_MIN", first},
          {"SLURM_ARRAY_TASK_MAX", last},
          {"SLURM_ARRAY_TASK_COUNT", count}};
}

}  // namespace

TEST_CASE("A Slurm array may begin anywhere and have a step", "[shard]") {
  CHECK(find(array("0", "0", "6", "7")).shard == Shard{0, 7});
  CHECK(find(array("7", "1", "7", "7")).shard == Shard{6, 7});
  Variables steps = array("14", "10", "18", "5");
  steps["SLURM_ARRAY_TASK_STEP"] = "2";
  CHECK(find(steps).shard == Shard{2, 5});
  CHECK(find(array("3", "0", "6", "7"), 7).shard == Shard{3, 7});
}

TEST_CASE("Slurm arrays with gaps, and tasks started again alone, are rejected", "[shard]") {
  CHECK(failure(array("7", "1", "7", "3")).find("has no place in a range") != std::string::npos);
  // sbatch --array=3 has one task, whose shard would be everything.
  CHECK(failure(array("3", "3", "3", "1"), 7) ==
        "option --shard: auto: SLURM_ARRAY_TASK_COUNT is 1, not 7");
  Variables no_count = array("3", "0", "6", "7");
  no_count.erase("SLURM_ARRAY_TASK_COUNT");
  CHECK(failure(no_count) ==
        "option --shard: auto: the environment variable SLURM_ARRAY_TASK_COUNT is not set");
}

TEST_CASE("Ranks of MPI and of Slurm's steps count from 0", "[shard]") {
  CHECK(find({{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "4"}}).shard == Shard{1, 4});
  CHECK(find({{"PMI_RANK", "3"}, {"PMI_SIZE", "4"}}).shard == Shard{3, 4});
  CHECK(find({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "2"}}).shard == Shard{0, 2});
  CHECK(find({{"SLURM_PROCID", "1"}}, 2).shard == Shard{1, 2});
}

TEST_CASE("An indexed job of Kubernetes needs the number of shards", "[shard]") {
  CHECK(find({{"JOB_COMPLETION_INDEX", "6"}}, 7).shard == Shard{6, 7});
  CHECK(
      failure({{"JOB_COMPLETION_INDEX", "6"}}) ==
      "option --shard: auto: JOB_COMPLETION_INDEX is set, but nothing tells the number of shards");
  CHECK(failure({{"JOB_COMPLETION_INDEX", "7"}}, 7) ==
        "option --shard: auto: JOB_COMPLETION_INDEX is 7, which counts from 0, but there are 7 "
        "shards");
}

TEST_CASE("The first variable of the documented order counts", "[shard]") {
  Variables all = array("2", "0", "6", "7");
  all["SLURM_PROCID"] = "0";
  all["SLURM_NTASKS"] = "1";
  all["OMPI_COMM_WORLD_RANK"] = "0";
  all["OMPI_COMM_WORLD_SIZE"] = "1";
  CHECK(find(all).variable == "SLURM_ARRAY_TASK_ID");
  // Empty counts as unset.
  all["SLURM_ARRAY_TASK_ID"] = "";
  CHECK(find(all).variable == "OMPI_COMM_WORLD_RANK");
}

TEST_CASE("Malformed and missing variables are named", "[shard]") {
  CHECK(failure({{"PMI_RANK", "one"}, {"PMI_SIZE", "4"}}) ==
        "option --shard: auto: the environment variable PMI_RANK is 'one' (expected a whole number "
        "from 0 up)");
  CHECK(failure({{"PMI_RANK", "-1"}, {"PMI_SIZE", "4"}}).find("'-1'") != std::string::npos);
  CHECK(failure({{"PMI_RANK", "1"}}) ==
        "option --shard: auto: the environment variable PMI_SIZE is not set");
  CHECK(failure({}) ==
        "option --shard: auto: no scheduler tells the shard: none of SLURM_ARRAY_TASK_ID, "
        "JOB_COMPLETION_INDEX, OMPI_COMM_WORLD_RANK, PMI_RANK, SLURM_PROCID is set");
}
