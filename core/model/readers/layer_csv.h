#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/jobs.h"
#include "core/model/layers.h"

namespace tessera::model {

/// M3E job tables: rows `thread,layer,d0,d1,d2,d3,d4,d5,T` without a header. T = 0: fully connected (outputs, inputs,
/// 1,1,1,1); 1: convolution and 2: depthwise convolution (K,C,Y,X,R,S); 3: matrix product (M,N,K,1,1,1).
/// Y and X are the input map; stride 1 without padding, so that the output map is Y-R+1 by X-S+1. A depthwise row makes
/// as many channels as it reads: its K is not used. Rows form a chain in file order.
bool looksLikeM3e(std::string_view bytes);
LayerGraph readM3e(const std::string& bytes, const std::string& file);
/// The rows of an M3E job table as jobs, exactly as they stand there: nothing is said of windows that do not fit, nor
/// of sizes that a type of row does not use.
std::vector<LayerJob> readM3eJobs(const std::string& bytes, const std::string& file);

/// MAESTRO layer tables: header `K,C,Y,X,R,S,T` (any order; T may be absent = convolution) and a row per layer, with
/// T as a number or a word (CONV, DSCONV, GEMM, FFN). Dimensions mean the same as in M3E tables.
bool looksLikeMaestro(std::string_view bytes);
LayerGraph readMaestro(const std::string& bytes, const std::string& file);

/// SCALE-Sim topologies. Convolutions: header `Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width,
/// Channels, Num Filter, Strides,`; the maps include their padding, so that the output is (height - filter)/stride + 1,
/// rounded down. Matrix products: header `Layer, M, N, K,` with M rows, N output and K input features. Columns with
/// other names are not read.
bool looksLikeScaleSim(std::string_view bytes);
LayerGraph readScaleSim(const std::string& bytes, const std::string& file);

}  // namespace tessera::model
