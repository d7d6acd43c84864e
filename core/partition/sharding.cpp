#include "core/partition/sharding.h"

#include <utility>

namespace tessera::partition {

Degrees productOf(const Sharding& sharding) {
    Degrees product;
    for (const Degrees& level : sharding) {
        product.batch *= level.batch;
        product.in *= level.in;
        product.out *= level.out;
    }
    return product;
}

namespace {

std::vector<Degrees> levelCuts(std::int64_t size, bool inToo) {
    std::vector<Degrees> cuts;
    for (std::int64_t in = 1; in <= (inToo ? size : 1); ++in) {
        if (size % in != 0) continue;
        for (std::int64_t out = 1; in * out <= size; ++out)
            if (size % (in * out) == 0) cuts.push_back({size / (in * out), in, out});
    }
    return cuts;
}

}  // namespace

double shardingCount(const std::vector<std::int64_t>& sizes) {
    double count = 1;
    for (const std::int64_t size : sizes) count *= static_cast<double>(levelCuts(size, true).size());
    return count;
}

std::vector<Sharding> shardingsOf(const std::vector<std::int64_t>& sizes, bool inToo) {
    std::vector<Sharding> all{{}};
    for (const std::int64_t size : sizes) {
        const std::vector<Degrees> cuts = levelCuts(size, inToo);
        std::vector<Sharding> longer;
        for (const Sharding& sharding : all)
            for (const Degrees& cut : cuts) {
                longer.push_back(sharding);
                longer.back().push_back(cut);
            }
        all = std::move(longer);
    }
    return all;
}

}  // namespace tessera::partition
