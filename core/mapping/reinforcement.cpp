#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>
#include <vector>

#include "core/base/elementary.h"
#include "core/explore/eigen.h"
#include "core/mapping/population.h"
#include "core/mapping/searches.h"
#include "core/mapping/state.h"

namespace tessera::mapping {

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Index = Eigen::Index;

constexpr Index kNodes = 128;
constexpr std::size_t kLayers = 4;         ///< three hidden ones and the output
constexpr Index kPriorities = 10;          ///< classes of priorities that a policy distinguishes
constexpr std::size_t kJobsPerPoll = 256;  ///< jobs that pass the networks between two polls
constexpr double kEntropy = 0.01;          ///< weight of the entropy, as in stable-baselines
constexpr double kLongestStep = 0.5;       ///< to which gradients are cut, as stable-baselines has it

/// Layers of 128 nodes with tanh, and a linear output; all weights in one row.
class Network {
public:
    using Activations = std::array<Matrix, kLayers + 1>;  ///< one column per job

    Network(Index inputs, Index outputs, double lastScale, RandomStream random)
        : sizes_{inputs, kNodes, kNodes, kNodes, outputs} {
        Index count = 0;
        for (std::size_t layer = 0; layer < kLayers; ++layer) {
            offset_[layer] = count;
            count += sizes_[layer + 1] * (sizes_[layer] + 1);
        }
        values.resize(count);
        for (std::size_t layer = 0; layer < kLayers; ++layer) {
            // Glorot, Bengio: "Understanding the difficulty of training deep feedforward neural networks", 2010.
            const double width = elementary::sqrt(6.0 / static_cast<double>(sizes_[layer] + sizes_[layer + 1])) *
                                 (layer + 1 == kLayers ? lastScale : 1);
            Eigen::Map<Matrix> weights = matrix(values, layer);
            for (Index i = 0; i < weights.size(); ++i) weights.data()[i] = width * (2 * random.uniform() - 1);
            bias(values, layer).setZero();
        }
    }

    void forward(Activations& activations) {
        for (std::size_t layer = 0; layer < kLayers; ++layer) {
            Matrix& next = activations[layer + 1];
            next.noalias() = matrix(values, layer) * activations[layer];
            next.colwise() += bias(values, layer);
            if (layer + 1 < kLayers) next = next.unaryExpr([](double x) { return elementary::tanh(x); });
        }
    }

    /// Adds to `gradient` what a change of the outputs' `error` makes of every weight.
    void backward(const Activations& activations, Matrix error, Vector& gradient) {
        for (std::size_t layer = kLayers; layer-- > 0;) {
            matrix(gradient, layer).noalias() += error * activations[layer].transpose();
            bias(gradient, layer) += error.rowwise().sum();
            if (layer == 0) return;
            Matrix below = matrix(values, layer).transpose() * error;
            error = below.cwiseProduct((1 - activations[layer].array().square()).matrix());
        }
    }

    Vector values;

private:
    Eigen::Map<Matrix> matrix(Vector& of, std::size_t layer) const {
        return {of.data() + offset_[layer], sizes_[layer + 1], sizes_[layer]};
    }
    Eigen::Map<Vector> bias(Vector& of, std::size_t layer) const {
        return {of.data() + offset_[layer] + sizes_[layer + 1] * sizes_[layer], sizes_[layer + 1]};
    }

    std::array<Index, kLayers + 1> sizes_;
    std::array<Index, kLayers> offset_{};
};

/// Where two searches by learning differ.
struct Method {
    std::size_t episodes = 0;  ///< between two updates
    int epochs = 1;            ///< passes over them
    bool clips = false;
    bool isAdam = false;  ///< else RMSProp
};

/// Weights' running moments. Kingma, Ba: "Adam", ICLR 2015; Tieleman, Hinton: RMSProp, 2012.
struct Optimizer {
    Vector first, second;
    std::int64_t steps = 0;

