#pragma once

#include "core/mapping/search.h"

/// The searches behind the rows of the algorithm table, one or a family per file.
namespace tessera::mapping {

Search startTessera(Trial& trial, const Json& state);
Search startMagma(Trial& trial, const Json& state);
Search startMagmaPublished(Trial& trial, const Json& state);
Search startStandardGenetic(Trial& trial, const Json& state);
Search startDifferentialEvolution(Trial& trial, const Json& state);
Search startCovarianceAdaptation(Trial& trial, const Json& state);
Search startParticleSwarm(Trial& trial, const Json& state);
Search startTestBased(Trial& trial, const Json& state);
Search startRandom(Trial& trial, const Json& state);
Search startActorCritic(Trial& trial, const Json& state);
Search startProximalPolicy(Trial& trial, const Json& state);
Search startHeraldLike(Trial& trial, const Json& state);
Search startAiMtLike(Trial& trial, const Json& state);

}  // namespace tessera::mapping
