#include "core/explore/eigen.h"

#include <Eigen/Core>

namespace tessera::explore {

void initialiseEigen() {
    static const bool kInitialised = [] {
        Eigen::setCpuCacheSizes(32 << 10, 512 << 10, 4 << 20);
        return true;
    }();
    static_cast<void>(kInitialised);
}

}  // namespace tessera::explore
