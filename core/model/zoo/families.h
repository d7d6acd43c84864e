#pragma once

#include <string>

#include "core/model/graph.h"
#include "core/model/zoo/network.h"

/// The build functions of the zoo, one file per family; zoo.cpp lists them.
namespace tessera::model::zoo {

// perceptrons.cpp
Graph mlp(Network net);

// classic.cpp
Graph lenet5(Network net);
Graph accparLenet(Network net);
Graph alexnet(Network net);
Graph accparAlexnet(Network net);
/// `depth` is 11, 13, 16 or 19.
Graph vgg(Network net, int depth);

// residual.cpp
/// `depth` is 18, 34, 50, 101 or 152.
Graph resnet(Network net, int depth);
Graph resnext50(Network net);

// mobile.cpp
Graph mobilenetV2(Network net);
Graph squeezenet(Network net);
Graph shufflenetV2(Network net);
Graph mnasnet(Network net);
Graph efficientnetB0(Network net);

// concatenating.cpp
Graph googlenet(Network net);
Graph densenet121(Network net);
Graph unet(Network net);

}  // namespace tessera::model::zoo
