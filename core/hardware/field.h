#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/enum_names.h"
#include "core/base/json.h"
#include "core/base/quantity.h"
#include "core/base/schema.h"
#include "core/hardware/numbers.h"

/// Hardware files are tables of fields. A row says what a field is called, what it measures, what it may be and which
/// member holds it; reader, writer, JSON Schema, the texts of `tessera hardware show` and the studio's forms and facts
/// follow from it.
namespace tessera::hardware {

/// Several faults of one file, or of files that it names. Where there is one only, that DataError itself is thrown.
class Faults : public DataError {
public:
    explicit Faults(std::vector<DataError> several);  ///< at least one
    /// The first sentence, and how many others there are.
    const char* what() const noexcept override { return message_.c_str(); }

    std::vector<DataError> all;

private:
    std::string message_;
};

/// State shared by all fields while a document is read: collects the provenance of numbers, and at most 20 faults.
class Reading {
public:
    /// Paths of numbers are kept relative to `base`. Both must outlive the reading.
    Reading(const JsonNode& base, ProvenanceMap& provenance);

    /// A number that stands alone or as `{"value": x, "source": "...", "class": "measured|datasheet|assumed|yours",
    /// "alternatives": [{"value": y, "source": "..."}], "was": {"value": z, "source": "...", "class": "..."}}`; what
    /// the long form says is kept. Throws DataError.
    double number(const JsonNode& node, const Bounds& bounds, Measure measure);
    /// Runs a step that may throw DataError, and notes the error so that reading goes on.
    template <typename Read>
    void attempt(const Read& read) {
        try {
            read();
        } catch (const Faults& faults) {
            for (const DataError& fault : faults.all) add(fault);
        } catch (const DataError& fault) {
            add(fault);
        }
    }
    /// True if nothing at or inside of the node was wrong so far.
    bool good(const JsonNode& node) const;
    /// Reads; throws Faults, or the one DataError, where anything was wrong.
    void run(const std::function<void()>& read);

private:
    struct Enough {};
    void add(const DataError& fault);

    const JsonNode& base_;
    ProvenanceMap& provenance_;
    std::vector<DataError> faults_;
};

/// What all fields are given while an object is written.
struct Writing {
    const ProvenanceMap& provenance;
    bool everythingInline = false;  ///< write out what is named by path or from the library
};

/// Value type of a field.
enum class Holds {
    text,
    number,
    flag,
    names,    ///< a list of texts
    numbers,  ///< a list of whole numbers
    range,    ///< the values that a search tries: a list, or steps
    map,      ///< numbers, or lists of texts, by a name
    list,     ///< of objects
    object,   ///< fields of its own
    other,    ///< what reads and writes itself
};

struct Field;
using Fields = std::vector<Field>;

/// One field of a hardware file.
struct Field {
    std::string key;    ///< in the file
    std::string title;  ///< "Network"; empty = the fields inside speak for themselves
    std::string about;  ///< a sentence that ends with a full stop
    Holds holds = Holds::text;
    Measure measure = Measure::count;
    Bounds bounds = {};
    std::string unit = {};     ///< shown where the measure has none: "µm²"
    std::string heading = {};  ///< above this field and those after it
    /// Fields of an object, of an entry of a list, or the only one: of a value of a map.
    Fields fields = {};
    std::string entry = {};     ///< what an entry is called, or an object where its title is empty: "memory level"
    std::string empty = {};     ///< what a list without entries means or needs
    std::string distinct = {};  ///< entries' names differ: "a name that no other level has"
    std::size_t minEntries = 0, max = 0;
    bool needed = true;
    std::string without = {};  ///< what counts where it is left out: "not said"; "the ..." stands in its place
    HeldJson fallback = {};    ///< the value that this is the same as; null = none
    bool always = false;       ///< written even so
    HeldJson schema = {};      ///< of what reads and writes itself, of a text: what it is beside its description
    std::vector<std::string> words = {};  ///< of a text that is one of them

    std::function<void(void* object, const JsonNode& node, Reading& reading)> read = {};
    /// Null where the object has no such value.
    std::function<Json(const void* object, const std::string& path, const Writing& writing)> write = {};

