#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/model.h"

namespace tessera::model {

/// A converted model, and sentences on what the format could not hold.
struct Converted {
    std::string text;
    std::vector<std::string> warnings;
};

/// A format that models convert to (`tessera model convert --to ID`). `id` never changes; `title` is for people.
struct Writer {
    std::string_view id;
    std::string_view title;
    std::string_view suffix;
    /// Throws DataError where a shape that the layer form needs is unknown, UsageError where the format cannot hold the
    /// model, FileError where a program that it needs is missing.
    Converted (*write)(const Model& model);
};

const std::vector<Writer>& writers();

/// The writer of that id. Throws UsageError, with a hint, where there is none.
const Writer& writerNamed(const std::string& id);

/// Native JSON of an operator graph, `layers.json` of a layer table: what was read comes back equal.
Converted writeJson(const Model& model);
/// One row per layer: sizes, weights, multiply-accumulates, parameters, activations (per sample), and the layers that
/// it reads from, in order of their edges, separated by " | ".
Converted writeLayersCsv(const Model& model);
/// Graphviz text: the operators of a graph of at most 300, else the layers and joins.
Converted writeDot(const Model& model);
/// The Graphviz picture, drawn by the program `dot`, at most 3000 nodes.
Converted writeSvg(const Model& model);
/// `K,C,Y,X,R,S,T` rows (see readMaestro). Input maps are those that the same output needs with stride 1 and without
/// padding. Grouped convolutions are depthwise rows where every group reads one channel and makes one, else rows that
/// read the channels of one group (equal weights and multiply-accumulates). Joins and embeddings are left out.
Converted writeMaestroCsv(const Model& model);
/// M3E's rows `thread,layer,d0,...,d5,T`, one per job of one sample (see jobsOf). Input maps are as they are read,
/// without padding; warnings say what the format has no column for: strides, padding, groups, and repeats.
Converted writeM3eCsv(const Model& model);
/// SCALE-Sim's convolution topology. Input maps include padding; the stride is the ratio of the maps' heights. A matrix
/// product with M rows is a 1 x 1 convolution on an M x 1 map. Groups, joins and embeddings as for MAESTRO.
Converted writeScaleSimCsv(const Model& model);

}  // namespace tessera::model
