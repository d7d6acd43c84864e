#include "core/study/timeline.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/study/engine.h"

namespace tessera::study {

Timeline timelineOf(const Result& result, const std::string& choice) {
    const Engine& engine = engineOf(result);
    if (engine.timeline == nullptr)
        throw UsageError(fmt::format("a result of {} has no timeline: it does not say when things happen", engine.id));
    return engine.timeline(result, choice);
}

Json toJson(const Timeline& timeline) {
    const std::string suffix = "_" + timeline.unit;
    Json json = {{"schema", "tessera.timeline/1"}, {"title", timeline.title}, {"length" + suffix, timeline.length}};
    Json& tracks = json["tracks"] = Json::array();
    for (const Timeline::Track& track : timeline.tracks)
        tracks.push_back({{"name", track.name}, {"group", track.group}});
    Json& events = json["events"] = Json::array();
    for (const Timeline::Event& event : timeline.events) {
        Json row = {{"track", event.track},
                    {"start" + suffix, event.start},
                    {"duration" + suffix, event.duration},
                    {"name", event.name},
                    {"category", event.category}};
        if (!event.details.empty()) {
            Json& details = row["details"] = Json::object();
            for (const auto& [name, value] : event.details) details[name] = value;
        }
        events.push_back(std::move(row));
    }
    json["notes"] = timeline.notes;
    return json;
}

}  // namespace tessera::study