    /// May be left out: `what` then counts, where it is a value, `value`.
    Field&& otherwise(std::string what, HeldJson value = {}) &&;
    Field&& alwaysWritten() &&;
    Field&& underHeading(std::string above) &&;
    Field&& in(std::string shownUnit) &&;
    Field&& called(std::string one) &&;
    Field&& describedBy(HeldJson asSchema) &&;
    /// Not written where the object's flag is set.
    template <typename T>
    Field&& unless(bool T::*flag) && {
        write = [written = std::move(write), flag](const void* object, const std::string& path,
                                                   const Writing& writing) {
            return static_cast<const T*>(object)->*flag ? Json() : written(object, path, writing);
        };
        return std::move(*this);
    }
};

/// Reads the members of a JSON object into `object`, whose type is that of the table. A field that cannot be read is
/// noted in `reading`, and the others are read nevertheless; a key that is neither a field's nor in `extra` is a fault.
void readFields(const Fields& fields, void* object, const JsonNode& node, Reading& reading,
                const std::vector<std::string>& extra = {});
/// Adds the object's fields to `json`, but those that say what counts without them. `path` is where the object stands
/// in the document, such as "memory[0]", by which `writing` knows where numbers come from.
void writeFields(const Fields& fields, const void* object, Json& json, const std::string& path, const Writing& writing);
/// The path of a member: "memory[0].name"; of the document itself, whose path is empty, the key.
std::string joinedField(const std::string& path, const std::string& key);

/// A kind of hardware file.
struct Kind {
    std::string id;            ///< "accelerator"
    std::string title;         ///< "Accelerator"
    SchemaHistory history;     ///< the versions of such a file; migrations are appended here
    std::string about;         ///< what such a file is, for the schema
    bool standsInline = true;  ///< may be written inside of another document, without a schema
    Fields fields;
    HeldJson oneOf = {};  ///< of the schema, where fields exclude each other
};

namespace detail {

template <typename T>
struct Held {
    using Type = T;
};
template <typename T>
struct Held<std::optional<T>> {
    using Type = T;
};
template <typename T>
inline constexpr bool kOptional = !std::is_same_v<typename Held<T>::Type, T>;

template <typename T>
void setNumber(T& member, double number, Measure measure) {
    using Number = typename Held<T>::Type;
    if constexpr (std::is_same_v<Number, BytesPerSecond>)
        member = measure == Measure::bitsPerSecond ? fromBitsPerSecond(number) : BytesPerSecond{number};
    else if constexpr (std::is_arithmetic_v<Number>)
        member = static_cast<Number>(number);
    else
        member = Number{number};
}

template <typename T>
double numberIn(const T& value, Measure measure) {
    if constexpr (std::is_same_v<T, BytesPerSecond>)
        return measure == Measure::bitsPerSecond ? toBitsPerSecond(value) : value.value;
    else if constexpr (std::is_arithmetic_v<T>)
        return static_cast<double>(value);
    else
        return value.value;
}

/// Reads entries one by one; says what is wrong with their number and their names.
void readEntries(const Field& field, const JsonNode& node, Reading& reading,
                 const std::function<void(const JsonNode&)>& entry);
void readMembers(const Field& field, const JsonNode& node, Reading& reading,
                 const std::function<void(const std::string&, const JsonNode&)>& member);
std::vector<std::string> namesIn(const JsonNode& node);
void setNumbers(std::vector<std::int64_t>& member, const JsonNode& node, const Bounds& bounds, std::size_t max,
                Reading& reading);
Json numbersJson(const std::vector<std::int64_t>& member, const std::string& path, const Writing& writing);
std::string stemOf(const std::string& file);

template <typename Object>
Json objectJson(const Fields& fields, const Object& object, const std::string& path, const Writing& writing) {
    Json json = Json::object();
    writeFields(fields, &object, json, path, writing);
    return json;
}

}  // namespace detail

/// Characters of a text.
inline constexpr std::size_t kUsualText = 256;

/// Makes the rows of an object's table. `get` is a member pointer, or a generic lambda that returns a reference.
template <typename T>
struct FieldsOf {
    /// A text that is not blank; a std::string or an optional one, for which nothing is written where it is empty.
    template <typename Get>
    static Field name(Get get, std::string key, std::string title, std::string about) {
        Field field{.key = std::move(key), .title = std::move(title), .about = std::move(about)};
        return textOf(get, std::move(field), nameIn);
    }
    /// A text of at most `longest` characters, which may be empty.
    template <typename Get>
    static Field text(Get get, std::string key, std::string title, std::string about,
                      std::size_t longest = kUsualText) {
        Field field{.key = std::move(key), .title = std::move(title), .about = std::move(about)};
        field.empty = "may be empty";
        field.max = longest;
        return textOf(get, std::move(field), [longest](const JsonNode& node) { return node.text(longest); });
    }
    template <typename Get>
    static Field number(Get get, std::string key, std::string title, Measure measure, Bounds bounds,
                        std::string about) {
        using Member = std::remove_cvref_t<decltype(std::invoke(get, std::declval<T&>()))>;
        Field field{.key = std::move(key),
                    .title = std::move(title),
                    .about = std::move(about),
                    .holds = Holds::number,
                    .measure = measure,
                    .bounds = bounds};
        field.read = [get, measure, bounds](void* object, const JsonNode& node, Reading& reading) {
            detail::setNumber(std::invoke(get, *static_cast<T*>(object)), reading.number(node, bounds, measure),
                              measure);
        };
        field.write = [get, measure](const void* object, const std::string& path, const Writing& writing) {
            const auto& member = std::invoke(get, *static_cast<const T*>(object));
            if constexpr (detail::kOptional<Member>)
                return member ? numberJson(detail::numberIn(*member, measure), path, writing.provenance) : Json();
            else
                return numberJson(detail::numberIn(member, measure), path, writing.provenance);
        };
        return field;
    }
    /// One of the words of an enum.
    template <typename Get, typename Enum>
    static Field word(Get get, std::string key, std::string title, const EnumNames<Enum>& names, std::string about) {
        Field field{.key = std::move(key), .title = std::move(title), .about = std::move(about)};
        for (const std::string_view name : names.all()) field.words.emplace_back(name);
        field.schema = Json{{"enum", field.words}};
        field.read = [get, names](void* object, const JsonNode& node, Reading&) {
            std::invoke(get, *static_cast<T*>(object)) = node.oneOf(names);
        };
        field.write = [get, names](const void* object, const std::string&, const Writing&) {
            return Json(names.of(std::invoke(get, *static_cast<const T*>(object))));
        };
        return field;
    }
    template <typename Get>
    static Field flag(Get get, std::string key, std::string title, std::string about) {
        Field field{.key = std::move(key), .title = std::move(title), .about = std::move(about), .holds = Holds::flag};
        field.read = [get](void* object, const JsonNode& node, Reading&) {
            std::invoke(get, *static_cast<T*>(object)) = node.boolean();
        };
        field.write = [get](const void* object, const std::string&, const Writing&) {
            return Json(std::invoke(get, *static_cast<const T*>(object)));
        };
        return field;
    }
    /// A std::vector of at most `max` whole numbers, for which nothing is written where it is empty.
    template <typename Get>
    static Field numbers(Get get, std::string key, std::string title, Bounds bounds, std::size_t max,
                         std::string about) {
        Field field{.key = std::move(key),
                    .title = std::move(title),
                    .about = std::move(about),
                    .holds = Holds::numbers,
                    .bounds = bounds};
        field.max = max;
        field.read = [get, bounds, max](void* object, const JsonNode& node, Reading& reading) {
            detail::setNumbers(std::invoke(get, *static_cast<T*>(object)), node, bounds, max, reading);
        };
        field.write = [get](const void* object, const std::string& path, const Writing& writing) {
            return detail::numbersJson(std::invoke(get, *static_cast<const T*>(object)), path, writing);
        };
        return field;
    }
    /// Numbers by a name: a std::map from it; `value` is a row of the number's title, measure and bounds.
    template <typename Get>
    static Field map(Get get, std::string key, std::string title, std::string entry, Field value, std::string about,
                     std::string empty, std::size_t minEntries = 1) {
        const Measure measure = value.measure;
        const Bounds bounds = value.bounds;
        Field field = several(Holds::map, std::move(key), std::move(title), {std::move(value)}, std::move(entry),
                              std::move(about), std::move(empty));
        field.minEntries = minEntries;
        field.max = 100;
        field.read = [get, measure, bounds, rules = field](void* object, const JsonNode& node, Reading& reading) {
            auto& members = std::invoke(get, *static_cast<T*>(object));
            detail::readMembers(rules, node, reading, [&](const std::string& name, const JsonNode& child) {
                detail::setNumber(members[name], reading.number(child, bounds, measure), measure);
            });
        };
        field.write = [get, measure](const void* object, const std::string& path, const Writing& writing) {
            Json json = Json::object();
            for (const auto& [name, member] : std::invoke(get, *static_cast<const T*>(object)))
                json[name] = numberJson(detail::numberIn(member, measure), joinedField(path, name), writing.provenance);
            return json;
        };
        return field;
    }
    /// A row of a map's value.
    static Field valueOf(std::string title, Measure measure, Bounds bounds, std::string about) {
        return {.key = {},
                .title = std::move(title),
                .about = std::move(about),
                .holds = Holds::number,
                .measure = measure,
                .bounds = bounds};
    }
    /// Lists of texts by a name: a std::map from it to a std::vector.
    template <typename Get>
    static Field namesBy(Get get, std::string key, std::string title, std::string entry, std::string titleOfNames,
                         std::string about, std::string empty) {
        Field names{.key = {}, .title = std::move(titleOfNames), .about = about, .holds = Holds::names};
        Field field = several(Holds::map, std::move(key), std::move(title), {std::move(names)}, std::move(entry),
                              std::move(about), std::move(empty));
        field.max = 100;
        field.read = [get, rules = field](void* object, const JsonNode& node, Reading& reading) {
            auto& members = std::invoke(get, *static_cast<T*>(object));
            detail::readMembers(rules, node, reading, [&](const std::string& name, const JsonNode& child) {
                members[name] = detail::namesIn(child);
            });
        };
        field.write = [get](const void* object, const std::string&, const Writing&) {
            Json json = Json::object();
            for (const auto& [name, texts] : std::invoke(get, *static_cast<const T*>(object))) json[name] = texts;
            return json;
        };
        return field;
    }
    /// Objects: a std::vector of them. At most 100, unless the row says otherwise.
    template <typename Get>
    static Field list(Get get, std::string key, std::string title, std::string entry, Fields fields, std::string about,
                      std::string empty, std::size_t minEntries = 0, std::size_t max = 100, std::string distinct = {}) {
        Field field = several(Holds::list, std::move(key), std::move(title), std::move(fields), std::move(entry),
                              std::move(about), std::move(empty));
        field.minEntries = minEntries;
        field.max = max;
        field.distinct = std::move(distinct);
        field.read = [get, rules = field](void* object, const JsonNode& node, Reading& reading) {
            auto& entries = std::invoke(get, *static_cast<T*>(object));
            detail::readEntries(rules, node, reading, [&](const JsonNode& child) {
                readFields(rules.fields, &entries.emplace_back(), child, reading);
            });
        };
        field.write = [get, inner = field.fields](const void* object, const std::string& path, const Writing& writing) {
            Json json = Json::array();
            std::size_t i = 0;
            for (const auto& each : std::invoke(get, *static_cast<const T*>(object)))
                json.push_back(detail::objectJson(inner, each, path + "[" + std::to_string(i++) + "]", writing));
            return json;
        };
        return field;
    }
    /// An object of its own: a struct or an optional one.
    template <typename Get>
    static Field object(Get get, std::string key, std::string title, Fields fields, std::string about) {
        using Member = std::remove_cvref_t<decltype(std::invoke(get, std::declval<T&>()))>;
        Field field =
            several(Holds::object, std::move(key), std::move(title), std::move(fields), {}, std::move(about), {});
        field.read = [get, inner = field.fields](void* object, const JsonNode& node, Reading& reading) {
            auto& member = std::invoke(get, *static_cast<T*>(object));
            if constexpr (detail::kOptional<Member>)
                readFields(inner, &member.emplace(), node, reading);
            else
                readFields(inner, &member, node, reading);
        };
        field.write = [get, inner = field.fields](const void* object, const std::string& path, const Writing& writing) {
            const auto& member = std::invoke(get, *static_cast<const T*>(object));
            if constexpr (detail::kOptional<Member>)
                return member ? detail::objectJson(inner, *member, path, writing) : Json();
            else
                return detail::objectJson(inner, member, path, writing);
        };
        return field;
    }
    /// Some of the object's own fields, which stand in an object of the file.
    static Field group(std::string key, std::string title, Fields fields, std::string about) {
        return object(
            [](auto& whole) -> auto& { return whole; }, std::move(key), std::move(title), std::move(fields),
            std::move(about));
    }
    /// Field that reads and writes itself.
    static Field other(std::string key, std::string title, std::string about, HeldJson schema,
                       std::function<void(T&, const JsonNode&, Reading&)> read,
                       std::function<Json(const T&, const std::string&, const Writing&)> write) {
        Field field{.key = std::move(key), .title = std::move(title), .about = std::move(about), .holds = Holds::other};
        field.schema = std::move(schema);
        field.read = [read = std::move(read)](void* object, const JsonNode& node, Reading& reading) {
            read(*static_cast<T*>(object), node, reading);
        };
        field.write = [write = std::move(write)](const void* object, const std::string& path, const Writing& writing) {
            return write(*static_cast<const T*>(object), path, writing);
        };
        return field;
    }

private:
    template <typename Get, typename Read>
    static Field textOf(Get get, Field field, Read read) {
        using Member = std::remove_cvref_t<decltype(std::invoke(get, std::declval<T&>()))>;
        field.read = [get, read](void* object, const JsonNode& node, Reading&) {
            std::invoke(get, *static_cast<T*>(object)) = read(node);
        };
        field.write = [get](const void* object, const std::string&, const Writing&) {
            const auto& member = std::invoke(get, *static_cast<const T*>(object));
            if constexpr (detail::kOptional<Member>)
                return member ? Json(*member) : Json();
            else
                return member.empty() ? Json() : Json(member);
        };
        return field;
    }
    static Field several(Holds holds, std::string key, std::string title, Fields fields, std::string entry,
                         std::string about, std::string empty) {
        Field field{.key = std::move(key), .title = std::move(title), .about = std::move(about), .holds = holds};
        field.fields = std::move(fields);
        field.entry = std::move(entry);
        field.empty = std::move(empty);
        return field;
    }
};

/// Reads a document of a kind, or one inside of another document: all fields first, then what holds across them.
/// Throws Faults or DataError.
template <typename T>
T readDocument(const JsonNode& given, const Kind& kind,
               const std::function<void(T&, const JsonNode&, Reading&)>& check = {}) {
    const bool whole = given.path().empty();
    const JsonNode node =
        whole || !kind.standsInline || given.has("schema") ? atCurrentSchema(given, kind.history) : given;
    T object;
    object.file = given.document().file();
    if (whole || !kind.standsInline) object.id = detail::stemOf(object.file);
    Reading reading(node, object.provenance);
    reading.run([&] {
        readFields(kind.fields, &object, node, reading, {"schema"});
        if (check) check(object, node, reading);
    });
    return object;
}

/// The document that reads back as the same object.
template <typename T>
Json documentJson(const T& object, const Kind& kind, bool everythingInline = false) {
    Json json = Json::object();
    json["schema"] = currentSchema(kind.history);
    writeFields(kind.fields, &object, json, "", {object.provenance, everythingInline});
    return json;
}

/// A title inside of a sentence: "Network" is "network", "HBM" stays.
std::string lowerFirst(std::string title);

/// One value of a document for people.
struct ShownValue {
    std::string path;     ///< "memory[0].capacity_bytes"
    std::string section;  ///< the title of the list, map or object that it stands in; empty = of none
    std::string entry;    ///< of a list: the entry's name, or its number; empty = of none
    std::string title;    ///< the field's: "Capacity"
    std::string label;    ///< "HBM capacity", "network"
    std::string value;    ///< "34.4 GB"
    std::string exact;    ///< of a number, with all digits
    std::string from;     ///< "datasheet: NVIDIA A100 datasheet"
};
/// Every value of a document, in the table's order.
std::vector<ShownValue> shownValues(const Fields& fields, const Json& document);

}  // namespace tessera::hardware
