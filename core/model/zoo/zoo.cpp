#include "core/model/zoo/zoo.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/model/zoo/families.h"
#include "core/model/zoo/network.h"

namespace tessera::model {

namespace {

using zoo::Network;

struct Row {
    ZooEntry entry;
    Graph (*build)(Network net);
};

constexpr const char* kConvolutional = "convolutional";

const std::vector<Row>& rows() {
    static const std::vector<Row> kRows{
        {{"mlp", "MLP", "perceptron",
          "Three fully connected layers as commonly taught on MNIST (LeCun, Bottou, Bengio, Haffner: \"Gradient-Based "
          "Learning Applied to Document Recognition\", Proc. IEEE 1998, for the data)",
          "784-512-256-10 with ReLU."},
         zoo::mlp},
        {{"lenet5", "LeNet-5", kConvolutional,
          "LeCun, Bottou, Bengio, Haffner: \"Gradient-Based Learning Applied to Document Recognition\", Proc. IEEE "
          "1998; with full connections between the maps",
          "Digits of 32x32, tanh and average pooling."},
         zoo::lenet5},
        {{"accpar-lenet", "LeNet (AccPar)", kConvolutional,
          "Song, Chen, Zhuo, Qian, Li, Chen: \"AccPar: Tensor Partitioning for Heterogeneous Deep Learning "
          "Accelerators\", HPCA 2020; the 20-50-500-10 LeNet",
          "Digits of 28x28, valid convolutions and max-pooling."},
         zoo::accparLenet},
        {{"alexnet", "AlexNet", kConvolutional,
          "Krizhevsky: \"One weird trick for parallelizing convolutional neural networks\", arXiv:1404.5997, 2014; as "
          "in torchvision",
          "The one-column variant on 224x224."},
         zoo::alexnet},
        {{"accpar-alexnet", "AlexNet (AccPar)", kConvolutional,
          "Song, Chen, Zhuo, Qian, Li, Chen: \"AccPar: Tensor Partitioning for Heterogeneous Deep Learning "
          "Accelerators\", HPCA 2020, after Krizhevsky, Sutskever, Hinton: \"ImageNet Classification with Deep "
          "Convolutional Neural Networks\", NeurIPS 2012",
          "96-256-384-384-256 channels without groups on 227x227."},
         zoo::accparAlexnet},
        {{"vgg11", "VGG-11", kConvolutional,
          "Simonyan, Zisserman: \"Very Deep Convolutional Networks for Large-Scale Image Recognition\", ICLR 2015; "
          "configuration A",
          "3x3 convolutions on 224x224, three fully connected layers."},
         [](Network net) { return zoo::vgg(std::move(net), 11); }},
        {{"vgg13", "VGG-13", kConvolutional,
          "Simonyan, Zisserman: \"Very Deep Convolutional Networks for Large-Scale Image Recognition\", ICLR 2015; "
          "configuration B",
          "3x3 convolutions on 224x224, three fully connected layers."},
         [](Network net) { return zoo::vgg(std::move(net), 13); }},
        {{"vgg16", "VGG-16", kConvolutional,
          "Simonyan, Zisserman: \"Very Deep Convolutional Networks for Large-Scale Image Recognition\", ICLR 2015; "
          "configuration D",
          "3x3 convolutions on 224x224, three fully connected layers."},
         [](Network net) { return zoo::vgg(std::move(net), 16); }},
        {{"vgg19", "VGG-19", kConvolutional,
          "Simonyan, Zisserman: \"Very Deep Convolutional Networks for Large-Scale Image Recognition\", ICLR 2015; "
          "configuration E",
          "3x3 convolutions on 224x224, three fully connected layers."},
         [](Network net) { return zoo::vgg(std::move(net), 19); }},
        {{"resnet18", "ResNet-18", kConvolutional,
          "He, Zhang, Ren, Sun: \"Deep Residual Learning for Image Recognition\", CVPR 2016",
          "Basic blocks on 224x224."},
         [](Network net) { return zoo::resnet(std::move(net), 18); }},
        {{"resnet34", "ResNet-34", kConvolutional,
          "He, Zhang, Ren, Sun: \"Deep Residual Learning for Image Recognition\", CVPR 2016",
          "Basic blocks on 224x224."},
         [](Network net) { return zoo::resnet(std::move(net), 34); }},
        {{"resnet50", "ResNet-50", kConvolutional,
          "He, Zhang, Ren, Sun: \"Deep Residual Learning for Image Recognition\", CVPR 2016; v1.5 as in torchvision",
          "Bottleneck blocks on 224x224, stride in the 3x3 convolution."},
         [](Network net) { return zoo::resnet(std::move(net), 50); }},
        {{"resnet101", "ResNet-101", kConvolutional,
          "He, Zhang, Ren, Sun: \"Deep Residual Learning for Image Recognition\", CVPR 2016; v1.5 as in torchvision",
          "Bottleneck blocks on 224x224, stride in the 3x3 convolution."},
         [](Network net) { return zoo::resnet(std::move(net), 101); }},
        {{"resnet152", "ResNet-152", kConvolutional,
          "He, Zhang, Ren, Sun: \"Deep Residual Learning for Image Recognition\", CVPR 2016; v1.5 as in torchvision",
          "Bottleneck blocks on 224x224, stride in the 3x3 convolution."},
         [](Network net) { return zoo::resnet(std::move(net), 152); }},
        {{"resnext50", "ResNeXt-50 (32x4d)", kConvolutional,
          "Xie, Girshick, Dollár, Tu, He: \"Aggregated Residual Transformations for Deep Neural Networks\", CVPR 2017; "
          "as in torchvision",
          "ResNet-50 with 32 groups of 4 channels."},
         zoo::resnext50},
        {{"mobilenet-v2", "MobileNetV2", kConvolutional,
          "Sandler, Howard, Zhu, Zhmoginov, Chen: \"MobileNetV2: Inverted Residuals and Linear Bottlenecks\", CVPR "
          "2018",
          "Width 1.0 on 224x224."},
         zoo::mobilenetV2},
        {{"squeezenet", "SqueezeNet 1.0", kConvolutional,
          "Iandola, Han, Moskewicz, Ashraf, Dally, Keutzer: \"SqueezeNet: AlexNet-level accuracy with 50x fewer "
          "parameters and <0.5MB model size\", arXiv:1602.07360, 2016; as in torchvision",
          "Fire modules on 224x224, no fully connected layer."},
         zoo::squeezenet},
        {{"shufflenet-v2", "ShuffleNetV2", kConvolutional,
          "Ma, Zhang, Zheng, Sun: \"ShuffleNet V2: Practical Guidelines for Efficient CNN Architecture Design\", ECCV "
          "2018",
          "Width 1.0 on 224x224."},
         zoo::shufflenetV2},
        {{"mnasnet", "MnasNet", kConvolutional,
          "Tan, Chen, Pang, Vasudevan, Sandler, Howard, Le: \"MnasNet: Platform-Aware Neural Architecture Search for "
          "Mobile\", CVPR 2019; B1 at depth multiplier 1.0 as in torchvision",
          "On 224x224, without squeeze-and-excitation."},
         zoo::mnasnet},
        {{"efficientnet-b0", "EfficientNet-B0", kConvolutional,
          "Tan, Le: \"EfficientNet: Rethinking Model Scaling for Convolutional Neural Networks\", ICML 2019",
          "Inverted residuals with squeeze-and-excitation on 224x224."},
         zoo::efficientnetB0},
        {{"googlenet", "GoogLeNet", kConvolutional,
          "Szegedy, Liu, Jia, Sermanet, Reed, Anguelov, Erhan, Vanhoucke, Rabinovich: \"Going Deeper with "
          "Convolutions\", CVPR 2015; as in torchvision: batch normalisation, 3x3 for 5x5 convolutions, no auxiliary "
          "classifiers",
          "Inception modules on 224x224."},
         zoo::googlenet},
        {{"densenet121", "DenseNet-121", kConvolutional,
          "Huang, Liu, van der Maaten, Weinberger: \"Densely Connected Convolutional Networks\", CVPR 2017",
          "Growth 32 on 224x224; each concatenation reads the one before."},
         zoo::densenet121},
        {{"unet", "U-Net", kConvolutional,
          "Ronneberger, Fischer, Brox: \"U-Net: Convolutional Networks for Biomedical Image Segmentation\", MICCAI "
          "2015; with padding, so that maps need not be cropped",
          "Two classes on 3x256x256."},
         zoo::unet},
    };
    return kRows;
}

const Row& rowOf(const std::string& id) {
    const auto row =
        std::find_if(rows().begin(), rows().end(), [&](const Row& candidate) { return candidate.entry.id == id; });
    if (row != rows().end()) return *row;
    std::vector<std::string> known;
    for (const Row& candidate : rows()) known.push_back(candidate.entry.id);
    const std::string_view hint = closest(id, known);
    throw UsageError(
        "the zoo has no model " + inQuotes(id) +
        (hint.empty() ? "; `tessera model list` names them all" : "; did you mean '" + std::string(hint) + "'?"));
}

}  // namespace

const std::vector<ZooEntry>& zooEntries() {
    static const std::vector<ZooEntry> kEntries = [] {
        std::vector<ZooEntry> entries;
        for (const Row& row : rows()) entries.push_back(row.entry);
        return entries;
    }();
    return kEntries;
}

Graph buildZooModel(const std::string& id, const LoadOptions& options) {
    const Row& row = rowOf(id);
    if (options.batch.value_or(1) < 1)
        throw UsageError("the batch is " + std::to_string(*options.batch) + "; expected a whole number above 0");
    if (!options.dimensions.empty())
        throw UsageError("'zoo:" + id + "' has no dimension " + inQuotes(options.dimensions.begin()->first) +
                         "; only its batch can be set");
    return row.build(Network(id, options));
}

}  // namespace tessera::model