    void step(Vector& values, Vector gradient, double rate, bool isAdam) {
        const double length = gradient.norm();
        if (length > kLongestStep) gradient *= kLongestStep / length;
        ++steps;
        if (isAdam) {
            const auto count = static_cast<double>(steps);
            first = 0.9 * first + 0.1 * gradient;
            second = 0.999 * second + 0.001 * gradient.cwiseAbs2();
            const double scale =
                rate * elementary::sqrt(1 - elementary::pow(0.999, count)) / (1 - elementary::pow(0.9, count));
            values.array() -= scale * first.array() / (second.array().sqrt() + 1e-5);
        } else {
            second = 0.99 * second + 0.01 * gradient.cwiseAbs2();
            values.array() -= rate * gradient.array() / (second.array() + 1e-5).sqrt();
        }
    }
};

/// What an episode chose for a job.
struct Choice {
    std::int32_t core = 0, priority = 0;
    double likelihood = 0;  ///< logarithm, when it was drawn
};

/// A policy looks at one job after the other and chooses core and priority; when all are mapped the episode is over
/// and the mapping's objective value is its only reward. What a policy sees of a job are its latencies and required
/// bandwidths and how far the episode is, so one pass through the network serves all episodes between two updates.
class Learning {
public:
    Learning(const Trial& trial, const Method& method, const Json& state)
        : method_(method),
          cores_(static_cast<Index>(trial.cores())),
          discount_(trial.setting("discount")),
          rate_(trial.setting("learning-rate")),
          clip_(method.clips ? trial.setting("clipping") : 0),
          policy_(2 * cores_ + 1, cores_ + kPriorities, 0.01, RandomStream(trial.seed(), 1)),
          critic_(2 * cores_ + 1, 1, 1, RandomStream(trial.seed(), 2)) {
        explore::initialiseEigen();
        look(trial.problem());
        for (const auto& [optimizer, network] :
             {std::pair{&policyStep_, &policy_}, std::pair{&criticStep_, &critic_}}) {
            optimizer->second = Vector::Zero(network->values.size());
            optimizer->first = Vector::Zero(method.isAdam ? network->values.size() : 0);
        }
        if (!state.is_null()) resume(state);
    }

    void step(Trial& trial) {
        const std::vector<Mapping> mappings = draw(trial);
        reward(trial.evaluateAll(mappings));
        for (int epoch = 0; epoch < method_.epochs; ++epoch) updatePolicy(trial);
        ++update_;
    }

    Json state() const {
        const auto text = [](const Vector& vector) {
            return packed(std::span<const double>(vector.data(), static_cast<std::size_t>(vector.size())));
        };
        return {{"update", update_},
                {"scale", scale_},
                {"steps", policyStep_.steps},
                {"policy", text(policy_.values)},
                {"policy_first", text(policyStep_.first)},
                {"policy_second", text(policyStep_.second)},
                {"critic", text(critic_.values)},
                {"critic_first", text(criticStep_.first)},
                {"critic_second", text(criticStep_.second)}};
    }

private:
    /// Features around 0, by job: logarithms of latencies, required shares of the bandwidth, how far.
    void look(const Problem& problem) {
        const std::size_t jobs = problem.jobs.size(), cores = problem.cores.size();
        features_.resize(2 * cores_ + 1, static_cast<Index>(jobs));
        for (std::size_t job = 0; job < jobs; ++job) {
            const auto column = static_cast<Index>(job);
            for (std::size_t core = 0; core < cores; ++core) {
                const auto row = static_cast<Index>(core);
                const std::size_t pair = problem.pair(job, core);
                features_(row, column) = elementary::log(problem.latency[pair]);
                features_(cores_ + row, column) =
                    elementary::log(1 + problem.requiredBandwidth[pair] / problem.bandwidth);
            }
            features_(2 * cores_, column) = static_cast<double>(job) / static_cast<double>(jobs) - 0.5;
        }
        const auto latencies = features_.topRows(cores_).array();
        const double mean = latencies.mean();
        const double spread = elementary::sqrt((latencies - mean).square().mean());
        features_.topRows(cores_).array() = (latencies - mean) / (spread > 0 ? spread : 1);
    }

    void resume(const Json& json) {
        const auto read = [&](const char* name, Vector& vector) {
            const std::vector<double> numbers = unpackedDoubles(json.at(name));
            if (static_cast<Index>(numbers.size()) != vector.size()) refuseState();
            std::copy(numbers.begin(), numbers.end(), vector.data());
        };
        update_ = json.at("update");
        scale_ = json.at("scale");
        policyStep_.steps = criticStep_.steps = json.at("steps");
        read("policy", policy_.values);
        read("policy_first", policyStep_.first);
        read("policy_second", policyStep_.second);
        read("critic", critic_.values);
        read("critic_first", criticStep_.first);
        read("critic_second", criticStep_.second);
    }

