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

namespace tessera::model {

namespace {

using zoo::Network;

constexpr const char* kConvolutional = "convolutional";
constexpr const char* kTransformer = "transformer";
constexpr const char* kRecurrent = "recurrent";
constexpr const char* kRecommendation = "recommendation";
constexpr const char* kScientific = "scientific";

/// No table of positions bounds the sequence.
constexpr std::int64_t kAnyLength = 1'000'000;

ZooDimension sequence(std::int64_t value, std::int64_t max) {
    return {"sequence", "tokens per sample", value, max};
}

ZooDimension tensorParallel(std::int64_t heads) {
    return {"tensor_parallel",
            "devices that share every layer by Megatron-LM's column and row split; the model is the slice of one",
            1,
            heads,
            heads,
            "heads"};
}

constexpr const char* kMegatron =
    "Shoeybi, Patwary, Puri, LeGresley, Casper, Catanzaro: \"Megatron-LM: Training Multi-Billion Parameter Language "
    "Models Using Model Parallelism\", arXiv:1909.08053, 2019";
constexpr const char* kGpt2 =
    "Radford, Wu, Child, Luan, Amodei, Sutskever: \"Language Models are Unsupervised Multitask Learners\", OpenAI, "
    "2019";
constexpr const char* kBert =
    "Devlin, Chang, Lee, Toutanova: \"BERT: Pre-training of Deep Bidirectional Transformers for Language "
    "Understanding\", NAACL 2019";
constexpr const char* kT5 =
    "Raffel, Shazeer, Roberts, Lee, Narang, Matena, Zhou, Li, Liu: \"Exploring the Limits of Transfer Learning with a "
    "Unified Text-to-Text Transformer\", JMLR 2020";

std::vector<ZooEntry>& all() {
    static std::vector<ZooEntry> rows{
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
        {"vit-b-16",
         "ViT-B/16",
         kTransformer,
         "Dosovitskiy, Beyer, Kolesnikov, Weissenborn, Zhai, Unterthiner, Dehghani, Minderer, Heigold, Gelly, "
         "Uszkoreit, Houlsby: \"An Image is Worth 16x16 Words: Transformers for Image Recognition at Scale\", ICLR "
         "2021; as in torchvision",
         "12 encoder blocks of width 768 on 196 patches of 224x224 and a class token.",
         zoo::vitB16,
         {tensorParallel(12)}},
        {"bert-base",
         "BERT-base",
         kTransformer,
         kBert,
         "12 encoder blocks of width 768 with the pooler, without a head.",
         [](Network net) { return zoo::bert(std::move(net), false); },
         {sequence(512, 512), tensorParallel(12)}},
        {"bert-large",
         "BERT-large",
         kTransformer,
         kBert,
         "24 encoder blocks of width 1024 with the pooler, without a head.",
         [](Network net) { return zoo::bert(std::move(net), true); },
         {sequence(512, 512), tensorParallel(16)}},
        {"megatron-bert",
         "Megatron-BERT",
         kTransformer,
         kMegatron,
         "BERT-large with normalisations in front of its parts and 29,056 words; with the pooler, without a head.",
         zoo::megatronBert,
         {sequence(512, 512), tensorParallel(16)}},
        {"gpt2",
         "GPT-2 small",
         kTransformer,
         kGpt2,
         "12 decoder blocks of width 768; logits of all tokens.",
         [](Network net) {
             return zoo::gpt(std::move(net), {12, 12, 768});
         },
         {sequence(1024, 1024), tensorParallel(12)}},
        {"gpt2-medium",
         "GPT-2 medium",
         kTransformer,
         kGpt2,
         "24 decoder blocks of width 1024; logits of all tokens.",
         [](Network net) {
             return zoo::gpt(std::move(net), {24, 16, 1024});
         },
         {sequence(1024, 1024), tensorParallel(16)}},
        {"gpt2-large",
         "GPT-2 large",
         kTransformer,
         kGpt2,
         "36 decoder blocks of width 1280; logits of all tokens.",
         [](Network net) {
             return zoo::gpt(std::move(net), {36, 20, 1280});
         },
         {sequence(1024, 1024), tensorParallel(20)}},
        {"gpt2-xl",
         "GPT-2 XL (1.5B)",
         kTransformer,
         kGpt2,
         "48 decoder blocks of width 1600; logits of all tokens.",
         [](Network net) {
             return zoo::gpt(std::move(net), {48, 25, 1600});
         },
         {sequence(1024, 1024), tensorParallel(25)}},
        {"megatron-gpt-2.5b",
         "Megatron GPT-2 2.5B",
         kTransformer,
         kMegatron,
         "54 decoder blocks of width 1920, 20 heads; 51,200 words, as padded for up to 8 devices.",
         [](Network net) {
             return zoo::gpt(std::move(net), {54, 20, 1920, 1024, 51200});
         },
         {sequence(1024, 1024), tensorParallel(20)}},
        {"megatron-gpt-8.3b",
         "Megatron GPT-2 8.3B",
         kTransformer,
         kMegatron,
         "72 decoder blocks of width 3072, 32 heads; 51,200 words, as padded for up to 8 devices.",
         [](Network net) {
             return zoo::gpt(std::move(net), {72, 32, 3072, 1024, 51200});
         },
         {sequence(1024, 1024), tensorParallel(32)}},
        {"gpt3-175b",
         "GPT-3 175B",
         kTransformer,
         "Brown et al.: \"Language Models are Few-Shot Learners\", NeurIPS 2020; as in Narayanan et al.: \"Efficient "
         "Large-Scale Language Model Training on GPU Clusters Using Megatron-LM\", SC 2021",
         "96 decoder blocks of width 12288 with dense attention; 51,200 words, as padded for up to 8 devices.",
         [](Network net) {
             return zoo::gpt(std::move(net), {96, 96, 12288, 2048, 51200});
         },
         {sequence(2048, 2048), tensorParallel(96)}},
        {"opt-350m",
         "OPT-350M",
         kTransformer,
         "Zhang, Roller, Goyal, Artetxe, Chen, Chen, Dewan, Diab, Li, Lin et al.: \"OPT: Open Pre-trained Transformer "
         "Language Models\", arXiv:2205.01068, 2022; as in Hugging Face transformers",
         "24 decoder blocks of width 1024 with normalisations behind the sums; words of width 512.",
         zoo::opt350m,
         {sequence(2048, 2048), tensorParallel(16)}},
        {"llama2-7b",
         "Llama 2 7B",
         kTransformer,
         "Touvron, Martin, Stone et al.: \"Llama 2: Open Foundation and Fine-Tuned Chat Models\", arXiv:2307.09288, "
         "2023",
         "32 decoder blocks of width 4096 with rotary positions and gated feed-forward parts.",
         zoo::llama2,
         {sequence(4096, kAnyLength), tensorParallel(32)}},
        {"t5-small",
         "T5 small",
         kTransformer,
         kT5,
         "6 encoder and 6 decoder blocks of width 512; a shared table.",
         [](Network net) { return zoo::t5(std::move(net), false); },
         {{"sequence", "tokens of the source per sample", 512, kAnyLength},
          {"target", "tokens of the target per sample", 114, kAnyLength},
          tensorParallel(8)}},
        {"t5-base",
         "T5 base",
         kTransformer,
         kT5,
         "12 encoder and 12 decoder blocks of width 768; a shared table.",
         [](Network net) { return zoo::t5(std::move(net), true); },
         {{"sequence", "tokens of the source per sample", 512, kAnyLength},
          {"target", "tokens of the target per sample", 114, kAnyLength},
          tensorParallel(12)}},
        {"transformer-xl",
         "Transformer-XL (12 layers)",
         kTransformer,
         "Dai, Yang, Yang, Carbonell, Le, Salakhutdinov: \"Transformer-XL: Attentive Language Models beyond a "
         "Fixed-Length Context\", ACL 2019; the 41M model of characters",
         "12 decoder blocks of width 512 that also read a memory; encodings of distances are an input.",
         zoo::transformerXl,
         {sequence(512, kAnyLength), {"memory", "earlier steps that every block reads", 512, kAnyLength}}},
        {"gnmt",
         "GNMT",
         kRecurrent,
         "Wu, Schuster, Chen, Le, Norouzi et al.: \"Google's Neural Machine Translation System: Bridging the Gap "
         "between Human and Machine Translation\", arXiv:1609.08144, 2016",
         "8 LSTM layers of 1024 on both sides, the first one of the encoder both ways, additive attention.",
         zoo::gnmt,
         {{"sequence", "words of the source per sample", 50, kAnyLength},
          {"target", "words of the target per sample", 50, kAnyLength}}},
        {"deepspeech2",
         "DeepSpeech2",
         kRecurrent,
         "Amodei, Ananthanarayanan, Anubhai et al.: \"Deep Speech 2: End-to-End Speech Recognition in English and "
         "Mandarin\", ICML 2016; two convolutions and five bidirectional LSTM layers as in deepspeech.pytorch",
         "161 frequencies, LSTM layers of 1024 whose directions are added, 29 symbols.",
         zoo::deepSpeech2,
         {{"frames", "frames of 10 ms per sample", 201, kAnyLength}}},
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
         {{"history", "items that the user bought before", 100, kAnyLength}}},
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
    if (size < 1 || size > dimension.max)
        throw UsageError(found + "; expected a whole number from 1 to " + std::to_string(dimension.max));
    if (dimension.divides != 0 && dimension.divides % size != 0)
        throw UsageError(found + "; expected a divisor of its " + std::to_string(dimension.divides) + " " +
                         dimension.dividend);
}

std::map<std::string, std::int64_t> sizesOf(const ZooEntry& entry, const LoadOptions& options) {
    checkNames(entry, options);
    std::map<std::string, std::int64_t> sizes;
    for (const ZooDimension& dimension : entry.dimensions) {
        const auto given = options.dimensions.find(dimension.name);
        const std::int64_t size = given == options.dimensions.end() ? dimension.value : given->second;
        checkSize(entry, dimension, size);
        sizes.emplace(dimension.name, size);
    }
    return sizes;
}

}  // namespace

Graph buildZooModel(const std::string& id, const LoadOptions& options) {
    const ZooEntry& entry = entryOf(id);
    const std::int64_t batch = options.batch.value_or(1);
    if (batch < 1) throw UsageError("the batch is " + std::to_string(batch) + "; expected a whole number above 0");
    return entry.build(Network(id, batch, sizesOf(entry, options)));
}

}  // namespace tessera::model
