#include "text/vector_target.h"

#include <hwy/detect_targets.h>

namespace tokmill {

namespace {

struct Target {
  VectorTarget target;
  bool here;  // this processor has all that Highway uses under this target
};

#if HWY_ARCH_X86
std::vector<Target> all_targets() {
  __builtin_cpu_init();
  const bool ssse3 = __builtin_cpu_supports("ssse3");
  const bool sse4 = ssse3 && __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("sse4.2") &&
                    __builtin_cpu_supports("aes") && __builtin_cpu_supports("pclmul");
  const bool avx2 = sse4 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("lzcnt") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                    __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
  const bool avx3 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512cd");
  const bool avx3_dl = avx3 && __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("vpclmulqdq") &&
                       __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
                       __builtin_cpu_supports("vaes") && __builtin_cpu_supports("avx512vpopcntdq") &&
                       __builtin_cpu_supports("avx512bitalg") && __builtin_cpu_supports("gfni");
  return {{{"avx512", HWY_AVX3_DL}, avx3_dl},
          {{"avx512-skylake", HWY_AVX3}, avx3},
          {{"avx2", HWY_AVX2}, avx2},
          {{"sse4", HWY_SSE4}, sse4},
          {{"ssse3", HWY_SSSE3}, ssse3}};
}
#else
std::vector<Target> all_targets() {
  return {{{"neon", HWY_NEON}, true}};  // where it is compiled for at all
}
#endif

}  // namespace

std::vector<VectorTarget> vector_targets() {
  std::vector<VectorTarget> targets;
  for (const auto& [target, here] : all_targets()) {
    if (here && (HWY_TARGETS & target.highway) != 0) targets.push_back(target);
  }
  return targets;
}

std::optional<VectorTarget> vector_target(std::string_view instructions) {
  for (const VectorTarget& target : vector_targets()) {
    if (target.name == instructions) return target;
  }
  return std::nullopt;
}

}  // namespace tokmill