    std::size_t jobs() const { return static_cast<std::size_t>(features_.cols()); }

    /// Logarithms of probabilities: within the cores, and within the priorities.
    static void normalise(Eigen::Ref<Matrix> logits) {
        for (Index column = 0; column < logits.cols(); ++column) {
            const double max = logits.col(column).maxCoeff();
            double sum = 0;
            for (Index row = 0; row < logits.rows(); ++row) sum += elementary::exp(logits(row, column) - max);
            logits.col(column).array() -= max + elementary::log(sum);
        }
    }

    Network::Activations pass(Network& network, std::size_t from, std::size_t count) const {
        Network::Activations activations;
        activations[0] = features_.middleCols(static_cast<Index>(from), static_cast<Index>(count));
        network.forward(activations);
        return activations;
    }

    Matrix policyOf(Network::Activations& activations) const {
        Matrix logits = activations[kLayers];
        normalise(logits.topRows(cores_));
        normalise(logits.bottomRows(kPriorities));
        return logits;
    }

    static std::int32_t drawFrom(const Eigen::Ref<const Vector>& logarithms, double uniform) {
        double sum = 0;
        for (Index i = 0; i + 1 < logarithms.size(); ++i) {
            sum += elementary::exp(logarithms[i]);
            if (uniform < sum) return static_cast<std::int32_t>(i);
        }
        return static_cast<std::int32_t>(logarithms.size() - 1);
    }

    std::vector<Mapping> draw(Trial& trial) {
        choices_.assign(method_.episodes * jobs(), {});
        std::vector<Mapping> mappings(method_.episodes);
        for (Mapping& mapping : mappings) {
            mapping.core.resize(jobs());
            mapping.priority.resize(jobs());
        }
        for (std::size_t from = 0; from < jobs(); from += kJobsPerPoll) {
            const std::size_t count = std::min(kJobsPerPoll, jobs() - from);
            Network::Activations activations = pass(policy_, from, count);
            const Matrix logits = policyOf(activations);
            for (std::size_t episode = 0; episode < method_.episodes; ++episode) {
                RandomStream random = streamOf(trial, update_ + 1, episode);
                random.seek(3 * from);
                for (std::size_t i = 0; i < count; ++i) {
                    const auto column = static_cast<Index>(i);
                    Choice& choice = choices_[episode * jobs() + from + i];
                    choice.core = drawFrom(logits.col(column).head(cores_), random.uniform());
                    choice.priority = drawFrom(logits.col(column).tail(kPriorities), random.uniform());
                    choice.likelihood = logits(choice.core, column) + logits(cores_ + choice.priority, column);
                    mappings[episode].core[from + i] = choice.core;
                    mappings[episode].priority[from + i] = (choice.priority + random.uniform()) / kPriorities;
                }
            }
            trial.poll();
        }
        // The first episodes of all are the mappings to start from.
        const std::vector<Mapping>& warm = trial.options().warmStart;
        for (std::size_t i = 0; update_ == 0 && i < std::min(warm.size(), mappings.size()); ++i)
            setEpisode(i, mappings[i], warm[i]);
        return mappings;
    }

    void setEpisode(std::size_t episode, Mapping& mapping, const Mapping& given) {
        mapping = given;
        for (std::size_t job = 0; job < jobs(); ++job) {
            Choice& choice = choices_[episode * jobs() + job];
            choice.core = given.core[job];
            choice.priority = static_cast<std::int32_t>(given.priority[job] * kPriorities);
        }
    }

    /// What is minimised, as a reward around -1: by the mean of the first episodes.
    void reward(const std::vector<double>& values) {
        rewards_.assign(values.size(), 0);
        double sum = 0;
        std::size_t count = 0;
        for (const double value : values)
            if (std::isfinite(value)) {
                sum += value;
                ++count;
            }
        if (scale_ == 0 && count > 0) scale_ = sum / static_cast<double>(count);
        for (std::size_t i = 0; i < values.size(); ++i)
            if (std::isfinite(values[i]) && scale_ > 0) rewards_[i] = -values[i] / scale_;
    }

