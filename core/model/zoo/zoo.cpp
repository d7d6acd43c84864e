#include "core/model/zoo/zoo.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "core/base/error.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "core/model/zoo/families.h"
#include "core/model/zoo/network.h"
#include "core/model/zoo/transformer_rows.h"
#include "core/model/zoo/zoo_name.h"

namespace tessera::model {

namespace {

using zoo::Network;

constexpr const char* kConvolutional = "convolutional";
constexpr const char* kRecurrent = "recurrent";
constexpr const char* kRecommendation = "recommendation";
constexpr const char* kScientific = "scientific";

std::vector<ZooEntry> layeredRows() {
    return {
        {"mlp", "MLP", "perceptron",
         "Three fully connected layers as commonly taught on MNIST (LeCun, Bottou, Bengio, Haffner: \"Gradient-Based "
         "Learning Applied to Document Recognition\", Proc. IEEE 1998, for the data)",
         "784-512-256-10 with ReLU.", zoo::mlp},
        {"lenet5", "LeNet-5", kConvolutional,
         "LeCun, Bottou, Bengio, Haffner: \"Gradient-Based Learning Applied to Document Recognition\", Proc. IEEE "
         "1998; with full connections between the maps",
         "Digits of 32x32, tanh and average pooling.", zoo::lenet5},
        {"accpar-lenet", "LeNet (AccPar)", kConvolutional,
         "Song, Chen, Zhuo, Qian, Li, Chen: \"AccPar: Tensor Partitioning for Heterogeneous Deep Learning "
         "Accelerators\", HPCA 2020; the 20-50-500-10 LeNet",
         "Digits of 28x28, valid convolutions and max-pooling.", zoo::accparLenet},
        {"alexnet", "AlexNet", kConvolutional,
         "Krizhevsky: \"One weird trick for parallelizing convolutional neural networks\", arXiv:1404.5997, 2014; as "
         "in torchvision",
         "The one-column variant on 224x224.", zoo::alexnet},
        {"accpar-alexnet", "AlexNet (AccPar)", kConvolutional,
         "Song, Chen, Zhuo, Qian, Li, Chen: \"AccPar: Tensor Partitioning for Heterogeneous Deep Learning "
         "Accelerators\", HPCA 2020, after Krizhevsky, Sutskever, Hinton: \"ImageNet Classification with Deep "
         "Convolutional Neural Networks\", NeurIPS 2012",
         "96-256-384-384-256 channels without groups on 227x227.", zoo::accparAlexnet},
        {"vgg11", "VGG-11", kConvolutional,
         "Simonyan, Zisserman: \"Very Deep Convolutional Networks for Large-Scale Image Recognition\", ICLR 2015; "
         "configuration A",
         "3x3 convolutions on 224x224, three fully connected layers.",
         [](Network net) { return zoo::vgg(std::move(net), 11); }},
        {"vgg13", "VGG-13", kConvolutional,
         "Simonyan, Zisserman: \"Very Deep Convolutional Networks for Large-Scale Image Recognition\", ICLR 2015; "
         "configuration B",
         "3x3 convolutions on 224x224, three fully connected layers.",
         [](Network net) { return zoo::vgg(std::move(net), 13); }},
        {"vgg16", "VGG-16", kConvolutional,
         "Simonyan, Zisserman: \"Very Deep Convolutional Networks for Large-Scale Image Recognition\", ICLR 2015; "
         "configuration D",
         "3x3 convolutions on 224x224, three fully connected layers.",
         [](Network net) { return zoo::vgg(std::move(net), 16); }},
        {"vgg19", "VGG-19", kConvolutional,
         "Simonyan, Zisserman: \"Very Deep Convolutional Networks for Large-Scale Image Recognition\", ICLR 2015; "
         "configuration E",
         "3x3 convolutions on 224x224, three fully connected layers.",
         [](Network net) { return zoo::vgg(std::move(net), 19); }},
        {"resnet18", "ResNet-18", kConvolutional,
         "He, Zhang, Ren, Sun: \"Deep Residual Learning for Image Recognition\", CVPR 2016", "Basic blocks on 224x224.",
         [](Network net) { return zoo::resnet(std::move(net), 18); }},
        {"resnet34", "ResNet-34", kConvolutional,
         "He, Zhang, Ren, Sun: \"Deep Residual Learning for Image Recognition\", CVPR 2016", "Basic blocks on 224x224.",
         [](Network net) { return zoo::resnet(std::move(net), 34); }},
        {"resnet50", "ResNet-50", kConvolutional,
         "He, Zhang, Ren, Sun: \"Deep Residual Learning for Image Recognition\", CVPR 2016; v1.5 as in torchvision",
         "Bottleneck blocks on 224x224, stride in the 3x3 convolution.",
         [](Network net) { return zoo::resnet(std::move(net), 50); }},
        {"resnet101", "ResNet-101", kConvolutional,
         "He, Zhang, Ren, Sun: \"Deep Residual Learning for Image Recognition\", CVPR 2016; v1.5 as in torchvision",
         "Bottleneck blocks on 224x224, stride in the 3x3 convolution.",
         [](Network net) { return zoo::resnet(std::move(net), 101); }},
        {"resnet152", "ResNet-152", kConvolutional,
         "He, Zhang, Ren, Sun: \"Deep Residual Learning for Image Recognition\", CVPR 2016; v1.5 as in torchvision",
         "Bottleneck blocks on 224x224, stride in the 3x3 convolution.",
         [](Network net) { return zoo::resnet(std::move(net), 152); }},
        {"resnext50", "ResNeXt-50 (32x4d)", kConvolutional,
         "Xie, Girshick, Dollár, Tu, He: \"Aggregated Residual Transformations for Deep Neural Networks\", CVPR 2017; "
         "as in torchvision",
         "ResNet-50 with 32 groups of 4 channels.", zoo::resnext50},
        {"mobilenet-v2", "MobileNetV2", kConvolutional,
         "Sandler, Howard, Zhu, Zhmoginov, Chen: \"MobileNetV2: Inverted Residuals and Linear Bottlenecks\", CVPR "
         "2018",
         "Width 1.0 on 224x224.", zoo::mobilenetV2},
        {"squeezenet", "SqueezeNet 1.0", kConvolutional,
         "Iandola, Han, Moskewicz, Ashraf, Dally, Keutzer: \"SqueezeNet: AlexNet-level accuracy with 50x fewer "
         "parameters and <0.5MB model size\", arXiv:1602.07360, 2016; as in torchvision",
         "Fire modules on 224x224, no fully connected layer.", zoo::squeezenet},
        {"shufflenet-v2", "ShuffleNetV2", kConvolutional,
         "Ma, Zhang, Zheng, Sun: \"ShuffleNet V2: Practical Guidelines for Efficient CNN Architecture Design\", ECCV "
         "2018",
         "Width 1.0 on 224x224.", zoo::shufflenetV2},
        {"mnasnet", "MnasNet", kConvolutional,
         "Tan, Chen, Pang, Vasudevan, Sandler, Howard, Le: \"MnasNet: Platform-Aware Neural Architecture Search for "
         "Mobile\", CVPR 2019; B1 at depth multiplier 1.0 as in torchvision",
         "On 224x224, without squeeze-and-excitation.", zoo::mnasnet},
        {"efficientnet-b0", "EfficientNet-B0", kConvolutional,
         "Tan, Le: \"EfficientNet: Rethinking Model Scaling for Convolutional Neural Networks\", ICML 2019",
         "Inverted residuals with squeeze-and-excitation on 224x224.", zoo::efficientnetB0},
        {"googlenet", "GoogLeNet", kConvolutional,
         "Szegedy, Liu, Jia, Sermanet, Reed, Anguelov, Erhan, Vanhoucke, Rabinovich: \"Going Deeper with "
         "Convolutions\", CVPR 2015; as in torchvision: batch normalisation, 3x3 for 5x5 convolutions, no auxiliary "
         "classifiers",
         "Inception modules on 224x224.", zoo::googlenet},
        {"densenet121", "DenseNet-121", kConvolutional,
         "Huang, Liu, van der Maaten, Weinberger: \"Densely Connected Convolutional Networks\", CVPR 2017",
         "Growth 32 on 224x224; each concatenation reads the one before.", zoo::densenet121},
        {"unet", "U-Net", kConvolutional,
         "Ronneberger, Fischer, Brox: \"U-Net: Convolutional Networks for Biomedical Image Segmentation\", MICCAI "
         "2015; with padding, so that maps need not be cropped",
         "Two classes on 3x256x256.", zoo::unet},
    };
}

std::vector<ZooEntry> otherRows() {
    return {
        {"gnmt",
         "GNMT",
         kRecurrent,
         "Wu, Schuster, Chen, Le, Norouzi et al.: \"Google's Neural Machine Translation System: Bridging the Gap "
         "between Human and Machine Translation\", arXiv:1609.08144, 2016",
         "8 LSTM layers of 1024 on both sides, the first one of the encoder both ways, additive attention.",
         zoo::gnmt,
         {{"sequence", "words of the source per sample", 50, zoo::kAnyLength},
          {"target", "words of the target per sample", 50, zoo::kAnyLength}}},
        {"deepspeech2",
         "DeepSpeech2",
         kRecurrent,
         "Amodei, Ananthanarayanan, Anubhai et al.: \"Deep Speech 2: End-to-End Speech Recognition in English and "
         "Mandarin\", ICML 2016; two convolutions and five bidirectional LSTM layers as in deepspeech.pytorch",
         "161 frequencies, LSTM layers of 1024 whose directions are added, 29 symbols.",
         zoo::deepSpeech2,
         {{"frames", "frames of 10 ms per sample", 201, zoo::kAnyLength}}},
        {"wide-deep", "Wide & Deep", kRecommendation,
         "Cheng, Koc, Harmsen, Shaked, Chandra, Aradhye et al.: \"Wide & Deep Learning for Recommender Systems\", "
         "DLRS 2016; on samples like Criteo's",
         "13 numbers, 26 categories of 100,000 values each in vectors of 32, and a tower of 1024-512-256.",
         zoo::wideAndDeep},
        {"dlrm", "DLRM (Criteo Kaggle)", kRecommendation,
         "Naumov, Mudigere, Shi, Huang et al.: \"Deep Learning Recommendation Model for Personalization and "
         "Recommendation Systems\", arXiv:1906.00091, 2019; the configuration for Criteo's Kaggle data",
         "26 tables of width 16, towers of 512-256-64-16 and 512-256-1, products of all pairs.", zoo::dlrm},
        {"ncf", "NCF (NeuMF)", kRecommendation,
         "He, Liao, Zhang, Nie, Hu, Chua: \"Neural Collaborative Filtering\", WWW 2017; 64 factors on MovieLens 20M, "
         "as "
         "in MLPerf training",
         "138,493 users and 26,744 items; a tower of 256-128-64 beside the product of factors.", zoo::neuMf},
        {"din",
         "DIN",
         kRecommendation,
         "Zhou, Zhu, Song, Fan, Zhu, Ma, Yan, Jin, Li, Gai: \"Deep Interest Network for Click-Through Rate "
         "Prediction\", KDD 2018; Amazon's electronics, as in the authors' code",
         "63,001 items in 801 categories; attention of the item to the history, towers of 80-40-1.",
         zoo::din,
         {{"history", "items that the user bought before", 100, zoo::kAnyLength}}},
        {"candle-uno", "CANDLE UNO", kScientific,
         "Exascale Computing Project: CANDLE benchmarks, Pilot 1, \"Uno: Predicting Tumor Dose Response across "
         "Multiple "
         "Data Sources\", its default configuration",
         "A cell's genes and two drugs, with shared layers for the drugs; layers of 1000.", zoo::candleUno},
        {"braggnn", "BraggNN", kScientific,
         "Liu, Sharma, Park, Kenesei, Miceli, Almer, Kettimuthu, Foster: \"BraggNN: fast X-ray Bragg peak analysis "
         "using deep learning\", IUCrJ 2022; as in the authors' code, with weights of its own for each of the three "
         "projections",
         "Peaks of 11x11: three convolutions, attention over all pixels, layers of 16-8-4-2.", zoo::braggNn},
    };
}

std::vector<ZooEntry>& all() {
    static std::vector<ZooEntry> rows = [] {
        std::vector<ZooEntry> joined = layeredRows();
        for (const auto& more : {zoo::transformerRows(), otherRows()})
            joined.insert(joined.end(), more.begin(), more.end());
        return joined;
    }();
    return rows;
}

const ZooEntry& entryOf(const std::string& id) {
    if (const ZooEntry* const row = findRow(all(), id)) return *row;
    throw UsageError("the zoo has no model " + inQuotes(id) + "; " +
                     withClosest("did you mean {}? ", id, idsOf(all())) + "'tessera model list' names them all");
}

}  // namespace

const std::vector<ZooEntry>& zooEntries() {
    return all();
}

void addZooEntry(ZooEntry entry) {
    all().push_back(std::move(entry));
}

namespace {

std::string namesOf(const std::vector<ZooDimension>& dimensions) {
    std::vector<std::string> names;
    for (const ZooDimension& dimension : dimensions) names.push_back(inQuotes(dimension.name));
    return joined(names, ", ");
}

void checkNames(const ZooEntry& entry, const LoadOptions& options) {
    for (const auto& [name, size] : options.dimensions) {
        const bool known = std::any_of(entry.dimensions.begin(), entry.dimensions.end(),
                                       [&, &wanted = name](const ZooDimension& row) { return row.name == wanted; });
        if (known) continue;
        throw UsageError("'zoo:" + entry.id + "' has no dimension " + inQuotes(name) +
                         (entry.dimensions.empty() ? "; only its batch can be set"
                                                   : "; its dimensions are " + namesOf(entry.dimensions)));
    }
}

void checkSize(const ZooEntry& entry, const ZooDimension& dimension, std::int64_t size) {
    const std::string found =
        "the dimension '" + dimension.name + "' of 'zoo:" + entry.id + "' is " + std::to_string(size);
    if (size < dimension.min || size > dimension.max)
        throw UsageError(found + "; expected a whole number from " + std::to_string(dimension.min) + " to " +
                         std::to_string(dimension.max));
    if (dimension.divides != 0 && dimension.divides % size != 0)
        throw UsageError(found + "; expected a divisor of its " + std::to_string(dimension.divides) + " " +
                         dimension.dividend);
}

std::map<std::string, std::int64_t> sizesOf(const ZooEntry& entry, const LoadOptions& options) {
    checkNames(entry, options);
    std::map<std::string, std::int64_t> sizes = entry.transformer.sizes;
    for (const ZooDimension& dimension : entry.dimensions) {
        const auto given = options.dimensions.find(dimension.name);
        if (given == options.dimensions.end() && !dimension.follows.empty()) continue;
        const std::int64_t size = given == options.dimensions.end() ? dimension.value : given->second;
        checkSize(entry, dimension, size);
        sizes.emplace(dimension.name, size);
    }
    return sizes;
}

/// Latent attention has a name of its own among the dimensions of runs, and heads of one size.
void sayLatent(TransformerSpec& spec) {
    const auto rank = spec.dims.find("key_rank");
    const bool isLatent = rank != spec.dims.end() && rank->second != "0";
    const std::vector<const char*> unused = isLatent ? std::vector<const char*>{"kv_heads", "head_size"}
                                                     : std::vector<const char*>{"key_rank", "query_rank"};
    for (const char* const name : unused) spec.dims.erase(name);
    if (isLatent) spec.dims.emplace("attention", "mla");
}

constexpr const char* kSlice = "tensor_parallel";  ///< no size of the whole model

}  // namespace

std::optional<TransformerSpec> transformerSpecOf(const std::string& zooId,
                                                 const std::map<std::string, std::int64_t>& dimensions) {
    const ZooEntry& entry = entryOf(isZooName(zooId) ? zooId.substr(kZooPrefix.size()) : zooId);
    const std::map<std::string, std::int64_t> sizes = sizesOf(entry, {.batch = {}, .dimensions = dimensions});
    if (entry.transformer.family.empty() || !entry.transformer.isStack) return std::nullopt;
    TransformerSpec spec{.family = entry.transformer.family, .dims = {}};
    for (const auto& [name, size] : sizes)
        if (name != kSlice) spec.dims.emplace(name, std::to_string(size));
    sayLatent(spec);
    return spec;
}

Graph buildZooModel(const std::string& id, const LoadOptions& options) {
    const ZooEntry& entry = entryOf(id);
    const std::int64_t batch = options.batch.value_or(1);
    if (batch < 1) throw UsageError("the batch is " + std::to_string(batch) + "; expected a whole number above 0");
    return entry.build(Network(id, batch, sizesOf(entry, options)));
}

}  // namespace tessera::model