    /// One step along the gradient of all episodes' decisions.
    void updatePolicy(Trial& trial) {
        Vector policyGradient = Vector::Zero(policy_.values.size());
        Vector criticGradient = Vector::Zero(critic_.values.size());
        const double share = 1 / static_cast<double>(method_.episodes * jobs());
        for (std::size_t from = 0; from < jobs(); from += kJobsPerPoll) {
            const std::size_t count = std::min(kJobsPerPoll, jobs() - from);
            Network::Activations seen = pass(policy_, from, count);
            Network::Activations judged = pass(critic_, from, count);
            const Matrix logits = policyOf(seen);
            Matrix policyError = entropyError(logits);
            Matrix criticError = Matrix::Zero(1, static_cast<Index>(count));
            for (std::size_t i = 0; i < count; ++i) {
                const auto column = static_cast<Index>(i);
                const double expected = judged[kLayers](0, column);
                const double discount = elementary::pow(discount_, static_cast<double>(jobs() - 1 - from - i));
                double sum = 0;
                for (std::size_t episode = 0; episode < method_.episodes; ++episode) {
                    const double advantage = discount * rewards_[episode] - expected;
                    criticError(0, column) -= advantage;
                    sum += addDecision(choices_[episode * jobs() + from + i], advantage, logits, column, policyError);
                }
                for (Index row = 0; row < logits.rows(); ++row)
                    policyError(row, column) += sum * elementary::exp(logits(row, column));
            }
            policy_.backward(seen, policyError * share, policyGradient);
            critic_.backward(judged, criticError * share, criticGradient);
            trial.poll();
        }
        policyStep_.step(policy_.values, std::move(policyGradient), rate_, method_.isAdam);
        criticStep_.step(critic_.values, std::move(criticGradient), rate_, method_.isAdam);
    }

    /// The gradient of minus the entropy, for every episode.
    Matrix entropyError(const Matrix& logits) const {
        Matrix error(logits.rows(), logits.cols());
        const auto fill = [&](Index from, Index rows) {
            for (Index column = 0; column < logits.cols(); ++column) {
                double entropy = 0;
                for (Index row = from; row < from + rows; ++row) {
                    const double p = elementary::exp(logits(row, column));
                    entropy -= p * logits(row, column);
                    error(row, column) = p;
                }
                for (Index row = from; row < from + rows; ++row) error(row, column) *= logits(row, column) + entropy;
            }
        };
        fill(0, cores_);
        fill(cores_, kPriorities);
        return error * (kEntropy * static_cast<double>(method_.episodes));
    }

    /// Adds the gradient of one decision: of the logarithm of its likelihood, or of the clipped ratio to what it was
    /// when it was drawn. Returns the weight with which all probabilities of the column have still to be added.
    /// Mnih et al.: "Asynchronous methods for deep reinforcement learning", ICML 2016; Schulman et al.: "Proximal
    /// policy optimization algorithms", 2017, equation 7.
    double addDecision(const Choice& choice, double advantage, const Matrix& logits, Index column,
                       Matrix& error) const {
        double weight = advantage;
        if (method_.clips) {
            const double now = logits(choice.core, column) + logits(cores_ + choice.priority, column);
            const double ratio = elementary::exp(std::min(20.0, now - choice.likelihood));
            if (advantage > 0 ? ratio > 1 + clip_ : ratio < 1 - clip_) return 0;
            weight *= ratio;
        }
        error(choice.core, column) -= weight;
        error(cores_ + choice.priority, column) -= weight;
        return weight;
    }

    Method method_;
    Index cores_;
    double discount_, rate_, clip_;
    Matrix features_;
    Network policy_, critic_;
    Optimizer policyStep_, criticStep_;
    std::int64_t update_ = 0;
    double scale_ = 0;  ///< of rewards; 0 = not known yet

    std::vector<Choice> choices_;  ///< by episode and job
    std::vector<double> rewards_;  ///< by episode
};

Search startLearning(Trial& trial, const Json& state, const Method& method) {
    return searchBy(std::make_shared<Learning>(trial, method, state));
}

}  // namespace

Search startActorCritic(Trial& trial, const Json& state) {
    return startLearning(trial, state, {.episodes = 25});
}

Search startProximalPolicy(Trial& trial, const Json& state) {
    return startLearning(trial, state, {.episodes = 100, .epochs = 4, .clips = true, .isAdam = true});
}

}  // namespace tessera::mapping
